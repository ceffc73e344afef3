#include "sim/replay/feed.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"

/// Cycles between two looks at the clock and at signals.
enum { LOOK_EVERY = 1024 };
/// A wait for a time stamp that is longer than this lets the device become idle first, and is then skipped. Far longer than a
/// device without back-pressure needs, far shorter than the gaps that software leaves.
enum { WORTH_SKIPPING = 1000 };
#define PROGRESS_NS UINT64_C(250000000)

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

/// Now and then: did a signal come, is it time to tell how far we are?
static void look_around(struct feed *f, uint64_t cycle) {
  if (cycle % LOOK_EVERY != 0) return;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  const struct timespec at_once = {0};
  const int signal = sigtimedwait(&set, NULL, &at_once);
  if (signal > 0) f->signal = signal;
  if (!f->progress || clock_monotonic_ns() - f->shown_ns < PROGRESS_NS) return;
  f->shown_ns = clock_monotonic_ns();
  fprintf(stderr, "\r%" PRIu64 " of %zu frames, cycle %" PRIu64 " ", f->frames_in, f->trace->count, cycle);
}

static void step(struct feed *f, struct bench *bench) {
  bench_step(bench);
  look_around(f, bench_cycle(bench));
}

/// Waits until the frame may start. False if it never may.
static bool wait_for(struct feed *f, struct bench *bench, struct pace *pace, const struct trace_frame *frame) {
  while (f->signal == 0 && !bench_stopped(bench)) {
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
  f->shown_ns = start;
  bool done = send_all(f, bench);
  if (f->signal == 0) done = bench_settle(bench, f->limit) && done;
  f->last_cycle = bench_cycle(bench);
  f->seconds = (double)(clock_monotonic_ns() - start) / 1e9;
  if (f->progress) fprintf(stderr, "\r%60s\r", "");
  return done && f->signal == 0;
}
