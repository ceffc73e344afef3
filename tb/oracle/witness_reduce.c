#include <float.h>
#include <math.h>
#include <string.h>

#include "oracle/witness.h"

// Numbers are decoded to their values and encoded again by arithmetic, and the tree is walked by recursion; reduce.c
// works on bits and levels. A mistake would have to be made twice.

enum { FP16 = 1, BF16 = 2, INT32 = 3, SUM = 0, MIN = 1 };   // codes of docs/wire.md
enum { SINGLE_FRACTION = 23, HALF_FRACTION = 10, BRAIN_FRACTION = 7 };

static uint32_t le(size_t bytes, const uint8_t *p) {
  if (bytes == 2) return (uint32_t)p[0] | (uint32_t)p[1] << 8;
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void put_le(size_t bytes, uint8_t *p, uint32_t value) {
  for (size_t i = 0; i < bytes; i++) p[i] = (uint8_t)(value >> 8 * i);
}

// 2^exponent, for a normal number.
static double power(int exponent) {
  const uint64_t bits = (uint64_t)(exponent + DBL_MAX_EXP - 1) << (DBL_MANT_DIG - 1);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Value of a binary number with `fraction` bits behind `exponent` bits, given as an integer.
static double decode(uint32_t bits, int exponent_bits, int fraction_bits) {
  int bias = (1 << (exponent_bits - 1)) - 1;
  uint32_t fraction = bits & ((1u << fraction_bits) - 1u);
  int exponent = (int)(bits >> fraction_bits & ((1u << exponent_bits) - 1u));
  double sign = (bits >> (exponent_bits + fraction_bits) & 1u) != 0 ? -1.0 : 1.0;
  if (exponent == (1 << exponent_bits) - 1) return fraction != 0 ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * fraction * power(1 - bias - fraction_bits);
  return sign * (double)(fraction + (1u << fraction_bits)) * power(exponent - bias - fraction_bits);
}

// The nearest number of that format, ties to even (the default rounding of rint). NaN is the canonical quiet one.
static uint32_t encode(double value, int exponent_bits, int fraction_bits) {
  int bias = (1 << (exponent_bits - 1)) - 1;
  uint32_t all_ones = (1u << exponent_bits) - 1u;
  if (isnan(value)) return all_ones << fraction_bits | 1u << (fraction_bits - 1);
  uint32_t sign = signbit(value) ? 1u << (exponent_bits + fraction_bits) : 0;
  if (isinf(value)) return sign | all_ones << fraction_bits;
  if (value == 0) return sign;
  int exponent;
  frexp(value, &exponent);   // |value| in [2^(exponent-1), 2^exponent)
  exponent -= 1;
  if (exponent < 1 - bias) exponent = 1 - bias;
  double steps = rint(fabs(value) * power(fraction_bits - exponent));
  // Steps of 2^fraction_bits are the hidden one; a carry out of rounding moves the exponent by itself.
  uint64_t code = (uint64_t)(exponent + bias - 1) * (1u << fraction_bits) + (uint64_t)steps;
  uint64_t infinity = (uint64_t)all_ones << fraction_bits;
  return sign | (uint32_t)(code < infinity ? code : infinity);
}

/// So many elements of each rank are looked at in one go.
enum { AT_ONCE = 64, RANKS = 64 };
typedef double piece[AT_ONCE];

static double combine(unsigned op, double a, double b) {
  if (op == SUM) return (double)((float)a + (float)b);   // both are floats already; their sum rounds to float
  if (isnan(a) || isnan(b)) return NAN;
  bool swapped = a > b || (a == b && signbit(b) && !signbit(a));
  double low = swapped ? b : a;
  double high = swapped ? a : b;
  return op == MIN ? low : high;
}

static void join(unsigned op, piece a, const piece b) {
  for (size_t i = 0; i < AT_ONCE; i++) a[i] = combine(op, a[i], b[i]);
}

// Ranks first .. first+count-1, into the first one's place; the left part of a balanced tree is the largest power of two below `count`.
static void tree(unsigned op, piece *values, size_t first, size_t count) {
  if (count == 1) return;
  size_t left = 1;
  while (2 * left < count) left *= 2;
  tree(op, values, first, left);
  tree(op, values, first + left, count - left);
  join(op, values[first], values[first + left]);
}

// Port by port along each half ring, then both, into the first place.
static void rings(unsigned op, piece *values, size_t left, size_t count) {
  for (size_t i = 1; i < count; i++)
    if (i != left) join(op, values[i < left ? 0 : left], values[i]);
  if (left != 0 && left < count) join(op, values[0], values[left]);
}

static uint32_t integers(unsigned op, const uint8_t *const rows[], size_t ranks, size_t at) {
  int64_t total = 0;
  int32_t low = INT32_MAX;
  int32_t high = INT32_MIN;
  for (size_t r = 0; r < ranks; r++) {
    uint32_t bits = le(4, rows[r] + at);
    int32_t value;
    memcpy(&value, &bits, sizeof value);
    total += value;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (op == SUM) return (uint32_t)(uint64_t)total;
  uint32_t bits;
  memcpy(&bits, op == MIN ? &low : &high, sizeof bits);
  return bits;
}

// `left`: so many of the rows are in the first half ring; SIZE_MAX: a tree.
static void reduce(uint8_t kind, const uint8_t *const rows[], size_t ranks, size_t left, size_t len, uint8_t *out) {
  unsigned type = kind & 0xFu;
  unsigned op = kind >> 4;
  size_t size = type == FP16 || type == BF16 ? 2 : 4;
  int fraction = type == FP16 ? HALF_FRACTION : type == BF16 ? BRAIN_FRACTION : SINGLE_FRACTION;
  int exponent = type == FP16 ? 5 : 8;
  if (ranks == 1) {
    if (len != 0) memcpy(out, rows[0], len);
    return;
  }
  if (type == INT32) {
    for (size_t at = 0; at + size <= len; at += size) put_le(4, out + at, integers(op, rows, ranks, at));
    return;
  }
  piece values[RANKS];
  for (size_t at = 0; at + size <= len; at += AT_ONCE * size) {
    const size_t count = (len - at) / size < AT_ONCE ? (len - at) / size : AT_ONCE;
    for (size_t r = 0; r < ranks && r < RANKS; r++)
      for (size_t i = 0; i < AT_ONCE; i++)
        values[r][i] = i < count ? decode(le(size, rows[r] + at + i * size), exponent, fraction) : 0;
    if (left == SIZE_MAX)
      tree(op, values, 0, ranks);
    else
      rings(op, values, left, ranks);
    for (size_t i = 0; i < count; i++) put_le(size, out + at + i * size, encode(values[0][i], exponent, fraction));
  }
}

void witness_reduce(uint8_t kind, const uint8_t *const rows[], size_t ranks, size_t len, uint8_t *out) {
  reduce(kind, rows, ranks, SIZE_MAX, len, out);
}

void witness_half_rings(uint8_t kind, const uint8_t *const rows[], size_t ports, size_t len, uint8_t *out) {
  const uint8_t *there[64];
  size_t count = 0, left = 0;
  for (size_t p = 0; p < ports && count < 64; p++) {
    if (rows[p] == NULL) continue;
    there[count++] = rows[p];
    left += p < ports / 2;
  }
  reduce(kind, there, count, left, len, out);
}
