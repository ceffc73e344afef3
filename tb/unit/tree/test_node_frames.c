// A tree node, frame to frame: hosts that are the model's, and a node of the model above, take locks, stream, reduce short vectors and wait for each other,
// over cables that lose frames; groups compete; a host dies; and what an operation takes.
// DUT: tree_node -GNumPorts=4 -GQueueRoom=64 -GSendRoom=64 -GMaxRows=16
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "unit/tree/node_bench.h"
#include "wire/reduce.h"
#include "wire/roce.h"

enum { ROUNDS = 6 };

static struct node_bench *b;

static unsigned below(unsigned n) { return (unsigned)rand() % n; }
static uint64_t bit(unsigned port) { return UINT64_C(1) << port; }

/// An operation of a group, with what its hosts have and get.
struct operation {
  uint64_t members;
  struct tree_host_order order;
  uint8_t *input[NODE_PORTS + 1], *output[NODE_PORTS + 1], *due;
};

/// What comes out: the device's children, and, if the group goes on above, the sum with the host there.
static void expect(struct operation *o) {
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

static uint8_t any_type(void) {
  static const uint8_t types[] = {INA_FP32, INA_FP16, INA_BF16, INA_INT32};
  return (uint8_t)(types[below(4)] | below(3) << 4);
}

static void begin(struct operation *o, unsigned group, enum tree_operation operation, bool streams, uint8_t type, uint32_t length,
                  uint32_t count) {
  *o = (struct operation){.members = b->members[group],
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
  if (length > 0) expect(o);
}

/// All of its hosts have heard the same, and have the same. Returns what.
static struct tree_header end(struct operation *o) {
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

static struct tree_header run(unsigned group, enum tree_operation operation, bool streams, uint32_t length, uint32_t count) {
  struct operation o;
  begin(&o, group, operation, streams, any_type(), length, count);
  return end(&o);
}

/// Two groups of two hosts each; with a parent the first one has a third host above.
static void open_two(unsigned parent, unsigned mtu, unsigned loss) {
  uint64_t members[NODE_GROUPS] = {0};
  for (unsigned p = 0, k = 0; p < b->ports; p++)
    if (p != parent) members[k++ % 2] |= bit(p);
  if (parent < b->ports) members[0] |= bit(b->ports);
  node_open(b, parent, members, mtu, loss);
}

/// What a group does in turn; the other one's short operations come in between.
static void operations(void **state) {
  (void)state;
  for (unsigned round = 0; round < ROUNDS; round++) {
    open_two(round % 2 ? b->ports : below(b->ports), 256u << below(3), round < 2 ? 0 : 10);
    for (unsigned i = 0; i < 2; i++) {
      const unsigned group = below(2), count = 1 + below(2);
      assert_int_equal(run(group, TREE_LOCK, false, 0, count).verdict, TREE_OK);
      for (unsigned k = 0; k < count; k++) {
        struct operation one, other;
        begin(&one, group, TREE_ALL_REDUCE, true, any_type(), 4 * (1 + below(1500)), 0);
        begin(&other, !group, TREE_ALL_REDUCE, false, any_type(), 4 * (1 + below(256)), 0);
        assert_int_equal(end(&other).verdict, TREE_OK);
        assert_int_equal(end(&one).verdict, TREE_OK);
      }
      assert_int_equal(node_cells(b), 0);
      assert_int_equal(run(group, TREE_BARRIER, false, 0, 0).verdict, TREE_OK);
      assert_int_equal(run(!group, TREE_ALL_REDUCE, false, 1024, 0).verdict, TREE_OK);
    }
    assert_int_equal(dut_get(b->d, "low_down_o") | dut_get(b->d, "sat_down_o"), 0);
    for (unsigned i = 0; !node_idle(b); i++) {
      assert_true(i < 400000);
      node_tick(b);
    }
  }
}

/// Who has the lock keeps the other one out, who is told by whom; without end it is given back, by its owner alone. Who has none does not stream.
static void competes(void **state) {
  (void)state;
  for (unsigned parent = 0; parent <= b->ports; parent += b->ports) {
    open_two(parent, 1024, 0);
    assert_int_equal(run(0, TREE_LOCK, false, 0, 0).verdict, TREE_OK);
    const struct tree_header h = run(1, TREE_LOCK, false, 0, 3);
    assert_int_equal(h.verdict, TREE_LOCK_FAILED);
    assert_int_equal(h.node, NODE_ID);
    assert_int_equal(h.holder_tree, NODE_SAT);
    assert_int_equal(h.holder_group, 7);
    assert_int_equal(h.count, TREE_UNLIMITED);
    assert_int_equal(run(1, TREE_UNLOCK, false, 0, 0).verdict, TREE_DENIED);
    assert_int_equal(run(1, TREE_ALL_REDUCE, true, 400, 0).verdict, TREE_DENIED);
    for (unsigned i = 0; i < 3; i++) assert_int_equal(run(0, TREE_ALL_REDUCE, true, 4000, 0).verdict, TREE_OK);
    assert_int_equal(node_cells(b), 1);
    assert_int_equal(run(0, TREE_UNLOCK, false, 0, 0).verdict, TREE_OK);
    assert_int_equal(node_cells(b), 0);
    assert_int_equal(run(1, TREE_LOCK, false, 0, 1).verdict, TREE_OK);
    assert_int_equal(run(1, TREE_ALL_REDUCE, true, 4000, 0).verdict, TREE_OK);
    assert_int_equal(node_cells(b), 0);
    assert_int_equal(run(1, TREE_ALL_REDUCE, true, 4000, 0).verdict, TREE_DENIED);
  }
}

/// Contributes, and then takes nothing any more. The others' operation ends with this verdict.
static struct tree_header run_without(unsigned dead, bool streams, uint32_t length) {
  struct operation o;
  begin(&o, 0, TREE_ALL_REDUCE, streams, any_type(), length, 0);
  for (unsigned i = 0; i < 600; i++) node_tick(b);
  b->at[dead].silent = true;
  o.members &= ~bit(dead);
  free(o.input[dead]);
  free(o.output[dead]);
  return end(&o);
}

/// A host dies: all others hear that its node lost it, the lock is free, and trees that are opened anew are right.
static void dies(void **state) {
  (void)state;
  const unsigned dead = 3;
  for (unsigned low = 0; low < 2; low++) {
    b->timeout = 20;
    open_two(0, 1024, 0);
    assert_true(b->members[0] >> dead & 1);
    assert_int_equal(run(0, TREE_LOCK, false, 0, 0).verdict, TREE_OK);
    if (!low) {   // in the middle of a stream
      const struct tree_header h = run_without(dead, true, 100000);
      assert_int_equal(h.verdict, TREE_LOST);
      assert_int_equal(h.node, NODE_ID);
      assert_int_equal(h.port, dead + 1);
      // The low-latency tree is still there, and short operations of those who live.
      assert_int_equal(dut_get(b->d, "low_down_o"), 0);
      assert_int_equal(run(1, TREE_ALL_REDUCE, false, 64, 0).verdict, TREE_OK);
      assert_int_equal(run(1, TREE_LOCK, false, 0, 1).verdict, TREE_NO_TREE);
    } else {   // its answer is not acknowledged
      assert_int_equal(b->members[1], bit(2));
      struct operation o;
      begin(&o, 0, TREE_ALL_REDUCE, false, any_type(), 64, 0);
      b->at[dead].silent = true;
      for (unsigned i = 0; !dut_get(b->d, "low_down_o"); i++) {
        assert_true(i < 400000);
        node_tick(b);
      }
      o.members &= ~bit(dead);
      free(o.input[dead]);
      free(o.output[dead]);
      end(&o);
      for (unsigned i = 0; i < 2000; i++) node_tick(b);
      const struct tree_header h = run(1, TREE_BARRIER, false, 0, 0);
      assert_int_equal(h.verdict, TREE_NO_TREE);
    }
    assert_int_equal(dut_get(b->d, "sat_down_o"), 1);
    assert_int_equal(node_cells(b), 0);
    b->timeout = 100;
    open_two(0, 1024, 0);
    assert_int_equal(run(0, TREE_ALL_REDUCE, false, 64, 0).verdict, TREE_OK);
    assert_int_equal(run(1, TREE_LOCK, false, 0, 1).verdict, TREE_OK);
  }
}

/// From the last beat of the last child's frame to the first one of the answer.
static void latency(void **state) {
  (void)state;
  static const uint32_t lengths[] = {0, 64, 64, 1024, 1024};
  for (unsigned i = 0; i < 5; i++) {
    const uint64_t members[NODE_GROUPS] = {bit(b->ports) - 1, 0};
    node_open(b, b->ports, members, 1024, 0);
    struct operation o;
    begin(&o, 0, lengths[i] ? TREE_ALL_REDUCE : TREE_BARRIER, false, i % 2 ? INA_FP32 : INA_FP16, lengths[i], 0);
    end(&o);
    uint64_t came = 0;
    for (unsigned p = 0; p < b->ports; p++)
      if (b->at[p].came > came) came = b->at[p].came;
    print_message("%u bytes, type %u: %d cycles through the node\n", lengths[i], i % 2 ? INA_FP32 : INA_FP16,
                  (int)(b->at[0].left - came));
    assert_true(b->at[0].left > came && (lengths[i] > 64 || b->at[0].left - came <= 100));
  }
}

static int open(void **state) {
  (void)state;
  b = node_new();
  return 0;
}

static int close(void **state) {
  (void)state;
  node_free(b);
  return 0;
}

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(operations, open, close),
      cmocka_unit_test_setup_teardown(competes, open, close),
      cmocka_unit_test_setup_teardown(dies, open, close),
      cmocka_unit_test_setup_teardown(latency, open, close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
