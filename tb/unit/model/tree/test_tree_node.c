// A tree node: sums and their order, when they leave, locks, what goes up and comes down.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/model/tree/tree_bench.h"

enum {
  ONE = 0x3F800000,
  TWO = 0x40000000,
  THREE = 0x40400000,
  FOUR = 0x40800000,
  BIG = 0x4B800000,
  BIG_AND_TWO = 0x4B800001
};   // 2^24

static struct tree_bench b;

static int close(void **state) {
  (void)state;
  bench_free(&b);
  return 0;
}

/// All children contribute, port by port; the last ones first if `backwards`.
static void all_send(unsigned tree, uint32_t sequence, uint32_t length, const uint32_t *values, bool backwards) {
  const struct tree_header h = bench_header(tree, sequence, length);
  const unsigned count = (unsigned)__builtin_popcountll(b.children);
  unsigned ports[TREE_MAX_PORTS], n = 0;
  for (unsigned p = 0; p < b.ports; p++)
    if (b.children >> p & 1) ports[n++] = p;
  for (unsigned i = 0; i < count; i++) {
    const unsigned at = backwards ? count - 1 - i : i;
    bench_send(&b, ports[at], &h, values[at]);
  }
}

static void all_get(unsigned tree, uint32_t length, uint32_t value) {
  for (unsigned p = 0; p < b.ports; p++)
    if (b.children >> p & 1) bench_ok(&b, tree, p, length, value);
}

/// SHARP's Figure 1b: ports 1, 2, 3, 4, 5, 8 | 10, 14 of 16. Only this order of seven additions gives these bits, whoever comes first.
static void test_figure(void **state) {
  (void)state;
  const uint64_t figure = 1u << 0 | 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4 | 1u << 7 | 1u << 9 | 1u << 13;
  static const struct {
    uint32_t in[8], sum;
  } cases[] = {{{BIG, ONE, ONE, ONE, ONE, ONE, 0, 0}, BIG},
               {{ONE, ONE, BIG, 0, 0, 0, 0, 0}, BIG_AND_TWO},
               {{0, 0, 0, 0, BIG, ONE, ONE, 0}, BIG},
               {{0, 0, 0, 0, 0, BIG, ONE, ONE}, BIG_AND_TWO},
               {{ONE, ONE, 0, 0, 0, 0, 0, BIG}, BIG_AND_TWO}};
  for (int mode = BENCH_LOW; mode <= BENCH_SAT; mode++) {
    for (unsigned i = 0; i < 10; i++) {
      const uint32_t length = mode == BENCH_LOW ? 4 + 60 * i : 1000;
      b = bench_make(16, figure, TREE_NO_PORT);
      if (mode == BENCH_SAT) bench_lock(&b, 1, 1);
      all_send((unsigned)mode, 2, length, cases[i / 2].in, i % 2 == 1);
      all_get((unsigned)mode, length, cases[i / 2].sum);
      assert_true(tree_node_quiet(b.node));
      bench_free(&b);
    }
  }
  b = bench_make(2, 3, TREE_NO_PORT);
}

/// The sum goes to the parent, once; what comes back goes to all.
static void test_up_and_down(void **state) {
  (void)state;
  const uint32_t values[] = {ONE, TWO};
  b = bench_make(4, 3, 3);
  for (int mode = BENCH_LOW; mode <= BENCH_SAT; mode++) {
    const uint32_t sequence = mode == BENCH_LOW ? 1 : 3, length = mode == BENCH_LOW ? 600 : 2000;
    if (mode == BENCH_SAT) {
      bench_lock(&b, 2, 1);
      struct tree_header up = bench_take_header(&b, BENCH_LOW, 3);
      assert_int_equal(up.operation, TREE_LOCK);
      assert_false(tree_locks_holds(tree_node_locks(b.node), BENCH_SAT + 1, 1));   // not before the root says so
      up.kind = TREE_DOWN;
      bench_send(&b, 3, &up, 0);
      bench_all_hear(&b, BENCH_LOW, TREE_OK, 0);
    }
    all_send((unsigned)mode, sequence, length, values, true);
    bench_ok(&b, (unsigned)mode, 3, length, THREE);
    bench_nothing(&b, (unsigned)mode, 0);
    struct tree_header down = bench_header((unsigned)mode, sequence, length);
    down.kind = TREE_DOWN;
    down.flags = TREE_CARRIES;
    bench_send(&b, 3, &down, FOUR);
    all_get((unsigned)mode, length, FOUR);
    bench_nothing(&b, (unsigned)mode, 3);
  }
  assert_true(tree_node_quiet(b.node));
  assert_false(tree_locks_holds(tree_node_locks(b.node), BENCH_SAT + 1, 1));   // one operation was all it was for
}

