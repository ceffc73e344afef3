// The two reductions of the bench against values worked out by hand, and against each other.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "oracle/witness.h"
#include "wire/bytes.h"
#include "wire/reduce.h"
#include "wire/roce.h"

enum { MAX_RANKS = 32, ROW = 64, MIN = INA_MIN << 4, MAX = INA_MAX << 4 };

static size_t size_of(uint8_t kind) { return ina_element_size(kind); }

static void put(uint8_t kind, uint8_t *p, uint32_t value) {
  if (size_of(kind) == 2)
    put_le16(p, (uint16_t)value);
  else
    put_le32(p, value);
}

/// One element of each of `ranks` ranks must give `want`, in both reductions.
static void gives(uint8_t kind, size_t ranks, const uint32_t *in, uint32_t want) {
  uint8_t elements[MAX_RANKS][4], golden[4] = {0}, witness[4] = {0}, expected[4] = {0};
  const uint8_t *rows[MAX_RANKS];
  for (size_t r = 0; r < ranks; r++) {
    put(kind, elements[r], in[r]);
    rows[r] = elements[r];
  }
  put(kind, expected, want);
  assert_int_equal(ina_reduce(kind, rows, ranks, size_of(kind), golden), 0);
  witness_reduce(kind, rows, ranks, size_of(kind), witness);
  if (memcmp(golden, expected, 4) != 0 || memcmp(witness, expected, 4) != 0)
    fail_msg("kind %#x, %zu ranks, first %#x and %#x: expected %#x, reduce.c %#x, witness_reduce.c %#x", kind, ranks, in[0],
             in[ranks > 1], want, get_le32(golden), get_le32(witness));
}

struct pair {
  uint8_t kind;
  uint32_t a, b, want;
};

static void pairs_give(const struct pair *pairs, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const struct pair *p = &pairs[i];
    gives(p->kind, 2, (uint32_t[]){p->a, p->b}, p->want);
    gives(p->kind, 2, (uint32_t[]){p->b, p->a}, p->want);
  }
}

#define PAIRS_GIVE(pairs) pairs_give(pairs, sizeof pairs / sizeof pairs[0])

static void fp32_by_hand(void **state) {
  (void)state;
  const struct pair pairs[] = {
      {INA_FP32, 0x3F800000, 0x40000000, 0x40400000},   // 1 + 2
      {INA_FP32, 0x3F800000, 0x33800000, 0x3F800000},   // 1 + 2^-24: tie, to even
      {INA_FP32, 0x3F800001, 0x33800000, 0x3F800002},   // tie, to even again
      {INA_FP32, 0x3F800000, 0x33800001, 0x3F800001},   // just above the tie
      {INA_FP32, 0xBF800001, 0xB3800000, 0xBF800002},
      {INA_FP32, 0x3F800000, 0xBF800000, 0x00000000},   // x - x is +0
      {INA_FP32, 0x80000000, 0x80000000, 0x80000000},
      {INA_FP32, 0x80000000, 0x00000000, 0x00000000},
      {INA_FP32, 0x00000001, 0x00000001, 0x00000002},   // subnormals
      {INA_FP32, 0x007FFFFF, 0x00000001, 0x00800000},
      {INA_FP32, 0x00800000, 0x80000001, 0x007FFFFF},
      {INA_FP32, 0x00000001, 0x80000001, 0x00000000},
      {INA_FP32, 0x7F7FFFFF, 0x72FFFFFF, 0x7F7FFFFF},   // less than half a step above the largest
      {INA_FP32, 0x7F7FFFFF, 0x73000000, 0x7F800000},
      {INA_FP32, 0xFF7FFFFF, 0xFF7FFFFF, 0xFF800000},
      {INA_FP32, 0x7F800000, 0xFF7FFFFF, 0x7F800000},
      {INA_FP32, 0x7F800000, 0xFF800000, 0x7FC00000},   // NaN is canonical wherever it comes from
      {INA_FP32, 0xFFC12345, 0x3F800000, 0x7FC00000},
      {INA_FP32, 0x7F800001, 0x7F800000, 0x7FC00000},
      {INA_FP32 | MIN, 0x3F800000, 0xC0000000, 0xC0000000},
      {INA_FP32 | MAX, 0x3F800000, 0xC0000000, 0x3F800000},
      {INA_FP32 | MIN, 0x80000000, 0x00000000, 0x80000000},   // -0 is less than +0
      {INA_FP32 | MAX, 0x80000000, 0x00000000, 0x00000000},
      {INA_FP32 | MIN, 0x00000001, 0x80000001, 0x80000001},
      {INA_FP32 | MAX, 0x00000001, 0x00000000, 0x00000001},
      {INA_FP32 | MIN, 0xFF800000, 0xFF7FFFFF, 0xFF800000},
      {INA_FP32 | MAX, 0x7F800000, 0x7F7FFFFF, 0x7F800000},
      {INA_FP32 | MIN, 0x7F800001, 0xFF800000, 0x7FC00000},
      {INA_FP32 | MAX, 0xFFFFFFFF, 0x7F800000, 0x7FC00000},
  };
  PAIRS_GIVE(pairs);
}

