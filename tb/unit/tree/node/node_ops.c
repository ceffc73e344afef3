#include "unit/tree/node/node_ops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/memory.h"
#include "wire/reduce.h"

static unsigned below(unsigned n) { return (unsigned)rand() % n; }

/// What comes out: the device's children, and, if the group goes on above, the sum with the host there.
static void expect(const struct node_bench *b, struct node_op *o) {
  const uint8_t *rows[NODE_PORTS] = {NULL};
  const uint32_t length = o->order.length;
  uint8_t *sum = need(malloc(length + 1));
  for (unsigned p = 0; p < b->ports; p++)
    if (o->members >> p & 1) rows[p] = o->input[p];
  assert_int_equal(half_rings_reduce(o->order.type, rows, b->ports, length, sum), 0);
  o->due = need(malloc(length + 1));
  const uint8_t *both[2] = {sum, o->members >> b->ports & 1 ? o->input[b->ports] : NULL};
  assert_int_equal(half_rings_reduce(o->order.type, both, 2, length, o->due), 0);
  free(sum);
}

uint8_t node_any_type(void) {
  static const uint8_t types[] = {INA_FP32, INA_FP16, INA_BF16, INA_INT32};
  return (uint8_t)(types[below(4)] | below(3) << 4);
}

void node_begin(struct node_bench *b, struct node_op *o, unsigned group, enum tree_operation operation, bool streams,
                uint8_t type, uint32_t length, uint32_t count) {
  *o = (struct node_op){.members = b->members[group],
                        .order = {.operation = operation, .streams = streams, .type = type, .length = length, .count = count}};
  for (unsigned m = 0; m <= b->ports; m++) {
    if ((o->members >> m & 1) == 0) continue;
    if (length > 0) {
      o->input[m] = need(malloc(length));
      o->output[m] = need(malloc(length));
      for (uint32_t i = 0; i < length; i++) o->input[m][i] = (uint8_t)(rand() >> 7);
    }
    o->order.input = o->input[m];
    o->order.output = o->output[m];
    tree_host_begin(node_host(b, m), node_now(b), &o->order);
    for (unsigned i = below(100); i > 0; i--) node_tick(b);
  }
  if (length > 0) expect(b, o);
}

struct tree_header node_end(struct node_bench *b, struct node_op *o) {
  struct tree_header first = {.kind = TREE_UP};
  node_await(b, o->members);
  for (unsigned m = 0; m <= b->ports; m++) {
    if ((o->members >> m & 1) == 0) continue;
    const struct tree_header *h = tree_host_answer(node_host(b, m));
    if (first.kind == TREE_UP) first = *h;
    assert_int_equal(h->verdict, first.verdict);
    assert_int_equal(h->node, first.node);
    assert_int_equal(h->holder_group, first.holder_group);
    assert_int_equal(h->count, first.count);
    if (h->verdict == TREE_OK && o->order.length > 0) assert_memory_equal(o->output[m], o->due, o->order.length);
    free(o->input[m]);
    free(o->output[m]);
  }
  free(o->due);
  return first;
}

struct tree_header node_run(struct node_bench *b, unsigned group, enum tree_operation operation, bool streams, uint32_t length,
                            uint32_t count) {
  struct node_op o;
  node_begin(b, &o, group, operation, streams, node_any_type(), length, count);
  return node_end(b, &o);
}
