// The receiving half of a queue pair: what it takes, throws away, asks for and acknowledges.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/rc.h"
#include "unit/hosts/rc_ends.h"
#include "wire/bytes.h"

enum { BTH_BYTES = 12 };

struct end {
  struct responder *r;
  size_t delivered;   // packets
};

static void open(struct end *e, uint32_t psn, uint64_t ack_delay_ps, unsigned rnr_percent) {
  const struct requester_config sender = rc_requester();
  struct responder_config c = rc_responder(&sender, &e->delivered);
  c.psn = psn;
  c.ack_delay_ps = ack_delay_ps;
  c.rnr_percent = rnr_percent;
  c.seed = 1;
  e->delivered = 0;
  e->r = responder_new(&c);
  assert_non_null(e->r);
}

/// A data packet comes in. Returns whether it was delivered, which is at most once.
static bool comes(struct end *e, uint64_t now, enum roce_opcode opcode, uint32_t psn, bool ack_request) {
  const struct requester_config sender = rc_requester();
  const uint8_t payload[8] = {(uint8_t)psn};
  const struct roce_build b = {.key = sender.key,
                               .opcode = (uint8_t)opcode,
                               .psn = psn & PSN_MASK,
                               .ack_request = ack_request,
                               .payload = payload,
                               .payload_len = sizeof payload};
  struct rc_frame f;
  f.len = roce_build(&b, f.data, sizeof f.data);
  roce_parse(f.data, f.len, &f.p);
  assert_int_equal(f.p.class, ROCE_CANDIDATE);
  const size_t before = e->delivered;
  responder_data(e->r, now, f.data, &f.p);
  assert_in_range(e->delivered - before, 0, 1);
  return e->delivered > before;
}

/// A message of one packet comes in.
static bool one(struct end *e, uint64_t now, uint32_t psn, bool ack_request) {
  return comes(e, now, ROCE_WRITE_ONLY, psn, ack_request);
}

/// An answer is due now, and only one.
static void answers(struct end *e, uint64_t now, uint8_t syndrome, uint32_t psn) {
  const struct rc_frame f = rc_reply(e->r, now);
  assert_int_equal(rc_syndrome(&f), syndrome);
  assert_int_equal(f.p.psn, psn & PSN_MASK);
  uint8_t frame[RC_ROOM];
  assert_false(responder_ready(e->r, now));
  assert_int_equal(responder_next(e->r, now, frame, sizeof frame), 0);
}

static void silent(struct end *e, uint64_t now) { assert_false(responder_ready(e->r, now)); }

static void counts_are(const struct end *e, struct responder_counts due) {
  const struct responder_counts is = responder_counts(e->r);
  assert_int_equal(is.packets, due.packets);
  assert_int_equal(is.packets, e->delivered);
  assert_int_equal(is.duplicates, due.duplicates);
  assert_int_equal(is.out_of_sequence, due.out_of_sequence);
  assert_int_equal(is.skipped, due.skipped);
  assert_int_equal(is.acks, due.acks);
  assert_int_equal(is.naks, due.naks);
  assert_int_equal(is.rnrs, due.rnrs);
  assert_int_equal(is.misplaced, due.misplaced);
}

static void takes_what_is_in_order(void **state) {
  (void)state;
  struct end e;
  open(&e, 0xFFFFF0, 0, 0);   // the numbers wrap
  for (uint32_t i = 0; i < 40; i++) {
    assert_true(one(&e, i, 0xFFFFF0 + i, i % 10 == 9));
    if (i % 10 == 9)
      answers(&e, i, AETH_ACK, 0xFFFFF0 + i);
    else
      silent(&e, UINT64_MAX - 1);
    assert_int_equal(responder_deadline(e.r), UINT64_MAX);
  }
  counts_are(&e, (struct responder_counts){.packets = 40, .acks = 4});
  responder_free(e.r);
}

