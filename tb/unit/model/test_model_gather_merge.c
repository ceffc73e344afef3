// Rules of reads that units of a NIC share, one by one.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/gather_merge.h"

enum { SLOTS = 8, UNITS = 4 };

static int setup(void **state) {
  *state = gather_merge_new(SLOTS, UNITS);
  return *state == NULL;
}

static int teardown(void **state) {
  gather_merge_free(*state);
  return 0;
}

static enum gather_merge_fate ask(struct gather_merge *m, uint32_t unit, uint32_t id, uint16_t generation, uint64_t idx,
                                  bool lives) {
  return gather_merge_ask(m, (struct gather_merge_who){unit, id}, generation, idx, lives);
}

/// A response to a unit brings copies to these units, a bit each, with ID 100 + 10 * unit.
static void brings(struct gather_merge *m, uint32_t unit, uint16_t generation, uint64_t idx, unsigned wanted) {
  struct gather_merge_who copies[UNITS];
  unsigned got = 0;
  const size_t count = gather_merge_answer(m, unit, generation, idx, copies);
  for (size_t i = 0; i < count; i++) {
    got |= 1u << copies[i].unit;
    assert_int_equal(copies[i].id, 100 + 10 * copies[i].unit);
  }
  assert_int_equal(got, wanted);
}

static void one_read_for_all(void **state) {
  struct gather_merge *m = *state;
  struct gather_merge_who leader;
  assert_false(gather_merge_leader(m, 5, &leader));
  assert_int_equal(ask(m, 2, 120, 1, 5, false), GATHER_MERGE_LEADS);
  assert_true(gather_merge_leader(m, 5, &leader) && leader.unit == 2 && leader.id == 120);
  assert_int_equal(ask(m, 0, 100, 1, 5, true), GATHER_MERGE_WAITS);
  assert_int_equal(ask(m, 3, 130, 1, 5, true), GATHER_MERGE_WAITS);
  brings(m, 2, 1, 5, 1 << 0 | 1 << 3);
  brings(m, 2, 1, 5, 0);
  assert_int_equal(ask(m, 0, 100, 1, 5, true), GATHER_MERGE_LEADS);
}

static void a_slot_is_of_one_property(void **state) {
  struct gather_merge *m = *state;
  assert_int_equal(ask(m, 0, 100, 1, 5, false), GATHER_MERGE_LEADS);
  assert_int_equal(ask(m, 1, 110, 1, 5 + SLOTS, true), GATHER_MERGE_ALONE);
  brings(m, 1, 1, 5 + SLOTS, 0);
  assert_int_equal(ask(m, 1, 110, 1, 5, true), GATHER_MERGE_WAITS);
  // Its leader has failed: the slot is kept for who waits, and free without.
  assert_int_equal(ask(m, 2, 120, 1, 5 + SLOTS, false), GATHER_MERGE_ALONE);
  brings(m, 0, 1, 5, 1 << 1);
  assert_int_equal(ask(m, 0, 100, 1, 5, false), GATHER_MERGE_LEADS);
  assert_int_equal(ask(m, 2, 120, 1, 5 + SLOTS, false), GATHER_MERGE_LEADS);
  brings(m, 0, 1, 5, 0);
}

static void who_fails_holds_up_nobody(void **state) {
  struct gather_merge *m = *state;
  assert_int_equal(ask(m, 0, 100, 1, 5, false), GATHER_MERGE_LEADS);
  assert_int_equal(ask(m, 1, 110, 1, 5, true), GATHER_MERGE_WAITS);
  // The leader's gather has ended without it: the next one leads, and who waits stays.
  assert_int_equal(ask(m, 2, 120, 1, 5, false), GATHER_MERGE_LEADS);
  // Who waits has failed and asks again, then a leader.
  assert_int_equal(ask(m, 1, 110, 1, 5, true), GATHER_MERGE_LEADS);
  assert_int_equal(ask(m, 3, 130, 1, 5, true), GATHER_MERGE_WAITS);
  assert_int_equal(ask(m, 1, 111, 1, 5, true), GATHER_MERGE_LEADS);
  brings(m, 1, 1, 5, 1 << 3);
}

static void generations_are_apart(void **state) {
  struct gather_merge *m = *state;
  assert_int_equal(ask(m, 0, 100, 1, 5, false), GATHER_MERGE_LEADS);
  assert_int_equal(ask(m, 1, 110, 1, 5, true), GATHER_MERGE_WAITS);
  assert_int_equal(ask(m, 2, 120, 2, 5, true), GATHER_MERGE_LEADS);
  brings(m, 0, 1, 5, 0);
  assert_int_equal(ask(m, 3, 130, 2, 5, true), GATHER_MERGE_WAITS);
  brings(m, 2, 2, 5, 1 << 3);
}

/// A response to who waits, of its read before it failed, is its own: it gets no copy of that, and a second response frees nothing.
static void nobody_gets_a_copy_of_its_own(void **state) {
  struct gather_merge *m = *state;
  assert_int_equal(ask(m, 0, 100, 1, 5, false), GATHER_MERGE_LEADS);
  assert_int_equal(ask(m, 1, 110, 1, 5, true), GATHER_MERGE_WAITS);
  brings(m, 1, 1, 5, 0);
  brings(m, 0, 1, 5, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(one_read_for_all, setup, teardown),
      cmocka_unit_test_setup_teardown(a_slot_is_of_one_property, setup, teardown),
      cmocka_unit_test_setup_teardown(who_fails_holds_up_nobody, setup, teardown),
      cmocka_unit_test_setup_teardown(generations_are_apart, setup, teardown),
      cmocka_unit_test_setup_teardown(nobody_gets_a_copy_of_its_own, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
