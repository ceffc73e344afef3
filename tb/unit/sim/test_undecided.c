// What a run may leave undecided, by where its input came from.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/engine/undecided.h"

/// One of each count, by number.
enum { GIVEN_UP = WITNESS_EXCUSES, UNTRIED, INCOMPLETE, COUNTS };

static void add_one(struct undecided *u, unsigned which) {
  if (which < WITNESS_EXCUSES) u->witness.excused[which]++;
  u->given_up += which == GIVEN_UP;
  u->witness.untried += which == UNTRIED;
  u->witness.incomplete += which == INCOMPLETE;
}

static bool fails(const struct undecided *u, enum undecided_input input) {
  char text[200] = "";
  const bool result = undecided_fails(u, input, text, sizeof text);
  assert_int_equal(result, text[0] != 0);
  return result;
}

static void one_of_each(void **state) {
  (void)state;
  const struct undecided nothing = {0};
  for (int input = UNDECIDED_SOUND; input <= UNDECIDED_FAULTY; input++)
    assert_false(fails(&nothing, (enum undecided_input)input));
  for (unsigned which = 0; which < COUNTS; which++) {
    struct undecided u = {0};
    add_one(&u, which);
    assert_true(fails(&u, UNDECIDED_SOUND));
    assert_int_equal(fails(&u, UNDECIDED_RECORDED), which == WITNESS_WINDOW || which == GIVEN_UP);
    assert_false(fails(&u, UNDECIDED_FAULTY));
  }
}

/// A column that was given up is explained by an excuse that the input gives, one by one.
static void given_up_for_a_reason(void **state) {
  (void)state;
  struct undecided u = {.given_up = 1};
  u.witness.excused[WITNESS_GAP] = 1;
  assert_false(fails(&u, UNDECIDED_RECORDED));
  u.given_up++;
  assert_true(fails(&u, UNDECIDED_RECORDED));
}

static void all_is_told(void **state) {
  (void)state;
  struct undecided u = {0}, sum = {0};
  char *text = NULL;
  size_t size = 0;
  for (unsigned which = 0; which < COUNTS; which++) add_one(&u, which);
  undecided_add(&sum, &u);
  undecided_add(&sum, &u);
  FILE *file = open_memstream(&text, &size);
  assert_non_null(file);
  undecided_print(file, &sum);
  assert_int_equal(fclose(file), 0);
  unsigned lines = 0;
  for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++) lines++;
  assert_int_equal(lines, COUNTS);
  free(text);
  json_t *o = undecided_json(&sum), *excused = json_object_get(o, "excused"), *value;
  const char *name;
  assert_int_equal(json_object_size(o), 4);
  assert_int_equal(json_object_size(excused), WITNESS_EXCUSES);
  json_object_foreach(excused, name, value) assert_int_equal(json_integer_value(value), 2);
  json_object_foreach(o, name, value) if (value != excused) assert_int_equal(json_integer_value(value), 2);
  json_decref(o);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_of_each), cmocka_unit_test(given_up_for_a_reason),
                                     cmocka_unit_test(all_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
