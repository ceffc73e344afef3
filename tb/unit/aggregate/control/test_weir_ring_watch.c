// The watch over rings against plain tables: whom a ring waits for, for how long, who stalls, who owes, how many columns hold packets.
// DUT: weir_ring_watch -GNumRings=5 -GNumRanks=4 -GNumSlots=40
// DUT: weir_ring_watch -GNumRings=1 -GNumRanks=1 -GNumSlots=2
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/dut.h"
#include "unit/aggregate/control/ring_event.h"
#include "wire/fate.h"

enum { RINGS = 5, RANKS = 4, SLOTS = 40, ROUND = 5 * RINGS, UNIT = 256 };

/// A column: of which ring, and of whom it has packets and dues.
struct column {
  unsigned ring, has;
  bool held, owes;
};

struct bench {
  struct dut *d;
  unsigned rings, ranks, slots;
  struct column columns[SLOTS];
  uint64_t cycle, stored[RINGS];   // when the last packet was
  bool ever[RINGS];
};

static int setup(void **state) {
  struct bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->d = dut_new();
  dut_reset(b->d);
  // The sizes, by the widths of two outputs: the one ring is ring 0 and has one rank.
  const bool large = dut_width(b->d, "owing_o") == RINGS;
  b->rings = large ? RINGS : 1;
  b->ranks = large ? RANKS : 1;
  b->slots = large ? SLOTS : 2;
  *state = b;
  return 0;
}

static int teardown(void **state) {
  struct bench *b = *state;
  dut_free(b->d);
  free(b);
  return 0;
}

static void tick(struct bench *b) {
  dut_tick(b->d);
  b->cycle++;
}

/// A cycle in which this happens.
static void happens(struct bench *b, const struct ring_event *e) {
  ring_event_show(b->d, "event_i", e);
  tick(b);
}

static unsigned lacks(const struct bench *b, const struct column *c) { return c->held ? ((1u << b->ranks) - 1) & ~c->has : 0; }

/// A slot's next operation, drawn: a packet is stored, a result leaves, the slot is freed. What it changes is told.
static void operate(struct bench *b) {
  struct column *c = &b->columns[(unsigned)rand() % b->slots];
  const struct column was = *c;
  struct ring_event e = {0};
  const unsigned kind = (unsigned)rand() % 8;
  if (!c->held) c->ring = (unsigned)(c - b->columns) % b->rings;
  e.ring = c->ring;
  if (kind < 4) {
    const unsigned rank = (unsigned)rand() % b->ranks;
    if (!c->held) *c = (struct column){.ring = c->ring, .held = true};
    if (!(c->has >> rank & 1)) {
      c->has |= 1u << rank;
      e.decided = true;
      e.fate = FATE_STORED;
      b->stored[c->ring] = b->cycle;
      b->ever[c->ring] = true;
      c->owes = lacks(b, c) == 0;
    }
  } else if (kind < 6) {
    c->owes = false;
    e.decided = true;
    e.fate = FATE_STALE;
  } else if (kind == 6) {
    *c = (struct column){.ring = c->ring};
  }
  e.fills = !was.held && c->held;
  e.empties = was.held && !c->held;
  e.owes = !was.owes && c->owes;
  e.settles = was.owes && !c->owes;
  e.waits = lacks(b, c) & ~lacks(b, &was);
  e.comes = lacks(b, &was) & ~lacks(b, c);
  happens(b, &e);
}

static void quiet(struct bench *b, unsigned cycles) {
  for (unsigned i = 0; i < cycles; i++) happens(b, &(struct ring_event){0});
}

static unsigned behind(const struct bench *b, unsigned ring) {
  unsigned ranks = 0;
  for (unsigned s = 0; s < b->slots; s++)
    if (b->columns[s].ring == ring) ranks |= lacks(b, &b->columns[s]);
  return ranks;
}

