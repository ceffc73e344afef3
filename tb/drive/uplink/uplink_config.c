#include "drive/uplink/uplink_config.h"

static const struct uplink_config configs[] = {
#define UPLINK_CONFIG(name, ...) {#name, __VA_ARGS__},
#include "configs.inc"
#undef UPLINK_CONFIG
};

const struct uplink_config *uplink_config_first(void) { return &configs[0]; }