static void fp16_by_hand(void **state) {
  (void)state;
  const struct pair pairs[] = {
      {INA_FP16, 0x3C00, 0x4000, 0x4200},   // 1 + 2
      {INA_FP16, 0x3C00, 0x1000, 0x3C00},   // 1 + 2^-11: tie, to even
      {INA_FP16, 0x3C01, 0x1000, 0x3C02},       {INA_FP16, 0x3C00, 0x1001, 0x3C01},
      {INA_FP16, 0x7BFF, 0x4BFF, 0x7BFF},   // 65504 + 15.99
      {INA_FP16, 0x7BFF, 0x4C00, 0x7C00},   // 65504 + 16: tie, to the even one, which is out of range
      {INA_FP16, 0xFBFF, 0xFBFF, 0xFC00},       {INA_FP16, 0x0001, 0x0001, 0x0002},
      {INA_FP16, 0x03FF, 0x0001, 0x0400},       {INA_FP16, 0x0400, 0x8001, 0x03FF},
      {INA_FP16, 0x8000, 0x8000, 0x8000},       {INA_FP16, 0x3C00, 0xBC00, 0x0000},
      {INA_FP16, 0x7C00, 0xFC00, 0x7E00},       {INA_FP16, 0x7C01, 0x0000, 0x7E00},
      {INA_FP16, 0xFFFF, 0x3C00, 0x7E00},       {INA_FP16 | MIN, 0x8000, 0x0000, 0x8000},
      {INA_FP16 | MAX, 0x8000, 0x0000, 0x0000}, {INA_FP16 | MIN, 0x0001, 0x8001, 0x8001},
      {INA_FP16 | MAX, 0x7C00, 0x7BFF, 0x7C00}, {INA_FP16 | MAX, 0x7C01, 0x7C00, 0x7E00},
  };
  PAIRS_GIVE(pairs);
}

static void bf16_by_hand(void **state) {
  (void)state;
  const struct pair pairs[] = {
      {INA_BF16, 0x3F80, 0x4000, 0x4040},   // 1 + 2
      {INA_BF16, 0x3F80, 0x3B80, 0x3F80},   // 1 + 2^-8: tie, to even
      {INA_BF16, 0x3F81, 0x3B80, 0x3F82},       {INA_BF16, 0x3F80, 0x3B81, 0x3F81},
      {INA_BF16, 0x7F7F, 0x7AFF, 0x7F7F},       {INA_BF16, 0x7F7F, 0x7B00, 0x7F80},
      {INA_BF16, 0x0001, 0x0001, 0x0002},       {INA_BF16, 0x007F, 0x0001, 0x0080},
      {INA_BF16, 0x8000, 0x8000, 0x8000},       {INA_BF16, 0x7F80, 0xFF80, 0x7FC0},
      {INA_BF16, 0xFF81, 0x3F80, 0x7FC0},       {INA_BF16 | MIN, 0x8000, 0x0000, 0x8000},
      {INA_BF16 | MAX, 0x8000, 0x0000, 0x0000}, {INA_BF16 | MIN, 0xFF80, 0x7F80, 0xFF80},
      {INA_BF16 | MIN, 0x7F81, 0xFF80, 0x7FC0},
  };
  PAIRS_GIVE(pairs);
}

static void int32_by_hand(void **state) {
  (void)state;
  const struct pair pairs[] = {
      {INA_INT32, 1, 2, 3},
      {INA_INT32, 0x7FFFFFFF, 1, 0x80000000},   // wraps
      {INA_INT32, 0x80000000, 0x80000000, 0},
      {INA_INT32, 0xFFFFFFFF, 1, 0},
      {INA_INT32 | MIN, 0xFFFFFFFF, 1, 0xFFFFFFFF},
      {INA_INT32 | MAX, 0xFFFFFFFF, 1, 1},
      {INA_INT32 | MIN, 0x80000000, 0x7FFFFFFF, 0x80000000},
      {INA_INT32 | MAX, 0x80000000, 0x7FFFFFFF, 0x7FFFFFFF},
      {INA_INT32 | MAX, 5, 5, 5},
  };
  PAIRS_GIVE(pairs);
}