static void look_at(struct bench *b, unsigned ring) {
  dut_set(b->d, "ring_i", ring);
  dut_set(b->d, "ring_new_i", 1);
  tick(b);
  dut_set(b->d, "ring_new_i", 0);
  for (unsigned i = 0; !dut_get(b->d, "known_o"); i++) {
    assert_true(i < 2 * ROUND);
    tick(b);
  }
}

/// Empties all columns of a ring, one after the other, as a flush does.
static void flush(struct bench *b, unsigned ring) {
  for (unsigned s = 0; s < b->slots; s++) {
    struct column *c = &b->columns[s];
    if (c->ring != ring || !c->held) continue;
    happens(b, &(struct ring_event){.ring = ring, .empties = true, .settles = c->owes, .comes = lacks(b, c)});
    *c = (struct column){.ring = ring};
  }
  quiet(b, 8);
  dut_set(b->d, "flushed_i", 1);
  dut_set(b->d, "flushed_ring_i", ring);
  quiet(b, 1);
  dut_set(b->d, "flushed_i", 0);
}

static void watches(void **state) {
  struct bench *b = *state;
  unsigned waited = 0, stalls = 0;
  for (unsigned round = 0; round < 300; round++) {
    dut_set(b->d, "limit_i", 0);
    const unsigned operations = (unsigned)rand() % 300;
    for (unsigned i = 0; i < operations; i++) operate(b);
    if (rand() % 4 == 0) flush(b, (unsigned)rand() % b->rings);
    quiet(b, rand() % 3 ? 2 * ROUND : 8 * UNIT);
    unsigned held = 0, owing = 0;
    for (unsigned s = 0; s < b->slots; s++) {
      held += b->columns[s].held;
      owing |= b->columns[s].owes ? 1u << b->columns[s].ring : 0;
    }
    assert_int_equal(dut_get(b->d, "columns_o"), held);
    assert_int_equal(dut_get(b->d, "owing_o"), owing);
    const unsigned limit = (unsigned)rand() % 8;
    dut_set(b->d, "limit_i", limit);
    quiet(b, 2 * ROUND);
    for (unsigned ring = 0; ring < b->rings; ring++) {
      look_at(b, ring);
      assert_int_equal(dut_get(b->d, "ranks_o"), behind(b, ring));
      waited += behind(b, ring) != 0;
      if (!b->ever[ring]) continue;
      // A unit begins at any time.
      const uint64_t since = dut_get(b->d, "since_o"), truly = b->cycle - b->stored[ring];
      assert_in_range(since, truly < UNIT + 2 * ROUND ? 0 : (truly - 2 * ROUND) / UNIT - 1, truly / UNIT + 1);
      const bool stalled = dut_get(b->d, "stalled_o") >> ring & 1;
      if (since + 1 < limit || limit == 0 || behind(b, ring) == 0) assert_false(stalled);
      if (since > limit + 1 && limit != 0 && behind(b, ring) != 0) assert_true(stalled);
      stalls += stalled;
    }
    for (unsigned ring = b->rings; ring < b->rings + 2; ring++) {
      look_at(b, ring);
      assert_int_equal(dut_get(b->d, "ranks_o"), 0);
    }
  }
  if (b->ranks > 1) assert_true(waited > 100 && stalls > 50);
}

/// A ring whose packets come in moves, and waits for nobody.
static void moves(void **state) {
  struct bench *b = *state;
  dut_set(b->d, "limit_i", 1);
  dut_set(b->d, "ring_i", 0);
  for (unsigned i = 0; i < 3000; i++) {
    happens(b, &(struct ring_event){.decided = true, .fate = FATE_STORED, .waits = i == 0});
    if (i < 2 * ROUND) continue;
    assert_int_equal(dut_get(b->d, "ranks_o"), 0);
    assert_int_equal(dut_get(b->d, "stalled_o"), 0);
  }
  quiet(b, 2 * ROUND);
  assert_int_equal(dut_get(b->d, "ranks_o"), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(watches, setup, teardown),
      cmocka_unit_test_setup_teardown(moves, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
