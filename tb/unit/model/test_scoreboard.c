// The scoreboard over a short run that is right, and over the same run with one thing wrong at a time.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/scoreboard.h"
#include "unit/gradient.h"
#include "wire/bytes.h"

enum { H = 2, PORTS = 2, MAX_FRAME = 400 };

/// The right run: rank 0 behind port 0, rank 1 behind port 1, one column, and a retransmission of rank 0 later.
enum at {
  IN_ARP,
  IN_0,
  IN_1,
  IN_BROKEN,
  IN_ERROR,
  DECIDE_0,
  DECIDE_1,
  COMMIT_0,
  COMMIT_1,
  OUT_ARP,
  TAKE,
  RESULT_0,
  RESULT_1,
  OUT_1,
  OUT_0,
  IN_AGAIN,
  DECIDE_AGAIN,
  COMMIT_AGAIN,
  TAKE_AGAIN,
  RESULT_AGAIN,
  OUT_AGAIN,
  STEPS
};

struct step {
  enum { FRAME_IN, STATE, RESULT, FRAME_OUT } what;
  unsigned port;
  bool error;
  uint8_t frame[GRADIENT_ROOM];
  size_t len;
  uint32_t psn;
  struct scoreboard_event event;
};

static const uint32_t msgid = 0x80000001;

static struct gradient packet(unsigned rank) {
  const struct ina_header ina = {3, (uint8_t)rank, INA_FP32, msgid, 1, H};
  struct gradient g = gradient_of(&ina, 0);
  g.psn0 &= 0xFFFFFF;
  g.len = 4;   // rank 0 and 1 both send 1.0
  return g;
}

static void frame_step(struct step *s, bool out, unsigned port, const struct gradient *g) {
  *s = (struct step){.what = out ? FRAME_OUT : FRAME_IN, .port = port, .psn = g->psn0};
  struct gradient copy = *g;
  if (out) {
    copy.build.udp_checksum = 0;
    put_le32(copy.tensor, 0x40000000);   // 1.0 + 1.0
  }
  s->len = gradient_frame(&copy, s->frame);
}

static void state_step(struct step *s, struct scoreboard_event event) {
  event.ring = 1;
  event.msgid = msgid;
  *s = (struct step){.what = STATE, .event = event};
}

static void right_run(struct step s[STEPS]) {
  struct gradient g0 = packet(0), g1 = packet(1), again = g0;
  again.build.ip_id++;
  frame_step(&s[IN_0], false, 0, &g0);
  frame_step(&s[IN_1], false, 1, &g1);
  frame_step(&s[IN_AGAIN], false, 0, &again);
  frame_step(&s[OUT_0], true, 0, &g0);
  frame_step(&s[OUT_1], true, 1, &g1);
  frame_step(&s[OUT_AGAIN], true, 0, &again);
  s[IN_BROKEN] = s[IN_ERROR] = s[IN_0];
  s[IN_BROKEN].frame[60] ^= 1;
  s[IN_ERROR].error = true;

  s[IN_ARP] = (struct step){.what = FRAME_IN, .len = 60};
  for (size_t i = 0; i < 60; i++) s[IN_ARP].frame[i] = (uint8_t)i;
  s[OUT_ARP] = s[IN_ARP];
  s[OUT_ARP].what = FRAME_OUT;

  state_step(&s[DECIDE_0], (struct scoreboard_event){.kind = SCOREBOARD_DECIDE, .fate = FATE_STORED});
  state_step(&s[DECIDE_1], (struct scoreboard_event){.port = 1, .rank = 1, .fate = FATE_STORED, .completes = true});
  state_step(&s[COMMIT_0], (struct scoreboard_event){.kind = SCOREBOARD_COMMIT});
  state_step(&s[COMMIT_1], (struct scoreboard_event){.kind = SCOREBOARD_COMMIT, .port = 1, .rank = 1, .completes = true});
  state_step(&s[TAKE], (struct scoreboard_event){.kind = SCOREBOARD_TAKE, .ranks = 3});
  state_step(&s[DECIDE_AGAIN], (struct scoreboard_event){.fate = FATE_DUPLICATE});
  state_step(&s[COMMIT_AGAIN], (struct scoreboard_event){.kind = SCOREBOARD_COMMIT});
  state_step(&s[TAKE_AGAIN], (struct scoreboard_event){.kind = SCOREBOARD_TAKE, .ranks = 1});
  s[RESULT_0] = (struct step){.what = RESULT, .psn = g0.psn0};
  s[RESULT_1] = (struct step){.what = RESULT, .port = 1, .psn = g1.psn0};
  s[RESULT_AGAIN] = s[RESULT_0];
}

