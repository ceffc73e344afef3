/// One life of a device on which jobs of many tenants come and go: they leave in order, crash, are sent away in the middle, are paused, and some end with all others by a soft reset. In the end the device is
/// as empty as it began.
#ifndef WEIR_SIM_TENANTS_H
#define WEIR_SIM_TENANTS_H

#include <stdint.h>

#include "drive/config.h"
#include "sim/soak/soak_result.h"

struct tenants_options {
  const struct drive_config *config;
  const char *wave;   ///< FST file, or NULL
  uint64_t seed;
  unsigned tenants;
  uint64_t frames, jobs;   ///< no job comes any more when so many frames went in, and so many jobs are over
  /// Called now and then with how far it is; may be NULL.
  void (*reached)(void *user, const struct soak_tenants *counts);
  void *user;
};

void tenants_run(const struct tenants_options *options, struct soak_result *result);

#endif
