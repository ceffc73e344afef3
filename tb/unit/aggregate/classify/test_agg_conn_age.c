// Connections that grow old: who is seen stays, who is not is retired once and by his own entry, whatever software does beside it.
// DUT: agg_conn_age -GNumRanks=3 -GNumRings=2 -GUnitLog2=7
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/bits.h"
#include "drive/dut.h"
#include "structs/agg_pkg.h"

enum { RINGS = 2, RANKS = 3, ENTRIES = 64, UNIT = 128, LIMIT = 8, PERIOD = UNIT * LIMIT, SWEEP = 200, CYCLES = 600000 };
enum { REGISTER, RETIRE, RELEASE };   // conn_act_e

/// What the table would hold, as far as it is asked.
struct entry {
  bool alive;
  unsigned ring, rank;
  uint64_t seen;   ///< cycle of its latest packet
};

struct bench {
  struct dut *d;
  struct entry table[ENTRIES];
  bool soft;   ///< software waits for an answer
  unsigned soft_act, soft_index;
  unsigned delay;   ///< cycles until the table answers
  unsigned aged, answered, refused;
  uint64_t cycle;
};

static bool chance(unsigned percent) { return (unsigned)(rand() % 100) < percent; }

static void put_seen(struct dut *d, bool valid, unsigned ring, unsigned rank, unsigned conn) {
  uint32_t w[WORDS_OF(conn_seen_t, 1)] = {0};
  bits_put(w, FIELD(conn_seen_t, valid), valid);
  bits_put(w, FIELD(conn_seen_t, ring), ring);
  bits_put(w, FIELD(conn_seen_t, rank), rank);
  bits_put(w, FIELD(conn_seen_t, conn), conn);
  dut_set_words(d, "seen_i", w, WORDS_OF(conn_seen_t, 1));
}

static void put_rings(struct dut *d, unsigned learn) {
  uint32_t w[WORDS_OF(ring_t, RINGS)] = {0};
  for (unsigned g = 0; g < RINGS; g++) bits_put(w, g * ring_t__BITS + ring_t__learn__AT, 1, learn >> g & 1);
  dut_set_words(d, "rings_i", w, WORDS_OF(ring_t, RINGS));
}

static struct entry *speaker(struct bench *b, unsigned ring, unsigned rank) {
  for (unsigned e = 0; e < ENTRIES; e++)
    if (b->table[e].alive && b->table[e].ring == ring && b->table[e].rank == rank) return &b->table[e];
  return NULL;
}

static void start(struct bench *b, unsigned learn) {
  *b = (struct bench){.d = dut_new()};
  put_seen(b->d, false, 0, 0, 0);
  dut_reset(b->d);
  put_rings(b->d, learn);
  dut_set(b->d, "limit_i", LIMIT);
}

/// A packet of the connection of a rank, which it gets if it has none; not while a request is under way, when no packet comes through.
static void see(struct bench *b, unsigned ring, unsigned rank) {
  struct entry *e = speaker(b, ring, rank);
  if (e == NULL) {
    e = &b->table[(unsigned)rand() % ENTRIES];
    if (e->alive) return;
    *e = (struct entry){.alive = true, .ring = ring, .rank = rank};
  }
  e->seen = b->cycle;
  put_seen(b->d, true, ring, rank, (unsigned)(e - b->table));
}

static void want(struct bench *b, unsigned act, unsigned index) {
  uint32_t w[WORDS_OF(conn_set_t, 1)] = {0};
  bits_put(w, FIELD(conn_set_t, act), act);
  bits_put(w, FIELD(conn_set_t, index), index);
  dut_set_words(b->d, "soft_i", w, WORDS_OF(conn_set_t, 1));
  dut_set(b->d, "soft_valid_i", 1);
  b->soft = true;
  b->soft_act = act;
  b->soft_index = index;
}

/// The table's answer to what stands at its input.
static void answer(struct bench *b) {
  dut_set(b->d, "set_ready_i", 0);
  dut_set(b->d, "set_error_i", 0);
  dut_eval(b->d);
  if (!dut_get(b->d, "set_valid_o")) {
    b->delay = (unsigned)rand() % 12;
    return;
  }
  if (b->delay > 0) {
    b->delay--;
    return;
  }
  uint32_t w[WORDS_OF(conn_set_t, 1)];
  dut_get_words(b->d, "set_o", w, WORDS_OF(conn_set_t, 1));
  const unsigned act = (unsigned)bits_get(w, FIELD(conn_set_t, act)), index = (unsigned)bits_get(w, FIELD(conn_set_t, index));
  struct entry *e = &b->table[index % ENTRIES];
  const bool good = act == RETIRE ? e->alive : true;
  dut_set(b->d, "set_ready_i", 1);
  dut_set(b->d, "set_error_i", !good);
  dut_eval(b->d);
  if (dut_get(b->d, "aged_o")) {
    // An old one, by its own entry; nobody who was seen since the sweep before.
    assert_true(good && act == RETIRE);
    assert_int_equal(dut_get(b->d, "aged_ring_o"), e->ring);
    assert_int_equal(dut_get(b->d, "aged_rank_o"), e->rank);
    assert_true(b->cycle - e->seen >= PERIOD - SWEEP);
    b->aged++;
  } else if (act == RETIRE && good) {
    assert_true(b->soft && b->soft_act == RETIRE && b->soft_index == index);
  }
  if (act == RETIRE && good) e->alive = false;
}

