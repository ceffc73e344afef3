// The limit of a pause to the cycle: one that lasts as long as is allowed is never reported, one that lasts a tick longer always, whatever the phase and
// whatever the other priorities do.
// DUT: shell_watchdog -GTickCycles=7
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "drive/dut.h"

enum { TICK = 7, PRIOS = 8, ALL = (1 << PRIOS) - 1 };

static struct dut *start(unsigned limit, bool ignore, unsigned phase) {
  struct dut *d = dut_new();
  dut_set(d, "limit_i", limit);
  dut_set(d, "ignore_i", ignore);
  dut_reset(d);
  for (unsigned i = 0; i < phase; i++) dut_tick(d);
  return d;
}

/// So many cycles of it; how often the watchdog fired.
static unsigned paused(struct dut *d, unsigned prios, unsigned cycles) {
  unsigned fired = 0;
  dut_set(d, "paused_i", prios);
  for (unsigned i = 0; i < cycles; i++) {
    dut_tick(d);
    fired += (unsigned)dut_get(d, "fired_o");
  }
  return fired;
}

static void to_the_cycle(void **state) {
  (void)state;
  for (unsigned limit = 1; limit < 5; limit++)
    for (unsigned phase = 0; phase < TICK; phase++)
      for (unsigned prios = 1; prios <= ALL; prios = prios == 1 ? 0x20 : prios == 0x20 ? ALL : ALL + 1) {
        struct dut *d = start(limit, true, phase);
        // As long as may be, again and again: each begins its time anew.
        for (unsigned i = 0; i < TICK + 1; i++) {
          assert_int_equal(paused(d, prios, limit * TICK), 0);
          assert_int_equal(dut_get(d, "hold_o"), prios);
          assert_int_equal(paused(d, 0, 1), 0);
          assert_int_equal(dut_get(d, "hold_o"), 0);
        }
        // A tick longer: once, however long it goes on.
        assert_int_equal(paused(d, prios, (limit + 1) * TICK + 1), 1);
        assert_int_equal(dut_get(d, "expired_o"), prios);
        assert_int_equal(dut_get(d, "hold_o"), 0);
        assert_int_equal(paused(d, prios, 20 * limit * TICK), 0);
        assert_int_equal(dut_get(d, "expired_o"), prios);
        // It ends, and the next one is kept.
        assert_int_equal(paused(d, 0, 1) + paused(d, prios, 1), 0);
        assert_int_equal(dut_get(d, "expired_o"), 0);
        assert_int_equal(dut_get(d, "hold_o"), prios);
        dut_free(d);
      }
}

/// With the limit 0, and with pauses that are not to be ignored, all are kept.
static void kept(void **state) {
  (void)state;
  struct dut *d = start(0, true, 0);
  assert_int_equal(paused(d, ALL, 70000 * TICK), 0);   // more ticks than can be counted
  assert_int_equal(dut_get(d, "hold_o"), ALL);
  dut_free(d);
  d = start(2, false, 0);
  assert_int_equal(paused(d, ALL, 5 * TICK), 1);
  assert_int_equal(dut_get(d, "hold_o"), ALL);
  assert_int_equal(dut_get(d, "expired_o"), ALL);
  dut_free(d);
  // The longest limit is met, too, and met once.
  d = start(UINT16_MAX, false, 0);
  assert_int_equal(paused(d, 1, UINT16_MAX * TICK), 0);
  assert_int_equal(paused(d, 1, 3 * TICK), 1);
  dut_free(d);
}

/// Eight priorities that come and go at random: each is reported by its own time alone.
static void each_alone(void **state) {
  (void)state;
  enum { LIMIT = 3 };
  struct rng rng = rng_for(1, 0);
  struct dut *d = start(LIMIT, true, 0);
  unsigned since[PRIOS] = {0}, now = 0, reported = 0;
  for (unsigned cycle = 0; cycle < 200000; cycle++) {
    for (unsigned p = 0; p < PRIOS; p++)
      if (rng_below(&rng, LIMIT * TICK) == 0) now ^= 1u << p;
    dut_set(d, "paused_i", now);
    dut_tick(d);
    const unsigned expired = (unsigned)dut_get(d, "expired_o"), hold = (unsigned)dut_get(d, "hold_o");
    assert_int_equal(hold, now & ~expired);
    for (unsigned p = 0; p < PRIOS; p++) {
      since[p] = now >> p & 1 ? since[p] + 1 : 0;
      if (since[p] <= LIMIT * TICK) assert_false(expired >> p & 1);
      if (since[p] > (LIMIT + 1) * TICK) assert_true(expired >> p & 1);
      reported += since[p] == (LIMIT + 1) * TICK + 1;
    }
  }
  assert_true(reported > 1000);
  dut_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(to_the_cycle), cmocka_unit_test(kept), cmocka_unit_test(each_alone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
