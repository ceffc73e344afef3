// A port of the shell between a MAC and a core, with three clocks whose periods have no common divisor: every frame arrives as
// it was sent, in order, whole and without a hole, or is dropped whole and counted; pauses are kept and asked for.
// DUT: shell_port -GUserW=4 -GIdW=5 -GNumQueues=2 -GQueueOf=24'o1000 -GRxDepth=256 -GXoffLevel=96 -GXonLevel=32 -GTxDepth=128 -GRxQuantumStep=39795 -GTxQuantumStep=40999 -GTickCycles=500
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/shell/port_bench.h"

enum { STEP = 39795, TICK = 500 };
#define NS UINT64_C(1000)

// Core, receive, transmit. Primes, so that all phases come by: about 250 MHz and 322 MHz, a slow core, a fast core.
static const uint64_t CLOCKS[][DOMAINS] = {{4001, 3109, 3203}, {9973, 3109, 3203}, {1009, 3203, 3109}, {4001, 3109, 12007}};
enum { CLOCK_SETS = sizeof CLOCKS / sizeof *CLOCKS };

// Frames of all lengths from a core with holes, to a MAC that is not always ready: none is lost.
static void core_to_mac(void **state) {
  (void)state;
  static const unsigned holes[] = {0, 30, 80}, paces[] = {100, 70, 20};
  unsigned long frames = 0;
  for (unsigned c = 0; c < CLOCK_SETS; c++) {
    struct bench *b = bench_new(c + 1, CLOCKS[c], STEP);
    b->core_makes = true;
    for (unsigned i = 0; i < 9; i++) {
      b->core_hole = holes[i / 3];
      b->tx_ready = paces[i % 3];
      b->core_gap = i % 2 ? 0 : 30;
      b->longest = i % 4 == 3 ? 8000 : i % 4 == 2 ? 130 : 1518;
      bench_run(b, 12000 * NS);
      bench_drain(b);
    }
    assert_int_equal(b->tx.skipped, 0);
    assert_int_equal(bench_count(b, EVENT_TX_DROP), 0);
    assert_int_equal(b->pauses_seen, 0);
    frames += b->tx.frames;
    bench_free(b);
  }
  print_message("# %lu frames\n", frames);
  assert_true(frames > 5000);
}

// Frames from the MAC, also in error, to a core that is not always ready: what is lost is lost whole, and counted.
static void mac_to_core(void **state) {
  (void)state;
  static const unsigned paces[] = {100, 60, 10};
  unsigned long frames = 0, lost = 0;
  for (unsigned c = 0; c < CLOCK_SETS; c++) {
    struct bench *b = bench_new(c + 11, CLOCKS[c], STEP);
    b->rx_makes = true;
    b->errors = 10;
    b->may_lose = true;
    for (unsigned i = 0; i < 9; i++) {
      b->core_ready = paces[i % 3];
      b->rx_hole = i / 3 * 20;
      b->rx_gap = i % 2 ? 0 : 40;
      b->longest = i % 4 == 3 ? MAX_FRAME : i % 4 == 2 ? 130 : 1518;
      bench_run(b, 12000 * NS);
      bench_drain(b);
    }
    assert_int_equal(bench_count(b, EVENT_RX_DROP), b->m.skipped);
    frames += b->m.frames;
    lost += b->m.skipped;
    bench_free(b);
  }
  print_message("# %lu frames, %lu dropped\n", frames, lost);
  assert_true(frames > 5000 && lost > 500);
}

// A frame from the core that is longer than its queue is dropped and counted, and stops nothing; one as long as it passes.
static void too_long(void **state) {
  (void)state;
  struct bench *b = bench_new(21, CLOCKS[0], STEP);
  for (unsigned i = 0; i < 40; i++) {
    b->core_hole = i % 3 * 30;
    // What is lost is not expected.
    b->may_lose = true;
    static const size_t lens[] = {8193, 8192, 70, 9600, 60};
    bench_send(&b->core, frame_draw(&b->rng, lens[i % 5], i % 8));
    if (i % 3 == 0) bench_run(b, 500 * NS);
  }
  bench_drain(b);
  assert_int_equal(b->tx.frames, 24);
  assert_int_equal(b->tx.skipped, 16);
  assert_int_equal(bench_count(b, EVENT_TX_DROP), 16);
  bench_free(b);
}

