#include "sim/replay/feed.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"

/// A wait for a time stamp that is longer than this lets the device become idle first, and is then skipped. Far longer than a
/// device without back-pressure needs, far shorter than the gaps that software leaves.
enum { WORTH_SKIPPING = 1000 };

void feed_out(void *user, unsigned port, const uint8_t *frame, size_t len, uint64_t first_cycle, uint64_t last_cycle) {
  struct feed *f = user;
  (void)first_cycle;
  f->frames_out++;
  f->moved = last_cycle;
  const uint64_t behind = mac_switch_lookup(f->fabric, frame, len);
  uint64_t to = behind & ~(UINT64_C(1) << port);
  // The device has cables of its own to the switch, so a host is reached by the port of its number, too: two ranks behind one.
  if (to == 0) to = behind;
  if (to == 0) f->unforwarded++;
  // A switch stores a frame before it forwards it; so time stamps are in order, too.
  const uint64_t ns = f->trace->frames[0].ns + last_cycle * PACE_NS;
  for (; to != 0 && f->writer != NULL; to &= to - 1) {
    capture_writer_put(f->writer, (unsigned)__builtin_ctzll(to), ns, frame, len);
  }
}

static void tell(struct feed *f, uint64_t cycle) {
  life_reached(f->life, "%" PRIu64 " of %zu frames, cycle %" PRIu64, f->frames_in, f->trace->count, cycle);
}

static void step(struct feed *f, struct bench *bench) {
  bench_step(bench);
  if (life_due(f->life)) tell(f, bench_cycle(bench));
}

enum { MOST_PORTS = 64 };

/// How far a run is. Frames in front of `next[p]` that are port p's have started, so all in front of `first` have.
struct progress {
  size_t next[MOST_PORTS];      ///< the port's next frame, or how many frames there are
  size_t first;                 ///< the smallest of them
  size_t turn[ORDER_ALL + 1];   ///< the first frame of that kind that has not started, or how many frames there are
  uint64_t due;                 ///< the cycle for which the frame waits that could start else; 0 if none does
};

/// From frame `i` on, the first one of a port that is not empty.
static size_t seek(const struct feed *f, size_t i, unsigned port) {
  const struct trace *t = f->trace;
  while (i < t->count && (t->frames[i].port != port || t->frames[i].len == 0)) i++;
  return i;
}

static void look_ahead(const struct feed *f, struct progress *at) {
  const struct trace *t = f->trace;
  at->first = t->count;
  for (unsigned p = 0; p < t->ports; p++)
    if (at->next[p] < at->first) at->first = at->next[p];
  for (unsigned k = ORDER_BEGINS; k <= ORDER_ALL; k++) {
    size_t *i = &at->turn[k];
    while (*i < t->count && (f->order->turn[*i] != k || *i < at->next[t->frames[*i].port])) ++*i;
  }
}

/// True if no frame in front of frame `i` that has not started is in its way.
static bool is_next(const struct feed *f, const struct progress *at, size_t i) {
  if (i > at->turn[ORDER_ALL]) return false;
  switch (f->pace == PACE_ASAP ? f->order->turn[i] : ORDER_ALL) {
    case ORDER_ALL: return i == at->first;
    case ORDER_BEGINS: return i == at->turn[ORDER_BEGINS];
    default: return true;
  }
}

/// Starts the next frame of a port if nothing holds it back. True if it has started.
static bool start(struct feed *f, struct bench *bench, struct pace *pace, struct progress *at, unsigned port) {
  const size_t i = at->next[port];
  if (i == f->trace->count || !is_next(f, at, i) || f->order->after[i] > f->over) return false;
  const struct trace_frame *frame = &f->trace->frames[i];
  const uint64_t cycle = bench_cycle(bench), earliest = pace_earliest(pace, frame);
  if (cycle < earliest) {
    at->due = earliest;
    return false;
  }
  if (bench_pending(bench, port) > 0) return false;
  // It comes to the device through the switch, which learns from it at once, whatever the device makes of it and when.
  mac_switch_learn(f->fabric, port, frame->data, frame->len);
  bench_send(bench, port, frame->data, frame->len, false);
  pace_started(pace, frame, cycle);
  at->next[port] = seek(f, i + 1, port);
  look_ahead(f, at);
  f->frames_in++;
  f->moved = cycle;
  return true;
}

/// True if a port's next frame waits for results of frames that have all started.
static bool wants_results(const struct feed *f, const struct progress *at) {
  for (unsigned p = 0; p < f->trace->ports; p++) {
    const size_t i = at->next[p];
    if (i < f->trace->count && is_next(f, at, i) && f->order->after[i] > f->over && f->order->after[i] <= at->first) return true;
  }
  return false;
}

/// Nothing may start in this cycle. False if nothing ever may again.
static bool pass_time(struct feed *f, struct bench *bench, struct pace *pace, const struct progress *at) {
  const bool waits = at->due != 0;
  if (waits && pace->kind == PACE_RECORDED && at->due - bench_cycle(bench) > WORTH_SKIPPING) {
    if (!bench_settle(bench, f->limit)) return false;
    const uint64_t settled = bench_cycle(bench);
    if (settled < at->due) {
      pace_skip(pace, at->due - settled);
      bench_skip(bench, at->due - settled);
    }
  } else if (!waits && bench_cycle(bench) - f->moved > f->limit) {
    return false;
  } else {
    step(f, bench);
  }
  if (waits) f->moved = bench_cycle(bench);
  return true;
}

static bool send_all(struct feed *f, struct bench *bench) {
  const struct trace *t = f->trace;
  struct progress at = {.first = 0};
  struct pace pace;
  pace_init(&pace, f->pace, f->first_cycle, t->frames[0].ns);
  for (size_t i = 0; i < t->count; i++) f->empty += t->frames[i].len == 0;
  for (unsigned p = 0; p < t->ports; p++) at.next[p] = seek(f, 0, p);
  look_ahead(f, &at);
  while (at.first < t->count) {
    if (stop_asked() != 0 || bench_stopped(bench)) return false;
    bool started = false;
    at.due = 0;
    for (unsigned p = 0; p < t->ports; p++) started |= start(f, bench, &pace, &at, p);
    if (started) continue;   // another one may follow in its turn
    if (wants_results(f, &at)) {
      if (!bench_drain(bench, f->limit)) return false;
      f->over = at.first;
      f->moved = bench_cycle(bench);
    } else if (!pass_time(f, bench, &pace, &at)) {
      return false;
    }
  }
  return true;
}

bool feed_run(struct feed *f, struct bench *bench) {
  const uint64_t start = clock_monotonic_ns();
  f->first_cycle = f->moved = bench_cycle(bench);
  bench_aside(bench);   // frames of a trace stay in place
  bool done = send_all(f, bench);
  if (stop_asked() == 0) done = bench_settle(bench, f->limit) && done;
  bench_together(bench);
  f->last_cycle = bench_cycle(bench);
  f->seconds = (double)(clock_monotonic_ns() - start) / 1e9;
  if (stop_asked() != 0) tell(f, f->last_cycle);
  life_quiet(f->life);
  return done && stop_asked() == 0;
}
