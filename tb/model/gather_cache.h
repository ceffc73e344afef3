/// Golden model of the property cache of a switch (NetSparse 6.2): set-associative, 16 ways, true LRU.
///
/// A set has 32 segments of 16 bytes in each way. A line takes 1, 2, 4, .. 32 neighbouring segments, as the mode says, so that
/// the whole of it is of use with properties of any size. An index is {tag, 5 bits of segment, set}; wide modes ignore low bits
/// of the segment, so the tag holds all bits above the set, lest two properties be taken for one another.
#ifndef WEIR_MODEL_GATHER_CACHE_H
#define WEIR_MODEL_GATHER_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GATHER_CACHE_WAYS 16u
#define GATHER_CACHE_SEGMENTS 32u
#define GATHER_CACHE_SEGMENT_BYTES 16u
/// Longest property that a line holds.
#define GATHER_CACHE_MAX (GATHER_CACHE_SEGMENTS * GATHER_CACHE_SEGMENT_BYTES)

/// The smallest mode (bytes of a line: 16, 32, 64, .. 512) for properties of `len` bytes; 0 if there is none.
uint32_t gather_cache_mode(uint32_t len);
/// Segments that an index enables, one bit each; bit 31 is segment 0, the leftmost of NetSparse's Figure 9.
uint32_t gather_cache_enable(uint32_t mode, uint32_t sets, uint64_t idx);

struct gather_cache_counts {
  uint64_t lookups, hits;
  uint64_t inserted, present, evicted;
};

/// What an insertion did.
struct gather_cache_insert {
  bool inserted;   ///< false: it was there already
  bool evicted;
  uint64_t old_idx;   ///< if `evicted`
};

struct gather_cache;
/// `sets` is a power of two, `mode` one of gather_cache_mode's. NULL if out of memory.
struct gather_cache *gather_cache_new(uint32_t sets, uint32_t mode);
void gather_cache_free(struct gather_cache *c);

/// A read looks up; a hit becomes the most recently used. Returns the line's `mode` bytes, valid until the next call, or NULL.
const uint8_t *gather_cache_read(struct gather_cache *c, uint64_t idx);
/// A response puts its property (`len` bytes, at most `mode`) in, unless it is there: then nothing changes.
struct gather_cache_insert gather_cache_put(struct gather_cache *c, uint64_t idx, const uint8_t *property, uint32_t len);
/// All lines become invalid, by a new generation.
void gather_cache_invalidate(struct gather_cache *c);
/// Lines that it can hold.
size_t gather_cache_lines(const struct gather_cache *c);
const struct gather_cache_counts *gather_cache_counts(const struct gather_cache *c);
void gather_cache_add(struct gather_cache_counts *sum, const struct gather_cache_counts *more);

#endif