// A neighbour that keeps the pauses it is asked for loses nothing, however slow the core is.
static void lossless(void **state) {
  (void)state;
  unsigned long frames = 0, resumes = 0;
  for (unsigned c = 0; c < 2; c++) {
    struct bench *b = bench_new(c + 31, CLOCKS[c], STEP);
    b->rx_makes = b->core_makes = true;
    b->obeys = true;
    for (unsigned i = 0; i < 8; i++) {
      b->core_ready = i % 4 == 3 ? 0 : 20 + 25 * (i % 4);
      b->tx_ready = i % 2 ? 60 : 100;
      bench_run(b, 15000 * NS);
      if (i % 4 == 3) {
        // It is still paused, although each pause lasts for 600 quanta only (3 us).
        for (unsigned p = 0; p < PRIOS; p++) assert_true(b->pause_to[p] > b->now);
        assert_int_equal(dut_get(b->d, "xoff_o"), 0xFF);
      }
    }
    bench_drain(b);
    assert_int_equal(b->m.skipped + b->tx.skipped, 0);
    assert_int_equal(bench_count(b, EVENT_RX_DROP), 0);
    assert_int_equal(bench_count(b, EVENT_TX_PAUSE), b->pauses_seen);
    assert_int_equal(dut_get(b->d, "xoff_o"), 0);
    // It has been told that all pauses are over.
    for (unsigned p = 0; p < PRIOS; p++) assert_true(b->pause_to[p] <= b->now);
    frames += b->m.frames;
    resumes += b->resumes_seen;
    bench_free(b);
  }
  print_message("# %lu frames\n", frames);
  assert_true(frames > 1000 && resumes > 10);
}

// Only priorities that are lossless are paused, and the pause of one queue is not the other's.
static void pause_of_one_queue(void **state) {
  (void)state;
  struct bench *b = bench_new(41, CLOCKS[0], STEP);
  dut_set(b->d, "pfc_prios_i", 0x0C);
  b->core_ready = 0;
  for (unsigned i = 0; i < 8; i++) bench_send(&b->rx, frame_draw(&b->rng, 1400, 3));
  bench_run(b, 2000 * NS);
  assert_true(b->pause_to[3] > b->now);
  assert_int_equal(dut_get(b->d, "xoff_o"), 0x08);
  for (unsigned p = 0; p < PRIOS; p++) assert_true(p == 3 || b->pause_to[p] == 0);
  for (unsigned i = 0; i < 8; i++) bench_send(&b->rx, frame_draw(&b->rng, 1400, i % 2 ? 0 : 2));
  bench_run(b, 2000 * NS);
  assert_int_equal(dut_get(b->d, "xoff_o"), 0xFF);
  for (unsigned p = 0; p < PRIOS; p++) assert_true((p == 2 || p == 3) == (b->pause_to[p] > b->now));
  bench_drain(b);
  bench_free(b);
}

// Pause frames in all phases of the traffic: no frame of a paused priority begins, none is cut, none waits for ever.
static void pauses_taken(void **state) {
  (void)state;
  unsigned long held = 0;
  for (unsigned c = 0; c < CLOCK_SETS; c++) {
    struct bench *b = bench_new(c + 51, CLOCKS[c], STEP);
    b->core_makes = b->rx_makes = true;
    b->errors = 10;
    b->most_quanta = 150;
    for (unsigned i = 0; i < 6; i++) {
      b->pauses = i % 2 ? 100 : 60;
      b->rx_gap = i % 2 ? 99 : 80;
      b->tx_ready = i < 3 ? 100 : 60;
      b->slack = i < 3 ? 0 : 2;
      b->longest = i % 3 ? 300 : 1518;
      b->obeys = true;
      bench_run(b, 30000 * NS);
      bench_drain(b);
    }
    assert_int_equal(b->tx.skipped + b->m.skipped, 0);
    assert_int_equal(bench_count(b, EVENT_RX_PAUSE), b->pauses_sent);
    assert_true(b->pauses_sent > 500 && bench_count(b, EVENT_RX_CONTROL) > 50);
    held += b->held;
    bench_free(b);
  }
  assert_true(held > 500);
}

static void ask(struct bench *b, unsigned enable, unsigned quanta, bool classic) {
  unsigned all[PRIOS];
  for (unsigned p = 0; p < PRIOS; p++) all[p] = quanta;
  bench_send(&b->rx, frame_pause(&b->rng, enable, all, classic));
}

