// Connection table against a plain twin: queries, entries where the rule of docs/protocol.md puts them, retired and released by the control
// plane, and flushes whose walk goes on while all of that does. The twin is told of a flush at once.
// DUT: agg_conn_table -GNumRanks=3 -GNumRings=3 -GNumConns=16
// DUT: agg_conn_table -GNumRanks=3 -GNumRings=3 -GNumConns=2
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/dut.h"
#include "drive/bits.h"
#include "structs/agg_pkg.h"
#include "structs/roce_pkg.h"

enum { RANKS = 3, RINGS = 3, MOST = 16, KEYS = 24, KEY_WORDS = WORDS_OF(conn_key_t, 1), STEPS = 60000, NOWHERE = MOST };

struct entry {
  bool used, learned, retired;
  unsigned key, ring, rank;
};

struct bench {
  struct dut *d;
  unsigned conns, ways, buckets;
  struct entry entries[MOST];
};

/// Key `k` has one bit of its own; here it hashes as the test likes it to.
static void put_key(struct dut *d, const char *port, unsigned k) {
  uint32_t words[KEY_WORDS] = {0};
  bits_put(words, (k * 13 + 5) % conn_key_t__BITS, 1, 1);
  dut_set_words(d, port, words, KEY_WORDS);
}

static unsigned left_of(unsigned key) { return key * 5 / 3; }
static unsigned right_of(unsigned key) { return 77 - key * 3; }

static unsigned first_free(const struct bench *b, unsigned first, unsigned *room) {
  unsigned found = NOWHERE;
  *room = 0;
  for (unsigned c = first + b->ways; c-- > first;) {
    if (b->entries[c].used) continue;
    found = c;
    ++*room;
  }
  return found;
}

/// Where a new connection goes: the emptier bucket of its two.
static unsigned place_of(const struct bench *b, unsigned key) {
  unsigned left_room, right_room;
  const unsigned left = first_free(b, left_of(key) % b->buckets * 2 * b->ways, &left_room);
  const unsigned right = first_free(b, right_of(key) % b->buckets * 2 * b->ways + b->ways, &right_room);
  return right_room > left_room ? right : left;
}

static const struct entry *find(const struct bench *b, unsigned key) {
  for (unsigned c = 0; c < b->conns; c++)
    if (b->entries[c].used && b->entries[c].key == key) return &b->entries[c];
  return NULL;
}

static bool taken(const struct bench *b, unsigned ring, unsigned rank) {
  for (unsigned c = 0; c < b->conns; c++) {
    const struct entry *e = &b->entries[c];
    if (e->used && !e->retired && e->ring == ring && e->rank == rank) return true;
  }
  return false;
}

static void ask(struct bench *b, unsigned key, bool writes) {
  struct dut *d = b->d;
  dut_set(d, "query_hash_i", (left_of(key) & 255) << 8 | (right_of(key) & 255));
  dut_set(d, "query_valid_i", 1);
  dut_tick(d);
  put_key(d, "query_key_i", key);
  if (writes) dut_set(d, "pause_i", 1);
  // The next query must not disturb this one; it is of the same key, so its answer says the same.
  dut_set(d, "query_valid_i", (uint64_t)(!writes && rand() % 2));
  dut_tick(d);
  dut_set(d, "query_valid_i", 0);
  dut_tick(d);
  assert_true(dut_get(d, "answer_valid_o"));
  const struct entry *found = find(b, key);
  const unsigned place = place_of(b, key);
  assert_int_equal(dut_get(d, "hit_o"), found != NULL);
  if (found) {
    assert_int_equal(dut_get(d, "conn_o"), found - b->entries);
    assert_int_equal(dut_get(d, "retired_o"), found->retired);
    assert_int_equal(dut_get(d, "ring_o"), found->ring);
    assert_int_equal(dut_get(d, "rank_o"), found->rank);
    return;
  }
  assert_int_equal(dut_get(d, "full_o"), place == NOWHERE);
  if (place != NOWHERE) assert_int_equal(dut_get(d, "conn_o"), place);
}

static void check_sums(const struct bench *b) {
  uint64_t claimed = 0, used = 0, retired = 0;
  for (unsigned c = 0; c < b->conns; c++) {
    const struct entry *e = &b->entries[c];
    used += e->used;
    retired += e->used && e->retired;
    if (e->used && !e->retired) claimed |= 1u << (e->ring * RANKS + e->rank);
  }
  assert_int_equal(dut_get(b->d, "claimed_o"), claimed);
  if (dut_get(b->d, "walks_o")) return;
  uint32_t count[WORDS_OF(conn_count_t, 1)] = {0};
  dut_get_words(b->d, "count_o", count, WORDS_OF(conn_count_t, 1));
  assert_int_equal(bits_get(count, FIELD(conn_count_t, used)), used);
  assert_int_equal(bits_get(count, FIELD(conn_count_t, retired)), retired);
}

