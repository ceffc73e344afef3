// What a node takes of its parent's multicasts: the answer that it waits for, which goes to its children at once; nothing else, whatever it says. The reliable copy
// comes later, is known, and must say the same.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/model/tree/tree_bench.h"
#include "wire/tree_cast.h"

enum { PARENT = 3, ONE = 0x3F800000, SIX = 0x40C00000, LEN = 200, GROUP_1 = 0 };

static struct tree_bench b;

static int open(void **state) {
  (void)state;
  b = bench_make(4, 3, PARENT);
  return 0;
}

static int close(void **state) {
  (void)state;
  bench_free(&b);
  return 0;
}

/// The parent multicasts a message with this header, and `vector` bytes of SIX in front of 0 behind it.
static void cast(const struct tree_header *h, size_t vector) {
  static uint8_t message[4096], frame[4400];
  const struct tree_cast from = {.ip = {10, 0, 0, PARENT + 1}, .qpn = 0x200 + BENCH_LOW, .tree = BENCH_LOW + 1};
  const uint8_t six[4] = {0, 0, 0xC0, 0x40};
  memset(message, 0, sizeof message);
  tree_put(message, h);
  for (size_t i = 0; i < vector; i++) message[TREE_BYTES + i] = six[i % 4];
  tree_node_receive(b.node, b.now, PARENT, frame, tree_cast_build(&from, message, TREE_BYTES + vector, frame, sizeof frame),
                    false);
  bench_pump(&b);
}

/// Both children contribute, and it goes up: what the parent would answer.
static struct tree_header contribute(uint32_t sequence) {
  const struct tree_header h = bench_header(BENCH_LOW, sequence, LEN);
  for (unsigned p = 0; p < 2; p++) bench_send(&b, p, &h, ONE);
  struct tree_header down = bench_take_header(&b, BENCH_LOW, PARENT);
  assert_int_equal(down.sequence, sequence);
  down.kind = TREE_DOWN;
  down.flags = TREE_CARRIES;
  return down;
}

static void test_taken(void **state) {
  (void)state;
  for (uint32_t n = 1; n < 6; n++) {
    const struct tree_header down = contribute(n);
    cast(&down, LEN);
    for (unsigned p = 0; p < 2; p++) bench_ok(&b, BENCH_LOW, p, LEN, SIX);
    // Nobody else may have its place while the copy is to come.
    assert_false(tree_node_change_group(b.node, GROUP_1, NULL));
    assert_false(tree_node_quiet(b.node));
    bench_send(&b, PARENT, &down, SIX);
    assert_true(tree_node_quiet(b.node));
  }
  assert_int_equal(tree_node_counts(b.node).casts_taken, 5);
  assert_int_equal(tree_node_counts(b.node).refused, 0);
}

static void test_copy_differs(void **state) {
  (void)state;
  const struct tree_header down = contribute(1);
  cast(&down, LEN);
  bench_send(&b, PARENT, &down, ONE);
  assert_int_equal(tree_node_counts(b.node).refused, 1);
}

/// Longer than any message, cut, of another number, group or tree, a failure, a contribution, for nobody who waits.
static void test_nothing(void **state) {
  (void)state;
  const struct tree_header down = contribute(7);
  struct tree_header wrong[8];
  for (unsigned i = 0; i < 8; i++) wrong[i] = down;
  wrong[0].length = 4000;
  wrong[1].length = LEN + 4;
  wrong[2].sequence = 6;
  wrong[3].group = 77;
  wrong[4].tree = BENCH_LOW2 + 1;
  wrong[5].verdict = TREE_DENIED;
  wrong[6].kind = TREE_UP;
  wrong[7].operation = TREE_REDUCE;
  for (unsigned i = 0; i < 8; i++) cast(&wrong[i], i == 0 ? 4000 : LEN);
  for (unsigned p = 0; p < 2; p++) bench_nothing(&b, BENCH_LOW, p);
  cast(&down, LEN);
  cast(&down, LEN);
  for (unsigned p = 0; p < 2; p++) bench_ok(&b, BENCH_LOW, p, LEN, SIX);
  assert_int_equal(tree_node_counts(b.node).casts_taken, 1);
  bench_send(&b, PARENT, &down, SIX);
  assert_true(tree_node_quiet(b.node));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_taken, open, close),
      cmocka_unit_test_setup_teardown(test_copy_differs, open, close),
      cmocka_unit_test_setup_teardown(test_nothing, open, close),
  };
  cmocka_set_message_output(CM_OUTPUT_TAP);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