// A pause of N quanta lasts N to N + 1 of them, and zero ends it.
static void pause_lasts(void **state) {
  (void)state;
  struct bench *b = bench_new(61, CLOCKS[0], STEP);
  static const unsigned quanta[] = {1, 2, 50, 1000, 65535};
  for (unsigned i = 0; i < 5; i++) {
    ask(b, 0x21, quanta[i], i % 2);
    uint64_t rose = 0, fell = 0;
    const uint64_t longest = (quanta[i] + 100) * b->quantum;
    for (uint64_t t = 0; t < longest && !fell; t += b->period[CORE]) {
      bench_run(b, b->period[CORE]);
      const bool paused = dut_get(b->d, "paused_o") & 1;
      if (paused) assert_int_equal(dut_get(b->d, "paused_o"), i % 2 ? 0xFF : 0x21);
      if (paused && !rose) rose = b->now;
      if (!paused && rose) fell = b->now;
    }
    assert_true(rose && fell);
    // Read in another clock.
    assert_in_range(fell - rose, quanta[i] * b->quantum - b->period[CORE], (quanta[i] + 1) * b->quantum + 2 * b->period[CORE]);
  }
  ask(b, 0xFF, 65535, false);
  bench_run(b, 1000 * NS);
  assert_int_equal(dut_get(b->d, "paused_o"), 0xFF);
  ask(b, 0x0F, 0, false);
  bench_run(b, 1000 * NS);
  assert_int_equal(dut_get(b->d, "paused_o"), 0xF0);
  ask(b, 0, 0, true);
  bench_run(b, 1000 * NS);
  assert_int_equal(dut_get(b->d, "paused_o"), 0);
  bench_free(b);
}

// A pause that is longer than the limit is reported once, and ignored if that is asked for, until it ends.
static void watchdog(void **state) {
  (void)state;
  for (unsigned ignore = 0; ignore < 2; ignore++) {
    struct bench *b = bench_new(71, CLOCKS[0], STEP);
    const uint64_t tick = TICK * b->period[RX];
    dut_set(b->d, "watchdog_limit_i", 20);
    dut_set(b->d, "watchdog_ignore_i", ignore);
    ask(b, 0x08, 65535, false);
    bench_run(b, 20 * tick - 100 * NS);
    assert_int_equal(dut_get(b->d, "expired_o"), 0);
    assert_int_equal(dut_get(b->d, "paused_o"), 0x08);
    // Refreshed, so it goes on.
    ask(b, 0x08, 65535, false);
    bench_run(b, tick + 200 * NS);
    assert_int_equal(dut_get(b->d, "expired_o"), 0x08);
    assert_int_equal(dut_get(b->d, "paused_o"), ignore ? 0 : 0x08);
    memset(b->hold_to, 0, sizeof b->hold_to);
    bench_send(&b->core, frame_draw(&b->rng, 300, 3));
    bench_run(b, 1000 * NS);
    assert_int_equal(b->tx.frames, ignore);
    bench_run(b, 30 * tick);
    assert_int_equal(bench_count(b, EVENT_WATCHDOG), 1);
    // When it ends, the next one is kept again.
    ask(b, 0x08, 0, false);
    ask(b, 0x08, 65535, false);
    bench_run(b, 1000 * NS);
    assert_int_equal(dut_get(b->d, "expired_o"), 0);
    assert_int_equal(dut_get(b->d, "paused_o"), 0x08);
    ask(b, 0x08, 0, false);
    bench_drain(b);
    assert_int_equal(b->tx.frames, 1);
    bench_free(b);
  }
}

