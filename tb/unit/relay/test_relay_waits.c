// Whom a column below a parent waits for: its own workers, and then the parent until its result has passed. Events of slot state, summed.
// DUT: agg_slot_state -GNumPorts=2 -GNumRanks=3 -GNumSlots=4 -GUplink=1
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
#include "structs/agg_pkg.h"
#include "wire/fate.h"

enum { PORTS = 2, WORKERS = 2, PARENT = 2, LANES = 3, SLOTS = 4, RING = 3, LATENCY = 12 };

struct bench {
  struct dut *d;
  int waits[LANES];   // columns that wait for a rank, the parent behind the workers
  unsigned fate;      // the last verdict
};

static int setup(void **state) {
  struct bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->d = dut_new();
  dut_set(b->d, "parents_i", 1u << RING);
  dut_reset(b->d);
  for (unsigned i = 0; i < 2 * SLOTS; i++) dut_tick(b->d);   // until all records are invalid
  *state = b;
  return 0;
}

static int teardown(void **state) {
  struct bench *b = *state;
  dut_free(b->d);
  free(b);
  return 0;
}

static void tick(struct bench *b) {
  uint32_t w[WORDS_OF(ring_event_t, 1)], v[WORDS_OF(verdict_t, 1)];
  dut_eval(b->d);
  dut_get_words(b->d, "ring_event_o", w, WORDS_OF(ring_event_t, 1));
  for (unsigned r = 0; r < LANES; r++) {
    const int comes = bits_get(w, FIELD(ring_event_t, comes)) >> r & 1, waits = bits_get(w, FIELD(ring_event_t, waits)) >> r & 1;
    b->waits[r] += waits - comes;
    if (waits || comes) assert_int_equal(bits_get(w, FIELD(ring_event_t, ring)), RING);
  }
  if (dut_get(b->d, "verdict_valid_o")) {
    dut_get_words(b->d, "verdict_o", v, WORDS_OF(verdict_t, 1));
    b->fate = (unsigned)bits_get(v, FIELD(verdict_t, fate));
  }
  dut_tick(b->d);
}

/// Shows an operation until it is taken, and waits for what it does.
static void until_taken(struct bench *b, const char *valid, unsigned value, const char *ready) {
  dut_set(b->d, valid, value);
  for (unsigned i = 0;; i++) {
    assert_true(i < 100);
    dut_eval(b->d);
    const bool taken = dut_get(b->d, ready) != 0;
    tick(b);
    if (taken) break;
  }
  dut_set(b->d, valid, 0);
  for (unsigned i = 0; i < LATENCY; i++) tick(b);
}

/// A packet of a worker or the parent's: decided, and committed if it is to be kept. Returns its fate.
static unsigned packet(struct bench *b, unsigned slot, unsigned msgid, unsigned rank) {
  uint32_t w[WORDS_OF(lookup_rsp_t, 1)] = {0}, c[WORDS_OF(commit_t, PORTS)] = {0};
  const unsigned port = rank == PARENT ? 1 : 0;
  bits_put(w, FIELD(lookup_rsp_t, tensor_len), 64);
  bits_put(w, FIELD(lookup_rsp_t, slot), slot);
  bits_put(w, FIELD(lookup_rsp_t, msgid), msgid);
  bits_put(w, FIELD(lookup_rsp_t, workers), WORKERS);
  bits_put(w, FIELD(lookup_rsp_t, rank), rank);
  bits_put(w, FIELD(lookup_rsp_t, ring), RING);
  bits_put(w, FIELD(lookup_rsp_t, fate), FATE_STORED);
  bits_put(w, FIELD(lookup_rsp_t, port), port);
  dut_set_words(b->d, "rsp_i", w, WORDS_OF(lookup_rsp_t, 1));
  until_taken(b, "rsp_valid_i", 1, "rsp_ready_o");
  const unsigned fate = b->fate;
  if (fate != FATE_STORED && fate != FATE_DUPLICATE) return fate;
  bits_put(c, port * commit_t__BITS + FIELD(commit_t, msgid), msgid);
  bits_put(c, port * commit_t__BITS + FIELD(commit_t, slot), slot);
  bits_put(c, port * commit_t__BITS + FIELD(commit_t, rank), rank);
  bits_put(c, port * commit_t__BITS + FIELD(commit_t, first), fate == FATE_STORED);
  bits_put(c, port * commit_t__BITS + FIELD(commit_t, port), port);
  dut_set_words(b->d, "commit_i", c, WORDS_OF(commit_t, PORTS));
  until_taken(b, "commit_valid_i", 1u << port, "commit_ready_o");
  return fate;
}

/// Emission takes all that the slot owes.
static void takes(struct bench *b, unsigned slot) {
  uint32_t w[WORDS_OF(take_t, 1)] = {0};
  bits_put(w, FIELD(take_t, slot), slot);
  bits_put(w, FIELD(take_t, port_ready), (1u << PORTS) - 1);
  dut_set_words(b->d, "take_i", w, WORDS_OF(take_t, 1));
  for (unsigned i = 0; i < 4; i++) until_taken(b, "take_valid_i", 1, "take_ready_o");
}

static void waited_for(struct bench *b, int first, int second, int parent) {
  assert_int_equal(b->waits[0], first);
  assert_int_equal(b->waits[1], second);
  assert_int_equal(b->waits[PARENT], parent);
}

static void workers_then_the_parent(void **state) {
  struct bench *b = *state;
  for (unsigned msgid = 10; msgid < 14; msgid++) {
    const unsigned slot = msgid % 2;
    assert_int_equal(packet(b, slot, msgid, 0), FATE_STORED);
    waited_for(b, 0, 1, 0);
    assert_int_equal(packet(b, slot, msgid, 1), FATE_STORED);
    waited_for(b, 0, 0, 1);
    takes(b, slot);   // its sum goes up
    waited_for(b, 0, 0, 1);
    assert_int_equal(packet(b, slot, msgid, 1), FATE_DUPLICATE);   // and up again
    takes(b, slot);
    waited_for(b, 0, 0, 1);
    assert_int_equal(packet(b, slot, msgid, PARENT), FATE_STORED);
    waited_for(b, 0, 0, 0);
    takes(b, slot);
    assert_int_equal(packet(b, slot, msgid, 0), FATE_DUPLICATE);   // asks the parent again, which has answered
    takes(b, slot);
    assert_int_equal(packet(b, slot, msgid, PARENT), FATE_STORED);
    takes(b, slot);
    waited_for(b, 0, 0, 0);
  }
}

static void several_columns(void **state) {
  struct bench *b = *state;
  for (unsigned slot = 0; slot < SLOTS; slot++) {
    for (unsigned rank = 0; rank < WORKERS; rank++) assert_int_equal(packet(b, slot, 20 + slot % 2, rank), FATE_STORED);
    takes(b, slot);   // the other slot of the pair begins no column before
    waited_for(b, 0, 0, (int)slot + 1);
  }
  assert_int_equal(packet(b, 1, 21, PARENT), FATE_STORED);
  waited_for(b, 0, 0, 3);
  // A newer message takes the slot; a flush empties one.
  assert_int_equal(packet(b, 2, 22, 0), FATE_STORED);
  waited_for(b, 0, 1, 2);
  dut_set(b->d, "flush_slot_i", 0);
  until_taken(b, "flush_valid_i", 1, "flush_ready_o");
  waited_for(b, 0, 1, 1);
  assert_int_equal(packet(b, 0, 20, PARENT), FATE_STALE);
  waited_for(b, 0, 1, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(workers_then_the_parent, setup, teardown),
      cmocka_unit_test_setup_teardown(several_columns, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
