// What the golden model decides, rule by rule of docs/protocol.md. Emission is in test_model_emit.c, set-up in
// test_model_rings.c.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"
#include "unit/gradient.h"
#include "unit/model/model_bench.h"
#include "wire/bytes.h"

enum { H = 2 };

static struct gradient packet(unsigned rank, uint32_t msgid, unsigned offset) { return bench_packet(H, rank, msgid, offset); }

// --- at the port ---

static void port_rules_come_first(void **state) {
  struct bench *b = *state;
  uint8_t frame[BENCH_MAX_FRAME + 1] = {0};
  struct gradient g = packet(0, 0, 0);
  size_t len = gradient_frame(&g, frame);
  model_rx(b->m, 0, frame, len, true, &b->v);
  assert_int_equal(b->v.fate, FATE_FRAME_ERROR);
  assert_false(b->v.candidate);
  b->seen[FATE_FRAME_ERROR]++;
  model_rx(b->m, 0, frame, sizeof frame, true, &b->v);
  assert_int_equal(b->v.fate, FATE_FRAME_ERROR);
  bench_frame(b, 0, frame, BENCH_MAX_FRAME + 1, FATE_OVERSIZE);
  frame[len - 1] ^= 1;
  bench_frame(b, 0, frame, BENCH_MAX_FRAME + 1, FATE_OVERSIZE);
  bench_frame(b, 0, frame, len, FATE_BAD_ICRC);
  assert_false(b->v.candidate);
  frame[len - 1] ^= 1;
  // None of these has taught the model anything: a MIDDLE is still of an unknown connection.
  bench_decide(b, 0, 0, 1, FATE_PASSED);
  // The longest frame that is allowed: bytes behind the IP length belong to nothing.
  bench_frame(b, 0, frame, BENCH_MAX_FRAME, FATE_STORED);
}

static void what_is_no_data_passes(void **state) {
  struct bench *b = *state;
  uint8_t arp[60] = {0};
  put_be16(arp + 12, 0x0806);
  bench_frame(b, 0, arp, sizeof arp, FATE_PASSED);
  assert_false(b->v.candidate);
  bench_frame(b, 0, arp, 1, FATE_PASSED);
  bench_add(b, 0, 0, 0);
  // An ACK of a known connection.
  struct gradient g = packet(0, 0, 0);
  uint8_t frame[GRADIENT_ROOM];
  g.build.opcode = ROCE_ACK;
  size_t len = gradient_frame(&g, frame);
  bench_frame(b, 0, frame, len, FATE_PASSED);
  assert_false(b->v.candidate);
}

// --- look-up ---

static void ring_of_the_header(void **state) {
  struct bench *b = *state;
  struct gradient g = packet(0, 0, 0);
  g.ina.ring = 99;
  bench_rx(b, 0, &g, FATE_PASSED);
  bench_add(b, 0, 0, 0);
  g = packet(0, 1, 0);
  g.ina.ring = 99;
  bench_rx(b, 0, &g, FATE_BAD_HEADER);
  g.ina.ring = BENCH_OTHER_RING;   // a ring that exists, but not this connection's
  bench_rx(b, 0, &g, FATE_BAD_HEADER);
  assert_false(b->v.by_slot);
}

static void header_must_fit_the_ring(void **state) {
  struct bench *b = *state;
  const struct ina_header right = packet(0, 0, 0).ina;
  struct ina_header wrong[7];
  for (size_t i = 0; i < 7; i++) wrong[i] = right;
  wrong[0].rank = H;
  wrong[1].msglen = 0;
  wrong[2].msglen = BENCH_STRIDE + 1;
  wrong[3].workers = H + 1;
  wrong[4].workers = H - 1;
  wrong[5].kind = 4;      // no such type
  wrong[6].kind = 0x30;   // no such operation
  for (size_t i = 0; i < 7; i++) {
    struct gradient g = packet(0, 0, 0);
    g.ina = wrong[i];
    bench_rx(b, 0, &g, FATE_BAD_HEADER);
    bench_decide(b, 0, 0, 1, FATE_PASSED);   // and has not been learned
  }
  bench_add(b, 0, 0, 0);
  struct gradient g = packet(0, 1, 0);
  g.ina.rank = 1;
  bench_rx(b, 0, &g, FATE_BAD_HEADER);     // another rank's
  bench_decide(b, 1, 1, 0, FATE_STORED);   // which is still free for its owner
}

