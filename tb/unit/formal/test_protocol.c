// The search of the protocol check, on models small enough to be counted by hand, and the rules of its device one packet at a time.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "formal/protocol/device.h"
#include "formal/protocol/search/layout.h"
#include "formal/protocol/ring.h"
#include "formal/protocol/search/search.h"
#include "formal/protocol/search/states.h"

// ------------------------------------------------------------------------------------------------------- toy models

/// A graph given by its edges; node 0 is the start.
struct toy {
  struct {
    uint8_t from, to;
    bool wrong;
  } edge[16];
  size_t edges;
  uint8_t goal;
};

struct toy_state {
  uint8_t node;
};

static void toy_initial(const void *config, void *state) { (void)config, (void)state; }
static bool toy_complete(const void *config, const void *state) {
  return ((const struct toy_state *)state)->node == ((const struct toy *)config)->goal;
}
static void toy_successors(const void *config, const void *state, struct steps *out) {
  const struct toy *toy = config;
  for (size_t i = 0; i < toy->edges; i++) {
    if (toy->edge[i].from != ((const struct toy_state *)state)->node) continue;
    const struct toy_state next = {toy->edge[i].to};
    step(out, &next, (uint32_t)i, toy->edge[i].wrong);
  }
}

static struct search *search_toy(const struct toy *toy) {
  static struct rule_model model;   // a search keeps its model
  model = (struct rule_model){.config = toy, .initial = toy_initial, .complete = toy_complete, .successors = toy_successors};
  layout_add(&model.layout, 0, 15);
  struct search *s;
  assert_true(search_all(&model, 100, &s));
  return s;
}

static void check_trace(size_t length, uint32_t *labels, size_t wanted, const uint32_t *path) {
  assert_int_equal(length, wanted);
  for (size_t i = 0; i < wanted; i++) assert_int_equal(labels[i], path[i]);
  free(labels);
}

/// 0 to 1 to 2 is the goal; from 1 there is a way into the loop of 3 and 4, from which none comes back. Node 6 is never reached.
static void finds_a_loop_without_exit(void **unused) {
  (void)unused;
  const struct toy toy = {.edge = {{0, 1, 0}, {1, 0, 0}, {1, 2, 0}, {1, 3, 0}, {3, 4, 0}, {4, 3, 0}, {6, 2, 0}},
                          .edges = 7,
                          .goal = 2};
  struct search *s = search_toy(&toy);
  assert_int_equal(search_states(s), 5);
  assert_int_equal(search_complete(s), 1);
  assert_int_equal(search_stuck(s), 2);
  assert_int_equal(search_wrong(s), 0);
  uint32_t *labels;
  const size_t length = search_trace_stuck(s, &labels);
  check_trace(length, labels, 2, (const uint32_t[]){0, 3});
  search_free(s);
}

/// A loop that can be left is no fault, nor is a long way back; the goal itself may go on.
static void loops_with_exit_are_not_stuck(void **unused) {
  (void)unused;
  const struct toy toy = {
      .edge = {{0, 1, 0}, {1, 2, 0}, {2, 3, 0}, {3, 0, 0}, {1, 4, 0}, {4, 5, 0}, {5, 6, 0}, {6, 1, 0}, {0, 7, 0}, {7, 7, 0}},
      .edges = 8,
      .goal = 3};
  struct search *s = search_toy(&toy);
  assert_int_equal(search_states(s), 7);
  assert_int_equal(search_stuck(s), 0);
  search_free(s);
}

/// Of two wrong steps the nearer one is shown, by the shorter of two ways.
static void shows_the_nearest_wrong_step(void **unused) {
  (void)unused;
  const struct toy toy = {.edge = {{0, 1, 0}, {1, 2, 0}, {2, 5, 0}, {0, 5, 0}, {5, 6, 1}, {1, 6, 0}, {6, 7, 1}},
                          .edges = 7,
                          .goal = 7};
  struct search *s = search_toy(&toy);
  assert_int_equal(search_wrong(s), 2);
  uint32_t *labels;
  const size_t length = search_trace_wrong(s, &labels);
  check_trace(length, labels, 2, (const uint32_t[]){3, 4});
  search_free(s);
}

