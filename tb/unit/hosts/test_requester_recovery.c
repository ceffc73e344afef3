// The sending half of a queue pair: what an ACK, a NAK, a receiver without room and its own clock do to it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/rc.h"
#include "unit/hosts/rc_ends.h"

// --- acknowledgements ---

static void acks_are_cumulative(void **state) {
  (void)state;
  struct requester *r = rc_loaded(10);
  assert_int_equal(requester_pending(r), 10);
  rc_sends(r, 0, RC_PSN, 10);
  rc_answer(r, 0, AETH_ACK, RC_PSN + 3);
  assert_int_equal(requester_pending(r), 6);
  assert_int_equal(requester_counts(r).messages, 4);
  rc_answer(r, 0, 0, RC_PSN + 8);   // whatever credits it gives
  assert_int_equal(requester_pending(r), 1);
  assert_false(requester_idle(r));
  rc_answer(r, 0, AETH_ACK, RC_PSN + 9);
  assert_int_equal(requester_pending(r), 0);
  assert_true(requester_idle(r));
  rc_counts_are(r, (struct requester_counts){.packets = 10, .messages = 10});
  requester_free(r);
}

static void old_news_is_no_news(void **state) {
  (void)state;
  struct requester *r = rc_loaded(8);
  rc_sends(r, 100, RC_PSN, 8);
  rc_answer(r, 200, AETH_ACK, RC_PSN + 4);
  const struct requester_counts before = requester_counts(r);
  rc_answer(r, 700, AETH_ACK, RC_PSN + 4);
  rc_answer(r, 700, AETH_ACK, RC_PSN);
  rc_answer(r, 700, AETH_ACK, RC_PSN - 1);   // before the first packet of all
  rc_answer(r, 700, AETH_NAK_SEQUENCE, RC_PSN + 4);
  rc_answer(r, 700, AETH_RNR | 1, RC_PSN + 2);
  rc_answer(r, 700, AETH_NAK_SEQUENCE, RC_PSN - 1);
  rc_counts_are(r, before);
  assert_int_equal(requester_pending(r), 3);
  assert_int_equal(requester_deadline(r, 700), 200 + RC_TIMEOUT);
  assert_false(requester_ready(r, 700));
  requester_free(r);
}

static void what_was_never_sent_is_not_acknowledged(void **state) {
  (void)state;
  const uint8_t syndromes[] = {AETH_ACK, AETH_NAK_SEQUENCE, AETH_RNR | 1};
  const uint32_t psns[] = {RC_PSN + 4, RC_PSN + 5, RC_PSN + 9, RC_PSN + 0x7FFFFF, RC_PSN + 0x800000};
  struct requester *r = rc_loaded(10);
  for (unsigned i = 0; i < 4; i++) rc_next(r, 0);
  for (size_t s = 0; s < sizeof syndromes; s++)
    for (size_t i = 0; i < sizeof psns / sizeof *psns; i++) rc_answer(r, 500, syndromes[s], psns[i]);
  // Other complaints (invalid request and the like), and an ACK packet that ends before its AETH.
  for (uint8_t code = 1; code < 32; code++) rc_answer(r, 500, AETH_NAK_SEQUENCE | code, RC_PSN + 1);
  // Whatever stands in its place.
  for (uint16_t source = 0; source < 200; source++) {
    struct rc_frame f;
    const struct roce_build b = {.key = rc_key(2, 1, 0), .udp_src = source, .opcode = ROCE_ACK, .psn = RC_PSN + 3};
    f.len = roce_build(&b, f.data, sizeof f.data);
    roce_parse(f.data, f.len, &f.p);
    requester_ack(r, 500, f.data, &f.p);
  }
  rc_counts_are(r, (struct requester_counts){.packets = 4});
  assert_int_equal(requester_pending(r), 10);
  assert_int_equal(requester_deadline(r, 500), RC_TIMEOUT);
  rc_sends(r, 500, RC_PSN + 4, 6);
  requester_free(r);
}

// --- going back ---

static void a_nak_goes_back(void **state) {
  (void)state;
  struct requester *r = rc_loaded(8);
  rc_sends(r, 0, RC_PSN, 8);
  rc_answer(r, 0, AETH_NAK_SEQUENCE, RC_PSN + 3);
  assert_int_equal(requester_pending(r), 5);   // a NAK acknowledges what is before it
  rc_sends(r, 0, RC_PSN + 3, 5);
  rc_answer(r, 0, AETH_NAK_SEQUENCE, RC_PSN + 3);   // lost again
  assert_int_equal(rc_next(r, 0).p.psn, RC_PSN + 3);
  rc_answer(r, 0, AETH_NAK_SEQUENCE, RC_PSN + 7);   // beyond what is sent again so far
  rc_sends(r, 0, RC_PSN + 7, 1);
  rc_counts_are(r, (struct requester_counts){.packets = 15, .repeats = 7, .sequence_naks = 3, .messages = 7});
  requester_free(r);
}

static void an_ack_overtakes_the_way_back(void **state) {
  (void)state;
  struct requester *r = rc_loaded(8);
  rc_sends(r, 0, RC_PSN, 8);
  requester_tick(r, RC_TIMEOUT);
  assert_int_equal(rc_next(r, RC_TIMEOUT).p.psn, RC_PSN);
  rc_answer(r, RC_TIMEOUT + 1, AETH_ACK, RC_PSN + 5);   // was late only
  rc_sends(r, RC_TIMEOUT + 1, RC_PSN + 6, 2);
  requester_tick(r, 2 * RC_TIMEOUT + 1);
  rc_answer(r, 2 * RC_TIMEOUT + 1, AETH_ACK, RC_PSN + 7);
  assert_true(requester_idle(r));
  assert_false(requester_ready(r, 2 * RC_TIMEOUT + 1));
  assert_int_equal(requester_deadline(r, 2 * RC_TIMEOUT + 1), UINT64_MAX);
  rc_counts_are(r, (struct requester_counts){.packets = 11, .repeats = 3, .timeouts = 2, .messages = 8});
  requester_free(r);
}

