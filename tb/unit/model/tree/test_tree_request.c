// The sending half of a tree connection: credits, the limited packet, what it repeats, when it gives up.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/model/tree/tree_ends.h"

static struct rc_end *end;
static struct rc_requester *request;

static int open(void **state) {
  (void)state;
  const struct rc_end_config c = ends_config(0);
  end = rc_end_new(&c);
  request = rc_end_requester(end);
  return end == NULL;
}

static int close(void **state) {
  (void)state;
  rc_end_free(end);
  return 0;
}

/// With other settings.
static void reopen(unsigned room, unsigned ack_every, unsigned retries, unsigned rnr_retries) {
  struct rc_end_config c = ends_config(0);
  c.request.room = room;
  c.request.ack_every = ack_every;
  c.request.retries = retries;
  c.request.rnr_retries = rnr_retries;
  rc_end_free(end);
  end = rc_end_new(&c);
  assert_non_null(end);
  request = rc_end_requester(end);
}

/// A message of so many packets.
static void post(unsigned packets) {
  for (unsigned i = 0; i < packets; i++) ends_post(request, i == 0, i + 1 == packets, (uint8_t)i, ENDS_MTU);
}

/// The next packets leave, `from` is the number of the first one, and then none.
static void sends(uint64_t now, unsigned from, unsigned count) {
  for (unsigned i = 0; i < count; i++) assert_int_equal(ends_next(end, now).p.psn, (ENDS_PSN + from + i) & PSN_MASK);
  assert_false(rc_end_ready(end, now));
}

static void test_credit_codes(void **state) {
  (void)state;
  const unsigned table[] = {0,   1,   2,   3,   4,    6,    8,    12,   16,   24,   32,   48,    64,    96,    128,  192,
                            256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768};
  for (unsigned code = 0; code < 31; code++) {
    assert_int_equal(rc_credits(code), table[code]);
    assert_int_equal(rc_credit_code(table[code]), code);
    if (code > 0) assert_int_equal(rc_credit_code(table[code] - 1), code - 1);
  }
  assert_int_equal(rc_credit_code(UINT64_MAX), 30);
}

/// A connection begins without credits: one packet goes, and none until it is answered.
static void test_limited(void **state) {
  (void)state;
  post(6);
  const struct ends_frame first = ends_next(end, 0);
  assert_int_equal(first.p.psn, ENDS_PSN);
  assert_int_equal(first.p.opcode, ROCE_SEND_FIRST);
  assert_true(first.p.ack_request);   // or nothing would ever tell of room
  assert_false(rc_end_ready(end, 0));
  assert_int_equal(rc_requester_counts(request).limited, 1);
  // Two credits: two packets and the limited one.
  ends_answer(end, 1, rc_credit_code(2), ENDS_PSN);
  const struct ends_frame second = ends_next(end, 1);
  assert_int_equal(second.p.opcode, ROCE_SEND_MIDDLE);
  assert_false(second.p.ack_request);
  assert_true(ends_next(end, 1).p.ack_request);   // at the last credit
  assert_int_equal(rc_requester_promised(request), 2);
  assert_true(ends_next(end, 1).p.ack_request);
  assert_false(rc_end_ready(end, 1));
  assert_int_equal(rc_requester_outstanding(request), 3);
  // The same ACK with more credits: room came free. One with fewer is older, and takes nothing back.
  ends_answer(end, 2, rc_credit_code(4), ENDS_PSN);
  ends_answer(end, 2, rc_credit_code(0), ENDS_PSN);
  assert_int_equal(rc_requester_promised(request), 4);
  sends(2, 4, 2);
  ends_answer(end, 3, AETH_ACK, ENDS_PSN + 5);
  assert_true(rc_requester_idle(request));
}

