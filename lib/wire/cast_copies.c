#include "wire/cast_copies.h"

#include <string.h>

#define FNV_START UINT64_C(0xCBF29CE484222325)

static uint64_t hash_on(uint64_t hash, const uint8_t *data, size_t len) {
  for (size_t i = 0; i < len; i++) hash = (hash ^ data[i]) * UINT64_C(0x100000001B3);
  return hash;
}

bool cast_copies_add(struct cast_copies *c, const struct tree_header *header, const uint8_t *vector, size_t len) {
  if (c->count == CAST_COPIES) return false;
  c->due[c->count].header = *header;
  c->due[c->count++].hash = hash_on(FNV_START, vector, len);
  return true;
}

bool cast_copies_begin(struct cast_copies *c, const struct tree_header *header) {
  uint8_t due[TREE_BYTES], is[TREE_BYTES];
  c->inside = false;
  c->hash = FNV_START;
  tree_put(is, header);
  // Multicasts of two groups may have passed each other on their way.
  for (c->at = 0; c->at < c->count && !c->inside; c->at += !c->inside) {
    tree_put(due, &c->due[c->at].header);
    c->inside = memcmp(due, is, sizeof is) == 0;
  }
  return c->inside;
}

bool cast_copies_more(struct cast_copies *c, const uint8_t *vector, size_t len, bool last) {
  c->hash = hash_on(c->hash, vector, len);
  if (!last) return true;
  const bool same = c->hash == c->due[c->at].hash;
  c->inside = false;
  c->count--;
  memmove(&c->due[c->at], &c->due[c->at + 1], (c->count - c->at) * sizeof *c->due);
  return same;
}
