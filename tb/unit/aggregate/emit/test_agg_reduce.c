// The reduction tree against the golden model's reduction: every type, operation and number of ranks, values that hurt.
// DUT: agg_reduce -GNumRanks=6 -GWideLanes=0
// DUT: agg_reduce -GNumRanks=8 -GWideLanes=1
// DUT: agg_reduce -GNumRanks=3 -GWideLanes=0
// DUT: agg_reduce -GNumRanks=4 -GWideLanes=0 -GWithout=240
// DUT: agg_reduce -GNumRanks=2 -GWideLanes=1 -GWithout=144
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/dut.h"
#include "model/model.h"
#include "wire/feature.h"
#include "wire/reduce.h"

enum { ROW = 64, MAX_RANKS = 16, QUEUE = 64, ROWS = 30000, KEPT_AHEAD = 2 };

/// What the device is without; the program is named after its variant.
static unsigned without;

struct row {
  uint8_t sum[ROW];
  unsigned ports, at;
  bool last, keep, kept;
};

/// A 32-bit element that is rarely harmless.
static uint32_t element(void) {
  static const uint32_t corner[] = {0,          0x80000000, 1,          0x007FFFFF, 0x00800000, 0x7F7FFFFF,
                                    0x7F800000, 0xFF800000, 0x7F800001, 0x7FC00001, 0x3F800000, 0x33800000,
                                    0x7FFF7F80, 0x7C007BFF, 0x7F807F81, 0x00010001, 0x7C017E00, 0xFC008000};
  uint32_t any = (uint32_t)rand() << 17 ^ (uint32_t)rand() << 2 ^ (uint32_t)rand() >> 11;
  if (rand() % 6 == 0) return corner[(size_t)rand() % (sizeof corner / sizeof *corner)];
  return rand() % 2 ? any : (any & 0x80FF83FF) | 0x3F003C00;
}

static void agrees_with_the_model(void **state) {
  (void)state;
  struct dut *d = dut_new();
  dut_set(d, "in_valid_i", 0);
  dut_reset(d);
  // How many ranks this one has shows in the width of its input.
  unsigned ranks = (unsigned)(dut_width(d, "in_rows_i") / (8 * ROW));
  static struct row queue[QUEUE];
  unsigned head = 0, tail = 0, spare = 0, out = 0, asked = 0, kept = 0;
  bool asks[KEPT_AHEAD + 1] = {false};   // a kept sum was asked for, by cycle
  for (int i = 0; i < ROWS || head != tail; i++) {
    assert_true(i < ROWS + 200);
    bool valid = i < ROWS && spare == 0 && rand() % 4;
    spare = 0;
    dut_set(d, "in_valid_i", valid);
    if (valid) {
      uint8_t data[MAX_RANKS][ROW];
      const uint8_t *rows[MAX_RANKS];
      unsigned workers = 1 + (unsigned)rand() % ranks;
      uint8_t kind;
      do kind = (uint8_t)(rand() % 4 | rand() % 3 << 4);
      while (!feature_reduces(without, kind));
      for (unsigned r = 0; r < ranks; r++) {
        for (unsigned k = 0; k < ROW; k += 4) {
          uint32_t e = element();
          memcpy(data[r] + k, &e, 4);
        }
        rows[r] = data[r];
      }
      struct row *q = &queue[tail++ % QUEUE];
      assert_true(tail - head < QUEUE);
      assert_int_equal(ina_reduce(kind, rows, workers, ROW, q->sum), 0);
      q->ports = (unsigned)rand() & 0xFFFF;
      q->last = rand() % 2;
      q->kept = rand() % 4 == 0;
      q->keep = !q->kept && rand() % 2;
      q->at = (unsigned)rand() & 0x3FFF;
      uint32_t words[MAX_RANKS * ROW / 4];
      memcpy(words, data, ranks * ROW);
      dut_set_words(d, "in_rows_i", words, ranks * ROW / 4);
      dut_set(d, "in_workers_i", workers);
      dut_set(d, "in_kind_i", kind);
      dut_set(d, "in_ports_i", q->ports);
      dut_set(d, "in_last_i", q->last);
      dut_set(d, "in_keep_i", q->keep);
      dut_set(d, "in_kept_i", q->kept);
      dut_set(d, "in_at_i", q->at);
      spare = (kind & 15) == INA_FP16 || (kind & 15) == INA_BF16;
    }
    dut_eval(d);
    memmove(asks + 1, asks, sizeof asks - sizeof *asks);
    asks[0] = dut_get(d, "kept_re_o");
    if (asks[0]) {   // rows in between are no kept ones
      while (asked != tail && !queue[asked % QUEUE].kept) asked++;
      assert_true(asked != tail);
      assert_int_equal(dut_get(d, "kept_at_o"), queue[asked++ % QUEUE].at);
    }
    dut_tick(d);
    const bool left = dut_get(d, "out_valid_o");
    assert_int_equal(left && dut_get(d, "out_kept_o"), asks[KEPT_AHEAD - 1]);
    if (left) {
      assert_true(head != tail);
      const struct row *q = &queue[head++ % QUEUE];
      uint32_t words[ROW / 4];
      dut_get_words(d, "out_row_o", words, ROW / 4);
      assert_memory_equal(words, q->sum, ROW);
      assert_int_equal(dut_get(d, "out_ports_o"), q->ports);
      assert_int_equal(dut_get(d, "out_last_o"), q->last);
      assert_int_equal(dut_get(d, "out_keep_o"), q->keep);
      assert_int_equal(dut_get(d, "out_kept_o"), q->kept);
      assert_int_equal(dut_get(d, "out_at_o"), q->at);
      kept += q->kept;
      out++;
    }
  }
  assert_true(out > ROWS / 3 && kept > out / 8);
  dut_free(d);
}

int main(int argc, char **argv) {
  const char *told = argc > 0 ? strstr(argv[0], "Without_") : NULL;
  if (told != NULL) without = (unsigned)strtoul(told + strlen("Without_"), NULL, 10);
  srand(1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_the_model)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
