/// Random choices that are the same on every machine (splitmix64).
#ifndef WEIR_BASE_RNG_H
#define WEIR_BASE_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rng {
  uint64_t state;
};

static inline uint64_t rng_next(struct rng *d) {
  uint64_t z = d->state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return z ^ z >> 31;
}

/// A generator of its own for each combination of two numbers.
static inline struct rng rng_for(uint64_t a, uint64_t b) {
  struct rng d = {a};
  d.state = rng_next(&d) ^ b;
  return d;
}

/// 0 to `n` - 1; 0 if `n` is 0.
static inline unsigned rng_below(struct rng *d, unsigned n) { return n == 0 ? 0 : (unsigned)((rng_next(d) >> 32) * n >> 32); }

/// `low` to `high`.
static inline unsigned rng_from(struct rng *d, unsigned low, unsigned high) { return low + rng_below(d, high - low + 1); }

/// 0 or more and less than 1.
static inline double rng_uniform(struct rng *d) { return (double)(rng_next(d) >> 11) * 0x1p-53; }

static inline bool rng_percent(struct rng *d, unsigned percent) { return rng_below(d, 100) < percent; }

static inline void rng_fill(struct rng *d, uint8_t *out, size_t len) {
  for (size_t i = 0; i < len; i++) out[i] = (uint8_t)(rng_next(d) >> 56);
}

#endif
