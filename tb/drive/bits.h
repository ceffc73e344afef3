/// Packed structs of the RTL as they lie in memory, lowest byte first: fields are put in and taken out by name.
///
/// Where a field is says the header of its package, build/gen/structs/<package>.h (tools/generate/structgen.py). For an array of structs, element i
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
#define WORDS_OF(type, count) (((count)*type##__BITS + 31) / 32)

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

/// Sets bits lsb .. lsb+width-1 behind `at` to `value`: its low bits, or with zeros above it.
static inline void bits_put(void *at, size_t lsb, unsigned width, uint64_t value) {
  uint8_t *byte = (uint8_t *)at + lsb / 8;
  for (unsigned shift = lsb % 8, bits; width; width -= bits, value >>= bits, shift = 0) {
    bits = width < 8 - shift ? width : 8 - shift;
    const unsigned mask = ((1u << bits) - 1) << shift;
    *byte = (uint8_t)((*byte & ~mask) | ((unsigned)value << shift & mask));
    byte++;
  }
}

/// The bytes of a field, lowest first; `width` is a multiple of 8.
static inline void bits_get_bytes(const void *at, size_t lsb, unsigned width, void *bytes) {
  for (unsigned i = 0; i < width / 8; i++) ((uint8_t *)bytes)[i] = (uint8_t)bits_get(at, lsb + 8 * i, 8);
}

/// Sets them.
static inline void bits_put_bytes(void *at, size_t lsb, unsigned width, const void *bytes) {
  for (unsigned i = 0; i < width / 8; i++) bits_put(at, lsb + 8 * i, 8, ((const uint8_t *)bytes)[i]);
}

#endif
