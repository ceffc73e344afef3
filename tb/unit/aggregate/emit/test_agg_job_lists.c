// Whose turn it is among waiting jobs: each list in its order, first results before repetitions, and one repetition behind every eighth of them, round
// for round.
// DUT: agg_job_lists -GNumPorts=2 -GNumRings=2 -GNumSlots=64
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "drive/bits.h"
#include "drive/dut.h"
#include "structs/agg_pkg.h"

enum { RINGS = 2, SLOTS = 64, ROUNDS = 40, IN_ROW = 8, TAKE = 6, CYCLES = 20000 };

/// Jobs that wait, by ring and kind, in the order in which they came.
struct list {
  unsigned slots[SLOTS], head, count;
};

static void job(struct dut *d, bool again, bool ended, unsigned ring, unsigned slot) {
  uint32_t words[WORDS_OF(job_t, 1)] = {0};
  bits_put(words, FIELD(job_t, first), !again && !ended);
  bits_put(words, FIELD(job_t, again), again && !ended);
  bits_put(words, FIELD(job_t, ended), ended);
  bits_put(words, FIELD(job_t, ring), ring);
  bits_put(words, FIELD(job_t, slot), slot);
  dut_set_words(d, "job_i", words, WORDS_OF(job_t, 1));
}

static void push(struct dut *d, struct list lists[2][RINGS], unsigned slot) {
  const bool again = slot % 4 == 0;
  const unsigned ring = slot / 4 % RINGS;
  struct list *l = &lists[again][ring];
  l->slots[(l->head + l->count++) % SLOTS] = slot;
  job(d, again, false, ring, slot);
}

static void each_in_its_turn(void **state) {
  (void)state;
  struct dut *d = dut_new();
  struct list lists[2][RINGS] = {0};
  dut_reset(d);
  dut_set(d, "ready_i", 3);
  for (unsigned slot = 0; slot < SLOTS; slot++) {
    push(d, lists, slot);
    dut_tick(d);
  }
  dut_set_words(d, "job_i", NULL, 0);
  unsigned rounds = 0, in_row = 0, slot = 0, left = 0, of_ring[2][RINGS] = {0};
  for (unsigned cycle = 0; rounds < ROUNDS; cycle++) {
    assert_true(cycle < CYCLES);
    dut_set(d, "start_i", 0);
    dut_eval(d);
    if (left == 0 && dut_get(d, "valid_o")) {
      slot = (unsigned)dut_get(d, "slot_o");
      const bool again = slot % 4 == 0;
      struct list *l = &lists[again][slot / 4 % RINGS];
      assert_int_equal(slot, l->slots[l->head % SLOTS]);
      l->head++, l->count--;
      of_ring[again][slot / 4 % RINGS]++;
      if (again) {
        if (rounds) assert_int_equal(in_row, IN_ROW);
        rounds++, in_row = 0;
      } else {
        assert_true(in_row < IN_ROW);
        in_row++;
      }
      dut_set(d, "start_i", 1);
      left = TAKE;
    }
    if (left == 2) job(d, false, true, 0, slot);
    if (left == 1) push(d, lists, slot);   // it waits once more, behind all others
    if (left) left--;
    dut_tick(d);
    dut_set_words(d, "job_i", NULL, 0);
  }
  // Rings take turns.
  for (unsigned again = 0; again < 2; again++) assert_in_range(of_ring[again][0], of_ring[again][1] - 1, of_ring[again][1] + 1);
  dut_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_in_its_turn)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
