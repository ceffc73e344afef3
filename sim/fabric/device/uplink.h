/// An uplink device of this project (docs/fabric.md) between a leaf and its uplinks: Verilated, with its golden model in lock step. What the leaf
/// sends up, and what comes down to it, goes through the device as frames, and leaves by the port that the device says.
///
/// Its cables to the leaf take no time, and a frame that the device has no room for waits in front of it. Queues, pauses and marks stay the switch's.
#ifndef WEIR_SIM_FABRIC_UPLINK_H
#define WEIR_SIM_FABRIC_UPLINK_H

#include "sim/fabric/net/switch.h"

struct fabric_uplink;

/// Puts one at a leaf whose ways up are chosen as the device does (switch_options.uplink); the leaf owns it from now on. NULL and a line in `error` if it
/// has too many uplinks for the device, or this cannot be opened.
struct fabric_uplink *fabric_uplink_new(struct fabric_switch *leaf, uint64_t seed, char *error, size_t size);

struct fabric_uplink_counts {
  uint64_t passed;    ///< frames that left it, each compared with its model's
  uint64_t dropped;   ///< that did not, of those that went in
  uint64_t cycles;
  uint64_t most;   ///< frames that waited in front of it at most
};
/// At the end of a run, once and before its switch's counters are read: what did not leave the device counts there as unreachable. What was wrong
/// first goes into `fault`, which is empty if nothing was.
struct fabric_uplink_counts fabric_uplink_finish(struct fabric_uplink *u, char *fault, size_t size);

#endif
