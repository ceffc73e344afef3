/// Operations of the hosts around a tree node, each with its vectors, and what comes out. All asserts are cmocka's.
#ifndef WEIR_UNIT_NODE_OPS_H
#define WEIR_UNIT_NODE_OPS_H

#include "unit/tree/node/node_bench.h"

/// An operation of a group, with what its hosts have and get.
struct node_op {
  uint64_t members;
  struct tree_host_order order;
  uint8_t *input[NODE_PORTS + 1], *output[NODE_PORTS + 1], *due;
};

/// A type of elements and what is done to them.
uint8_t node_any_type(void);
/// Its hosts begin, one after the other. Ends with node_end.
void node_begin(struct node_bench *b, struct node_op *o, unsigned group, enum tree_operation operation, bool streams,
                uint8_t type, uint32_t length, uint32_t count);
/// All of its hosts have heard the same, and have the same. Returns what.
struct tree_header node_end(struct node_bench *b, struct node_op *o);
/// Both, with any type.
struct tree_header node_run(struct node_bench *b, unsigned group, enum tree_operation operation, bool streams, uint32_t length,
                            uint32_t count);

#endif