static void waits_for_a_receiver_that_is_not_ready(void **state) {
  (void)state;
  struct requester_config c = rc_requester();
  c.timeout_ps = UINT64_C(1000000000);
  struct requester *r = requester_new(&c);
  static const uint8_t payload[5 * 256];
  const struct rc_message m = rc_message(RC_SEND, payload, sizeof payload);
  requester_post(r, &m);
  rc_sends(r, 0, RC_PSN, 5);
  const uint64_t wait = rnr_timer_ps(3);
  rc_answer(r, 70, AETH_RNR | 3, RC_PSN + 2);
  assert_int_equal(requester_deadline(r, 70), 70 + wait);
  assert_false(requester_ready(r, 70 + wait - 1));
  rc_sends(r, 70 + wait, RC_PSN + 2, 3);
  assert_true(requester_deadline(r, 70 + wait) > 70 + wait);
  rc_counts_are(r, (struct requester_counts){.packets = 8, .repeats = 3, .rnr_naks = 1});
  requester_free(r);
}

/// Nothing is on its way while the receiver asked for patience, so nothing can be lost.
static void a_wait_is_no_timeout(void **state) {
  (void)state;
  struct requester *r = rc_loaded(3);
  rc_sends(r, 0, RC_PSN, 3);
  const uint64_t end = 70 + rnr_timer_ps(1);
  assert_true(end > 10 * RC_TIMEOUT);
  rc_answer(r, 70, AETH_RNR | 1, RC_PSN);
  for (uint64_t t = 70; t < end; t += RC_TIMEOUT / 2) {
    requester_tick(r, t);
    assert_int_equal(requester_deadline(r, t), end);
  }
  assert_int_equal(requester_counts(r).timeouts, 0);
  rc_sends(r, end, RC_PSN, 3);
  requester_tick(r, end + RC_TIMEOUT - 1);
  assert_int_equal(requester_counts(r).timeouts, 0);
  requester_tick(r, end + RC_TIMEOUT);
  rc_counts_are(r, (struct requester_counts){.packets = 6, .repeats = 3, .rnr_naks = 1, .timeouts = 1});
  requester_free(r);
}

static void rnr_timers(void **state) {
  (void)state;
  // InfiniBand 9.7.5.2.8, table 45: 0.01 ms, 0.02, 0.03, then each twice the one before the last; 0 comes behind 31.
  assert_int_equal(rnr_timer_ps(1), 10000000);
  assert_int_equal(rnr_timer_ps(2), 20000000);
  assert_int_equal(rnr_timer_ps(3), 30000000);
  for (unsigned code = 4; code <= 32; code++) assert_int_equal(rnr_timer_ps(code % 32), 2 * rnr_timer_ps(code - 2));
  assert_int_equal(rnr_timer_ps(0), UINT64_C(655360000000));
}

// --- the Local ACK Timeout ---

static void timeouts(void **state) {
  (void)state;
  struct requester *r = rc_loaded(4);
  assert_int_equal(requester_deadline(r, 0), UINT64_MAX);
  rc_next(r, 500);
  assert_int_equal(requester_deadline(r, 500), 500 + RC_TIMEOUT);
  rc_sends(r, 900, RC_PSN + 1, 3);
  assert_int_equal(requester_deadline(r, 900), 500 + RC_TIMEOUT);   // sending is no news
  requester_tick(r, 500 + RC_TIMEOUT - 1);
  assert_false(requester_ready(r, 500 + RC_TIMEOUT - 1));
  rc_answer(r, 1400, AETH_ACK, RC_PSN + 1);
  assert_int_equal(requester_deadline(r, 1400), 1400 + RC_TIMEOUT);   // an ACK is
  requester_tick(r, 500 + RC_TIMEOUT);
  rc_counts_are(r, (struct requester_counts){.packets = 4, .messages = 2});
  requester_tick(r, 1400 + RC_TIMEOUT);
  requester_tick(r, 1400 + 5 * RC_TIMEOUT);   // nothing was sent since
  rc_sends(r, 8000, RC_PSN + 2, 2);
  assert_int_equal(requester_deadline(r, 8000), 8000 + RC_TIMEOUT);
  requester_tick(r, 8000 + RC_TIMEOUT);
  rc_sends(r, 9000, RC_PSN + 2, 2);
  rc_answer(r, 9001, AETH_ACK, RC_PSN + 3);
  assert_int_equal(requester_deadline(r, 9001), UINT64_MAX);
  requester_tick(r, UINT64_MAX - 1);   // all is done
  rc_counts_are(r, (struct requester_counts){.packets = 8, .repeats = 4, .timeouts = 2, .messages = 4});
  requester_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(acks_are_cumulative),
      cmocka_unit_test(old_news_is_no_news),
      cmocka_unit_test(what_was_never_sent_is_not_acknowledged),
      cmocka_unit_test(a_nak_goes_back),
      cmocka_unit_test(an_ack_overtakes_the_way_back),
      cmocka_unit_test(waits_for_a_receiver_that_is_not_ready),
      cmocka_unit_test(a_wait_is_no_timeout),
      cmocka_unit_test(rnr_timers),
      cmocka_unit_test(timeouts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
