// What uplinks were given lately, beside uplink_load: each load in each cycle, also at its limit, and the least of those that live.
// DUT: uplink_load -GNumPorts=3
// DUT: uplink_load -GNumPorts=16
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "drive/bits.h"
#include "drive/dut.h"
#include "model/uplink/uplink_route.h"

enum { CYCLES = 120000, PAST = 8, LOAD_BITS = 26, WORDS = (LOAD_BITS * UPLINK_MAX_PORTS + 31) / 32 };

static void beside_the_model(void **state) {
  (void)state;
  struct dut *d = dut_new();
  struct rng rng = rng_for(3, 0);
  struct uplink_load load, past[PAST];
  const unsigned ports = (unsigned)dut_width(d, "live_i");
  unsigned levels = 0, full = 0, none = 0;
  uint64_t periods = 0;
  uint32_t live[PAST] = {0};
  memset(&load, 0, sizeof load);
  memset(past, 0, sizeof past);
  while (1u << levels < ports) levels++;
  dut_reset(d);
  for (unsigned i = 0; i < CYCLES; i++) {
    // By turns little, and more than an eighth of all that can be.
    const bool much = i / 25000 % 2, add = rng_below(&rng, 8) != 0, period = rng_below(&rng, much ? 40000 : 20) == 0;
    const unsigned port = rng_below(&rng, ports), bytes = much ? 65535 - rng_below(&rng, 4) : rng_below(&rng, 40);
    if (rng_below(&rng, 30) == 0 || i == 0) live[i % PAST] = (uint32_t)rng_next(&rng) & ((1u << ports) - 1);
    past[i % PAST] = load;
    dut_set(d, "period_i", period);
    dut_set(d, "add_i", add);
    dut_set(d, "port_i", port);
    dut_set(d, "bytes_i", bytes);
    dut_set(d, "live_i", live[i % PAST]);
    dut_tick(d);
    if (period) uplink_load_until(&load, ++periods, 1);
    if (add) uplink_load_add(&load, port, bytes);
    live[(i + 1) % PAST] = live[i % PAST];
    uint32_t words[WORDS] = {0};
    dut_get_words(d, "load_o", words, WORDS);
    for (unsigned p = 0; p < ports; p++) {
      assert_int_equal(bits_get(words, p * LOAD_BITS, LOAD_BITS), load.bytes[p]);
      full += load.bytes[p] == UPLINK_MOST_LOAD;
    }
    if (i < levels) continue;
    const int least = uplink_load_least(&past[(i - levels) % PAST], live[(i - levels) % PAST], ports);
    assert_int_equal(dut_get(d, "none_o"), least < 0);
    if (least >= 0) assert_int_equal(dut_get(d, "least_o"), least);
    none += least < 0;
  }
  assert_true(full > 10 && (ports > 3 || none > 10));
  dut_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(beside_the_model)};
  return cmocka_run_group_tests_name("uplink_load", tests, NULL, NULL);
}
