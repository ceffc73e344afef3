#include "drive/config.h"

#include <string.h>

enum { BEAT = 64 };   // bytes, but for those that say so

static const struct drive_config configs[] = {
#define CONFIG(name, ...) {#name, __VA_ARGS__, 0, 0, 0, 0, 0, BEAT},
#include "configs.inc"
#undef CONFIG
};

static const struct drive_config relay_configs[] = {
#define RELAY_CONFIG(name, ...) {#name, __VA_ARGS__, 0, 0, BEAT},
#include "configs.inc"
#undef RELAY_CONFIG
};

static const struct drive_config ecc_configs[] = {
#define ECC_CONFIG(name, ports, ranks, slot_bytes, slots, rings, conns, max_window, wide_lanes, ecc)                             \
  {#name, ports, ranks, slot_bytes, slots, rings, conns, max_window, wide_lanes, 0, 0, 0, ecc, 0, BEAT},
#include "configs.inc"
#undef ECC_CONFIG
};

static const struct drive_config lean_configs[] = {
#define LEAN_CONFIG(name, ports, ranks, slot_bytes, slots, rings, conns, max_window, wide_lanes, without)                        \
  {#name, ports, ranks, slot_bytes, slots, rings, conns, max_window, wide_lanes, 0, 0, 0, 0, without, BEAT},
#include "configs.inc"
#undef LEAN_CONFIG
};

static const struct drive_config beat_configs[] = {
#define BEAT_CONFIG(name, ports, ranks, slot_bytes, slots, rings, conns, max_window, wide_lanes, beat)                           \
  {#name, ports, ranks, slot_bytes, slots, rings, conns, max_window, wide_lanes, 0, 0, 0, 0, 0, beat},
#include "configs.inc"
#undef BEAT_CONFIG
};

const struct drive_config *drive_configs(size_t *count) {
  *count = sizeof configs / sizeof *configs;
  return configs;
}

const struct drive_config *drive_config_at(size_t i) {
  static const struct {
    const struct drive_config *of;
    size_t count;
  } tables[] = {
      {configs, sizeof configs / sizeof *configs},
      {relay_configs, sizeof relay_configs / sizeof *relay_configs},
      {ecc_configs, sizeof ecc_configs / sizeof *ecc_configs},
      {lean_configs, sizeof lean_configs / sizeof *lean_configs},
      {beat_configs, sizeof beat_configs / sizeof *beat_configs},
  };
  for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
    if (i < tables[t].count) return &tables[t].of[i];
    i -= tables[t].count;
  }
  return NULL;
}

const struct drive_config *drive_config_named(const char *name) {
  const struct drive_config *config;
  for (size_t i = 0; (config = drive_config_at(i)) != NULL; i++)
    if (strcmp(config->name, name) == 0) return config;
  return NULL;
}

const struct drive_config *drive_relay_configs(size_t *count) {
  *count = sizeof relay_configs / sizeof *relay_configs;
  return relay_configs;
}
