// The two half rings of a tree node against the library's sums, bit for bit: every type and operation, any set of children, the example of
// SHARP's Fig. 1b; each port is asked for its rows once and in their order, and a row takes as long as docs/tree.md says.
// DUT: sat_ring -GNumPorts=4 -GAlongW=16
// DUT: sat_ring -GNumPorts=8 -GAlongW=16 -GWideLanes=1
// DUT: sat_ring -GNumPorts=16 -GAlongW=16 -GRowRead=1
// DUT: sat_ring -GNumPorts=32 -GAlongW=16
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/dut.h"
#include "wire/reduce.h"
#include "wire/roce.h"

enum { ROW = 64, MAX_PORTS = 32, QUEUE = 128, ROWS = 20000, CORNERS = 18 };

/// A row that is on its way: what each child has of it, and what must come out.
struct row {
  uint8_t data[MAX_PORTS][ROW], sum[ROW];
  unsigned children, along;
  uint64_t in;   // the cycle in which it was taken
  bool half;
};

struct bench {
  struct dut *d;
  unsigned ports, row_read;
  bool wide;
  struct row queue[QUEUE];
  unsigned head, tail;            // rows out, rows in
  unsigned read[MAX_PORTS];       // rows that each port was asked for, of any port
  unsigned asked[MAX_PORTS][4];   // the row that is due in so many cycles, and one; 0: none
};

/// A 32-bit element, or two short ones, that is rarely harmless.
static uint32_t element(void) {
  static const uint32_t corner[CORNERS] = {0,          0x80000000, 1,          0x007FFFFF, 0x00800000, 0x7F7FFFFF,
                                           0x7F800000, 0xFF800000, 0x7F800001, 0x7FC00001, 0x3F800000, 0x33800000,
                                           0x7FFF7F80, 0x7C007BFF, 0x7F807F81, 0x00010001, 0x7C017E00, 0xFC008000};
  const uint32_t any = (uint32_t)rand() << 17 ^ (uint32_t)rand() << 2 ^ (uint32_t)rand() >> 11;
  if (rand() % 6 == 0) return corner[(size_t)rand() % CORNERS];
  return rand() % 2 ? any : (any & 0x80FF83FF) | 0x3F003C00;
}

/// Offers a row; its queue entry is filled before it is taken.
static void offer(struct bench *b, uint8_t kind, unsigned children) {
  struct row *r = &b->queue[b->tail % QUEUE];
  const uint8_t *rows[MAX_PORTS] = {NULL};
  assert_true(b->tail - b->head < QUEUE);
  for (unsigned p = 0; p < b->ports; p++) {
    for (unsigned k = 0; k < ROW; k += 4) {
      const uint32_t e = element();
      memcpy(r->data[p] + k, &e, 4);
    }
    if (children >> p & 1) rows[p] = r->data[p];
  }
  assert_int_equal(half_rings_reduce(kind, rows, b->ports, ROW, r->sum), 0);
  r->children = children;
  r->along = (unsigned)rand() & 0xFFFF;
  r->half = (kind & 15) == INA_FP16 || (kind & 15) == INA_BF16;
  dut_set(b->d, "in_valid_i", 1);
  dut_set(b->d, "in_kind_i", kind);
  dut_set(b->d, "in_children_i", children);
  dut_set(b->d, "in_along_i", r->along);
}

/// The next row of port p, from `at` on, that has it as a child.
static unsigned next_of(const struct bench *b, unsigned p, unsigned at) {
  while (at < b->tail && (b->queue[at % QUEUE].children >> p & 1) == 0) at++;
  assert_true(at < b->tail);   // it is asked for a row that nobody has
  return at;
}

/// Ports give what they were asked for, some cycles later; garbage in all others. Then a tick.
static void tick(struct bench *b) {
  uint32_t words[MAX_PORTS * ROW / 4];
  const bool taken = dut_get(b->d, "in_valid_i") && dut_get(b->d, "in_ready_o");
  if (taken) b->queue[b->tail++ % QUEUE].in = dut_cycle(b->d);
  for (unsigned i = 0; i < MAX_PORTS * ROW / 4; i++) words[i] = (uint32_t)rand() << 3;
  const unsigned asks = (unsigned)dut_get(b->d, "row_re_o");
  for (unsigned p = 0; p < b->ports; p++) {
    const unsigned due = b->asked[p][0];
    if (due != 0) memcpy(words + p * ROW / 4, b->queue[(due - 1) % QUEUE].data[p], ROW);
    memmove(b->asked[p], b->asked[p] + 1, 3 * sizeof b->asked[p][0]);
    b->asked[p][3] = 0;
    if ((asks >> p & 1) == 0) continue;
    const unsigned row = next_of(b, p, b->read[p]);
    b->read[p] = row + 1;
    b->asked[p][b->row_read - 1] = row + 1;
  }
  dut_set_words(b->d, "row_i", words, b->ports * ROW / 4);
  dut_tick(b->d);
}