/// The result begins when the first packet of all is here, not when all are.
static void test_streams(void **state) {
  (void)state;
  b = bench_make(4, 3, 3);
  bench_lock(&b, 1, 1);
  struct tree_header h = bench_take_header(&b, BENCH_LOW, 3);
  h.kind = TREE_DOWN;
  bench_send(&b, 3, &h, 0);
  bench_all_hear(&b, BENCH_LOW, TREE_OK, 0);
  h = bench_header(BENCH_SAT, 2, 1000);
  uint8_t data[RC_MAX_MTU];
  bench_send_part(&b, 0, &h, ONE, 0, 3);
  bench_nothing(&b, BENCH_SAT, 3);
  bench_send_part(&b, 1, &h, ONE, 0, 1);
  assert_int_equal(bench_take(&b, BENCH_SAT, 3, data).len, BENCH_MTU);
  bench_nothing(&b, BENCH_SAT, 3);
  bench_send_part(&b, 1, &h, ONE, 1, 5);
  assert_int_equal(bench_take(&b, BENCH_SAT, 3, data).len, BENCH_MTU);
  assert_int_equal(bench_take(&b, BENCH_SAT, 3, data).len, BENCH_MTU);
  bench_nothing(&b, BENCH_SAT, 3);
  assert_int_equal(tree_node_counts(b.node).columns, 3);
}

/// Who is early is held back by credits: nothing is taken off its connection before the others' packets are there.
static void test_holds_back(void **state) {
  (void)state;
  b = bench_make(2, 3, TREE_NO_PORT);
  bench_lock(&b, 1, 1);
  const struct tree_header h = bench_header(BENCH_SAT, 2, 40 * BENCH_MTU);
  bench_send_part(&b, 0, &h, ONE, 0, BENCH_ROOM);
  const struct rc_respond_counts c = rc_responder_counts(rc_end_responder(tree_node_end(b.node, BENCH_SAT, 0)));
  assert_int_equal(c.packets, BENCH_ROOM);
  assert_int_equal(c.no_room, 0);
  bench_send_part(&b, 0, &h, ONE, BENCH_ROOM, BENCH_ROOM + 3);
  assert_int_equal(rc_requester_outstanding(rc_end_requester(b.peers[BENCH_SAT][0])),
                   0);   // the limited one was refused, and waits
  assert_int_equal(rc_responder_counts(rc_end_responder(tree_node_end(b.node, BENCH_SAT, 0))).no_room, 1);
}

/// A child that takes nothing does not disturb the others while there is room for what it lacks.
static void test_slow_child(void **state) {
  (void)state;
  b = bench_make(4, 7, TREE_NO_PORT);
  bench_lock(&b, 1, 1);
  const struct tree_header h = bench_header(BENCH_SAT, 2, 10 * BENCH_MTU);
  for (unsigned p = 0; p < 3; p++) bench_send_part(&b, p, &h, ONE, 0, 1);
  bench_send_part(&b, 2, &h, ONE, 1, 11);
  b.silent = 4;
  bench_send_part(&b, 0, &h, ONE, 1, 11);
  bench_send_part(&b, 1, &h, ONE, 1, 11);
  bench_ok(&b, BENCH_SAT, 0, 10 * BENCH_MTU, THREE);
  bench_ok(&b, BENCH_SAT, 1, 10 * BENCH_MTU, THREE);
  assert_false(tree_node_quiet(b.node));   // it is kept for the third
  b.silent = 0;
  bench_wait(&b, 200000);
  bench_ok(&b, BENCH_SAT, 2, 10 * BENCH_MTU, THREE);
  assert_true(tree_node_quiet(b.node));
}

