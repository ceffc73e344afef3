// What an operator asks and sets through the registers: causes of the interrupt, counters of rings, a drain, a reset of all rings.
// DUT: control_of_sizes -GNumPorts=3 -GNumRanks=4 -GSlotBytes=256 -GNumSlots=100 -GNumRings=5 -GNumConns=20 -GMaxWindow=8 -GWideLanes=1
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/aggregate/control/control_bench.h"
#include "unit/aggregate/control/ring_event.h"
#include "wire/fate.h"

enum {
  TABLE_FULL = 1,
  STALL = 2,
  MEMORY = 4,
  PAUSE_STORM = 8,
  DRAIN = 8,
  RING_COUNTER = 1 << 16,
  RESULTS = 20,   // which counter
  SETTLED = 256
};

static void show(struct bench *b, const struct ring_event *e) { ring_event_show(b->d, "ring_event_i", e); }

static void happens(struct bench *b, const struct ring_event *e) {
  show(b, e);
  tick(b);
  show(b, &(struct ring_event){0});
}

static void some_ticks(struct bench *b, unsigned count) {
  for (unsigned i = 0; i < count; i++) tick(b);
}

static void set_up(struct bench *b, unsigned ring) {
  put(b, REG(RING_SELECT), ring);
  put(b, REG(RING_ID), 100 + ring);
  put(b, REG(RING_SHAPE), 1u << 17 | 3);
  put(b, REG(RING_REGION), 4u << 16 | ring * 8);
  assert_int_equal(command(b, STORE), 0);
}

static int open_bench(void **state) {
  const int result = setup(state);
  ((struct bench *)*state)->forget = true;
  return result;
}

/// A cause stays until it is cleared, by itself, and raises the line only if it is enabled.
static void interrupts(void **state) {
  struct bench *b = *state;
  for (unsigned round = 0; round < 200; round++) {
    const unsigned enable = (unsigned)rand() % 16, come = (unsigned)rand() % 8;
    put(b, REG(IRQ_ENABLE), enable);
    unsigned causes = 0;
    if (come & 1) {
      happens(b, &(struct ring_event){.decided = true, .fate = FATE_TABLE_FULL, .ring = (unsigned)rand() % RINGS});
      causes |= TABLE_FULL;
    }
    if (come & 2) {
      dut_set(b->d, "pause_storm_i", 1u << rand() % PORTS_ALONE);
      tick(b);
      dut_set(b->d, "pause_storm_i", 0);
      causes |= PAUSE_STORM;
    }
    if (come & 4) {
      dut_set(b->d, "memory_bad_i", 1);
      tick(b);
      dut_set(b->d, "memory_bad_i", 0);
      causes |= MEMORY;
    }
    happens(b, &(struct ring_event){.decided = true, .fate = FATE_STALE});
    some_ticks(b, 4);
    assert_int_equal(get(b, REG(IRQ_CAUSE)), causes);
    assert_int_equal(dut_get(b->d, "irq_o"), (causes & enable) != 0);
    put(b, REG(IRQ_CAUSE), TABLE_FULL);
    assert_int_equal(get(b, REG(IRQ_CAUSE)), causes & ~(unsigned)TABLE_FULL);
    put(b, REG(IRQ_CAUSE), 15);
    some_ticks(b, 2);
    assert_int_equal(get(b, REG(IRQ_CAUSE)), 0);
    assert_int_equal(dut_get(b->d, "irq_o"), 0);
  }
}

static uint64_t ring_counter(struct bench *b, unsigned ring, unsigned which) {
  put(b, REG(COUNTER_SELECT), RING_COUNTER | which << 8 | ring);
  const uint64_t low = get(b, REG(COUNTER_LOW));
  return (uint64_t)get(b, REG(COUNTER_HIGH)) << 32 | low;
}

