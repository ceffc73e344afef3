// What a tree node makes of those who break the rules or come too late, where no tree has to end for it: a named verdict for each, nothing left behind,
// and the next operation is right.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "unit/model/tree/tree_bench.h"

enum { ONE = 0x3F800000, THREE = 0x40400000 };

static struct tree_bench b;

static int open(void **state) {
  (void)state;
  b = bench_make(4, 7, TREE_NO_PORT);
  return 0;
}

static int close(void **state) {
  (void)state;
  bench_free(&b);
  return 0;
}

/// All but port 1 send `h`, which sends `other`.
static void one_differs(const struct tree_header *h, const struct tree_header *other) {
  bench_send(&b, 0, h, ONE);
  bench_send(&b, 1, other, ONE);
  bench_send(&b, 2, h, ONE);
}

static void test_siblings_differ(void **state) {
  (void)state;
  const struct tree_header h = bench_header(BENCH_LOW, 0, 300);
  struct tree_header other[6];
  for (size_t i = 0; i < 6; i++) other[i] = h;
  other[0].length = 304;
  other[1].type = 0x03;
  other[2].operation = TREE_REDUCE;
  other[3].flags = TREE_CARRIES;
  other[4].flags = TREE_WANTS;
  other[5].type = 0x0F;   // none at all
  for (uint32_t i = 0; i < 6; i++) {
    struct tree_header a = h, c = other[i];
    a.sequence = c.sequence = 2 * i + 1;
    one_differs(&a, &c);
    bench_all_hear(&b, BENCH_LOW, TREE_DENIED, 2);
    bench_right(&b, BENCH_LOW, 2 * i + 2);
  }
  assert_int_equal(tree_node_counts(b.node).failed, 6);
}

/// Lengths that cannot be: what is no multiple of an element, a vector where there must be none, two senders or receivers.
static void test_impossible(void **state) {
  (void)state;
  struct tree_header wrong[5];
  for (size_t i = 0; i < 5; i++) wrong[i] = bench_header(BENCH_LOW, 0, 300);
  wrong[0].length = 302;
  wrong[1].operation = TREE_BARRIER;
  wrong[2].operation = TREE_REDUCE;      // all want it
  wrong[3].operation = TREE_BROADCAST;   // all have it
  wrong[4].operation = TREE_BROADCAST;   // nobody has
  wrong[4].flags = TREE_WANTS;
  for (uint32_t i = 0; i < 5; i++) {
    wrong[i].sequence = 2 * i + 1;
    one_differs(&wrong[i], &wrong[i]);
    for (unsigned p = 0; p < 3; p++) assert_int_equal(bench_take_header(&b, BENCH_LOW, p).verdict, TREE_DENIED);
    bench_right(&b, BENCH_LOW, 2 * i + 2);
  }
}

/// A second operation of a busy group, or the same one twice, is denied to who asks for it; the first is not touched. An old one is denied, too.
static void test_twice(void **state) {
  (void)state;
  struct tree_header h = bench_header(BENCH_LOW, 5, 300);
  bench_send(&b, 0, &h, ONE);
  bench_send(&b, 0, &h, ONE);
  h.sequence = 6;
  bench_send(&b, 0, &h, ONE);
  for (uint32_t sequence = 5; sequence <= 6; sequence++) {
    const struct tree_header a = bench_take_header(&b, BENCH_LOW, 0);
    assert_int_equal(a.verdict, TREE_DENIED);
    assert_int_equal(a.sequence, sequence);
    assert_int_equal(a.port, 1);
  }
  bench_send(&b, 1, &h, ONE);   // also of who has not contributed yet
  assert_int_equal(bench_take_header(&b, BENCH_LOW, 1).verdict, TREE_DENIED);
  h.sequence = 5;
  bench_send(&b, 1, &h, ONE);
  bench_send(&b, 2, &h, ONE);
  for (unsigned p = 0; p < 3; p++) bench_ok(&b, BENCH_LOW, p, 300, THREE);
  for (h.sequence = 4; h.sequence <= 5; h.sequence++) {
    bench_send(&b, 2, &h, ONE);
    assert_int_equal(bench_take_header(&b, BENCH_LOW, 2).verdict, TREE_DENIED);
  }
  bench_right(&b, BENCH_LOW, 6);
}

