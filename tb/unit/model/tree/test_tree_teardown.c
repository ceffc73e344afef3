// What ends a streaming tree: a packet that does not fit, a child or a parent that stops, a connection that fails. All hear it, and of whom; the lock is given
// back, and the other trees run on.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/model/tree/tree_bench.h"

enum { ONE = 0x3F800000 };

static struct tree_bench b;

static int open(void **state) {
  (void)state;
  b = bench_make(4, 7, TREE_NO_PORT);
  return 0;
}

static int close(void **state) {
  (void)state;
  bench_free(&b);
  return 0;
}

/// The streaming tree is no more: all hear it, the lock is given back, the low-latency tree and the other pair run on.
static void is_torn_down(enum tree_verdict verdict, unsigned port) {
  for (unsigned p = 0; p < 3; p++) {
    const struct tree_header h = bench_take_header(&b, BENCH_LOW, p);
    assert_int_equal(h.kind, TREE_TEARDOWN);
    assert_int_equal(h.tree, BENCH_SAT + 1);
    assert_int_equal(h.verdict, verdict);
    assert_int_equal(h.port, port);
    assert_int_equal(h.node, BENCH_NODE);
    bench_nothing(&b, BENCH_LOW, p);
  }
  assert_true(tree_node_down(b.node, BENCH_SAT));
  assert_false(tree_node_locks(b.node)->lock[0].used || tree_node_locks(b.node)->lock[1].used);
  bench_right(&b, BENCH_LOW, 50);
  struct tree_header h = bench_header(BENCH_LOW, 51, 0);
  h.operation = TREE_LOCK;
  for (unsigned p = 0; p < 3; p++) bench_send(&b, p, &h, 0);
  bench_all_hear(&b, BENCH_LOW, TREE_NO_TREE, 0);
}

/// The third child's message goes on with this packet, in the middle of what it said it would be.
static void goes_on_with(bool last, size_t len) {
  bench_lock(&b, 1, 0);
  const struct tree_header h = bench_header(BENCH_SAT, 2, 700);   // three packets
  for (unsigned p = 0; p < 3; p++) bench_send_part(&b, p, &h, ONE, 0, last ? 1 : 2);
  uint8_t data[BENCH_MTU] = {0};
  rc_requester_post(rc_end_requester(b.peers[BENCH_SAT][2]), &(struct rc_packet){.last = last, .data = data, .len = len});
  for (unsigned p = 0; p < 2; p++) bench_send_part(&b, p, &h, ONE, last ? 1 : 2, 3);
  bench_pump(&b);
  is_torn_down(TREE_DENIED, 3);
  bench_right(&b, BENCH_LOW2, 1);
}

static void test_ends_early(void **state) {
  (void)state;
  goes_on_with(true, 4);
}

static void test_ends_early_full(void **state) {
  (void)state;
  goes_on_with(true, BENCH_MTU);
}

static void test_does_not_end(void **state) {
  (void)state;
  goes_on_with(false, BENCH_MTU);
}

static void test_wrong_parent_streams(void **state) {
  (void)state;
  for (unsigned i = 0; i < 7; i++) {
    bench_free(&b);
    b = bench_make(4, 3, 3);
    bench_lock(&b, 1, 1);
    struct tree_header h = bench_take_header(&b, BENCH_LOW, 3);
    h.kind = TREE_DOWN;
    bench_send(&b, 3, &h, 0);
    bench_all_hear(&b, BENCH_LOW, TREE_OK, 0);
    h = bench_header(BENCH_SAT, 2, 300);
    if (i > 0) bench_send(&b, 0, &h, ONE);
    if (i > 0 && i < 5) bench_send(&b, 1, &h, ONE);      // else it comes too early,
    if (i == 6) bench_send_part(&b, 1, &h, ONE, 0, 1);   // or its second packet does
    h.kind = TREE_DOWN;
    h.flags = TREE_CARRIES;
    if (i == 1) h.sequence = 3;
    if (i == 2) h.flags = 0;
    if (i == 3) h.length = 304;
    if (i == 4) h.group = 2;
    bench_send(&b, 3, &h, ONE);
    for (unsigned p = 0; p < 2; p++) {
      const struct tree_header t = bench_take_header(&b, BENCH_LOW, p);
      assert_int_equal(t.kind, TREE_TEARDOWN);
      assert_int_equal(t.port, 4);
    }
  }
}

