#include "drive/config.h"

static const struct drive_config configs[] = {
#define CONFIG(name, ...) {#name, __VA_ARGS__},
#include "configs.inc"
#undef CONFIG
};

const struct drive_config *drive_configs(size_t *count) {
  *count = sizeof configs / sizeof *configs;
  return configs;
}
