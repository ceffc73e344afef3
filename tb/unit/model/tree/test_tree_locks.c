// The lock cells of a tree node: who gets one, who keeps it, and who gives it back.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/tree/tree_locks.h"

static struct tree_locks two(void) { return (struct tree_locks){.cells = 2}; }

static void takes(struct tree_locks *l, uint16_t tree, uint16_t group, uint32_t sequence, uint32_t count) {
  struct tree_lock holder;
  assert_int_equal(tree_locks_take(l, tree, group, sequence, count, &holder), TREE_OK);
}

/// Taken on the way up, used from the way down on.
static void test_kept(void **state) {
  (void)state;
  struct tree_locks l = two();
  takes(&l, 2, 7, 1, 1);
  assert_false(tree_locks_holds(&l, 2, 7));
  assert_true(tree_locks_settle(&l, 2, 7, 1, true));
  assert_true(tree_locks_holds(&l, 2, 7));
  assert_false(tree_locks_holds(&l, 2, 8));
  assert_false(tree_locks_holds(&l, 4, 7));
}

/// Another group hears who holds the tree; the same one, too.
static void test_refused(void **state) {
  (void)state;
  struct tree_locks l = two();
  struct tree_lock holder;
  takes(&l, 2, 7, 1, 5);
  assert_int_equal(tree_locks_take(&l, 2, 8, 1, 1, &holder), TREE_LOCK_FAILED);
  assert_int_equal(holder.group, 7);
  assert_int_equal(holder.left, 5);
  assert_int_equal(tree_locks_take(&l, 2, 7, 2, 1, &holder), TREE_LOCK_FAILED);
  takes(&l, 4, 8, 1, 0);
  assert_int_equal(tree_locks_take(&l, 6, 9, 1, 1, &holder), TREE_NO_RESOURCE);
  assert_true(holder.used);
}

/// Given back by who took it for this request, and by nobody else.
static void test_owner_only(void **state) {
  (void)state;
  struct tree_locks l = two();
  takes(&l, 2, 7, 3, 1);
  assert_false(tree_locks_settle(&l, 2, 8, 3, false));   // another's failure
  assert_false(tree_locks_settle(&l, 2, 7, 4, false));   // of another request
  assert_false(tree_locks_release(&l, 2, 8));
  assert_true(tree_locks_settle(&l, 2, 7, 3, true));
  assert_false(tree_locks_settle(&l, 2, 7, 3, false));   // it is kept
  assert_true(tree_locks_holds(&l, 2, 7));
  assert_true(tree_locks_release(&l, 2, 7));
  assert_false(tree_locks_holds(&l, 2, 7));
  takes(&l, 2, 8, 1, 1);
  assert_true(tree_locks_settle(&l, 2, 8, 1, false));
  takes(&l, 2, 7, 4, 1);
  assert_true(tree_locks_drop(&l, 2));   // whoever's
  assert_false(tree_locks_drop(&l, 2));
}

/// A lock ends with its last operation; one without end never does.
static void test_count(void **state) {
  (void)state;
  struct tree_locks l = two();
  takes(&l, 2, 7, 1, 2);
  takes(&l, 4, 8, 1, 0);
  tree_locks_settle(&l, 2, 7, 1, true);
  tree_locks_settle(&l, 4, 8, 1, true);
  assert_false(tree_locks_count(&l, 2, 7));
  assert_false(tree_locks_count(&l, 2, 8));
  assert_true(tree_locks_holds(&l, 2, 7));
  assert_true(tree_locks_count(&l, 2, 7));
  assert_false(tree_locks_holds(&l, 2, 7));
  for (int i = 0; i < 100; i++) assert_false(tree_locks_count(&l, 4, 8));
  assert_true(tree_locks_holds(&l, 4, 8));
  assert_true(l.lock[1].left == TREE_UNLIMITED);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_kept), cmocka_unit_test(test_refused),
                                     cmocka_unit_test(test_owner_only), cmocka_unit_test(test_count)};
  cmocka_set_message_output(CM_OUTPUT_TAP);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
