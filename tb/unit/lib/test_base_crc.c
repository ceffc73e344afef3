// CRC-32 in one go and in parts, of every short length and of random longer ones: what zlib says.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/crc.h"
#include "base/rng.h"

enum { SHORT = 400, LONG = 10000, RUNS = 2000 };

static void compare(uint32_t crc, const uint8_t *bytes, size_t len) {
  assert_int_equal(crc_more(crc, bytes, len), (uint32_t)crc32(crc, bytes, (uInt)len));
}

static void short_ones(void **state) {
  (void)state;
  uint8_t bytes[SHORT];
  struct rng rng = rng_for(1, 0);
  for (size_t len = 0; len <= SHORT; len++) {
    for (size_t i = 0; i < SHORT; i++) bytes[i] = (uint8_t)rng_next(&rng);
    compare(0, bytes, len);
    compare((uint32_t)rng_next(&rng), bytes, len);
  }
}

static void one_bit(void **state) {
  (void)state;
  uint8_t bytes[SHORT] = {0};
  for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
    bytes[bit / 8] = (uint8_t)(1u << bit % 8);
    compare(0, bytes, sizeof bytes);
    bytes[bit / 8] = 0;
  }
}

static void parts_of_long_ones(void **state) {
  (void)state;
  static uint8_t bytes[LONG];
  struct rng rng = rng_for(2, 0);
  for (size_t i = 0; i < LONG; i++) bytes[i] = (uint8_t)rng_next(&rng);
  for (unsigned run = 0; run < RUNS; run++) {
    const size_t from = rng_below(&rng, LONG), len = rng_below(&rng, (uint32_t)(LONG - from)),
                 cut = len ? rng_below(&rng, (uint32_t)len) : 0;
    const uint32_t whole = crc_more(0, bytes + from, len);
    assert_int_equal(crc_more(crc_more(0, bytes + from, cut), bytes + from + cut, len - cut), whole);
    compare(0, bytes + from, len);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(short_ones), cmocka_unit_test(one_bit),
                                     cmocka_unit_test(parts_of_long_ones)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
