// The property cache in lock step with a golden LRU: what every look-up finds, keeps and evicts, and the PRs that leave.
// DUT: gather_cache -GSets=2 -GGenerationBits=2
// DUT: gather_cache -GSets=64
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
#include "structs/gather_obs_pkg.h"
#include "structs/gather_pkg.h"
#include "unit/gather/gather_prs.h"

enum { NODES = 16, WAYS = 16, SEGMENTS = 32, MAX_SETS = 512, RING = 64, INDEX_BITS = 40 };

struct line {
  bool valid;
  uint64_t idx, used;
};

/// What a look-up does.
struct look {
  uint64_t idx;
  bool response, hit, insert;
  size_t out;   ///< of its PR in `outs`, and that as it came
  struct pr came;
};

struct bench {
  struct dut *dut;
  unsigned sets, mode, len, salt;                ///< `salt`: of the properties of this generation, and its number
  struct line lines[MAX_SETS][SEGMENTS][WAYS];   ///< a property under its first segment
  uint64_t now;
  struct look looks[RING];
  size_t looks_in, looks_out;
  struct pr outs[RING];   ///< PRs that are to leave
  size_t outs_in, outs_out, out_beat;
  struct pr leaving;
  uint64_t left, hits, inserts, evictions;
};

static struct line *group_of(struct bench *b, uint64_t idx) {
  const unsigned segment = (unsigned)(idx / b->sets % SEGMENTS) >> b->mode << b->mode;
  return b->lines[idx % b->sets][segment];
}

static struct line *find(struct bench *b, uint64_t idx) {
  struct line *g = group_of(b, idx);
  for (unsigned w = 0; w < WAYS; w++) {
    if (g[w].valid && g[w].idx == idx) return &g[w];
  }
  return NULL;
}

static bool looks(struct bench *b, const struct pr *pr) {
  return pr->len == b->len && pr->generation == (uint16_t)b->salt && pr->idx >> INDEX_BITS == 0 && pr->cacheable &&
         !dut_get(b->dut, "clearing_o");
}

/// A PR was taken: what must come out, and what its look-up must be.
static void expect(struct bench *b, const struct pr *pr) {
  assert_true(b->outs_in - b->outs_out < RING);
  struct pr *out = &b->outs[b->outs_in++ % RING];
  *out = *pr;
  if (!looks(b, pr)) return;
  struct line *line = find(b, pr->idx);
  struct look *look = &b->looks[b->looks_in++ % RING];
  *look = (struct look){.idx = pr->idx,
                        .response = pr->response,
                        .hit = line != NULL,
                        .insert = !line && pr->response,
                        .out = b->outs_in - 1,
                        .came = *pr};
  if (line && !pr->response) {
    out->response = true;
    out->dest = pr->src;
    gather_property(pr->idx, b->salt, out->data, pr->len);
  }
}

/// Look-ups change the golden cache when they are seen, because only they say which way an empty line is put into. That is
/// before the next PR is expected if PRs come one at a time; see `settle`.
static void see_look(struct bench *b) {
  uint32_t obs[WORDS_OF(cache_obs_t, 1)];
  dut_get_words(b->dut, "obs_o", obs, WORDS_OF(cache_obs_t, 1));
  if (!bits_get(obs, FIELD(cache_obs_t, valid))) return;
  assert_true(b->looks_out < b->looks_in);
  const struct look *look = &b->looks[b->looks_out++ % RING];
  assert_int_equal(bits_get(obs, FIELD(cache_obs_t, idx)), look->idx);
  assert_int_equal(bits_get(obs, FIELD(cache_obs_t, response)), look->response);
  assert_int_equal(bits_get(obs, FIELD(cache_obs_t, hit)), look->hit);
  assert_int_equal(bits_get(obs, FIELD(cache_obs_t, insert)), look->insert);
  b->hits += look->hit && !look->response;
  b->inserts += look->insert;
}

/// Changes the golden cache as the look-up of `pr` does.
static void change(struct bench *b, const struct pr *pr) {
  if (!looks(b, pr)) return;
  struct line *line = find(b, pr->idx), *g = group_of(b, pr->idx);
  b->now++;
  if (line) {
    if (!pr->response) line->used = b->now;
    return;
  }
  if (!pr->response) return;
  struct line *oldest = g;
  for (unsigned w = 0; w < WAYS && oldest->valid; w++) {
    if (!g[w].valid || g[w].used < oldest->used) oldest = &g[w];
  }
  *oldest = (struct line){.valid = true, .idx = pr->idx, .used = b->now};
}

static void see_out(struct bench *b, bool take) {
  if (!take || !dut_get(b->dut, "pr_valid_o")) return;
  if (!gather_get_beat(b->dut, "pr_o", &b->leaving, b->out_beat++)) return;
  b->out_beat = 0;
  assert_true(b->outs_out < b->outs_in);
  const struct pr *want = &b->outs[b->outs_out++ % RING];
  if (!gather_same(&b->leaving, want)) {
    fail_msg("mode %u len %u: response %d idx %llx len %u src %u leaves instead of response %d idx %llx len %u src %u", b->mode,
             b->len, b->leaving.response, (unsigned long long)b->leaving.idx, b->leaving.len, b->leaving.src, want->response,
             (unsigned long long)want->idx, want->len, want->src);
  }
  b->left++;
}

