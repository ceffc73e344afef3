/// Which parts of a gather are Verilated devices, and what that asks of the other options.
#ifndef WEIR_SIM_GATHER_DEVICES_H
#define WEIR_SIM_GATHER_DEVICES_H

#include "sim/gather/gather_options.h"

/// Value of an option that nobody gave: what the device has, if there is one.
#define GATHER_AS_DEVICE UINT32_MAX

/// Finds a configuration for each kind of device that is wanted, and gives sizes that nobody gave. Returns 0, or COMMAND_UNUSABLE after
/// one line on stderr.
int gather_choose_devices(struct gather_options *o);
/// Where the waves of the first device go.
void gather_set_wave(struct gather_options *o, const char *wave);

#endif