static void clock_once(struct bench *b) {
  answer(b);
  dut_eval(b->d);
  const bool ready = dut_get(b->d, "soft_ready_o");
  assert_true(!ready || b->soft);
  if (ready) {
    b->answered++;
    b->refused += dut_get(b->d, "soft_error_o") != 0;
  }
  dut_tick(b->d);
  b->cycle++;
  put_seen(b->d, false, 0, 0, 0);
  dut_set(b->d, "flush_i", 0);
  if (ready) {
    dut_set(b->d, "soft_valid_i", 0);
    b->soft = false;
  }
}

/// No request is at the table: packets come through.
static bool quiet(struct bench *b) {
  dut_eval(b->d);
  return !dut_get(b->d, "set_valid_o");
}

static void flush(struct bench *b, unsigned ring) {
  for (unsigned e = 0; e < ENTRIES; e++)
    if (b->table[e].ring == ring) b->table[e].alive = false;
  dut_set(b->d, "flush_i", 1);
  dut_set(b->d, "flush_ring_i", ring);
}

static void old_ones_are_retired(void **state) {
  (void)state;
  struct bench b;
  start(&b, 1);
  for (unsigned rank = 0; rank < RANKS; rank++) {
    see(&b, 0, rank);
    clock_once(&b);
    see(&b, 1, rank);   // of a ring that does not learn
    clock_once(&b);
  }
  // Rank 2 goes on.
  while (b.cycle < 3 * PERIOD + SWEEP) {
    if (b.cycle % 50 == 0 && quiet(&b)) see(&b, 0, 2);
    clock_once(&b);
  }
  assert_int_equal(b.aged, 2);
  assert_null(speaker(&b, 0, 0));
  assert_null(speaker(&b, 0, 1));
  assert_non_null(speaker(&b, 0, 2));
  for (unsigned rank = 0; rank < RANKS; rank++) assert_non_null(speaker(&b, 1, rank));
  while (b.cycle < 7 * PERIOD) clock_once(&b);
  assert_int_equal(b.aged, 3);
  dut_free(b.d);
}

static void nobody_ages_without_a_limit(void **state) {
  (void)state;
  struct bench b;
  start(&b, 3);
  dut_set(b.d, "limit_i", 0);
  see(&b, 0, 0);
  while (b.cycle < 5 * PERIOD) clock_once(&b);
  assert_int_equal(b.aged, 0);
  dut_set(b.d, "limit_i", LIMIT);
  while (b.cycle < 9 * PERIOD) clock_once(&b);
  assert_int_equal(b.aged, 1);
  dut_free(b.d);
}

/// Packets, software and flushes at random. Entries are used again by other ranks at once.
static void with_all_that_happens(void **state) {
  (void)state;
  struct bench b;
  unsigned busy = 50, wanted = 0;
  start(&b, 3);
  while (b.cycle < CYCLES) {
    if (chance(1)) busy = (unsigned)rand() % 3;
    if (quiet(&b) && (unsigned)rand() % 1000 < busy * 20)
      see(&b, (unsigned)rand() % RINGS, (unsigned)rand() % RANKS);
    else if (quiet(&b) && rand() % 3000 == 0)
      flush(&b, (unsigned)rand() % RINGS);
    if (!b.soft && rand() % 200 == 0) {
      want(&b, (unsigned)rand() % 3, (unsigned)rand() % ENTRIES);
      wanted++;
    }
    clock_once(&b);
  }
  while (b.soft) clock_once(&b);
  assert_int_equal(b.answered, wanted);
  assert_true(b.aged > 100 && b.refused > 100 && b.answered > b.refused + 100);
  // Nobody is left in the end.
  const uint64_t until = b.cycle + 3 * PERIOD;
  while (b.cycle < until) clock_once(&b);
  for (unsigned e = 0; e < ENTRIES; e++) assert_false(b.table[e].alive);
  dut_free(b.d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(old_ones_are_retired),
      cmocka_unit_test(nobody_ages_without_a_limit),
      cmocka_unit_test(with_all_that_happens),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
