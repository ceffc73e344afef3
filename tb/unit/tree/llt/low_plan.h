/// Random groups and operations of a low-latency tree, for its tests. All asserts are cmocka's.
#ifndef WEIR_UNIT_LOW_PLAN_H
#define WEIR_UNIT_LOW_PLAN_H

#include "unit/tree/llt/low_bench.h"

/// An operation of a group (index), as each child has it.
struct low_plan {
  unsigned group;
  uint64_t children;
  struct tree_header from[PAIR_PORTS];
};

/// Opens a tree of a random kind.
void low_plan_open(struct low_bench *b);
/// Any operation, or with `operation` below TREE_OPERATIONS that one.
struct low_plan low_plan_draw(const struct low_bench *b, unsigned group, uint32_t sequence, unsigned operation);
/// All children but these send it, in any order.
void low_plan_send(struct low_bench *b, const struct low_plan *plan, uint64_t but);
/// A port sends what is refused, or thrown away.
void low_nonsense(struct low_bench *b, unsigned port);

#endif
