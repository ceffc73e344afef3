// While others run: groups of a device are made and destroyed by registers, and a streaming tree that was torn down begins once more. What is under way ends
// right; what would lose an operation or leave a lock behind is refused. The golden model changes in lock step, and says the same of each.
// DUT: weir_tree_node -GNumPorts=4 -GQueueRoom=64 -GSendRoom=64 -GMaxRows=16
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unit/tree/node/node_ops.h"
#include "unit/tree/node/node_registers.h"

static struct node_bench *b;

static uint64_t bit(unsigned port) { return UINT64_C(1) << port; }

static void ticks(unsigned cycles) {
  for (unsigned i = 0; i < cycles; i++) node_tick(b);
}

/// Both groups have two hosts: numbers 7, of ports 0 and 1, and 8, of ports 2 and 3.
static void open_two(unsigned loss) {
  const uint64_t members[NODE_GROUPS] = {bit(0) | bit(1), bit(2) | bit(3)};
  node_open(b, b->ports, members, 1024, loss);
}

static enum tree_error make(unsigned index, uint16_t id, uint64_t children) {
  const struct tree_bus bus = node_bus(b);
  const struct group_of_node group = {.id = id, .children = children};
  tree_twin_change_group(b->twin, index, &group);
  return tree_control_change_group(&bus, index, &group);
}

static enum tree_error destroy(unsigned index) {
  const struct tree_bus bus = node_bus(b);
  tree_twin_change_group(b->twin, index, NULL);
  return tree_control_change_group(&bus, index, NULL);
}

static enum tree_error stream(void) {
  const struct tree_bus bus = node_bus(b);
  tree_twin_reopen(b->twin, b->ends[1]);
  return tree_control_open_streaming(&bus);
}

static void begin(unsigned port, enum tree_operation operation) {
  tree_host_begin(node_host(b, port), node_now(b), &(struct tree_host_order){.operation = operation});
}

/// Group 7 streams while group 8 goes, comes back at another place, and goes on.
static void others_stream(void **state) {
  (void)state;
  for (unsigned loss = 0; loss <= 20; loss += 20) {
    open_two(loss);
    struct node_op o;
    assert_int_equal(node_run(b, 0, TREE_LOCK, false, 0, 0).verdict, TREE_OK);
    assert_int_equal(node_run(b, 1, TREE_BARRIER, false, 0, 0).verdict, TREE_OK);
    node_begin(b, &o, 0, TREE_ALL_REDUCE, true, node_any_type(), 600000, 0);
    ticks(200);
    assert_int_equal(destroy(1), TREE_ERROR_NONE);
    for (unsigned p = 2; p < 4; p++) begin(p, TREE_BARRIER);   // of a group that is no more
    node_await(b, bit(2) | bit(3));
    for (unsigned p = 2; p < 4; p++) assert_int_equal(tree_host_answer(node_host(b, p))->verdict, TREE_DENIED);
    assert_int_equal(destroy(0), TREE_ERROR_BUSY);
    assert_int_equal(make(0, 9, bit(0) | bit(1)), TREE_ERROR_BUSY);
    assert_int_equal(make(3, 7, bit(2) | bit(3)), TREE_ERROR_GROUP);   // there is such a group
    assert_int_equal(make(3, 8, bit(2) | bit(5)), TREE_ERROR_GROUP);   // there is no such child
    assert_int_equal(make(3, 8, 0), TREE_ERROR_GROUP);
    assert_int_equal(make(4, 8, bit(2) | bit(3)), TREE_ERROR_NOT_THERE);
    assert_int_equal(make(3, 8, bit(2) | bit(3)), TREE_ERROR_NONE);
    assert_int_equal(node_run(b, 1, TREE_ALL_REDUCE, false, 256, 0).verdict, TREE_OK);
    assert_false(tree_host_done(node_host(b, 0)));   // it streams still
    assert_int_equal(node_end(b, &o).verdict, TREE_OK);
    assert_int_equal(node_cells(b), 1);
    node_compared(b);
  }
}

