#include "formal/protocol/search/states.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void states_init(struct states *set, size_t words) {
  *set = (struct states){.words = words, .room = 1024, .mask = 4095};
  set->packed = need(malloc(set->room * words * sizeof *set->packed));
  set->table = need(calloc((size_t)set->mask + 1, sizeof *set->table));
}

void states_free(struct states *set) {
  free(set->packed);
  free(set->table);
  *set = (struct states){0};
}

static uint64_t hash(const uint64_t *words, size_t count) {
  uint64_t h = UINT64_C(0x9E3779B97F4A7C15);
  for (size_t i = 0; i < count; i++) {
    h = (h ^ words[i]) * UINT64_C(0xFF51AFD7ED558CCD);
    h ^= h >> 32;
  }
  return h;
}

const uint64_t *states_at(const struct states *set, uint32_t number) { return set->packed + (size_t)number * set->words; }

static const uint64_t UPPER = UINT64_C(0xFFFFFFFF00000000);

static uint32_t number_of(uint64_t entry) { return (uint32_t)entry - 1; }

/// The place of a state in the table: where it is, or the empty one where it belongs. Equal hashes say nothing: then the states
/// are compared in full. Different upper halves save the look at a state far away in memory.
static uint32_t place(const struct states *set, const uint64_t *words, uint64_t h) {
  for (uint32_t at = (uint32_t)h & set->mask;; at = (at + 1) & set->mask) {
    const uint64_t entry = set->table[at];
    if (entry == 0) return at;
    if (((entry ^ h) & UPPER) != 0) continue;
    if (memcmp(states_at(set, number_of(entry)), words, set->words * sizeof *words) == 0) return at;
  }
}

static void grow_table(struct states *set) {
  free(set->table);
  set->mask = 2 * set->mask + 1;
  set->table = need(calloc((size_t)set->mask + 1, sizeof *set->table));
  for (uint32_t i = 0; i < set->count; i++) {
    const uint64_t h = hash(states_at(set, i), set->words);
    set->table[place(set, states_at(set, i), h)] = (h & UPPER) | (i + 1);
  }
}

uint32_t states_add(struct states *set, const uint64_t *words, bool *is_new) {
  const uint64_t h = hash(words, set->words);
  const uint32_t at = place(set, words, h);
  *is_new = set->table[at] == 0;
  if (!*is_new) return number_of(set->table[at]);
  if (set->count == set->room) {
    if (set->room > UINT32_MAX / 4) abort();
    set->room *= 2;
    set->packed = need(realloc(set->packed, set->room * set->words * sizeof *set->packed));
  }
  memcpy(set->packed + (size_t)set->count * set->words, words, set->words * sizeof *words);
  set->table[at] = (h & UPPER) | ++set->count;
  if (set->count > set->mask / 2) grow_table(set);
  return set->count - 1;
}
