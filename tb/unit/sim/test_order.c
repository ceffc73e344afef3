// Which frames of a capture may not overtake results: the first packet of message m waits for message m - N.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/replay/order.h"
#include "unit/gradient.h"

enum { MAX_FRAMES = 64, FRAME = 600, WINDOW = 2, MSGLEN = 2 };

struct bench {
  struct trace_frame frames[MAX_FRAMES];
  uint8_t bytes[MAX_FRAMES][FRAME];
  struct trace trace;
  struct order order;
};

static const struct drive_ring rings[] = {{.id = 5, .workers = 2, .window = WINDOW, .stride = MSGLEN},
                                          {.id = 6, .workers = 2, .window = 1, .stride = MSGLEN}};

/// Adds packet `offset` of message `msgid` of `rank`. Returns its index.
static size_t add(struct bench *b, uint16_t ring, unsigned rank, uint32_t msgid, unsigned offset) {
  const struct ina_header ina = {ring, (uint8_t)rank, INA_FP32, msgid, MSGLEN, 2};
  struct gradient g = gradient_of(&ina, offset);
  g.build.key.qpn += ring * 16u;
  const size_t i = b->trace.count++;
  assert_true(i < MAX_FRAMES);
  b->frames[i] = (struct trace_frame){.data = b->bytes[i], .port = rank, .len = gradient_frame(&g, b->bytes[i])};
  return i;
}

static uint32_t after(struct bench *b, size_t index) {
  order_free(&b->order);
  order_make(&b->trace, rings, 2, false, &b->order);
  for (size_t i = 0; i < b->trace.count; i++) assert_true(b->order.after[i] <= i);
  return b->order.after[index];
}

static void waits_for_the_window(void **state) {
  struct bench *b = *state;
  size_t last[4] = {0}, first[4] = {0};
  for (uint32_t m = 0; m < 4; m++) {
    for (unsigned rank = 0; rank < 2; rank++) {
      const size_t i = add(b, 5, rank, UINT32_MAX - 1 + m, 0);   // MsgIDs wrap
      if (rank == 0) first[m] = i;
      last[m] = add(b, 5, rank, UINT32_MAX - 1 + m, 1);
    }
  }
  assert_int_equal(after(b, first[0]), 0);
  assert_int_equal(after(b, first[1]), 0);
  assert_int_equal(after(b, first[2]), last[0] + 1);
  assert_int_equal(after(b, first[3]), last[1] + 1);
  assert_int_equal(after(b, last[3]), 0);   // a packet behind its first one waits for nothing of its own
}

static void a_repeat_counts_for_its_message(void **state) {
  struct bench *b = *state;
  for (uint32_t m = 0; m < 2; m++) {
    for (unsigned rank = 0; rank < 2; rank++) {
      add(b, 5, rank, m, 0);
      add(b, 5, rank, m, 1);
    }
  }
  const size_t repeat = add(b, 5, 1, 0, 1);   // of message 0, though message 1 has begun
  const size_t next = add(b, 5, 0, 2, 0);
  assert_int_equal(after(b, next), repeat + 1);
  const size_t again = add(b, 5, 0, 2, 0);
  assert_int_equal(after(b, again), repeat + 1);
}

static void rings_are_apart(void **state) {
  struct bench *b = *state;
  add(b, 5, 0, 0, 0);
  const size_t other = add(b, 6, 0, 0, 0), next = add(b, 6, 0, 1, 0), mine = add(b, 5, 0, 1, 0);
  assert_int_equal(after(b, other), 0);
  assert_int_equal(after(b, next), other + 1);   // a window of one
  assert_int_equal(after(b, mine), 0);
}

static void what_is_nobody_s_waits_for_nothing(void **state) {
  struct bench *b = *state;
  add(b, 5, 0, 0, 0);
  add(b, 99, 0, 0, 0);   // no ring of ours
  const size_t strange = add(b, 99, 0, 2, 0), middle = add(b, 5, 1, 0, 1);
  assert_int_equal(after(b, strange), 0);
  assert_int_equal(after(b, middle), 0);
  const size_t bad = add(b, 5, 0, 2, 0);
  b->bytes[bad][b->frames[bad].len - 1] ^= 1;   // ICRC
  assert_int_equal(after(b, bad), 0);
  order_free(&b->order);
  order_make(&b->trace, rings, 0, false, &b->order);
  for (size_t i = 0; i < b->trace.count; i++) assert_int_equal(b->order.after[i], 0);
}

