// Conversions between FP32 and the 16-bit types against arithmetic: a number is a significand times a power of two, and
// narrowing rounds that significand to an integer, ties to even (IEEE 754-2019, 3.3 and 4.3.1).
// DUT: fp16_all
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/dut.h"

/// A binary format with sign and `exponent` and `fraction` bits.
struct format {
  unsigned exponent, fraction;
  uint32_t canonical_nan;
  int scale;                   // log2 of what an FP32 is of the number that it stands for
  const char *wide, *narrow;   // ports
};

static const struct format FP16 = {5, 10, 0x7E00, -112, "fp16_wide_o", "fp16_o"};
static const struct format BF16 = {8, 7, 0x7FC0, 0, "bf16_wide_o", "bf16_o"};

static int bias(const struct format *f) { return (1 << (f->exponent - 1)) - 1; }
static uint32_t infinity(const struct format *f) { return ((1u << f->exponent) - 1) << f->fraction; }

static float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// The 16 bits `half` as FP32: the same number, scaled; a NaN keeps its payload at the top of the fraction.
static uint32_t widen(const struct format *f, uint32_t half) {
  uint32_t sign = half >> 15, magnitude = half & 0x7FFF, fraction = magnitude & ((1u << f->fraction) - 1);
  int exponent = (int)(magnitude >> f->fraction);
  if (magnitude >= infinity(f)) return sign << 31 | 0x7F800000 | fraction << (23 - f->fraction);
  double value = exponent ? ldexp(fraction + (1u << f->fraction), exponent - bias(f) - (int)f->fraction)
                          : ldexp(fraction, 1 - bias(f) - (int)f->fraction);
  value = ldexp(value, f->scale);
  return bits_of((float)(sign ? -value : value));
}

/// FP32 cut to 16 bits.
static uint32_t narrow(const struct format *f, uint32_t bits, bool keep_nan) {
  uint32_t sign = bits >> 31 << 15;
  if ((bits & 0x7FFFFFFF) > 0x7F800000) {
    return keep_nan ? sign | infinity(f) | (bits & 0x7FFFFF) >> (23 - f->fraction) : f->canonical_nan;
  }
  double value = ldexp(fabs((double)float_of(bits)), -f->scale);
  if (isinf(value)) return sign | infinity(f);
  if (value == 0) return sign;
  // Distance of neighbours where the value stands; below the smallest normal number it stays the same.
  int exponent = ilogb(value) < 1 - bias(f) ? 1 - bias(f) : ilogb(value);
  double steps = nearbyint(ldexp(value, (int)f->fraction - exponent));
  // Encodings are consecutive, so a carry into the exponent comes out right, and so does infinity.
  uint32_t magnitude = (uint32_t)(exponent + bias(f) - 1) * (1u << f->fraction) + (uint32_t)steps;
  return sign | (magnitude > infinity(f) ? infinity(f) : magnitude);
}

static void check_narrow(struct dut *d, const struct format *f, uint32_t bits, bool keep_nan) {
  dut_set(d, "float_i", bits);
  dut_set(d, "keep_nan_i", keep_nan);
  dut_eval(d);
  uint32_t expected = narrow(f, bits, keep_nan), actual = (uint32_t)dut_get(d, f->narrow);
  if (expected != actual) fail_msg("%s of %08x: expected %04x, actual %04x", f->narrow, bits, expected, actual);
}

static void widens_every_value(void **state) {
  const struct format *const formats[] = {&FP16, &BF16};
  for (unsigned k = 0; k < 2; k++) {
    for (uint32_t half = 0; half < 0x10000; half++) {
      dut_set(*state, "half_i", half);
      dut_eval(*state);
      uint32_t wide = (uint32_t)dut_get(*state, formats[k]->wide);
      assert_int_equal(wide, widen(formats[k], half));
      // And back again to the same bits.
      dut_set(*state, "float_i", wide);
      dut_set(*state, "keep_nan_i", 1);
      dut_eval(*state);
      assert_int_equal(dut_get(*state, formats[k]->narrow), half);
    }
  }
}

/// Around each value and around the tie above it, which for the largest number is where infinity begins.
static void around_every_value(struct dut *d, const struct format *f) {
  for (uint32_t half = 0; half < infinity(f); half++) {
    uint32_t value = widen(f, half), next = widen(f, half + 1);
    if (half + 1 == infinity(f)) next = bits_of((float)(2 * (double)float_of(value) - (double)float_of(widen(f, half - 1))));
    uint32_t tie = bits_of((float)(((double)float_of(value) + (double)float_of(next)) / 2));
    // The number behind the largest of BF16 is no FP32, nor is the tie there; their bits are in line all the same.
    if (half + 1 == infinity(f) && f->exponent == 8) tie = value + 0x8000;
    for (unsigned sign = 0; sign < 2; sign++) {
      for (int beside = -2; beside <= 2; beside++) {
        check_narrow(d, f, ((value + (uint32_t)beside) & 0x7FFFFFFF) | sign << 31, rand() % 2);
        check_narrow(d, f, ((tie + (uint32_t)beside) & 0x7FFFFFFF) | sign << 31, rand() % 2);
      }
    }
  }
}

static void narrows_around_every_fp16(void **state) { around_every_value(*state, &FP16); }
static void narrows_around_every_bf16(void **state) { around_every_value(*state, &BF16); }

static void narrows_random_values(void **state) {
  for (unsigned i = 0; i < 300000; i++) {
    uint32_t bits = (uint32_t)rand() << 16 ^ (uint32_t)rand();
    if (i % 4 == 0) bits |= 0x7F800000;                                                // infinite or not a number
    if (i % 4 == 1) bits = (bits & 0x807FFFFF) | (95 + (uint32_t)rand() % 52) << 23;   // in and around the range of FP16
    check_narrow(*state, &FP16, bits, rand() % 2);
    check_narrow(*state, &BF16, bits, rand() % 2);
  }
}

static int setup(void **state) {
  *state = dut_new();
  return 0;
}

static int teardown(void **state) {
  dut_free(*state);
  return 0;
}

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(widens_every_value),
      cmocka_unit_test(narrows_around_every_fp16),
      cmocka_unit_test(narrows_around_every_bf16),
      cmocka_unit_test(narrows_random_values),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