static void who_may_join(void **state) {
  struct bench *b = *state;
  struct gradient g = packet(0, 0, 0);
  g.ina.ring = 9;
  bench_rx(b, 0, &g, FATE_UNREGISTERED);
  assert_int_equal(model_connect(b->m, 2, 0, &g.build.key), 0);
  bench_rx(b, 0, &g, FATE_STORED);
  assert_int_equal(b->v.ring, 2);

  bench_add(b, 1, 0, 0);
  g = packet(1, 0, 0);
  g.build.key.qpn++;
  bench_rx(b, 0, &g, FATE_RANK_CONFLICT);
}

/// A column that memory has lost owes nothing, whatever is still on its way, and lets nobody in until a flush.
static void memory_loses_a_column(void **state) {
  struct bench *b = *state;
  for (unsigned r = 0; r < H; r++) bench_decide(b, r, 0, 0, FATE_STORED);
  bench_decide(b, 0, 0, 1, FATE_STORED);
  assert_false(bench_commit(b, 0));
  model_lose(b->m, 0, 0, 0);
  for (unsigned r = 1; r <= H; r++) assert_false(bench_commit(b, 0));
  assert_int_equal(model_owed(b->m), 0);
  assert_int_equal(model_columns_held(b->m), 1);
  assert_true(model_lost(b->m, 0, 0, 0) && model_lost_some(b->m, 0) && !model_lost_some(b->m, 1));
  bench_decide(b, 0, 0, 0, FATE_MEMORY_ERROR);
  bench_decide(b, 1, 0, 1, FATE_STORED);   // its neighbour
  assert_false(model_lost(b->m, 0, 0, 1));
  model_lose(b->m, 0, 1, 3);   // one that nobody began
  bench_decide(b, 0, 0, 3, FATE_STORED);
  bench_decide(b, 0, 1, 0, FATE_STORED);
  bench_decide(b, 0, 1, 3, FATE_MEMORY_ERROR);
  model_flush(b->m, 0);
  assert_false(model_lost(b->m, 0, 0, 0) || model_lost(b->m, 0, 1, 3) || model_lost_some(b->m, 0));
}

static void table_has_an_end(void **state) {
  struct bench *b = *state;
  const struct model_limits limits = {.ports = 1, .ranks = H, .conns = 1, .slot_bytes = BENCH_SLOT, .max_frame_bytes = 9728};
  const struct model_ring ring = {BENCH_RING, H, 1, BENCH_STRIDE, true};
  model_free(b->m);
  b->m = model_new(&limits, &ring, 1);
  bench_add(b, 0, 0, 0);
  bench_decide(b, 1, 0, 0, FATE_TABLE_FULL);
  bench_decide(b, 1, 0, 1, FATE_PASSED);   // it stays unknown
  assert_int_equal(model_connect(b->m, 0, 1, &(struct conn_key){.qpn = 5}), -EINVAL);
  model_flush(b->m, 0);
  bench_decide(b, 0, 0, 1, FATE_RETIRED);   // and keeps its entry
  bench_decide(b, 1, 0, 0, FATE_TABLE_FULL);
  model_set_open(b->m, 0, false);
  bench_decide(b, 1, 0, 1, FATE_CLOSED);
  model_close(b->m, 0, true);
  model_open(b->m, 0);
  bench_add(b, 1, 0, 0);
}

static void history_keeps_the_newer(void **state) {
  struct bench *b = *state;   // N = 2, so messages 0 and 4 share an entry
  bench_add(b, 0, 4, 0);
  bench_decide(b, 0, 0, 0, FATE_STALE);
  assert_false(b->v.by_slot);
  bench_decide(b, 0, 4, 0, FATE_DUPLICATE);
  struct gradient g = packet(0, 4, 0);
  g.psn0++;
  bench_rx(b, 0, &g, FATE_PSN_CONFLICT);
  g = packet(0, 4, 0);
  g.ina.msglen--;
  bench_rx(b, 0, &g, FATE_PSN_CONFLICT);
  g = packet(0, 4, 0);
  g.ina.kind = INA_INT32;
  bench_rx(b, 0, &g, FATE_PSN_CONFLICT);
  // A conflict changes nothing, a newer message replaces the entry.
  bench_decide(b, 0, 4, 0, FATE_DUPLICATE);
  bench_decide(b, 0, 8, 0, FATE_WINDOW_VIOLATION);
  bench_decide(b, 0, 4, 1, FATE_UNKNOWN_MESSAGE);
  bench_decide(b, 0, 4, 0, FATE_STALE);
}

