// Connection table against a plain twin: a query each cycle, entries written and flushed in between.
// DUT: agg_conn_table -GNumRanks=3 -GNumRings=2 -GNumConns=5
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "drive/dut.h"
#include "drive/bits.h"
#include "structs/roce_pkg.h"

enum { RANKS = 3, RINGS = 2, CONNS = 5, KEY_WORDS = WORDS_OF(conn_key_t, 1), STEPS = 40000 };

struct entry {
  bool used, learned, retired;
  unsigned key, ring, rank;
};

/// Key `k` has one bit of its own, in another part of the comparison than its neighbours.
static void put_key(struct dut *d, const char *port, unsigned k) {
  uint32_t words[KEY_WORDS] = {0};
  bits_put(words, (k * 40) % conn_key_t__BITS, 1, 1);
  dut_set_words(d, port, words, KEY_WORDS);
}

static void check_tables(struct dut *d, const struct entry *entries) {
  uint64_t used = 0, claimed = 0, retired = 0;
  unsigned free = CONNS;
  for (unsigned c = CONNS; c-- > 0;) {
    if (entries[c].used) {
      used |= 1u << c;
      if (entries[c].retired)
        retired |= 1u << c;
      else
        claimed |= 1u << (entries[c].ring * RANKS + entries[c].rank);
    } else {
      free = c;
    }
  }
  assert_int_equal(dut_get(d, "used_o"), used);
  assert_int_equal(dut_get(d, "retired_entries_o"), retired);
  assert_int_equal(dut_get(d, "claimed_o"), claimed);
  assert_int_equal(dut_get(d, "full_o"), free == CONNS);
  if (free < CONNS) assert_int_equal(dut_get(d, "free_o"), free);
}

static void check_query(struct dut *d, const struct entry *entries) {
  const unsigned key = (unsigned)rand() % 8;
  put_key(d, "query_key_i", key);
  dut_set(d, "query_valid_i", 1);
  dut_tick(d);
  // The next query must not disturb this one.
  put_key(d, "query_key_i", key + 1);
  dut_set(d, "query_valid_i", (uint64_t)(rand() % 2));
  dut_tick(d);
  dut_set(d, "query_valid_i", 0);
  const struct entry *found = NULL;
  for (unsigned c = 0; c < CONNS; c++)
    if (entries[c].used && entries[c].key == key) found = &entries[c];
  assert_int_equal(dut_get(d, "hit_o"), found != NULL);
  if (!found) return;
  assert_int_equal(dut_get(d, "conn_o"), found - entries);
  assert_int_equal(dut_get(d, "retired_o"), found->retired);
  assert_int_equal(dut_get(d, "ring_o"), found->ring);
  assert_int_equal(dut_get(d, "rank_o"), found->rank);
}

/// By another entry than `c`.
static bool taken(const struct entry *entries, unsigned c0, unsigned key, unsigned ring, unsigned rank) {
  for (unsigned c = 0; c < CONNS; c++) {
    const struct entry *e = &entries[c];
    if (c != c0 && e->used && (e->key == key || (!e->retired && e->ring == ring && e->rank == rank))) return true;
  }
  return false;
}

static void finds_what_was_written(void **state) {
  (void)state;
  struct dut *d = dut_new();
  struct entry entries[CONNS] = {0};
  dut_reset(d);
  unsigned writes = 0, full = 0, anew = 0, released = 0;
  for (int i = 0; i < STEPS; i++) {
    const unsigned c = (unsigned)rand() % CONNS;
    const struct entry e = {true, rand() % 2, false, (unsigned)rand() % 7, (unsigned)rand() % RINGS, (unsigned)rand() % RANKS};
    if ((!entries[c].used || entries[c].retired) && !taken(entries, c, e.key, e.ring, e.rank)) {
      anew += entries[c].used;
      put_key(d, "set_key_i", e.key);
      dut_set(d, "set_index_i", c);
      dut_set(d, "set_ring_i", e.ring);
      dut_set(d, "set_rank_i", e.rank);
      dut_set(d, "set_learned_i", e.learned);
      dut_set(d, "set_i", 1);
      entries[c] = e;
      writes++;
    }
    dut_tick(d);
    dut_set(d, "set_i", 0);
    if (rand() % 12 == 0) {
      const unsigned ring = (unsigned)rand() % RINGS;
      const bool all = rand() % 3 == 0;
      uint64_t flushed = 0;
      for (unsigned k = 0; k < CONNS; k++) {
        if (!entries[k].used || entries[k].ring != ring) continue;
        flushed |= 1u << k;
        if (entries[k].learned) entries[k].retired = true;
        if (all) entries[k].used = entries[k].retired = false;
      }
      dut_set(d, "flush_free_i", all);
      dut_set(d, "flush_ring_i", ring);
      dut_set(d, "flush_i", 1);
      dut_eval(d);
      assert_int_equal(dut_get(d, "flushed_o"), flushed);
      dut_tick(d);
      dut_set(d, "flush_i", 0);
    }
    const unsigned one = (unsigned)rand() % CONNS;
    if (entries[one].used && rand() % 12 == 0) {
      // By the control plane: who is alive is retired, who is retired goes.
      const char *act = entries[one].retired ? "release_i" : "retire_i";
      entries[one].used = !entries[one].retired;
      entries[one].retired = entries[one].used;
      released += !entries[one].used;
      dut_set(d, "act_index_i", one);
      dut_tick(d);
      dut_set(d, act, 1);
      dut_tick(d);
      dut_set(d, act, 0);
    }
    check_query(d, entries);
    check_tables(d, entries);
    full += dut_get(d, "full_o") != 0;
    if (rand() % 200 == 0) {
      dut_reset(d);
      for (unsigned k = 0; k < CONNS; k++) entries[k].used = entries[k].retired = false;
    }
  }
  assert_true(writes > 1000 && full > 100 && anew > 100 && released > 100);
  dut_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(finds_what_was_written)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
