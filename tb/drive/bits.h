/// Packed structs of the RTL as they lie in memory, lowest byte first: fields are put in and taken out by name.
///
/// Where a field is says the header of its package, build/gen/structs/<package>.h (tools/structgen.py). For an array of structs, element i
/// begins at bit i * type__BITS: bits_get(words, i * commit_t__BITS + FIELD(commit_t, slot)).
#ifndef WEIR_DRIVE_BITS_H
#define WEIR_DRIVE_BITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// Lowest bit and width of a field, as two arguments of bits_get and bits_put. A field of a struct inside: FIELD(packet_t, meta__psn).
#define FIELD(type, field) type##__##field##__AT, type##__##field##__BITS
/// The same of element `i` of a field that is an array.
#define ELEMENT(type, field, i) type##__##field##__AT + (i)*type##__##field##__EACH, type##__##field##__EACH
/// Words of 32 bits that hold `count` structs of a type.
#define WORDS(type, count) (((count)*type##__BITS + 31) / 32)

/// Bits lsb .. lsb+width-1 behind `at`; `width` is 1 to 64.
static inline uint64_t bits_get(const void *at, size_t lsb, unsigned width) {
  const uint8_t *first = (const uint8_t *)at + lsb / 8;
  const unsigned shift = lsb % 8, bytes = (shift + width + 7) / 8;
  uint64_t value = 0;
  memcpy(&value, first, bytes < 8 ? bytes : 8);
  value >>= shift;
  if (bytes > 8) value |= (uint64_t)first[8] << (64 - shift);
  return width < 64 ? value & ((UINT64_C(1) << width) - 1) : value;
}

/// Sets bits lsb .. lsb+width-1 behind `at` to the low bits of `value`; `width` is 1 to 64.
static inline void bits_put(void *at, size_t lsb, unsigned width, uint64_t value) {
  uint8_t *bytes = at;
  for (unsigned i = 0; i < width; i++) {
    const unsigned bit = (lsb + i) % 8;
    uint8_t *byte = &bytes[(lsb + i) / 8];
    *byte = (uint8_t)((*byte & ~(1u << bit)) | (unsigned)(value >> i & 1) << bit);
  }
}

#endif
