// A tree node, frame to frame: hosts that are the model's, and a node of the model above, take locks, stream, reduce short vectors and wait for each other,
// over cables that lose frames; groups compete; a host dies; and what an operation takes.
// DUT: weir_tree_node -GNumPorts=4 -GQueueRoom=64 -GSendRoom=64 -GMaxRows=16
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/tree/node/node_ops.h"
#include "unit/tree/node/node_registers.h"
#include "wire/roce.h"

enum { ROUNDS = 6, DEAD = 3 };

static struct node_bench *b;

static unsigned below(unsigned n) { return (unsigned)rand() % n; }
static uint64_t bit(unsigned port) { return UINT64_C(1) << port; }

static struct tree_control_state trees(void) {
  const struct tree_bus bus = node_bus(b);
  return tree_control_state(&bus);
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
      assert_int_equal(node_run(b, group, TREE_LOCK, false, 0, count).verdict, TREE_OK);
      for (unsigned k = 0; k < count; k++) {
        struct node_op one, other;
        node_begin(b, &one, group, TREE_ALL_REDUCE, true, node_any_type(), 4 * (1 + below(1500)), 0);
        node_begin(b, &other, !group, TREE_ALL_REDUCE, false, node_any_type(), 4 * (1 + below(256)), 0);
        assert_int_equal(node_end(b, &other).verdict, TREE_OK);
        assert_int_equal(node_end(b, &one).verdict, TREE_OK);
      }
      assert_int_equal(node_cells(b), 0);
      assert_int_equal(node_run(b, group, TREE_BARRIER, false, 0, 0).verdict, TREE_OK);
      assert_int_equal(node_run(b, !group, TREE_ALL_REDUCE, false, 1024, 0).verdict, TREE_OK);
    }
    assert_false(trees().low_down || trees().streaming_down);
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
    assert_int_equal(node_run(b, 0, TREE_LOCK, false, 0, 0).verdict, TREE_OK);
    const struct tree_header h = node_run(b, 1, TREE_LOCK, false, 0, 3);
    assert_int_equal(h.verdict, TREE_LOCK_FAILED);
    assert_int_equal(h.node, NODE_ID);
    assert_int_equal(h.holder_tree, NODE_SAT);
    assert_int_equal(h.holder_group, 7);
    assert_int_equal(h.count, TREE_UNLIMITED);
    assert_int_equal(node_run(b, 1, TREE_UNLOCK, false, 0, 0).verdict, TREE_DENIED);
    assert_int_equal(node_run(b, 1, TREE_ALL_REDUCE, true, 400, 0).verdict, TREE_DENIED);
    for (unsigned i = 0; i < 3; i++) assert_int_equal(node_run(b, 0, TREE_ALL_REDUCE, true, 4000, 0).verdict, TREE_OK);
    assert_int_equal(node_cells(b), 1);
    assert_int_equal(node_run(b, 0, TREE_UNLOCK, false, 0, 0).verdict, TREE_OK);
    assert_int_equal(node_cells(b), 0);
    assert_int_equal(node_run(b, 1, TREE_LOCK, false, 0, 1).verdict, TREE_OK);
    assert_int_equal(node_run(b, 1, TREE_ALL_REDUCE, true, 4000, 0).verdict, TREE_OK);
    assert_int_equal(node_cells(b), 0);
    assert_int_equal(node_run(b, 1, TREE_ALL_REDUCE, true, 4000, 0).verdict, TREE_DENIED);
  }
}

/// Contributes, and then takes nothing any more. The others' operation ends with this verdict.
static struct tree_header run_without(unsigned dead, bool streams, uint32_t length) {
  struct node_op o;
  node_begin(b, &o, 0, TREE_ALL_REDUCE, streams, node_any_type(), length, 0);
  for (unsigned i = 0; i < 600; i++) node_tick(b);
  b->at[dead].silent = true;
  o.members &= ~bit(dead);
  free(o.input[dead]);
  free(o.output[dead]);
  return node_end(b, &o);
}

static void dies_behind_its_contribution(struct node_bench *bench) {
  if (bench->cables.at[DEAD].came > 0) bench->at[DEAD].silent = true;
}

