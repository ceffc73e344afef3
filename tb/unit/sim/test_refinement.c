// The map from the RTL's events to the protocol's small model: what is a step, and what is not.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sim/engine/follow/refinement.h"

// Ring 0: two workers, behind ports 0 and 1, a window of one, messages of two packets. So message m has the slots of m mod 2.
// Behind them, where it has one, a parent at port 2, and notifications.
enum { WORKERS = 2, WINDOW = 1, STRIDE = 2, PARENT = 2, NOTE = 3 };

static struct refinement *begin_as(struct rule_part part) {
  struct refinement *r = refinement_new(3, 1, PARENT);
  const struct refinement_ring as = {.workers = WORKERS, .window = WINDOW, .stride = STRIDE, .part = part};
  refinement_set_ring(r, 0, &as);
  return r;
}

static struct refinement *begin(void) { return begin_as((struct rule_part){0}); }

/// The event is a step, or none, as `is_step` says; if none, the text says `why`.
static void check(struct refinement *r, struct scoreboard_event e, bool is_step, const char *why) {
  char text[300] = "";
  assert_int_equal(refinement_event(r, &e, text, sizeof text), is_step);
  if (is_step) return;
  assert_non_null(strstr(text, "no step of the protocol's model"));
  assert_non_null(strstr(text, why));
}

static struct scoreboard_event decision(unsigned rank, uint32_t message, enum fate fate, bool completes) {
  return (struct scoreboard_event){
      .kind = SCOREBOARD_DECIDE, .port = rank, .rank = rank, .msgid = message, .fate = fate, .completes = completes};
}
static struct scoreboard_event commit(unsigned rank, uint32_t message, bool completes) {
  return (struct scoreboard_event){
      .kind = SCOREBOARD_COMMIT, .port = rank, .rank = rank, .msgid = message, .completes = completes, .ranks = 1u << rank};
}
static struct scoreboard_event take(uint32_t ranks, uint32_t message) {
  return (struct scoreboard_event){.kind = SCOREBOARD_TAKE, .port = 99, .msgid = message, .ranks = ranks};
}

/// Both ranks send message `m`, and both get its result.
static void whole(struct refinement *r, uint32_t m) {
  check(r, decision(0, m, FATE_STORED, false), true, NULL);
  check(r, commit(0, m, false), true, NULL);
  check(r, decision(1, m, FATE_STORED, true), true, NULL);
  check(r, commit(1, m, true), true, NULL);
  check(r, take(1, m), true, NULL);
  check(r, take(2, m), true, NULL);
}

static void check_settled(struct refinement *r, bool settled) {
  char text[200];
  assert_int_equal(refinement_settled(r, text, sizeof text), settled);
  if (!settled) assert_non_null(strstr(text, "due in the protocol's model"));
}

/// Messages one after the other, MsgIDs round 2^32; each step is counted.
static void follows_messages(void **unused) {
  (void)unused;
  struct refinement *r = begin();
  for (uint32_t m = 0xFFFFFFFC; m != 4; m++) whole(r, m);
  check_settled(r, true);
  assert_int_equal(refinement_count(r, REFINEMENT_STORES), 8);
  assert_int_equal(refinement_count(r, REFINEMENT_COMPLETES), 8);
  assert_int_equal(refinement_count(r, REFINEMENT_EMITS), 16);
  assert_int_equal(refinement_count(r, REFINEMENT_GIVES_UP), 0);
  refinement_free(r);
}

/// A result leaves before a packet is in place, twice, for another message, or for nobody.
static void results_must_be_due(void **unused) {
  (void)unused;
  struct refinement *r = begin();
  check(r, take(1, 0), false, "has never had");
  check(r, decision(0, 0, FATE_STORED, false), true, NULL);
  check(r, take(1, 0), false, "ranks 0x1 of 0x3");
  check(r, commit(0, 0, false), true, NULL);
  check(r, decision(1, 0, FATE_STORED, true), true, NULL);
  check(r, take(1, 0), false, "coming 0x2");
  check(r, commit(1, 0, true), true, NULL);
  check_settled(r, false);
  check(r, take(1, 2), false, "has message 0");
  check(r, take(0, 0), false, "due 0x3");
  check(r, take(3, 0), true, NULL);
  check(r, take(1, 0), false, "due 0");
  check_settled(r, true);
  refinement_free(r);
}

