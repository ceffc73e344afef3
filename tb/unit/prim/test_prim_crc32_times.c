// Products of CRC registers: what zero bytes, and two bytes, behind a message make of its CRC, as zlib says.
// DUT: prim_crc32_times
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "drive/dut.h"

enum { ROUNDS = 2000, PRODUCT = 9, MAX_ZEROS = 1200 };

static uint32_t register_after(uint32_t start, const uint8_t *data, size_t len) {
  return ~(uint32_t)crc32(~start, data, (uInt)len);
}

/// Each product is begun nine cycles or more behind the one before, and shown until the next one begins.
static void is_what_zeros_make_of_a_register(void **state) {
  (void)state;
  static const uint8_t zeros[MAX_ZEROS];
  struct dut *d = dut_new();
  dut_set(d, "start_i", 0);
  dut_reset(d);
  for (unsigned round = 0; round < ROUNDS; round++) {
    const uint32_t start = (uint32_t)rand() << 16 ^ (uint32_t)rand();
    const size_t bytes = (size_t)rand() % MAX_ZEROS;
    const uint8_t behind[2] = {(uint8_t)rand(), (uint8_t)rand()};
    // x^0 is the highest bit.
    const uint32_t power = register_after(0x80000000u, zeros, bytes);
    dut_set(d, "start_i", 1);
    dut_set(d, "by_i", start);
    dut_set(d, "also_i", behind[0] | (unsigned)behind[1] << 8);
    dut_tick(d);
    dut_set(d, "start_i", 0);
    dut_set(d, "by_i", (uint32_t)rand());
    dut_set(d, "times_i", power);
    for (unsigned i = 1; i < PRODUCT; i++) dut_tick(d);
    const uint32_t want = register_after(start, zeros, bytes) ^ register_after(0, behind, 2);
    for (unsigned wait = rand() % 3 ? 0 : (unsigned)rand() % 9;; wait--) {
      assert_int_equal(dut_get(d, "product_o"), want);
      if (wait == 0) break;
      dut_set(d, "times_i", (uint32_t)rand());
      dut_tick(d);
    }
  }
  dut_free(d);
}

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(is_what_zeros_make_of_a_register)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
