/// The command line of the soak.
#ifndef WEIR_SIM_SOAK_OPTIONS_H
#define WEIR_SIM_SOAK_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "drive/config.h"
#include "sim/cli/usage.h"

enum { SOAK_JOBS = 64, SOAK_TENANTS = 64 };   ///< at most

struct soak_options {
  const char *config_name, *seeds;   ///< as they are given; seeds NULL: not given
  const struct drive_config *config;
  uint64_t first, last;   ///< seeds
  unsigned jobs;
  uint64_t minutes;   ///< 0: no limit
  const char *wave;
  unsigned tenants;         ///< 0: random frames instead
  uint64_t frames, lives;   ///< of tenants
  unsigned flips;           ///< bits expected to flip in 1000 cycles
};

#define soak_refuse(...) usage_refuse("soak", __VA_ARGS__)

/// Reads the command line and checks every value, as options_parse has it.
int soak_parse(int argc, char **argv, struct soak_options *options);

#endif