// Resets of each side at any time, as short as a cycle: frames on their way may be lost, but what arrives is whole and in order,
// and afterwards nothing is lost.
static void resets(void **state) {
  (void)state;
  unsigned long frames = 0;
  for (unsigned c = 0; c < CLOCK_SETS; c++) {
    struct bench *b = bench_new(c + 81, CLOCKS[c], STEP);
    b->rx_makes = b->core_makes = true;
    b->core_hole = 20;
    b->errors = 10;
    for (unsigned i = 0; i < 60; i++) {
      b->may_lose = true;
      b->core_ready = i % 3 ? 100 : 30;
      b->tx_ready = i % 4 ? 100 : 30;
      bench_run(b, 500 * NS + rng_below(&b->rng, 1500) * NS);
      bench_reset(b, i % 3, 1 + rng_below(&b->rng, 12));
      // Another one while that is being dealt with.
      if (i % 2) {
        bench_run(b, rng_below(&b->rng, 40) * NS);
        bench_reset(b, rng_below(&b->rng, 3), 1 + rng_below(&b->rng, 3));
      }
      if (i % 5 == 4) {
        bench_run(b, 1000 * NS);
        bench_drain(b);
        // From here on nothing is lost; the core keeps up.
        b->may_lose = false;
        b->rx_gap = 60;
        b->rx_hole = 60;
        const unsigned long m = b->m.skipped, tx = b->tx.skipped;
        bench_run(b, 1000 * NS);
        bench_drain(b);
        b->rx_gap = b->rx_hole = 0;
        assert_int_equal(b->m.skipped, m);
        assert_int_equal(b->tx.skipped, tx);
      }
    }
    frames += b->m.frames + b->tx.frames;
    bench_free(b);
  }
  print_message("# %lu frames\n", frames);
  assert_true(frames > 5000);
}

// Whatever registers hold at power-up, resets that are low together set all right.
static void power_up(void **state) {
  (void)state;
  const char *was = getenv("WEIR_SEED");
  char *kept = was ? strdup(was) : NULL;
  for (unsigned i = 0; i < 60; i++) {
    char seed[16];
    snprintf(seed, sizeof seed, "%u", i + 1);
    setenv("WEIR_SEED", seed, 1);
    struct bench *b = bench_new(i + 101, CLOCKS[i % CLOCK_SETS], STEP);
    b->core_makes = b->rx_makes = true;
    b->rx_gap = b->rx_hole = 70;
    bench_run(b, 300 * NS);
    bench_drain(b);
    assert_true(b->m.frames > 0 && b->tx.frames > 0);
    assert_int_equal(b->m.skipped + b->tx.skipped, 0);
    bench_free(b);
  }
  if (kept)
    setenv("WEIR_SEED", kept, 1);
  else
    unsetenv("WEIR_SEED");
  free(kept);
}

// What the shell adds to a frame's way, one frame at a time.
static void latency(void **state) {
  (void)state;
  static const size_t lens[] = {64, 1088, 9600 - 1500};
  struct bench *b = bench_new(91, CLOCKS[0], STEP);
  for (unsigned i = 0; i < 3; i++) {
    b->m.frames = b->tx.frames = b->m.most = b->tx.most = 0;
    for (unsigned n = 0; n < 50; n++) {
      bench_send(&b->rx, frame_draw(&b->rng, lens[i], n % 8));
      bench_send(&b->core, frame_draw(&b->rng, lens[i], n % 8));
      bench_run(b, 2000 * NS);
    }
    bench_drain(b);
    const double in = 1e-3 * (double)((lens[i] - 1) / BEAT * b->period[RX]),
                 out = 1e-3 * (double)((lens[i] - 1) / BEAT * b->period[CORE]);
    print_message("# %zu bytes: last beat in to first beat out: receive %.1f to %.1f ns, transmit %.1f to %.1f ns; "
                  "first to first: receive up to %.1f ns, transmit %.1f ns\n",
                  lens[i], 1e-3 * (double)b->m.least, 1e-3 * (double)b->m.most, 1e-3 * (double)b->tx.least,
                  1e-3 * (double)b->tx.most, in + 1e-3 * (double)b->m.most, out + 1e-3 * (double)b->tx.most);
    // A register in front of the queue and the crossing; the crossing and the last stage. docs/integration.md says so.
    assert_in_range(b->m.least, b->period[RX] + 4 * b->period[CORE], b->m.most);
    assert_in_range(b->m.most, b->m.least, b->period[RX] + 5 * b->period[CORE]);
    assert_in_range(b->tx.least, 5 * b->period[TX], b->tx.most);
    assert_in_range(b->tx.most, b->tx.least, 6 * b->period[TX]);
  }
  bench_free(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(core_to_mac),
      cmocka_unit_test(mac_to_core),
      cmocka_unit_test(too_long),
      cmocka_unit_test(lossless),
      cmocka_unit_test(pause_of_one_queue),
      cmocka_unit_test(pauses_taken),
      cmocka_unit_test(pause_lasts),
      cmocka_unit_test(watchdog),
      cmocka_unit_test(resets),
      cmocka_unit_test(power_up),
      cmocka_unit_test(latency),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
