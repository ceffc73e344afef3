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
  uint64_t to = mac_switch_forward(f->fabric, port, frame, len);
  // The device has cables of its own to the switch, so a host is reached by the port of its number, too: two ranks behind one.
  if (to == 0) to = mac_switch_lookup(f->fabric, frame, len);
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

/// Waits until the frame may start. False if it never may.
static bool wait_for(struct feed *f, struct bench *bench, struct pace *pace, const struct trace_frame *frame) {
  while (stop_asked() == 0 && !bench_stopped(bench)) {
    const uint64_t cycle = bench_cycle(bench), earliest = pace_earliest(pace, frame);
    if (cycle < earliest) {
      if (pace->kind == PACE_RECORDED && earliest - cycle > WORTH_SKIPPING) {
        if (!bench_settle(bench, f->limit)) return false;
        const uint64_t settled = bench_cycle(bench);
        if (settled < earliest) {
          pace_skip(pace, earliest - settled);
          bench_skip(bench, earliest - settled);
        }
      } else {
        step(f, bench);
      }
      f->moved = bench_cycle(bench);
    } else if (bench_pending(bench, frame->port) == 0) {
      return true;
    } else if (cycle - f->moved > f->limit) {
      return false;
    } else {
      step(f, bench);
    }
  }
  return false;
}

static bool send_all(struct feed *f, struct bench *bench) {
  struct pace pace;
  pace_init(&pace, f->pace, f->first_cycle, f->trace->frames[0].ns);
  for (size_t i = 0; i < f->trace->count; i++) {
    const struct trace_frame *frame = &f->trace->frames[i];
    if (frame->len == 0) {
      f->empty++;
      continue;
    }
    if (f->order->after[i] > f->over) {
      if (!bench_drain(bench, f->limit)) return false;
      f->over = i;
      f->moved = bench_cycle(bench);
    }
    if (!wait_for(f, bench, &pace, frame)) return false;
    bench_send(bench, frame->port, frame->data, frame->len, false);
    pace_started(&pace, frame, bench_cycle(bench));
    f->frames_in++;
    f->moved = bench_cycle(bench);
  }
  return true;
}

bool feed_run(struct feed *f, struct bench *bench) {
  const uint64_t start = clock_monotonic_ns();
  f->first_cycle = f->moved = bench_cycle(bench);
  bool done = send_all(f, bench);
  if (stop_asked() == 0) done = bench_settle(bench, f->limit) && done;
  f->last_cycle = bench_cycle(bench);
  f->seconds = (double)(clock_monotonic_ns() - start) / 1e9;
  if (stop_asked() != 0) tell(f, f->last_cycle);
  life_quiet(f->life);
  return done && stop_asked() == 0;
}
