// Groups that are made and destroyed while others run, and a streaming tree that begins once more after it was torn down (SHARP 3: groups at run time; 3.2).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/model/tree/tree_bench.h"

enum { ONE = 0x3F800000, THREE = 0x40400000, GROUP_1 = 0, GROUP_2 = 1 };

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

static struct tree_header of_group(uint16_t group, uint32_t sequence) {
  struct tree_header h = bench_header(BENCH_LOW, sequence, 0);
  h.group = group;
  return h;
}

static void all_send(const struct tree_header *h) {
  for (unsigned p = 0; p < 3; p++) bench_send(&b, p, h, ONE);
}

/// Group 1 streams on while group 2 goes, and comes back under another number.
static void test_comes_and_goes(void **state) {
  (void)state;
  bench_lock(&b, 1, 0);
  const struct tree_header stream = bench_header(BENCH_SAT, 2, 700);
  for (unsigned p = 0; p < 3; p++) bench_send_part(&b, p, &stream, ONE, 0, 2);
  assert_true(tree_node_change_group(b.node, GROUP_2, NULL));
  const struct tree_header gone = of_group(2, 1);
  all_send(&gone);
  for (unsigned p = 0; p < 3; p++) {
    const struct tree_header a = bench_take_header(&b, BENCH_LOW, p);
    assert_int_equal(a.verdict, TREE_DENIED);
  }
  const struct group_of_node taken = {.id = 1, .tree = BENCH_LOW, .children = 7}, no_child = {.id = 5, .tree = BENCH_LOW},
                             stranger = {.id = 5, .tree = BENCH_LOW, .children = 9},
                             fresh = {.id = 5, .tree = BENCH_LOW, .children = 7};
  assert_false(tree_node_change_group(b.node, GROUP_2, &taken));
  assert_false(tree_node_change_group(b.node, GROUP_2, &no_child));
  assert_false(tree_node_change_group(b.node, GROUP_2, &stranger));
  assert_true(tree_node_change_group(b.node, GROUP_2, &fresh));
  const struct tree_header again = of_group(5, 1);
  all_send(&again);
  bench_all_hear(&b, BENCH_LOW, TREE_OK, 0);
  for (unsigned p = 0; p < 3; p++) bench_send_part(&b, p, &stream, ONE, 2, 3);
  for (unsigned p = 0; p < 3; p++) bench_ok(&b, BENCH_SAT, p, 700, THREE);
}

/// Not while somebody waits for it, nor while it holds the lock; then its numbers begin anew.
static void test_busy(void **state) {
  (void)state;
  const struct group_of_node same = {.id = 1, .tree = BENCH_LOW, .children = 7};
  struct tree_header h = of_group(1, 9);
  bench_send(&b, 0, &h, 0);
  assert_false(tree_node_change_group(b.node, GROUP_1, NULL));
  for (unsigned p = 1; p < 3; p++) bench_send(&b, p, &h, 0);
  bench_all_hear(&b, BENCH_LOW, TREE_OK, 0);
  bench_lock(&b, 10, 0);
  assert_false(tree_node_change_group(b.node, GROUP_1, &same));
  h = of_group(1, 11);
  h.operation = TREE_UNLOCK;
  all_send(&h);
  bench_all_hear(&b, BENCH_LOW, TREE_OK, 0);
  assert_true(tree_node_change_group(b.node, GROUP_1, &same));
  h = of_group(1, 1);
  all_send(&h);
  bench_all_hear(&b, BENCH_LOW, TREE_OK, 0);
}

/// It ends by what a child sends; an operation of the low-latency tree that waits meanwhile is right.
static void test_begins_again(void **state) {
  (void)state;
  assert_false(bench_reopen(&b, BENCH_SAT));   // it is there
  for (uint32_t round = 0; round < 3; round++) {
    bench_lock(&b, 10 * round + 1, 0);
    const struct tree_header waits = of_group(2, round + 1);
    bench_send(&b, 0, &waits, 0);
    struct tree_header h = bench_header(BENCH_SAT, 10 * round + 2, 700);
    for (unsigned p = 0; p < 3; p++) {
      h.length = 700 + 4 * (p == 2);
      bench_send_part(&b, p, &h, ONE, 0, 1);
    }
    assert_true(tree_node_down(b.node, BENCH_SAT));
    for (unsigned p = 0; p < 3; p++) assert_int_equal(bench_take_header(&b, BENCH_LOW, p).kind, TREE_TEARDOWN);
    assert_true(bench_reopen(&b, BENCH_SAT));
    assert_false(tree_node_down(b.node, BENCH_SAT));
    for (unsigned p = 1; p < 3; p++) bench_send(&b, p, &waits, 0);
    bench_all_hear(&b, BENCH_LOW, TREE_OK, 0);
    bench_lock(&b, 10 * round + 3, 1);
    bench_right(&b, BENCH_SAT, 10 * round + 4);
    bench_right(&b, BENCH_LOW2, round + 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_comes_and_goes, open, close),
      cmocka_unit_test_setup_teardown(test_busy, open, close),
      cmocka_unit_test_setup_teardown(test_begins_again, open, close),
  };
  cmocka_set_message_output(CM_OUTPUT_TAP);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
