// The sending half of a queue pair: how messages become packets.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "wire/rc.h"
#include "unit/hosts/rc_ends.h"
#include "wire/bytes.h"

enum { BTH_BYTES = 12, MANY = 1 << 16 };

static uint8_t bytes[MANY];

static int fill_bytes(void **state) {
  (void)state;
  struct rng d = {7};
  rng_fill(&d, bytes, sizeof bytes);
  return 0;
}

/// By verb: only, first, middle, last.
static const uint8_t opcodes[4][4] = {
    [RC_SEND] = {ROCE_SEND_ONLY, ROCE_SEND_FIRST, ROCE_SEND_MIDDLE, ROCE_SEND_LAST},
    [RC_SEND_IMM] = {ROCE_SEND_ONLY_IMM, ROCE_SEND_FIRST, ROCE_SEND_MIDDLE, ROCE_SEND_LAST_IMM},
    [RC_WRITE] = {ROCE_WRITE_ONLY, ROCE_WRITE_FIRST, ROCE_WRITE_MIDDLE, ROCE_WRITE_LAST},
    [RC_WRITE_IMM] = {ROCE_WRITE_ONLY_IMM, ROCE_WRITE_FIRST, ROCE_WRITE_MIDDLE, ROCE_WRITE_LAST_IMM},
};

static void check_headers(const struct requester_config *c, const struct rc_message *m, const struct rc_frame *f, bool last) {
  const bool write = m->verb == RC_WRITE || m->verb == RC_WRITE_IMM, imm = m->verb == RC_SEND_IMM || m->verb == RC_WRITE_IMM;
  assert_memory_equal(f->data, c->peer_mac, 6);
  assert_memory_equal(f->data + 6, c->local_mac, 6);
  assert_true(conn_key_equal(&f->p.key, &c->key));
  assert_int_equal(get_be16(f->data + f->p.udp), c->udp_source);
  assert_int_equal(f->p.ack_request, last);
  const uint8_t *reth = f->data + f->p.bth + BTH_BYTES;
  if (write && f->p.starts) {
    assert_int_equal(get_be32(reth), m->address >> 32);
    assert_int_equal(get_be32(reth + 4), m->address & 0xFFFFFFFF);
    assert_int_equal(get_be32(reth + 8), m->rkey);
    assert_int_equal(get_be32(reth + 12), m->length + (m->has_ina ? INA_BYTES : 0));
  }
  if (imm && last) assert_int_equal(get_be32(reth + (write && f->p.starts ? 16 : 0)), m->imm);
}

/// Every byte in its place: INA header first, then the payload, full packets but for the last one.
static void check_message(const struct requester_config *c, const struct rc_message *m) {
  struct requester *r = requester_new(c);
  requester_post(r, m);
  uint8_t whole[MANY + INA_BYTES], *begin = whole;
  if (m->has_ina) ina_put(begin, &m->ina), begin += INA_BYTES;
  if (m->length != 0) memcpy(begin, m->payload, m->length);
  const size_t all = m->length + (size_t)(begin - whole), packets = all == 0 ? 1 : (all + c->mtu - 1) / c->mtu;
  for (size_t i = 0; i < packets; i++) {
    const struct rc_frame f = rc_next(r, 0);
    const bool first = i == 0, last = i + 1 == packets;
    const uint8_t *payload;
    const size_t len = rc_payload(&f, &payload);
    assert_int_equal(f.p.opcode, opcodes[m->verb][first && last ? 0 : first ? 1 : last ? 3 : 2]);
    assert_int_equal(f.p.psn, RC_PSN + i);
    assert_int_equal(f.p.tagged, first && m->has_ina);
    assert_int_equal(len, last ? all - i * c->mtu : c->mtu);
    assert_memory_equal(payload, whole + i * c->mtu, len);
    check_headers(c, m, &f, last);
  }
  assert_false(requester_ready(r, 0));
  requester_free(r);
}

