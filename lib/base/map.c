#include "base/map.h"

#include <stdlib.h>

#include "base/memory.h"

enum { FIRST_SIZE = 64 };

/// Where `key` is looked for first.
static size_t home(size_t size, uint64_t key) {
  // The multiplication carries low bits up, the shift brings high bits down: keys may differ in either.
  uint64_t hash = (key ^ key >> 32) * UINT64_C(0x9E3779B97F4A7C15);
  return (size_t)(hash >> 32) & (size - 1);
}

/// The entry of `key`, or the empty one where it belongs.
static struct map_entry *find(struct map_entry *entries, size_t size, uint64_t key) {
  size_t i = home(size, key);
  while (entries[i].used && entries[i].key != key) i = (i + 1) & (size - 1);
  return &entries[i];
}

static void grow(struct map *m) {
  size_t size = m->size ? 2 * m->size : FIRST_SIZE;
  struct map_entry *larger = need(calloc(size, sizeof *larger));
  for (size_t i = 0; i < m->size; i++) {
    if (m->entries[i].used) *find(larger, size, m->entries[i].key) = m->entries[i];
  }
  free(m->entries);
  m->entries = larger;
  m->size = size;
}

uint64_t *map_at(struct map *m, uint64_t key, bool *fresh) {
  if (2 * (m->used + 1) > m->size) grow(m);
  struct map_entry *e = find(m->entries, m->size, key);
  if (fresh) *fresh = !e->used;
  if (!e->used) {
    *e = (struct map_entry){.key = key, .used = true};
    m->used++;
  }
  return &e->value;
}

void map_drop(struct map *m, uint64_t key) {
  if (m->used == 0) return;
  const size_t mask = m->size - 1;
  size_t hole = (size_t)(find(m->entries, m->size, key) - m->entries);
  if (!m->entries[hole].used) return;
  m->used--;
  // Those behind it up to the next empty one were looked for over it: who may stand in the hole goes there, and leaves one.
  for (size_t i = (hole + 1) & mask; m->entries[i].used; i = (i + 1) & mask) {
    if (((i - home(m->size, m->entries[i].key)) & mask) < ((i - hole) & mask)) continue;
    m->entries[hole] = m->entries[i];
    hole = i;
  }
  m->entries[hole].used = false;
}

void map_free(struct map *m) {
  free(m->entries);
  *m = (struct map){0};
}