/// Wrong group, wrong tree, an answer from below, no header, too long a message.
static void test_no_contribution(void **state) {
  (void)state;
  struct tree_header h = bench_header(BENCH_LOW, 1, 0);
  h.group = 77;
  bench_send(&b, 0, &h, 0);
  assert_int_equal(bench_take_header(&b, BENCH_LOW, 0).verdict, TREE_DENIED);
  h.group = 3;   // of another tree
  bench_send(&b, 0, &h, 0);
  assert_int_equal(bench_take_header(&b, BENCH_LOW, 0).verdict, TREE_DENIED);
  struct rc_requester *r = rc_end_requester(b.peers[BENCH_LOW][0]);
  uint8_t data[BENCH_MTU] = {0};
  h = bench_header(BENCH_LOW, 1, 0);
  h.tree = 9;
  tree_put(data, &h);
  rc_requester_post(r, &(struct rc_packet){.first = true, .last = true, .data = data, .len = TREE_BYTES});
  bench_pump(&b);
  assert_int_equal(bench_take_header(&b, BENCH_LOW, 0).verdict, TREE_NO_TREE);
  h = bench_header(BENCH_LOW, 1, 0);
  h.kind = TREE_DOWN;
  bench_send(&b, 0, &h, 0);
  memset(data, 0, sizeof data);
  for (size_t len = 0; len <= 64; len += 32)
    rc_requester_post(r, &(struct rc_packet){.first = true, .last = true, .data = data, .len = len});
  bench_pump(&b);
  bench_nothing(&b, BENCH_LOW, 0);
  assert_int_equal(tree_node_counts(b.node).refused, 3 + 4);
  h = bench_header(BENCH_LOW, 1, 1028);
  bench_send(&b, 0, &h, ONE);
  assert_int_equal(bench_take_header(&b, BENCH_LOW, 0).verdict, TREE_DENIED);
  bench_right(&b, BENCH_LOW, 1);
}

/// Nobody streams who does not hold the lock: denied, thrown away to its end, and nobody else sees anything of it.
static void test_no_lock(void **state) {
  (void)state;
  struct tree_header h = bench_header(BENCH_SAT, 1, 2000);
  bench_send(&b, 0, &h, ONE);
  assert_int_equal(bench_take_header(&b, BENCH_SAT, 0).verdict, TREE_DENIED);
  bench_lock(&b, 2, 1);
  h.group = 2;
  bench_send(&b, 1, &h, ONE);
  assert_int_equal(bench_take_header(&b, BENCH_SAT, 1).verdict, TREE_DENIED);
  bench_right(&b, BENCH_SAT, 3);
  assert_int_equal(tree_node_counts(b.node).columns, 2);
  assert_int_equal(tree_node_counts(b.node).refused, 2);
  bench_lock(&b, 4, 1);   // more than a message can be
  h = bench_header(BENCH_SAT, 5, 0);
  h.operation = TREE_ALL_REDUCE;
  h.flags = TREE_WANTS;   // so that nothing of it follows here
  h.length = TREE_MOST + 4;
  bench_send(&b, 0, &h, ONE);
  assert_int_equal(bench_take_header(&b, BENCH_SAT, 0).verdict, TREE_DENIED);
  bench_right(&b, BENCH_SAT, 6);
  h = bench_header(BENCH_SAT, 7, 2000);   // the lock was for one
  bench_send(&b, 0, &h, ONE);
  assert_int_equal(bench_take_header(&b, BENCH_SAT, 0).verdict, TREE_DENIED);
  bench_nothing(&b, BENCH_SAT, 1);
}

/// What the parent says must be an answer to what it was sent.
static void test_wrong_parent(void **state) {
  (void)state;
  bench_free(&b);
  b = bench_make(4, 3, 3);
  struct tree_header h = bench_header(BENCH_LOW, 1, 0);
  struct tree_header down = h;
  down.kind = TREE_DOWN;
  bench_send(&b, 3, &down, 0);   // before anybody asked
  bench_send(&b, 0, &h, 0);
  bench_send(&b, 3, &down, 0);   // before all have
  bench_send(&b, 1, &h, 0);
  bench_take_header(&b, BENCH_LOW, 3);
  down.sequence = 2;
  bench_send(&b, 3, &down, 0);
  down.sequence = 1;
  down.group = 2;
  bench_send(&b, 3, &down, 0);
  down.group = 1;
  down.operation = TREE_LOCK;   // of another operation: what it says of a lock nobody has asked
  bench_send(&b, 3, &down, 0);
  bench_nothing(&b, BENCH_LOW, 0);
  assert_int_equal(tree_node_counts(b.node).refused, 5);
  down.operation = h.operation;
  bench_send(&b, 3, &down, 0);
  bench_all_hear(&b, BENCH_LOW, TREE_OK, 0);
}

