/// A hash table from one number to another.
#ifndef WEIR_BASE_MAP_H
#define WEIR_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_entry {
  uint64_t key, value;
  bool used;
};

/// All zero is an empty map.
struct map {
  struct map_entry *entries;   // open addressing; at most half of them are used
  size_t size, used;           // size: power of two
};

/// The value of `key`, valid until the next call. An unknown key is put in with value 0, and `*fresh` (may be NULL) says so.
/// Aborts if the host runs out of memory.
uint64_t *map_at(struct map *m, uint64_t key, bool *fresh);
/// Forgets `key`, if it is known.
void map_drop(struct map *m, uint64_t key);
void map_free(struct map *m);

#endif
