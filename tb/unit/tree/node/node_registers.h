/// A tree node that is a device: set up and asked by its registers (rtl/csr/tree_csr.rdl), one word at a time over AXI4-Lite, while the
/// clock of its bench runs. All asserts are cmocka's.
#ifndef WEIR_UNIT_NODE_REGISTERS_H
#define WEIR_UNIT_NODE_REGISTERS_H

#include <stddef.h>

#include "rtl/csr/tree_csr.h"
#include "unit/tree/node/node_bench.h"

#define NODE_REG(name) ((unsigned)offsetof(tree_csr_t, name))

uint32_t node_read(struct node_bench *b, unsigned address);
void node_write(struct node_bench *b, unsigned address, uint32_t data);
/// Stores both connections of a port: of the low-latency tree, then of the streaming one.
void node_store_ends(struct node_bench *b, unsigned port, const struct rc_end_config g[2]);
/// Writes what the bench says of trees and groups.
void node_store_trees(struct node_bench *b);
/// Writes TREE_COMMAND. Returns its error.
unsigned node_command(struct node_bench *b, uint32_t command);
/// A counter; `scope` as in COUNTER_SELECT.
uint32_t node_counter(struct node_bench *b, unsigned scope, unsigned port, unsigned which);

enum { NODE_OF_PORT, NODE_OF_LOW, NODE_OF_SAT, NODE_OF_TREES };
enum { NODE_TO_OPEN = 1, NODE_TO_CLOSE = 2 };

#endif
