// The witness and right devices: no fault, and everything counted.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/oracle/witness_traffic.h"
#include "wire/bytes.h"

// --- right traffic ---

static void right_traffic(void **state) {
  (void)state;
  for (unsigned workers = 1; workers <= 4; workers++) {
    struct witness *w = start(workers, true);
    for (uint32_t msgid = 0xFFFFFFFA; msgid != 6; msgid++)
      for (unsigned o = 0; o < STRIDE; o++) {
        send_column(w, workers, msgid, o);
        answer_column(w, workers, msgid, o);
      }
    witness_settled(w);
    expect_counts(w, 12u * STRIDE * workers, 0, 12 * STRIDE, 0);
    finish(w, 0, NULL);
  }
}

static void right_retransmission(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  send(w, 2, 0, 0, 0);
  send(w, 2, 0, 0, 0);   // before the column is complete: both merge
  send(w, 2, 1, 0, 0);
  answer_column(w, 2, 0, 0);
  struct gradient g = packet(2, 1, 0, 0), r = result_of(2, 1, 0, 0);
  g.build.ip_id = r.build.ip_id = 999;   // a resent packet has a new identification
  struct frame again = built(&g), result = built(&r);
  in(w, 1, &again);
  out(w, 1, &result);
  witness_settled(w);
  expect_counts(w, 3, 0, 1, 0);
  finish(w, 0, NULL);
}

static void right_passing(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  struct frame a = other(1), b = other(2), middle = in_frame(2, 0, 0, 1), bad = in_frame(2, 0, 0, 0), late = in_frame(2, 0, 9, 2);
  bad.data[bad.len - 1] ^= 1;
  in(w, 0, &a);
  in(w, 0, &middle);   // of a connection nobody has seen yet
  in(w, 0, &bad);
  witness_in(w, 0, a.data, a.len, true);
  witness_in(w, 0, (uint8_t[ROOM + 1]){0}, ROOM + 1, false);
  send(w, 2, 0, 0, 0);
  in(w, 0, &late);   // of a message nobody has seen
  in(w, 0, &b);
  out(w, 0, &a);
  out(w, 0, &middle);
  out(w, 0, &b);
  witness_settled(w);
  expect_counts(w, 0, 3, 0, 0);
  finish(w, 0, NULL);
}

static void registered_connections(void **state) {
  (void)state;
  struct witness *w = start(2, false);
  struct gradient g = packet(2, 0, 0, 0);
  struct frame middle = in_frame(2, 0, 0, 1);
  send(w, 2, 0, 0, 0);   // unregistered: dropped
  in(w, 0, &middle);     // and its successors pass
  out(w, 0, &middle);
  connect_rank(w, 0, 0, &g);
  g = packet(2, 1, 0, 0);
  connect_rank(w, 0, 1, &g);
  send_column(w, 2, 0, 0);
  answer_column(w, 2, 0, 0);
  in(w, 0, &middle);
  witness_flush(w, 0);   // registered connections stay
  in(w, 0, &middle);
  send_column(w, 2, 0, 0);
  answer_column(w, 2, 0, 0);
  witness_settled(w);
  expect_counts(w, 4, 1, 2, 0);
  finish(w, 0, NULL);
}

// A rejected claim leaves a connection unknown, so its middle packets pass.
static void rank_conflict(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  send(w, 2, 0, 0, 0);
  struct gradient g = packet(2, 0, 0, 0), m = packet(2, 0, 0, 1);
  g.build.key.qpn = m.build.key.qpn = 77;
  struct frame claim = built(&g), middle = built(&m);
  in(w, 0, &claim);
  in(w, 0, &middle);
  out(w, 0, &middle);
  send(w, 2, 1, 0, 0);
  answer_column(w, 2, 0, 0);
  finish(w, 0, NULL);
}

static void table_full(void **state) {
  (void)state;
  struct witness *w = start(4, true);
  for (unsigned r = 0; r < 4; r++) send(w, 4, r, 0, 0);
  answer_column(w, 4, 0, 0);
  witness_settled(w);
  for (unsigned r = 0; r < 4; r++) {
    struct gradient g = packet(4, r, 0, 0), m = packet(4, r, 0, 1);
    g.ina.ring = RING + 1;
    g.build.key.qpn = m.build.key.qpn = 500 + r;
    struct frame first = built(&g), middle = built(&m);
    in(w, 0, &first);
    in(w, 0, &middle);
    if (r >= CONNS - 4) out(w, 0, &middle);
  }
  finish(w, 0, NULL);
}

static void flush(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  send_column(w, 2, 5, 0);
  answer_column(w, 2, 5, 0);
  send(w, 2, 0, 5, 1);
  witness_flush(w, 0);
  struct frame middle = in_frame(2, 0, 5, 1);
  in(w, 0, &middle);         // dropped: its receiver may expect just this PSN
  send_column(w, 2, 1, 0);   // older than before: the history is gone
  answer_column(w, 2, 1, 0);
  witness_settled(w);
  expect_counts(w, 4, 0, 2, 0);
  answer(w, 2, 0, 5, 0);
  finish(w, 1, "no gradient with its connection and PSN");
}