/// A group that waits for somebody, or holds a lock, stays; then another one takes its place, and its numbers begin anew.
static void busy(void **state) {
  (void)state;
  open_two(0);
  for (unsigned i = 0; i < 5; i++) assert_int_equal(node_run(b, 0, TREE_ALL_REDUCE, false, 64, 0).verdict, TREE_OK);
  begin(0, TREE_BARRIER);
  ticks(2000);
  assert_int_equal(destroy(0), TREE_ERROR_BUSY);
  begin(1, TREE_BARRIER);
  node_await(b, bit(0) | bit(1));
  assert_int_equal(tree_host_answer(node_host(b, 0))->verdict, TREE_OK);
  assert_int_equal(node_run(b, 0, TREE_LOCK, false, 0, 2).verdict, TREE_OK);
  assert_int_equal(destroy(0), TREE_ERROR_BUSY);
  assert_int_equal(node_run(b, 0, TREE_ALL_REDUCE, true, 3000, 0).verdict, TREE_OK);
  assert_int_equal(destroy(0), TREE_ERROR_BUSY);
  assert_int_equal(node_run(b, 0, TREE_UNLOCK, false, 0, 0).verdict, TREE_OK);
  assert_int_equal(destroy(0), TREE_ERROR_NONE);
  assert_int_equal(destroy(1), TREE_ERROR_NONE);
  // Its first number is lower than the last one of who was here before.
  assert_int_equal(make(0, 8, bit(2) | bit(3)), TREE_ERROR_NONE);
  assert_int_equal(node_run(b, 1, TREE_ALL_REDUCE, false, 1024, 0).verdict, TREE_OK);
  assert_int_equal(make(2, 7, bit(0) | bit(1)), TREE_ERROR_NONE);
  assert_int_equal(node_run(b, 0, TREE_LOCK, false, 0, 1).verdict, TREE_OK);
  assert_int_equal(node_run(b, 0, TREE_ALL_REDUCE, true, 9000, 0).verdict, TREE_OK);
  assert_int_equal(node_cells(b), 0);
  node_compared(b);
}

/// The streaming tree ends as two vectors do not fit each other. It begins once more while the other group's operation waits in the low-latency one.
static void streams_again(void **state) {
  (void)state;
  static uint8_t vector[6000], sum[6000];
  for (unsigned loss = 0; loss <= 20; loss += 20) {
    open_two(loss);
    const struct tree_bus bus = node_bus(b);
    for (unsigned again = 0; again < 3; again++) {
      assert_int_equal(stream(), TREE_ERROR_BUSY);   // it is there
      assert_int_equal(node_run(b, 0, TREE_LOCK, false, 0, 0).verdict, TREE_OK);
      assert_int_equal(node_run(b, 0, TREE_ALL_REDUCE, true, 5000, 0).verdict, TREE_OK);
      begin(2, TREE_BARRIER);
      for (unsigned p = 0; p < 2; p++)
        tree_host_begin(node_host(b, p), node_now(b),
                        &(struct tree_host_order){.operation = TREE_ALL_REDUCE,
                                                  .streams = true,
                                                  .length = 5000 + 4 * p,
                                                  .input = vector,
                                                  .output = sum});
      node_await(b, bit(0) | bit(1));
      for (unsigned p = 0; p < 2; p++) assert_int_equal(tree_host_answer(node_host(b, p))->verdict, TREE_DENIED);
      // All hear it, and the news is acknowledged.
      for (unsigned p = 0; p < 2 * b->ports; p += 2)
        while (!tree_control_end(&bus, p / 2, false).idle) ticks(100);
      ticks(2000);
      assert_true(tree_control_state(&bus).streaming_down);
      assert_int_equal(node_cells(b), 0);
      assert_int_equal(tree_control_store_end(&bus, 0, false,
                                              &(struct rc_end_config){.request = {.ack_every = 1, .timeout_ps = 1000000},
                                                                      .respond = {.coalesce = 1}}),
                       TREE_ERROR_IS_OPEN);   // of the other tree, which runs
      node_redraw_streaming(b);
      assert_int_equal(stream(), TREE_ERROR_NONE);
      assert_false(tree_control_state(&bus).streaming_down || tree_control_state(&bus).low_down);
      begin(3, TREE_BARRIER);
      node_await(b, bit(2) | bit(3));
      assert_int_equal(tree_host_answer(node_host(b, 2))->verdict, TREE_OK);
      // Without the lock, which went with the tree, nobody streams.
      assert_int_equal(node_run(b, 1, TREE_ALL_REDUCE, true, 900, 0).verdict, TREE_DENIED);
      assert_int_equal(node_run(b, 1, TREE_LOCK, false, 0, 2).verdict, TREE_OK);
      for (unsigned i = 0; i < 2; i++) assert_int_equal(node_run(b, 1, TREE_ALL_REDUCE, true, 60000, 0).verdict, TREE_OK);
    }
    node_compared(b);
  }
}

static int in_step(void **state) {
  node_setup(state);
  b->in_step = true;
  return 0;
}

#define CASE(name) cmocka_unit_test_prestate_setup_teardown(name, in_step, node_teardown, &b)

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {
      CASE(others_stream),
      CASE(busy),
      CASE(streams_again),
  };
  cmocka_set_message_output(CM_OUTPUT_TAP);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