static void tree_order_by_hand(void **state) {
  (void)state;
  const uint32_t one = 0x3F800000, two = 0x40000000, three = 0x40400000, big = 0x4B800000, big_and_two = 0x4B800001;   // 2^24
  const uint32_t minus_big = big | 0x80000000;
  // 2^24 + 1 is 2^24 again, 2^24 + 2 is not: every grouping shows.
  gives(INA_FP32, 3, (uint32_t[]){big, one, one}, big);   // (0 1) 2
  gives(INA_FP32, 3, (uint32_t[]){one, one, big}, big_and_two);
  gives(INA_FP32, 4, (uint32_t[]){big, 0, one, one}, big_and_two);   // (0 1) (2 3)
  gives(INA_FP32, 4, (uint32_t[]){big, one, one, 0}, big);
  gives(INA_FP32, 5, (uint32_t[]){big, 0, 0, one, one}, big);                    // ((0 1) (2 3)) 4
  gives(INA_FP32, 6, (uint32_t[]){big, one, one, one, one, minus_big}, three);   // ((0 1) (2 3)) (4 5)
  gives(INA_FP32, 6, (uint32_t[]){big, 0, one, 0, one, 0}, big);
  gives(INA_FP32, 6, (uint32_t[]){big, 0, 0, 0, one, one}, big_and_two);
  gives(INA_FP32, 7, (uint32_t[]){big, 0, 0, 0, one, 0, one}, big_and_two);      // ((0 1) (2 3)) ((4 5) 6)
  gives(INA_FP32, 8, (uint32_t[]){big, 0, 0, 0, 0, one, one, minus_big}, two);   // one + (one - 2^24) = 2 - 2^24
  gives(INA_FP32 | MIN, 6, (uint32_t[]){three, one, 0, 0x80000000, two, one}, 0x80000000);
  gives(INA_FP32 | MAX, 6, (uint32_t[]){one, one, 0x7F800001, one, two, one}, 0x7FC00000);
  gives(INA_INT32, 6, (uint32_t[]){1, 2, 3, 4, 5, 0xFFFFFFF0}, 0xFFFFFFFF);
}

/// One element of each port that has a child (`there`, by port) must give `want` in the half rings' order.
static void rings_give(uint8_t kind, size_t ports, unsigned there, const uint32_t *in, uint32_t want) {
  uint8_t elements[MAX_RANKS][4], sum[4] = {0}, expected[4] = {0};
  const uint8_t *rows[MAX_RANKS] = {NULL};
  for (size_t p = 0; p < ports; p++) {
    if ((there >> p & 1) == 0) continue;
    put(kind, elements[p], *in++);
    rows[p] = elements[p];
  }
  put(kind, expected, want);
  assert_int_equal(half_rings_reduce(kind, rows, ports, size_of(kind), sum), 0);
  assert_memory_equal(sum, expected, 4);
}

