// The responder of an RC end in lock step with its model: packets in and out of order, impossible ones, a buffer that is full, credits.
// DUT: rc_respond -GRoom=16
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
#include "model/tree/rc_respond.h"
#include "structs/rc_pkg.h"
#include "wire/bytes.h"
#include "wire/rc.h"

enum { ROOM = 16, LATE = 2, DECIDED = 2, CONNECTIONS = 300, CYCLES = 3000, FRAME = 5000 };

/// A packet on its way to the decision.
struct packet {
  bool valid;
  struct roce_build build;
  bool length_bad;
};

struct bench {
  struct dut *d;
  struct rc_responder *model;
  struct rc_respond_config config;
  uint32_t expected;   // PSN
  bool inside, write;
  unsigned waiting, late;
  bool quiet;   // nothing came, left or was taken out in the cycle before
  struct packet packets[DECIDED + 1];
  enum { ORDERLY, LOSSY, WRONG } peer;
  uint64_t fates[6], acks, naks, rnrs;
};

static unsigned below(unsigned n) { return (unsigned)rand() % n; }

static void open_connection(struct bench *b) {
  uint32_t words[WORDS_OF(rc_respond_cfg_t, 1)] = {0};
  b->config = (struct rc_respond_config){.mtu = 256u << below(3),
                                         .psn = rand() % 2 ? (PSN_MASK - below(200)) & PSN_MASK : (uint32_t)rand() & PSN_MASK,
                                         .room = ROOM,
                                         .coalesce = 1 + below(6),
                                         .ack_delay_ps = below(3) ? below(40) : 0,
                                         .rnr_timer = below(32),
                                         .no_credits = below(4) == 0};
  bits_put(words, FIELD(rc_respond_cfg_t, psn), b->config.psn);
  bits_put(words, FIELD(rc_respond_cfg_t, mtu), b->config.mtu);
  bits_put(words, FIELD(rc_respond_cfg_t, coalesce), b->config.coalesce);
  bits_put(words, FIELD(rc_respond_cfg_t, ack_delay), b->config.ack_delay_ps);
  bits_put(words, FIELD(rc_respond_cfg_t, rnr_timer), b->config.rnr_timer);
  bits_put(words, FIELD(rc_respond_cfg_t, no_credits), b->config.no_credits);
  dut_set_words(b->d, "cfg_i", words, WORDS_OF(rc_respond_cfg_t, 1));
  b->model = rc_responder_new(&b->config);
  assert_non_null(b->model);
  b->expected = b->config.psn;
  b->inside = b->write = false;
  b->waiting = b->late = 0;
  b->peer = below(3);
  memset(b->packets, 0, sizeof b->packets);
  dut_set(b->d, "data_valid_i", 0);
  dut_set(b->d, "gone_i", 0);
  dut_set(b->d, "ack_ready_i", 0);
  dut_set(b->d, "open_i", 1);
  dut_tick(b->d);
  dut_set(b->d, "open_i", 0);
}

/// What may come next on the connection, or something else.
static struct packet draw(const struct bench *b) {
  static const uint8_t payload[4096],
      opcodes[] = {ROCE_SEND_FIRST,    ROCE_SEND_MIDDLE,    ROCE_SEND_LAST,     ROCE_SEND_LAST_IMM, ROCE_SEND_ONLY,
                   ROCE_SEND_ONLY_IMM, ROCE_WRITE_FIRST,    ROCE_WRITE_MIDDLE,  ROCE_WRITE_LAST,    ROCE_WRITE_LAST_IMM,
                   ROCE_WRITE_ONLY,    ROCE_WRITE_ONLY_IMM, ROCE_SEND_LAST_INV, ROCE_SEND_ONLY_INV};
  struct packet p = {.valid = true};
  const bool first = !b->inside, last = rand() % 3 == 0, write = first ? rand() % 2 : b->write;
  p.build.opcode = rc_opcode(write ? (rand() % 2 ? RC_WRITE : RC_WRITE_IMM) : rand() % 2 ? RC_SEND : RC_SEND_IMM, first, last);
  p.build.payload_len = last ? (first ? 0 : 1) + below(b->config.mtu) : b->config.mtu;
  p.build.psn = b->expected;
  p.build.ack_request = rand() % 4 == 0;
  if (b->peer != ORDERLY && rand() % 4 == 0) p.build.psn = (b->expected + below(9) - 4) & PSN_MASK;
  if (b->peer != ORDERLY && rand() % 50 == 0) p.build.psn = (uint32_t)rand() & PSN_MASK;
  if (b->peer == WRONG && rand() % 60 == 0) p.build.opcode = opcodes[below(sizeof opcodes)];
  if (b->peer == WRONG && rand() % 60 == 0) p.build.payload_len = below(2 * b->config.mtu);
  p.build.payload = payload;
  return p;
}

static void offer(struct bench *b) {
  uint32_t words[WORDS_OF(rc_data_t, 1)] = {0};
  const struct packet *p = &b->packets[0];
  bits_put(words, FIELD(rc_data_t, opcode), p->build.opcode);
  bits_put(words, FIELD(rc_data_t, psn), p->build.psn);
  bits_put(words, FIELD(rc_data_t, ack_request), p->build.ack_request);
  bits_put(words, FIELD(rc_data_t, len), p->build.payload_len);
  dut_set_words(b->d, "data_i", words, WORDS_OF(rc_data_t, 1));
  dut_set(b->d, "data_valid_i", p->valid);
}

