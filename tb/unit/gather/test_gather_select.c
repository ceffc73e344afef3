// Every counter that there is, and zero for each that there is not.
// DUT: gather_select -GRows=3 -GN=5
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "drive/dut.h"

enum { ROWS = 3, COUNTERS = 5 };

static void names_one_or_none(void **state) {
  (void)state;
  struct dut *d = dut_new();
  uint32_t counts[ROWS * COUNTERS];
  for (unsigned i = 0; i < ROWS * COUNTERS; i++) counts[i] = 1000 + i;
  dut_set(d, "rst_ni", 1);
  dut_set_words(d, "count_i", counts, ROWS * COUNTERS);
  for (unsigned row = 0; row < 256; row++) {
    for (unsigned which = 0; which < 256; which++) {
      dut_set(d, "row_i", row);
      dut_set(d, "which_i", which);
      dut_tick(d);
      assert_int_equal(dut_get(d, "value_o"), row < ROWS && which < COUNTERS ? counts[row * COUNTERS + which] : 0);
    }
  }
  dut_free(d);
}

/// All bits of each, whatever the others are; none under reset.
static void all_of_a_count(void **state) {
  (void)state;
  struct dut *d = dut_new();
  uint32_t counts[ROWS * COUNTERS];
  for (unsigned round = 0; round < 64; round++) {
    for (unsigned i = 0; i < ROWS * COUNTERS; i++) counts[i] = (uint32_t)rand() << 16 ^ (uint32_t)rand();
    dut_set_words(d, "count_i", counts, ROWS * COUNTERS);
    for (unsigned i = 0; i < ROWS * COUNTERS; i++) {
      dut_set(d, "row_i", i / COUNTERS);
      dut_set(d, "which_i", i % COUNTERS);
      dut_set(d, "rst_ni", 0);
      dut_tick(d);
      assert_int_equal(dut_get(d, "value_o"), 0);
      dut_set(d, "rst_ni", 1);
      dut_tick(d);
      assert_int_equal(dut_get(d, "value_o"), counts[i]);
    }
  }
  dut_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(names_one_or_none), cmocka_unit_test(all_of_a_count)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