/// One cycle; true if beat `beat` of `pr` was taken.
static bool cycle(struct bench *b, const struct pr *pr, size_t beat, bool take) {
  dut_set(b->dut, "pr_valid_i", pr != NULL);
  if (pr) gather_set_beat(b->dut, "pr_i", pr, beat);
  dut_set(b->dut, "pr_ready_i", take);
  dut_eval(b->dut);
  const bool taken = pr && dut_get(b->dut, "pr_ready_o");
  see_look(b);
  see_out(b, take);
  if (taken && beat == 0) {
    expect(b, pr);
    // In the order in which they were taken PRs look up one after the other, whatever the pipeline's length.
    struct line before[WAYS];
    memcpy(before, group_of(b, pr->idx), sizeof before);
    change(b, pr);
    for (unsigned w = 0; w < WAYS; w++) b->evictions += before[w].valid && before[w].idx != group_of(b, pr->idx)[w].idx;
  }
  dut_tick(b->dut);
  return taken;
}

static uint64_t send(struct bench *b, const struct pr *pr, unsigned stall, unsigned gap) {
  const uint64_t start = dut_cycle(b->dut);
  for (size_t beat = 0; beat < gather_beats(pr);) {
    assert_true(dut_cycle(b->dut) - start < 2000);
    if (gap && gather_pick(gap) == 0) {
      cycle(b, NULL, 0, !stall || gather_pick(stall));
    } else if (cycle(b, pr, beat, !stall || gather_pick(stall))) {
      beat++;
    }
  }
  return dut_cycle(b->dut) - start;
}

static void settle(struct bench *b) {
  for (unsigned i = 0; i < 200; i++) cycle(b, NULL, 0, true);
  assert_int_equal(b->outs_in, b->outs_out);
  assert_int_equal(b->looks_in, b->looks_out);
}

static void wait_clear(struct bench *b) {
  for (unsigned i = 0; dut_get(b->dut, "clearing_o"); i++) {
    assert_true(i < 100000);
    cycle(b, NULL, 0, true);
  }
}

/// A new generation: another mode and property length, all that is kept invalid. PRs that are inside and have not looked yet go on as they came.
static void generation(struct bench *b, unsigned mode, unsigned len) {
  b->mode = mode;
  b->len = len;
  b->salt++;
  dut_set(b->dut, "mode_i", mode);
  dut_set(b->dut, "len_i", len);
  dut_set(b->dut, "generation_i", b->salt & 0xFFFF);
  dut_set(b->dut, "invalidate_i", 1);
  cycle(b, NULL, 0, gather_pick(2) != 0);
  dut_set(b->dut, "invalidate_i", 0);
  dut_eval(b->dut);
  for (; b->looks_out < b->looks_in; b->looks_out++) {
    const struct look *look = &b->looks[b->looks_out % RING];
    b->outs[look->out % RING] = look->came;
  }
  memset(b->lines, 0, sizeof b->lines);
}

/// The same with nothing inside.
static void kernel(struct bench *b, unsigned mode, unsigned len) {
  settle(b);
  generation(b, mode, len);
  wait_clear(b);
}

static void make(struct bench *b, struct pr *pr, bool response, uint64_t idx) {
  gather_random_pr(pr, response, NODES, b->len);
  pr->idx = idx;
  pr->generation = (uint16_t)b->salt;
  pr->cacheable = true;
  if (response) gather_property(idx, b->salt, pr->data, b->len);
}

static int setup(void **state) {
  struct bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->dut = dut_new();
  dut_set(b->dut, "enable_i", 1);
  dut_set(b->dut, "len_i", 16);
  b->len = 16;
  dut_reset(b->dut);
  // Clearing takes a cycle for every set and segment, and so tells the number of sets.
  unsigned cycles = 0;
  for (; dut_get(b->dut, "clearing_o"); cycles++) cycle(b, NULL, 0, true);
  b->sets = (cycles + SEGMENTS / 2) / SEGMENTS;
  assert_true(b->sets >= 2 && b->sets <= MAX_SETS);
  *state = b;
  return 0;
}

static int teardown(void **state) {
  struct bench *b = *state;
  dut_free(b->dut);
  free(b);
  return 0;
}

