/// Packed structs of the RTL as little-endian words: fields are put in and taken out by their lowest bit.
#ifndef WEIR_UNIT_BITS_H
#define WEIR_UNIT_BITS_H

#include <stddef.h>
#include <stdint.h>

/// Sets bits lsb .. lsb+width-1 of `words` to `value`; `width` is 1 to 64.
static inline void bits_put(uint32_t *words, size_t lsb, unsigned width, uint64_t value) {
  for (unsigned i = 0; i < width; i++) {
    uint32_t bit = 1u << ((lsb + i) % 32);
    if (value >> i & 1) {
      words[(lsb + i) / 32] |= bit;
    } else {
      words[(lsb + i) / 32] &= ~bit;
    }
  }
}

/// Bits lsb .. lsb+width-1 of `words`; `width` is 1 to 64.
static inline uint64_t bits_get(const uint32_t *words, size_t lsb, unsigned width) {
  uint64_t value = 0;
  for (unsigned i = 0; i < width; i++) value |= (uint64_t)(words[(lsb + i) / 32] >> ((lsb + i) % 32) & 1) << i;
  return value;
}

#endif
