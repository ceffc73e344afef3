// The segment selector of the property cache: 6 modes by 32 values of the segment bits.
// DUT: gather_segment_mask
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "drive/dut.h"

static uint32_t mask(struct dut *d, unsigned mode, unsigned segment) {
  dut_set(d, "mode_i", mode);
  dut_set(d, "segment_i", segment);
  dut_eval(d);
  return (uint32_t)dut_get(d, "mask_o");
}

static void table(void **state) {
  (void)state;
  struct dut *d = dut_new();
  for (unsigned mode = 0; mode < 6; mode++) {
    for (unsigned segment = 0; segment < 32; segment++) {
      uint32_t want = 0;
      const unsigned size = 1u << mode, first = segment / size * size;
      for (unsigned s = first; s < first + size; s++) want |= UINT32_C(0x80000000) >> s;   // leftmost: segment 0
      assert_int_equal(mask(d, mode, segment), want);
    }
  }
  dut_free(d);
}

/// NetSparse 6.2.2: 32 bytes, segment bits 1110X: 0...01100.
static void example_of_the_paper(void **state) {
  (void)state;
  struct dut *d = dut_new();
  assert_int_equal(mask(d, 1, 0x1C), 0xC);
  assert_int_equal(mask(d, 1, 0x1D), 0xC);
  assert_int_equal(mask(d, 5, 9), 0xFFFFFFFF);
  dut_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(table), cmocka_unit_test(example_of_the_paper)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
