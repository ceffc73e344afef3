// The witness takes what senders say that they mean for the truth; and why columns are excused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/oracle/witness_traffic.h"

static void means(struct witness *w, const struct frame *f, unsigned rank, uint32_t msgid, unsigned offset) {
  const struct witness_meaning meaning = {.ring = 0, .rank = rank, .msgid = msgid, .offset = offset};
  witness_sent(w, f->data, f->len, &meaning);
}

static void told(struct witness *w, unsigned rank, uint32_t msgid, unsigned offset) {
  const struct frame f = in_frame(2, rank, msgid, offset);
  means(w, &f, rank, msgid, offset);
  in(w, rank, &f);
}

static void right_traffic(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  for (unsigned offset = 0; offset < STRIDE; offset++) {
    for (unsigned rank = 0; rank < 2; rank++) told(w, rank, 0, offset);
    answer_column(w, 2, 0, offset);
  }
  assert_int_equal(witness_counts(w).told, 2 * STRIDE);
  expect_counts(w, 2 * STRIDE, 0, 0, 0);
  finish(w, 0, NULL);
}

/// A sender whose headers are not what it means.
static void headers_that_lie(void **state) {
  (void)state;
  for (unsigned what = 0; what < 4; what++) {
    struct witness *w = start(2, true);
    const struct frame first = in_frame(2, 0, 0, 0), second = in_frame(2, 0, 0, 1);
    means(w, &first, what == 0 ? 1 : 0, what == 1 ? 1 : 0, 0);
    means(w, &second, what == 2 ? 1 : 0, 0, what == 3 ? 2 : 1);
    in(w, 0, &first);
    in(w, 0, &second);
    finish(w, 1, "its sender means ring 0");
  }
}

/// Two messages whose PSNs overlap: by headers packet 2 of message 0 is packet 1 of message 1. A device that takes it for that one is found out.
static void overlapping_messages(void **state) {
  (void)state;
  for (unsigned tells = 0; tells < 2; tells++) {
    struct witness *w = start(1, true);
    struct gradient g = packet(1, 0, 1, 0);
    g.psn0 = packet(1, 0, 0, 0).psn0 + 1;   // a tagged packet of message 1, with the PSN of packet 1 of message 0
    const struct frame first = in_frame(1, 0, 0, 0), next = built(&g), third = in_frame(1, 0, 0, 2);
    in(w, 0, &first);
    in(w, 0, &next);
    if (tells == 1) means(w, &third, 0, 0, 2);
    in(w, 0, &third);
    witness_settled(w);
    const struct witness_counts c = witness_counts(w);
    assert_int_equal(c.told, tells);
    // No answer came: whose column it is stands in the fault.
    assert_int_equal(witness_faults(w), 3);
    unsigned of_first = 0;
    for (size_t i = 0; i < 3; i++) of_first += strstr(witness_text(w, i), "MsgID 0, offset 2") != NULL;
    assert_int_equal(of_first, tells);
    witness_free(w);
  }
}

/// A packet of a message that the device cannot know, because its first packet was lost, is in no column, whatever it means.
static void unknown_message(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  told(w, 0, 0, 0);
  for (unsigned rank = 0; rank < 2; rank++) told(w, rank, 0, 1);
  witness_finish(w);
  assert_int_equal(witness_counts(w).incomplete, 2);
  assert_int_equal(witness_faults(w), 1);   // of rank 1 nothing is known, so its packet was to pass
  witness_free(w);
}

/// What was meant before a flush says nothing of what comes in later.
static void flushed(void **state) {
  (void)state;
  struct witness *w = start(1, true);
  const struct frame first = in_frame(1, 0, 0, 0);
  means(w, &first, 0, 7, 0);
  witness_flush(w, 0);
  in(w, 0, &first);
  answer(w, 1, 0, 0, 0);
  assert_int_equal(witness_counts(w).told, 0);
  finish(w, 0, NULL);
}

static void not_a_gradient(void **state) {
  (void)state;
  struct witness *w = start(1, true);
  const struct frame f = other(1);
  means(w, &f, 0, 0, 0);
  finish(w, 1, "no gradient of a ring");
}

// --- why columns are excused ---

static void excused(struct witness *w, enum witness_excuse why, size_t count, size_t incomplete) {
  witness_finish(w);
  const struct witness_counts c = witness_counts(w);
  assert_int_equal(c.excused[why], count);
  assert_int_equal(witness_excused(&c), count);
  assert_int_equal(c.incomplete, incomplete);
  assert_int_equal(witness_faults(w), 0);
  witness_free(w);
}

static void contradiction(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  struct gradient g = packet(2, 0, 0, 0);
  g.len = 12;
  const struct frame longer = built(&g);
  in(w, 0, &longer);
  send(w, 2, 1, 0, 0);
  excused(w, WITNESS_CONTRADICTION, 1, 0);
}

/// Of message 0 one rank's packet never came in, and all went on without it: what wants its place gets no results, nor what follows that.
static void gap(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  send(w, 2, 0, 0, 0);
  for (uint32_t turn = 1; turn <= 3; turn++) send_column(w, 2, turn * 2 * WINDOW, 0);
  excused(w, WITNESS_GAP, 3, 1);
}

/// It came in as a copy, when all had gone on.
static void gap_that_a_copy_fills(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  send(w, 2, 0, 0, 0);
  send(w, 2, 1, 1, 0);
  send_column(w, 2, WINDOW, 0);
  answer_column(w, 2, WINDOW, 0);
  send(w, 2, 1, 0, 0);
  excused(w, WITNESS_GAP, 1, 1);
}

/// The same packets, each for the first time: hosts whose window is larger than they were said to have.
static void larger_window(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  send(w, 2, 0, 0, 0);
  send(w, 2, 0, 2 * WINDOW, 0);
  send(w, 2, 1, 0, 0);
  send(w, 2, 1, 2 * WINDOW, 0);
  excused(w, WITNESS_WINDOW, 2, 0);
}

/// A device that keeps a result back, in an open loop: hosts go on, as their record says.
static void kept_back(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  send_column(w, 2, 0, 0);
  answer(w, 2, 0, 0, 0);
  send_column(w, 2, 2 * WINDOW, 0);
  answer_column(w, 2, 2 * WINDOW, 0);
  excused(w, WITNESS_WINDOW, 1, 0);
}

/// More contradicting packets than sums are looked for.
static void too_many_sums(void **state) {
  (void)state;
  for (unsigned copies = 8; copies <= 9; copies++) {
    struct witness *w = start(2, true);
    for (unsigned rank = 0; rank < 2; rank++)
      for (unsigned k = 0; k < copies; k++) {
        struct gradient g = packet(2, rank, 0, 0);
        put_float(g.tensor, (float)(100 + k));
        const struct frame f = built(&g);
        in(w, rank, &f);
      }
    for (unsigned rank = 0; rank < 2; rank++) answer(w, 2, rank, 0, 0);   // of no two of them
    witness_settled(w);
    assert_int_equal(witness_counts(w).untried, copies > 8 ? 2 : 0);
    finish(w, copies > 8 ? 0 : 4, "not the reduction");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(right_traffic),
      cmocka_unit_test(headers_that_lie),
      cmocka_unit_test(overlapping_messages),
      cmocka_unit_test(unknown_message),
      cmocka_unit_test(flushed),
      cmocka_unit_test(not_a_gradient),
      cmocka_unit_test(contradiction),
      cmocka_unit_test(gap),
      cmocka_unit_test(gap_that_a_copy_fills),
      cmocka_unit_test(larger_window),
      cmocka_unit_test(kept_back),
      cmocka_unit_test(too_many_sums),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
