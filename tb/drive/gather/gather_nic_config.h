/// Which configuration of the NIC can play those of a network.
#ifndef WEIR_DRIVE_GATHER_NIC_CONFIG_H
#define WEIR_DRIVE_GATHER_NIC_CONFIG_H

#include "drive/gather/gather_config.h"
#include "hosts/gather/gather_nic.h"

/// The smallest configuration that can play a NIC of so many nodes' network. `units` and `rig.pending` are UINT32_MAX if the device's
/// own will do. NULL and a line in `error` if none can.
const struct gather_nic_config *gather_nic_config_for(uint32_t nodes, const struct gather_nic_options *options, char *error,
                                                      size_t size);
#endif