static void acks_are_frames_of_a_nic(void **state) {
  (void)state;
  struct end e;
  const struct requester_config sender = rc_requester();
  const struct responder_config c = rc_responder(&sender, &e.delivered);
  open(&e, 7, 0, 0);
  // A message of three packets and two of one: the AETH counts messages that are here whole.
  const struct {
    enum roce_opcode opcode;
    uint32_t msn;
  } packets[] = {{ROCE_SEND_FIRST, 0}, {ROCE_SEND_MIDDLE, 0}, {ROCE_SEND_LAST, 1}, {ROCE_SEND_ONLY, 2}, {ROCE_WRITE_ONLY_IMM, 3}};
  unsigned ip_id = 0x10000;
  for (uint32_t i = 0; i < 5; i++) {
    assert_true(comes(&e, 0, packets[i].opcode, 7 + i, true));
    const struct rc_frame f = rc_reply(e.r, 0);
    assert_int_equal(f.len, 14 + 20 + 8 + BTH_BYTES + AETH_BYTES + 4);
    assert_memory_equal(f.data, c.peer_mac, 6);
    assert_memory_equal(f.data + 6, c.local_mac, 6);
    assert_true(conn_key_equal(&f.p.key, &c.key));
    assert_int_equal(get_be16(f.data + f.p.udp), c.udp_source);
    assert_int_equal(get_be32(f.data + f.p.bth + BTH_BYTES), (uint32_t)AETH_ACK << 24 | packets[i].msn);
    assert_int_not_equal(get_be16(f.data + 18), ip_id);
    ip_id = get_be16(f.data + 18);
  }
  responder_free(e.r);
}

static void too_little_room_changes_nothing(void **state) {
  (void)state;
  struct end e;
  open(&e, 0, 0, 0);
  one(&e, 0, 0, true);
  uint8_t frame[64];
  for (size_t size = 0; size < 60; size++) assert_int_equal(responder_next(e.r, 0, frame, size), 0);
  counts_are(&e, (struct responder_counts){.packets = 1});
  answers(&e, 0, AETH_ACK, 0);
  responder_free(e.r);
}

static void a_gap_is_told_once(void **state) {
  (void)state;
  struct end e;
  open(&e, 0, 0, 0);
  one(&e, 0, 0, false);
  for (uint32_t psn = 2; psn < 6; psn++) assert_false(one(&e, 0, psn, true));
  answers(&e, 0, AETH_NAK_SEQUENCE, 1);
  for (uint32_t psn = 6; psn < 9; psn++) {
    assert_false(one(&e, 0, psn, true));
    silent(&e, UINT64_MAX - 1);
  }
  counts_are(&e, (struct responder_counts){.packets = 1, .out_of_sequence = 1, .skipped = 7, .naks = 1});
  // It goes back, loses another one, and then all is here.
  for (uint32_t psn = 1; psn < 4; psn++) assert_true(one(&e, 0, psn, false));
  assert_false(one(&e, 0, 5, false));
  answers(&e, 0, AETH_NAK_SEQUENCE, 4);
  for (uint32_t psn = 4; psn < 9; psn++) assert_true(one(&e, 0, psn, psn == 8));
  answers(&e, 0, AETH_ACK, 8);
  counts_are(&e, (struct responder_counts){.packets = 9, .out_of_sequence = 2, .skipped = 8, .acks = 1, .naks = 2});
  responder_free(e.r);
}

/// A frame that was only late closes the gap before the NAK leaves. What was thrown away meanwhile is still to be asked for.
static void a_gap_may_close_before_it_is_told(void **state) {
  (void)state;
  struct end e;
  open(&e, 0, 0, 0);
  one(&e, 0, 1, true);
  one(&e, 0, 0, false);
  answers(&e, 0, AETH_NAK_SEQUENCE, 1);
  one(&e, 0, 1, true);
  answers(&e, 0, AETH_ACK, 1);
  // Now it, too, is here before: nothing is missing, so there is nothing to ask for, and the ACK is due.
  one(&e, 0, 3, true);
  one(&e, 0, 2, false);
  one(&e, 0, 3, true);
  answers(&e, 0, AETH_ACK, 3);
  counts_are(&e, (struct responder_counts){.packets = 4, .out_of_sequence = 2, .skipped = 2, .acks = 2, .naks = 1});
  responder_free(e.r);

  // The same for a receive buffer that is there before it could say that it was not.
  uint32_t psn = 0xC00000;
  open(&e, psn, 0, 50);
  while (comes(&e, 0, ROCE_SEND_ONLY, psn, false)) psn++;
  while (!comes(&e, 0, ROCE_SEND_ONLY, psn, true)) continue;
  answers(&e, 0, AETH_ACK, psn);
  responder_free(e.r);
}

