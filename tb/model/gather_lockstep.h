/// Compares each look-up of a device's property cache with the golden one, as they happen.
///
/// Which of several ways that hold nothing is filled is the device's affair; that a line stays in its way until it is evicted is
/// not.
#ifndef WEIR_MODEL_GATHER_LOCKSTEP_H
#define WEIR_MODEL_GATHER_LOCKSTEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/gather_cache.h"

/// What a device tells of a look-up: a read's, or a response's, which is kept unless it hits.
struct gather_lookup {
  uint64_t cycle;
  uint16_t generation;   ///< of the PR
  bool response, hit, insert, evict;
  unsigned way;   ///< that was hit or written
  uint64_t idx;
};

struct gather_lockstep;
/// As gather_cache_new. NULL if out of memory.
struct gather_lockstep *gather_lockstep_new(uint32_t sets, uint32_t mode);
void gather_lockstep_free(struct gather_lockstep *l);
/// The device is being told of a new generation: the first look-up of that one finds nothing, and none of the old one comes behind it.
void gather_lockstep_announce(struct gather_lockstep *l, uint16_t generation);
/// The device has been told: look-ups are of the generation announced from now on.
void gather_lockstep_invalidate(struct gather_lockstep *l);
/// False and a line in `text` (size bytes) if the golden cache does something else, or if the PR is not of the cache's generation. Generation 0 is
/// that before the first one announced.
bool gather_lockstep_lookup(struct gather_lockstep *l, const struct gather_lookup *event, char *text, size_t size);
/// Of the golden cache.
const struct gather_cache_counts *gather_lockstep_counts(const struct gather_lockstep *l);

#endif