/// A column says that it is whole when it is, and no earlier.
static void completes_once(void **unused) {
  (void)unused;
  struct refinement *r = begin();
  check(r, decision(0, 0, FATE_STORED, true), false, "completing");
  refinement_free(r);
  r = begin();
  check(r, decision(0, 0, FATE_STORED, false), true, NULL);
  check(r, decision(1, 0, FATE_STORED, false), false, "ranks 0x1 of 0x3");
  refinement_free(r);
  r = begin();
  check(r, decision(0, 0, FATE_STORED, false), true, NULL);
  check(r, decision(1, 0, FATE_STORED, true), true, NULL);
  check(r, commit(1, 0, true), false, "coming 0x3");
  refinement_free(r);
}

/// A repeat is answered when it is in place; a commit is of a packet that was decided.
static void repeats(void **unused) {
  (void)unused;
  struct refinement *r = begin();
  check(r, decision(0, 0, FATE_DUPLICATE, false), false, "has never had");
  check(r, commit(0, 0, false), false, "commit");
  whole(r, 0);
  check(r, decision(0, 0, FATE_STORED, false), false, "ranks 0x3");
  check(r, decision(0, 0, FATE_DUPLICATE, false), true, NULL);
  check(r, take(1, 0), false, "due 0");
  check(r, commit(0, 0, false), true, NULL);
  check(r, take(2, 0), false, "due 0x1");
  check(r, take(1, 0), true, NULL);
  assert_int_equal(refinement_count(r, REFINEMENT_REPEATS), 1);
  refinement_free(r);
}

/// The slot goes on when a result of the message before has left: then what is older is stale, and no earlier.
static void slots_fall_free(void **unused) {
  (void)unused;
  struct refinement *r = begin();
  whole(r, 0);
  check(r, decision(0, 0, FATE_WINDOW_VIOLATION, false), false, "ranks 0x3");
  check(r, decision(0, 1, FATE_STORED, false), true, NULL);
  check(r, commit(0, 1, false), true, NULL);
  // Slot of message 0: message 2 may have it, though message 1 has not left.
  check(r, decision(0, 2, FATE_WINDOW_VIOLATION, false), false, "has message 0");
  check(r, decision(1, 1, FATE_STORED, true), true, NULL);
  check(r, commit(1, 1, true), true, NULL);
  check(r, take(3, 1), true, NULL);
  struct scoreboard_event late = decision(0, 0, FATE_STALE, false);
  check(r, late, true, NULL);
  check(r, decision(0, 0, FATE_DUPLICATE, false), false, "has message 2");
  // A first packet may be stale by its connection table; another one has its slot alone.
  check(r, decision(0, 2, FATE_STALE, false), true, NULL);
  late = decision(0, 2, FATE_STALE, false);
  late.offset = 1;
  check(r, late, false, "stale");
  refinement_free(r);
}

/// Of a pair one column has packets: while they are needed, who would begin the other one is refused; else they are given up.
static void pairs(void **unused) {
  (void)unused;
  struct refinement *r = begin();
  check(r, decision(0, 0, FATE_STORED, false), true, NULL);
  check(r, decision(0, 1, FATE_STORED, false), false, "has never had");
  check(r, decision(0, 1, FATE_WINDOW_VIOLATION, false), true, NULL);
  check(r, commit(0, 0, false), true, NULL);
  check(r, decision(0, 1, FATE_WINDOW_VIOLATION, false), false, "has never had");
  check(r, decision(0, 1, FATE_STORED, false), true, NULL);
  assert_int_equal(refinement_count(r, REFINEMENT_GIVES_UP), 1);
  check(r, decision(1, 0, FATE_STORED, true), false, "its place is the other slot's");
  check(r, decision(1, 0, FATE_WINDOW_VIOLATION, false), true, NULL);
  refinement_free(r);
}