static void starts_without_tag(void **state) {
  struct bench *b = *state;
  struct gradient g = packet(0, 1, 0);
  uint8_t frame[GRADIENT_ROOM];
  struct roce_packet at;
  size_t len = gradient_frame(&g, frame);
  roce_parse(frame, len, &at);
  frame[at.header - INA_BYTES] ^= 1;
  icrc_put(frame, &at);
  bench_frame(b, 0, frame, len, FATE_PASSED);
  bench_add(b, 0, 0, 0);
  bench_frame(b, 0, frame, len, FATE_BAD_HEADER);
  // Short of a whole INA header: no tag either.
  g.build.opcode = ROCE_SEND_MIDDLE;   // so that no INA header is built
  put_be32(g.tensor, INA_TAG);
  g.len = INA_BYTES - 1;
  len = gradient_frame(&g, frame);
  roce_locate(frame, len, &at);
  frame[at.bth] = ROCE_SEND_ONLY;
  icrc_put(frame, &at);
  bench_frame(b, 0, frame, len, FATE_BAD_HEADER);
}

static void psn_finds_the_message(void **state) {
  struct bench *b = *state;
  bench_decide(b, 0, 0, 1, FATE_PASSED);   // nobody knows the connection yet
  bench_add(b, 0, 0, 0);
  for (unsigned offset = BENCH_STRIDE; offset-- != 1;) {
    bench_add(b, 0, 0, offset);
    assert_int_equal(b->v.offset, offset);
    assert_int_equal(b->v.msgid, 0);
    assert_int_equal(b->v.rank, 0);
  }
  bench_decide(b, 0, 1, 1, FATE_UNKNOWN_MESSAGE);   // its first packet is lost
  bench_add(b, 0, 1, 0);
  bench_add(b, 0, 1, 1);
  assert_int_equal(b->v.msgid, 1);
  struct gradient g = packet(0, 0, 1);
  g.psn0 -= 2;   // just in front of the first message
  bench_rx(b, 0, &g, FATE_UNKNOWN_MESSAGE);
  g = packet(0, 1, BENCH_STRIDE);   // just behind the last
  bench_rx(b, 0, &g, FATE_UNKNOWN_MESSAGE);
}

static void newest_message_wins(void **state) {
  struct bench *b = *state;
  const uint32_t firsts[] = {0, 3};   // of which the second has its history behind that of its successor
  for (size_t i = 0; i < 2; i++) {
    uint32_t first = firsts[i];
    bench_add(b, 0, first, 0);
    struct gradient g = packet(0, first + 1, 0);   // begins inside `first`: a sender that skipped packets
    g.psn0 = packet(0, first, 0).psn0 + 2;
    bench_store(b, 0, &g);
    bench_add(b, 0, first, 3);
    assert_int_equal(b->v.msgid, first + 1);
    assert_int_equal(b->v.offset, 1);
    bench_add(b, 0, first, 1);
    assert_int_equal(b->v.msgid, first);
    model_flush(b->m, 0);
  }
}

static void numbers_wrap(void **state) {
  struct bench *b = *state;
  struct gradient g = packet(0, 0xFFFFFFFF, 0);
  g.psn0 = 0xFFFFFE;
  for (g.offset = 0; g.offset < BENCH_STRIDE; g.offset++) {
    g.build.opcode = g.offset == 0 ? ROCE_WRITE_FIRST : ROCE_WRITE_MIDDLE;
    bench_store(b, 0, &g);
    assert_int_equal(b->v.offset, g.offset);
    assert_int_equal(b->v.msgid, 0xFFFFFFFF);
  }
  bench_add(b, 0, 0, 0);   // message 0 is the next one, not an old one
  assert_int_equal(b->v.msgid, 0);
  bench_decide(b, 0, 0xFFFFFFFC, 0, FATE_STALE);
  bench_decide(b, 0, 3, 0, FATE_WINDOW_VIOLATION);
  bench_decide(b, 0, 0x7FFFFFFC, 0, FATE_WINDOW_VIOLATION);   // half the circle of numbers is newer
  bench_decide(b, 0, 0x7FFFFFF8, 0, FATE_STALE);
}

