#include "model/gather_lockstep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What a way of the device holds.
struct held {
  bool valid;
  uint64_t idx;
};

struct gather_lockstep {
  struct gather_cache *golden;
  uint32_t sets, groups;
  uint16_t generation, announced;
  struct held *held;   // [set][group of segments][way]
};

struct gather_lockstep *gather_lockstep_new(uint32_t sets, uint32_t mode) {
  struct gather_lockstep *l = calloc(1, sizeof *l);
  if (l == NULL) return NULL;
  l->golden = gather_cache_new(sets, mode);
  l->sets = sets;
  l->groups = GATHER_CACHE_SEGMENTS * GATHER_CACHE_SEGMENT_BYTES / mode;
  l->held = calloc((size_t)sets * l->groups * GATHER_CACHE_WAYS, sizeof *l->held);
  if (l->golden != NULL && l->held != NULL) return l;
  gather_lockstep_free(l);
  return NULL;
}

void gather_lockstep_free(struct gather_lockstep *l) {
  if (l == NULL) return;
  gather_cache_free(l->golden);
  free(l->held);
  free(l);
}

void gather_lockstep_announce(struct gather_lockstep *l, uint16_t generation) { l->announced = generation; }

void gather_lockstep_invalidate(struct gather_lockstep *l) {
  if (l->generation == l->announced) return;
  l->generation = l->announced;
  gather_cache_invalidate(l->golden);
  memset(l->held, 0, (size_t)l->sets * l->groups * GATHER_CACHE_WAYS * sizeof *l->held);
}

static struct held *way_of(const struct gather_lockstep *l, const struct gather_lookup *e) {
  const uint64_t segment = e->idx / l->sets % GATHER_CACHE_SEGMENTS, group = segment / (GATHER_CACHE_SEGMENTS / l->groups);
  return &l->held[(e->idx % l->sets * l->groups + group) * GATHER_CACHE_WAYS + e->way];
}

/// What the golden cache does with the same PR, and which index that evicts. Properties are not compared here: who asked for them does.
static struct gather_lookup golden(struct gather_lockstep *l, const struct gather_lookup *e, uint64_t *evicted) {
  struct gather_lookup wanted = {.response = e->response, .idx = e->idx};
  if (!e->response) {
    wanted.hit = gather_cache_read(l->golden, e->idx) != NULL;
    return wanted;
  }
  const struct gather_cache_insert done = gather_cache_put(l->golden, e->idx, (const uint8_t *)"", 0);
  wanted.insert = done.inserted;
  wanted.hit = !done.inserted;
  wanted.evict = done.evicted;
  *evicted = done.old_idx;
  return wanted;
}

/// `evicted`: what is evicted, if anything is.
static void say(char *text, size_t size, const struct gather_lookup *e, uint64_t evicted) {
  if (e->evict)
    snprintf(text, size, "evicts %" PRIu64, evicted);
  else
    snprintf(text, size, "%s", e->hit ? "hits" : e->insert ? "inserts" : "misses");
}

bool gather_lockstep_lookup(struct gather_lockstep *l, const struct gather_lookup *e, char *text, size_t size) {
  if (e->generation == l->announced) gather_lockstep_invalidate(l);
  if (e->generation != l->generation) {
    snprintf(text, size, "cycle %" PRIu64 ": index %" PRIu64 " of generation %u is looked up in generation %u", e->cycle, e->idx,
             e->generation, l->generation);
    return false;
  }
  uint64_t evicted = 0;
  const struct gather_lookup wanted = golden(l, e, &evicted);
  struct held *way = way_of(l, e);
  const struct held before = *way;
  const char *wrong = NULL;
  if (e->hit != wanted.hit || e->insert != wanted.insert || e->evict != wanted.evict)
    wrong = "";
  else if (e->hit && !(way->valid && way->idx == e->idx))
    wrong = ", but that way does not hold it";
  else if (e->insert && way->valid != e->evict)
    wrong = ", but that is not what the way holds";
  else if (e->evict && way->idx != evicted)
    wrong = "";
  if (e->insert) *way = (struct held){.valid = true, .idx = e->idx};
  if (wrong == NULL) return true;
  char device[48], model[48];
  say(device, sizeof device, e, before.idx);
  say(model, sizeof model, &wanted, evicted);
  snprintf(text, size, "cycle %" PRIu64 ": %s of index %" PRIu64 ", set %" PRIu64 ", way %u: device %s, golden cache %s%s",
           e->cycle, e->response ? "response" : "read", e->idx, e->idx % l->sets, e->way, device, model, wrong);
  return false;
}

const struct gather_cache_counts *gather_lockstep_counts(const struct gather_lockstep *l) {
  return gather_cache_counts(l->golden);
}
