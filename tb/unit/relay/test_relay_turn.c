// Headers of a child device's packet, turned round: with and without a VLAN tag, records with and without time between them. A worker's
// stay as they are.
// DUT: relay_turn
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/bits.h"
#include "drive/dut.h"
#include "structs/roce_pkg.h"
#include "wire/bytes.h"

enum { WORDS = 8, WORD = 16, RECORD = WORDS * WORD, RECORDS = 2000 };

static void swap(uint8_t *a, uint8_t *b, size_t len) {
  for (size_t i = 0; i < len; i++) {
    const uint8_t byte = a[i];
    a[i] = b[i];
    b[i] = byte;
  }
}

/// Random bytes but for the EtherType; `turned` is what must come out.
static void make_record(bool vlan, bool device, uint8_t *record, uint8_t *turned) {
  for (size_t i = 0; i < RECORD; i++) record[i] = (uint8_t)(rand() >> 8);
  put_be16(record + 12, vlan ? 0x8100 : 0x0800);
  memcpy(turned, record, RECORD);
  if (!device) return;
  const size_t ip = vlan ? 18 : 14;
  swap(turned, turned + 6, 6);
  swap(turned + ip + 12, turned + ip + 16, 4);
  uint32_t meta[WORDS_OF(hdr_meta_t, 1)];
  const size_t at = RECORD - hdr_meta_t__BITS / 8;
  memset(meta, 0, sizeof meta);
  memcpy(meta, turned + at, RECORD - at);
  bits_put(meta, FIELD(hdr_meta_t, mark), 0);   // marks are for hosts
  memcpy(turned + at, meta, RECORD - at);
}

static void put_word(struct dut *d, const uint8_t *bytes) {
  uint32_t words[4];
  for (unsigned i = 0; i < 4; i++) words[i] = get_le32(bytes + 4 * i);
  dut_set_words(d, "word_i", words, 4);
}

static void every_record_is_turned(void **state) {
  (void)state;
  struct dut *d = dut_new();
  uint8_t record[RECORD], expected[2][RECORD];   // of this record and the one before
  unsigned out = 0, vlans = 0, gaps = 0, workers = 0;
  dut_reset(d);
  for (unsigned r = 0; r < RECORDS + 1; r++) {
    const bool vlan = rand() % 2, device = rand() % 3 != 0;
    const unsigned gap = rand() % 2 ? 0 : (unsigned)rand() % 5;
    make_record(vlan, device, record, expected[r % 2]);
    vlans += vlan;
    workers += !device;
    gaps += gap > 0;
    for (unsigned cycle = 0; cycle < WORDS + gap; cycle++) {
      const bool sends = cycle < WORDS && r < RECORDS;
      dut_set(d, "we_i", sends);
      dut_set(d, "turn_i", sends ? device : (unsigned)rand() % 2);
      if (sends) put_word(d, record + (size_t)((cycle + WORDS - 1) % WORDS) * WORD);
      dut_tick(d);
      if (!dut_get(d, "we_o")) continue;
      uint32_t words[4];
      const uint8_t *want = expected[out / WORDS % 2] + (size_t)((out + WORDS - 1) % WORDS) * WORD;
      dut_get_words(d, "word_o", words, 4);
      for (unsigned i = 0; i < 4; i++) assert_int_equal(words[i], get_le32(want + 4 * i));
      out++;
    }
  }
  assert_int_equal(out, RECORDS * WORDS);
  assert_true(vlans > RECORDS / 3 && vlans < RECORDS * 2 / 3 && gaps > RECORDS / 4 && workers > RECORDS / 4);
  dut_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_record_is_turned)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
