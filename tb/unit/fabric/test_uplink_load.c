// Loads of uplinks beside their model: over periods, full ones, ports that are dead.
// DUT: uplink_load
// DUT: uplink_load -GNumUp=6
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/rng.h"
#include "drive/dut.h"
#include "model/uplink/uplink_route.h"

enum { PERIOD = 1024, RING = 8 };

static void same_as_the_model(void **state) {
  (void)state;
  for (unsigned n = 0; n < 6; n++) {
    struct rng r = rng_for(5, n);
    struct dut *d = dut_new();
    const unsigned ports = (unsigned)dut_width(d, "live_i");
    unsigned levels = 0;
    while (1u << levels < ports) levels++;
    dut_reset(d);
    struct uplink_load load[RING] = {{{0}, 0}}, now = {{0}, 0};
    uint32_t live[RING] = {0};
    unsigned won[16] = {0};
    for (uint64_t t = 0; t < 20 * PERIOD; t++) {
      load[t % RING] = now;
      live[t % RING] = rng_percent(&r, 30) ? rng_below(&r, 1u << ports) : (1u << ports) - 1;
      // Some ports are busier than others, and which ones changes.
      uint32_t sent = 0;
      for (unsigned p = 0; p < ports; p++)
        sent |= (uint32_t)rng_percent(&r, (p + (unsigned)(t / 3000)) % ports * 15 + n * 5) << p;
      dut_set(d, "now_i", t);
      dut_set(d, "live_i", live[t % RING]);
      dut_set(d, "sent_i", sent);
      dut_eval(d);
      if (t >= levels) {
        const uint64_t then = (t - levels) % RING;
        const int least = uplink_load_least(&load[then], live[then], ports);
        if (least >= 0) {
          assert_int_equal(dut_get(d, "least_o"), least);
          won[least]++;
        }
      }
      uplink_load_until(&now, t, PERIOD);
      for (unsigned p = 0; p < ports; p++)
        if (sent >> p & 1) uplink_load_add(&now, p, 1);
      dut_tick(d);
    }
    for (unsigned p = 0; p < ports; p++) assert_true(won[p] > 0);
    dut_free(d);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_the_model)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