/// As `add`, on a connection of its own, whose message begins with `psn0`.
static size_t add_moving(struct bench *b, uint16_t ring, uint32_t msgid, unsigned offset, uint32_t psn0) {
  const struct ina_header ina = {ring, 0, INA_FP32, msgid, MSGLEN, 2};
  struct gradient g = gradient_of(&ina, offset);
  g.build.key = (struct conn_key){.src = {10, 9, 9, 1}, .dst = {10, 9, 9, 2}, .qpn = 0x777};
  g.psn0 = psn0;
  const size_t i = b->trace.count++;
  assert_true(i < MAX_FRAMES);
  b->frames[i] = (struct trace_frame){.data = b->bytes[i], .len = gradient_frame(&g, b->bytes[i])};
  return i;
}

/// A connection that goes from a ring of window 1 to one of window 2 keeps what it remembers, and remembers nothing that nobody said. The PSNs are
/// those that memory would say which the sanitizer has filled.
static void a_connection_moves_to_a_larger_window(void **state) {
  struct bench *b = *state;
  for (uint32_t m = 0; m < 3; m++) add_moving(b, 6, m, 0, 0xBEBEC0 + MSGLEN * m);
  add_moving(b, 5, 0, 0, 0x10);
  const size_t repeat = add_moving(b, 6, 2, 1, 0xBEBEC0 + MSGLEN * 2);
  const size_t next = add(b, 6, 1, 3, 0);
  assert_int_equal(after(b, next), repeat + 1);
  const size_t older = add_moving(b, 6, 1, 1, 0xBEBEC0 + MSGLEN);
  const size_t again = add(b, 6, 1, 2, 0);
  assert_int_equal(after(b, again), older + 1);
}

/// To a smaller one it forgets what the device there has forgotten.
static void a_connection_moves_to_a_smaller_window(void **state) {
  struct bench *b = *state;
  for (uint32_t m = 0; m < 4; m++) add_moving(b, 5, m, 0, 0x100 + MSGLEN * m);
  const size_t newest = add_moving(b, 6, 0, 0, 0x200);
  const size_t repeat = add_moving(b, 5, 3, 1, 0x100 + MSGLEN * 3), forgotten = add_moving(b, 5, 2, 1, 0x100 + MSGLEN * 2);
  assert_int_equal(after(b, add(b, 5, 1, 5, 0)), repeat + 1);
  assert_true(after(b, add(b, 5, 1, 4, 0)) < forgotten);
  assert_int_equal(after(b, newest), 0);
}

/// A frame with the source address of `rank` at `port` that is nothing to the device: its ICRC is wrong.
static void tell_switch(struct bench *b, unsigned rank, unsigned port) {
  const size_t i = add(b, 5, rank, 0, 0);
  b->bytes[i][b->frames[i].len - 1] ^= 1;
  b->frames[i].port = port;
}

/// The first packets of messages 0 and 1 of both ranks, whom the switch knows.
static void begin_ring(struct bench *b) {
  for (unsigned rank = 0; rank < 2; rank++) tell_switch(b, rank, rank);
  for (uint32_t m = 0; m < 2; m++)
    for (unsigned rank = 0; rank < 2; rank++) add(b, 5, rank, m, 0);
}

static enum order_turn turn(struct bench *b, size_t index) {
  order_free(&b->order);
  order_make(&b->trace, rings, 2, false, &b->order);
  return b->order.turn[index];
}

static void packets_of_a_column_commute(void **state) {
  struct bench *b = *state;
  begin_ring(b);
  const size_t begun = 2, next = 4, rest = add(b, 5, 1, 0, 1), ahead = add(b, 5, 1, 1, 1), behind = add(b, 5, 0, 0, 1);
  assert_int_equal(turn(b, 0), ORDER_ALL);   // the switch learns
  assert_int_equal(turn(b, 1), ORDER_ALL);
  assert_int_equal(turn(b, begun), ORDER_BEGINS);
  assert_int_equal(turn(b, begun + 1), ORDER_BEGINS);
  assert_int_equal(turn(b, next), ORDER_PORT);
  assert_int_equal(turn(b, rest), ORDER_PORT);
  assert_int_equal(turn(b, ahead), ORDER_PORT);
  assert_int_equal(turn(b, behind), ORDER_PORT);
  const size_t later = add(b, 5, 0, 2, 0);
  assert_int_equal(turn(b, later), ORDER_PORT);   // it waits for results, and for nobody else
}