/// The whole capacity is used in every mode: as many properties as fit are all found again.
static void whole_capacity(void **state) {
  struct bench *b = *state;
  for (unsigned mode = 0; mode < 6; mode++) {
    kernel(b, mode, 16u << mode);
    const uint64_t hits = b->hits, lines = (uint64_t)b->sets * WAYS * (SEGMENTS >> mode);
    const unsigned size = 1u << mode;
    struct pr pr;
    for (unsigned read = 0; read < 2; read++) {
      for (uint64_t i = 0; i < lines; i++) {
        // Consecutive properties in this mode: segment bits that it ignores are left out, then all tags.
        const uint64_t set = i % b->sets, segment = i / b->sets % (SEGMENTS / size) * size, tag = i / b->sets / (SEGMENTS / size);
        make(b, &pr, !read, (tag * SEGMENTS + segment) * b->sets + set);
        send(b, &pr, 0, 0);
      }
    }
    settle(b);
    assert_int_equal(b->hits - hits, lines);
    assert_int_equal(b->evictions, 0);
  }
}

/// Indices that differ only in segment bits that the mode ignores.
static void no_alias(void **state) {
  struct bench *b = *state;
  for (unsigned mode = 1; mode < 6; mode++) {
    kernel(b, mode, 16u << mode);
    struct pr pr;
    for (unsigned bit = 0; bit < mode; bit++) {
      make(b, &pr, true, 0);
      send(b, &pr, 0, 0);
      make(b, &pr, false, (uint64_t)b->sets << bit);
      const uint64_t hits = b->hits;
      send(b, &pr, 0, 0);
      settle(b);
      assert_int_equal(b->hits, hits);
    }
  }
}

static void random_prs(void **state) {
  struct bench *b = *state;
  static const unsigned stalls[] = {0, 0, 2, 4};
  for (unsigned run = 0; run < 60; run++) {
    const unsigned mode = run % 6, full = 16u << mode, len = gather_pick(2) ? full : full / 2 + 2 + 2 * gather_pick(full / 4);
    kernel(b, mode, len > full ? full : len);
    // Few groups, so that neighbours in the pipeline often meet in one; some more tags than ways.
    const unsigned groups = 1 + gather_pick(4), tags = 8 + gather_pick(20), stall = stalls[gather_pick(4)],
                   gap = gather_pick(2) ? 0 : 2 + gather_pick(3);
    for (unsigned i = 0; i < 3000; i++) {
      struct pr pr;
      const uint64_t low = gather_pick(groups) * 7u % (b->sets * SEGMENTS),
                     idx = gather_pick(tags) * (uint64_t)b->sets * SEGMENTS + low;
      make(b, &pr, gather_pick(3) == 0, idx);
      if (gather_pick(40) == 0) pr.len = 2 + 2 * gather_pick(256);                         // of another kernel
      if (gather_pick(40) == 0) pr.idx |= UINT64_C(1) << (INDEX_BITS + gather_pick(24));   // too large
      if (gather_pick(40) == 0) pr.cacheable = false;
      if (pr.response) gather_property(pr.idx, b->salt, pr.data, pr.len);
      send(b, &pr, stall, gap);
    }
    settle(b);
  }
  assert_true(b->hits > 10000 && b->inserts > 3000 && b->evictions > 500);
  print_message("%u hits, %u insertions, %u evictions\n", (unsigned)b->hits, (unsigned)b->inserts, (unsigned)b->evictions);
}

/// A generation begins while PRs are inside, and PRs of older ones come late: none of these is found or kept, so a hit is always of this generation.
static void late_prs(void **state) {
  struct bench *b = *state;
  const uint64_t hits = b->hits;
  unsigned late = 0;
  for (unsigned run = 0; run < 1500; run++) {
    // A mode is for as long as its properties are under way; generations are not.
    if (run % 50 == 0) kernel(b, run / 50 % 6, 16u << run / 50 % 6);
    const unsigned stall = run % 3 ? 0 : 3, prs = 1 + gather_pick(60);
    for (unsigned i = 0; i < prs; i++) {
      struct pr pr;
      make(b, &pr, gather_pick(2), gather_pick(8));
      if (b->salt > 1 && gather_pick(4) == 0) {
        const unsigned age = 1 + gather_pick(2);
        pr.generation = (uint16_t)(b->salt - age);
        if (pr.response) gather_property(pr.idx, b->salt - age, pr.data, pr.len);
        late++;
      }
      send(b, &pr, stall, 0);
    }
    generation(b, b->mode, b->len);
  }
  settle(b);
  assert_true(b->hits - hits > 3000 && late > 5000);
}

/// One PR a cycle, for properties of up to 64 bytes, whatever hits.
static void rate(void **state) {
  struct bench *b = *state;
  for (unsigned mode = 0; mode < 3; mode++) {
    kernel(b, mode, 16u << mode);
    uint64_t cycles = 0;
    struct pr pr;
    for (unsigned i = 0; i < 2000; i++) {
      make(b, &pr, gather_pick(2), gather_pick(200));
      cycles += send(b, &pr, 0, 0);
    }
    assert_int_equal(cycles, 2000);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(whole_capacity, setup, teardown),
                                     cmocka_unit_test_setup_teardown(no_alias, setup, teardown),
                                     cmocka_unit_test_setup_teardown(random_prs, setup, teardown),
                                     cmocka_unit_test_setup_teardown(late_prs, setup, teardown),
                                     cmocka_unit_test_setup_teardown(rate, setup, teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