/// A flush and a lost record: nothing is known, nothing is due.
static void begins_anew(void **unused) {
  (void)unused;
  struct refinement *r = begin();
  check(r, decision(0, 0, FATE_STORED, false), true, NULL);
  check(r, commit(0, 0, false), true, NULL);
  check(r, decision(1, 0, FATE_STORED, true), true, NULL);
  check(r, commit(1, 0, true), true, NULL);
  refinement_flush(r, 0);
  check_settled(r, true);
  check(r, take(3, 0), false, "has never had");
  refinement_lose(r, 0, 0, 0);
  check(r, take(3, 0), true, NULL);
  check(r, decision(0, 0, FATE_MEMORY_ERROR, false), true, NULL);
  refinement_flush(r, 0);
  check(r, take(3, 0), false, "has never had");
  refinement_free(r);
}

/// A result of the parent comes, and is in place.
static void answered(struct refinement *r, uint32_t m) {
  check(r, decision(PARENT, m, FATE_STORED, false), true, NULL);
  check(r, commit(PARENT, m, false), true, NULL);
}

/// Both workers of a leaf send message `m`.
static void sent(struct refinement *r, uint32_t m) {
  check(r, decision(0, m, FATE_STORED, false), true, NULL);
  check(r, commit(0, m, false), true, NULL);
  check(r, decision(1, m, FATE_STORED, true), true, NULL);
  check(r, commit(1, m, true), true, NULL);
}

/// A leaf's sum goes up, and nothing goes down but its parent's result.
static void leaf(void **unused) {
  (void)unused;
  struct refinement *r = begin_as((struct rule_part){.parent = true});
  check(r, take(1u << PARENT, 0), false, "has never had");
  sent(r, 0);
  check(r, take(1, 0), false, "due 0x80000000");
  check_settled(r, false);
  check(r, take(1u << PARENT, 0), true, NULL);
  check(r, take(1u << PARENT, 0), false, "due 0");
  check(r, take(1, 0), false, "due 0");
  answered(r, 0);
  check(r, take(1u << PARENT, 0), false, "due 0x3");
  check(r, take(3, 0), true, NULL);
  check_settled(r, true);
  assert_int_equal(refinement_count(r, REFINEMENT_RISES), 1);
  assert_int_equal(refinement_count(r, REFINEMENT_ANSWERS), 1);
  // A repeat goes up again, and is no answer.
  check(r, decision(1, 0, FATE_DUPLICATE, false), true, NULL);
  check(r, commit(1, 0, false), true, NULL);
  check(r, take(2, 0), false, "due 0x80000000");
  refinement_free(r);
}

/// The slot of the message N on falls free when the parent's result leaves, not when the sum goes up.
static void leaf_frees_late(void **unused) {
  (void)unused;
  struct refinement *r = begin_as((struct rule_part){.parent = true});
  sent(r, 0);
  check(r, take(1u << PARENT, 0), true, NULL);
  answered(r, 0);
  check(r, take(3, 0), true, NULL);
  sent(r, 1);
  check(r, take(1u << PARENT, 1), true, NULL);
  check(r, decision(0, 0, FATE_STALE, false), true, NULL);   // by its connection table, perhaps
  struct scoreboard_event late = decision(0, 0, FATE_STALE, false);
  late.offset = 1;
  check(r, late, false, "has never had");
  check(r, decision(0, 0, FATE_DUPLICATE, false), true, NULL);
  check(r, commit(0, 0, false), true, NULL);
  answered(r, 1);
  check(r, take(3, 1), true, NULL);
  check(r, decision(0, 0, FATE_DUPLICATE, false), false, "has message 2");
  refinement_free(r);
}

