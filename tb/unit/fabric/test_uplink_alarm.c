// The alarm of a buffer at 79, 80 and 81 percent, its way back, and any level after any other.
// DUT: uplink_alarm -GDepth=100
// DUT: uplink_alarm -GDepth=1024 -GRaisePercent=80 -GClearPercent=50
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "drive/dut.h"
#include "model/uplink/uplink_flow.h"

static void tick(struct dut *d, unsigned level, bool clear) {
  dut_set(d, "level_i", level);
  dut_set(d, "clear_i", clear);
  dut_tick(d);
}

/// The level's width tells which of the two it is.
static unsigned depth_of(struct dut *d) { return dut_width(d, "level_i") == 7 ? 100 : 1024; }
static unsigned clear_of(struct dut *d) { return depth_of(d) == 100 ? 70 : 50; }

static void corners(void **state) {
  (void)state;
  struct dut *d = dut_new();
  dut_reset(d);
  const unsigned depth = depth_of(d), at79 = depth * 79 / 100, at81 = (depth * 81 + 99) / 100, back = depth * clear_of(d) / 100;
  tick(d, at79, false);
  assert_int_equal(dut_get(d, "alarm_o"), 0);
  tick(d, depth * 80 / 100, false);
  assert_int_equal(dut_get(d, "alarm_o"), 0);
  tick(d, at81, false);
  assert_int_equal(dut_get(d, "alarm_o"), 1);
  assert_int_equal(dut_get(d, "raised_o"), 1);
  tick(d, at79, false);   // not yet
  assert_int_equal(dut_get(d, "alarm_o"), 1);
  assert_int_equal(dut_get(d, "raised_o"), 0);
  tick(d, back + 1, false);
  assert_int_equal(dut_get(d, "alarm_o"), 1);
  tick(d, back, false);
  assert_int_equal(dut_get(d, "alarm_o"), 0);
  assert_int_equal(dut_get(d, "alarmed_o"), 1);
  assert_int_equal(dut_get(d, "peak_o"), at81);
  tick(d, 3, true);
  assert_int_equal(dut_get(d, "alarmed_o"), 0);
  assert_int_equal(dut_get(d, "peak_o"), 3);
  tick(d, depth, true);   // in the cycle of the clearing
  assert_int_equal(dut_get(d, "alarmed_o"), 1);
  assert_int_equal(dut_get(d, "peak_o"), depth);
  dut_free(d);
}

static void at_random(void **state) {
  (void)state;
  struct rng rng = rng_for(26, 2);
  struct dut *d = dut_new();
  dut_reset(d);
  const unsigned depth = depth_of(d);
  bool on = false, alarmed = false;
  unsigned level = 0, peak = 0, rises = 0;
  for (unsigned i = 0; i < 100000; i++) {
    const unsigned step = rng_below(&rng, depth / 20 + 1), target = rng_below(&rng, 200) ? level : rng_below(&rng, depth + 1);
    level = rng_below(&rng, 2) ? (target + step > depth ? depth : target + step) : (target < step ? 0 : target - step);
    const bool clear = rng_below(&rng, 50) == 0, before = on;
    tick(d, level, clear);
    on = uplink_alarm(on, level, depth, 80, clear_of(d));
    alarmed = on || before || (alarmed && !clear);
    peak = clear || level > peak ? level : peak;
    rises += on && !before;
    assert_int_equal(dut_get(d, "alarm_o"), on);
    assert_int_equal(dut_get(d, "raised_o"), on && !before);
    assert_int_equal(dut_get(d, "alarmed_o"), alarmed);
    assert_int_equal(dut_get(d, "peak_o"), peak);
  }
  assert_true(rises > 50);
  dut_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(corners), cmocka_unit_test(at_random)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