/// A host dies: all others hear that its node lost it, the lock is free, and trees that are opened anew are right.
static void dies(void **state) {
  (void)state;
  for (unsigned low = 0; low < 2; low++) {
    b->timeout = 20;
    open_two(0, 1024, 0);
    assert_true(b->members[0] >> DEAD & 1);
    assert_int_equal(node_run(b, 0, TREE_LOCK, false, 0, 0).verdict, TREE_OK);
    if (!low) {   // in the middle of a stream
      const struct tree_header h = run_without(DEAD, true, 100000);
      assert_int_equal(h.verdict, TREE_LOST);
      assert_int_equal(h.node, NODE_ID);
      assert_int_equal(h.port, DEAD + 1);
      // The low-latency tree is still there, and short operations of those who live.
      assert_false(trees().low_down);
      assert_int_equal(node_run(b, 1, TREE_ALL_REDUCE, false, 64, 0).verdict, TREE_OK);
      assert_int_equal(node_run(b, 1, TREE_LOCK, false, 0, 1).verdict, TREE_NO_TREE);
    } else {   // its answer is not acknowledged
      assert_int_equal(b->members[1], bit(2));
      struct node_op o;
      b->cables.at[DEAD].came = 0;
      b->each = dies_behind_its_contribution;
      node_begin(b, &o, 0, TREE_ALL_REDUCE, false, node_any_type(), 64, 0);
      for (unsigned i = 0; !trees().low_down; i++) {
        assert_true(i < 400000);
        node_tick(b);
      }
      o.members &= ~bit(DEAD);
      free(o.input[DEAD]);
      free(o.output[DEAD]);
      node_end(b, &o);
      for (unsigned i = 0; i < 2000; i++) node_tick(b);
      const struct tree_header h = node_run(b, 1, TREE_BARRIER, false, 0, 0);
      assert_int_equal(h.verdict, TREE_NO_TREE);
    }
    assert_true(trees().streaming_down);
    assert_int_equal(node_cells(b), 0);
    b->timeout = 100;
    b->each = NULL;
    open_two(0, 1024, 0);
    assert_int_equal(node_run(b, 0, TREE_ALL_REDUCE, false, 64, 0).verdict, TREE_OK);
    assert_int_equal(node_run(b, 1, TREE_LOCK, false, 0, 1).verdict, TREE_OK);
  }
}

/// Cycles that an operation of a host behind each port takes in an idle node: from the last beat of the last child's frame to the first one of the
/// answer. Of no bytes: a barrier.
static unsigned through(bool streams, uint8_t type, uint32_t length) {
  const uint64_t members[NODE_GROUPS] = {bit(b->ports) - 1, 0};
  node_open(b, b->ports, members, 1024, 0);
  if (streams) assert_int_equal(node_run(b, 0, TREE_LOCK, false, 0, 1).verdict, TREE_OK);
  struct node_op o;
  node_begin(b, &o, 0, length ? TREE_ALL_REDUCE : TREE_BARRIER, streams, type, length, 0);
  assert_int_equal(node_end(b, &o).verdict, TREE_OK);
  uint64_t came = 0;
  for (unsigned p = 0; p < b->ports; p++)
    if (b->cables.at[p].came > came) came = b->cables.at[p].came;
  assert_true(b->cables.at[0].left > came);
  const unsigned cycles = (unsigned)(b->cables.at[0].left - came);
  print_message("%s, %u bytes, type %u: %u cycles through the node\n", streams ? "streaming" : "low latency", length, type,
                cycles);
  return cycles;
}

static void latency(void **state) {
  (void)state;
  static const uint32_t lengths[] = {0, 64, 64, 1024, 1024};
  for (unsigned i = 0; i < 5; i++) {
    const unsigned cycles = through(false, i % 2 ? INA_FP32 : INA_FP16, lengths[i]);
    assert_true(lengths[i] > 64 || cycles <= 100);
  }
  // A packet of a row, and one of sixteen, which leaves once it is whole.
  const unsigned row = through(true, INA_FP32, 64 - TREE_BYTES);
  assert_true(row <= 64);
  assert_int_equal(through(true, INA_FP32, 1024 - TREE_BYTES), row + 15);
}

/// The trees are closed at any time while a vector streams, and opened anew: nothing of before is claimed or read, and all is right again.
static void closed_meanwhile(void **state) {
  (void)state;
  for (unsigned round = 0; round < 40; round++) {
    open_two(b->ports, 256u << below(3), 0);
    assert_int_equal(node_run(b, 0, TREE_LOCK, false, 0, 1).verdict, TREE_OK);
    struct node_op o;
    node_begin(b, &o, 0, TREE_ALL_REDUCE, true, node_any_type(), 60000, 0);
    if (round == 39) assert_int_equal(node_end(b, &o).verdict, TREE_OK);
    if (round == 39) return;
    for (unsigned i = 100 + below(800); i > 0; i--) node_tick(b);
    for (unsigned m = 0; m <= b->ports; m++) {
      free(o.input[m]);
      free(o.output[m]);
    }
    free(o.due);
  }
}

#define CASE(name) cmocka_unit_test_prestate_setup_teardown(name, node_setup, node_teardown, &b)

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {
      CASE(operations), CASE(competes), CASE(dies), CASE(latency), CASE(closed_meanwhile),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
