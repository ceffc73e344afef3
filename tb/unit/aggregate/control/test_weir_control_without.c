// Registers of a device without some functions: it says which, and refuses what needs them.
// DUT: control_of_sizes -GNumPorts=3 -GNumRanks=4 -GSlotBytes=256 -GNumSlots=100 -GNumRings=5 -GNumConns=20 -GMaxWindow=8 -GWithout=1286
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/aggregate/control/control_bench.h"
#include "unit/aggregate/control/ring_event.h"
#include "wire/feature.h"

/// What the device above is without.
enum { WITHOUT = 1 << FEATURE_IPV6 | 1 << FEATURE_VLAN | 1 << FEATURE_LEARNING | 1 << FEATURE_OBSERVATION };

static void says_what_it_is_without(void **state) {
  struct bench *b = *state;
  assert_int_equal(get(b, REG(CAP_WITHOUT)), WITHOUT);
  put(b, REG(CAP_WITHOUT), 0);
  assert_int_equal(get(b, REG(CAP_WITHOUT)), WITHOUT);
}

static uint32_t store(struct bench *b, bool enable, bool learn) {
  put(b, REG(RING_SELECT), 1);
  put(b, REG(RING_ID), 5);
  put(b, REG(RING_SHAPE), 2u | (enable ? WEIR_CSR__RING_SHAPE__ENABLE_bm : 0) | (learn ? WEIR_CSR__RING_SHAPE__LEARN_bm : 0));
  put(b, REG(RING_REGION), 1u << AT(RING_REGION__STRIDE));
  return command(b, STORE);
}

static void refuses_rings_that_learn(void **state) {
  struct bench *b = *state;
  assert_int_equal(store(b, true, true), ERROR | 9 << WHY);
  rings_as_stored(b);   // it has none
  assert_int_equal(store(b, true, false), 0);
}

/// Registers a connection; whether it is refused.
static bool refused(struct bench *b, bool v6, unsigned vid) {
  put(b, REG(CONN_QPN), 18 | (v6 ? WEIR_CSR__CONN_QPN__V6_bm : 0));
  put(b, REG(CONN_VLAN), vid);
  put(b, REG(CONN_OWNER), 1);
  put(b, REG(CONN_COMMAND), CLAIM);
  uint32_t status = BUSY;
  for (unsigned i = 0; i < TIMEOUT && (status & BUSY); i++) status = get(b, REG(CONN_COMMAND));
  assert_false(status & BUSY);
  return (status & ERROR) != 0;
}

static void refuses_connections_that_it_cannot_read(void **state) {
  struct bench *b = *state;
  assert_false(refused(b, false, 0));
  assert_int_equal(b->claims, 1);
  assert_true(refused(b, true, 0));
  assert_true(refused(b, false, 7));
  assert_true(refused(b, true, 7));
  assert_int_equal(b->claims, 1);   // the table was not asked
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(says_what_it_is_without, setup, teardown),
      cmocka_unit_test_setup_teardown(refuses_rings_that_learn, setup, teardown),
      cmocka_unit_test_setup_teardown(refuses_connections_that_it_cannot_read, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