static void length_rules(void **state) {
  struct bench *b = *state;
  bench_add(b, 0, 0, 0);
  struct gradient g = packet(0, 0, 1);
  const size_t bad[] = {BENCH_SLOT + 4, BENCH_SLOT + 1, 1, 2, 3, 7};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    g.len = bad[i];
    bench_rx(b, 0, &g, FATE_BAD_LENGTH);
    assert_false(b->v.by_slot);
  }
  g.len = BENCH_SLOT;
  bench_store(b, 0, &g);
  g = packet(0, 0, 2);
  g.len = 0;
  bench_store(b, 0, &g);
  g = packet(0, 1, 0);
  g.ina.kind = INA_BF16;
  g.len = 6;   // whole elements of two bytes
  bench_store(b, 0, &g);
  g.build.opcode = ROCE_WRITE_MIDDLE;
  g.offset = 1;
  g.len = 5;
  bench_rx(b, 0, &g, FATE_BAD_LENGTH);
  // Pad bytes of a packet that has no bytes at all.
  uint8_t frame[GRADIENT_ROOM];
  struct roce_packet at;
  g.len = 0;
  size_t len = gradient_frame(&g, frame);
  roce_locate(frame, len, &at);
  frame[at.bth + 1] |= 0x30;
  icrc_put(frame, &at);
  bench_frame(b, 0, frame, len, FATE_BAD_LENGTH);
}

// --- slot ---

static void slot_of_another_message(void **state) {
  struct bench *b = *state;
  bench_add(b, 0, 0, 0);
  bench_decide(b, 0, 4, 0, FATE_WINDOW_VIOLATION);   // message 0 still waits for rank 1
  bench_add(b, 1, 0, 0);
  assert_true(b->v.completes);
  bench_decide(b, 0, 4, 0, FATE_STORED);   // all ranks stored: replaced
  bench_decide(b, 1, 0, 0, FATE_STALE);    // rank 1's history agrees, but the slot is newer
  assert_true(b->v.by_slot);
}

static void accepted_is_not_stored(void **state) {
  struct bench *b = *state;
  bench_add(b, 0, 0, 0);
  bench_decide(b, 1, 0, 0, FATE_STORED);   // its bytes are not in place
  assert_true(b->v.completes);
  bench_decide(b, 0, 4, 0, FATE_WINDOW_VIOLATION);
  assert_true(bench_commit(b, 0));
  bench_decide(b, 0, 4, 0, FATE_STORED);
}

static void column_must_agree(void **state) {
  struct bench *b = *state;
  bench_add(b, 0, 0, 0);
  struct gradient g = packet(1, 0, 0);
  g.ina.kind = INA_MAX << 4;
  bench_rx(b, 0, &g, FATE_TYPE_MISMATCH);
  bench_decide(b, 1, 0, 0, FATE_PSN_CONFLICT);   // now the message is known as the other kind
  bench_add(b, 1, 1, 0);
  g = packet(0, 1, 0);
  g.len = 12;
  bench_rx(b, 0, &g, FATE_LENGTH_MISMATCH);
  // The rule holds for duplicates as well.
  g = packet(1, 1, 0);
  g.len = 4;
  bench_rx(b, 0, &g, FATE_LENGTH_MISMATCH);
  assert_false(b->v.completes);
  bench_decide(b, 1, 1, 0, FATE_DUPLICATE);
  assert_false(bench_commit(b, 0));
  // A refused packet is not accepted: the right one completes the column.
  bench_add(b, 0, 1, 0);
  assert_true(b->v.completes);
}

/// Runs last: the cases above have met every fate there is.
static void every_fate_was_met(void **state) {
  struct bench *b = *state;
  for (unsigned f = 0; f < FATE_COUNT; f++)
    if (b->seen[f] == 0) fail_msg("no case of this file meets %s", fate_name((enum fate)f));
}

static int fresh(void **state) {
  bench_start(*state, H, 2);
  return 0;
}

static int done(void **state) {
  bench_stop(*state);
  return 0;
}

static int open_bench(void **state) {
  *state = calloc(1, sizeof(struct bench));
  return *state == NULL;
}

static int close_bench(void **state) {
  free(*state);
  return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, fresh, done)

int main(void) {
  const struct CMUnitTest tests[] = {
      CASE(port_rules_come_first),
      CASE(what_is_no_data_passes),
      CASE(ring_of_the_header),
      CASE(header_must_fit_the_ring),
      CASE(who_may_join),
      CASE(memory_loses_a_column),
      CASE(table_has_an_end),
      CASE(history_keeps_the_newer),
      CASE(starts_without_tag),
      CASE(psn_finds_the_message),
      CASE(newest_message_wins),
      CASE(numbers_wrap),
      CASE(length_rules),
      CASE(slot_of_another_message),
      CASE(accepted_is_not_stored),
      CASE(column_must_agree),
      cmocka_unit_test(every_fate_was_met),
  };
  return cmocka_run_group_tests(tests, open_bench, close_bench);
}
