// The search of locked trees: its lock cells are those of the golden model, what it must find in states made by hand, and how steps are said in words.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "formal/protocol/locking/model.h"
#include "formal/protocol/locking/state.h"
#include "model/tree/tree_locks.h"

static bool same(const struct locking_node *n, const struct tree_lock *k) {
  if (!k->used) return n->cell.is == CELL_FREE;
  return n->cell.is == (k->kept ? CELL_KEPT : CELL_TAKEN) && n->cell.group == k->group &&
         (k->kept || n->cell.sequence == k->sequence) && (k->left == TREE_UNLIMITED ? 0 : k->left) == n->cell.left;
}

/// Whatever is done to a cell, in any order: both say the same.
static void cells_are_the_golden_models(void **state) {
  (void)state;
  struct rng d = rng_for(1, 1);
  unsigned held = 0;
  for (unsigned round = 0; round < 2000; round++) {
    struct locking_node n = {0};
    struct tree_locks l = {.cells = 1};
    for (unsigned i = 0; i < 30; i++) {
      const unsigned group = (unsigned)rng_below(&d, 2), sequence = (unsigned)rng_below(&d, 3),
                     count = (unsigned)rng_below(&d, 4);
      struct tree_lock holder;
      switch (rng_below(&d, 6)) {
        case 0:
          assert_int_equal(cell_take(&n, group, sequence, count) == VERDICT_OK,
                           tree_locks_take(&l, 9, (uint16_t)group, sequence, count, &holder) == TREE_OK);
          break;
        case 1:
        case 2:
          cell_settle(&n, group, sequence, count > 1);
          tree_locks_settle(&l, 9, (uint16_t)group, sequence, count > 1);
          break;
        case 3:
          cell_count(&n, group);
          tree_locks_count(&l, 9, (uint16_t)group);
          break;
        default:
          if (count != 0) break;   // seldom
          cell_release(&n, group);
          tree_locks_release(&l, 9, (uint16_t)group);
          break;
      }
      assert_true(same(&n, &l.lock[0]));
      assert_int_equal(cell_holds(&n, group), tree_locks_holds(&l, 9, (uint16_t)group));
      held += cell_holds(&n, group);
    }
  }
  assert_true(held > 1000);
}

static const struct locking_rules pairs = {.script = {"1s", "1s"}, .packets = 1};

static void knows_who_is_where(void **state) {
  (void)state;
  const struct locking_rules alone = {.shape = SHAPE_ALONE, .script = {"b", ""}, .packets = 1};
  const struct locking_rules local = {.shape = SHAPE_LOCAL, .script = {"b", ""}, .packets = 1};
  assert_int_equal(children_of(&pairs, 0, 0), 3);
  assert_int_equal(children_of(&pairs, 1, 1), 2);
  assert_true(goes_up(&pairs, 2, 1) && !goes_up(&pairs, 0, 1));
  assert_int_equal(children_of(&alone, 0, 0), 5);
  assert_int_equal(children_of(&alone, 0, 1), 10);
  assert_int_equal(children_of(&local, 1, 1), 6);
  assert_int_equal(children_of(&local, 0, 1), 0);
  assert_true(goes_up(&local, 1, 0) && !goes_up(&local, 1, 1));
  assert_int_equal(hop_of(&local, 1, 2), 3);
  assert_int_equal(hop_of(&local, 2, 0), 2);
  assert_int_equal(hop_of(&local, 0, TOP), -1);
}

/// A search that cannot see a fault is of no use: of the smallest script every rule that is broken is found, and Weir's are not.
static struct search *search_of(const struct locking_rules *rules) {
  static struct rule_model model;   // a search keeps its model
  struct search *s;
  model = locking_model(rules);
  assert_true(search_all(&model, 100000, &s));
  return s;
}

static void finds_what_is_wrong(void **state) {
  (void)state;
  struct locking_rules rules = {.script = {"1s", ""}, .packets = 1};
  struct search *s = search_of(&rules);
  assert_true(search_wrong(s) == 0 && search_stuck(s) == 0 && search_complete(s) > 0);
  search_free(s);
  rules.give_back = GIVE_BACK_NOTHING;
  s = search_of(&rules);
  assert_true(search_wrong(s) == 0 && search_stuck(s) > 0);
  search_free(s);
  rules = (struct locking_rules){.script = {"s", ""}, .packets = 1, .no_gate = true};
  s = search_of(&rules);
  assert_true(search_wrong(s) > 0);
  search_free(s);
}

static void says_steps_in_words(void **state) {
  (void)state;
  char text[160];
  locking_words(&pairs, event_label(HOST_BEGINS, 3, '2', VERDICT_OK), text, sizeof text);
  assert_string_equal(text, "h3 of g1 asks for a lock for 2");
  const struct locking_message m = message_of(OPERATION_LOCK, 1, 2, VERDICT_OK);
  locking_words(&pairs, event_label(NODE_TAKES, 8 * 0 + 1, m.what, 8 * ANSWERS + VERDICT_LOCK_FAILED), text, sizeof text);
  assert_string_equal(text, "the root gets the lock of g1 from leaf 2 and answers lock failed");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cells_are_the_golden_models),
      cmocka_unit_test(knows_who_is_where),
      cmocka_unit_test(finds_what_is_wrong),
      cmocka_unit_test(says_steps_in_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
