/// Random groups and operations of a streaming tree, for its tests. All asserts are cmocka's.
#ifndef WEIR_UNIT_STREAM_PLAN_H
#define WEIR_UNIT_STREAM_PLAN_H

#include "unit/tree/sat/stream_bench.h"

/// An operation of a group (index), as each child has it.
struct plan {
  unsigned group;
  uint64_t children;
  struct tree_header from[PAIR_PORTS];
};

/// Opens a tree of a random kind.
void plan_open(struct stream_bench *b);
struct plan plan_draw(const struct stream_bench *b, unsigned group, uint32_t sequence);
/// All children send it, in any order.
void plan_send(struct stream_bench *b, const struct plan *plan);
/// A child sends what is refused, or thrown away.
void plan_nonsense(struct stream_bench *b, unsigned port);

#endif
