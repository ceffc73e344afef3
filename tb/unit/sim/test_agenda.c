// What is due when, beside a list that is searched through.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sim/engine/agenda.h"

enum { THINGS = 37, STEPS = 20000 };

static void test_beside_a_list(void **state) {
  (void)state;
  struct rng d = rng_for(1, 2);
  struct agenda *a = agenda_new(THINGS);
  uint64_t times[THINGS];
  assert_non_null(a);
  for (size_t i = 0; i < THINGS; i++) times[i] = UINT64_MAX;
  for (unsigned step = 0; step < STEPS; step++) {
    const size_t at = rng_below(&d, THINGS);
    times[at] = rng_percent(&d, 20) ? UINT64_MAX : rng_below(&d, 50);   // often the same
    agenda_set(a, at, times[at]);
    size_t first = 0, index;
    for (size_t i = 1; i < THINGS; i++)
      if (times[i] < times[first]) first = i;
    assert_int_equal(agenda_first(a, &index), times[first]);
    if (times[first] != UINT64_MAX) assert_int_equal(index, first);
  }
  agenda_free(a);
}

static void test_nothing_is_due(void **state) {
  (void)state;
  size_t index;
  struct agenda *a = agenda_new(1);
  assert_non_null(a);
  assert_true(agenda_first(a, &index) == UINT64_MAX);
  agenda_set(a, 0, 5);
  assert_int_equal(agenda_first(a, &index), 5);
  agenda_set(a, 0, UINT64_MAX);
  assert_true(agenda_first(a, &index) == UINT64_MAX);
  agenda_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_beside_a_list), cmocka_unit_test(test_nothing_is_due)};
  cmocka_set_message_output(CM_OUTPUT_TAP);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