static void test_streams_differ(void **state) {
  (void)state;
  bench_lock(&b, 1, 0);
  struct tree_header h = bench_header(BENCH_SAT, 2, 2000);
  bench_send_part(&b, 0, &h, ONE, 0, 2);
  h.length = 2004;
  bench_send_part(&b, 1, &h, ONE, 0, 2);
  h.length = 2000;
  bench_send_part(&b, 2, &h, ONE, 0, 2);
  is_torn_down(TREE_DENIED, 2);
}

/// A child does not come to give the lock back, so a node below might keep it for ever: the streaming tree ends, which all hear.
static void test_unlock_lapses(void **state) {
  (void)state;
  bench_lock(&b, 1, 0);
  struct tree_header h = bench_header(BENCH_LOW, 2, 0);
  h.operation = TREE_UNLOCK;
  h.flags = 0;
  for (unsigned p = 0; p < 3; p += 2) bench_send(&b, p, &h, 0);
  bench_wait(&b, BENCH_PATIENCE + 100000);
  for (unsigned p = 0; p < 3; p++) {
    struct tree_header a = bench_take_header(&b, BENCH_LOW, p);
    assert_int_equal(a.kind, TREE_TEARDOWN);
    assert_int_equal(a.tree, BENCH_SAT + 1);
    assert_int_equal(a.port, 2);
    if (p == 1) bench_send(&b, p, &h, 0);   // too late
    a = bench_take_header(&b, BENCH_LOW, p);
    assert_int_equal(a.operation, TREE_UNLOCK);
    assert_int_equal(a.verdict, TREE_TIME_OUT);
  }
  assert_true(tree_node_down(b.node, BENCH_SAT));
  assert_false(tree_node_locks(b.node)->lock[0].used);
  bench_right(&b, BENCH_LOW, 3);
}

static void test_stream_stops(void **state) {
  (void)state;
  bench_lock(&b, 1, 0);
  const struct tree_header h = bench_header(BENCH_SAT, 2, 2000);
  for (unsigned p = 0; p < 3; p++) bench_send_part(&b, p, &h, ONE, 0, p == 1 ? 2 : 3);
  bench_wait(&b, BENCH_PATIENCE + 100000);
  is_torn_down(TREE_TIME_OUT, 2);
}

/// A node with two children and its parent, whose lock is kept for group 1.
static void locked_below_parent(void) {
  bench_free(&b);
  b = bench_make(4, 3, 3);
  bench_lock(&b, 1, 0);
  struct tree_header h = bench_take_header(&b, BENCH_LOW, 3);
  h.kind = TREE_DOWN;
  bench_send(&b, 3, &h, 0);
  bench_all_hear(&b, BENCH_LOW, TREE_OK, 0);
}

/// Both children, and the parent, hear who is to blame for what.
static void both_hear(enum tree_verdict verdict, unsigned port) {
  for (unsigned p = 0; p < 2; p++) {
    const struct tree_header t = bench_take_header(&b, BENCH_LOW, p);
    assert_int_equal(t.kind, TREE_TEARDOWN);
    assert_int_equal(t.verdict, verdict);
    assert_int_equal(t.port, port);
  }
}

/// Where nobody below has the vector the parent has its whole patience, too.
static void test_waits_for_parent(void **state) {
  (void)state;
  locked_below_parent();
  struct tree_header h = bench_header(BENCH_SAT, 2, 300);
  h.operation = TREE_BROADCAST;
  h.flags = TREE_WANTS;
  for (unsigned p = 0; p < 2; p++) bench_send(&b, p, &h, 0);
  bench_wait(&b, 2 * BENCH_PATIENCE - 100000);
  assert_false(tree_node_down(b.node, BENCH_SAT));
  bench_wait(&b, 200000);
  both_hear(TREE_TIME_OUT, 4);
}

