// The golden model of the property cache, against a plainer one that keeps each group of 16 lines as a list.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "model/gather_cache.h"
#include "model/gather_pipe.h"

enum { SETS = 8, MTU = 1500 };
static const uint32_t modes[] = {16, 32, 64, 128, 256, 512};

static void the_mode_is_the_smallest_that_holds_it(void **state) {
  (void)state;
  static const struct {
    uint32_t len, mode;
  } rows[] = {{1, 16}, {4, 16}, {16, 16}, {17, 32}, {64, 64}, {65, 128}, {256, 256}, {257, 512}, {512, 512}, {513, 0}, {1024, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) assert_int_equal(gather_cache_mode(rows[i].len), rows[i].mode);
}

/// All modes and segments; NetSparse 6.2.2 shows mode 32 with segment bits 1110X: 0..01100, segment 0 at the left.
static void segments_enabled(void **state) {
  (void)state;
  assert_int_equal(gather_cache_enable(32, SETS, 28 * SETS), 0xC);
  assert_int_equal(gather_cache_enable(32, SETS, 29 * SETS + 5), 0xC);
  for (unsigned m = 0; m < 6; m++) {
    for (uint64_t s = 0; s < 32; s++) {
      const uint32_t mask = gather_cache_enable(modes[m], SETS, s * SETS + 3);
      assert_int_equal(__builtin_popcount(mask), 1 << m);
      assert_true(mask >> (31 - s) & 1);
      assert_int_equal(__builtin_clz(mask) % (1 << m), 0);
      assert_int_equal(mask >> __builtin_ctz(mask), (UINT64_C(1) << (1 << m)) - 1);
    }
  }
}

/// Two indexes that differ in ignored bits only, in each mode.
static void ignored_bits_do_not_alias(void **state) {
  (void)state;
  const uint8_t property[512] = {7};
  for (unsigned m = 0; m < 6; m++) {
    struct gather_cache *c = gather_cache_new(SETS, modes[m]);
    gather_cache_put(c, 5, property, modes[m]);
    for (unsigned bit = 0; bit < 64; bit++) assert_null(gather_cache_read(c, 5 ^ UINT64_C(1) << bit));
    assert_non_null(gather_cache_read(c, 5));
    gather_cache_free(c);
  }
}

static void all_of_it_can_be_used(void **state) {
  (void)state;
  uint8_t property[512];
  for (unsigned m = 0; m < 6; m++) {
    struct gather_cache *c = gather_cache_new(SETS, modes[m]);
    const size_t lines = gather_cache_lines(c);
    assert_int_equal(lines * modes[m], SETS * 32 * 16 * 16);
    // In wide modes, indexes that differ in ignored segment bits share lines: take some of these too, so that all ways fill.
    for (uint64_t i = 0; i < lines; i++) {
      memset(property, (int)(i % 251), sizeof property);
      const struct gather_cache_insert done = gather_cache_put(c, i, property, modes[m]);
      assert_true(done.inserted && !done.evicted);
    }
    for (uint64_t i = 0; i < lines; i++) {
      const uint8_t *p = gather_cache_read(c, i);
      assert_non_null(p);
      assert_true(p[0] == i % 251 && p[modes[m] - 1] == i % 251);
    }
    assert_true(gather_cache_put(c, lines, property, modes[m]).evicted);
    gather_cache_invalidate(c);
    for (uint64_t i = 0; i < lines; i++) assert_null(gather_cache_read(c, i));
    gather_cache_free(c);
  }
}

/// One group of 16 lines as a list: the most recently used first.
struct list {
  uint64_t idx[16];
  uint8_t value[16];
  unsigned count;
};

static int place(const struct list *l, uint64_t idx) {
  for (unsigned i = 0; i < l->count; i++)
    if (l->idx[i] == idx) return (int)i;
  return -1;
}

static void to_front(struct list *l, unsigned from, uint64_t idx, uint8_t value) {
  memmove(l->idx + 1, l->idx, from * sizeof *l->idx);
  memmove(l->value + 1, l->value, from);
  l->idx[0] = idx;
  l->value[0] = value;
}

static void least_recently_used_goes(void **state) {
  (void)state;
  for (unsigned m = 0; m < 6; m++) {
    const uint64_t lines = 32u >> m;
    struct gather_cache *c = gather_cache_new(SETS, modes[m]);
    struct list *lists = calloc(SETS * lines, sizeof *lists);
    struct rng d = {m + 1};
    size_t hits = 0, evictions = 0;
    for (unsigned i = 0; i < 200000; i++) {
      // So many indexes that groups of 16 overflow, some of them often used.
      const uint64_t idx =
          rng_below(&d, (unsigned)(SETS * lines) * (rng_below(&d, 2) ? 24 : 8)) + (m == 3 ? UINT64_C(1) << 40 : 0);
      struct list *l = &lists[idx % SETS * lines + (idx / SETS % 32 >> m)];
      const int at = place(l, idx);
      if (rng_below(&d, 2)) {
        const uint8_t *p = gather_cache_read(c, idx);
        assert_int_equal(p != NULL, at >= 0);
        if (at < 0) continue;
        hits++;
        assert_int_equal(p[0], l->value[at]);
        assert_int_equal(p[modes[m] - 1], l->value[at]);
        to_front(l, (unsigned)at, idx, l->value[at]);
        continue;
      }
      uint8_t property[512];
      const uint8_t value = (uint8_t)rng_next(&d);
      memset(property, value, sizeof property);
      const struct gather_cache_insert done = gather_cache_put(c, idx, property, modes[m]);
      assert_int_equal(done.inserted, at < 0);
      if (at >= 0) continue;
      assert_int_equal(done.evicted, l->count == 16);
      if (done.evicted) assert_int_equal(done.old_idx, l->idx[15]);
      evictions += done.evicted;
      if (l->count < 16) l->count++;
      to_front(l, l->count - 1, idx, value);
    }
    assert_true(hits > 10000 && evictions > 1000);
    free(lists);
    gather_cache_free(c);
  }
}

// --- the middle pipe ---

struct out {
  struct gather_header h[16];
  uint8_t data[16][MTU];
  size_t packets;
};

static void take(void *user, const uint8_t *data, size_t len) {
  struct out *o = user;
  assert_int_equal(gather_check(data, len, &o->h[o->packets]), GATHER_GOOD);
  memcpy(o->data[o->packets++], data, len);
}

/// A packet of ten reads of which four hit: four responses to who asked, six reads that go on; another generation hits nothing.
static void hits_turn_around(void **state) {
  (void)state;
  const struct gather_pipe_options options = {.concat = {.nodes = 4, .mtu = MTU, .upper = 50, .delay = 100, .expiry_depth = 128},
                                              .cache_sets = 4,
                                              .cache_mode = 16};
  struct out o = {0};
  struct gather_pipe *p = gather_pipe_new(&options, take, &o);
  uint64_t now = 0;
  for (uint64_t i = 0; i < 4; i++) {
    const uint8_t property[4] = {1, 2, 3, (uint8_t)i};
    const struct gather_request r = {
        .type = GATHER_RESPONSE, .dest = 2, .len = 4, .pr = {.src = 2, .idx = 2 * i}, .property = property};
    assert_int_equal(gather_pipe_push(p, now++, &r, true), GATHER_TAKEN);
  }
  for (uint64_t i = 0; i < 10; i++) {
    const struct gather_request r = {.type = GATHER_READ, .dest = 3, .len = 4, .pr = {.src = 1, .tid = 9, .idx = i, .id = 77}};
    gather_pipe_push(p, now++, &r, true);
  }
  gather_pipe_tick(p, 1000);
  assert_int_equal(o.packets, 3);
  assert_true(o.h[0].type == GATHER_RESPONSE && o.h[0].dest == 2 && o.h[0].count == 4);
  const unsigned hit = o.h[1].type == GATHER_RESPONSE ? 1 : 2;
  assert_true(o.h[hit].type == GATHER_RESPONSE && o.h[hit].dest == 1 && o.h[hit].count == 4);
  assert_true(o.h[3 - hit].type == GATHER_READ && o.h[3 - hit].dest == 3 && o.h[3 - hit].count == 6);
  for (uint32_t i = 0; i < 4; i++) {
    struct gather_request r;
    gather_get_pr(o.data[hit], &o.h[hit], i, &r);
    assert_true(r.pr.src == 1 && r.pr.tid == 9 && r.pr.id == 77 && r.pr.idx == 2 * i && r.property[3] == i);
  }
  assert_true(gather_pipe_balanced(p));
  gather_pipe_invalidate(p, 1);
  const struct gather_request stale = {.type = GATHER_READ, .dest = 3, .generation = 1, .len = 4, .pr = {.src = 1, .idx = 0}};
  gather_pipe_push(p, 2000, &stale, true);
  assert_false(gather_pipe_balanced(p));
  gather_pipe_tick(p, 3000);
  assert_int_equal(o.h[3].type, GATHER_READ);
  const struct gather_cache_counts counts = gather_pipe_cache_counts(p);
  assert_true(counts.lookups == 11 && counts.hits == 4 && counts.inserted == 4);
  gather_pipe_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_mode_is_the_smallest_that_holds_it),
      cmocka_unit_test(segments_enabled),
      cmocka_unit_test(ignored_bits_do_not_alias),
      cmocka_unit_test(all_of_it_can_be_used),
      cmocka_unit_test(least_recently_used_goes),
      cmocka_unit_test(hits_turn_around),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
