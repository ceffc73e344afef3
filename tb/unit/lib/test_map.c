// A hash table from one number to another: what is put in and forgotten at random is what a plain list says.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/map.h"
#include "base/rng.h"

enum { KEYS = 90, STEPS = 200000 };

/// Few keys in a small table, so that they stand in each other's way and round its end; those of a seed differ in high bits, or in low ones.
static void at_random(uint64_t seed) {
  struct rng rng = rng_for(seed, 0);
  struct map m = {0};
  uint64_t keys[KEYS], values[KEYS];
  bool known[KEYS] = {false};
  size_t used = 0;
  for (unsigned k = 0; k < KEYS; k++) keys[k] = seed % 2 ? rng_next(&rng) : (uint64_t)k << (seed % 3 * 16);
  for (unsigned step = 0; step < STEPS; step++) {
    const unsigned k = rng_below(&rng, KEYS);
    // Full for a while, and empty for a while.
    if (rng_percent(&rng, step / 1000 % 2 ? 80 : 30)) {
      bool fresh;
      uint64_t *value = map_at(&m, keys[k], &fresh);
      assert_int_equal(fresh, !known[k]);
      assert_int_equal(*value, known[k] ? values[k] : 0);
      used += !known[k];
      known[k] = true;
      *value = values[k] = step;
    } else {
      map_drop(&m, keys[k]);
      used -= known[k];
      known[k] = false;
    }
    assert_int_equal(m.used, used);
  }
  for (unsigned k = 0; k < KEYS; k++) map_drop(&m, keys[k]);
  assert_int_equal(m.used, 0);
  for (size_t i = 0; i < m.size; i++) assert_false(m.entries[i].used);
  map_free(&m);
}

static void test_at_random(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 6; seed++) at_random(seed);
}

static void test_nothing_to_forget(void **state) {
  (void)state;
  struct map m = {0};
  map_drop(&m, 5);
  assert_int_equal(m.used, 0);
  *map_at(&m, 5, NULL) = 1;
  map_drop(&m, 6);
  assert_int_equal(m.used, 1);
  map_free(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_at_random), cmocka_unit_test(test_nothing_to_forget)};
  return cmocka_run_group_tests_name("map", tests, NULL, NULL);
}
