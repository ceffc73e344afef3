// CRC-32, 64, 16 or 128 bytes a beat, against zlib.
// DUT: prim_crc32_beat
// DUT: prim_crc32_beat -GBytes=16
// DUT: prim_crc32_beat -GBytes=128
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

enum { MAX_BEAT = 128, MAX_BEATS = 12, MESSAGES = 2000 };

/// The register after `len` bytes, from a register of zero.
static uint32_t register_after(const uint8_t *data, size_t len) { return ~(uint32_t)crc32(0xFFFFFFFFu, data, (uInt)len); }

static void agrees_with_zlib(void **state) {
  (void)state;
  struct dut *d = dut_new();
  dut_set(d, "valid_i", 0);
  dut_reset(d);
  const size_t beat_bytes = dut_width(d, "data_i") / 8;
  static uint32_t expected[MESSAGES];
  unsigned asked = 0, answered = 0;
  uint8_t message[MAX_BEATS * MAX_BEAT];
  size_t beats = 0, beat = 0;
  for (int cycle = 0; answered < MESSAGES; cycle++) {
    assert_true(cycle < 100000);
    bool valid = asked < MESSAGES && rand() % 4;
    dut_set(d, "valid_i", valid);
    if (valid) {
      if (beat == 0) {
        beats = 1 + (size_t)rand() % MAX_BEATS;
        for (size_t i = 0; i < beats * beat_bytes; i++) message[i] = (uint8_t)rand();
      }
      uint32_t words[MAX_BEAT / 4];
      memcpy(words, message + beat * beat_bytes, beat_bytes);
      dut_set_words(d, "data_i", words, beat_bytes / 4);
      dut_set(d, "first_i", beat == 0);
      dut_set(d, "last_i", beat + 1 == beats);
      if (++beat == beats) {
        expected[asked++] = register_after(message, beats * beat_bytes);
        beat = 0;
      }
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_zlib)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
