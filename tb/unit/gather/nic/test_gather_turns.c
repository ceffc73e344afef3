// Turns at concatenation: half of them are the server's while units ask, and the units have the other half alike.
// DUT: gather_turns -GNumUnits=4
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "drive/dut.h"

enum { UNITS = 4, SERVER = UNITS, USERS = UNITS + 1, CYCLES = 800 };

/// PRs of each, with those asking that `asking` says; a PR of the server has `beats` beats. A beat is not taken one time in `stall` (0: always).
/// Cycles in which somebody asks and nobody has the turn go to `*lost`.
static void run(unsigned asking, unsigned beats, unsigned stall, unsigned prs[USERS], unsigned *lost) {
  struct dut *d = dut_new();
  dut_set(d, "request_i", 0);
  dut_set(d, "valid_i", 0);
  dut_reset(d);
  unsigned left = 0, whose = 0, unit = 0;   // the next one, if all ask
  *lost = 0;
  for (unsigned i = 0; i < USERS; i++) prs[i] = 0;
  for (unsigned i = 0; i < CYCLES; i++) {
    dut_set(d, "valid_i", asking);
    dut_set(d, "request_i", asking);
    const unsigned turn = (unsigned)dut_get(d, "turn_o");
    assert_int_equal(turn & (turn - 1), 0);
    assert_int_equal(turn & ~asking, 0);
    if (left > 0) assert_int_equal(turn, 1u << whose);
    unsigned from = 0;
    while (turn >> from > 1) from++;
    if (turn == 0) ++*lost;
    if (turn != 0 && left == 0) {
      left = from == SERVER ? beats : 1;
      if (asking == (1u << USERS) - 1 && from != SERVER) assert_int_equal(from, unit++ % UNITS);
    }
    whose = from;
    const bool ready = stall == 0 || (unsigned)rand() % stall > 0;
    dut_set(d, "ready_i", ready);
    dut_set(d, "last_i", left == 1);
    dut_eval(d);
    if (turn != 0 && ready && --left == 0) prs[from]++;
    dut_tick(d);
  }
  dut_free(d);
}

static void the_server_has_half(void **state) {
  (void)state;
  for (unsigned beats = 1; beats <= 3; beats++) {
    for (unsigned stall = 0; stall <= 2; stall += 2) {
      unsigned prs[USERS], all = 0, lost;
      run((1u << USERS) - 1, beats, stall, prs, &lost);
      for (unsigned u = 0; u < UNITS; u++) all += prs[u];
      assert_in_range(prs[SERVER], all - 1, all + 1);
      for (unsigned u = 0; u < UNITS; u++) assert_in_range(prs[u], all / UNITS, all / UNITS + 1);
      assert_int_equal(lost, 1);   // the first turn is chosen in the first cycle
    }
  }
}

static void who_asks_alone_has_all(void **state) {
  (void)state;
  unsigned prs[USERS], lost;
  for (unsigned u = 0; u < USERS; u++) {
    run(1u << u, 1, 0, prs, &lost);
    assert_int_equal(prs[u], CYCLES - 1);
  }
  run(1u << SERVER | 1, 1, 0, prs, &lost);
  assert_in_range(prs[0], prs[SERVER] - 1, prs[SERVER] + 1);
  run((1u << UNITS) - 1, 1, 0, prs, &lost);
  for (unsigned u = 0; u < UNITS; u++) assert_in_range(prs[u], CYCLES / UNITS - 1, CYCLES / UNITS);
  run(0, 1, 0, prs, &lost);
  assert_int_equal(lost, CYCLES);
}

/// A turn goes by whom has nothing, but a PR that has begun keeps it through a gap.
static void a_turn_is_passed_on(void **state) {
  (void)state;
  struct dut *d = dut_new();
  dut_set(d, "request_i", 0);
  dut_set(d, "valid_i", 0);
  dut_reset(d);
  const unsigned server = 1u << SERVER;
  const struct {
    unsigned valid, request;
    bool last;
    unsigned turn;
  } cycles[] = {
      {server, server, false, 0},
      {server, server, false, server},   // its first beat
      {1, 1, false, server},
      {server | 1, server | 1, true, server},   // a gap, its last beat
      {1, 1, true, 1},
      {0, 0, true, 1},   // one of a unit, and nothing behind it
      {2, 0, true, 0},
      {2, 2, true, 0},
      {2, 2, true, 2},   // who may not have a turn waits
  };
  dut_set(d, "ready_i", 1);
  for (size_t i = 0; i < sizeof cycles / sizeof *cycles; i++) {
    dut_set(d, "valid_i", cycles[i].valid);
    dut_set(d, "request_i", cycles[i].request);
    dut_set(d, "last_i", cycles[i].last);
    assert_int_equal(dut_get(d, "turn_o"), cycles[i].turn);
    dut_tick(d);
  }
  dut_free(d);
}

/// Whose beat does not come sits on no turn, whatever is said of a last beat; and the server does not come first again after a pause.
static void nobody_sits_on_a_turn(void **state) {
  (void)state;
  struct dut *d = dut_new();
  for (unsigned had = 0; had < USERS; had++) {
    for (unsigned next = 0; next < USERS; next++) {
      if (next == had) continue;
      dut_set(d, "request_i", 1u << had);
      dut_set(d, "valid_i", 0);
      dut_set(d, "ready_i", 1);
      dut_set(d, "last_i", 0);
      dut_reset(d);
      dut_tick(d);
      assert_int_equal(dut_get(d, "turn_o"), 1u << had);
      dut_set(d, "request_i", 1u << next);
      dut_tick(d);
      assert_int_equal(dut_get(d, "turn_o"), 1u << next);
    }
  }
  const unsigned server = 1u << SERVER;
  dut_reset(d);
  dut_set(d, "request_i", server);
  dut_tick(d);
  dut_set(d, "request_i", 0);
  dut_tick(d);
  dut_tick(d);
  assert_int_equal(dut_get(d, "turn_o"), 0);
  dut_set(d, "request_i", server | 1);
  dut_tick(d);
  assert_int_equal(dut_get(d, "turn_o"), 1);
  dut_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_server_has_half), cmocka_unit_test(who_asks_alone_has_all),
                                     cmocka_unit_test(a_turn_is_passed_on), cmocka_unit_test(nobody_sits_on_a_turn)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
