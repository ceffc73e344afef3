// What the history keeps of columns and slots, against a list of their lives.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "unit/sim/history_told.h"

/// Cycles that two spans, each up to but without its end, have in common.
static uint64_t common(uint64_t a, uint64_t a_end, uint64_t b, uint64_t b_end) {
  const uint64_t from = a > b ? a : b, to = a_end < b_end ? a_end : b_end;
  return to > from ? to - from : 0;
}

enum { WORKERS = 3, WINDOW = 2, STRIDE = 4, MESSAGES = 150, COLUMNS = MESSAGES * STRIDE };
static const struct drive_ring ring = {.enable = true, .id = 9, .workers = WORKERS, .window = WINDOW, .stride = STRIDE};
/// MsgIDs wrap in the middle of a run.
#define FIRST_MSGID ((uint32_t)(0 - MESSAGES / 2))

/// A run with its columns one after another; some of the last are left unfinished.
struct schedule {
  struct history_column columns[COLUMNS];
  uint64_t freed[COLUMNS];   // when the slot was emptied, HISTORY_NEVER if it was not
  uint64_t end;
};

static void run_schedule(struct history *h, struct schedule *s, uint64_t seed, size_t unfinished) {
  struct rng rng = rng_for(seed, 0);
  uint64_t now = 0;
  for (size_t i = 0; i < COLUMNS; i++) {
    struct history_column *c = &s->columns[i];
    *c = (struct history_column){.msgid = FIRST_MSGID + (uint32_t)(i / STRIDE), .offset = i % STRIDE, .begun = now};
    c->completed = c->ended = s->freed[i] = HISTORY_NEVER;
    const unsigned last = rng_below(&rng, WORKERS);
    for (unsigned r = 0; r < HISTORY_RANKS; r++)
      c->shares[r] = (struct history_share){HISTORY_NEVER, HISTORY_NEVER, HISTORY_NEVER, HISTORY_NEVER};
    unsigned repeated = WORKERS;   // this rank's packet came twice
    for (unsigned k = 1; k <= WORKERS; k++) {
      const unsigned r = (last + k) % WORKERS;
      if (k == WORKERS && i + unfinished >= COLUMNS) break;
      now += k > 1 ? rng_below(&rng, rng_percent(&rng, 5) ? 3000 : 60) : 0;
      c->shares[r].decided = c->shares[r].clock = now;
      history_tell(h, SCOREBOARD_DECIDE, 0, c->msgid, c->offset, r, FATE_STORED, k == WORKERS, now);
      if (rng_percent(&rng, 20)) {
        c->repeats++;
        repeated = r;
        history_tell(h, SCOREBOARD_DECIDE, 0, c->msgid, c->offset, r, FATE_DUPLICATE, false, now);
      }
      now += 1 + rng_below(&rng, 20);
      c->shares[r].committed = now;
      if (repeated < WORKERS && repeated != r)
        history_tell(h, SCOREBOARD_COMMIT, 0, c->msgid, c->offset, repeated, FATE_DUPLICATE, false, now);
      history_tell(h, SCOREBOARD_COMMIT, 0, c->msgid, c->offset, r, FATE_STORED, k == WORKERS, now);
      if (k == WORKERS) c->completed = now;
    }
    // A host asks again for a result of the message whose later one this is: its slot is another's already.
    if (i >= WINDOW * STRIDE) history_tell(h, SCOREBOARD_TAKE, 0, c->msgid - WINDOW, c->offset, 0, FATE_STORED, false, now);
    history_tell(h, SCOREBOARD_DECIDE, 0, c->msgid - 2 * WINDOW, c->offset, 0, FATE_DUPLICATE, false, now);
    if (c->completed == HISTORY_NEVER) continue;
    now += 1 + rng_below(&rng, 20);
    history_tell(h, SCOREBOARD_TAKE, 0, c->msgid, c->offset, 0, FATE_STORED, false, now);
    if (i >= WINDOW * STRIDE) s->freed[i - WINDOW * STRIDE] = now;
    for (unsigned r = 0; r < WORKERS; r++) {
      now += rng_below(&rng, 30);
      c->shares[r].left = now;
      history_result(h, 0, c->msgid, c->offset, r, now, 1);
    }
    c->ended = now;
    // A repeated result changes nothing.
    now += rng_below(&rng, 30);
    history_tell(h, SCOREBOARD_DECIDE, 0, c->msgid, c->offset, 0, FATE_DUPLICATE, false, now);
    history_tell(h, SCOREBOARD_COMMIT, 0, c->msgid, c->offset, 0, FATE_DUPLICATE, false, now);
    history_tell(h, SCOREBOARD_TAKE, 0, c->msgid, c->offset, 0, FATE_STORED, false, now);
  }
  s->end = now + 1;
  history_finish(h);
}

