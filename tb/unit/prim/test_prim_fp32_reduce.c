// One reduction lane against the host's floating point: corners with corners, then random pairs with near exponents.
//
// `test_prim_fp32_reduce SEED PAIRS` does that many random pairs instead of a few; make soak does 10^9.
// DUT: prim_fp32_reduce
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/dut.h"

enum { LATENCY = 5, SUM = 0, MIN = 1, MAX = 2 };

struct random_run {
  uint64_t seed, pairs;
};

struct pair {
  uint32_t a, b;
  unsigned op;
  bool is_int, has_a, has_b, used;
};

static float as_float(uint32_t bits) {
  float f;
  memcpy(&f, &bits, 4);
  return f;
}

static uint32_t as_bits(float f) {
  uint32_t bits;
  memcpy(&bits, &f, 4);
  return bits;
}

static bool is_nan(uint32_t v) { return (v & 0x7FFFFFFF) > 0x7F800000; }

static uint32_t expected(const struct pair *p) {
  if (!p->has_a || !p->has_b) return p->has_a ? p->a : p->b;
  if (p->is_int) {
    int32_t a = (int32_t)p->a, b = (int32_t)p->b;
    if (p->op == SUM) return p->a + p->b;
    return (uint32_t)((p->op == MIN) == (a < b) ? a : b);
  }
  if (is_nan(p->a) || is_nan(p->b)) return 0x7FC00000;
  if (p->op != SUM) {
    // Equal only as zeros of two signs, where the sign decides.
    bool less = as_float(p->a) < as_float(p->b) || (as_float(p->a) == as_float(p->b) && p->a >> 31 > p->b >> 31);
    return (p->op == MIN) == less ? p->a : p->b;
  }
  volatile float sum = as_float(p->a) + as_float(p->b);
  uint32_t bits = as_bits(sum);
  return is_nan(bits) ? 0x7FC00000 : bits;
}

static struct pair line[LATENCY];

/// Puts one pair in and checks the one that comes out.
static void feed(struct dut *d, struct pair p) {
  dut_set(d, "valid_i", p.used);
  dut_set(d, "is_int_i", p.is_int);
  dut_set(d, "op_i", p.op);
  dut_set(d, "a_valid_i", p.has_a);
  dut_set(d, "b_valid_i", p.has_b);
  dut_set(d, "a_i", p.a);
  dut_set(d, "b_i", p.b);
  dut_tick(d);
  memmove(line + 1, line, sizeof line - sizeof *line);
  line[0] = p;
  const struct pair *out = &line[LATENCY - 1];
  if (!out->used) return;
  uint32_t got = (uint32_t)dut_get(d, "y_o"), want = expected(out);
  if (got != want) {
    fail_msg("%08x %s%u %08x (present %d %d): %08x, must be %08x", out->a, out->is_int ? "int " : "fp ", out->op, out->b,
             out->has_a, out->has_b, got, want);
  }
}

static uint32_t random_bits(void) { return (uint32_t)rand() << 17 ^ (uint32_t)rand() << 2 ^ (uint32_t)rand() >> 11; }

static void corners_with_corners(void **state) {
  (void)state;
  static const uint32_t corner[] = {0x00000000, 0x00000001, 0x00000002, 0x003FFFFF, 0x007FFFFE, 0x007FFFFF, 0x00800000,
                                    0x00800001, 0x00FFFFFF, 0x01000000, 0x33800000, 0x33800001, 0x34000000, 0x34000001,
                                    0x3F7FFFFF, 0x3F800000, 0x3F800001, 0x3FFFFFFF, 0x40000000, 0x4B000000, 0x4B7FFFFF,
                                    0x4B800000, 0x4B800001, 0x4C000000, 0x7E800000, 0x7EFFFFFF, 0x7F000000, 0x7F7FFFFE,
                                    0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FBFFFFF, 0x7FC00000, 0x7FC01234, 0x7FFFFFFF,
                                    0x73000000, 0x72FFFFFF, 0x73000001};
  enum { CORNERS = 2 * sizeof corner / sizeof *corner };
  struct dut *d = dut_new();
  memset(line, 0, sizeof line);
  for (size_t i = 0; i < CORNERS; i++) {
    for (size_t j = 0; j < CORNERS; j++) {
      for (unsigned how = 0; how < 24; how++) {
        feed(d, (struct pair){corner[i / 2] | (uint32_t)(i & 1) << 31, corner[j / 2] | (uint32_t)(j & 1) << 31, how % 3,
                              how / 3 & 1, how / 6 != 1, how / 6 != 2, true});
      }
    }
  }
  for (int i = 0; i < LATENCY; i++) feed(d, (struct pair){0});
  dut_free(d);
}

static void random_pairs(void **state) {
  const struct random_run *run = *state;
  struct dut *d = dut_new();
  uint64_t compared = 0;
  memset(line, 0, sizeof line);
  srand((unsigned)run->seed);
  while (compared < run->pairs) {
    uint32_t a = random_bits(), b = random_bits();
    switch (rand() % 5) {
      case 0:   // exponents near each other
        b = (b & 0x807FFFFF) | (((a >> 23) + (uint32_t)(rand() % 60) - 30) & 255) << 23;
        break;
      case 1:   // nearly the same magnitude: cancellation
        b = (a ^ 0x80000000) + (uint32_t)(rand() % 64) - 32;
        break;
      case 2:   // small numbers
        a &= 0x81FFFFFF;
        b &= 0x81FFFFFF;
        break;
      case 3:   // few bits set, or few clear, and a place or two behind the other's last one: ties
        a &= 0xFF800000 | 7u << rand() % 21;
        b = (b & 0x80000000) | (((a >> 23) - 20 - (uint32_t)(rand() % 8)) & 255) << 23 | (b & 7u << rand() % 21);
        if (rand() % 2) a ^= 0x007FFFFF;
        break;
      default: break;
    }
    bool is_int = rand() % 8 == 0;
    feed(d, (struct pair){a, b, rand() % 3 ? SUM : (unsigned)rand() % 3, is_int, rand() % 16 != 0, rand() % 16 != 0,
                          rand() % 8 != 0});
    compared += line[0].used;
  }
  for (int i = 0; i < LATENCY; i++) feed(d, (struct pair){0});
  dut_free(d);
  print_message("%" PRIu64 " pairs compared, seed %" PRIu64 "\n", compared, run->seed);
}

static bool number(const char *text, uint64_t *value) {
  char *end;
  errno = 0;
  *value = strtoull(text, &end, 10);
  return !errno && end != text && !*end && *text != '-';
}

int main(int argc, char **argv) {
  struct random_run run = {.seed = 1, .pairs = 1500000};
  if (argc != 1 && (argc != 3 || !number(argv[1], &run.seed) || !number(argv[2], &run.pairs) || run.seed > UINT32_MAX)) {
    fprintf(stderr, "usage: test_prim_fp32_reduce [SEED PAIRS]\n");
    return 2;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(corners_with_corners), cmocka_unit_test_prestate(random_pairs, &run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