static void apply(struct scoreboard *sb, const struct step *s) {
  switch (s->what) {
    case FRAME_IN: {
      struct roce_packet p;
      scoreboard_in(sb, s->port, s->frame, s->len, s->error, &p);
      break;
    }
    case STATE: scoreboard_state(sb, &s->event); break;
    case RESULT: scoreboard_result(sb, s->port, s->psn); break;
    case FRAME_OUT: scoreboard_out(sb, s->port, s->frame, s->len); break;
  }
}

static struct scoreboard *board(void) {
  const struct model_limits limits = {.ports = PORTS, .ranks = H, .conns = H, .slot_bytes = 64, .max_frame_bytes = MAX_FRAME};
  const struct model_ring rings[] = {{2, H, 1, 1, true}, {3, H, 1, 2, true}};
  struct scoreboard *sb = scoreboard_new(&limits, rings, 2);
  assert_non_null(sb);
  return sb;
}

static bool is_frame_of(const void *user, const uint8_t *frame, size_t len) {
  const struct step *s = user;
  return len == s->len && memcmp(frame, s->frame, len) == 0;
}

static void right_run_has_no_mismatch(void **state) {
  (void)state;
  struct step steps[STEPS];
  right_run(steps);
  struct scoreboard *sb = board();
  assert_true(scoreboard_idle(sb));
  for (int i = 0; i < STEPS; i++) {
    apply(sb, &steps[i]);
    assert_int_equal(scoreboard_idle(sb), i == STEPS - 1 || i == OUT_0);
    // Of its ring, what is not decided yet does not count.
    assert_int_equal(scoreboard_ring_idle(sb, 1), i < DECIDE_0 || i == OUT_0 || i == IN_AGAIN || i == OUT_AGAIN);
    assert_true(scoreboard_ring_idle(sb, 0));
    assert_int_equal(scoreboard_undecided(sb, is_frame_of, &steps[IN_1]), i >= IN_1 && i < DECIDE_1);
    if (scoreboard_mismatches(sb) != 0) fail_msg("step %d: %s", i, scoreboard_text(sb, 0));
  }
  scoreboard_finish(sb);
  assert_int_equal(scoreboard_mismatches(sb), 0);
  assert_null(scoreboard_text(sb, 0));
  const struct scoreboard_counts *c = scoreboard_counts(sb, 0);
  assert_int_equal(c->rx, 5);
  assert_int_equal(c->tx_passed, 1);
  assert_int_equal(c->tx_result, 2);
  for (unsigned f = 0; f < FATE_COUNT; f++)
    assert_int_equal(c->fates[f],
                     f == FATE_PASSED || f == FATE_STORED || f == FATE_DUPLICATE || f == FATE_BAD_ICRC || f == FATE_FRAME_ERROR);
  c = scoreboard_counts(sb, 1);
  assert_int_equal(c->rx, 1);
  assert_int_equal(c->fates[FATE_STORED], 1);
  assert_int_equal(c->tx_result, 1);
  scoreboard_free(sb);
}

/// What goes wrong at a step.
enum edit {
  NOTHING,
  LOST,
  TWICE,
  LATE,
  FATE,
  PORT,
  RING,
  RANK,
  MSGID,
  OFFSET,
  COMPLETES,
  RANKS,
  KIND,
  PSN,
  BYTE,
  SHORTER,
  LONGER
};

struct fault {
  enum at at;
  enum edit edit;
  uint32_t value;      ///< of a field; of BYTE its place; FROM_END + n counts from the end
  const char *says;    ///< what the first mismatch must speak of
  size_t mismatches;   ///< MORE if others follow from it
};

enum { FROM_END = 1000, MORE = 99 };

static void spoil(struct step *s, const struct fault *f) {
  switch (f->edit) {
    case FATE: s->event.fate = (enum fate)f->value; break;
    case PORT: s->port = s->event.port = f->value; break;
    case RING: s->event.ring = f->value; break;
    case RANK: s->event.rank = f->value; break;
    case MSGID: s->event.msgid = f->value; break;
    case OFFSET: s->event.offset = f->value; break;
    case COMPLETES: s->event.completes = f->value != 0; break;
    case RANKS: s->event.ranks = f->value; break;
    case KIND: s->event.kind = f->value; break;
    case PSN: s->psn ^= f->value; break;
    case BYTE: s->frame[f->value < FROM_END ? f->value : s->len - (f->value - FROM_END)] ^= 0x10; break;
    case SHORTER: s->len--; break;
    case LONGER: s->frame[s->len++] = 0; break;
    default: break;
  }
}