/// The limited packet finds no room: it is repeated, and nothing else.
static void test_limited_refused(void **state) {
  (void)state;
  post(3);
  sends(0, 0, 1);
  ends_answer(end, 5, AETH_RNR | 1, ENDS_PSN);
  assert_false(rc_end_ready(end, 5));
  assert_int_equal(rc_end_deadline(end, 5), 5 + rnr_timer_ps(1));
  sends(5 + rnr_timer_ps(1), 0, 1);
  assert_int_equal(rc_requester_counts(request).repeats, 1);
  assert_int_equal(rc_requester_counts(request).limited, 1);
  ends_answer(end, 6 + rnr_timer_ps(1), rc_credit_code(0), ENDS_PSN);
  sends(6 + rnr_timer_ps(1), 1, 1);   // acknowledged without a credit: the next limited one
}

/// The other end counts no credits: nothing is held back.
static void test_no_credits(void **state) {
  (void)state;
  post(8);
  sends(0, 0, 1);
  ends_answer(end, 0, AETH_ACK, ENDS_PSN);
  sends(0, 1, 7);
  assert_int_equal(rc_requester_promised(request), UINT64_MAX);
}

/// Room is of packets that are kept until they are acknowledged, cumulatively.
static void test_room(void **state) {
  (void)state;
  reopen(4, 2, 7, RC_ENDLESS);
  post(4);
  assert_int_equal(rc_requester_room(request), 0);
  sends(0, 0, 1);
  ends_answer(end, 0, rc_credit_code(8), ENDS_PSN);
  assert_int_equal(rc_requester_room(request), 1);
  assert_true(ends_next(end, 0).p.ack_request);   // every second
  assert_false(ends_next(end, 0).p.ack_request);
  assert_true(ends_next(end, 0).p.ack_request);   // the last of its message
  ends_answer(end, 0, rc_credit_code(8), ENDS_PSN + 2);
  assert_int_equal(rc_requester_room(request), 3);
  assert_false(rc_requester_idle(request));
  ends_answer(end, 0, rc_credit_code(8), ENDS_PSN + 9);   // names what was never sent
  assert_int_equal(rc_requester_room(request), 3);
  ends_answer(end, 0, rc_credit_code(8), ENDS_PSN + 3);
  assert_true(rc_requester_idle(request));
  assert_int_equal(rc_end_deadline(end, 0), UINT64_MAX);
}

/// An ACK is asked for with the last room, too, or nothing would ever make any. Where none was asked for, nothing is waited for: who streams may
/// have to wait for the rest of its message.
static void test_asks(void **state) {
  (void)state;
  reopen(4, 0, 7, RC_ENDLESS);
  ends_post(request, true, false, 0, ENDS_MTU);
  sends(0, 0, 1);
  ends_answer(end, 0, AETH_ACK, ENDS_PSN);
  ends_post(request, false, false, 0, ENDS_MTU);
  assert_false(ends_next(end, 0).p.ack_request);
  assert_int_equal(rc_end_deadline(end, 0), UINT64_MAX);
  for (unsigned i = 0; i < 3; i++) ends_post(request, false, false, 0, ENDS_MTU);
  assert_false(ends_next(end, 5).p.ack_request);
  assert_false(ends_next(end, 5).p.ack_request);
  assert_true(ends_next(end, 5).p.ack_request);
  assert_int_equal(rc_end_deadline(end, 5), 5 + ENDS_TIMEOUT);
}

/// A NAK: all from the missing packet on, and those before it are acknowledged.
static void test_sequence_nak(void **state) {
  (void)state;
  post(6);
  sends(0, 0, 1);
  ends_answer(end, 0, rc_credit_code(8), ENDS_PSN);
  sends(0, 1, 5);
  ends_answer(end, 1, AETH_NAK_SEQUENCE, ENDS_PSN + 3);
  assert_int_equal(rc_requester_room(request), 8 - 3);
  sends(1, 3, 3);
  ends_answer(end, 2, AETH_NAK_SEQUENCE, ENDS_PSN + 1);   // late
  assert_false(rc_end_ready(end, 2));
  assert_int_equal(rc_requester_counts(request).repeats, 3);
  assert_int_equal(rc_requester_counts(request).sequence_naks, 1);
}

