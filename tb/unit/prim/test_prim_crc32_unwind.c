// Running a CRC-32 back over zero bytes gives the register in front of them, as zlib says.
// DUT: prim_crc32_unwind
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

enum { ROUNDS = 4000 };

static uint32_t register_after(uint32_t start, const uint8_t *data, size_t len) {
  return ~(uint32_t)crc32(~start, data, (uInt)len);
}

static void undoes_zero_bytes(void **state) {
  (void)state;
  struct dut *d = dut_new();
  dut_set(d, "valid_i", 0);
  dut_reset(d);
  static const uint8_t zeros[64];
  static uint32_t expected[ROUNDS];
  unsigned asked = 0, answered = 0;
  for (int cycle = 0; answered < ROUNDS; cycle++) {
    assert_true(cycle < 100000);
    bool valid = asked < ROUNDS && rand() % 3;
    dut_set(d, "valid_i", valid);
    if (valid) {
      uint32_t start = (uint32_t)rand() << 16 ^ (uint32_t)rand();
      size_t bytes = asked < 32 ? 2 * asked : 2 * ((size_t)rand() % 32);
      dut_set(d, "crc_i", register_after(start, zeros, bytes));
      dut_set(d, "bytes_i", bytes);
      expected[asked++] = start;
    }
    dut_tick(d);
    if (dut_get(d, "valid_o")) {
      assert_true(answered < asked);
      assert_int_equal(dut_get(d, "crc_o"), expected[answered++]);
    }
  }
  dut_free(d);
}

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(undoes_zero_bytes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
