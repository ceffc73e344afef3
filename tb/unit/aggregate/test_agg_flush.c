// A flush waits for quiet, forgets connections once, then empties exactly the slots of its ring.
// DUT: agg_flush -GNumPorts=2 -GNumRings=3
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "drive/dut.h"
#include "drive/bits.h"
#include "structs/agg_pkg.h"

enum { RINGS = 3, QUIET = 15 };

struct region {
  unsigned base, stride, window_log2;
};
static const struct region regions[RINGS] = {{0, 5, 0}, {10, 3, 2}, {40, 1, 1}};

static void put_rings(struct dut *d) {
  uint32_t words[WORDS_OF(ring_t, RINGS)] = {0};
  for (unsigned g = 0; g < RINGS; g++) {
    bits_put(words, g * ring_t__BITS + FIELD(ring_t, base), regions[g].base);
    bits_put(words, g * ring_t__BITS + FIELD(ring_t, stride), regions[g].stride);
    bits_put(words, g * ring_t__BITS + FIELD(ring_t, window_log2), regions[g].window_log2);
  }
  dut_set_words(d, "rings_i", words, sizeof words / sizeof *words);
}

static void flush_one(struct dut *d, unsigned ring) {
  const unsigned slots = 2 * regions[ring].stride << regions[ring].window_log2;
  unsigned quiet = 0, quiet_before = 0, conns = 0, next = regions[ring].base;
  bool done_next = false;
  dut_set(d, "flush_ring_i", ring);
  dut_set(d, "flush_valid_i", 1);
  for (int cycle = 0;; cycle++) {
    assert_true(cycle < 10000);
    const bool idle = rand() % 40 != 0, busy = rand() % 40 == 0, ready = rand() % 3 != 0;
    dut_set(d, "lookup_idle_i", conns ? 1 : idle);
    dut_set(d, "ports_busy_i", conns ? 0 : (uint64_t)busy << rand() % 2);
    dut_set(d, "slot_ready_i", ready);
    dut_set(d, "flush_conns_done_i", done_next);
    dut_eval(d);
    done_next = false;
    if (cycle) assert_true(dut_get(d, "hold_o"));
    if (dut_get(d, "flush_conns_o")) {
      // Held, and, as of a cycle ago, quiet for long enough that nothing is between look-up and port.
      assert_true(quiet_before >= QUIET);
      assert_int_equal(dut_get(d, "flush_conns_ring_o"), ring);
      assert_int_equal(conns++, 0);
      done_next = true;
    }
    if (dut_get(d, "slot_valid_o")) {
      assert_int_equal(conns, 1);
      assert_int_equal(dut_get(d, "slot_o"), next);
      if (ready) next++;
    }
    const bool finished = dut_get(d, "flush_ready_o");
    quiet_before = quiet;
    quiet = dut_get(d, "hold_o") && (conns || (idle && !busy)) ? quiet + 1 : 0;
    dut_tick(d);
    if (finished) break;
  }
  assert_int_equal(next, regions[ring].base + slots);
  dut_set(d, "flush_valid_i", 0);
  dut_eval(d);
  assert_false(dut_get(d, "hold_o"));
}

static void flushes_each_ring(void **state) {
  (void)state;
  struct dut *d = dut_new();
  put_rings(d);
  dut_reset(d);
  for (int i = 0; i < 300; i++) {
    flush_one(d, (unsigned)rand() % RINGS);
    for (int wait = rand() % 4; wait > 0; wait--) {
      assert_false(dut_get(d, "hold_o") || dut_get(d, "slot_valid_o") || dut_get(d, "flush_conns_o"));
      dut_tick(d);
    }
  }
  dut_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(flushes_each_ring)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
