/// What comes next: a heap of numbers, the least one on top, four below each.
#ifndef WEIR_SIM_HEAP_H
#define WEIR_SIM_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

/// All zero is an empty heap.
struct heap {
  uint64_t *keys;
  size_t count, room;
};

/// The least of up to four numbers from `first` on. Of four without a branch, which nobody could predict: two pairs, side by side.
static inline size_t heap_least(const struct heap *h, size_t first) {
  if (first + 4 <= h->count) {
    const uint64_t *k = &h->keys[first];
    const size_t a = k[1] < k[0], b = 2 + (size_t)(k[3] < k[2]);
    return first + (k[b] < k[a] ? b : a);
  }
  size_t least = first;
  for (size_t c = first + 1; c < h->count; c++)
    if (h->keys[c] < h->keys[least]) least = c;
  return least;
}

static inline void heap_sink(struct heap *h, size_t at, uint64_t key) {
  for (;;) {
    const size_t child = 4 * at + 1;
    if (child >= h->count) break;
    const size_t least = heap_least(h, child);
    if (h->keys[least] >= key) break;
    h->keys[at] = h->keys[least];
    at = least;
  }
  h->keys[at] = key;
}

static inline void heap_put(struct heap *h, uint64_t key) {
  h->keys = need_room(h->keys, &h->room, h->count + 1, sizeof *h->keys);
  size_t at = h->count++;
  while (at > 0 && h->keys[(at - 1) / 4] > key) {
    h->keys[at] = h->keys[(at - 1) / 4];
    at = (at - 1) / 4;
  }
  h->keys[at] = key;
}

/// Takes the least one off; there must be one.
static inline void heap_drop(struct heap *h) {
  const uint64_t key = h->keys[--h->count];
  if (h->count > 0) heap_sink(h, 0, key);
}

/// Puts `key` in place of the least one.
static inline void heap_replace(struct heap *h, uint64_t key) { heap_sink(h, 0, key); }

#endif
