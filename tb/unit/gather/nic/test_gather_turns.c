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
static void run(unsigned asking, unsigned beats, unsigned stall, unsigned prs[USERS]) {
  struct dut *d = dut_new();
  dut_reset(d);
  unsigned left = 0, whose = 0;
  for (unsigned i = 0; i < USERS; i++) prs[i] = 0;
  for (unsigned i = 0; i < CYCLES; i++) {
    dut_set(d, "request_i", asking);
    dut_eval(d);
    const unsigned from = (unsigned)dut_get(d, "from_o");
    assert_int_equal(dut_get(d, "valid_o"), asking != 0);
    if (asking != 0) assert_true(from < USERS && asking >> from & 1);
    if (left > 0) assert_int_equal(from, whose);
    if (left == 0) left = from == SERVER ? beats : 1;
    whose = from;
    const bool ready = stall == 0 || (unsigned)rand() % stall > 0;
    dut_set(d, "ready_i", ready);
    dut_set(d, "last_i", left == 1);
    dut_eval(d);
    if (asking != 0 && ready && --left == 0) prs[from]++;
    dut_tick(d);
  }
  dut_free(d);
}

static void the_server_has_half(void **state) {
  (void)state;
  for (unsigned beats = 1; beats <= 3; beats++) {
    for (unsigned stall = 0; stall <= 2; stall += 2) {
      unsigned prs[USERS], all = 0;
      run((1u << USERS) - 1, beats, stall, prs);
      for (unsigned u = 0; u < UNITS; u++) all += prs[u];
      assert_in_range(prs[SERVER], all - 1, all + 1);
      for (unsigned u = 0; u < UNITS; u++) assert_in_range(prs[u], all / UNITS, all / UNITS + 1);
    }
  }
}

static void who_asks_alone_has_all(void **state) {
  (void)state;
  for (unsigned u = 0; u < USERS; u++) {
    unsigned prs[USERS];
    run(1u << u, 1, 0, prs);
    assert_int_equal(prs[u], CYCLES);
  }
  unsigned prs[USERS];
  run(1u << SERVER | 1, 1, 0, prs);
  assert_int_equal(prs[0], prs[SERVER]);
  run(0, 1, 0, prs);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_server_has_half), cmocka_unit_test(who_asks_alone_has_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
