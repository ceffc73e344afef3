// Rows and header records of one rank's bank, against arrays.
// DUT: agg_bank -GSlotBytes=256 -GNumSlots=6
// DUT: agg_bank -GSlotBytes=256 -GNumSlots=6 -GPairs=0
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
#include "structs/agg_pkg.h"

enum { SLOTS = 6, ROWS = 4, WORDS = 16, QUIET = 10 };

/// Slots with one place for payloads; the program is named after its variant.
static unsigned shared = 2;

struct twin {
  uint32_t rows[SLOTS][ROWS][WORDS], headers[SLOTS][2][WORDS];
};

static void write_row(struct dut *d, struct twin *t, bool header, unsigned slot, unsigned row) {
  uint32_t words[WORDS_OF(bank_write_t, 1)] = {0};
  for (int i = 0; i < WORDS; i++) words[i] = (uint32_t)rand() << 16 ^ (uint32_t)rand();
  memcpy(header ? t->headers[slot][row] : t->rows[slot / shared][row], words, sizeof(uint32_t[WORDS]));
  bits_put(words, FIELD(bank_write_t, row), row);
  bits_put(words, FIELD(bank_write_t, slot), slot);
  bits_put(words, FIELD(bank_write_t, header), header);
  dut_set_words(d, "write_i", words, WORDS_OF(bank_write_t, 1));
  dut_set(d, "we_i", 1);
}

static void rows_and_headers_keep_apart(void **state) {
  (void)state;
  struct dut *d = dut_new();
  struct twin t;
  static const char *const enables[] = {"we_i", "row_re_i", "hdr_re_i"};
  for (size_t i = 0; i < 3; i++) dut_set(d, enables[i], 0);
  for (int i = 0; i < QUIET; i++) dut_tick(d);
  for (unsigned s = 0; s < SLOTS; s++) {
    for (unsigned r = 0; r < ROWS; r++) {
      write_row(d, &t, false, s, r);
      dut_tick(d);
    }
    for (unsigned r = 0; r < 2; r++) {
      write_row(d, &t, true, s, r);
      dut_tick(d);
    }
  }
  dut_set(d, "we_i", 0);

  // One request a cycle; what was asked two cycles ago is there now.
  const uint32_t *row[3] = {0}, *header[3] = {0};
  unsigned writes = 0;
  int read_at[SLOTS][ROWS];   // round in which a row was read last; emission leaves it alone before its next write
  memset(read_at, 0x80, sizeof read_at);
  for (int i = 0; i < 20000; i++) {
    unsigned s = (unsigned)rand() % SLOTS, r = (unsigned)rand() % ROWS, hs = (unsigned)rand() % SLOTS;
    bool re = rand() % 4, hre = rand() % 4, we = rand() % 2;
    if (re) read_at[s / shared][r] = i;
    row[2] = row[1];
    header[2] = header[1];
    row[1] = re ? t.rows[s / shared][r] : NULL;
    header[1] = hre ? t.headers[hs][r % 2] : NULL;
    dut_set(d, "row_re_i", re);
    dut_set(d, "row_slot_i", s);
    dut_set(d, "row_row_i", r);
    dut_set(d, "hdr_re_i", hre);
    dut_set(d, "hdr_slot_i", hs);
    dut_set(d, "hdr_row_i", r % 2);
    dut_set(d, "we_i", 0);
    dut_tick(d);
    uint32_t got[WORDS];
    dut_get_words(d, "row_o", got, WORDS);
    if (row[2]) assert_memory_equal(got, row[2], sizeof got);
    dut_get_words(d, "hdr_o", got, WORDS);
    if (header[2]) assert_memory_equal(got, header[2], sizeof got);
    if (we) {
      dut_set(d, "row_re_i", 0);
      dut_set(d, "hdr_re_i", 0);
      bool h = rand() % 2;
      const unsigned ws = (unsigned)rand() % SLOTS, wr = (unsigned)rand() % (h ? 2 : ROWS);
      if (!h && i - read_at[ws / shared][wr] < QUIET) continue;
      write_row(d, &t, h, ws, wr);
      dut_tick(d);
      writes++;
      row[1] = row[2] = header[1] = header[2] = NULL;
    }
  }
  assert_true(writes > 2000);
  dut_free(d);
}

int main(int argc, char **argv) {
  if (argc > 0 && strstr(argv[0], "Pairs_0") != NULL) shared = 1;
  srand(1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(rows_and_headers_keep_apart)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