static void half_rings_by_hand(void **state) {
  (void)state;
  const uint32_t one = 0x3F800000, two = 0x40000000, big = 0x4B800000, big_and_two = 0x4B800001;   // 2^24
  // Ports 1, 2, 3, 4, 5 and 8 of 16 to the left, 10 and 14 to the right (SHARP, Fig. 1b).
  const unsigned figure = 1u << 0 | 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4 | 1u << 7 | 1u << 9 | 1u << 13;
  rings_give(INA_FP32, 16, figure, (uint32_t[]){big, one, one, one, one, one, 0, 0}, big);     // one by one
  rings_give(INA_FP32, 16, figure, (uint32_t[]){one, one, big, 0, 0, 0, 0, 0}, big_and_two);   // 1 and 2 first
  rings_give(INA_FP32, 16, figure, (uint32_t[]){0, 0, 0, 0, big, one, one, 0}, big);           // not 8 and 10 first
  rings_give(INA_FP32, 16, figure, (uint32_t[]){0, 0, 0, 0, 0, big, one, one}, big_and_two);   // 10 and 14 first
  rings_give(INA_FP32, 16, figure, (uint32_t[]){one, one, 0, 0, 0, 0, 0, big}, big_and_two);
  rings_give(INA_FP32, 4, 15, (uint32_t[]){0, big, one, one}, big_and_two);   // the third port is of the right half
  rings_give(INA_FP32, 4, 15, (uint32_t[]){one, one, big, 0}, big_and_two);   // the second one of the left
  rings_give(INA_INT32, 16, figure, (uint32_t[]){1, 2, 3, 4, 5, 6, 7, 8}, 36);
  // A half without children, an only child, one at each end.
  rings_give(INA_FP32, 4, 3, (uint32_t[]){one, one}, two);
  rings_give(INA_FP32, 4, 12, (uint32_t[]){one, one}, two);
  rings_give(INA_FP32, 4, 9, (uint32_t[]){one, one}, two);
  rings_give(INA_FP32, 4, 4, (uint32_t[]){0x7F800001}, 0x7F800001);
  rings_give(INA_BF16, 4, 2, (uint32_t[]){0xFFFF}, 0xFFFF);
  rings_give(INA_FP16, 4, 7, (uint32_t[]){0x3C00, 0x1000, 0x1000}, 0x3C01);   // rounded once
  rings_give(INA_FP32 | MAX, 4, 15, (uint32_t[]){one, 0x80000000, two, 0}, two);
  uint8_t row[4] = {0}, out[4];
  const uint8_t *rows[4] = {NULL};
  assert_int_equal(half_rings_reduce(INA_FP32, rows, 4, 4, out), -EINVAL);
  rows[1] = row;
  assert_int_equal(half_rings_reduce(INA_FP32, rows, 3, 4, out), -EINVAL);
  assert_int_equal(half_rings_reduce(INA_FP32, rows, 4, 3, out), -EINVAL);
  assert_int_equal(half_rings_reduce(0x30, rows, 4, 4, out), -EINVAL);
  assert_int_equal(half_rings_reduce(INA_FP32, rows, 4, 4, out), 0);
}

static void short_types_round_once(void **state) {
  (void)state;
  gives(INA_FP16, 3, (uint32_t[]){0x3C00, 0x1000, 0x1000}, 0x3C01);   // 1 + 2^-11 + 2^-11
  gives(INA_BF16, 3, (uint32_t[]){0x3F80, 0x3B80, 0x3B80}, 0x3F81);   // 1 + 2^-8 + 2^-8
  gives(INA_FP16, 3, (uint32_t[]){0x7BFF, 0x7BFF, 0xFBFF}, 0x7BFF);   // out of range only on the way
  gives(INA_BF16, 3, (uint32_t[]){0x7F7F, 0x7F7F, 0xFF7F}, 0x7F80);   // FP32's range is BF16's
}

static void one_rank_is_left_alone(void **state) {
  (void)state;
  const struct pair pairs[] = {{INA_FP32, 0x7F800001, 0, 0}, {INA_FP16 | MIN, 0xFC01, 0, 0}, {INA_BF16 | MAX, 0xFFFF, 0, 0}};
  for (size_t i = 0; i < 3; i++) gives(pairs[i].kind, 1, &pairs[i].a, pairs[i].a);
  const uint8_t *none = NULL;
  uint8_t out;
  assert_int_equal(ina_reduce(INA_FP32, &none, 1, 0, &out), 0);
  witness_reduce(INA_FP32, &none, 1, 0, &out);
}

static void bad_calls_are_refused(void **state) {
  (void)state;
  uint8_t row[ROW] = {0}, out[ROW];
  const uint8_t *rows[2] = {row, row};
  assert_int_equal(ina_reduce(0x04, rows, 2, 4, out), -EINVAL);
  assert_int_equal(ina_reduce(0x0F, rows, 2, 4, out), -EINVAL);
  assert_int_equal(ina_reduce(0x30, rows, 2, 4, out), -EINVAL);
  assert_int_equal(ina_reduce(INA_FP32, rows, 2, 6, out), -EINVAL);
  assert_int_equal(ina_reduce(INA_BF16, rows, 2, 5, out), -EINVAL);
  assert_int_equal(ina_reduce(INA_FP32, rows, 0, 4, out), -EINVAL);
  assert_int_equal(ina_reduce(INA_BF16, rows, 2, 6, out), 0);
  assert_int_equal(ina_reduce(INA_FP32, rows, 2, 0, out), 0);
}

// --- agreement ---

/// Both reductions over `rows` must agree in every element.
static void agree(uint8_t kind, const uint8_t *const rows[], size_t ranks, size_t len) {
  uint8_t golden[ROW], witness[ROW];
  assert_int_equal(ina_reduce(kind, rows, ranks, len, golden), 0);
  witness_reduce(kind, rows, ranks, len, witness);
  for (size_t i = 0; i < len; i += size_of(kind)) {
    if (memcmp(golden + i, witness + i, size_of(kind)) == 0) continue;
    fail_msg("kind %#x, %zu ranks: reduce.c and witness_reduce.c differ in byte %zu, of ranks 0 and 1 %02x%02x and %02x%02x..",
             kind, ranks, i, rows[0][i + 1], rows[0][i], rows[ranks > 1][i + 1], rows[ranks > 1][i]);
  }
}