static void gaps_are_counted_exactly(void **state) {
  (void)state;
  struct end e;
  open(&e, 0xFFFF00, 0, 0);
  struct requester_config c = rc_requester();
  c.psn = 0xFFFF00;
  c.timeout_ps = UINT64_MAX / 2;
  struct requester *sender = requester_new(&c);
  static const uint8_t payload[1000 * 256];
  const struct rc_message m = rc_message(RC_SEND_IMM, payload, sizeof payload);
  requester_post(sender, &m);
  // Every 17th packet is lost the first time; a NAK comes at once, or after some more packets.
  uint64_t lost = 0, sent = 0;
  unsigned turns = 0;
  for (uint32_t most = 0; !requester_idle(sender); turns++) {
    assert_true(turns < 10000);
    if (requester_ready(sender, 0)) {
      const struct rc_frame f = rc_next(sender, 0);
      const uint32_t number = (f.p.psn - c.psn) & PSN_MASK;
      const bool fresh = number == most;
      if (fresh) most++;
      if (fresh && number % 17 == 3)
        lost++;
      else
        responder_data(e.r, 0, f.data, &f.p);
    }
    if (!responder_ready(e.r, 0) || (sent++ % 3 != 0 && requester_ready(sender, 0))) continue;
    const struct rc_frame f = rc_reply(e.r, 0);
    requester_ack(sender, 0, f.data, &f.p);
  }
  assert_int_equal(lost, 59);
  assert_int_equal(e.delivered, 1000);
  const struct responder_counts is = responder_counts(e.r);
  assert_int_equal(is.out_of_sequence, lost);
  assert_int_equal(is.naks, lost);
  assert_int_equal(is.duplicates, 0);
  const struct requester_counts s = requester_counts(sender);
  assert_int_equal(s.sequence_naks, lost);
  assert_int_equal(s.timeouts, 0);
  assert_int_equal(s.packets, 1000 + s.repeats);
  assert_int_equal(s.repeats, is.skipped + lost);
  requester_free(sender);
  responder_free(e.r);
}

static void duplicates_are_acknowledged_again(void **state) {
  (void)state;
  struct end e;
  open(&e, 0, 0, 0);
  for (uint32_t psn = 0; psn < 5; psn++) assert_true(one(&e, 0, psn, false));
  silent(&e, UINT64_MAX - 1);
  assert_false(one(&e, 0, 2, false));   // it goes back, so an ACK was lost
  answers(&e, 0, AETH_ACK, 4);
  assert_false(one(&e, 0, 4, true));
  answers(&e, 0, AETH_ACK, 4);
  assert_false(one(&e, 0, 0x800005, false));   // the oldest that is still an old one
  answers(&e, 0, AETH_ACK, 4);
  counts_are(&e, (struct responder_counts){.packets = 5, .duplicates = 3, .acks = 3});
  responder_free(e.r);
}

static void late_acks_cover_what_came_meanwhile(void **state) {
  (void)state;
  struct end e;
  open(&e, 0, 1000, 0);
  assert_int_equal(responder_deadline(e.r), UINT64_MAX);
  one(&e, 100, 0, true);
  assert_int_equal(responder_deadline(e.r), 1100);
  one(&e, 300, 1, true);   // asked again: no later for it
  one(&e, 400, 2, false);
  silent(&e, 1099);
  uint8_t frame[64];
  assert_int_equal(responder_next(e.r, 1099, frame, sizeof frame), 0);
  assert_int_equal(responder_deadline(e.r), 1100);
  answers(&e, 1100, AETH_ACK, 2);
  assert_int_equal(responder_deadline(e.r), UINT64_MAX);
  // A NAK does not wait, and says as much as the ACK would have.
  one(&e, 2000, 3, true);
  one(&e, 2100, 5, true);
  answers(&e, 2100, AETH_NAK_SEQUENCE, 4);
  silent(&e, UINT64_MAX - 1);
  counts_are(&e, (struct responder_counts){.packets = 4, .out_of_sequence = 1, .skipped = 1, .acks = 1, .naks = 1});
  responder_free(e.r);
}