static void comes_out(struct bench *b) {
  if (!dut_get(b->d, "out_valid_o")) return;
  assert_true(b->head != b->tail);
  const struct row *r = &b->queue[b->head++ % QUEUE];
  uint32_t words[ROW / 4];
  dut_get_words(b->d, "out_row_o", words, ROW / 4);
  assert_memory_equal(words, r->sum, ROW);
  assert_int_equal(dut_get(b->d, "out_along_o"), r->along);
  for (unsigned p = 0; p < b->ports; p++)
    if (r->children >> p & 1) assert_true(b->read[p] >= b->head);
  // From in_valid to out_valid: a register, the read, the widening, the steps, the meeting, the rounding.
  const unsigned second = r->half && !b->wide;
  assert_int_equal(dut_cycle(b->d) - r->in, 1 + b->row_read + 1 + 5 * (b->ports / 2) + 2 + second);
}

static struct bench *start(void) {
  static struct bench b;
  b = (struct bench){.d = dut_new()};
  dut_reset(b.d);
  b.ports = (unsigned)(dut_width(b.d, "row_i") / (8 * ROW));
  b.wide = b.ports == 8;
  b.row_read = b.ports == 16 ? 1 : 2;
  return &b;
}

static unsigned all_of(const struct bench *b) { return UINT32_MAX >> (MAX_PORTS - b->ports); }

static void agrees_with_the_library(void **state) {
  (void)state;
  struct bench *b = start();
  unsigned in_turn = 0;
  for (unsigned i = 0; i < ROWS || b->head != b->tail; i++) {
    assert_true(i < ROWS + 200);
    if (!dut_get(b->d, "in_valid_i") && i < ROWS && rand() % 4) {
      const uint8_t kind = (uint8_t)(rand() % 4 | rand() % 3 << 4);
      unsigned children = (unsigned)rand() & all_of(b);
      if (rand() % 4 == 0) children = 1u << (unsigned)rand() % b->ports;
      if (children == 0 || rand() % 4 == 0) children = all_of(b);
      offer(b, kind, children);
    }
    dut_eval(b->d);
    const bool taken = dut_get(b->d, "in_valid_i") && dut_get(b->d, "in_ready_o");
    in_turn += taken;
    tick(b);
    if (taken) dut_set(b->d, "in_valid_i", 0);
    comes_out(b);
  }
  assert_true(in_turn > ROWS / 2 && b->head == in_turn);
  dut_free(b->d);
}

/// Half of all ports have a child: all on one half ring, more or less on both, so with 32 ports 16 children as 16/0 to 0/16. A row every cycle, and each
/// takes as long (SHARP 4).
static void however_they_are_dealt(void **state) {
  (void)state;
  uint64_t took = 0;
  for (unsigned left = 0, half = 1; left <= half; left++) {
    struct bench *b = start();
    half = b->ports / 2;
    const unsigned children = ((1u << left) - 1) | ((1u << (half - left)) - 1) << half;
    while (b->head != 64) {
      if (b->tail != 64) offer(b, INA_FP32, children);
      dut_eval(b->d);
      assert_true(dut_get(b->d, "in_ready_o"));
      tick(b);
      if (b->tail == 64) dut_set(b->d, "in_valid_i", 0);
      comes_out(b);
    }
    assert_true(left == 0 || dut_cycle(b->d) == took);
    took = dut_cycle(b->d);
    dut_free(b->d);
  }
}

/// Ports 1, 2, 3, 4, 5 and 8 to the left, 10 and 14 to the right, a row every cycle.
static void example_of_the_figure(void **state) {
  (void)state;
  struct bench *b = start();
  const unsigned figure = 1u << 0 | 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4 | 1u << 7 | 1u << 9 | 1u << 13;
  const unsigned children = b->ports == 16 ? figure : all_of(b);
  for (unsigned i = 0; i < 64; i++) {
    offer(b, INA_FP32, children);
    dut_eval(b->d);
    assert_true(dut_get(b->d, "in_ready_o"));
    tick(b);
    comes_out(b);
  }
  dut_set(b->d, "in_valid_i", 0);
  for (unsigned i = 0; i < 100; i++) {
    dut_eval(b->d);
    tick(b);
    comes_out(b);
  }
  assert_int_equal(b->head, 64);
  dut_free(b->d);
}

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_the_library), cmocka_unit_test(however_they_are_dealt),
                                     cmocka_unit_test(example_of_the_figure)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
