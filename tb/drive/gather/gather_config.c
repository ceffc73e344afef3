#include "drive/gather/gather_config.h"

// With one more, because there may be none.
static const struct gather_config configs[] = {
#define GATHER_CONFIG(name, ...) {#name, __VA_ARGS__},
#include "configs.inc"
#undef GATHER_CONFIG
    {0},
};

const struct gather_config *gather_configs(size_t *count) {
  *count = sizeof configs / sizeof *configs - 1;
  return configs;
}

static const struct gather_nic_config nic_configs[] = {
#define NIC_CONFIG(name, ...) {#name, __VA_ARGS__},
#include "configs.inc"
#undef NIC_CONFIG
    {0},
};

const struct gather_nic_config *gather_nic_configs(size_t *count) {
  *count = sizeof nic_configs / sizeof *nic_configs - 1;
  return nic_configs;
}
