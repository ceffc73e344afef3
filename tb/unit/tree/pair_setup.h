/// A pair of trees as a node has it, for tests of either engine: drawn, told to the device, and made of the model. All asserts are cmocka's.
#ifndef WEIR_UNIT_TREE_PAIR_SETUP_H
#define WEIR_UNIT_TREE_PAIR_SETUP_H

#include "drive/dut.h"
#include "model/tree/tree_state.h"

enum {
  PAIR_PORTS = 16,
  PAIR_GROUPS = 4,
  PAIR_LOW = 1,
  PAIR_SAT = 2,
  PAIR_NODE = 0x1234,
  PAIR_PATIENCE = 40,
  PAIR_PATIENCE_UP = 90
};

struct pair_setup {
  unsigned ports, parent;   ///< port, or TREE_NO_PORT
  unsigned mtu;
  uint64_t children;
  struct group_of_node groups[PAIR_GROUPS];
  unsigned group_count;
  unsigned patience, patience_up;   ///< microseconds
};

/// Packets that an end keeps until they are acknowledged, and that it has room for.
struct pair_room {
  unsigned out, in;
};

/// 0 to n - 1.
unsigned pair_below(unsigned n);
/// Some of these ports, at least one.
uint64_t pair_some(unsigned ports, uint64_t of);
/// A node of any kind, with one of these MTUs.
struct pair_setup pair_draw(unsigned ports, const unsigned *mtus, unsigned count);
/// Sets cfg_i, of the streaming tree `tree` of node `node`; what has no meaning is anything.
void pair_config(struct dut *d, const struct pair_setup *s, uint16_t tree, uint16_t node);

/// The end of a connection at a port, or its other side: of PAIR_LOW (0) or PAIR_SAT (1).
struct rc_end_config pair_end(const struct pair_setup *s, unsigned port, bool of_node, unsigned tree, struct pair_room room);
/// The model's node. The caller frees it.
struct tree_node *pair_node(const struct pair_setup *s, struct pair_room room, uint64_t patience_ps, uint64_t patience_up_ps);
/// Other sides of all connections of one of its trees, NULL where no neighbour is. The caller frees them.
void pair_peers(const struct pair_setup *s, unsigned tree, struct pair_room room, struct rc_end *peers[PAIR_PORTS]);

/// Who of a group's children alone has a vector, or wants one: a port, or TREE_NO_PORT, which is above this node.
unsigned pair_one(const struct pair_setup *s, unsigned group);
/// What each port contributes to the operation of `h`: flags as it asks for, and whatever nobody looks at. `count` is a lock's.
void pair_contributions(unsigned ports, struct tree_header h, unsigned one, uint32_t count, struct tree_header from[PAIR_PORTS]);

#endif
