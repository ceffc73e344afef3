// Sequence numbers: gaps, repeats, READ requests, a table that is full and one that is cleared; one packet a cycle of few connections, so that
// each finds others of its set on their way; and what the table holds at the end.
// DUT: uplink_order -GSets=8 -GWays=2
// DUT: uplink_order -GSets=4 -GWays=1
// DUT: uplink_order -GSets=16 -GWays=4
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "drive/bits.h"
#include "drive/dut.h"
#include "model/uplink/uplink_flow.h"
#include "structs/uplink_flow_pkg.h"

enum { LATE = 5, NAME_WORDS = WORDS_OF(conn_name_t, 1), SEND = 0x04, READ = 0x0C, ACK = 0x11, QUIET = 64 };

/// What is due of a packet.
struct due {
  bool valid;
  enum uplink_order_verdict verdict;
};

struct bench {
  struct dut *d;
  struct uplink_order *model;
  struct due due[LATE];
  unsigned sets, ways;
  unsigned long count[UPLINK_ORDER_VERDICTS];
};

/// The widths of a question tell which table it is.
static void sizes(struct bench *b) {
  b->sets = 1u << dut_width(b->d, "read_set_i");
  b->ways = b->sets == 4 ? 1 : b->sets == 8 ? 2 : 4;
}

static void tick(struct bench *b) {
  dut_tick(b->d);
  const struct due due = b->due[0];
  memmove(b->due, b->due + 1, sizeof b->due - sizeof *b->due);
  b->due[LATE - 1] = (struct due){0};
  assert_int_equal(dut_get(b->d, "out_valid_o"), due.valid);
  if (due.valid) assert_int_equal(dut_get(b->d, "out_verdict_o"), due.verdict);
}

static void idle(struct bench *b, unsigned cycles) {
  dut_set(b->d, "in_valid_i", 0);
  for (unsigned i = 0; i < cycles; i++) tick(b);
}

static struct bench start(void) {
  struct bench b = {.d = dut_new()};
  sizes(&b);
  b.model = uplink_order_new(b.sets, b.ways);
  dut_reset(b.d);
  idle(&b, QUIET);
  assert_int_equal(dut_get(b.d, "busy_o"), 0);
  return b;
}

static void end(struct bench *b) {
  uplink_order_free(b->model);
  dut_free(b->d);
}

static struct uplink_key name_of(unsigned n) {
  return (struct uplink_key){.dst = {n % 3 ? 0 : 0x20010DB800000000 + n, uplink_mapped(0x0A000000 + n * 7)},
                             .qpn = 0x12 + n * 0x10101};
}

/// A packet, in this cycle; nothing is done with it while the table is being cleared.
static enum uplink_order_verdict send(struct bench *b, const struct uplink_key *key, uint8_t opcode, uint32_t psn) {
  uint32_t name[NAME_WORDS] = {0};
  bits_put(name, FIELD(conn_name_t, qpn), key->qpn);
  bits_put(name, conn_name_t__dst__AT, 64, key->dst[1]);
  bits_put(name, conn_name_t__dst__AT + 64, 64, key->dst[0]);
  dut_set_words(b->d, "in_key_i", name, NAME_WORDS);
  dut_set(b->d, "in_valid_i", 1);
  dut_set(b->d, "in_opcode_i", opcode);
  dut_set(b->d, "in_psn_i", psn & 0xFFFFFF);
  enum uplink_order_verdict verdict = UPLINK_ORDER_FULL;
  const bool counts = uplink_has_order(opcode);
  if (counts && !dut_get(b->d, "busy_o")) verdict = uplink_order_step(b->model, key, opcode, psn & 0xFFFFFF);
  if (counts) {
    b->due[LATE - 1] = (struct due){true, verdict};
    b->count[verdict]++;
  }
  tick(b);
  return verdict;
}

/// Reads every place: as many as the model knows, each with its numbers.
static void compare(struct bench *b) {
  idle(b, 10);
  size_t known, found = 0;
  uplink_order_all(b->model, &known);
  for (unsigned at = 0; at < b->sets * b->ways; at++) {
    dut_set(b->d, "read_i", 1);
    dut_set(b->d, "read_set_i", at / b->ways);
    dut_set(b->d, "read_way_i", at % b->ways);
    tick(b);
    dut_set(b->d, "read_i", 0);
    for (unsigned i = 0; !dut_get(b->d, "read_done_o"); i++) {
      assert_true(i < QUIET);
      tick(b);
    }
    if (!dut_get(b->d, "read_used_o")) continue;
    uint32_t name[NAME_WORDS];
    dut_get_words(b->d, "read_key_o", name, NAME_WORDS);
    const struct uplink_key key = {.dst = {bits_get(name, conn_name_t__dst__AT + 64, 64),
                                           bits_get(name, conn_name_t__dst__AT, 64)},
                                   .qpn = (uint32_t)bits_get(name, FIELD(conn_name_t, qpn))};
    const struct uplink_conn *c = uplink_order_find(b->model, &key);
    assert_non_null(c);
    assert_int_equal(c->set, at / b->ways);
    assert_int_equal(dut_get(b->d, "read_next_o"), c->next);
    assert_int_equal(dut_get(b->d, "read_gaps_o"), c->gaps);
    assert_int_equal(dut_get(b->d, "read_duplicates_o"), c->duplicates);
    found++;
  }
  assert_int_equal(found, known);
}