static void check_slots(const struct history_view *v, const struct schedule *s) {
  assert_int_equal(v->slots, 2 * WINDOW * STRIDE);
  assert_int_equal(v->end, s->end);
  for (size_t b = 0; b < v->bucket_count; b++) {
    const uint64_t from = b * v->bucket_width;
    const uint64_t to = from + v->bucket_width < s->end ? from + v->bucket_width : s->end;
    uint64_t unfinished = 0, complete = 0;
    for (size_t i = 0; i < COLUMNS; i++) {
      const struct history_column *c = &s->columns[i];
      unfinished += common(from, to, c->begun, c->completed);
      if (c->completed != HISTORY_NEVER) complete += common(from, to, c->completed, s->freed[i]);
    }
    assert_int_equal(v->buckets[b].unfinished, unfinished);
    assert_int_equal(v->buckets[b].complete, complete);
    assert_true(v->buckets[b].peak * (to - from) >= unfinished);
    assert_int_equal(v->buckets[b].peak == 0, unfinished == 0);
  }
}

static int slower_first(const void *a, const void *b) {
  const struct history_column *x = a, *y = b;
  const uint64_t dx = x->ended - x->begun, dy = y->ended - y->begun;
  if (dx != dy) return dx < dy ? 1 : -1;
  return x->ended < y->ended ? -1 : 1;
}

static void same_column(const struct history_column *actual, const struct history_column *want) {
  assert_int_equal(actual->ring, want->ring);
  assert_int_equal(actual->msgid, want->msgid);
  assert_int_equal(actual->offset, want->offset);
  assert_int_equal(actual->begun, want->begun);
  assert_int_equal(actual->completed, want->completed);
  assert_int_equal(actual->ended, want->ended);
  assert_int_equal(actual->repeats, want->repeats);
  assert_memory_equal(actual->shares, want->shares, sizeof want->shares);
}

static void slots_and_slowest_columns(void **state) {
  (void)state;
  static struct schedule s;
  const size_t unfinished[] = {0, 3, 7};
  for (uint64_t seed = 0; seed < 9; seed++) {
    struct history *h = history_fresh(&ring, 1);
    const size_t open = unfinished[seed % 3];
    run_schedule(h, &s, seed, open);
    const struct history_view *v = history_view(h);
    assert_true(v->bucket_width > HISTORY_FIRST_WIDTH);
    check_slots(v, &s);
    assert_int_equal(v->waiting_all, open);
    assert_int_equal(v->waiting_count, open < HISTORY_WAITING ? open : HISTORY_WAITING);
    for (size_t i = 0; i < v->waiting_count; i++) same_column(&v->waiting[i], &s.columns[COLUMNS - open + i]);
    assert_int_equal(v->ended, COLUMNS - open);
    qsort(s.columns, COLUMNS - open, sizeof *s.columns, slower_first);
    assert_int_equal(v->slowest_count, HISTORY_SLOWEST);
    for (size_t i = 0; i < HISTORY_SLOWEST; i++) same_column(&v->slowest[i], &s.columns[i]);
    history_free(h);
  }
}

static void most_at_the_same_time(void **state) {
  (void)state;
  struct history *h = history_fresh(&ring, 1);
  for (unsigned i = 0; i < 3; i++) history_tell(h, SCOREBOARD_DECIDE, 0, 0, i, 0, FATE_STORED, false, 2 + i);
  history_tell(h, SCOREBOARD_COMMIT, 0, 0, 1, 0, FATE_STORED, true, 8);
  history_in(h, 0, 64, 40, 40);
  history_finish(h);
  const struct history_view *v = history_view(h);
  assert_int_equal(v->buckets[0].peak, 3);
  assert_int_equal(v->buckets[0].unfinished, 14 + 13 + 12 - 8);
  assert_int_equal(v->buckets[1].peak, 2);
  assert_int_equal(v->buckets[1].complete, HISTORY_FIRST_WIDTH);
  history_free(h);
}

/// Stores and commits a packet of every rank.
static void complete(struct history *h, uint32_t msgid, uint64_t cycle) {
  for (unsigned r = 0; r < WORKERS; r++) {
    history_tell(h, SCOREBOARD_DECIDE, 0, msgid, 0, r, FATE_STORED, r == WORKERS - 1, cycle + r);
    history_tell(h, SCOREBOARD_COMMIT, 0, msgid, 0, r, FATE_STORED, r == WORKERS - 1, cycle + r);
  }
}

/// Time begins behind the set-up and goes on while nothing is clocked; a packet is found in waves by the device's own count.
static void the_clock_of_waves(void **state) {
  (void)state;
  struct history *h = history_fresh(&ring, 1);
  history_begin(h, 500);
  history_tell(h, SCOREBOARD_DECIDE, 0, 0, 0, 0, FATE_STORED, false, 510);
  history_skip(h, 40);
  history_tell(h, SCOREBOARD_DECIDE, 0, 0, 0, 1, FATE_STORED, false, 520);
  history_finish(h);
  const struct history_share *shares = history_view(h)->waiting[0].shares;
  assert_true(shares[0].decided == 10 && shares[0].clock == 510);
  assert_true(shares[1].decided == 60 && shares[1].clock == 520);
  assert_int_equal(shares[2].clock, HISTORY_NEVER);
  history_free(h);
}

