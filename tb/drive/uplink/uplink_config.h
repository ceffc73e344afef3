/// What an uplink device can be built as: plain data, without the Verilated device behind it.
#ifndef WEIR_DRIVE_UPLINK_CONFIG_H
#define WEIR_DRIVE_UPLINK_CONFIG_H

/// One named configuration (rtl/top/uplink_configs.csv).
struct uplink_config {
  const char *name;
  unsigned down, up;
  unsigned places;   ///< for flowlets, of each queue of a down port
  unsigned overrides;
  unsigned room;   ///< beats of 64 bytes of a queue of what is received
};

/// The smallest one.
const struct uplink_config *uplink_config_first(void);

#endif
