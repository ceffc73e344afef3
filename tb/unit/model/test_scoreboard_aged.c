// The scoreboard where the device retires a connection because of its age, at some place between the decisions on frames that are in.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/scoreboard.h"
#include "unit/gradient.h"

enum { RANKS = 2, PORTS = 2, MSGLEN = 3, RING = 0 };

static struct scoreboard *board(void) {
  const struct model_limits limits = {.ports = PORTS, .ranks = RANKS, .conns = 4, .slot_bytes = 64, .max_frame_bytes = 400};
  const struct model_ring ring = {7, RANKS, 2, MSGLEN, true};
  struct scoreboard *sb = scoreboard_new(&limits, &ring, 1);
  assert_non_null(sb);
  return sb;
}

/// Packet `offset` of a message of a rank goes in, behind the port of that number.
static void in(struct scoreboard *sb, unsigned rank, uint32_t msgid, unsigned offset) {
  const struct ina_header ina = {7, (uint8_t)rank, INA_FP32, msgid, MSGLEN, RANKS};
  const struct gradient g = gradient_of(&ina, offset);
  uint8_t frame[GRADIENT_ROOM];
  struct roce_packet p;
  assert_int_equal(scoreboard_in(sb, rank, frame, gradient_frame(&g, frame), false, &p), FATE_PASSED);
}

/// The device decides on the oldest one of a rank; rank 1 comes last.
static void decided(struct scoreboard *sb, unsigned rank, uint32_t msgid, unsigned offset, enum fate fate) {
  const struct scoreboard_event e = {.kind = SCOREBOARD_DECIDE,
                                     .port = rank,
                                     .ring = RING,
                                     .rank = rank,
                                     .msgid = msgid,
                                     .offset = offset,
                                     .fate = fate,
                                     .completes = rank == 1};
  scoreboard_state(sb, &e);
}

/// Rank 0 is known, and the first two packets of its message 1 are decided.
static struct scoreboard *begun(void) {
  struct scoreboard *sb = board();
  for (unsigned offset = 0; offset < 2; offset++) {
    in(sb, 0, 1, offset);
    decided(sb, 0, 1, offset, FATE_STORED);
  }
  return sb;
}

static void ends(struct scoreboard *sb, bool right) {
  if (right && scoreboard_mismatches(sb) != 0) fail_msg("%s", scoreboard_text(sb, 0));
  assert_int_equal(scoreboard_mismatches(sb) == 0, right);
  scoreboard_free(sb);
}

/// What comes later is dropped, until a message begins; frames of others that wait for long change nothing of it.
static void later_ones(void **state) {
  (void)state;
  for (unsigned others = 0; others < 2; others++) {
    for (unsigned wrong = 0; wrong < 2; wrong++) {
      struct scoreboard *sb = begun();
      if (others) in(sb, 1, 1, 0);
      scoreboard_aged(sb, RING, 0);
      in(sb, 0, 1, 2);
      decided(sb, 0, 1, 2, wrong ? FATE_STORED : FATE_RETIRED);
      for (unsigned offset = 0; !wrong && offset < MSGLEN; offset++) {
        in(sb, 0, 2, offset);
        decided(sb, 0, 2, offset, FATE_STORED);
        if (others && offset == 0) decided(sb, 1, 1, 0, FATE_STORED);
      }
      ends(sb, !wrong);
    }
  }
}

/// The middle of a message that was in tells by its fate whether it came before.
static void middle_that_was_in(void **state) {
  (void)state;
  for (unsigned before = 0; before < 2; before++) {
    struct scoreboard *sb = begun();
    in(sb, 0, 1, 2);
    scoreboard_aged(sb, RING, 0);
    decided(sb, 0, 1, 2, before ? FATE_STORED : FATE_RETIRED);
    in(sb, 0, 1, 2);
    decided(sb, 0, 1, 2, FATE_RETIRED);
    ends(sb, true);
  }
}

/// A message that was in begins, before or after: its second packet tells.
static void beginning_that_was_in(void **state) {
  (void)state;
  for (unsigned before = 0; before < 2; before++) {
    for (unsigned wrong = 0; wrong < 2; wrong++) {
      struct scoreboard *sb = begun();
      in(sb, 0, 2, 0);
      scoreboard_aged(sb, RING, 0);
      decided(sb, 0, 2, 0, FATE_STORED);
      const enum fate fate = before ? FATE_RETIRED : FATE_STORED;
      for (unsigned offset = 1; offset < MSGLEN; offset++) {
        in(sb, 0, 2, offset);
        decided(sb, 0, 2, offset, !wrong || offset == 1 ? fate : before ? FATE_STORED : FATE_RETIRED);
      }
      ends(sb, !wrong);
    }
  }
}

/// There must have been one.
static void nobody(void **state) {
  (void)state;
  struct scoreboard *sb = begun();
  scoreboard_aged(sb, RING, 1);
  ends(sb, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(later_ones),
      cmocka_unit_test(middle_that_was_in),
      cmocka_unit_test(beginning_that_was_in),
      cmocka_unit_test(nobody),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
