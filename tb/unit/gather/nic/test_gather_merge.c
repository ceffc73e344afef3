// Reads that units share: each look-up is as the golden model has it while gathers fail, begin anew, and slots are wanted by several
// properties; what is sent and what is known of responses leaves in order, each once; nothing is shared if it is off.
// DUT: gather_merge -GNumUnits=3 -GSlots=8 -GIndexBits=16 -GEpochW=24
// DUT: gather_merge -GNumUnits=1 -GSlots=16 -GIndexBits=20 -GEpochW=26
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
#include "model/gather_merge.h"
#include "structs/gather_obs_pkg.h"
#include "structs/gather_pkg.h"

enum { MOST_UNITS = 3, INDICES = 20, QUEUE = 64, CYCLES = 100000 };

/// What is to leave, oldest first.
struct expected {
  uint32_t id;                        // of a read that is sent
  uint32_t copies, ids[MOST_UNITS];   // of a response
};
struct line {
  struct expected at[QUEUE];
  size_t first, count;
};

struct bench {
  struct dut *dut;
  struct gather_merge *golden;
  unsigned units, epoch_bits;
  bool runs[MOST_UNITS];
  uint32_t epoch[MOST_UNITS], entry;
  bool asks[MOST_UNITS];
  struct gather_merge_who ask[MOST_UNITS];
  unsigned idx[MOST_UNITS];
  uint16_t generation;
  struct gather_merge_who flying[QUEUE];   // reads that were sent and have no response yet
  unsigned flying_idx[QUEUE];
  size_t flights;
  struct line sent, known;
  uint64_t waits, leads, alone, copies, dead;
};

static unsigned pick(unsigned below) { return (unsigned)rand() % below; }

static void put(struct line *l, struct expected e) {
  assert_true(l->count < QUEUE);
  l->at[(l->first + l->count++) % QUEUE] = e;
}

static struct expected take(struct line *l) {
  assert_true(l->count > 0);
  const struct expected e = l->at[l->first];
  l->first = (l->first + 1) % QUEUE;
  l->count--;
  return e;
}

static void put_pr(uint32_t *words, size_t at, struct gather_merge_who who, uint16_t generation, unsigned idx) {
  bits_put(words, at + FIELD(pr_t, tid), who.unit);
  bits_put(words, at + FIELD(pr_t, id), who.id);
  bits_put(words, at + FIELD(pr_t, idx), idx);
  bits_put(words, at + FIELD(pr_t, generation), generation);
}

/// Units begin and end gathers, and have reads; a read that is shown stays.
static void show_asks(struct bench *b) {
  uint32_t prs[WORDS_OF(pr_t, MOST_UNITS)] = {0}, epochs[WORDS_OF(pr_t, MOST_UNITS)] = {0};
  unsigned valid = 0, runs = 0;
  for (unsigned u = 0; u < b->units; u++) {
    if (!b->asks[u] && pick(100) == 0) {   // its gather ends, or the next one begins
      b->epoch[u] += b->runs[u];
      b->runs[u] = !b->runs[u];
    }
    if (!b->asks[u] && b->runs[u] && pick(3) == 0) {
      b->asks[u] = true;
      b->ask[u] = (struct gather_merge_who){u, b->epoch[u] << (32 - b->epoch_bits) | (b->entry++ & 0x3F)};
      b->idx[u] = pick(INDICES);
    }
    valid |= (unsigned)b->asks[u] << u;
    runs |= (unsigned)b->runs[u] << u;
    put_pr(prs, (size_t)u * pr_t__BITS, b->ask[u], b->generation, b->idx[u]);
    bits_put(epochs, (size_t)u * b->epoch_bits, b->epoch_bits, b->epoch[u]);
  }
  dut_set(b->dut, "ask_valid_i", valid);
  dut_set(b->dut, "run_i", runs);
  dut_set_words(b->dut, "ask_i", prs, (b->units * pr_t__BITS + 31) / 32);
  dut_set_words(b->dut, "epoch_i", epochs, (b->units * b->epoch_bits + 31) / 32);
}

/// A response that has come: to a read under way, or once more to an old one.
static size_t show_answer(struct bench *b) {
  uint32_t pr[WORDS_OF(pr_t, 1)] = {0};
  const size_t which = b->flights > 0 ? pick((unsigned)b->flights) : 0;
  const bool valid = b->flights > 0 && pick(3) == 0;
  if (valid) put_pr(pr, 0, b->flying[which], b->generation, b->flying_idx[which]);
  dut_set(b->dut, "answer_valid_i", valid);
  dut_set_words(b->dut, "answer_i", pr, WORDS_OF(pr_t, 1));
  return which;
}

/// What the table has decided, beside the model.
static void see(struct bench *b) {
  uint32_t o[WORDS_OF(merge_obs_t, 1)];
  dut_get_words(b->dut, "obs_o", o, WORDS_OF(merge_obs_t, 1));
  if (!bits_get(o, FIELD(merge_obs_t, valid))) return;
  const struct gather_merge_who who = {(uint32_t)bits_get(o, FIELD(merge_obs_t, unit)),
                                       (uint32_t)bits_get(o, FIELD(merge_obs_t, id))};
  const uint16_t generation = (uint16_t)bits_get(o, FIELD(merge_obs_t, generation));
  const uint64_t idx = bits_get(o, FIELD(merge_obs_t, idx));
  if (bits_get(o, FIELD(merge_obs_t, answer))) {
    struct gather_merge_who copies[MOST_UNITS];
    const size_t count = gather_merge_answer(b->golden, who.unit, generation, idx, copies);
    struct expected e = {0};
    for (size_t i = 0; i < count; i++) {
      e.copies |= UINT32_C(1) << copies[i].unit;
      e.ids[copies[i].unit] = copies[i].id;
    }
    assert_int_equal(bits_get(o, FIELD(merge_obs_t, copies)), e.copies);
    b->copies += count;
    put(&b->known, e);
    return;
  }
  const bool lives = bits_get(o, FIELD(merge_obs_t, lives)) != 0;
  struct gather_merge_who leader;
  if (gather_merge_leader(b->golden, idx, &leader)) b->dead += !lives;
  const enum gather_merge_fate fate = gather_merge_ask(b->golden, who, generation, idx, lives);
  assert_int_equal(bits_get(o, FIELD(merge_obs_t, waits)), fate == GATHER_MERGE_WAITS);
  assert_int_equal(bits_get(o, FIELD(merge_obs_t, leads)), fate == GATHER_MERGE_LEADS);
  *(fate == GATHER_MERGE_WAITS ? &b->waits : fate == GATHER_MERGE_LEADS ? &b->leads : &b->alone) += 1;
  if (fate != GATHER_MERGE_WAITS) put(&b->sent, (struct expected){.id = who.id});
}

