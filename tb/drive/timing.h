/// How much of the thread's processor time goes into the device, from a sample of the cycles. Private to tb/drive.
#ifndef WEIR_DRIVE_TIMING_H
#define WEIR_DRIVE_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

/// One cycle of so many is timed; prime, so that nothing which comes in step with frames is always or never seen.
enum { TIMING_CYCLES = 61 };

struct timing {
  bool timed;                    ///< this cycle is
  uint64_t since, device, all;   ///< nanoseconds: when it began; in the device and in all, of those before it
};

/// A cycle begins. It lasts until the next one does, so that it has in it what the caller does in between.
static inline void timing_cycle(struct timing *t, uint64_t cycle) {
  if (t->timed) t->all += clock_thread_ns() - t->since;
  t->timed = cycle % TIMING_CYCLES == 0;
  if (t->timed) t->since = clock_thread_ns();
}

#endif
