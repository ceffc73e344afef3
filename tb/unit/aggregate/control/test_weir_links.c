// Counters of frames that ports did not send: several ports in one cycle, each by itself, none where there is none.
// DUT: weir_links -GNumPorts=3
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "drive/dut.h"

enum { PORTS = 3, EVENTS = 500 };

static uint64_t counter(struct dut *d, unsigned port, unsigned which) {
  dut_set(d, "port_i", port);
  dut_set(d, "which_i", which);
  dut_tick(d);
  dut_tick(d);
  return dut_get(d, "value_o");
}

static void each_port_counts(void **state) {
  (void)state;
  struct dut *d = dut_new();
  uint64_t expected[PORTS] = {0};
  dut_reset(d);
  for (unsigned i = 0; i < EVENTS; i++) {
    const unsigned lost = (unsigned)rand() % (1 << PORTS);
    dut_set(d, "lost_i", lost);
    dut_tick(d);
    for (unsigned p = 0; p < PORTS; p++) expected[p] += lost >> p & 1;
  }
  dut_set(d, "lost_i", 0);
  dut_tick(d);
  for (unsigned port = 0; port < 16; port++)
    for (unsigned which = 0; which < 32; which++)
      assert_int_equal(counter(d, port, which), port < PORTS && which == 0 ? expected[port] : 0);
  dut_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_port_counts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