/// An ACK that was late for the go-back before it: what it acknowledges is not sent again.
static void test_late_ack(void **state) {
  (void)state;
  post(6);
  sends(0, 0, 1);
  ends_answer(end, 0, rc_credit_code(8), ENDS_PSN);
  sends(0, 1, 5);
  rc_end_tick(end, ENDS_TIMEOUT);
  assert_int_equal(ends_next(end, ENDS_TIMEOUT).p.psn, (ENDS_PSN + 1) & PSN_MASK);
  ends_answer(end, ENDS_TIMEOUT, rc_credit_code(8), ENDS_PSN + 4);
  sends(ENDS_TIMEOUT, 5, 1);
}

/// So many times without an answer, and progress counts anew.
static void test_retries(void **state) {
  (void)state;
  reopen(8, 0, 2, RC_ENDLESS);
  post(2);
  sends(0, 0, 1);
  uint64_t now = 0;
  for (unsigned packet = 0; packet < 2; packet++) {
    for (unsigned i = 0; i < 2; i++) {
      assert_int_equal(rc_end_deadline(end, now), now + ENDS_TIMEOUT);
      rc_end_tick(end, now + ENDS_TIMEOUT - 1);
      assert_false(rc_end_ready(end, now));
      now += ENDS_TIMEOUT;
      rc_end_tick(end, now);
      sends(now, packet, 1);
    }
    if (packet == 0) ends_answer(end, now, rc_credit_code(0), ENDS_PSN);
    if (packet == 0) sends(now, 1, 1);
  }
  rc_end_tick(end, now + ENDS_TIMEOUT);
  assert_int_equal(rc_end_fault(end), RC_UNANSWERED);
  assert_false(rc_end_ready(end, now + ENDS_TIMEOUT));
  assert_int_equal(rc_requester_room(request), 0);
  assert_int_equal(rc_end_deadline(end, now), UINT64_MAX);
  assert_int_equal(rc_requester_counts(request).timeouts, 5);
}

static void test_rnr_retries(void **state) {
  (void)state;
  reopen(8, 0, 0, 2);
  post(1);
  uint64_t now = 0;
  for (unsigned i = 0; i < 3; i++) {
    assert_int_equal(rc_end_fault(end), RC_GOOD);
    sends(now, 0, 1);
    ends_answer(end, now, AETH_RNR | 2, ENDS_PSN);
    now += rnr_timer_ps(2);
  }
  assert_int_equal(rc_end_fault(end), RC_NEVER_READY);
}

static void test_refused(void **state) {
  (void)state;
  post(1);
  sends(0, 0, 1);
  ends_answer(end, 0, 0x85, ENDS_PSN);   // nothing that is known
  assert_int_equal(rc_end_fault(end), RC_GOOD);
  ends_answer(end, 0, AETH_NAK_INVALID, ENDS_PSN);
  assert_int_equal(rc_end_fault(end), RC_REFUSED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_credit_codes),
      cmocka_unit_test_setup_teardown(test_limited, open, close),
      cmocka_unit_test_setup_teardown(test_limited_refused, open, close),
      cmocka_unit_test_setup_teardown(test_no_credits, open, close),
      cmocka_unit_test_setup_teardown(test_room, open, close),
      cmocka_unit_test_setup_teardown(test_asks, open, close),
      cmocka_unit_test_setup_teardown(test_sequence_nak, open, close),
      cmocka_unit_test_setup_teardown(test_late_ack, open, close),
      cmocka_unit_test_setup_teardown(test_retries, open, close),
      cmocka_unit_test_setup_teardown(test_rnr_retries, open, close),
      cmocka_unit_test_setup_teardown(test_refused, open, close),
  };
  cmocka_set_message_output(CM_OUTPUT_TAP);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