/// Somebody does not contribute: the others hear who, and so does he when he comes.
static void test_too_late(void **state) {
  (void)state;
  const struct tree_header h = bench_header(BENCH_LOW, 1, 300);
  bench_send(&b, 0, &h, ONE);
  bench_send(&b, 2, &h, ONE);
  bench_wait(&b, BENCH_PATIENCE - 100000);
  bench_nothing(&b, BENCH_LOW, 0);
  bench_wait(&b, 100000);
  for (unsigned p = 0; p < 3; p++) {
    if (p == 1) bench_send(&b, p, &h, ONE);
    const struct tree_header a = bench_take_header(&b, BENCH_LOW, p);
    assert_int_equal(a.verdict, TREE_TIME_OUT);
    assert_int_equal(a.port, 2);
  }
  bench_right(&b, BENCH_LOW, 2);
}

/// Nothing streams that has no vector, whoever holds the lock.
static void test_streams_nothing(void **state) {
  (void)state;
  bench_lock(&b, 1, 0);
  const struct tree_header h = bench_header(BENCH_SAT, 2, 0);
  for (unsigned p = 0; p < 3; p++) {
    bench_send(&b, p, &h, ONE);
    const struct tree_header a = bench_take_header(&b, BENCH_SAT, p);
    assert_int_equal(a.verdict, TREE_DENIED);
    assert_int_equal(a.port, p + 1);
  }
  bench_right(&b, BENCH_SAT, 3);
}

/// Frames that nobody of the tree sends: other addresses, other queue pairs, bits flipped, ghosts' ACKs, anything at all. No sum is touched.
static void test_hostile(void **state) {
  (void)state;
  struct rng d = rng_for(7, 8);
  struct tree_header h = bench_header(BENCH_LOW, 1, 300);
  bench_send(&b, 0, &h, ONE);
  for (unsigned i = 0; i < 5000; i++) {
    uint8_t frame[512], payload[64];
    rng_fill(&d, payload, sizeof payload);
    tree_put(payload, &h);
    const unsigned port = rng_below(&d, 3), tree = rng_below(&d, BENCH_TREES);
    struct roce_build f = {.key = {.src = {10, 0, 0, (uint8_t)(port + 1)}, .dst = {10, 1, 0, 1}, .qpn = 0x100 * tree + port},
                           .opcode = (uint8_t)rng_below(&d, 0x18),
                           .psn = rng_below(&d, 300),
                           .payload = payload,
                           .payload_len = 4 * (size_t)rng_below(&d, 16)};
    const unsigned what = rng_below(&d, 4);
    if (what == 0) f.key.src[rng_below(&d, 4)] ^= (uint8_t)(1u << rng_below(&d, 8));
    if (what == 1) f.key.qpn ^= 1u << rng_from(&d, 12, 23);
    if (what == 2) f.key.dst[rng_below(&d, 4)] ^= (uint8_t)(1u << rng_below(&d, 8));
    size_t len = roce_build(&f, frame, sizeof frame);
    if (what == 3) frame[rng_from(&d, 46, (unsigned)len - 1)] ^= (uint8_t)(1u << rng_below(&d, 8));
    if (what == 3 && rng_percent(&d, 20)) rng_fill(&d, frame, len = rng_from(&d, 1, 200));
    tree_node_receive(b.node, b.now, port, frame, len, rng_percent(&d, 5));
    bench_pump(&b);
  }
  const struct tree_node_counts c = tree_node_counts(b.node);
  assert_true(c.strays > 3000 && c.damaged > 500 && c.refused == 0);
  bench_send(&b, 1, &h, ONE);
  bench_send(&b, 2, &h, ONE);
  for (unsigned p = 0; p < 3; p++) bench_ok(&b, BENCH_LOW, p, 300, THREE);
  bench_right(&b, BENCH_LOW, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_siblings_differ, open, close),
      cmocka_unit_test_setup_teardown(test_impossible, open, close),
      cmocka_unit_test_setup_teardown(test_twice, open, close),
      cmocka_unit_test_setup_teardown(test_no_contribution, open, close),
      cmocka_unit_test_setup_teardown(test_no_lock, open, close),
      cmocka_unit_test_setup_teardown(test_wrong_parent, open, close),
      cmocka_unit_test_setup_teardown(test_too_late, open, close),
      cmocka_unit_test_setup_teardown(test_streams_nothing, open, close),
      cmocka_unit_test_setup_teardown(test_hostile, open, close),
  };
  cmocka_set_message_output(CM_OUTPUT_TAP);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