/// Without room at one child nothing goes to the others either, and the parent is held back.
static void test_no_room_below(void **state) {
  (void)state;
  enum { PACKETS = 20, LENGTH = PACKETS * BENCH_MTU - TREE_BYTES };
  uint8_t data[RC_MAX_MTU];
  b = bench_make(4, 3, 3);
  bench_lock(&b, 1, 1);
  struct tree_header h = bench_take_header(&b, BENCH_LOW, 3);
  h.kind = TREE_DOWN;
  bench_send(&b, 3, &h, 0);
  bench_all_hear(&b, BENCH_LOW, TREE_OK, 0);
  h = bench_header(BENCH_SAT, 2, LENGTH);
  for (uint64_t from = 0; from < PACKETS; from += 10) {
    bench_send_part(&b, 0, &h, ONE, from, from + 10);
    bench_send_part(&b, 1, &h, ONE, from, from + 10);
    for (unsigned i = 0; i < 10; i++) bench_take(&b, BENCH_SAT, 3, data);
  }
  h.kind = TREE_DOWN;
  h.flags = TREE_CARRIES;
  b.silent = 2;
  bench_send_part(&b, 3, &h, TWO, 0, BENCH_ROOM);
  for (unsigned i = 0; i < BENCH_ROOM; i++) bench_take(&b, BENCH_SAT, 0, data);
  bench_send_part(&b, 3, &h, TWO, BENCH_ROOM, PACKETS);
  bench_nothing(&b, BENCH_SAT, 0);
  b.silent = 0;
  bench_wait(&b, 200000);
  for (unsigned i = BENCH_ROOM; i < PACKETS; i++) bench_take(&b, BENCH_SAT, 0, data);
  for (unsigned i = 0; i < PACKETS; i++) {
    if (i == BENCH_ROOM) bench_wait(&b, rnr_timer_ps(1));   // one more than it had room for had been refused
    bench_take(&b, BENCH_SAT, 1, data);
  }
  assert_true(tree_node_quiet(b.node));
}

/// Reduce: one wants it, the others hear that it is done. Broadcast: one has it.
static void test_one_wants(void **state) {
  (void)state;
  b = bench_make(4, 7, TREE_NO_PORT);
  bench_lock(&b, 1, 0);
  for (int mode = BENCH_LOW; mode <= BENCH_SAT; mode++) {
    struct tree_header h = bench_header((unsigned)mode, (uint32_t)mode + 2, 300);
    h.operation = TREE_REDUCE;
    for (unsigned p = 0; p < 3; p++) {
      h.flags = (uint8_t)(TREE_CARRIES | (p == 1 ? TREE_WANTS : 0));
      bench_send(&b, p, &h, ONE);
    }
    bench_ok(&b, (unsigned)mode, 1, 300, THREE);
    bench_ok(&b, (unsigned)mode, 0, 0, 0);
    bench_ok(&b, (unsigned)mode, 2, 0, 0);
  }
  for (int mode = BENCH_LOW; mode <= BENCH_SAT; mode++) {
    struct tree_header h = bench_header((unsigned)mode, (uint32_t)mode + 4, 300);
    h.operation = TREE_BROADCAST;
    for (unsigned p = 0; p < 3; p++) {
      h.flags = p == 2 ? TREE_CARRIES : TREE_WANTS;
      bench_send(&b, p, &h, TWO);
    }
    bench_ok(&b, (unsigned)mode, 0, 300, TWO);
    bench_ok(&b, (unsigned)mode, 1, 300, TWO);
    bench_ok(&b, (unsigned)mode, 2, 0, 0);
  }
}

/// Another group hears who has the tree, where, and for how long; its failure gives nothing back that is not its own.
static void test_lock_fails(void **state) {
  (void)state;
  b = bench_make(2, 3, TREE_NO_PORT);
  bench_lock(&b, 1, 5);
  struct tree_header h = bench_header(BENCH_LOW, 1, 0);
  h.operation = TREE_LOCK;
  h.group = 2;
  bench_send(&b, 0, &h, 0);
  bench_send(&b, 1, &h, 0);
  for (unsigned p = 0; p < 2; p++) {
    const struct tree_header a = bench_take_header(&b, BENCH_LOW, p);
    assert_int_equal(a.verdict, TREE_LOCK_FAILED);
    assert_int_equal(a.holder_tree, BENCH_SAT + 1);
    assert_int_equal(a.holder_group, 1);
    assert_int_equal(a.count, 5);
    assert_int_equal(a.node, BENCH_NODE);
  }
  assert_true(tree_locks_holds(tree_node_locks(b.node), BENCH_SAT + 1, 1));
  // It may not unlock it either.
  h.operation = TREE_UNLOCK;
  h.sequence = 2;
  bench_send(&b, 0, &h, 0);
  bench_send(&b, 1, &h, 0);
  bench_all_hear(&b, BENCH_LOW, TREE_DENIED, 0);
  assert_true(tree_locks_holds(tree_node_locks(b.node), BENCH_SAT + 1, 1));
  h.group = 1;
  bench_send(&b, 0, &h, 0);
  bench_send(&b, 1, &h, 0);
  bench_all_hear(&b, BENCH_LOW, TREE_OK, 0);
  assert_false(tree_locks_holds(tree_node_locks(b.node), BENCH_SAT + 1, 1));
}

