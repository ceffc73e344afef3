// A flush waits for quiet, forgets connections once and closes its ring, lets look-up go, empties exactly the slots of its ring, and opens it
// when look-up has been quiet again.
// DUT: agg_flush -GNumPorts=2 -GNumRings=4
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

enum { RINGS = 4, QUIET = 15 };

/// Slots of a ring.
struct region {
  unsigned base, stride, window_log2;
};
static const struct region regions[RINGS] = {{0, 5, 0}, {10, 3, 2}, {0, 8192, 0}, {7, 0, 1}};   // the last one has none

static void put_rings(struct dut *d) {
  uint32_t words[WORDS_OF(ring_t, RINGS)] = {0};
  for (unsigned g = 0; g < RINGS; g++) {
    bits_put(words, g * ring_t__BITS + FIELD(ring_t, base), regions[g].base);
    bits_put(words, g * ring_t__BITS + FIELD(ring_t, stride), regions[g].stride);
    bits_put(words, g * ring_t__BITS + FIELD(ring_t, window_log2), regions[g].window_log2);
    bits_put(words, g * ring_t__BITS + FIELD(ring_t, enable), 1);
  }
  dut_set_words(d, "rings_i", words, sizeof words / sizeof *words);
}

static bool closed(struct dut *d, unsigned ring) {
  uint32_t words[WORDS_OF(ring_t, RINGS)];
  dut_get_words(d, "rings_o", words, WORDS_OF(ring_t, RINGS));
  for (unsigned g = 0; g < RINGS; g++) {
    const bool enable = bits_get(words, g * ring_t__BITS + FIELD(ring_t, enable));
    assert_int_equal(bits_get(words, g * ring_t__BITS + FIELD(ring_t, drop)), !enable);
    if (g != ring) assert_true(enable);
  }
  return !bits_get(words, ring * ring_t__BITS + FIELD(ring_t, enable));
}

static void flush_one(struct dut *d, unsigned ring) {
  const bool in_use = rand() % 4 != 0, release = rand() % 2;
  const unsigned slots = in_use ? 2 * regions[ring].stride << regions[ring].window_log2 : 0;
  unsigned held = 0, open = 0, quiet = 0, quiet_before = 0, conns = 0, next = regions[ring].base;
  bool done_next = false;
  int walk = 0;
  dut_set(d, "flush_ring_i", ring);
  dut_set(d, "flush_slots_i", in_use);
  dut_set(d, "flush_free_i", release);
  dut_set(d, "flush_valid_i", 1);
  for (int cycle = 0;; cycle++) {
    assert_true(cycle < 60000);
    const bool idle = rand() % 40 != 0, busy = rand() % 40 == 0, ready = rand() % 3 != 0;
    // Held, look-up is idle from when connections go; when it has been let go it may be at something again.
    const bool stays = conns && open == 0;
    dut_set(d, "lookup_idle_i", stays ? 1 : idle);
    dut_set(d, "ports_busy_i", stays ? 0 : (uint64_t)busy << rand() % 2);
    dut_set(d, "slot_ready_i", ready);
    dut_set(d, "flush_conns_done_i", done_next);
    if (done_next) walk = rand() % 3 ? rand() % 200 : 0;
    dut_set(d, "flush_walks_i", walk > 0);
    const bool walks = walk > 0;
    if (walk > 0) walk--;
    dut_eval(d);
    done_next = false;
    const bool hold = dut_get(d, "hold_o");
    if (cycle && !conns) assert_true(hold);
    if (conns && !hold) open++;
    if (conns && open) held = hold ? held + 1 : 0;
    // Nothing of the ring is decided between its slots: it is closed before look-up is let go.
    if (cycle && !hold) assert_true(closed(d, ring));
    if (dut_get(d, "flush_conns_o")) {
      // Held, and, as of a cycle ago, quiet for long enough that nothing is between look-up and port.
      assert_true(quiet_before >= QUIET);
      assert_int_equal(dut_get(d, "flush_conns_ring_o"), ring);
      assert_int_equal(conns++, 0);
      assert_int_equal(dut_get(d, "flush_conns_free_o"), release);
      done_next = true;
    }
    if (dut_get(d, "slot_valid_o")) {
      assert_int_equal(conns, 1);
      assert_int_equal(dut_get(d, "slot_o"), next);
      if (ready) next++;
    }
    const bool finished = dut_get(d, "flush_ready_o");
    // As of a cycle ago, here too.
    if (finished) assert_true(open > 0 && quiet_before >= QUIET && held >= QUIET);
    quiet_before = quiet;
    quiet = hold && (stays || (idle && (open || !busy))) ? quiet + 1 : 0;
    // Nor does it open while the table of connections goes through its entries.
    if (walks) assert_true(closed(d, ring) && !finished);
    dut_tick(d);
    if (finished) break;
  }
  assert_int_equal(next, regions[ring].base + slots);
  dut_set(d, "flush_valid_i", 0);
  dut_eval(d);
  assert_false(dut_get(d, "hold_o"));
  assert_false(closed(d, ring));
}

static void flushes_each_ring(void **state) {
  (void)state;
  struct dut *d = dut_new();
  put_rings(d);
  dut_reset(d);
  for (int i = 0; i < 60; i++) {
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
