#include "drive/gather/gather_config.h"

static const struct gather_config configs[] = {
#define GATHER_CONFIG(name, ...) {#name, __VA_ARGS__},
#include "configs.inc"
#undef GATHER_CONFIG
};

const struct gather_config *gather_configs(size_t *count) {
  *count = sizeof configs / sizeof *configs;
  return configs;
}

static const struct gather_nic_config nic_configs[] = {
#define NIC_CONFIG(name, ...) {#name, __VA_ARGS__},
#include "configs.inc"
#undef NIC_CONFIG
};

const struct gather_nic_config *gather_nic_configs(size_t *count) {
  *count = sizeof nic_configs / sizeof *nic_configs;
  return nic_configs;
}