/// A lock is not given back while its group streams: the vector and its tree end, and the lock goes with them.
static void test_unlock_early(void **state) {
  (void)state;
  b = bench_make(2, 3, TREE_NO_PORT);
  bench_lock(&b, 1, 5);
  const struct tree_header s = bench_header(BENCH_SAT, 2, 600);
  bench_send(&b, 0, &s, ONE);
  bench_send_part(&b, 1, &s, ONE, 0, 1);
  struct tree_header h = bench_header(BENCH_LOW, 3, 0);
  h.operation = TREE_UNLOCK;
  bench_send(&b, 0, &h, 0);
  bench_send(&b, 1, &h, 0);
  for (unsigned p = 0; p < 2; p++) {
    struct tree_header a = bench_take_header(&b, BENCH_LOW, p);
    assert_int_equal(a.operation, TREE_UNLOCK);
    assert_int_equal(a.verdict, TREE_TIME_OUT);
    assert_int_equal(a.node, BENCH_NODE);
    a = bench_take_header(&b, BENCH_LOW, p);
    assert_int_equal(a.kind, TREE_TEARDOWN);
    assert_int_equal(a.tree, BENCH_SAT + 1);
    assert_int_equal(a.verdict, TREE_TIME_OUT);
    bench_nothing(&b, BENCH_LOW, p);
  }
  assert_false(tree_locks_holds(tree_node_locks(b.node), BENCH_SAT + 1, 1));
}

/// A lock that fails above is given back here; one that failed below takes nothing here, and goes up with what was said of it.
static void test_lock_fails_elsewhere(void **state) {
  (void)state;
  b = bench_make(4, 3, 3);
  bench_lock(&b, 1, 1);
  struct tree_header up = bench_take_header(&b, BENCH_LOW, 3);
  assert_int_equal(up.verdict, TREE_OK);
  assert_int_equal(tree_node_locks(b.node)->lock[0].used, true);
  struct tree_header down = up;
  down.kind = TREE_DOWN;
  down.verdict = TREE_LOCK_FAILED;
  down.node = 77;
  bench_send(&b, 3, &down, 0);
  for (unsigned p = 0; p < 2; p++) assert_int_equal(bench_take_header(&b, BENCH_LOW, p).node, 77);
  assert_int_equal(tree_node_locks(b.node)->lock[0].used, false);
  struct tree_header h = bench_header(BENCH_LOW, 2, 0);
  h.operation = TREE_LOCK;
  h.count = 1;
  bench_send(&b, 0, &h, 0);
  h.verdict = TREE_LOCK_FAILED;
  h.node = 55;
  h.holder_group = 42;
  h.count = 9;
  bench_send(&b, 1, &h, 0);
  up = bench_take_header(&b, BENCH_LOW, 3);
  assert_int_equal(up.verdict, TREE_LOCK_FAILED);
  assert_int_equal(up.node, 55);
  assert_int_equal(up.holder_group, 42);
  assert_int_equal(up.count, 9);
  assert_int_equal(tree_node_locks(b.node)->lock[0].used, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_figure, close),       cmocka_unit_test_teardown(test_up_and_down, close),
      cmocka_unit_test_teardown(test_streams, close),      cmocka_unit_test_teardown(test_holds_back, close),
      cmocka_unit_test_teardown(test_slow_child, close),   cmocka_unit_test_teardown(test_no_room_below, close),
      cmocka_unit_test_teardown(test_one_wants, close),    cmocka_unit_test_teardown(test_lock_fails, close),
      cmocka_unit_test_teardown(test_unlock_early, close), cmocka_unit_test_teardown(test_lock_fails_elsewhere, close),
  };
  cmocka_set_message_output(CM_OUTPUT_TAP);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