/// All pairs of a sample of 16-bit numbers: each 131st, and all that are near an edge of exponent or sign.
static void all_pairs(uint8_t kind, unsigned fraction_bits) {
  static uint16_t sample[2048];
  size_t count = 0;
  unsigned fraction = (1u << fraction_bits) - 1;
  for (unsigned v = 0; v < 0x10000; v++) {
    unsigned exponent = (v & 0x7FFF) >> fraction_bits, low = v & fraction;
    bool edge = exponent % 15 <= 1 && (low <= 1 || low == fraction);
    if (edge || v % 131 == 0) sample[count++] = (uint16_t)v;
  }
  assert_in_range(count, 500, 2048);
  for (size_t a = 0; a < count; a++)
    for (size_t b = 0; b < count; b += ROW / 2) {
      uint8_t first[ROW], second[ROW];
      const uint8_t *rows[2] = {first, second};
      size_t n = count - b < ROW / 2 ? count - b : ROW / 2;
      for (size_t i = 0; i < n; i++) {
        put_le16(first + 2 * i, sample[a]);
        put_le16(second + 2 * i, sample[b + i]);
      }
      agree(kind, rows, 2, 2 * n);
    }
}

static void short_types_agree_on_all_pairs(void **state) {
  (void)state;
  for (unsigned op = 0; op <= INA_MAX; op++) {
    all_pairs((uint8_t)(INA_FP16 | op << 4), 10);
    all_pairs((uint8_t)(INA_BF16 | op << 4), 7);
  }
}

/// Every 16-bit number plus -0 is itself, or the canonical NaN.
static void short_types_come_back(void **state) {
  (void)state;
  for (uint32_t v = 0; v < 0x10000; v++) {
    gives(INA_FP16, 2, (uint32_t[]){v, 0x8000}, (v & 0x7FFF) > 0x7C00 ? 0x7E00 : v);
    gives(INA_BF16, 2, (uint32_t[]){v, 0x8000}, (v & 0x7FFF) > 0x7F80 ? 0x7FC0 : v);
  }
}

/// 32 bits that are rarely harmless, whatever the type.
static uint32_t element(void) {
  static const uint32_t corner[] = {0,          0x80000000, 1,          0x007FFFFF, 0x00800000, 0x7F7FFFFF,
                                    0x7F800000, 0xFF800000, 0x7F800001, 0x3F800000, 0x33800000, 0x7C007BFF,
                                    0x7F807F7F, 0x00010001, 0x80000400, 0xFC008000, 0x7FFFFFFF, 0xFFFFFFFF};
  uint32_t any = (uint32_t)rand() << 17 ^ (uint32_t)rand() << 2 ^ (uint32_t)rand() >> 11;
  if (rand() % 6 == 0) return corner[(size_t)rand() % (sizeof corner / sizeof *corner)];
  return rand() % 2 ? any : (any & 0x80FF83FF) | 0x3F003C00;   // of like size, so that digits cancel
}

static void any_number_of_ranks_agrees(void **state) {
  (void)state;
  srand(1);
  for (int i = 0; i < 60000; i++) {
    size_t ranks = i % 16 == 0 ? 1 + (size_t)rand() % MAX_RANKS : 1 + (size_t)i % 8;
    uint8_t kind = (uint8_t)(rand() % 4 | rand() % 3 << 4), data[MAX_RANKS][ROW];
    const uint8_t *rows[MAX_RANKS];
    for (size_t r = 0; r < ranks; r++) {
      for (size_t k = 0; k < ROW; k += 4) put_le32(data[r] + k, element());
      rows[r] = data[r];
    }
    agree(kind, rows, ranks, ROW);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fp32_by_hand),           cmocka_unit_test(fp16_by_hand),
      cmocka_unit_test(bf16_by_hand),           cmocka_unit_test(int32_by_hand),
      cmocka_unit_test(tree_order_by_hand),     cmocka_unit_test(half_rings_by_hand),
      cmocka_unit_test(short_types_round_once), cmocka_unit_test(one_rank_is_left_alone),
      cmocka_unit_test(bad_calls_are_refused),  cmocka_unit_test(short_types_agree_on_all_pairs),
      cmocka_unit_test(short_types_come_back),  cmocka_unit_test(any_number_of_ranks_agrees),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