static void run_with(const struct fault *f, struct scoreboard *sb) {
  struct step steps[STEPS];
  right_run(steps);
  if (f->edit == LATE) {
    struct step s = steps[f->at];
    steps[f->at] = steps[f->at + 1];
    steps[f->at + 1] = s;
  }
  spoil(&steps[f->at], f);
  for (int i = 0; i < STEPS; i++) {
    if (i == (int)f->at && f->edit == LOST) continue;
    apply(sb, &steps[i]);
    if (i == (int)f->at && f->edit == TWICE) apply(sb, &steps[i]);
  }
  scoreboard_finish(sb);
}

static void each_fault_is_seen(void **state) {
  (void)state;
  static const struct fault faults[] = {
      // decisions
      {DECIDE_0, FATE, FATE_DUPLICATE, "fate: expected stored, actual duplicate", 1},
      {DECIDE_AGAIN, FATE, FATE_STALE, "fate: expected duplicate, actual stale", 1},
      {DECIDE_0, RING, 0, "ring: expected 1, actual 0", 1},
      {DECIDE_0, RANK, 1, "rank: expected 0, actual 1", 1},
      {DECIDE_0, MSGID, 5, "msgid: expected 2147483649, actual 5", 1},
      {DECIDE_0, OFFSET, 1, "offset: expected 0, actual 1", 1},
      {DECIDE_0, COMPLETES, 1, "completes: expected 0, actual 1", 1},
      {DECIDE_1, COMPLETES, 0, "completes: expected 1, actual 0", 1},
      {DECIDE_AGAIN, COMPLETES, 1, NULL, 0},   // a duplicate may say so
      {DECIDE_AGAIN, TWICE, 0, "every candidate that went in has been decided", 1},
      {DECIDE_0, PORT, PORTS, "does not exist", MORE},
      {DECIDE_0, KIND, 3, "unknown kind", MORE},
      {IN_AGAIN, LOST, 0, "every candidate that went in has been decided", MORE},
      // commits
      {COMMIT_0, RING, 0, "ring: expected 1, actual 0", 1},
      {COMMIT_0, RANK, 1, "rank: expected 0, actual 1", 1},
      {COMMIT_1, MSGID, 5, "frame in 1 (commit): msgid: expected 2147483649, actual 5", 1},
      {COMMIT_AGAIN, OFFSET, 1, "frame in 5 (commit): offset: expected 0, actual 1", 1},
      {COMMIT_0, COMPLETES, 1, "completes: expected 0, actual 1", 1},
      {COMMIT_1, COMPLETES, 0, "completes: expected 1, actual 0", 1},
      {COMMIT_AGAIN, TWICE, 0, "every stored or duplicate packet is in place", 1},
      {COMMIT_1, PORT, PORTS + 5, "does not exist", MORE},
      // takes
      {TAKE, RANKS, 7, "not all are owed", MORE},
      {TAKE, MSGID, 5, "not all are owed", MORE},
      {TAKE, OFFSET, 7, "not all are owed", MORE},
      {TAKE, RING, 9, "not all are owed", MORE},
      {TAKE_AGAIN, RANKS, 2, "not all are owed", MORE},
      {TAKE, PORT, 77, NULL, 0},   // a take is no port's
      {TAKE_AGAIN, TWICE, 0, "not all are owed", 1},
      {COMMIT_AGAIN, LATE, 0, "not all are owed", MORE},
      // results begin
      {RESULT_0, PSN, 1, "psn: expected", 1},
      {RESULT_AGAIN, TWICE, 0, "none is due", 1},
      {RESULT_1, LOST, 0, "never reported to begin", 1},
      {RESULT_AGAIN, LATE, 0, "never reported to begin", MORE},
      // frames out
      {OUT_ARP, BYTE, 59, "passed frame in 1): byte 59", 1},
      {OUT_ARP, LOST, 0, "passed frames never left", 1},
      {OUT_ARP, TWICE, 0, "nothing is due", 1},
      {OUT_ARP, SHORTER, 0, "length: expected 60, actual 59", 1},
      {OUT_ARP, LONGER, 0, "length: expected 60, actual 61", 1},
      {OUT_0, BYTE, 5, "byte 5 (MAC address)", 1},
      {OUT_0, BYTE, 13, "byte 13 (EtherType)", 1},
      {OUT_0, BYTE, 19, "byte 19 (IP header)", 1},
      {OUT_0, BYTE, 34, "byte 34 (UDP header)", 1},
      {OUT_0, BYTE, 40, "byte 40 (UDP checksum)", 1},
      {OUT_0, BYTE, 42, "byte 42 (BTH)", 1},
      {OUT_0, BYTE, 53, "byte 53 (BTH PSN)", 1},
      {OUT_0, BYTE, 54, "(extension or INA header)", 1},
      {OUT_0, BYTE, FROM_END + 5, "(tensor)", 1},
      {OUT_0, BYTE, FROM_END + 1, "(ICRC)", 1},
      {OUT_0, SHORTER, 0, "length: expected 94, actual 93", 1},
      {OUT_0, LONGER, 0, "length: expected 94, actual 95", 1},
      {OUT_0, PORT, 1, "nothing is due", MORE},
      {OUT_AGAIN, LOST, 0, "results never left, the first is ring 1 msgid 2147483649 offset 0 rank 0", 1},
      {OUT_AGAIN, TWICE, 0, "nothing is due", 1},
  };
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    struct scoreboard *sb = board();
    run_with(&faults[i], sb);
    size_t count = scoreboard_mismatches(sb);
    const char *first = count != 0 ? scoreboard_text(sb, 0) : "";
    if (faults[i].mismatches == MORE ? count < 2 : count != faults[i].mismatches)
      fail_msg("fault %zu: %zu mismatches: %s", i, count, first);
    if (count != 0 && strstr(first, faults[i].says) == NULL)
      fail_msg("fault %zu: no word of \"%s\": %s", i, faults[i].says, first);
    scoreboard_free(sb);
  }
}

