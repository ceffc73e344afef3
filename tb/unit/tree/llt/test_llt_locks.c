// The lock cells of a node beside the model's: requests, answers, unlocks, operations that end and trees that end, of few trees and groups, so that they
// meet; every answer, and every cell behind each.
// DUT: llt_locks
// DUT: llt_locks -GNumCells=5
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "drive/bits.h"
#include "drive/dut.h"
#include "model/tree/tree_locks.h"
#include "structs/llt_pkg.h"

enum { STEPS = 200000, LATE = 2, APART = 4, QUIET = 5 };

/// An answer that is due, and how it must be.
struct due {
  bool valid, take, good;
  enum tree_verdict verdict;
  struct tree_lock holder;
};

struct bench {
  struct dut *d;
  struct tree_locks model;
  struct due due[LATE];       // [0]: in the next cycle
  uint64_t settled, counts;   // cycles since anything was asked or counted; until an operation may end
  uint64_t taken, failed, full, kept, given, ended;
};

static unsigned below(unsigned n) { return (unsigned)rand() % n; }

/// What the model makes of it.
static struct due ask(struct bench *b, unsigned op, uint16_t tree, uint16_t group, uint32_t sequence, uint32_t count, bool keep) {
  struct due due = {.valid = true, .take = op == LockTake};
  switch (op) {
    case LockTake:
      due.verdict = tree_locks_take(&b->model, tree, group, sequence, count, &due.holder);
      due.good = due.verdict == TREE_OK;
      b->taken += due.good;
      b->failed += due.verdict == TREE_LOCK_FAILED;
      b->full += due.verdict == TREE_NO_RESOURCE;
      break;
    case LockSettle:
      due.good = tree_locks_settle(&b->model, tree, group, sequence, keep);
      b->kept += due.good && keep;
      b->given += due.good && !keep;
      break;
    case LockHolds: due.good = tree_locks_holds(&b->model, tree, group); break;
    case LockRelease: due.good = tree_locks_release(&b->model, tree, group); break;
    default: due.good = tree_locks_drop(&b->model, tree); break;
  }
  return due;
}

static void check_answer(struct bench *b) {
  const struct due *due = &b->due[0];
  uint32_t words[WORDS_OF(lock_answer_t, 1)];
  assert_int_equal(dut_get(b->d, "answer_valid_o"), due->valid);
  if (!due->valid) return;
  dut_get_words(b->d, "answer_o", words, WORDS_OF(lock_answer_t, 1));
  assert_int_equal(bits_get(words, FIELD(lock_answer_t, good)), due->good);
  if (!due->take) return;
  assert_int_equal(bits_get(words, FIELD(lock_answer_t, verdict)), due->verdict);
  if (due->good) return;
  assert_int_equal(bits_get(words, FIELD(lock_answer_t, tree)), due->holder.tree);
  assert_int_equal(bits_get(words, FIELD(lock_answer_t, group)), due->holder.group);
  assert_int_equal(bits_get(words, FIELD(lock_answer_t, left)), due->holder.left);
}

static void check_cells(const struct bench *b) {
  uint32_t words[WORDS_OF(lock_cell_t, TREE_LOCK_CELLS)];
  dut_get_words(b->d, "cells_o", words, (b->model.cells * lock_cell_t__BITS + 31) / 32);
  for (unsigned c = 0; c < b->model.cells; c++) {
    const struct tree_lock *k = &b->model.lock[c];
    const size_t at = (size_t)c * lock_cell_t__BITS;
    assert_int_equal(bits_get(words, at + FIELD(lock_cell_t, used)), k->used);
    if (!k->used) continue;
    assert_int_equal(bits_get(words, at + FIELD(lock_cell_t, kept)), k->kept);
    assert_int_equal(bits_get(words, at + FIELD(lock_cell_t, tree)), k->tree);
    assert_int_equal(bits_get(words, at + FIELD(lock_cell_t, group)), k->group);
    assert_int_equal(bits_get(words, at + FIELD(lock_cell_t, sequence_no)), k->sequence);
    assert_int_equal(bits_get(words, at + FIELD(lock_cell_t, left)), k->left);
  }
}

static void step(struct bench *b, unsigned trees, unsigned pace) {
  const unsigned op = below(4) ? below(2) : below(5);
  const uint16_t tree = (uint16_t)(0x1100 + below(trees)), group = (uint16_t)(0x2200 + below(3));
  const uint32_t sequence = below(2), count = below(4);
  const bool asks = below(pace) == 0, keep = below(4) > 0, ends = b->counts == 0 && below(6) == 0;
  uint32_t words[WORDS_OF(lock_ask_t, 1)] = {0}, event[WORDS_OF(lock_count_t, 1)] = {0};
  bits_put(words, FIELD(lock_ask_t, op), op);
  bits_put(words, FIELD(lock_ask_t, keep), keep);
  bits_put(words, FIELD(lock_ask_t, tree), tree);
  bits_put(words, FIELD(lock_ask_t, group), group);
  bits_put(words, FIELD(lock_ask_t, sequence_no), sequence);
  bits_put(words, FIELD(lock_ask_t, count), count);
  dut_set(b->d, "ask_valid_i", asks);
  dut_set_words(b->d, "ask_i", words, WORDS_OF(lock_ask_t, 1));
  const uint16_t of = (uint16_t)(0x2200 + below(3)), at = (uint16_t)(0x1100 + below(trees));
  bits_put(event, FIELD(lock_count_t, valid), ends);
  bits_put(event, FIELD(lock_count_t, tree), at);
  bits_put(event, FIELD(lock_count_t, group), of);
  dut_set_words(b->d, "count_i", event, WORDS_OF(lock_count_t, 1));
  dut_eval(b->d);
  check_answer(b);
  const bool takes = asks && dut_get(b->d, "ask_ready_o");
  if (b->settled >= QUIET) check_cells(b);
  b->due[0] = b->due[1];
  b->due[1] = (struct due){.valid = false};
  if (takes) b->due[1] = ask(b, op, tree, group, sequence, count, keep);
  if (ends) b->ended += tree_locks_count(&b->model, at, of);
  b->counts = ends ? APART : b->counts - (b->counts > 0);
  b->settled = takes || ends ? 0 : b->settled + 1;
  dut_tick(b->d);
}

static void cells(void **state) {
  (void)state;
  struct bench b = {.d = dut_new()};
  b.model.cells = (unsigned)(dut_width(b.d, "cells_o") / lock_cell_t__BITS);
  dut_reset(b.d);
  for (unsigned i = 0; i < STEPS; i++) step(&b, i % 1000 < 500 ? 2 : b.model.cells + 2, i % 300 < 200 ? 10 : 2);
  assert_true(b.taken > 1000 && b.failed > 1000 && b.full > 1000 && b.kept > 400 && b.given > 150 && b.ended > 600);
  // With reset nothing is held.
  dut_reset(b.d);
  for (unsigned c = 0; c < b.model.cells; c++) b.model.lock[c].used = false;
  check_cells(&b);
  dut_free(b.d);
}

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(cells)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