static void every_verb_and_size(void **state) {
  (void)state;
  for (unsigned mtu = 256; mtu <= 4096; mtu *= 2) {
    struct requester_config c = rc_requester();
    c.mtu = mtu;
    // Lengths around the edges of packets, with and without an INA header, and all lengths of a pad.
    for (size_t i = 0; i < 40; i++) {
      const size_t packets[] = {0, 1, 2, 5}, edges[] = {0, 1, 2, 3, 15, 16, 17, mtu - 17, mtu - 16, mtu - 15};
      const size_t length = packets[i % 4] * mtu + edges[i / 4];
      for (unsigned verb = RC_SEND; verb <= RC_WRITE_IMM; verb++) {
        struct rc_message m = rc_message((enum rc_verb)verb, length == 0 ? NULL : bytes, length);
        check_message(&c, &m);
        m.has_ina = true;
        m.ina = (struct ina_header){.ring = 3, .rank = 2, .kind = 0x11, .msgid = 0xFEDCBA98, .msglen = 9, .workers = 5};
        check_message(&c, &m);
      }
    }
  }
}

static void asks_for_acks(void **state) {
  (void)state;
  struct requester_config c = rc_requester();
  c.ack_every = 4;
  struct requester *r = requester_new(&c);
  const struct rc_message m = rc_message(RC_SEND, bytes, 10 * 256);
  for (int i = 0; i < 3; i++) requester_post(r, &m);
  unsigned silent = 0, asked = 0;
  for (unsigned i = 0; i < 30; i++) {
    const bool asks = rc_next(r, 0).p.ack_request;
    if (i < 10) assert_int_equal(asks, i == 3 || i == 7 || i == 9);
    if (i % 10 == 9) assert_true(asks);
    silent = asks ? 0 : silent + 1;
    asked += asks;
    assert_in_range(silent, 0, 3);
  }
  assert_in_range(asked, 9, 11);
  requester_free(r);
}

static void each_sending_has_its_own_ip_id(void **state) {
  (void)state;
  struct requester *r = rc_loaded(8);
  struct rc_frame before[8];
  for (int i = 0; i < 8; i++) {
    before[i] = rc_next(r, 0);
    for (int j = 0; j < i; j++) assert_int_not_equal(get_be16(before[i].data + 18), get_be16(before[j].data + 18));
  }
  rc_answer(r, 0, AETH_NAK_SEQUENCE, RC_PSN);
  for (int i = 0; i < 8; i++) {
    const struct rc_frame again = rc_next(r, 0), *old = &before[i];
    assert_int_equal(again.len, old->len);
    assert_memory_equal(again.data + again.p.bth, old->data + old->p.bth, again.p.ip_end - 4 - again.p.bth);
    for (int j = 0; j < 8; j++) assert_int_not_equal(get_be16(again.data + 18), get_be16(before[j].data + 18));
  }
  requester_free(r);
}

static void too_little_room_changes_nothing(void **state) {
  (void)state;
  // The shorter one is padded to what Ethernet asks for.
  const struct rc_message messages[] = {rc_message(RC_WRITE, bytes, 100), rc_message(RC_SEND, NULL, 0)};
  const struct requester_config c = rc_requester();
  for (size_t i = 0; i < 2; i++) {
    struct requester *r = requester_new(&c), *twin = requester_new(&c);
    requester_post(r, &messages[i]);
    requester_post(twin, &messages[i]);
    const struct rc_frame due = rc_next(twin, 0);
    uint8_t frame[RC_ROOM];
    for (size_t size = 0; size < due.len; size++) assert_int_equal(requester_next(r, 0, frame, size), 0);
    rc_counts_are(r, (struct requester_counts){0});
    assert_int_equal(requester_deadline(r, 0), UINT64_MAX);
    assert_int_equal(requester_next(r, 0, frame, due.len), due.len);
    assert_memory_equal(frame, due.data, due.len);
    requester_free(r);
    requester_free(twin);
  }
}

static void psns_wrap(void **state) {
  (void)state;
  struct requester_config c = rc_requester();
  c.psn = 0xFFFFFE;
  struct requester *r = requester_new(&c);
  const struct rc_message m = rc_message(RC_WRITE, bytes, 6 * 256);
  requester_post(r, &m);
  rc_sends(r, 0, 0xFFFFFE, 6);
  rc_answer(r, 0, AETH_ACK, 0xFFFFFF);
  rc_answer(r, 0, AETH_NAK_SEQUENCE, 1);   // 0 has arrived
  rc_sends(r, 0, 1, 3);
  rc_answer(r, 0, AETH_ACK, 0xFFFFFE);   // long known
  rc_answer(r, 0, AETH_ACK, 3);
  assert_true(requester_idle(r));
  rc_counts_are(r, (struct requester_counts){.packets = 9, .repeats = 3, .sequence_naks = 1, .messages = 1});
  requester_free(r);
}