static void end_looks_for_what_is_missing(void **state) {
  (void)state;
  const struct {
    enum at last;   // step after which the run ends
    const char *says;
    size_t mismatches;
  } ends[] = {{IN_ERROR, "frame in 2 and 2 after it were never decided", 3},   // both ports, and the ARP frame
              {DECIDE_1, "decided packets were never in place, the first is frame in 2", 3},
              {COMMIT_1, "passed frames never left, the first is frame in 1", 2},
              {OUT_ARP, "2 results are owed and were never taken", 1},
              {COMMIT_AGAIN, "1 results are owed and were never taken", 1},
              {TAKE, "1 results never left", 2}};
  struct step steps[STEPS];
  right_run(steps);
  for (size_t e = 0; e < sizeof ends / sizeof ends[0]; e++) {
    struct scoreboard *sb = board();
    for (int i = 0; i <= (int)ends[e].last; i++) apply(sb, &steps[i]);
    assert_false(scoreboard_idle(sb));
    scoreboard_finish(sb);
    if (scoreboard_mismatches(sb) != ends[e].mismatches || strstr(scoreboard_text(sb, 0), ends[e].says) == NULL)
      fail_msg("end %zu: %zu mismatches, first: %s", e, scoreboard_mismatches(sb), scoreboard_text(sb, 0));
    scoreboard_free(sb);
  }
}

static void nothing_compared_is_a_mismatch(void **state) {
  (void)state;
  struct scoreboard *sb = board();
  scoreboard_finish(sb);
  assert_int_equal(scoreboard_mismatches(sb), 1);
  assert_non_null(strstr(scoreboard_text(sb, 0), "nothing was compared"));
  scoreboard_free(sb);
}

static void caller_may_report(void **state) {
  (void)state;
  struct scoreboard *sb = board();
  for (int i = 0; i < 100; i++) scoreboard_report(sb, "counter %d of \"%s\"", i, "port");
  assert_int_equal(scoreboard_mismatches(sb), 100);
  assert_string_equal(scoreboard_text(sb, 3), "counter 3 of \"port\"");
  assert_null(scoreboard_text(sb, 99));
  assert_null(scoreboard_text(sb, 100));
  scoreboard_free(sb);
}

static void limits_are_the_models(void **state) {
  (void)state;
  const struct model_limits limits = {.ports = 1, .ranks = 1, .conns = 1, .slot_bytes = 64, .max_frame_bytes = 1500};
  const struct model_ring ring = {1, 2, 1, 1, true};
  assert_null(scoreboard_new(&limits, &ring, 1));
  scoreboard_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(right_run_has_no_mismatch),
      cmocka_unit_test(each_fault_is_seen),
      cmocka_unit_test(end_looks_for_what_is_missing),
      cmocka_unit_test(nothing_compared_is_a_mismatch),
      cmocka_unit_test(caller_may_report),
      cmocka_unit_test(limits_are_the_models),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
