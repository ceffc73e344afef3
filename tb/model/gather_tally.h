/// Says whether two lots of PRs are the same, in any order and at any length, without keeping them: each PR in is one PR out.
#ifndef WEIR_MODEL_GATHER_TALLY_H
#define WEIR_MODEL_GATHER_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/gather.h"

/// Sums of two independent hashes of what names a PR; a lost, doubled or altered one is missed once in 2^64.
struct gather_tally {
  uint64_t count, sum[2];
};

static inline uint64_t gather_mix(uint64_t z) {
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return z ^ z >> 31;
}

static inline void gather_tally_add(struct gather_tally *t, const struct gather_pr *pr) {
  const uint64_t who = (uint64_t)pr->src << 32 | pr->tid, name = pr->idx;
  for (unsigned i = 0; i < 2; i++) t->sum[i] += gather_mix(gather_mix(gather_mix(who + i) + name) + pr->id + ((uint64_t)i << 40));
  t->count++;
}

static inline bool gather_tally_equal(const struct gather_tally *a, const struct gather_tally *b) {
  return a->count == b->count && a->sum[0] == b->sum[0] && a->sum[1] == b->sum[1];
}

#endif
