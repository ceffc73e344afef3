/// One random scenario on a device: traffic, stalls and idle inputs from one seed.
#ifndef WEIR_SIM_SOAK_RUN_H
#define WEIR_SIM_SOAK_RUN_H

#include "drive/config.h"
#include "sim/soak/soak_result.h"

/// Runs the scenario of `seed`. `wave` is an FST file to write, or NULL; `flips` are bits of memories flipped
/// in 1000 cycles. What goes wrong is in the result's mismatches.
void soak_run(const struct drive_config *config, uint64_t seed, const char *wave, unsigned flips, struct soak_result *result);

#endif