static void take_sent(struct bench *b) {
  uint32_t pr[WORDS_OF(pr_t, 1)];
  const bool ready = b->flights < QUEUE && pick(2) == 0;
  dut_set(b->dut, "pr_ready_i", ready);
  dut_set(b->dut, "known_ready_i", 0);
  dut_eval(b->dut);
  if (ready && dut_get(b->dut, "pr_valid_o")) {
    dut_get_words(b->dut, "pr_o", pr, WORDS_OF(pr_t, 1));
    const uint32_t id = (uint32_t)bits_get(pr, FIELD(pr_t, id));
    assert_int_equal(id, take(&b->sent).id);
    b->flying_idx[b->flights] = (unsigned)bits_get(pr, FIELD(pr_t, idx));
    b->flying[b->flights++] = (struct gather_merge_who){(uint32_t)bits_get(pr, FIELD(pr_t, tid)), id};
  }
  if (!dut_get(b->dut, "known_valid_o") || pick(2) == 0) return;
  uint32_t ids[MOST_UNITS] = {0};
  dut_get_words(b->dut, "ids_o", ids, b->units);
  const struct expected e = take(&b->known);
  assert_int_equal(dut_get(b->dut, "copies_o"), e.copies);
  for (unsigned u = 0; u < b->units; u++)
    if (e.copies >> u & 1) assert_int_equal(ids[u], e.ids[u]);
  dut_set(b->dut, "known_ready_i", 1);
}

static void run(struct bench *b, bool enabled) {
  b->dut = dut_new();
  b->units = (unsigned)dut_width(b->dut, "ask_valid_i");
  b->epoch_bits = (unsigned)dut_width(b->dut, "epoch_i") / b->units;
  b->golden = gather_merge_new(b->units == 1 ? 16 : 8, b->units);
  assert_non_null(b->golden);
  dut_set(b->dut, "enable_i", enabled);
  dut_reset(b->dut);
  for (unsigned cycle = 0; cycle < CYCLES; cycle++) {
    if (pick(2000) == 0) b->generation++;
    const size_t which = show_answer(b);
    show_asks(b);
    dut_eval(b->dut);
    see(b);
    take_sent(b);
    dut_eval(b->dut);
    const unsigned taken = (unsigned)(dut_get(b->dut, "ask_ready_o") & dut_get(b->dut, "ask_valid_i"));
    for (unsigned u = 0; u < b->units; u++)
      if (taken >> u & 1) b->asks[u] = false;
    if (dut_get(b->dut, "answer_valid_i") && dut_get(b->dut, "answer_ready_o") && pick(4) > 0) {
      b->flying[which] = b->flying[--b->flights];
      b->flying_idx[which] = b->flying_idx[b->flights];
    }
    dut_tick(b->dut);
  }
  gather_merge_free(b->golden);
  dut_free(b->dut);
}

static void table_is_as_its_model(void **state) {
  (void)state;
  struct bench b = {0};
  run(&b, true);
  print_message("%u sent to lead, %u alone, %u wait, %u copies, %u behind who has ended\n", (unsigned)b.leads, (unsigned)b.alone,
                (unsigned)b.waits, (unsigned)b.copies, (unsigned)b.dead);
  assert_true(b.leads > 1000 && b.alone > 300 && b.dead > 100);
  if (b.units > 1) assert_true(b.waits > 1000 && b.copies > 500);
  if (b.units == 1) assert_int_equal(b.waits + b.copies, 0);
}

static void off_is_off(void **state) {
  (void)state;
  struct bench b = {0};
  b.dut = dut_new();
  dut_set(b.dut, "enable_i", 0);
  dut_reset(b.dut);
  b.units = (unsigned)dut_width(b.dut, "ask_valid_i");
  b.epoch_bits = (unsigned)dut_width(b.dut, "epoch_i") / b.units;
  unsigned asked = 0, sent = 0;
  dut_set(b.dut, "pr_ready_i", 1);
  for (unsigned cycle = 0; cycle < 2000; cycle++) {
    show_asks(&b);
    dut_eval(b.dut);
    assert_int_equal(dut_get(b.dut, "merged_o"), 0);
    const unsigned taken = (unsigned)(dut_get(b.dut, "ask_ready_o") & dut_get(b.dut, "ask_valid_i"));
    for (unsigned u = 0; u < b.units; u++) {
      asked += taken >> u & 1;
      if (taken >> u & 1) b.asks[u] = false;
    }
    sent += dut_get(b.dut, "pr_valid_o") != 0;
    dut_tick(b.dut);
  }
  assert_true(sent > 100 && sent + 8 >= asked && sent <= asked);
  dut_free(b.dut);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(table_is_as_its_model), cmocka_unit_test(off_is_off)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
