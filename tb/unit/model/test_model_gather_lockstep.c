// Look-ups of a device's cache beside the golden one: a device that does the same is let pass, any that does not is told of.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "model/gather_lockstep.h"

enum { SETS = 2, MODE = 512, WAYS = 16, COLUMNS = 256, LOOKUPS = 4000 };

/// A cache as a device may have it: ways in an order of their own, the last first.
struct device {
  struct way {
    bool valid;
    uint64_t idx, used;
  } ways[SETS][WAYS];
  uint64_t clock;
};

static struct gather_lookup look_up(struct device *d, bool response, uint64_t idx) {
  struct way *set = d->ways[idx % SETS];
  struct gather_lookup e = {.cycle = ++d->clock, .response = response, .idx = idx};
  unsigned oldest = WAYS - 1;
  for (unsigned w = WAYS; w-- > 0;) {
    if (set[w].valid && set[w].idx == idx) {
      e.hit = true;
      e.way = w;
      if (!response) set[w].used = d->clock;
      return e;
    }
    if (set[oldest].valid && (!set[w].valid || set[w].used < set[oldest].used)) oldest = w;
  }
  if (!response) return e;
  e.insert = true;
  e.way = oldest;
  e.evict = set[oldest].valid;
  set[oldest] = (struct way){.valid = true, .idx = idx, .used = d->clock};
  return e;
}

struct bench {
  struct device device;
  struct gather_lockstep *lockstep;
  struct rng rng;
  uint16_t generation;
  char text[128];
};

static int setup(void **state) {
  struct bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->lockstep = gather_lockstep_new(SETS, MODE);
  assert_non_null(b->lockstep);
  b->rng = rng_for(1, 0);
  *state = b;
  return 0;
}

static int teardown(void **state) {
  struct bench *b = *state;
  gather_lockstep_free(b->lockstep);
  free(b);
  return 0;
}

static struct gather_lookup random_lookup(struct bench *b) {
  const bool response = rng_from(&b->rng, 0, 1) == 1;
  struct gather_lookup e = look_up(&b->device, response, rng_from(&b->rng, 0, COLUMNS / 4));
  e.generation = b->generation;
  return e;
}

static void the_same_passes(void **state) {
  struct bench *b = *state;
  for (unsigned i = 0; i < LOOKUPS; i++) {
    if (i == LOOKUPS / 2) {
      memset(&b->device, 0, sizeof b->device);
      gather_lockstep_announce(b->lockstep, ++b->generation);
      gather_lockstep_invalidate(b->lockstep);
    }
    const struct gather_lookup e = random_lookup(b);
    if (!gather_lockstep_lookup(b->lockstep, &e, b->text, sizeof b->text)) fail_msg("%s", b->text);
  }
  const struct gather_cache_counts *c = gather_lockstep_counts(b->lockstep);
  assert_true(c->hits > 100 && c->present > 100 && c->evicted > 100);
  assert_true(c->lookups + c->inserted + c->present == LOOKUPS);
}

/// Looks up until something happens that `wanted` likes, which is then told wrongly.
static void tell(struct bench *b, bool (*wanted)(const struct gather_lookup *), void (*spoil)(struct gather_lookup *)) {
  struct gather_lookup e;
  for (e = random_lookup(b); !wanted(&e); e = random_lookup(b))
    assert_true(gather_lockstep_lookup(b->lockstep, &e, b->text, sizeof b->text));
  spoil(&e);
  assert_false(gather_lockstep_lookup(b->lockstep, &e, b->text, sizeof b->text));
}

static bool read_hits(const struct gather_lookup *e) { return e->hit && !e->response; }
static bool read_misses(const struct gather_lookup *e) { return !e->hit && !e->response; }
static bool evicts(const struct gather_lookup *e) { return e->evict; }
static void other_hit(struct gather_lookup *e) { e->hit = !e->hit; }
static void other_way(struct gather_lookup *e) { e->way ^= 1; }
static void no_eviction(struct gather_lookup *e) { e->evict = false; }
static void no_insertion(struct gather_lookup *e) { e->insert = e->evict = false; }
static void other_generation(struct gather_lookup *e) { e->generation++; }

static void a_hit_that_is_none(void **state) {
  struct bench *b = *state;
  tell(b, read_misses, other_hit);
  assert_non_null(strstr(b->text, "device hits, golden cache misses"));
}
static void a_miss_that_is_none(void **state) { tell(*state, read_hits, other_hit); }
static void a_way_that_holds_something_else(void **state) {
  struct bench *b = *state;
  tell(b, read_hits, other_way);
  assert_non_null(strstr(b->text, "that way does not hold it"));
}
static void evicted_from_another_way(void **state) {
  struct bench *b = *state;
  tell(b, evicts, other_way);
  // It is named by what that way holds.
  assert_non_null(strstr(b->text, "device evicts "));
  assert_non_null(strstr(b->text, ", golden cache evicts "));
}
static void evicted_and_not_told(void **state) { tell(*state, evicts, no_eviction); }
static void not_kept(void **state) { tell(*state, evicts, no_insertion); }
static void of_another_generation(void **state) {
  struct bench *b = *state;
  tell(b, read_hits, other_generation);
  assert_non_null(strstr(b->text, "of generation 1 is looked up in generation 0"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(the_same_passes),
                                     TEST(a_hit_that_is_none),
                                     TEST(a_miss_that_is_none),
                                     TEST(a_way_that_holds_something_else),
                                     TEST(evicted_from_another_way),
                                     TEST(evicted_and_not_told),
                                     TEST(not_kept),
                                     TEST(of_another_generation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
