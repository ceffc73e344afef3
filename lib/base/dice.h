/// Random choices that are the same on every machine (splitmix64).
#ifndef WEIR_HOSTS_DICE_H
#define WEIR_HOSTS_DICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dice {
  uint64_t state;
};

static inline uint64_t dice_next(struct dice *d) {
  uint64_t z = d->state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return z ^ z >> 31;
}

/// Dice of their own for each combination of two numbers.
static inline struct dice dice_for(uint64_t a, uint64_t b) {
  struct dice d = {a};
  d.state = dice_next(&d) ^ b;
  return d;
}

/// 0 to `n` - 1; 0 if `n` is 0.
static inline unsigned dice_below(struct dice *d, unsigned n) { return n == 0 ? 0 : (unsigned)((dice_next(d) >> 32) * n >> 32); }

/// `low` to `high`.
static inline unsigned dice_from(struct dice *d, unsigned low, unsigned high) { return low + dice_below(d, high - low + 1); }

static inline bool dice_percent(struct dice *d, unsigned percent) { return dice_below(d, 100) < percent; }

static inline void dice_fill(struct dice *d, uint8_t *out, size_t len) {
  for (size_t i = 0; i < len; i++) out[i] = (uint8_t)(dice_next(d) >> 56);
}

#endif
