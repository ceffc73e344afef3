/// Time as the machine has it, in nanoseconds.
#ifndef WEIR_BASE_CLOCK_H
#define WEIR_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/// Of one of clock_gettime's clocks.
static inline uint64_t clock_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/// Since some moment that stays the same while the machine runs. Never goes back.
static inline uint64_t clock_monotonic_ns(void) { return clock_ns(CLOCK_MONOTONIC); }
static inline uint64_t clock_monotonic_ms(void) { return clock_monotonic_ns() / 1000000u; }
/// The same in seconds, for what is said about speed.
static inline double clock_seconds(void) { return (double)clock_monotonic_ns() / 1e9; }
/// Since 1970, as captures have it.
static inline uint64_t clock_epoch_ns(void) { return clock_ns(CLOCK_REALTIME); }
/// Processor time that this thread has used.
static inline uint64_t clock_thread_ns(void) { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

#endif
