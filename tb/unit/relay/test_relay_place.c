// Packets of child devices inside their messages and outside of them. All others stay as they are.
// DUT: relay_place
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/dut.h"
#include "drive/bits.h"
#include "structs/roce_pkg.h"

enum { WORDS = WORDS_OF(frame_desc_t, 1), STEPS = 200000 };

/// Small numbers and large ones.
static uint32_t some(unsigned bits) {
  const uint32_t any = ((uint32_t)rand() << 16 ^ (uint32_t)rand()) & (uint32_t)((UINT64_C(1) << bits) - 1);
  return rand() % 2 ? any : any >> (bits - 4) % bits;
}

static void refuses_what_is_outside(void **state) {
  (void)state;
  struct dut *d = dut_new();
  assert_int_equal(dut_width(d, "desc_i"), frame_desc_t__BITS);
  uint32_t in[WORDS] = {0}, out[WORDS], want[WORDS];
  unsigned good = 0, bad = 0, without = 0;
  for (int i = 0; i < STEPS; i++) {
    for (unsigned w = 0; w < WORDS; w++) in[w] = (uint32_t)rand() << 16 ^ (uint32_t)rand();
    in[WORDS - 1] &= (1u << frame_desc_t__BITS % 32) - 1;
    const uint32_t msglen = some(16), psn = rand() % 3 ? some(24) : (msglen + (uint32_t)(rand() % 3) - 1) & 0xffffff;
    const bool has_ina = bits_get(in, FIELD(frame_desc_t, has_ina)), devices = rand() % 4 != 0;
    bits_put(in, FIELD(frame_desc_t, psn), psn);
    bits_put(in, FIELD(frame_desc_t, ina__msglen), msglen);
    memcpy(want, in, sizeof want);
    if (!has_ina || !devices) {
      without++;
    } else if (psn < msglen) {
      good++;
    } else {
      bits_put(want, FIELD(frame_desc_t, ina__msglen), 0);
      bad++;
    }
    dut_set_words(d, "desc_i", in, WORDS);
    dut_set(d, "devices_i", devices);
    dut_eval(d);
    dut_get_words(d, "desc_o", out, WORDS);
    assert_memory_equal(out, want, sizeof want);
  }
  assert_true(good > 1000 && bad > 1000 && without > 1000);
  dut_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(refuses_what_is_outside)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
