// Sums that are kept: what leaves is the sum of the ranks' rows, or for a repetition what left for its slot before, whatever the rows are by then.
// DUT: sum_of_sizes
// DUT: sum_of_sizes -GWideLanes=1
// DUT: sum_of_sizes -GNumRanks=1
// DUT: sum_of_sizes -GEcc=1
// DUT: sum_of_sizes -GNumRanks=1 -GEcc=1
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
#include "model/model.h"
#include "structs/agg_pkg.h"
#include "wire/reduce.h"

/// A slot is read again LEAST cycles after its last read began, or later: so long its header record takes.
enum { ROW = 64, ROWS = 4, SLOTS = 6, MAX_RANKS = 3, QUEUE = 256, READS = 4000, LEAST = 8 };

struct row {
  uint8_t bytes[ROW];
  unsigned ports, slot;
  bool last, corrected, bad;
};

struct bench {
  struct dut *d;
  unsigned ranks;
  bool ecc;
  struct row queue[QUEUE];
  unsigned head, tail, left, kept, lost;
  struct row sums[SLOTS][ROWS];   // as they were kept
  bool there[SLOTS];
};

static void tick(struct bench *b) {
  dut_tick(b->d);
  dut_set_words(b->d, "req_i", NULL, 0);
  uint32_t event[WORDS_OF(mem_event_t, 1)];
  dut_get_words(b->d, "event_o", event, WORDS_OF(mem_event_t, 1));
  if (!dut_get(b->d, "valid_o")) {
    assert_int_equal(bits_get(event, FIELD(mem_event_t, found__bad)), 0);
    return;
  }
  assert_true(b->head != b->tail);
  const struct row *q = &b->queue[b->head++ % QUEUE];
  uint32_t words[ROW / 4];
  dut_get_words(b->d, "row_o", words, ROW / 4);
  if (!q->bad) assert_memory_equal(words, q->bytes, ROW);
  assert_int_equal(dut_get(b->d, "last_o"), q->last);
  assert_int_equal(dut_get(b->d, "ports_o"), q->ports);
  assert_int_equal(dut_get(b->d, "bad_o"), q->bad);
  assert_int_equal(bits_get(event, FIELD(mem_event_t, found__bad)), q->bad);
  if (b->ecc && q->bad) assert_int_equal(bits_get(event, FIELD(mem_event_t, at)), q->slot);
  b->left++;
}

/// One row of a read, with new rows of all ranks.
static void put_row(struct bench *b, unsigned slot, unsigned row, bool kept, uint8_t kind, bool last) {
  uint8_t data[MAX_RANKS][ROW];
  const uint8_t *rows[MAX_RANKS];
  struct row *q = &b->queue[b->tail++ % QUEUE];
  const unsigned workers = 1 + (unsigned)rand() % b->ranks;
  const bool bad = b->ecc && !kept && rand() % 50 == 0;
  for (unsigned r = 0; r < b->ranks; r++) {
    for (unsigned i = 0; i < ROW; i++) data[r][i] = (uint8_t)rand();
    rows[r] = data[r];
  }
  if (kept) {
    *q = b->sums[slot][row];
  } else {
    *q = (struct row){.bad = bad, .slot = slot};
    assert_int_equal(ina_reduce(kind, rows, workers, ROW, q->bytes), 0);
    b->sums[slot][row] = *q;
  }
  q->ports = (unsigned)rand() & 3;
  q->last = last;
  b->kept += kept;
  b->lost += q->bad && kept;
  uint32_t words[MAX_RANKS * ROW / 4], w[WORDS_OF(reduce_req_t, 1)] = {0};
  memcpy(words, data, b->ranks * ROW);
  dut_set_words(b->d, "rows_i", words, b->ranks * ROW / 4);
  bits_put(w, FIELD(reduce_req_t, valid), 1);
  bits_put(w, FIELD(reduce_req_t, workers), workers);
  bits_put(w, FIELD(reduce_req_t, kind), kind);
  bits_put(w, FIELD(reduce_req_t, last), last);
  bits_put(w, FIELD(reduce_req_t, ports), q->ports);
  bits_put(w, FIELD(reduce_req_t, keep), !kept);
  bits_put(w, FIELD(reduce_req_t, kept), kept);
  bits_put(w, FIELD(reduce_req_t, slot), slot);
  bits_put(w, FIELD(reduce_req_t, row), row);
  bits_put(w, FIELD(reduce_req_t, found__bad), bad);
  dut_set_words(b->d, "req_i", w, WORDS_OF(reduce_req_t, 1));
  tick(b);
}

static void repetitions_are_what_left_before(void **state) {
  (void)state;
  struct bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->d = dut_new();
  dut_set_words(b->d, "req_i", NULL, 0);
  dut_reset(b->d);
  b->ranks = (unsigned)(dut_width(b->d, "rows_i") / (8 * ROW));
  b->ecc = *(const bool *)*state;
  uint8_t kinds[SLOTS] = {0};
  unsigned lengths[SLOTS] = {0};
  for (unsigned i = 0; i < READS; i++) {
    const unsigned slot = rand() % 2 ? (unsigned)rand() % SLOTS : 0;   // often the same
    const bool kept = b->there[slot] && rand() % 3 != 0;
    if (!kept) {
      kinds[slot] = (uint8_t)(rand() % 4 | rand() % 3 << 4);
      lengths[slot] = 1 + (unsigned)rand() % ROWS;
      b->there[slot] = true;
    }
    const bool half = (kinds[slot] & 15) == INA_FP16 || (kinds[slot] & 15) == INA_BF16;
    unsigned cycles = 0;
    for (unsigned row = 0; row < lengths[slot]; row++) {
      put_row(b, slot, row, kept, kinds[slot], row + 1 == lengths[slot]);
      cycles++;
      if (half) tick(b), cycles++;
    }
    for (; cycles < LEAST; cycles++) tick(b);
    if (rand() % 8 == 0) tick(b);
  }
  for (unsigned i = 0; i < 64; i++) tick(b);
  assert_int_equal(b->head, b->tail);
  assert_true(b->left > READS && b->kept > READS / 2 && (!b->ecc || b->lost > 10));
  dut_free(b->d);
  free(b);
}

int main(int argc, char **argv) {
  static bool ecc;
  ecc = argc > 0 && strstr(argv[0], "Ecc_1") != NULL;
  srand(1);
  const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(repetitions_are_what_left_before, &ecc)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
