// The witness where traffic leaves open what a device does: no fault either way, and nothing excused without a reason.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/oracle/witness_traffic.h"
#include "wire/bytes.h"

// On two ports at once the order of packets is open: either outcome is right, and the column is excused.
static void roaming(void **state) {
  (void)state;
  for (unsigned passes = 0; passes < 2; passes++) {
    struct witness *w = start(2, true);
    send(w, 2, 1, 0, 0);
    send(w, 2, 1, 0, 1);
    struct frame middle = in_frame(2, 0, 0, 1), result = out_frame(2, 0, 0, 1);
    in(w, 2, &middle);
    send(w, 2, 0, 0, 0);
    if (passes == 1) out(w, 2, &middle);
    answer_column(w, 2, 0, 0);
    if (passes == 0) {
      out(w, 2, &result);
      answer(w, 2, 1, 0, 1);
    }
    witness_settled(w);
    expect_counts(w, passes == 0 ? 4 : 2, passes, passes == 0 ? 2 : 1, passes);
    finish(w, 0, NULL);
  }
}

static void contested_rank(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  struct gradient g = packet(2, 0, 0, 0), r = result_of(2, 0, 0, 0);
  g.build.key.qpn = r.build.key.qpn = 77;
  struct frame claim = built(&g), result = built(&r);
  send_column(w, 2, 0, 0);
  in(w, 3, &claim);
  out(w, 3, &result);   // it came first after all
  answer(w, 2, 1, 0, 0);
  finish(w, 0, NULL);
}

// Any one of a rank's contradicting packets may be the one that is stored, but not a mixture.
static void contradicting_packets(void **state) {
  (void)state;
  for (unsigned wrong = 0; wrong < 2; wrong++) {
    struct witness *w = start(2, true);
    struct gradient g = packet(2, 0, 0, 0);
    put_float(g.tensor, 10);
    struct frame second = built(&g);
    send(w, 2, 0, 0, 0);
    in(w, 0, &second);
    send(w, 2, 1, 0, 0);
    for (unsigned r = 0; r < 2; r++) {
      struct gradient result = result_of(2, r, 0, 0);
      put_float(result.tensor, wrong ? 12 : 11);
      struct frame f = built(&result);
      out(w, r, &f);
    }
    finish(w, wrong ? 4 : 0, "not the reduction");
  }
}

static void excuses(void **state) {
  (void)state;
  // Of two lengths one is dropped.
  struct witness *w = start(2, true);
  struct gradient g = packet(2, 0, 0, 0);
  g.len = 12;
  struct frame longer = built(&g);
  in(w, 0, &longer);
  send(w, 2, 1, 0, 0);
  witness_settled(w);
  expect_counts(w, 0, 0, 0, 1);
  finish(w, 0, NULL);
  // A sender that does not wait for a message 2N older; its column does not come in.
  w = start(2, true);
  send(w, 2, 0, 0, 0);
  send_column(w, 2, 2 * WINDOW, 0);
  witness_settled(w);
  expect_counts(w, 0, 0, 0, 1);
  finish(w, 0, NULL);
  // It is the same if the device takes them in another order than they came in.
  w = start(2, true);
  send(w, 2, 1, 2 * WINDOW, 0);
  send(w, 2, 0, 0, 0);
  send(w, 2, 0, 2 * WINDOW, 0);
  witness_settled(w);
  expect_counts(w, 0, 0, 0, 1);
  finish(w, 0, NULL);
  // Results of a message N newer free the slot.
  w = start(2, true);
  send(w, 2, 0, 0, 0);
  send_column(w, 2, WINDOW, 0);
  answer_column(w, 2, WINDOW, 0);
  send(w, 2, 1, 0, 0);
  witness_settled(w);
  expect_counts(w, 2, 0, 1, 1);
  finish(w, 0, NULL);
  // Even of a column that had all its packets,
  w = start(2, true);
  send_column(w, 2, 0, 0);
  send_column(w, 2, WINDOW, 0);
  answer_column(w, 2, WINDOW, 0);
  witness_settled(w);
  expect_counts(w, 2, 0, 1, 1);
  finish(w, 0, NULL);
  // and of one whose packets come only then.
  w = start(2, true);
  send_column(w, 2, WINDOW, 0);
  answer_column(w, 2, WINDOW, 0);
  send_column(w, 2, 0, 0);
  witness_settled(w);
  expect_counts(w, 2, 0, 1, 1);
  finish(w, 0, NULL);
  // Without a reason there is no excuse: a message less than N newer takes nobody's place.
  w = start(2, true);
  send_column(w, 2, 0, 0);
  send_column(w, 2, 1, 0);
  answer_column(w, 2, 1, 0);
  finish(w, 2, "got no result");
}

// Half of the ranks' packets came in on another port than before; once the device was quiet, that is no reason for doubt.
static void moved_when_quiet(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  send_column(w, 2, 0, 0);
  answer_column(w, 2, 0, 0);
  witness_settled(w);
  send(w, 2, 1, 0, 1);
  struct frame f = in_frame(2, 0, 0, 1), g = in_frame(2, 0, 7, 1);
  in(w, 3, &f);
  in(w, 3, &g);   // of no message, but of a known connection
  out(w, 3, &g);
  finish(w, 3, "no gradient with its connection and PSN");
}