static void a_repeat_keeps_its_turn(void **state) {
  struct bench *b = *state;
  begin_ring(b);
  const size_t once = add(b, 5, 1, 0, 1), again = add(b, 5, 1, 0, 1), first = add(b, 5, 0, 1, 0);
  assert_int_equal(turn(b, once), ORDER_PORT);
  assert_int_equal(turn(b, again), ORDER_ALL);
  assert_int_equal(turn(b, first), ORDER_ALL);
}

/// A device that does not look at ICRCs stores what was spoiled on its way; what is sent again is then a repeat.
static void a_bad_packet_counts_where_nobody_looks(void **state) {
  struct bench *b = *state;
  begin_ring(b);
  const size_t bad = add(b, 5, 1, 0, 1), again = add(b, 5, 1, 0, 1);
  b->bytes[bad][b->frames[bad].len - 1] ^= 1;
  assert_int_equal(turn(b, again), ORDER_PORT);
  order_free(&b->order);
  order_make(&b->trace, rings, 2, true, &b->order);
  assert_int_equal(b->order.turn[again], ORDER_ALL);
}

static void a_contradiction_keeps_its_turn(void **state) {
  struct bench *b = *state;
  begin_ring(b);
  const struct ina_header ina = {5, 1, INA_FP32, 0, MSGLEN, 2};
  struct gradient g = gradient_of(&ina, 1);
  g.build.key.qpn += 5 * 16u;
  g.len -= 4;
  const size_t whole = add(b, 5, 0, 0, 1), shorter = add(b, 5, 1, 0, 1);
  b->frames[shorter].len = gradient_frame(&g, b->bytes[shorter]);
  assert_int_equal(turn(b, whole), ORDER_PORT);
  assert_int_equal(turn(b, shorter), ORDER_ALL);
}

static void who_is_out_of_the_window_keeps_its_turn(void **state) {
  struct bench *b = *state;
  begin_ring(b);
  add(b, 5, 0, 0, 1);
  const size_t next = add(b, 5, 0, 2, 0), late = add(b, 5, 1, 0, 1), early = add(b, 5, 0, 9, 0);
  assert_int_equal(turn(b, next), ORDER_PORT);
  assert_int_equal(turn(b, late), ORDER_ALL);
  assert_int_equal(turn(b, early), ORDER_ALL);
}

static void who_moves_keeps_its_turn(void **state) {
  struct bench *b = *state;
  begin_ring(b);
  tell_switch(b, 0, 1);
  const size_t moved = add(b, 5, 0, 0, 1), there = add(b, 5, 0, 1, 1);
  b->frames[moved].port = b->frames[there].port = 1;
  tell_switch(b, 0, 0);
  const size_t back = add(b, 5, 0, 2, 0), stays = add(b, 5, 0, 2, 1);
  assert_int_equal(turn(b, moved), ORDER_ALL);
  assert_int_equal(turn(b, there), ORDER_PORT);
  assert_int_equal(turn(b, back), ORDER_ALL);
  assert_int_equal(turn(b, stays), ORDER_PORT);
}

static void who_claims_a_rank_that_is_taken_keeps_its_turn(void **state) {
  struct bench *b = *state;
  begin_ring(b);
  const size_t stranger = add_moving(b, 5, 2, 0, 0x500), more = add_moving(b, 5, 2, 1, 0x500);
  assert_int_equal(turn(b, stranger), ORDER_ALL);
  assert_int_equal(turn(b, more), ORDER_PORT);   // the first of rank 0 in its column
}

static int fresh(void **state) {
  struct bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->trace.frames = b->frames;
  *state = b;
  return 0;
}

static int done(void **state) {
  struct bench *b = *state;
  order_free(&b->order);
  free(b);
  return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, fresh, done)

int main(void) {
  const struct CMUnitTest tests[] = {CASE(waits_for_the_window),
                                     CASE(a_repeat_counts_for_its_message),
                                     CASE(rings_are_apart),
                                     CASE(what_is_nobody_s_waits_for_nothing),
                                     CASE(a_connection_moves_to_a_larger_window),
                                     CASE(a_connection_moves_to_a_smaller_window),
                                     CASE(packets_of_a_column_commute),
                                     CASE(a_repeat_keeps_its_turn),
                                     CASE(a_bad_packet_counts_where_nobody_looks),
                                     CASE(a_contradiction_keeps_its_turn),
                                     CASE(who_is_out_of_the_window_keeps_its_turn),
                                     CASE(who_moves_keeps_its_turn),
                                     CASE(who_claims_a_rank_that_is_taken_keeps_its_turn)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