/// The parent's result is taken for a whole column of its message, and is stale otherwise; what slots do not hear of is no step.
static void parents_results(void **unused) {
  (void)unused;
  struct refinement *r = begin_as((struct rule_part){.parent = true});
  check(r, decision(PARENT, 0, FATE_STORED, false), false, "has never had");
  check(r, decision(PARENT, 0, FATE_STALE, false), true, NULL);
  check(r, decision(0, 0, FATE_STORED, false), true, NULL);
  check(r, commit(0, 0, false), true, NULL);
  check(r, decision(1, 0, FATE_STORED, true), true, NULL);
  check(r, decision(PARENT, 0, FATE_STORED, false), false, "coming 0x2");
  check(r, commit(1, 0, true), true, NULL);
  check(r, decision(PARENT, 2, FATE_STORED, false), false, "has message 0");
  check(r, decision(PARENT, 0, FATE_STALE, false), false, "coming 0,");
  check(r, decision(PARENT, 0, FATE_WINDOW_VIOLATION, false), true, NULL);
  check(r, decision(NOTE, 0, FATE_DUPLICATE, false), true, NULL);
  check(r, decision(NOTE, 0, FATE_STALE, false), true, NULL);
  check(r, commit(NOTE, 0, false), false, "commit");
  check(r, decision(PARENT, 0, FATE_DUPLICATE, false), false, "has message 0");
  refinement_free(r);
}

/// Between its decision and its bank a parent's result may lose its column.
static void parents_result_comes_late(void **unused) {
  (void)unused;
  struct refinement *r = begin_as((struct rule_part){.parent = true, .devices = true});
  sent(r, 0);
  check(r, take(1u << PARENT, 0), true, NULL);   // no notification
  check(r, decision(PARENT, 0, FATE_STORED, false), true, NULL);
  check(r, decision(0, 2, FATE_STORED, false), true, NULL);
  struct scoreboard_event late = commit(PARENT, 0, true);
  check(r, late, false, "has message 2");
  refinement_free(r);
  r = begin_as((struct rule_part){.parent = true, .devices = true});
  sent(r, 0);
  check(r, take(1u << PARENT, 0), true, NULL);
  check(r, decision(PARENT, 0, FATE_STORED, false), true, NULL);
  check(r, decision(0, 2, FATE_STORED, false), true, NULL);
  late.completes = false;
  check(r, late, true, NULL);
  check(r, take(3, 0), false, "has message 2");
  assert_int_equal(refinement_count(r, REFINEMENT_ANSWERS), 0);
  refinement_free(r);
}

/// Above devices one repeat is answered to all.
static void root(void **unused) {
  (void)unused;
  struct refinement *r = begin_as((struct rule_part){.devices = true});
  whole(r, 0);
  check(r, decision(0, 0, FATE_DUPLICATE, false), true, NULL);
  check(r, commit(0, 0, false), true, NULL);
  check(r, take(3, 0), true, NULL);
  check_settled(r, true);
  refinement_free(r);
}

/// What does not exist is no step.
static void names_exist(void **unused) {
  (void)unused;
  struct refinement *r = begin();
  struct scoreboard_event e = decision(0, 0, FATE_STORED, false);
  e.ring = 1;
  check(r, e, false, "ring 1");
  e.ring = 0;
  e.offset = STRIDE;
  check(r, e, false, "offset 2");
  e.offset = 0;
  e.port = 3;
  check(r, e, false, "rank 0");
  refinement_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(follows_messages),
      cmocka_unit_test(results_must_be_due),
      cmocka_unit_test(completes_once),
      cmocka_unit_test(repeats),
      cmocka_unit_test(slots_fall_free),
      cmocka_unit_test(pairs),
      cmocka_unit_test(begins_anew),
      cmocka_unit_test(names_exist),
      cmocka_unit_test(leaf),
      cmocka_unit_test(leaf_frees_late),
      cmocka_unit_test(parents_results),
      cmocka_unit_test(parents_result_comes_late),
      cmocka_unit_test(root),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