static void not_ready(void **state) {
  (void)state;
  // Those that take a receive buffer.
  const enum roce_opcode takes[] = {ROCE_SEND_FIRST,    ROCE_SEND_ONLY,      ROCE_SEND_ONLY_IMM,
                                    ROCE_SEND_ONLY_INV, ROCE_WRITE_LAST_IMM, ROCE_WRITE_ONLY_IMM};
  const enum roce_opcode needs_none[] = {ROCE_SEND_MIDDLE, ROCE_SEND_LAST,    ROCE_SEND_LAST_IMM, ROCE_SEND_LAST_INV,
                                         ROCE_WRITE_FIRST, ROCE_WRITE_MIDDLE, ROCE_WRITE_LAST,    ROCE_WRITE_ONLY};
  struct end e;
  open(&e, 0, 0, 100);
  for (uint32_t i = 0; i < sizeof needs_none / sizeof *needs_none; i++) assert_true(comes(&e, 0, needs_none[i], i, false));
  for (uint32_t i = 0; i < sizeof takes / sizeof *takes; i++) {
    assert_false(comes(&e, 0, takes[i], 8, true));
    const struct rc_frame f = rc_reply(e.r, 0);
    assert_int_equal(rc_syndrome(&f) & 0xE0, AETH_RNR);
    assert_int_equal(f.p.psn, 8);
    assert_false(one(&e, 0, 9 + i, true));   // behind it, but no gap
    silent(&e, UINT64_MAX - 1);
  }
  const struct responder_counts is = responder_counts(e.r);
  assert_int_equal(is.rnrs, 6);
  assert_int_equal(is.skipped, 6);
  assert_int_equal(is.out_of_sequence + is.naks + is.acks + is.duplicates, 0);
  responder_free(e.r);

  // As often as told: 20 % of 4000, within five standard deviations.
  open(&e, 0, 0, 20);
  uint32_t psn = 0;
  for (int i = 0; i < 4000; i++) psn += comes(&e, 0, ROCE_SEND_ONLY, psn, false);
  assert_int_equal(psn, e.delivered);
  assert_in_range(4000 - psn, 800 - 127, 800 + 127);
  responder_free(e.r);
}

static void misplaced(void **state) {
  (void)state;
  struct end e;
  open(&e, 0, 0, 0);
  const struct {
    enum roce_opcode opcode;
    unsigned misplaced;
  } packets[] = {{ROCE_WRITE_MIDDLE, 1}, {ROCE_WRITE_LAST, 0},    {ROCE_WRITE_LAST, 1},    {ROCE_WRITE_FIRST, 0},
                 {ROCE_WRITE_MIDDLE, 0}, {ROCE_WRITE_FIRST, 1},   {ROCE_WRITE_ONLY, 1},    {ROCE_WRITE_ONLY, 0},
                 {ROCE_SEND_FIRST, 0},   {ROCE_SEND_LAST_IMM, 0}, {ROCE_SEND_LAST_INV, 1}, {ROCE_SEND_ONLY_INV, 0}};
  uint64_t all = 0;
  for (uint32_t i = 0; i < sizeof packets / sizeof *packets; i++) {
    assert_true(comes(&e, 0, packets[i].opcode, i, false));
    all += packets[i].misplaced;
    assert_int_equal(responder_counts(e.r).misplaced, all);
    // What is thrown away is in no place at all.
    comes(&e, 0, ROCE_WRITE_MIDDLE, i, false);
    comes(&e, 0, ROCE_WRITE_FIRST, i + 9, false);
  }
  assert_int_equal(responder_counts(e.r).misplaced, all);
  responder_free(e.r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(takes_what_is_in_order),
      cmocka_unit_test(acks_are_frames_of_a_nic),
      cmocka_unit_test(too_little_room_changes_nothing),
      cmocka_unit_test(a_gap_is_told_once),
      cmocka_unit_test(a_gap_may_close_before_it_is_told),
      cmocka_unit_test(gaps_are_counted_exactly),
      cmocka_unit_test(duplicates_are_acknowledged_again),
      cmocka_unit_test(late_acks_cover_what_came_meanwhile),
      cmocka_unit_test(not_ready),
      cmocka_unit_test(misplaced),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
