// How slots of the golden model fall free, and which messages may not share their place meanwhile (docs/protocol.md).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/model.h"
#include "unit/model/model_bench.h"

enum { H = 3, EVERYONE = 7 };

// --- slots fall free ---

static void first_take_frees_the_message_before(void **state) {
  struct bench *b = *state;   // N = 2: the results of message 2 free the slots of message 0
  for (unsigned offset = 0; offset < 2; offset++) bench_complete(b, 0, offset);
  bench_take(b, 0, 1, EVERYONE, H);
  bench_take(b, 0, 0, 1, 1);
  for (unsigned offset = 0; offset < 2; offset++) bench_complete(b, 2, offset);
  bench_decide(b, 0, 0, 1, FATE_DUPLICATE);   // still there
  assert_false(bench_commit(b, 0));
  bench_take(b, 2, 1, 1u << 2, 1);
  assert_int_equal(model_owed(b->m), H - 1 + H - 1 + H);   // of message 0 only column 0, which is another slot
  bench_decide(b, 0, 0, 1, FATE_STALE);
  assert_true(b->v.by_slot);
  bench_repeat(b, 0, 0);
  bench_take(b, 2, 0, EVERYONE, H);
  for (unsigned offset = 0; offset < 2; offset++) bench_complete(b, 4, offset);
  bench_take(b, 2, 1, 1u << 0, 1);   // a second take frees nothing
  bench_take(b, 4, 1, EVERYONE, H);
  bench_take(b, 4, 0, EVERYONE, H);
}

static void freed_slot_is_for_any_newer_message(void **state) {
  struct bench *b = *state;
  bench_complete(b, 0, 0);
  bench_take(b, 0, 0, EVERYONE, H);
  bench_complete(b, 2, 0);
  bench_take(b, 2, 0, EVERYONE, H);   // the slot of message 0 is empty and waits for message 4
  bench_complete(b, 8, 0);
  bench_decide(b, 0, 4, 0, FATE_STALE);
  bench_take(b, 8, 0, EVERYONE, H);
}

static void freeing_leaves_what_is_newer_or_not_valid(void **state) {
  struct bench *b = *state;
  bench_complete(b, 2, 0);
  bench_take(b, 2, 0, EVERYONE, H);
  bench_add(b, 0, 0, 0);   // its slot was not valid, so it was left alone
  model_flush(b->m, 0);
  bench_complete(b, 8, 0);   // as new as what message 6 frees for
  bench_take(b, 8, 0, EVERYONE, H);
  bench_complete(b, 6, 0);
  bench_take(b, 6, 0, EVERYONE, H);
  bench_repeat(b, 0, 8);
  bench_take(b, 8, 0, 1, 1);
}

static void msgid_wraps(void **state) {
  struct bench *b = *state;
  bench_complete(b, 0xFFFFFFFE, 0);
  bench_take(b, 0xFFFFFFFE, 0, EVERYONE, H);
  bench_complete(b, 0, 0);
  bench_take(b, 0, 0, EVERYONE, H);   // frees 0xFFFFFFFE for 2
  bench_decide(b, 0, 0xFFFFFFFE, 0, FATE_STALE);
  bench_complete(b, 2, 0);
  bench_take(b, 2, 0, EVERYONE, H);
  bench_decide(b, 0, 0, 0, FATE_STALE);
}

// --- packets are kept until their sum has left ---

static void one_column_of_those_n_apart_at_a_time(void **state) {
  struct bench *b = *state;
  bench_decide(b, 0, 4, 0, FATE_STORED);   // on its way
  bench_decide(b, 0, 2, 0, FATE_WINDOW_VIOLATION);
  bench_decide(b, 0, 6, 0, FATE_WINDOW_VIOLATION);
  bench_decide(b, 1, 10, 0, FATE_WINDOW_VIOLATION);
  assert_false(bench_commit(b, 0));
  bench_add(b, 0, 6, 1);   // others go on
  bench_add(b, 0, 5, 0);
  bench_decide(b, 0, 9, 0, FATE_WINDOW_VIOLATION);   // has the turn of message 5
  for (unsigned rank = 1; rank < H; rank++) bench_add(b, rank, 4, 0);
  bench_decide(b, 0, 6, 0, FATE_WINDOW_VIOLATION);   // it is complete, and nothing has left yet
  bench_take(b, 4, 0, 1u << 1, 1);
  bench_add(b, 0, 6, 0);
  bench_decide(b, 0, 4, 0, FATE_DUPLICATE);   // still answered
  assert_false(bench_commit(b, 0));
  bench_take(b, 4, 0, EVERYONE & ~2u, H - 1);
}

static void one_that_lacks_a_rank_gives_way(void **state) {
  struct bench *b = *state;
  bench_add(b, 0, 5, 0);
  bench_add(b, 1, 7, 0);   // message 5 is over
  bench_add(b, 2, 5, 0);   // and begins anew, without rank 0; now 7 is over
  for (unsigned rank = 0; rank < H; rank++)
    if (rank != 2) bench_add(b, rank, 5, 0);
  bench_decide(b, 1, 7, 0, FATE_WINDOW_VIOLATION);   // 5 is complete
  bench_take(b, 5, 0, EVERYONE, H);
  bench_complete(b, 7, 0);
  bench_take(b, 7, 0, EVERYONE, H);
}

static void what_is_lost_or_flushed_keeps_nobody_out(void **state) {
  struct bench *b = *state;
  bench_add(b, 0, 4, 0);
  model_lose(b->m, 0, 4, 0);
  bench_add(b, 0, 6, 0);
  model_flush(b->m, 0);
  bench_add(b, 0, 4, 0);
}

static void given_up_is_counted(void **state) {
  struct bench *b = *state;
  bench_complete(b, 0, 0);
  bench_complete(b, 4, 0);   // 2N later: the same slot, and nobody has taken the results
  assert_int_equal(model_given_up(b->m), 1);
  bench_take(b, 4, 0, EVERYONE, H);
  bench_complete(b, 8, 0);
  assert_int_equal(model_given_up(b->m), 1);
  bench_complete(b, 12, 0);
  assert_int_equal(model_given_up(b->m), 2);
}

static int fresh(void **state) { return bench_fresh(state, H, 2); }

#define CASE(name) cmocka_unit_test_setup_teardown(name, fresh, bench_done)

int main(void) {
  const struct CMUnitTest tests[] = {
      CASE(first_take_frees_the_message_before),
      CASE(one_column_of_those_n_apart_at_a_time),
      CASE(one_that_lacks_a_rank_gives_way),
      CASE(what_is_lost_or_flushed_keeps_nobody_out),
      CASE(freed_slot_is_for_any_newer_message),
      CASE(freeing_leaves_what_is_newer_or_not_valid),
      CASE(msgid_wraps),
      CASE(given_up_is_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