/// An output that is held back keeps a result while the slot has its next column.
static void a_result_that_leaves_after_its_slot_was_given_away(void **state) {
  (void)state;
  struct history *h = history_fresh(&ring, 1);
  complete(h, 0, 10);
  for (unsigned r = 0; r < 2; r++) history_result(h, 0, 0, 0, r, 20 + r, 7);
  complete(h, 2, 30);
  history_tell(h, SCOREBOARD_TAKE, 0, 2, 0, 0, FATE_STORED, false, 40);
  complete(h, 4, 50);
  history_result(h, 0, 8, 0, 2, 55, 1);   // of a column that never was
  history_result(h, 0, 0, 0, 2, 60, 48);
  history_result(h, 0, 4, 0, 0, 61, 9);
  history_finish(h);
  const struct history_view *v = history_view(h);
  assert_int_equal(v->ended, 1);
  assert_int_equal(v->slowest[0].msgid, 0);
  assert_int_equal(v->slowest[0].ended, 60);
  assert_int_equal(v->latency_count, 5);
  assert_int_equal(v->waiting_all, 2);
  assert_int_equal(v->waiting[1].shares[0].left, 61);
  history_free(h);
}

static void of_equal_columns_the_earlier_ones_are_kept(void **state) {
  (void)state;
  struct history *h = history_fresh(&ring, 1);
  for (uint32_t i = 0; i < HISTORY_SLOWEST + 5; i++) {
    complete(h, i, 100 * i);
    for (unsigned r = 0; r < WORKERS; r++) history_result(h, 0, i, 0, r, 100 * i + 50, 1);
  }
  const struct history_view *v = history_view(h);
  for (uint32_t i = 0; i < HISTORY_SLOWEST; i++) assert_int_equal(v->slowest[i].msgid, i);
  history_free(h);
}

static void a_flush_ends_columns(void **state) {
  (void)state;
  const struct drive_ring rings[] = {ring, ring};
  struct history *h = history_fresh(rings, 2);
  history_tell(h, SCOREBOARD_DECIDE, 0, 0, 0, 0, FATE_STORED, false, 0);
  history_tell(h, SCOREBOARD_DECIDE, 1, 0, 0, 0, FATE_STORED, false, 0);
  complete(h, 1, 3);
  history_flush(h, 0, 10);
  for (unsigned r = 0; r < WORKERS; r++) history_result(h, 0, 1, 0, r, 11, 1);
  // The same message once more is another column.
  history_tell(h, SCOREBOARD_DECIDE, 0, 0, 0, 1, FATE_STORED, false, 12);
  history_finish(h);
  const struct history_view *v = history_view(h);
  assert_int_equal(v->slots, 2 * 2 * WINDOW * STRIDE);
  assert_int_equal(v->buckets[0].unfinished, 10 + 13 + 1 + 2);
  assert_int_equal(v->buckets[0].complete, 5);
  assert_int_equal(v->ended, 0);
  assert_int_equal(v->waiting_all, 2);
  assert_int_equal(v->waiting[0].ring, 1);
  assert_int_equal(v->waiting[1].begun, 12);
  assert_int_equal(v->waiting[1].shares[0].decided, HISTORY_NEVER);
  history_free(h);
}

/// A device that is wrong may name what is not there.
static void what_is_no_column_is_left_alone(void **state) {
  (void)state;
  struct history *h = history_fresh(&ring, 1);
  for (int kind = SCOREBOARD_DECIDE; kind <= SCOREBOARD_TAKE; kind++) {
    history_tell(h, kind, 1, 0, 0, 0, FATE_STORED, true, 1);
    history_tell(h, kind, 0, 0, STRIDE, 0, FATE_STORED, true, 2);
    history_tell(h, kind, 0, 0, 0, HISTORY_RANKS, FATE_STORED, true, 3);
  }
  history_tell(h, SCOREBOARD_DECIDE, 0, 0, 0, 0, FATE_STALE, false, 4);
  history_result(h, 5, 0, 0, 0, 5, 1);
  history_result(h, 0, 0, 0, HISTORY_RANKS, 5, 1);
  history_result(h, 0, 0, 0, 0, 5, 1);
  history_finish(h);
  assert_true(history_view(h)->waiting_all == 0 && history_view(h)->ended == 0);
  assert_int_equal(history_view(h)->buckets[0].unfinished, 0);
  history_free(h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slots_and_slowest_columns),
      cmocka_unit_test(most_at_the_same_time),
      cmocka_unit_test(the_clock_of_waves),
      cmocka_unit_test(a_result_that_leaves_after_its_slot_was_given_away),
      cmocka_unit_test(of_equal_columns_the_earlier_ones_are_kept),
      cmocka_unit_test(a_flush_ends_columns),
      cmocka_unit_test(what_is_no_column_is_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