static void restart(struct bench *b) {
  dut_reset(b->d);
  assert_false(dut_get(b->d, "ready_o"));
  for (unsigned i = 0; !dut_get(b->d, "ready_o"); i++) {
    assert_true(i < 2 * b->buckets + 4);
    dut_tick(b->d);
  }
  memset(b->entries, 0, sizeof b->entries);
}

static void finds_what_was_written(void **state) {
  (void)state;
  struct bench b = {.d = dut_new(), .buckets = 1};
  struct dut *d = b.d;
  dut_reset(d);
  // A bucket a cycle: so many there are.
  for (b.buckets = 0; !dut_get(d, "ready_o"); b.buckets++) dut_tick(d);
  b.ways = b.buckets > 1 ? 2 : 1;
  b.conns = b.buckets * 2 * b.ways;
  assert_true(b.conns == 2 || b.conns == MOST);
  unsigned writes = 0, full = 0, anew = 0, released = 0, during = 0, flush_ring = 0;
  for (int i = 0; i < STEPS; i++) {
    const unsigned key = (unsigned)rand() % KEYS;
    const struct entry e = {true, rand() % 2, false, key, (unsigned)rand() % RINGS, (unsigned)rand() % RANKS};
    dut_set(d, "pause_i", (uint64_t)(rand() % 3 != 0));
    const bool may_write = rand() % 2;
    ask(&b, key, may_write);
    const struct entry *found = find(&b, key);
    const unsigned place = found ? (unsigned)(found - b.entries) : place_of(&b, key);
    const bool walks = dut_get(d, "walks_o");
    full += place == NOWHERE;
    if (may_write && place != NOWHERE && (!found || found->retired) && !taken(&b, e.ring, e.rank) &&
        !(walks && e.ring == flush_ring)) {
      anew += found != NULL;
      during += walks;
      put_key(d, "set_key_i", key);
      dut_set(d, "set_ring_i", e.ring);
      dut_set(d, "set_rank_i", e.rank);
      dut_set(d, "set_learned_i", e.learned);
      dut_set(d, "set_i", 1);
      dut_tick(d);
      dut_set(d, "set_i", 0);
      b.entries[place] = e;
      writes++;
    }
    dut_set(d, "pause_i", (uint64_t)(rand() % 2));
    if (rand() % 20 == 0 && !dut_get(d, "walks_o")) {
      flush_ring = (unsigned)rand() % RINGS;
      const bool all = rand() % 3 == 0;
      for (unsigned c = 0; c < b.conns; c++) {
        struct entry *is = &b.entries[c];
        if (!is->used || is->ring != flush_ring) continue;
        if (is->learned) is->retired = true;
        if (all) is->used = is->retired = false;
      }
      dut_set(d, "flush_free_i", all);
      dut_set(d, "flush_ring_i", flush_ring);
      dut_set(d, "flush_i", 1);
      dut_tick(d);
      dut_set(d, "flush_i", 0);
    }
    if (rand() % 4 == 0) {
      // By the control plane: who is alive is retired, who is retired goes.
      struct entry *one = &b.entries[(unsigned)rand() % b.conns];
      dut_set(d, "pause_i", 1);
      dut_set(d, "act_index_i", (uint64_t)(one - b.entries));
      dut_set(d, "act_i", 1);
      for (unsigned c = 0; c < 3; c++) dut_tick(d);
      assert_int_equal(dut_get(d, "act_alive_o"), one->used && !one->retired);
      assert_int_equal(dut_get(d, "act_retired_o"), one->used && one->retired);
      if (one->used) {
        const char *act = one->retired ? "release_i" : "retire_i";
        one->used = !one->retired;
        one->retired = one->used;
        released += !one->used;
        dut_set(d, act, 1);
        dut_tick(d);
        dut_set(d, act, 0);
      }
      dut_set(d, "act_i", 0);
    }
    dut_tick(d);
    check_sums(&b);
    if (rand() % 500 == 0) restart(&b);
  }
  assert_true(writes > 500 && full > 100 && anew > 100 && released > 100 && during > 10);
  dut_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(finds_what_was_written)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
