// Slot state with coded records: one flipped bit is corrected and counted, two lose the record, and with it its slot's packets until a flush, but
// never a job, nor the count of slots that hold packets.
// DUT: slot_state_flips -GNumPorts=2 -GNumRanks=4 -GNumSlots=8
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "drive/bits.h"
#include "drive/dut.h"
#include "structs/agg_obs_pkg.h"
#include "structs/agg_pkg.h"
#include "wire/fate.h"

// A record of two ranks in slot 5; the slot before it in its window is 1. An operation is over when its observer has heard of it.
enum { SLOTS = 8, SLOT = 5, OTHER = 1, RANKS = 2, MSGID = 77, LATENCY = 7, TAKE_GONE = 0, TAKE_DONE = 2, PLENTY = 64 };
/// Bits of a record in memory: code words of 64 data bits first, and behind all a job, and packets, five times each.
enum { DATA_BIT = 3, DATA_BIT_TOO = 40, CODE_BITS = 109, FIELD_VALID = 91 };

struct seen {
  bool verdict, take, first, again, ended, lost;
  unsigned fate, status, corrected, bad, at, lost_slot;
  int columns;   // that hold packets
};

struct bench {
  struct dut *dut;
  struct seen seen;
};

static void look(struct bench *b) {
  struct seen *s = &b->seen;
  uint32_t w[8] = {0};
  dut_get_words(b->dut, "mem_event_o", w, WORDS_OF(mem_event_t, 1));
  const uint32_t found[1] = {(uint32_t)bits_get(w, FIELD(mem_event_t, found))};
  if (found[0] != 0) s->at = (unsigned)bits_get(w, FIELD(mem_event_t, at));
  s->corrected += (unsigned)bits_get(found, FIELD(ecc_t, corrected));
  s->bad += (unsigned)bits_get(found, FIELD(ecc_t, bad));
  dut_get_words(b->dut, "ring_event_o", w, WORDS_OF(ring_event_t, 1));
  s->columns += (int)bits_get(w, FIELD(ring_event_t, fills)) - (int)bits_get(w, FIELD(ring_event_t, empties));
  dut_get_words(b->dut, "obs_o", w, WORDS_OF(obs_state_t, 1));
  if (bits_get(w, FIELD(obs_state_t, lost))) {
    s->lost = true;
    s->lost_slot = (unsigned)bits_get(w, FIELD(obs_state_t, slot));
  }
  if (dut_get(b->dut, "verdict_valid_o")) {
    s->verdict = true;
    dut_get_words(b->dut, "verdict_o", w, WORDS_OF(verdict_t, 1));
    s->fate = (unsigned)bits_get(w, FIELD(verdict_t, fate));
  }
  if (dut_get(b->dut, "take_rsp_valid_o")) {
    s->take = true;
    dut_get_words(b->dut, "take_rsp_o", w, WORDS_OF(take_rsp_t, 1));
    s->status = (unsigned)bits_get(w, FIELD(take_rsp_t, status));
  }
  s->first |= dut_get(b->dut, "job_first_o");
  s->again |= dut_get(b->dut, "job_again_o");
  s->ended |= dut_get(b->dut, "job_ended_o");
}

/// Offers an operation until it is accepted, and clocks until all has been heard of it.
static void offer(struct bench *b, const char *valid, const char *ready) {
  const int columns = b->seen.columns;
  b->seen = (struct seen){.columns = columns};
  dut_set(b->dut, valid, 1);
  dut_eval(b->dut);
  for (unsigned i = 0; i < PLENTY && !dut_get(b->dut, ready); i++) dut_tick(b->dut);
  assert_true(dut_get(b->dut, ready));
  dut_tick(b->dut);
  dut_set(b->dut, valid, 0);
  for (unsigned i = 0; i < 2 * LATENCY + 2; i++) {   // with the free that a take may cause
    look(b);
    dut_tick(b->dut);
  }
}

static unsigned decide(struct bench *b, unsigned rank) {
  uint32_t w[WORDS_OF(lookup_rsp_t, 1)] = {0};
  bits_put(w, FIELD(lookup_rsp_t, tensor_len), 64);
  bits_put(w, FIELD(lookup_rsp_t, slot), SLOT);
  bits_put(w, FIELD(lookup_rsp_t, msgid), MSGID);
  bits_put(w, FIELD(lookup_rsp_t, workers), RANKS);
  bits_put(w, FIELD(lookup_rsp_t, rank), rank);
  bits_put(w, FIELD(lookup_rsp_t, fate), FATE_STORED);
  dut_set_words(b->dut, "rsp_i", w, WORDS_OF(lookup_rsp_t, 1));
  offer(b, "rsp_valid_i", "rsp_ready_o");
  assert_true(b->seen.verdict);
  return b->seen.fate;
}

static void commit(struct bench *b, unsigned rank) {
  uint32_t w[WORDS_OF(commit_t, 2)] = {0};
  bits_put(w, FIELD(commit_t, msgid), MSGID);
  bits_put(w, FIELD(commit_t, slot), SLOT);
  bits_put(w, FIELD(commit_t, rank), rank);
  bits_put(w, FIELD(commit_t, first), 1);
  dut_set_words(b->dut, "commit_i", w, WORDS_OF(commit_t, 2));
  offer(b, "commit_valid_i", "commit_ready_o");
}

static unsigned take(struct bench *b) {
  dut_set(b->dut, "take_i", (uint64_t)SLOT << take_t__slot__AT | UINT64_C(3) << take_t__port_ready__AT);
  offer(b, "take_valid_i", "take_ready_o");
  assert_true(b->seen.take);
  return b->seen.status;
}

