// The receiving half of a tree connection: what it takes in, throws away and answers, and the room that it tells of.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/model/tree/tree_ends.h"

static struct rc_end *end;
static struct rc_responder *respond;

static void reopen(unsigned room, unsigned coalesce, uint64_t ack_delay_ps, bool no_credits) {
  struct rc_end_config c = ends_config(1);
  c.respond.room = room;
  c.respond.coalesce = coalesce;
  c.respond.ack_delay_ps = ack_delay_ps;
  c.respond.no_credits = no_credits;
  rc_end_free(end);
  end = rc_end_new(&c);
  assert_non_null(end);
  respond = rc_end_responder(end);
}

static int open(void **state) {
  (void)state;
  end = NULL;
  reopen(8, 100, 0, false);
  return 0;
}

static int close(void **state) {
  (void)state;
  rc_end_free(end);
  return 0;
}

/// Packet `number` of the connection comes in. Returns whether it is kept.
static bool comes_as(uint64_t now, enum roce_opcode opcode, unsigned number, bool ack_request, size_t len) {
  uint8_t payload[2 * ENDS_MTU];
  const struct rc_end_config c = ends_config(0);
  struct ends_frame f;
  memset(payload, (int)number, sizeof payload);
  struct roce_build b = {.key = c.out,
                         .opcode = (uint8_t)opcode,
                         .psn = (ENDS_PSN + number) & PSN_MASK,
                         .ack_request = ack_request,
                         .payload = payload,
                         .payload_len = len};
  b.reth[15] = 1;
  b.imm[3] = 9;
  f.len = rc_build(&b, c.local_mac, c.peer_mac, f.data, sizeof f.data);
  roce_parse(f.data, f.len, &f.p);
  const uint64_t before = rc_responder_counts(respond).packets;
  assert_true(rc_end_receive(end, now, f.data, &f.p));
  return rc_responder_counts(respond).packets > before;
}

static bool comes(uint64_t now, unsigned number, bool ack_request) {
  return comes_as(now, ROCE_SEND_ONLY, number, ack_request, ENDS_MTU);
}

/// One answer is due at `now`: to packet `number`, with this syndrome.
static void answers(uint64_t now, uint8_t syndrome, unsigned number) {
  const struct ends_frame f = ends_next(end, now);
  assert_int_equal(f.p.opcode, ROCE_ACK);
  assert_int_equal(f.p.psn, (ENDS_PSN + number) & PSN_MASK);
  assert_int_equal(ends_syndrome(&f), syndrome);
  assert_false(rc_end_ready(end, now));
}

static void takes(uint64_t now, unsigned number) {
  const struct rc_packet *p = rc_responder_first(respond);
  assert_non_null(p);
  if (p->len > 0) assert_int_equal(p->data[p->len - 1], (uint8_t)number);
  rc_responder_take(respond, now);
}

/// In order, each once; repeated ones are acknowledged once more, with what has arrived meanwhile.
static void test_order(void **state) {
  (void)state;
  assert_true(comes(0, 0, false));
  assert_true(comes(0, 1, false));
  assert_false(rc_end_ready(end, 0));
  assert_false(comes(0, 0, false));
  answers(0, rc_credit_code(6), 1);
  assert_true(comes(0, 2, true));
  answers(0, rc_credit_code(5), 2);   // 4: of five, the table has no five
  for (unsigned i = 0; i < 3; i++) takes(0, i);
  assert_null(rc_responder_first(respond));
  assert_int_equal(rc_responder_counts(respond).duplicates, 1);
}

/// A gap is told once, by the PSN that is missing; and again if it comes, and then another is missing.
static void test_gap(void **state) {
  (void)state;
  assert_true(comes(0, 0, false));
  assert_false(comes(0, 2, true));
  answers(0, AETH_NAK_SEQUENCE, 1);
  assert_false(comes(0, 3, true));
  assert_false(rc_end_ready(end, 0));
  assert_true(comes(0, 1, false));
  assert_false(comes(0, 3, false));
  answers(0, AETH_NAK_SEQUENCE, 2);
  assert_true(comes(0, 2, false));
  assert_true(comes(0, 3, true));
  answers(0, rc_credit_code(4), 3);
  const struct rc_respond_counts c = rc_responder_counts(respond);
  assert_int_equal(c.out_of_sequence, 2);
  assert_int_equal(c.skipped, 3);
  assert_int_equal(c.naks, 2);
}

/// The gap closes before the NAK could leave: there is nothing to ask for any more.
static void test_gap_closes(void **state) {
  (void)state;
  assert_false(comes(0, 1, true));
  assert_true(comes(0, 0, false));
  assert_false(rc_end_ready(end, 0));
}

/// Acknowledged late and together; or at once, after so many.
static void test_coalesce(void **state) {
  (void)state;
  reopen(8, 3, 50, false);
  assert_true(comes(10, 0, true));
  assert_false(rc_end_ready(end, 59));
  assert_int_equal(rc_end_deadline(end, 10), 60);
  assert_true(comes(40, 1, true));
  answers(60, rc_credit_code(6), 1);
  assert_true(comes(70, 2, false));
  assert_true(comes(70, 3, false));
  assert_int_equal(rc_end_deadline(end, 70), UINT64_MAX);
  assert_true(comes(70, 4, false));
  answers(70, rc_credit_code(3), 4);
}

