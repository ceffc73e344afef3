// Pauses that are as long as may be, and a cycle longer; storms, ends of storms and their clearing in one cycle; and at random.
// DUT: uplink_watchdog -GTickCycles=7
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "drive/dut.h"
#include "model/uplink/uplink_flow.h"

enum { TICK = 7 };

static void tick(struct dut *d, unsigned paused) {
  dut_set(d, "paused_i", paused);
  dut_tick(d);
}

static struct dut *start(unsigned limit) {
  struct dut *d = dut_new();
  dut_set(d, "limit_i", limit);
  dut_reset(d);
  return d;
}

static unsigned storms_of(struct dut *d, unsigned prio) {
  uint32_t words[4];
  dut_get_words(d, "storms_o", words, 4);
  return words[prio / 2] >> 16 * (prio % 2) & 0xFFFF;
}

/// A pause of `limit` ticks is none; in its next cycle it is, whatever the phase.
static void to_the_cycle(void **state) {
  (void)state;
  for (unsigned limit = 1; limit < 6; limit++) {
    for (unsigned phase = 0; phase < TICK; phase++) {
      struct dut *d = start(limit);
      for (unsigned i = 0; i < phase; i++) tick(d, 0);
      for (unsigned i = 0; i < limit * TICK; i++) {
        tick(d, 4);
        assert_int_equal(dut_get(d, "storm_o"), 0);
      }
      tick(d, 0);   // just long enough, and no storm
      tick(d, 0);
      assert_int_equal(dut_get(d, "stormed_o"), 0);
      for (unsigned i = 0; i < limit * TICK; i++) tick(d, 4);
      assert_int_equal(dut_get(d, "storm_o"), 0);
      tick(d, 4);
      assert_int_equal(dut_get(d, "storm_o"), 4);
      assert_int_equal(dut_get(d, "stormed_o"), 4);
      assert_int_equal(storms_of(d, 2), 1);
      dut_free(d);
    }
  }
}

/// None with a limit of 0, however long.
static void none(void **state) {
  (void)state;
  struct dut *d = start(0);
  for (unsigned i = 0; i < 70000 * TICK; i++) tick(d, 0xFF);
  assert_int_equal(dut_get(d, "storm_o"), 0);
  dut_set(d, "limit_i", 65535);   // the time was kept
  tick(d, 0xFF);
  assert_int_equal(dut_get(d, "storm_o"), 0xFF);
  dut_set(d, "limit_i", 0);
  tick(d, 0xFF);
  assert_int_equal(dut_get(d, "storm_o"), 0);
  assert_int_equal(dut_get(d, "resumed_o"), 0xFF);
  dut_free(d);
}

/// An event in the cycle of its clearing stays, and clearing one kind leaves the other.
static void events_stay(void **state) {
  (void)state;
  struct dut *d = start(1);
  for (unsigned i = 0; i < TICK; i++) tick(d, 1);
  dut_set(d, "clear_stormed_i", 1);
  tick(d, 1);   // begins now
  dut_set(d, "clear_stormed_i", 0);
  assert_int_equal(dut_get(d, "stormed_o"), 1);
  dut_set(d, "clear_resumed_i", 1);
  tick(d, 0);   // ends now
  dut_set(d, "clear_resumed_i", 0);
  assert_int_equal(dut_get(d, "stormed_o"), 1);
  assert_int_equal(dut_get(d, "resumed_o"), 1);
  dut_set(d, "clear_stormed_i", 1);
  tick(d, 0);
  dut_set(d, "clear_stormed_i", 0);
  assert_int_equal(dut_get(d, "stormed_o"), 0);
  assert_int_equal(dut_get(d, "resumed_o"), 1);
  dut_set(d, "clear_resumed_i", 1);
  tick(d, 0);
  assert_int_equal(dut_get(d, "resumed_o"), 0);
  dut_free(d);
}

static void at_random(void **state) {
  (void)state;
  struct rng rng = rng_for(26, 1);
  uint64_t begun = 0;
  for (unsigned run = 0; run < 6; run++) {
    const unsigned limit = run;
    struct uplink_watch watch[UPLINK_PRIOS] = {{0}};
    unsigned stormed = 0, resumed = 0, before = 0;
    struct dut *d = start(limit);
    for (uint64_t now = 0; now < 40000; now++) {
      unsigned paused = (unsigned)dut_get(d, "paused_i");
      for (unsigned p = 0; p < UPLINK_PRIOS; p++) {
        if (rng_below(&rng, (p + 1) * TICK) == 0) paused ^= 1u << p;
      }
      const unsigned clear_stormed = rng_below(&rng, 4) ? 0 : rng_below(&rng, 256),
                     clear_resumed = rng_below(&rng, 4) ? 0 : rng_below(&rng, 256);
      dut_set(d, "clear_stormed_i", clear_stormed);
      dut_set(d, "clear_resumed_i", clear_resumed);
      tick(d, paused);
      unsigned storm = 0;
      for (unsigned p = 0; p < UPLINK_PRIOS; p++) {
        uplink_watch_set(&watch[p], now, paused >> p & 1, limit * TICK);
        // The pause has lasted up to the end of this cycle.
        storm |= (unsigned)uplink_watch_storm(&watch[p], now + 1, limit * TICK) << p;
        assert_int_equal(storms_of(d, p), uplink_watch_begun(&watch[p], now + 1, limit * TICK) & 0xFFFF);
      }
      stormed = (stormed & ~clear_stormed) | (storm & ~before);
      resumed = (resumed & ~clear_resumed) | (before & ~storm);
      assert_int_equal(dut_get(d, "storm_o"), storm);
      assert_int_equal(dut_get(d, "stormed_o"), stormed);
      assert_int_equal(dut_get(d, "resumed_o"), resumed);
      before = storm;
    }
    for (unsigned p = 0; p < UPLINK_PRIOS; p++) begun += watch[p].storms;
    dut_free(d);
  }
  assert_true(begun > 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(to_the_cycle),
      cmocka_unit_test(none),
      cmocka_unit_test(events_stay),
      cmocka_unit_test(at_random),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