static void flush(struct bench *b) {
  dut_set(b->dut, "flush_slot_i", SLOT);
  offer(b, "flush_valid_i", "flush_ready_o");
}

static void flip(struct bench *b, unsigned slot, const unsigned bits[], unsigned count) {
  uint32_t w[4] = {0};
  for (unsigned i = 0; i < count; i++) w[bits[i] / 32] ^= 1u << bits[i] % 32;
  dut_set_words(b->dut, "flip_bits_i", w, 4);
  dut_set(b->dut, "flip_slot_i", slot);
  dut_set(b->dut, "flip_i", 1);
  dut_tick(b->dut);
  dut_set(b->dut, "flip_i", 0);
}

static void flip_two(struct bench *b, unsigned slot) { flip(b, slot, (const unsigned[]){DATA_BIT, DATA_BIT_TOO}, 2); }

static void found(const struct bench *b, unsigned corrected, unsigned bad) {
  assert_int_equal(b->seen.corrected, corrected);
  assert_int_equal(b->seen.bad, bad);
  if (corrected + bad != 0) assert_int_equal(b->seen.at, SLOT);
}

static struct bench fresh(void) {
  struct bench b = {.dut = dut_new()};
  dut_reset(b.dut);
  for (unsigned i = 0; i < SLOTS + 2; i++) dut_tick(b.dut);
  return b;
}

/// Each bit of a record, one after the other: what it says stays the same.
static void one_bit_is_corrected(void **state) {
  (void)state;
  struct bench b = fresh();
  assert_int_equal(decide(&b, 0), FATE_STORED);
  found(&b, 0, 0);
  for (unsigned bit = 0; bit < CODE_BITS + 10; bit++) {
    flip(&b, SLOT, &bit, 1);
    assert_int_equal(decide(&b, 0), FATE_DUPLICATE);
    found(&b, 1, 0);
    assert_false(b.seen.lost);
  }
  // The operation wrote it back as it should be.
  assert_int_equal(decide(&b, 0), FATE_DUPLICATE);
  found(&b, 0, 0);
  dut_free(b.dut);
}

/// Of any two bits of a code word nothing is believed.
static void two_bits_lose_the_slot(void **state) {
  (void)state;
  struct bench b = fresh();
  assert_int_equal(decide(&b, 0), FATE_STORED);
  assert_int_equal(b.seen.columns, 1);
  flip_two(&b, SLOT);
  assert_int_equal(decide(&b, 0), FATE_MEMORY_ERROR);
  found(&b, 0, 1);
  assert_true(b.seen.lost);
  assert_int_equal(b.seen.lost_slot, SLOT);
  assert_int_equal(b.seen.columns, 0);
  // It stays so, and is not counted again; nor does what is still on its way bring it back, not even one more flipped bit.
  commit(&b, 0);
  assert_false(b.seen.first || b.seen.again);
  const unsigned bit = FIELD_VALID;
  flip(&b, SLOT, &bit, 1);
  assert_int_equal(decide(&b, 1), FATE_MEMORY_ERROR);
  found(&b, 1, 0);
  flip_two(&b, SLOT);
  assert_int_equal(decide(&b, 1), FATE_MEMORY_ERROR);
  found(&b, 0, 1);
  assert_int_equal(b.seen.columns, 0);
  // Neighbours are what they were.
  flush(&b);
  assert_int_equal(decide(&b, 1), FATE_STORED);
  found(&b, 0, 0);
  assert_false(b.seen.lost);
  assert_int_equal(b.seen.columns, 1);
  dut_free(b.dut);
}

/// A job that is out when its record is lost is found without dues; a column behind a flush has one job, not two.
static void jobs_are_not_lost(void **state) {
  (void)state;
  for (unsigned flushed_first = 0; flushed_first < 2; flushed_first++) {
    struct bench b = fresh();
    for (unsigned r = 0; r < RANKS; r++) {
      assert_int_equal(decide(&b, r), FATE_STORED);
      commit(&b, r);
    }
    assert_true(b.seen.first);
    flip_two(&b, SLOT);
    if (!flushed_first) {
      assert_int_equal(take(&b), TAKE_GONE);
      found(&b, 0, 1);
      assert_true(b.seen.ended);
    }
    flush(&b);
    for (unsigned r = 0; r < RANKS; r++) {
      assert_int_equal(decide(&b, r), FATE_STORED);
      commit(&b, r);
    }
    assert_int_equal(b.seen.first, !flushed_first);
    assert_int_equal(take(&b), TAKE_DONE);
    dut_free(b.dut);
  }
}

/// Flipped bits beside the code that say whether a job is out: two of five change nothing.
static void votes_hold(void **state) {
  (void)state;
  for (unsigned which = 0; which < 2; which++) {
    struct bench b = fresh();
    for (unsigned r = 0; r < RANKS; r++) {
      assert_int_equal(decide(&b, r), FATE_STORED);
      commit(&b, r);
    }
    assert_int_equal(b.seen.columns, 1);
    flip(&b, SLOT, (const unsigned[]){CODE_BITS + which, CODE_BITS + 4 + which, DATA_BIT, DATA_BIT_TOO}, 4);
    flush(&b);
    found(&b, 1, 1);
    assert_int_equal(b.seen.columns, 0);
    for (unsigned r = 0; r < RANKS; r++) {
      assert_int_equal(decide(&b, r), FATE_STORED);
      commit(&b, r);
    }
    assert_false(b.seen.first);   // the job of before serves
    assert_int_equal(take(&b), TAKE_DONE);
    dut_free(b.dut);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_bit_is_corrected),
      cmocka_unit_test(two_bits_lose_the_slot),
      cmocka_unit_test(jobs_are_not_lost),
      cmocka_unit_test(votes_hold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