/// One column has come and been answered; a later packet of it is `*middle`.
static struct witness *one_column(struct frame *middle) {
  struct witness *w = start(2, true);
  send_column(w, 2, 5, 0);
  answer_column(w, 2, 5, 0);
  *middle = in_frame(2, 0, 5, 1);
  return w;
}

// What the device was told to forget must not pass.
static void retired_must_not_pass(void **state) {
  (void)state;
  struct frame middle;
  struct witness *w = one_column(&middle);
  witness_flush(w, 0);
  in(w, 0, &middle);
  out(w, 0, &middle);
  finish(w, 1, "no gradient with its connection and PSN");
}

// What it was told to release is anybody's, and has to pass.
static void released_must_pass(void **state) {
  (void)state;
  struct frame middle;
  struct witness *w = one_column(&middle);
  witness_release(w, 0);
  in(w, 0, &middle);
  out(w, 0, &middle);
  witness_settled(w);
  in(w, 0, &middle);
  finish(w, 1, "never left");
}

/// Puts a column of the other ring in, with queue pairs of its own.
static void send_other(struct witness *w, uint32_t msgid) {
  for (unsigned r = 0; r < 2; r++) {
    struct gradient g = packet(2, r, msgid, 0);
    g.ina.ring = RING + 1;
    g.build.key.qpn = 500 + r;
    struct frame f = built(&g);
    in(w, r, &f);
  }
}

// A ring is flushed while results of another one are still to come.
static void flush_beside(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  send_column(w, 2, 5, 0);
  send(w, 2, 0, 5, 1);
  witness_flush_beside(w, 1);
  answer_column(w, 2, 5, 0);
  struct frame middle = in_frame(2, 1, 5, 1);
  in(w, 1, &middle);   // of a connection that is still known
  answer_column(w, 2, 5, 1);
  witness_flush_beside(w, 0);   // all its results are there
  send_column(w, 2, 1, 0);      // older than before: the history is gone
  answer_column(w, 2, 1, 0);
  witness_settled(w);
  expect_counts(w, 6, 0, 3, 0);
  finish(w, 0, NULL);
}

// The ring that is flushed must have had its results.
static void flush_beside_too_soon(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  send_column(w, 2, 5, 0);
  send_other(w, 5);
  witness_flush_beside(w, 1);
  answer_column(w, 2, 5, 0);
  finish(w, 2, "got no result");
}

// Nothing is due of a column for which a rank's packets were all dropped.
static void dropped_gradients(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  send_column(w, 2, 0, 0);
  answer_column(w, 2, 0, 0);
  struct gradient wrong[10];
  for (unsigned i = 0; i < 10; i++) wrong[i] = packet(2, 0, 1, 0);
  wrong[0].ina.rank = 2;
  wrong[1].ina.rank = 1;   // the connection is rank 0's
  wrong[2].ina.workers = 3;
  wrong[3].ina.msglen = STRIDE + 1;
  wrong[4].ina.msglen = 0;
  wrong[5].ina.kind = 0x30;
  wrong[6].ina.msgid = 0;   // the same message with another PSN
  wrong[7].len = 6;         // no whole element
  wrong[8].len = 68;        // longer than a slot
  wrong[9].psn0++;          // the same message as the two before, with another PSN
  for (unsigned i = 0; i < 10; i++) {
    struct frame f = built(&wrong[i]);
    in(w, 0, &f);
  }
  send(w, 2, 1, 1, 0);
  witness_settled(w);
  expect_counts(w, 2, 0, 1, 0);
  finish(w, 0, NULL);
}

// Stale first packets do not hide the live message, in whose place they would be.
static void stale_first(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  for (uint32_t msgid = 0; msgid <= 2 * WINDOW; msgid++) {
    send_column(w, 2, msgid, 0);
    answer_column(w, 2, msgid, 0);
  }
  send(w, 2, 0, 0, 0);
  send_column(w, 2, 2 * WINDOW, 1);
  answer_column(w, 2, 2 * WINDOW, 1);
  finish(w, 0, NULL);
}

// PSNs wrap, and of two messages that cover a PSN the newer one counts.
static void psn_wrap(void **state) {
  (void)state;
  struct witness *w = start(1, true);
  for (uint32_t msgid = 0; msgid < 2; msgid++)
    for (unsigned o = 0; o < STRIDE; o++) {
      struct gradient g = packet(1, 0, msgid ^ 1, o), r = result_of(1, 0, msgid ^ 1, o);
      g.psn0 = r.psn0 = 0xFFFFFF - msgid;
      put_float(g.tensor, (float)(10 * msgid + o));
      put_float(r.tensor, (float)(10 * msgid + o));
      struct frame f = built(&g), result = built(&r);
      in(w, 0, &f);
      out(w, 0, &result);
    }
  finish(w, 0, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(right_traffic),
      cmocka_unit_test(right_retransmission),
      cmocka_unit_test(right_passing),
      cmocka_unit_test(registered_connections),
      cmocka_unit_test(rank_conflict),
      cmocka_unit_test(table_full),
      cmocka_unit_test(flush),
      cmocka_unit_test(retired_must_not_pass),
      cmocka_unit_test(released_must_pass),
      cmocka_unit_test(flush_beside),
      cmocka_unit_test(flush_beside_too_soon),
      cmocka_unit_test(dropped_gradients),
      cmocka_unit_test(stale_first),
      cmocka_unit_test(psn_wrap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
