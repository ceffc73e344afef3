#include "wire/reduce.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "wire/bytes.h"
#include "wire/roce.h"

// The device's arithmetic is IEEE 754 with round to nearest even and subnormals, so the host's own `float` is the
// reference as long as the compiler neither contracts nor reorders (-ffp-contract=off, no -ffast-math). Only what
// IEEE leaves open is done by hand: the bits of a NaN, and the order of zeros in min and max.

#define MAX_RANKS 256
#define STRETCH 32u   // elements that are reduced side by side
#define FP32_NAN 0x7FC00000u
#define FP16_NAN 0x7E00u
#define BF16_NAN 0x7FC0u

static float float_of(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

static uint32_t bits_of(float f) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

static uint32_t widen_fp16(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
  uint32_t exponent = (h >> 10) & 0x1Fu;
  uint32_t fraction = h & 0x3FFu;
  if (exponent == 31) return sign | 0x7F800000u | fraction << 13;
  if (exponent != 0) return sign | (exponent + 112) << 23 | fraction << 13;
  // Zero or subnormal: fraction * 2^-24 is exact in a float.
  return sign | bits_of((float)fraction * 0x1p-24f);
}

static uint16_t round_to_fp16(uint32_t bits) {
  uint16_t sign = (uint16_t)(bits >> 16 & 0x8000u);
  uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return FP16_NAN;
  if (magnitude >= 0x477FF000u) return sign | 0x7C00u;   // 65520, half-way to the first value out of range
  if (magnitude < 0x38800000u) {
    // Below 2^-14 the step is 2^-24. Adding 2^-1 puts that step at the float's last bit, so the adder itself rounds.
    float moved = float_of(magnitude) + 0.5f;
    return (uint16_t)(sign | (bits_of(moved) - 0x3F000000u));
  }
  uint32_t rounded = magnitude + 0xFFFu + (magnitude >> 13 & 1u);
  return (uint16_t)(sign | ((rounded - 0x38000000u) >> 13));
}

static uint16_t round_to_bf16(uint32_t bits) {
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return BF16_NAN;
  return (uint16_t)((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

// Order of min and max: like <, but -0 is less than +0.
static bool float_less(float a, float b) {
  if (a == 0 && b == 0) return signbit(a) && !signbit(b);
  return a < b;
}

static uint32_t combine_float(unsigned op, uint32_t a, uint32_t b) {
  float x = float_of(a);
  float y = float_of(b);
  if (isnan(x) || isnan(y)) return FP32_NAN;
  if (op == INA_MIN) return float_less(y, x) ? b : a;
  if (op == INA_MAX) return float_less(x, y) ? b : a;
  float sum = x + y;
  return isnan(sum) ? FP32_NAN : bits_of(sum);
}

static uint32_t combine_int(unsigned op, uint32_t a, uint32_t b) {
  if (op == INA_SUM) return a + b;
  // Signed order on unsigned numbers: with the sign bit flipped the two orders are the same.
  bool a_less = (a ^ 0x80000000u) < (b ^ 0x80000000u);
  return a_less == (op == INA_MIN) ? a : b;
}

static uint32_t load(unsigned type, const uint8_t *p) {
  switch (type) {
    case INA_FP16: return widen_fp16(get_le16(p));
    case INA_BF16: return (uint32_t)get_le16(p) << 16;
    default: return get_le32(p);
  }
}

static void store(unsigned type, uint32_t value, uint8_t *p) {
  switch (type) {
    case INA_FP16: put_le16(p, round_to_fp16(value)); break;
    case INA_BF16: put_le16(p, round_to_bf16(value)); break;
    default: put_le32(p, value); break;
  }
}

static uint32_t combine(uint8_t kind, uint32_t a, uint32_t b) {
  return (kind & 0xFu) == INA_INT32 ? combine_int(kind >> 4, a, b) : combine_float(kind >> 4, a, b);
}

static bool sound(uint8_t kind, size_t len) {
  const size_t size = ina_element_size(kind);
  return size != 0 && len % size == 0;
}

int ina_reduce(uint8_t kind, const uint8_t *const rows[], size_t ranks, size_t len, uint8_t *out) {
  if (!sound(kind, len) || ranks == 0 || ranks > MAX_RANKS) return -EINVAL;
  if (ranks == 1) {   // no operation is done, so not even a NaN changes
    if (len != 0) memcpy(out, rows[0], len);
    return 0;
  }
  const size_t size = ina_element_size(kind);
  for (size_t at = 0; at < len; at += STRETCH * size) {
    const size_t count = (len - at) / size < STRETCH ? (len - at) / size : STRETCH;
    uint32_t level[MAX_RANKS][STRETCH];
    for (size_t r = 0; r < ranks; r++)
      for (size_t e = 0; e < count; e++) level[r][e] = load(kind & 0xFu, rows[r] + at + e * size);
    for (size_t n = ranks; n > 1; n = (n + 1) / 2) {
      for (size_t i = 0; i < n / 2; i++)
        for (size_t e = 0; e < count; e++) level[i][e] = combine(kind, level[2 * i][e], level[2 * i + 1][e]);
      if (n % 2 != 0) memcpy(level[n / 2], level[n - 1], sizeof *level);
    }
    for (size_t e = 0; e < count; e++) store(kind & 0xFu, level[0][e], out + at + e * size);
  }
  return 0;
}

int half_rings_reduce(uint8_t kind, const uint8_t *const rows[], size_t ports, size_t len, uint8_t *out) {
  const uint8_t *only = NULL;
  size_t children = 0;
  for (size_t p = 0; p < ports; p++) {
    if (rows[p] != NULL) only = rows[p], children++;
  }
  if (!sound(kind, len) || ports % 2 != 0 || children == 0) return -EINVAL;
  if (children == 1) {
    if (len != 0) memcpy(out, only, len);
    return 0;
  }
  for (size_t at = 0; at < len; at += ina_element_size(kind)) {
    uint32_t sum[2] = {0};
    bool there[2] = {false};
    for (size_t p = 0; p < ports; p++) {
      const size_t half = p >= ports / 2;
      if (rows[p] == NULL) continue;
      const uint32_t element = load(kind & 0xFu, rows[p] + at);
      sum[half] = there[half] ? combine(kind, sum[half], element) : element;
      there[half] = true;
    }
    store(kind & 0xFu, there[0] && there[1] ? combine(kind, sum[0], sum[1]) : sum[there[1]], out + at);
  }
  return 0;
}

int ina_divide(uint8_t kind, uint8_t *data, size_t len, unsigned by) {
  const uint8_t type = kind & 0xFu;
  if (type == INA_INT32 || !sound(type, len) || by == 0 || by > MAX_RANKS) return -EINVAL;
  for (size_t at = 0; at < len; at += ina_element_size(type)) {
    // A float has 24 bits, which is twice the 11 of FP16 and two: so its own rounding changes nothing of the second one.
    const float quotient = float_of(load(type, data + at)) / (float)by;
    store(type, isnan(quotient) ? FP32_NAN : bits_of(quotient), data + at);
  }
  return 0;
}
