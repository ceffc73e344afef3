/// A tree node that is a device: set up and asked by its registers (rtl/csr/tree_csr.rdl), one word at a time over AXI4-Lite, while the
/// clock of its bench runs. All asserts are cmocka's.
#ifndef WEIR_UNIT_NODE_REGISTERS_H
#define WEIR_UNIT_NODE_REGISTERS_H

#include "drive/tree/tree_control.h"
#include "unit/tree/node/node_bench.h"

uint32_t node_read(struct node_bench *b, unsigned address);
void node_write(struct node_bench *b, unsigned address, uint32_t data);
/// The same, for tree_control.
struct tree_bus node_bus(struct node_bench *b);
/// Stores both connections of a port: of the low-latency tree, then of the streaming one.
void node_store_ends(struct node_bench *b, unsigned port, const struct rc_end_config g[2]);
/// What the bench says of trees and groups; places of groups that are not there have no children. Not to be copied.
struct node_wired {
  struct tree_node_config config;
  struct tree_of_node trees[2];
  struct group_of_node groups[TREE_CONTROL_GROUPS];
};
void node_wire(const struct node_bench *b, struct node_wired *w);
/// Writes it.
void node_store_trees(struct node_bench *b);
#endif
