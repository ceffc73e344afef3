/// A tree node that is a device, by its registers (rtl/csr/tree_csr.rdl, docs/registers/tree-node.md): set up as the model's node is, begun and
/// ended, and asked for its locks, its connections and its counters. What carries a register's word is the caller's.
#ifndef WEIR_DRIVE_TREE_CONTROL_H
#define WEIR_DRIVE_TREE_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/tree/tree_node.h"
#include "rtl/csr/tree_csr.h"

/// What a node has beside its configuration: groups, lock cells.
enum { TREE_CONTROL_GROUPS = 4, TREE_CONTROL_CELLS = 2 };

/// Address of a register, by its name.
#define TREE_REG(name) ((unsigned)offsetof(tree_csr_t, name))

/// How registers are reached, a word at a time.
struct tree_bus {
  void (*write)(void *user, unsigned address, uint32_t value);
  uint32_t (*read)(void *user, unsigned address);
  void *user;
};

/// TREE_COMMAND.error: why something was refused.
enum tree_error {
  TREE_ERROR_NONE,
  TREE_ERROR_IS_OPEN,
  TREE_ERROR_NOT_THERE,
  TREE_ERROR_MTU,
  TREE_ERROR_PORTS,
  TREE_ERROR_SAME,
  TREE_ERROR_GROUP,
  TREE_ERROR_PATIENCE,
  TREE_ERROR_NOT_STORED,
  TREE_ERROR_CONN,
  TREE_ERROR_BUSY,
  TREE_ERRORS
};
/// The same in words.
const char *tree_error_text(enum tree_error error);

/// TREE_COMMAND, as it is read.
struct tree_control_state {
  bool is_open, low_down, streaming_down;
  bool pending;            ///< a change has not taken effect yet
  enum tree_error error;   ///< of the last command or store
};
struct tree_control_state tree_control_state(const struct tree_bus *bus);

// --- setting it up ---

/// Stores one connection of a port, of the streaming tree or the other one. `room` and `mtu` are the device's and the trees', and are not looked at.
enum tree_error tree_control_store_end(const struct tree_bus *bus, unsigned port, bool streaming,
                                       const struct rc_end_config *end);
/// Writes what a node is beside its connections: trees[0] is its low-latency tree, trees[1] the streaming one. Times are rounded up to
/// microseconds; lock cells are the device's. Returns the first error of a group that was stored.
enum tree_error tree_control_store_trees(const struct tree_bus *bus, const struct tree_node_config *node);
enum tree_error tree_control_open(const struct tree_bus *bus);
enum tree_error tree_control_close(const struct tree_bus *bus);
/// While the trees are open: a group is made, is another, or, with NULL, is no more. Waits until it has taken effect or is refused.
enum tree_error tree_control_change_group(const struct tree_bus *bus, unsigned index, const struct group_of_node *group);
/// While they are open: the streaming tree, which was torn down alone, begins once more, with the connections that were stored since. Waits as that.
enum tree_error tree_control_open_streaming(const struct tree_bus *bus);
/// All of it: stores the connections of each neighbour, then trees and groups, and opens them. The trees must be closed.
enum tree_error tree_control_set_up(const struct tree_bus *bus, const struct tree_node_config *node);

// --- asking it ---

/// A connection. `idle`: all that is to leave is acknowledged.
struct tree_control_end {
  bool idle;
  enum rc_fault fault;
};
struct tree_control_end tree_control_end(const struct tree_bus *bus, unsigned port, bool streaming);
/// A lock cell, 0 to TREE_CONTROL_CELLS - 1. The number of its request is not told.
struct tree_lock tree_control_cell(const struct tree_bus *bus, unsigned cell);

/// COUNTER_SELECT.scope, and its counters.
enum tree_scope { TREE_OF_PORT, TREE_OF_LOW, TREE_OF_STREAMING, TREE_OF_TREES };
enum tree_port_counter {
  TREE_PORT_RX,
  TREE_PORT_IN_ERROR,
  TREE_PORT_BAD_ICRC,
  TREE_PORT_STRAY,
  TREE_PORT_SENT,
  TREE_PORT_CASTS,
  TREE_PORT_UNSENT,     ///< of these, as its link is down or a memory has lost something
  TREE_PORT_CASTS_IN,   ///< received: multicasts of the parent
  TREE_PORT_COUNTERS
};
enum tree_conn_counter {
  TREE_CONN_SENT,
  TREE_CONN_REPEATED,
  TREE_CONN_LIMITED,
  TREE_CONN_ACKNOWLEDGED,
  TREE_CONN_SEQUENCE_NAKS,
  TREE_CONN_RNR_NAKS,
  TREE_CONN_TIMEOUTS,
  TREE_CONN_ACKS_IN,
  TREE_CONN_ACKS_OUT,
  TREE_CONN_TAKEN,
  TREE_CONN_DUPLICATE,
  TREE_CONN_GAP,
  TREE_CONN_NO_ROOM,
  TREE_CONN_IMPOSSIBLE,
  TREE_CONN_CLOSED,
  TREE_CONN_COUNTERS
};
enum tree_pair_counter {
  TREE_PAIR_LOW_REFUSED,
  TREE_PAIR_LOW_DONE,
  TREE_PAIR_LOW_FAILED,
  TREE_PAIR_LOCKED,
  TREE_PAIR_LOCK_FAILED,
  TREE_PAIR_UNLOCKED,   ///< but for those that were counted down
  TREE_PAIR_TEARDOWNS,
  TREE_PAIR_STREAM_REFUSED,
  TREE_PAIR_STREAM_PACKETS,
  TREE_PAIR_STREAM_DONE,
  TREE_PAIR_CORRECTED,     ///< cycles with reads of memories in which flipped bits were corrected
  TREE_PAIR_LOST,          ///< and in which they were not
  TREE_PAIR_CASTS_TAKEN,   ///< answers that were taken from the parent's multicasts
  TREE_PAIR_COUNTERS
};
/// A counter of the device; `port` counts but for TREE_OF_TREES. It wraps.
uint32_t tree_control_counter(const struct tree_bus *bus, enum tree_scope scope, unsigned port, unsigned which);
/// True if all that came in at a port has one fate, and all that left is packets, multicasts and ACKs: with nothing on its way through the device.
bool tree_control_adds_up(const struct tree_bus *bus, unsigned port);

#endif