static void nothing_complete_means_all_stuck(void **unused) {
  (void)unused;
  const struct toy toy = {.edge = {{0, 1, 0}, {1, 0, 0}}, .edges = 2, .goal = 9};
  struct search *s = search_toy(&toy);
  assert_int_equal(search_stuck(s), 2);
  search_free(s);
}

// ------------------------------------------------------------------------------------------------- states and layout

/// Every state is found again under its number, also when the table has grown several times.
static void set_keeps_all_states(void **unused) {
  (void)unused;
  struct states set;
  states_init(&set, 2);
  for (unsigned round = 0; round < 2; round++) {
    for (uint64_t i = 0; i < 20000; i++) {
      // Many that differ in one half only, in few bits.
      const uint64_t words[2] = {i % 3, (i / 3) << 40};
      bool is_new;
      assert_int_equal(states_add(&set, words, &is_new), i);
      assert_int_equal(is_new, round == 0);
      assert_memory_equal(states_at(&set, (uint32_t)i), words, sizeof words);
    }
  }
  assert_int_equal(set.count, 20000);
  states_free(&set);
}

/// What is packed comes out again, fields over the border of two words included.
static void layout_is_reversible(void **unused) {
  (void)unused;
  struct layout layout = {0};
  uint8_t most[60], in[60] = {0}, out[60] = {0};
  for (unsigned i = 0; i < 60; i++) layout_add(&layout, i, most[i] = (uint8_t)(i * 7 % 40));
  uint64_t words[LAYOUT_WORDS];
  for (unsigned round = 0; round < 1000; round++) {
    for (unsigned i = 0; i < 60; i++) in[i] = (uint8_t)((round * 31 + i * 17) % (most[i] + 1u));
    layout_pack(&layout, in, words);
    layout_unpack(&layout, words, out);
    assert_memory_equal(in, out, sizeof in);
  }
  assert_in_range(layout.bits, 200, 360);
}

// -------------------------------------------------------------------------------------------------------- the device

static const struct rules weir = {.free = FREE_COMPLETION,
                                  .tag = TAG_FULL,
                                  .clt = CLT_MONOTONE,
                                  .hosts = 2,
                                  .window = 1,
                                  .msglen = 2,
                                  .messages = 6,
                                  .host_window = 1,
                                  .fifo = 3};

static enum outcome packet(const struct rules *rules, struct ring_state *s, unsigned r, unsigned message, unsigned offset) {
  bool wrong = false;
  const enum outcome outcome = device_packet(rules, s, r, message * rules->msglen + offset, false, &wrong);
  assert_false(wrong);
  return outcome;
}

static void device_completes_and_frees(void **unused) {
  (void)unused;
  struct ring_state s = {0};
  assert_int_equal(packet(&weir, &s, 0, 0, 1), OUTCOME_UNKNOWN_MESSAGE);
  assert_int_equal(packet(&weir, &s, 0, 0, 0), OUTCOME_STORED);
  assert_int_equal(packet(&weir, &s, 0, 0, 0), OUTCOME_DUPLICATE);
  assert_int_equal(packet(&weir, &s, 1, 0, 0), OUTCOME_COMPLETES);
  assert_int_equal(s.down[0][0], 1);
  assert_int_equal(s.down[1][0], 1);
  assert_int_equal(packet(&weir, &s, 1, 0, 0), OUTCOME_REPEATS);
  assert_int_equal(s.down[0][1], 0);
  assert_int_equal(s.down[1][1], 1);
  // The result of message 1 frees the slot of message 0, which then waits for message 2.
  assert_int_equal(packet(&weir, &s, 0, 1, 0), OUTCOME_STORED);
  assert_int_equal(packet(&weir, &s, 1, 1, 0), OUTCOME_COMPLETES);
  assert_int_equal(s.column[0].tag, 3);
  assert_int_equal(s.column[0].held[0] + s.column[0].held[1], 0);
  assert_int_equal(packet(&weir, &s, 1, 0, 0), OUTCOME_STALE);
}

static void device_waits_for_room_and_changes_nothing(void **unused) {
  (void)unused;
  struct rules rules = weir;
  rules.fifo = 1;
  struct ring_state s = {0}, before;
  s.down[1][0] = 5;
  packet(&rules, &s, 0, 0, 0);
  before = s;
  assert_int_equal(packet(&rules, &s, 1, 0, 0), OUTCOME_WAITS);
  assert_memory_equal(&s, &before, sizeof s);
}

