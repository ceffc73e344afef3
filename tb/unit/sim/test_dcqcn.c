// The sender's rate under DCQCN, beside values worked out by hand.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/fabric/host/dcqcn.h"

#define US UINT64_C(1000000)

static const struct dcqcn_options options = {.line_gbps = 100,
                                             .least_gbps = 0.1,
                                             .step_gbps = 0.5,
                                             .hyper_gbps = 5,
                                             .gain = 1.0 / 256,
                                             .alpha_ps = 55 * US,
                                             .rise_ps = 55 * US,
                                             .rise_bytes = 10000000,
                                             .fast = 5};

static void near(double a, double b) { assert_true(fabs(a - b) < 1e-9 * (1 + fabs(b))); }

static void test_cut(void **state) {
  (void)state;
  struct dcqcn d;
  dcqcn_begin(&d, &options, 0);
  near(dcqcn_rate(&d, &options, 1000 * US), 100);
  // Alpha has decayed from 1 for 1000 us, 18 whole times.
  const double alpha = pow(1 - 1.0 / 256, 18);
  dcqcn_cut(&d, &options, 1000 * US);
  near(d.rate, 100 * (1 - alpha / 2));
  near(d.target, 100);
  near(d.alpha, alpha * (1 - 1.0 / 256) + 1.0 / 256);
}

static void test_fast_recovery_halves_the_way(void **state) {
  (void)state;
  struct dcqcn d;
  dcqcn_begin(&d, &options, 0);
  dcqcn_cut(&d, &options, 0);
  near(d.rate, 50);
  double want = 50;
  for (unsigned step = 1; step <= 5; step++) {
    want = (want + 100) / 2;
    near(dcqcn_rate(&d, &options, 55 * US * step - 1), (want * 2 - 100));
    near(dcqcn_rate(&d, &options, 55 * US * step), want);
  }
}

static void test_increase(void **state) {
  (void)state;
  struct dcqcn d;
  dcqcn_begin(&d, &options, 0);
  for (unsigned i = 0; i < 3; i++) dcqcn_cut(&d, &options, 0);   // 100, 50, 25, 12.5; the target is 25
  near(d.rate, 12.5);
  near(d.target, 25);
  dcqcn_rate(&d, &options, 5 * 55 * US);
  near(d.target, 25);
  dcqcn_rate(&d, &options, 6 * 55 * US);
  near(d.target, 25.5);   // additive
  for (unsigned i = 0; i < 6; i++) dcqcn_sent(&d, &options, 6 * 55 * US, 10000000);
  assert_true(d.target > 30);   // both time and bytes say so: hyper
}

static void test_limits(void **state) {
  (void)state;
  struct dcqcn d;
  dcqcn_begin(&d, &options, 0);
  for (unsigned i = 0; i < 100; i++) dcqcn_cut(&d, &options, 0);
  near(d.rate, 0.1);
  for (unsigned i = 0; i < 10000; i++) dcqcn_rate(&d, &options, 55 * US * i);
  assert_true(d.rate <= 100 && d.rate > 99.9 && d.target <= 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cut), cmocka_unit_test(test_fast_recovery_halves_the_way),
                                     cmocka_unit_test(test_increase), cmocka_unit_test(test_limits)};
  cmocka_set_message_output(CM_OUTPUT_TAP);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