/// The packet's fate here is what the model makes of its frame.
static void decided(struct bench *b, uint64_t now, const struct packet *p) {
  static uint8_t frame[FRAME];
  struct roce_packet parsed;
  const struct rc_respond_counts was = rc_responder_counts(b->model);
  const bool closed = rc_responder_fault(b->model) != RC_GOOD;
  roce_parse(frame, roce_build(&p->build, frame, sizeof frame), &parsed);
  assert_int_equal(parsed.class, ROCE_CANDIDATE);
  rc_responder_data(b->model, now, frame, &parsed);
  const struct rc_respond_counts is = rc_responder_counts(b->model);
  const unsigned fate = closed                           ? RcClosed
                        : is.packets > was.packets       ? RcTaken
                        : is.duplicates > was.duplicates ? RcDuplicate
                        : is.skipped > was.skipped       ? RcGap
                        : is.no_room > was.no_room       ? RcNoRoom
                                                         : RcInvalid;
  assert_int_equal(dut_get(b->d, "fate_o"), fate);
  b->fates[fate]++;
  if (fate != RcTaken) return;
  b->expected = (b->expected + 1) & PSN_MASK;
  b->inside = !rc_is_last(p->build.opcode);
  if (roce_is_first(p->build.opcode)) b->write = p->build.opcode >= ROCE_WRITE_FIRST;
  b->waiting++;
}

/// The ACK packet that leaves is the one that the model sends.
static void ack_leaves(struct bench *b, uint64_t now) {
  uint8_t frame[FRAME];
  uint32_t ack[WORDS_OF(rc_ack_t, 1)];
  struct roce_packet p;
  const size_t len = rc_responder_next(b->model, now, frame, sizeof frame);
  assert_true(len > 0);
  roce_parse(frame, len, &p);
  const uint32_t aeth = get_be32(frame + p.bth + 12);
  dut_get_words(b->d, "ack_o", ack, WORDS_OF(rc_ack_t, 1));
  assert_int_equal(bits_get(ack, FIELD(rc_ack_t, psn)), p.psn);
  assert_int_equal(bits_get(ack, FIELD(rc_ack_t, syndrome)), aeth >> 24);
  assert_int_equal(bits_get(ack, FIELD(rc_ack_t, msn)), aeth & 0xFFFFFF);
}

/// A cycle: what leaves comes before what has come in, that before what is taken out.
static void cycle(struct bench *b) {
  struct dut *d = b->d;
  const uint64_t now = dut_cycle(d);
  memmove(b->packets + 1, b->packets, DECIDED * sizeof *b->packets);
  b->packets[0] = (struct packet){0};
  if (!b->packets[1].valid && rand() % 4 == 0) b->packets[0] = draw(b);
  offer(b);
  const bool gone = b->waiting > 0 && rand() % (b->waiting > ROOM / 2 ? 6 : 12) == 0, ready = rand() % 3 != 0;
  dut_set(d, "gone_i", gone);
  dut_set(d, "ack_ready_i", ready);
  dut_eval(d);
  const bool valid = dut_get(d, "ack_valid_o"), may = rc_responder_ready(b->model, now);
  if (valid) assert_true(may);
  // What is offered is made anew behind whatever happens.
  b->late = may && !valid ? b->late + b->quiet : 0;
  assert_true(b->late <= LATE);
  b->quiet = !b->packets[DECIDED].valid && !gone && !(valid && ready);
  if (valid && ready) ack_leaves(b, now);
  assert_int_equal(dut_get(d, "fate_valid_o"), b->packets[DECIDED].valid);
  if (b->packets[DECIDED].valid) decided(b, now, &b->packets[DECIDED]);
  if (gone) {
    rc_responder_take(b->model, now);
    b->waiting--;
  }
  dut_tick(d);
  assert_int_equal(dut_get(d, "fault_o"), rc_responder_fault(b->model) == RC_GOOD ? RcGood : RcImpossible);
}

static void as_its_model(void **state) {
  (void)state;
  struct bench b = {.d = dut_new()};
  dut_reset(b.d);
  for (unsigned n = 0; n < CONNECTIONS; n++) {
    open_connection(&b);
    for (unsigned i = 0; i < CYCLES && rc_responder_fault(b.model) == RC_GOOD; i++) cycle(&b);
    for (unsigned i = 0; i < 100; i++) cycle(&b);
    const struct rc_respond_counts c = rc_responder_counts(b.model);
    b.acks += c.acks;
    b.naks += c.naks;
    b.rnrs += c.rnrs;
    rc_responder_free(b.model);
    dut_set(b.d, "data_valid_i", 0);
    dut_set(b.d, "gone_i", 0);
    dut_set(b.d, "close_i", 1);
    dut_tick(b.d);
    dut_set(b.d, "close_i", 0);
    dut_eval(b.d);
    assert_false(dut_get(b.d, "ack_valid_o"));
  }
  for (unsigned f = 0; f < 6; f++) assert_true(b.fates[f] > 50);
  assert_true(b.acks > 10000 && b.naks > 1000 && b.rnrs > 500);
  dut_free(b.d);
}

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_its_model)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