static void newer_tags_reset_but_not_live_columns(void **unused) {
  (void)unused;
  struct ring_state s = {0};
  packet(&weir, &s, 0, 0, 0);
  assert_int_equal(packet(&weir, &s, 1, 2, 0), OUTCOME_VIOLATION);
  assert_int_equal(packet(&weir, &s, 1, 0, 0), OUTCOME_STALE);   // its history holds message 2 now
  struct rules rules = weir;
  rules.clt = CLT_IDEAL;
  assert_int_equal(packet(&rules, &s, 1, 0, 0), OUTCOME_COMPLETES);
  assert_int_equal(packet(&rules, &s, 1, 2, 0), OUTCOME_STORED);
  assert_int_equal(s.column[0].tag, 3);
}

/// Without tags an old packet completes a column of a newer message, and the search must be told.
static void without_tags_messages_mix(void **unused) {
  (void)unused;
  struct rules rules = weir;
  rules.tag = TAG_NONE;
  rules.clt = CLT_IDEAL;
  struct ring_state s = {0};
  packet(&rules, &s, 0, 2, 0);
  bool wrong = false;
  assert_int_equal(device_packet(&rules, &s, 1, 0, false, &wrong), OUTCOME_COMPLETES);
  assert_true(wrong);
}

static void printed_rules_free_on_arrival(void **unused) {
  (void)unused;
  struct rules rules = weir;
  rules.clt = CLT_IDEAL;
  rules.tag = TAG_NONE;
  for (rules.free = FREE_ANY_PACKET; rules.free <= FREE_OWN_BIT; rules.free++) {
    struct ring_state s = {0};
    packet(&rules, &s, 0, 0, 1);
    packet(&rules, &s, 1, 0, 1);
    packet(&rules, &s, 0, 1, 1);
    assert_int_equal(s.column[1].held[0], 0);
    assert_int_equal(s.column[1].held[1], rules.free == FREE_ANY_PACKET ? 0 : 1);
  }
}

/// An old first packet takes the only entry from a newer message; 2N entries that only grow do not let it.
static void connection_tables_differ(void **unused) {
  (void)unused;
  static const struct {
    enum clt_rule clt;
    enum outcome old_first, newer_middle;
  } cases[] = {{CLT_IDEAL, OUTCOME_STORED, OUTCOME_STORED},
               {CLT_SINGLE, OUTCOME_STORED, OUTCOME_UNKNOWN_MESSAGE},
               {CLT_OVERWRITE, OUTCOME_STORED, OUTCOME_UNKNOWN_MESSAGE},
               {CLT_MONOTONE, OUTCOME_STALE, OUTCOME_STORED},
               {CLT_BASE, OUTCOME_STORED, OUTCOME_STORED}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rules rules = weir;
    rules.clt = cases[i].clt;
    rules.tag = TAG_NONE;
    struct ring_state s = {0};
    assert_int_equal(packet(&rules, &s, 0, 2, 0), OUTCOME_STORED);
    const enum outcome old = packet(&rules, &s, 0, 0, 0);
    assert_true(old == cases[i].old_first || (old == OUTCOME_DUPLICATE && cases[i].old_first == OUTCOME_STORED));
    assert_int_equal(packet(&rules, &s, 0, 2, 1), cases[i].newer_middle);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_a_loop_without_exit),
      cmocka_unit_test(loops_with_exit_are_not_stuck),
      cmocka_unit_test(shows_the_nearest_wrong_step),
      cmocka_unit_test(nothing_complete_means_all_stuck),
      cmocka_unit_test(set_keeps_all_states),
      cmocka_unit_test(layout_is_reversible),
      cmocka_unit_test(device_completes_and_frees),
      cmocka_unit_test(device_waits_for_room_and_changes_nothing),
      cmocka_unit_test(newer_tags_reset_but_not_live_columns),
      cmocka_unit_test(without_tags_messages_mix),
      cmocka_unit_test(printed_rules_free_on_arrival),
      cmocka_unit_test(connection_tables_differ),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
