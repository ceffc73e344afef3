// The register stage is a queue of two places and one cycle; full rate follows from the twin, which never leaves out a cycle.
// DUT: prim_skid
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "drive/dut.h"
#include "unit/prim/queue_twin.h"

static void is_a_queue_of_two(void **state) {
  (void)state;
  struct dut *d = dut_new();
  dut_reset(d);
  assert_int_equal(dut_get(d, "in_ready_o"), 0);   // not before its registers are valid
  dut_tick(d);
  queue_check(d, &(struct queue_promise){.tag = "", .places = 2, .latency = 1});
  dut_free(d);
}

/// Both outputs come from registers: inputs of the same cycle do not move them.
static void sides_are_independent(void **state) {
  (void)state;
  struct dut *d = dut_new();
  dut_reset(d);
  for (unsigned cycle = 0; cycle < 4000; cycle++) {
    uint64_t ready = dut_get(d, "in_ready_o"), valid = dut_get(d, "out_valid_o"), out = dut_get(d, "out_o");
    for (unsigned i = 0; i < 4; i++) {
      dut_set(d, "in_valid_i", (uint64_t)rand() % 2);
      dut_set(d, "out_ready_i", (uint64_t)rand() % 2);
      dut_set(d, "in_i", (uint64_t)rand() % 256);
      dut_eval(d);
      assert_int_equal(dut_get(d, "in_ready_o"), ready);
      assert_int_equal(dut_get(d, "out_valid_o"), valid);
      assert_int_equal(dut_get(d, "out_o"), out);
    }
    dut_tick(d);
  }
  dut_free(d);
}

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(is_a_queue_of_two), cmocka_unit_test(sides_are_independent)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