/// One connection: what each number says.
static void numbers(void **state) {
  (void)state;
  struct bench b = start();
  const struct uplink_key key = name_of(1);
  static const struct {
    uint8_t opcode;
    uint32_t psn;
    enum uplink_order_verdict verdict;
  } steps[] = {
      {SEND, 0xFFFFFE, UPLINK_NEW},
      {SEND, 0xFFFFFF, UPLINK_NEXT},
      {SEND, 0, UPLINK_NEXT},   // wraps
      {SEND, 2, UPLINK_ORDER_GAP},
      {SEND, 3, UPLINK_NEXT},
      {SEND, 1, UPLINK_DUPLICATE},   // go-back-N
      {SEND, 2, UPLINK_DUPLICATE},
      {SEND, 3, UPLINK_DUPLICATE},
      {SEND, 4, UPLINK_NEXT},
      {READ, 5, UPLINK_NEXT},
      {SEND, 90, UPLINK_NEXT},   // the answer took the numbers between
      {SEND, 92, UPLINK_ORDER_GAP},
      {READ, 93, UPLINK_NEXT},
      {READ, 93, UPLINK_DUPLICATE},
      {SEND, 99, UPLINK_NEXT},
      {SEND, 99 + 0x7FFFFF + 1, UPLINK_ORDER_GAP},     // the farthest in front
      {SEND, 0x800064 + 0x800000, UPLINK_DUPLICATE},   // and behind
  };
  for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
    assert_int_equal(send(&b, &key, steps[i].opcode, steps[i].psn), steps[i].verdict);
    if (i % 2) send(&b, &key, ACK, 0x777);   // says nothing
  }
  compare(&b);
  end(&b);
}

/// More connections than places: those that have one keep it, the others are told from them. A sweep makes room.
static void full_and_cleared(void **state) {
  (void)state;
  struct bench b = start();
  for (unsigned round = 0; round < 3; round++) {
    for (unsigned n = 0; n < 8 * b.sets * b.ways; n++) {
      const struct uplink_key key = name_of(n);
      send(&b, &key, SEND, round);
    }
  }
  size_t known;
  uplink_order_all(b.model, &known);
  assert_int_equal(known, b.sets * b.ways);
  assert_int_equal(b.count[UPLINK_NEW], known);
  assert_int_equal(b.count[UPLINK_NEXT], 2 * known);
  assert_int_equal(b.count[UPLINK_ORDER_FULL], 3 * 7 * known);
  compare(&b);
  // Cleared amid packets: those on their way still count, those that come meanwhile are not looked at.
  const struct uplink_key key = name_of(0);
  send(&b, &key, SEND, 3);
  dut_set(b.d, "clear_i", 1);
  send(&b, &key, SEND, 4);
  dut_set(b.d, "clear_i", 0);
  uplink_order_clear(b.model);
  unsigned busy = 0;
  while (dut_get(b.d, "busy_o")) {
    assert_int_equal(send(&b, &key, SEND, 5), UPLINK_ORDER_FULL);
    busy++;
  }
  assert_true(busy >= b.sets);
  assert_int_equal(send(&b, &key, SEND, 6), UPLINK_NEW);
  compare(&b);
  end(&b);
}

/// Many gaps: the counter stays at its highest.
static void counts_stay(void **state) {
  (void)state;
  struct bench b = start();
  const struct uplink_key key = name_of(5);
  for (uint32_t i = 0; i < 70000; i++) send(&b, &key, SEND, 2 * i);
  compare(&b);
  for (uint32_t i = 0; i < 70000; i++) send(&b, &key, SEND, 7);
  compare(&b);
  size_t known;
  const struct uplink_conn *c = uplink_order_all(b.model, &known);
  assert_true(c->gaps == UINT16_MAX && c->duplicates == UINT16_MAX);
  end(&b);
}

static void at_random(void **state) {
  (void)state;
  struct rng rng = rng_for(26, 3);
  struct bench b = start();
  uint32_t psn[64] = {0};
  for (unsigned i = 0; i < 200000; i++) {
    const unsigned conns = 1 + i / 4000 % 50, n = rng_below(&rng, conns);
    if (rng_below(&rng, 100) < (i / 1000 % 4) * 20) {
      idle(&b, 1);
      continue;
    }
    const struct uplink_key key = name_of(n);
    const unsigned what = rng_below(&rng, 20);
    if (what == 0) psn[n] += rng_below(&rng, 5);
    if (what == 1) psn[n] -= rng_below(&rng, 5);
    if (what == 2) psn[n] = (uint32_t)rng_next(&rng);
    send(&b, &key, what == 3 ? READ : what == 4 ? ACK : (uint8_t)rng_below(&rng, 12), psn[n]++);
    if (i % 20000 == 9999) compare(&b);
    if (i % 50000 == 49999) {
      dut_set(b.d, "clear_i", 1);
      idle(&b, 1);
      dut_set(b.d, "clear_i", 0);
      uplink_order_clear(b.model);
      idle(&b, QUIET);
    }
  }
  compare(&b);
  for (unsigned v = 0; v < UPLINK_ORDER_VERDICTS; v++) assert_true(b.count[v] > 10);
  end(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers),
      cmocka_unit_test(full_and_cleared),
      cmocka_unit_test(counts_stay),
      cmocka_unit_test(at_random),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
