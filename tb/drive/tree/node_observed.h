/// What a tree node that is a device shows of its decisions, cycle by cycle, and its model, which is told so.
#ifndef WEIR_DRIVE_NODE_OBSERVED_H
#define WEIR_DRIVE_NODE_OBSERVED_H

#include <stdbool.h>

#include "model/tree/tree_twin.h"

/// What was seen in a cycle (node_observed_t of rtl/tree/llt/llt_pkg.sv).
struct node_observed {
  bool asked;     ///< the lock cells were, whether a lock may be taken or who has it: for the message decided on last
  bool counted;   ///< a streaming operation has ended, and is counted; behind what is asked in this cycle
  enum {
    NODE_NOTHING,
    NODE_MESSAGE,   ///< the low-latency half decides on the oldest message of `port`
    NODE_CAST,      ///< it takes the answer to an operation of `group` from a multicast of its parent
    NODE_EXPIRED,   ///< the operation of a group has waited too long
    NODE_ENDED,     ///< a tree ends, for a neighbour who is lost or by itself: `ending`
    NODE_CHANGED    ///< what registers asked for is done, if `good`, or refused
  } what;
  unsigned port;
  unsigned group;   ///< by its place in the registers
  bool good;
  struct tree_twin_ending ending;
};

/// Reads `obs_o`, as words. False if nothing is seen.
bool node_observed_read(const void *obs, struct node_observed *event);
/// The model does what the device did.
void node_observed_tell(struct tree_twin *twin, const struct node_observed *event);

#endif
