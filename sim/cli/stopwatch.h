/// Time as a stopwatch has it, for what is said about speed.
#ifndef WEIR_SIM_STOPWATCH_H
#define WEIR_SIM_STOPWATCH_H

#include <time.h>

/// Seconds since some moment that stays the same while the program runs.
static inline double stopwatch_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#endif
