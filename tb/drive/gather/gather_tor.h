/// The switch of a rack as the network of a gather has it, played by the Verilated switch instead of the model.
///
/// Packets become frames at its ports and frames packets again, each with good headers and a good ICRC and at the port of its
/// node. The clock runs while anything is inside or under way; a cycle is one of the network's. A port's MAC takes beats as long
/// as less than a longest frame waits for the cable. Each look-up of a cache is compared with the golden one, and at the end the
/// device's counters with what went in and came out.
#ifndef WEIR_DRIVE_GATHER_TOR_H
#define WEIR_DRIVE_GATHER_TOR_H

#include <stddef.h>

#include "drive/gather/gather_config.h"
#include "hosts/gather/gather_switch.h"

/// The smallest configuration that can play a ToR of this network; NULL and a line in `error` if none can.
const struct gather_config *gather_tor_config(const struct gather_topology *t, const struct gather_pipe_options *pipe,
                                              char *error, size_t size);
/// Makes one. False if out of memory, or its wave file cannot be written.
bool gather_tor_rtl(const struct gather_switch_options *options, gather_send_fn *send, void *fabric, struct gather_switch *out);

#endif