/// No room: "not ready", nothing behind it is taken, and the room that comes free is told without being asked for.
static void test_no_room(void **state) {
  (void)state;
  reopen(2, 100, 0, false);
  assert_true(comes(0, 0, false));
  assert_true(comes(0, 1, true));
  answers(0, rc_credit_code(0), 1);
  assert_false(comes(0, 2, true));
  answers(0, AETH_RNR | 1, 2);
  assert_false(comes(0, 3, true));
  assert_false(rc_end_ready(end, 0));
  takes(5, 0);
  answers(5, rc_credit_code(1), 1);
  assert_true(comes(6, 2, false));
  takes(6, 1);
  answers(6, rc_credit_code(1), 2);
  takes(6, 2);
  assert_int_equal(rc_responder_counts(respond).no_room, 1);
  assert_int_equal(rc_responder_counts(respond).rnrs, 1);
  assert_int_equal(rc_responder_counts(respond).most_waiting, 2);
}

/// Held back by "not ready" alone: no credits are told, nor that room came free.
static void test_no_credits(void **state) {
  (void)state;
  reopen(1, 100, 0, true);
  assert_true(comes(0, 0, true));
  answers(0, AETH_ACK, 0);
  takes(0, 0);
  assert_false(rc_end_ready(end, 0));
}

/// All forms of messages, with what is in their headers.
static void test_forms(void **state) {
  (void)state;
  assert_true(comes_as(0, ROCE_WRITE_FIRST, 0, false, ENDS_MTU));
  assert_true(comes_as(0, ROCE_WRITE_MIDDLE, 1, false, ENDS_MTU));
  assert_true(comes_as(0, ROCE_WRITE_LAST_IMM, 2, false, 3));
  assert_true(comes_as(0, ROCE_SEND_FIRST, 3, false, ENDS_MTU));
  assert_true(comes_as(0, ROCE_SEND_LAST, 4, false, ENDS_MTU));
  assert_true(comes_as(0, ROCE_WRITE_ONLY_IMM, 5, false, 0));
  assert_true(comes_as(0, ROCE_SEND_ONLY, 6, true, 1));
  const struct ends_frame ack = ends_next(end, 0);
  assert_int_equal(ack.data[ack.p.bth + 15], 4);   // MSN: messages taken in whole
  const struct rc_packet *p = rc_responder_first(respond);
  assert_true(p->first && !p->last && p->verb == RC_WRITE && p->reth[15] == 1);
  takes(0, 0);
  p = rc_responder_first(respond);
  assert_true(!p->first && !p->last && p->verb == RC_WRITE);
  takes(0, 1);
  p = rc_responder_first(respond);
  assert_true(!p->first && p->last && p->verb == RC_WRITE_IMM && p->imm == 9 && p->len == 3);
  takes(0, 2);
  p = rc_responder_first(respond);
  assert_true(p->first && !p->last && p->verb == RC_SEND);
  takes(0, 3);
  takes(0, 4);
  p = rc_responder_first(respond);
  assert_true(p->first && p->last && p->verb == RC_WRITE_IMM && p->imm == 9 && p->reth[15] == 1 && p->len == 0);
  takes(0, 5);
  takes(0, 6);
}

/// What no requester sends ends the connection: a NAK, and nothing is taken any more.
static void test_impossible(void **state) {
  (void)state;
  const struct {
    enum roce_opcode before, opcode;   // SEND ONLY: nothing of note before
    size_t len;
  } cases[] = {
      {ROCE_SEND_ONLY, ROCE_SEND_MIDDLE, ENDS_MTU},   {ROCE_SEND_ONLY, ROCE_WRITE_LAST, 4},
      {ROCE_SEND_FIRST, ROCE_SEND_FIRST, ENDS_MTU},   {ROCE_SEND_FIRST, ROCE_SEND_ONLY, 4},
      {ROCE_SEND_FIRST, ROCE_WRITE_MIDDLE, ENDS_MTU}, {ROCE_SEND_FIRST, ROCE_SEND_MIDDLE, ENDS_MTU - 4},
      {ROCE_SEND_FIRST, ROCE_SEND_LAST, 0},           {ROCE_SEND_ONLY, ROCE_SEND_ONLY, ENDS_MTU + 4},
      {ROCE_SEND_ONLY, ROCE_SEND_ONLY_INV, 4},        {ROCE_SEND_ONLY, ROCE_SEND_FIRST, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    reopen(8, 100, 0, false);
    assert_true(comes_as(0, cases[i].before, 0, false, ENDS_MTU));
    assert_false(comes_as(0, cases[i].opcode, 1, false, cases[i].len));
    answers(0, AETH_NAK_INVALID, 1);
    assert_int_equal(rc_end_fault(end), RC_IMPOSSIBLE);
    assert_false(comes_as(0, ROCE_SEND_ONLY, 1, true, 4));
    assert_false(rc_end_ready(end, 0));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_order, open, close),
      cmocka_unit_test_setup_teardown(test_gap, open, close),
      cmocka_unit_test_setup_teardown(test_gap_closes, open, close),
      cmocka_unit_test_setup_teardown(test_coalesce, open, close),
      cmocka_unit_test_setup_teardown(test_no_room, open, close),
      cmocka_unit_test_setup_teardown(test_no_credits, open, close),
      cmocka_unit_test_setup_teardown(test_forms, open, close),
      cmocka_unit_test_setup_teardown(test_impossible, open, close),
  };
  cmocka_set_message_output(CM_OUTPUT_TAP);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
