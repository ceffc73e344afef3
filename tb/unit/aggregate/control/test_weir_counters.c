// The counters against a plain table: every event once, at its port, from two cycles later on; strange names read 0.
// DUT: weir_counters -GNumPorts=3 -GEcc=1
// DUT: weir_counters -GNumPorts=3 -GEcc=1 -GBits=9
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/dut.h"
#include "structs/roce_pkg.h"
#include "wire/fate.h"

// The fate that only devices with corrected memories have stands behind all others.
enum { PORTS = 3, FATES = FATE_MEMORY_ERROR, RX = FATES, TX_RESULT, TX_PASS, LOST, COUNTERS, IDLE_AFTER = 6, CYCLES = 60000 };

/// What a counter wraps at; the program is named after its variant.
static uint64_t wrap = UINT64_C(1) << 48;

struct counts {
  uint64_t of[PORTS][COUNTERS];
};

/// What the ports do in one cycle, as the inputs have it.
struct events {
  uint64_t rx, drop, drop_fate, fate, fate_of, tx_result, tx_pass;
};

/// Draws a port's events: a fate only for a frame that is inside, counting the one that comes in this cycle.
static void draw(struct events *e, struct counts *sum, unsigned port, unsigned *inside, unsigned busy) {
  uint64_t bit = UINT64_C(1) << port;
  if (rand() % 100 < (int)busy) {
    e->rx |= bit;
    sum->of[port][RX]++;
    ++*inside;
  }
  unsigned drop = (unsigned)rand() % FATES, fate = (unsigned)rand() % FATE_COUNT;
  // What a fate names counts only with its valid.
  e->drop_fate |= (uint64_t)drop << (fate_e__BITS * port);
  e->fate_of |= (uint64_t)fate << (fate_e__BITS * port);
  if (*inside && rand() % 3 == 0) {
    e->drop |= bit;
    sum->of[port][drop]++;
    --*inside;
  }
  if (*inside && rand() % 3 == 0) {
    e->fate |= bit;
    sum->of[port][fate == FATE_MEMORY_ERROR ? LOST : fate]++;
    --*inside;
  }
  if (rand() % 4 == 0) {
    e->tx_result |= bit;
    sum->of[port][TX_RESULT]++;
  }
  if (rand() % 4 == 0) {
    e->tx_pass |= bit;
    sum->of[port][TX_PASS]++;
  }
}

static void drive(struct dut *d, const struct events *e, uint64_t idle) {
  dut_set(d, "rx_i", e->rx);
  dut_set(d, "drop_valid_i", e->drop);
  dut_set(d, "drop_fate_i", e->drop_fate);
  dut_set(d, "fate_valid_i", e->fate);
  dut_set(d, "fate_i", e->fate_of);
  dut_set(d, "tx_result_i", e->tx_result);
  dut_set(d, "tx_pass_i", e->tx_pass);
  dut_set(d, "idle_i", idle);
}

static uint64_t value_of(const struct counts *c, unsigned port, unsigned which) {
  return port < PORTS && which < COUNTERS ? c->of[port][which] % wrap : 0;
}

static void counts_every_event(void **state) {
  (void)state;
  struct dut *d = dut_new();
  dut_reset(d);
  static struct counts now, before[3];          // now, and as they were one, two and three cycles ago
  unsigned named = 0, which_named = COUNTERS;   // a cycle ago
  unsigned inside[PORTS] = {0}, empty[PORTS] = {0}, idles = 0;
  for (unsigned cycle = 0; cycle < CYCLES; cycle++) {
    // Busy and quiet times take turns; the last one is quiet.
    unsigned busy = cycle / 300 % 2 ? 0 : 60;
    struct events e = {0};
    uint64_t idle = 0;
    before[2] = before[1];
    before[1] = before[0];
    before[0] = now;
    for (unsigned p = 0; p < PORTS; p++) {
      draw(&e, &now, p, &inside[p], busy);
      empty[p] = inside[p] || e.rx >> p & 1 || e.drop >> p & 1 || e.fate >> p & 1 ? 0 : empty[p] + 1;
      if (empty[p] > IDLE_AFTER) idle |= UINT64_C(1) << p;
    }
    idles += idle != 0;
    unsigned port = (unsigned)rand() % 4, which = (unsigned)rand() % (COUNTERS + 2);
    if (rand() % 50 == 0) port = (unsigned)rand() % 16;
    drive(d, &e, idle);
    dut_set(d, "port_i", port);
    dut_set(d, "which_i", which);
    dut_tick(d);
    if (cycle) assert_int_equal(dut_get(d, "value_o"), value_of(&before[2], named, which_named));
    named = port;
    which_named = which;
  }
  assert_true(idles > CYCLES / 10);
  for (unsigned p = 0; p < PORTS; p++) {
    assert_int_equal(inside[p], 0);
    uint64_t fates = now.of[p][LOST];
    assert_true(fates > 0);
    for (unsigned f = 0; f < FATES; f++) {
      assert_true(now.of[p][f] > 0);
      fates += now.of[p][f];
    }
    assert_int_equal(now.of[p][RX], fates);
  }
  dut_free(d);
}

/// After the last event the whole table can be read out.
static void reads_out_at_rest(void **state) {
  (void)state;
  struct dut *d = dut_new();
  dut_reset(d);
  static struct counts sum;
  memset(&sum, 0, sizeof sum);
  unsigned inside[PORTS] = {0};
  for (unsigned cycle = 0; cycle < 2000; cycle++) {
    struct events e = {0};
    for (unsigned p = 0; p < PORTS; p++) draw(&e, &sum, p, &inside[p], 50);
    drive(d, &e, 0);
    dut_tick(d);
  }
  drive(d, &(struct events){0}, 0);
  for (unsigned i = 0; i < 3; i++) dut_tick(d);
  for (unsigned port = 0; port < 16; port++) {
    for (unsigned which = 0; which < 32; which++) {
      dut_set(d, "port_i", port);
      dut_set(d, "which_i", which);
      for (unsigned i = 0; i < 2; i++) dut_tick(d);
      assert_int_equal(dut_get(d, "value_o"), value_of(&sum, port, which));
    }
  }
  dut_reset(d);
  for (unsigned which = 0; which < COUNTERS; which++) {
    dut_set(d, "port_i", 1);
    dut_set(d, "which_i", which);
    for (unsigned i = 0; i < 2; i++) dut_tick(d);
    assert_int_equal(dut_get(d, "value_o"), 0);
  }
  dut_free(d);
}

int main(int argc, char **argv) {
  if (argc > 0 && strstr(argv[0], "Bits_9") != NULL) wrap = 1u << 9;
  srand(1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(counts_every_event), cmocka_unit_test(reads_out_at_rest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