/// A header says that all is done before all is there.
static void test_done_too_early(void **state) {
  (void)state;
  locked_below_parent();
  struct tree_header h = bench_header(BENCH_SAT, 2, 300);
  h.operation = TREE_REDUCE;
  h.flags = TREE_CARRIES;
  for (unsigned p = 0; p < 2; p++) bench_send_part(&b, p, &h, ONE, 0, 1);
  h.kind = TREE_DOWN;
  h.flags = 0;
  bench_send(&b, 3, &h, 0);
  both_hear(TREE_DENIED, 4);
}

/// A neighbour does not acknowledge any more: its trees end, the other pair runs on (without it nothing else does).
static void test_lost(void **state) {
  (void)state;
  bench_lock(&b, 1, 0);
  const struct tree_header h = bench_header(BENCH_SAT, 2, 2000);
  for (unsigned p = 0; p < 3; p++) bench_send_part(&b, p, &h, ONE, 0, 2);
  bench_send_part(&b, 1, &h, ONE, 2, 3);
  b.silent = 2;
  for (unsigned p = 0; p < 3; p += 2) bench_send_part(&b, p, &h, ONE, 2, 3);
  bench_wait(&b, 450000);
  assert_true(tree_node_down(b.node, BENCH_SAT));
  b.silent = 0;   // all that has failed is its streaming connection: it hears of it by the other one
  bench_wait(&b, 100000);
  is_torn_down(TREE_LOST, 2);
  bench_right(&b, BENCH_LOW2, 1);
}

/// A teardown that a neighbour tells of goes to all others, and not back.
static void test_told(void **state) {
  (void)state;
  bench_lock(&b, 1, 0);
  struct tree_header h = bench_header(BENCH_LOW, 0, 0);
  h.kind = TREE_TEARDOWN;
  h.tree = BENCH_LOW + 1;
  h.verdict = TREE_LOST;
  h.node = 33;
  bench_send(&b, 1, &h, 0);
  bench_nothing(&b, BENCH_LOW, 1);
  for (unsigned p = 0; p < 3; p += 2) {
    const struct tree_header a = bench_take_header(&b, BENCH_LOW, p);
    assert_int_equal(a.kind, TREE_TEARDOWN);
    assert_int_equal(a.node, 33);
  }
  assert_true(tree_node_down(b.node, BENCH_LOW) && tree_node_down(b.node, BENCH_SAT) && !tree_node_down(b.node, BENCH_LOW2));
  assert_false(tree_node_locks(b.node)->lock[0].used);
  h = bench_header(BENCH_LOW, 2, 0);
  bench_send(&b, 0, &h, 0);
  assert_int_equal(bench_take_header(&b, BENCH_LOW, 0).verdict, TREE_NO_TREE);
  bench_right(&b, BENCH_LOW2, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_ends_early, open, close),
      cmocka_unit_test_setup_teardown(test_ends_early_full, open, close),
      cmocka_unit_test_setup_teardown(test_does_not_end, open, close),
      cmocka_unit_test_setup_teardown(test_wrong_parent_streams, open, close),
      cmocka_unit_test_setup_teardown(test_streams_differ, open, close),
      cmocka_unit_test_setup_teardown(test_unlock_lapses, open, close),
      cmocka_unit_test_setup_teardown(test_stream_stops, open, close),
      cmocka_unit_test_setup_teardown(test_waits_for_parent, open, close),
      cmocka_unit_test_setup_teardown(test_done_too_early, open, close),
      cmocka_unit_test_setup_teardown(test_lost, open, close),
      cmocka_unit_test_setup_teardown(test_told, open, close),
  };
  cmocka_set_message_output(CM_OUTPUT_TAP);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