// The same on a connection that was roaming: only until the device is quiet.
static void roaming_ends(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  struct frame f = in_frame(2, 0, 0, 0);
  send_column(w, 2, 0, 0);
  in(w, 3, &f);
  answer_column(w, 2, 0, 0);
  witness_settled(w);
  send_column(w, 2, 0, 1);
  finish(w, 2, "offset 1");
}

// A connection that may have been known when its packet came: it may pass or not, and frames behind it are still due.
static void optional_frames(void **state) {
  (void)state;
  struct frame middle = in_frame(2, 0, 0, 1), a = other(1);
  for (unsigned passes = 0; passes < 2; passes++) {
    struct witness *w = start(2, true);
    send(w, 2, 0, 0, 0);
    in(w, 2, &middle);
    in(w, 2, &a);
    if (passes) out(w, 2, &middle);
    out(w, 2, &a);
    finish(w, 0, NULL);
  }
}

// A first packet that is stale in the order of one port may be the older one in the order of two.
static void roaming_first(void **state) {
  (void)state;
  struct witness *w = start(1, true);
  struct frame f = in_frame(1, 0, 0, 0), r = out_frame(1, 0, 0, 0);
  send(w, 1, 0, 2 * WINDOW, 0);
  in(w, 2, &f);
  out(w, 2, &r);
  answer(w, 1, 0, 2 * WINDOW, 0);
  finish(w, 0, NULL);
}

// The connection claims two ranks, on two ports: either may be the first.
static void two_claims(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  struct gradient g = packet(2, 1, 0, 0), zero = packet(2, 0, 0, 0);
  g.build.key = zero.build.key;
  struct frame f = built(&g);
  send(w, 2, 0, 0, 0);
  in(w, 2, &f);
  witness_settled(w);
  send(w, 2, 0, 0, 1);
  send(w, 2, 1, 0, 0);
  send(w, 2, 1, 0, 1);
  witness_settled(w);
  expect_counts(w, 0, 0, 0, 2);
  finish(w, 0, NULL);
}

// The last entries of the table: any of these connections may have one, and the others' packets pass.
static void contested_table(void **state) {
  (void)state;
  for (unsigned losers = 0; losers < 16; losers++) {
    struct witness *w = start(4, true);
    struct frame middles[4];
    send_column(w, 4, 0, 0);
    answer_column(w, 4, 0, 0);
    witness_settled(w);
    for (unsigned r = 0; r < 4; r++) {
      struct gradient g = packet(4, r, 0, 0), m = packet(4, r, 0, 1);
      g.ina.ring = RING + 1;
      g.build.key.qpn = m.build.key.qpn = 500 + r;
      struct frame first = built(&g);
      middles[r] = built(&m);
      in(w, r, &first);
      in(w, r, &middles[r]);
    }
    for (unsigned r = 0; r < 4; r++)
      if (losers >> r & 1) out(w, r, &middles[r]);
    witness_settled(w);
    expect_counts(w, 4, (unsigned)__builtin_popcount(losers), 1, 2);
    finish(w, 0, NULL);
  }
}

// A ring of one: its results look like its packets. Results and passed frames are in no order among each other.
static void result_like_a_passed_frame(void **state) {
  (void)state;
  struct witness *w = start(1, true);
  struct frame before = other(1), first = out_frame(1, 0, 0, 0), middle = out_frame(1, 0, 0, 1);
  in(w, 0, &before);
  in(w, 0, &middle);   // of an unknown connection: passes
  in(w, 0, &first);
  in(w, 0, &middle);
  out(w, 0, &first);
  out(w, 0, &middle);   // the result
  out(w, 0, &before);
  out(w, 0, &middle);   // the frame that passes
  expect_counts(w, 2, 2, 0, 0);
  finish(w, 0, NULL);
}

// A claim on another port came first after all, so that the owner's packets pass, and their copies too.
static void contested_copies(void **state) {
  (void)state;
  struct witness *w = start(2, true);
  struct gradient g = packet(2, 0, 0, 0);
  g.build.key.qpn = 77;
  struct frame claim = built(&g), first = in_frame(2, 0, 0, 0), middle = in_frame(2, 0, 0, 1), between = other(1);
  in(w, 0, &first);
  in(w, 0, &middle);
  in(w, 0, &between);
  in(w, 3, &claim);
  in(w, 0, &middle);
  out(w, 0, &middle);
  out(w, 0, &between);
  out(w, 0, &middle);
  expect_counts(w, 0, 3, 0, 0);
  finish(w, 0, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(roaming),
      cmocka_unit_test(contested_rank),
      cmocka_unit_test(contradicting_packets),
      cmocka_unit_test(excuses),
      cmocka_unit_test(moved_when_quiet),
      cmocka_unit_test(roaming_ends),
      cmocka_unit_test(optional_frames),
      cmocka_unit_test(roaming_first),
      cmocka_unit_test(two_claims),
      cmocka_unit_test(contested_table),
      cmocka_unit_test(result_like_a_passed_frame),
      cmocka_unit_test(contested_copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