static void no_more_in_flight_than_allowed(void **state) {
  (void)state;
  struct requester_config c = rc_requester();
  c.max_inflight = 3;
  struct requester *r = requester_new(&c);
  const struct rc_message m = rc_message(RC_WRITE, bytes, 10 * 256);
  requester_post(r, &m);
  rc_sends(r, 0, RC_PSN, 3);
  rc_answer(r, 0, AETH_ACK, RC_PSN);
  rc_sends(r, 0, RC_PSN + 3, 1);
  rc_answer(r, 0, AETH_ACK, RC_PSN + 3);
  rc_sends(r, 0, RC_PSN + 4, 3);
  rc_answer(r, 0, AETH_NAK_SEQUENCE, RC_PSN + 5);
  rc_sends(r, 0, RC_PSN + 5, 3);
  rc_counts_are(r, (struct requester_counts){.packets = 10, .repeats = 2, .sequence_naks = 1});
  requester_free(r);
}

/// One packet an interval, however often it is asked; after a pause it does not catch up.
static void keeps_its_pace(void **state) {
  (void)state;
  struct requester_config c = rc_requester();
  c.pace_ps = 100;
  c.timeout_ps = 1 << 20;
  struct requester *r = requester_new(&c);
  const struct rc_message m = rc_message(RC_WRITE, bytes, 8 * 256);
  requester_post(r, &m);
  rc_sends(r, 0, RC_PSN, 1);
  assert_int_equal(requester_deadline(r, 0), 100);
  assert_false(requester_ready(r, 99));
  rc_sends(r, 130, RC_PSN + 1, 1);   // late, which does not make the next one late
  assert_false(requester_ready(r, 199));
  rc_sends(r, 200, RC_PSN + 2, 1);
  rc_sends(r, 950, RC_PSN + 3, 1);
  assert_int_equal(requester_deadline(r, 950), 1050);
  assert_false(requester_ready(r, 1049));
  rc_sends(r, 1050, RC_PSN + 4, 1);
  requester_free(r);
}

/// The payload may go with the ACK of the last packet, and the queue of messages grows and goes round.
static void messages_come_and_go(void **state) {
  (void)state;
  struct requester *r = rc_loaded(0);
  uint8_t *payload[300];
  unsigned posted = 0, acked = 0;
  struct rng d = {5};
  while (acked < 300) {
    for (unsigned n = rng_below(&d, 40); n > 0 && posted < 300; n--, posted++) {
      payload[posted] = test_malloc(300);
      memset(payload[posted], (int)(posted & 255), 300);
      const struct rc_message m = rc_message(RC_WRITE, payload[posted], 300);
      requester_post(r, &m);
    }
    while (requester_ready(r, 0)) {
      const struct rc_frame f = rc_next(r, 0);
      assert_int_equal(f.data[f.p.header], ((f.p.psn - RC_PSN) / 2) & 255);
    }
    for (unsigned n = rng_below(&d, 30); n > 0 && acked < posted; n--, acked++) {
      rc_answer(r, 0, AETH_ACK, RC_PSN + 2 * acked);   // half of it, which is not enough
      assert_int_equal(requester_pending(r), posted - acked);
      rc_answer(r, 0, AETH_ACK, RC_PSN + 2 * acked + 1);
      assert_int_equal(requester_pending(r), posted - acked - 1);
      test_free(payload[acked]);
    }
  }
  rc_counts_are(r, (struct requester_counts){.packets = 600, .messages = 300});
  requester_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_verb_and_size),
      cmocka_unit_test(asks_for_acks),
      cmocka_unit_test(each_sending_has_its_own_ip_id),
      cmocka_unit_test(too_little_room_changes_nothing),
      cmocka_unit_test(psns_wrap),
      cmocka_unit_test(no_more_in_flight_than_allowed),
      cmocka_unit_test(keeps_its_pace),
      cmocka_unit_test(messages_come_and_go),
  };
  return cmocka_run_group_tests(tests, fill_bytes, NULL);
}
