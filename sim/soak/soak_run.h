/// One random scenario on a device: traffic, stalls and idle inputs from one seed.
#ifndef WEIR_SIM_SOAK_RUN_H
#define WEIR_SIM_SOAK_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "drive/config.h"
#include "sim/engine/bench.h"
#include "sim/engine/undecided.h"
#include "wire/fate.h"

enum { SOAK_TEXTS = 3, SOAK_TEXT_BYTES = 320 };

struct soak_result {
  uint64_t seed, frames, results, cycles;
  uint64_t fates[FATE_COUNT];
  uint64_t columns;   ///< sent whole
  struct undecided undecided;
  struct bench_memories memories;
  uint64_t mismatches;
  char texts[SOAK_TEXTS][SOAK_TEXT_BYTES];   ///< of the first mismatches, "" beyond those
};

/// Runs the scenario of `seed`. `wave` is an FST file to write, or NULL; `flips` are bits of memories flipped
/// in 1000 cycles. What goes wrong is in the result's mismatches.
void soak_run(const struct drive_config *config, uint64_t seed, const char *wave, unsigned flips, struct soak_result *result);

#endif
