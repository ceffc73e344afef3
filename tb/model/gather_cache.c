#include "model/gather_cache.h"

#include <stdlib.h>
#include <string.h>

enum { WAYS = GATHER_CACHE_WAYS, SEGMENTS = GATHER_CACHE_SEGMENTS };

struct cache_line {
  uint64_t tag;
  uint64_t generation;   // valid if it is the cache's
  uint64_t used;         // when, for LRU
};

struct gather_cache {
  uint32_t sets, mode, set_bits;
  uint64_t generation, clock;
  struct cache_line *lines;   // [set][group of segments][way]
  uint8_t *data;              // `mode` bytes each
  struct gather_cache_counts counts;
};

uint32_t gather_cache_mode(uint32_t len) {
  if (len > GATHER_CACHE_MAX) return 0;
  uint32_t mode = GATHER_CACHE_SEGMENT_BYTES;
  while (mode < len) mode *= 2;
  return mode;
}

static uint32_t log2_of(uint32_t power) { return (uint32_t)__builtin_ctz(power); }

/// Segments of a line.
static uint32_t width(uint32_t mode) { return mode / GATHER_CACHE_SEGMENT_BYTES; }

uint32_t gather_cache_enable(uint32_t mode, uint32_t sets, uint64_t idx) {
  const uint32_t segment = (uint32_t)(idx >> log2_of(sets)) % SEGMENTS, w = width(mode), first = segment / w * w;
  uint32_t mask = 0;
  for (uint32_t i = first; i < first + w; i++) mask |= UINT32_C(0x80000000) >> i;
  return mask;
}

struct gather_cache *gather_cache_new(uint32_t sets, uint32_t mode) {
  struct gather_cache *c = calloc(1, sizeof *c);
  if (c == NULL) return NULL;
  *c = (struct gather_cache){.sets = sets, .mode = mode, .set_bits = log2_of(sets), .generation = 1};
  c->lines = calloc(gather_cache_lines(c), sizeof *c->lines);
  c->data = calloc(gather_cache_lines(c), mode);
  if (c->lines != NULL && c->data != NULL) return c;
  gather_cache_free(c);
  return NULL;
}

void gather_cache_free(struct gather_cache *c) {
  if (c == NULL) return;
  free(c->lines);
  free(c->data);
  free(c);
}

size_t gather_cache_lines(const struct gather_cache *c) { return (size_t)c->sets * (SEGMENTS / width(c->mode)) * WAYS; }

/// First of the 16 lines in which an index may be.
static struct cache_line *ways_of(const struct gather_cache *c, uint64_t idx) {
  const uint32_t w = width(c->mode), groups = SEGMENTS / w;
  const uint64_t set = idx & (c->sets - 1), group = (idx >> c->set_bits) % SEGMENTS / w;
  return &c->lines[(set * groups + group) * WAYS];
}

static uint8_t *data_of(const struct gather_cache *c, const struct cache_line *l) {
  return c->data + (size_t)(l - c->lines) * c->mode;
}

static struct cache_line *find(const struct gather_cache *c, uint64_t idx) {
  struct cache_line *ways = ways_of(c, idx);
  for (unsigned w = 0; w < WAYS; w++)
    if (ways[w].generation == c->generation && ways[w].tag == idx >> c->set_bits) return &ways[w];
  return NULL;
}

const uint8_t *gather_cache_read(struct gather_cache *c, uint64_t idx) {
  c->counts.lookups++;
  struct cache_line *l = find(c, idx);
  if (l == NULL) return NULL;
  c->counts.hits++;
  l->used = ++c->clock;
  return data_of(c, l);
}

struct gather_cache_insert gather_cache_put(struct gather_cache *c, uint64_t idx, const uint8_t *property, uint32_t len) {
  struct gather_cache_insert done = {0};
  if (find(c, idx) != NULL) {
    c->counts.present++;
    return done;
  }
  // An invalid way first, else the one that was not used for longest.
  struct cache_line *ways = ways_of(c, idx), *victim = ways;
  for (unsigned w = 0; w < WAYS && victim->generation == c->generation; w++)
    if (ways[w].generation != c->generation || ways[w].used < victim->used) victim = &ways[w];
  done.inserted = true;
  done.evicted = victim->generation == c->generation;
  done.old_idx = done.evicted ? victim->tag << c->set_bits | (idx & (c->sets - 1)) : 0;
  c->counts.inserted++;
  c->counts.evicted += done.evicted;
  *victim = (struct cache_line){.tag = idx >> c->set_bits, .generation = c->generation, .used = ++c->clock};
  memcpy(data_of(c, victim), property, len);
  return done;
}

void gather_cache_invalidate(struct gather_cache *c) { c->generation++; }
const struct gather_cache_counts *gather_cache_counts(const struct gather_cache *c) { return &c->counts; }

void gather_cache_add(struct gather_cache_counts *sum, const struct gather_cache_counts *more) {
  sum->lookups += more->lookups;
  sum->hits += more->hits;
  sum->inserted += more->inserted;
  sum->present += more->present;
  sum->evicted += more->evicted;
}