/// Every event counts once, in consecutive cycles too; a ring that is set up anew begins at 0, and one that goes keeps its counts.
static void counts_by_ring(void **state) {
  struct bench *b = *state;
  uint64_t expected[RINGS][RESULTS + 1] = {{0}};
  for (unsigned ring = 0; ring < RINGS; ring++) set_up(b, ring);
  for (unsigned round = 0; round < 30; round++) {
    for (unsigned i = 0; i < 100; i++) {
      struct ring_event e = {.ring = (unsigned)rand() % (rand() % 2 ? 1 : RINGS),
                             .fate = (unsigned)rand() % (rand() % 2 ? 1 : FATE_COUNT)};
      if (rand() % 5 == 0)
        e.results = (unsigned)rand() % (1u << RANKS);
      else
        e.decided = rand() % 8 != 0;
      if (e.decided) expected[e.ring][e.fate]++;
      expected[e.ring][RESULTS] += (unsigned)__builtin_popcount(e.results);
      show(b, &e);
      tick(b);
    }
    show(b, &(struct ring_event){0});
    some_ticks(b, 8);   // until all of it is in the counters
    const unsigned again = (unsigned)rand() % RINGS;
    if (round % 4 == 3) {
      put(b, REG(RING_SELECT), again);
      put(b, REG(RING_SHAPE), 0);
      assert_int_equal(command(b, STORE | RELEASE), 0);   // it goes
      assert_int_equal(ring_counter(b, again, RESULTS), expected[again][RESULTS]);
      assert_int_equal(command(b, FLUSH), 0);
      set_up(b, again);
      memset(expected[again], 0, sizeof expected[again]);
    }
    for (unsigned ring = 0; ring < RINGS + 2; ring++)
      for (unsigned which = 0; which < 64; which++)
        assert_int_equal(ring_counter(b, ring, which), ring < RINGS && which <= RESULTS ? expected[ring][which] : 0);
  }
}

/// A drained ring is closed at once, and flushed when it has owed nothing for a while; a flush meanwhile ends that, anything else is refused.
static void drains(void **state) {
  struct bench *b = *state;
  for (unsigned round = 0; round < 40; round++) {
    const unsigned ring = (unsigned)rand() % RINGS, flushes = b->flushes;
    const bool release = rand() % 2, hasten = rand() % 2;
    set_up(b, ring);
    happens(b, &(struct ring_event){.ring = ring, .decided = true, .fate = FATE_STORED, .fills = true, .owes = true});
    assert_int_equal(get(b, REG(TABLE_COLUMNS)), 1);
    put(b, REG(RING_COMMAND), DRAIN | (release ? RELEASE : 0));
    some_ticks(b, 2 * SETTLED);
    assert_int_equal(b->flushes, flushes);
    uint32_t rings[RING_WORDS];
    dut_get_words(b->d, "rings_o", rings, RING_WORDS);
    assert_int_equal(bits_get(rings, (size_t)ring * ring_t__BITS + FIELD(ring_t, enable)), 0);
    assert_int_equal(bits_get(rings, (size_t)ring * ring_t__BITS + FIELD(ring_t, drop)), 1);
    assert_true(get(b, REG(RING_COMMAND)) & BUSY);
    put(b, REG(RING_COMMAND), STORE);
    assert_int_equal(get(b, REG(RING_COMMAND)), BUSY | ERROR | 2u << WHY);
    // Flushed or not, what leaves leaves.
    happens(b, &(struct ring_event){.ring = ring, .settles = true, .results = 1, .empties = true});
    if (hasten) {
      put(b, REG(RING_COMMAND), FLUSH);
      some_ticks(b, 10);
    } else {
      some_ticks(b, SETTLED - 20);
      assert_int_equal(b->flushes, flushes);
      some_ticks(b, 40);
    }
    assert_int_equal(b->flushes, flushes + 1);
    assert_int_equal(b->flush_ring, ring);
    assert_int_equal(b->release, release);
    assert_true(b->slots);
    assert_int_equal(get(b, REG(RING_COMMAND)) & BUSY, 0);
  }
}

/// All rings are released, one after the other, and are as after power-up.
static void resets(void **state) {
  struct bench *b = *state;
  for (unsigned round = 0; round < 20; round++) {
    for (unsigned ring = 0; ring < RINGS; ring++)
      if (rand() % 2) set_up(b, ring);
    const unsigned flushes = b->flushes;
    memset(b->released, 0, sizeof b->released);
    b->flush_wait = (unsigned)rand() % 10;
    put(b, REG(DEVICE_COMMAND), 1);
    uint32_t status = BUSY;
    for (unsigned polls = 0; status & BUSY; polls++) {
      assert_true(polls < TIMEOUT);
      status = get(b, REG(RING_COMMAND));
    }
    assert_int_equal(status, 0);
    assert_int_equal(b->flushes, flushes + RINGS);
    for (unsigned ring = 0; ring < RINGS; ring++) assert_int_equal(b->released[ring], 1);
    uint32_t rings[RING_WORDS];
    dut_get_words(b->d, "rings_o", rings, RING_WORDS);
    for (unsigned w = 0; w < RING_WORDS; w++) assert_int_equal(rings[w], 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(interrupts, open_bench, teardown),
      cmocka_unit_test_setup_teardown(counts_by_ring, open_bench, teardown),
      cmocka_unit_test_setup_teardown(drains, open_bench, teardown),
      cmocka_unit_test_setup_teardown(resets, open_bench, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
