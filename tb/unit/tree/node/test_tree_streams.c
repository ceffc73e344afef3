// The streaming half of a tree node, frame to frame: neighbours that are the model's RC ends reduce over cables that lose frames; what streams reach;
// a neighbour who dies.
// DUT: tree_streams -GNumPorts=4 -GQueueRoom=64 -GSendRoom=64
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "unit/tree/node/streams_bench.h"
#include "wire/reduce.h"
#include "wire/roce.h"

enum { ROUNDS = 14, MOST = 12000, OVERHEAD = 82 };   // of a frame of IPv4: bytes around the payload, with what a MAC adds

static struct streams_bench *b;
static uint32_t sequence;

static unsigned below(unsigned n) { return (unsigned)rand() % n; }
static uint64_t bit(unsigned port) { return UINT64_C(1) << port; }

static uint8_t *any_vector(size_t len) {
  uint8_t *v = need(malloc(len + 1));
  for (size_t i = 0; i < len; i++) v[i] = (uint8_t)(rand() >> 7);
  return v;
}

/// What came to a port is a message with this header, and this vector if it carries one.
static void check(unsigned port, const struct tree_header *h, const uint8_t *vector) {
  const struct neighbour *n = &b->at[port];
  struct tree_header got;
  assert_true(n->whole && tree_get(n->got, n->got_len, &got));
  assert_int_equal(got.kind, h->kind);
  assert_int_equal(got.verdict, TREE_OK);
  assert_int_equal(got.flags & TREE_CARRIES, h->flags & TREE_CARRIES);
  assert_int_equal(got.group, STREAMS_GROUP);
  assert_int_equal(got.sequence, h->sequence);
  assert_int_equal(got.length, h->length);
  assert_int_equal(n->got_len, TREE_BYTES + (h->flags & TREE_CARRIES ? h->length : 0));
  if (h->flags & TREE_CARRIES) assert_memory_equal(n->got + TREE_BYTES, vector, h->length);
}

/// One operation of all children; `one`: who alone wants the result, or has the vector. Below a parent what comes down is another vector.
static void reduce(enum tree_operation operation, uint8_t type, uint32_t length, unsigned one) {
  const bool root = b->parent == b->ports;
  uint8_t *vectors[STREAMS_PORTS] = {NULL}, *sum = any_vector(length), *down = any_vector(length);
  const uint8_t *rows[STREAMS_PORTS] = {NULL};
  uint64_t wanting = 0;
  struct tree_header h = {.kind = TREE_UP,
                          .operation = operation,
                          .type = type,
                          .tree = STREAMS_TREE,
                          .group = STREAMS_GROUP,
                          .sequence = sequence++,
                          .length = length};
  for (unsigned p = 0; p < b->ports; p++) {
    if ((b->children >> p & 1) == 0) continue;
    h.flags = 0;
    if (operation != TREE_BROADCAST || p == one) h.flags |= TREE_CARRIES;
    if (operation == TREE_ALL_REDUCE || (p == one) == (operation == TREE_REDUCE)) h.flags |= TREE_WANTS;
    vectors[p] = any_vector(length);
    if (h.flags & TREE_CARRIES) rows[p] = vectors[p];
    if (h.flags & TREE_WANTS) wanting |= bit(p);
    streams_send(b, p, &h, vectors[p]);
    for (unsigned i = below(300); i > 0; i--) streams_tick(b);
  }
  assert_int_equal(half_rings_reduce(type, rows, b->ports, length, sum), 0);
  if (!root) {
    streams_await(b, bit(b->parent));
    h.flags = TREE_CARRIES;
    check(b->parent, &h, sum);
    h.kind = TREE_DOWN;
    h.flags = wanting != 0 ? TREE_CARRIES : 0;
    streams_send(b, b->parent, &h, down);
  }
  streams_await(b, b->children);
  h.kind = TREE_DOWN;
  for (unsigned p = 0; p < b->ports; p++) {
    if ((b->children >> p & 1) == 0) continue;
    h.flags = wanting >> p & 1 ? TREE_CARRIES : 0;
    check(p, &h, root ? sum : down);
    free(vectors[p]);
  }
  free(sum);
  free(down);
}

static void operations(void **state) {
  (void)state;
  static const uint8_t types[] = {INA_FP32, INA_FP16, INA_BF16, INA_INT32};
  for (unsigned round = 0; round < ROUNDS; round++) {
    const unsigned parent = rand() % 2 ? b->ports : below(b->ports);
    uint64_t children = 0;
    while (children == 0 || (children & (children - 1)) == 0) children = (uint64_t)rand() & (bit(b->ports) - 1) & ~bit(parent);
    streams_open(b, parent, children, 256u << below(5), round % 2 ? 10 : 0);
    for (unsigned i = 0; i < 3; i++) {
      unsigned one = below(b->ports);
      while ((children >> one & 1) == 0) one = below(b->ports);
      const enum tree_operation operation = (enum tree_operation)(TREE_ALL_REDUCE + (int)below(3));
      reduce(operation, (uint8_t)(types[below(4)] | below(3) << 4), 4 * (1 + below(MOST / 4)), one);
    }
    assert_false(streams_end(b).valid);
    assert_int_equal(b->operations, 3);
  }
}

/// At 100 Gb/s a port, of what RC carries on such a cable.
static void rate(void **state) {
  (void)state;
  for (unsigned mtu = 1024; mtu <= 4096; mtu *= 4) {
    const uint32_t length = 1 << 19;
    streams_open(b, b->ports, bit(b->ports) - 1, mtu, 0);
    reduce(TREE_ALL_REDUCE, INA_FP32, length, 0);
    const double bytes = (double)(length - mtu), ps = (double)(b->at[0].last_ps - b->at[0].first_ps);
    const double carried = 0.0125 * mtu / (mtu + OVERHEAD);   // bytes a picosecond
    const double ratio = bytes / ps / carried;
    print_message("packets of %u bytes: %.1f Gb/s of the vector to a host, %.3f of what RC carries\n", mtu, bytes / ps * 8000,
                  ratio);
    assert_true(ratio > 0.95 && ratio < 1.01);
  }
}

/// Who does not answer any more ends the tree, and is named; a tree that is opened anew is right.
static void dies(void **state) {
  (void)state;
  for (unsigned dead = 0; dead < b->ports; dead++) {
    streams_open(b, b->ports, bit(b->ports) - 1, 1024, 0);
    struct tree_header h = {.kind = TREE_UP,
                            .operation = TREE_ALL_REDUCE,
                            .type = INA_FP32,
                            .flags = TREE_CARRIES | TREE_WANTS,
                            .tree = STREAMS_TREE,
                            .group = STREAMS_GROUP,
                            .sequence = sequence++,
                            .length = 100000};
    uint8_t *v = any_vector(h.length);
    for (unsigned p = 0; p < b->ports; p++) streams_send(b, p, &h, v);
    while (b->at[dead].got_len == 0) streams_tick(b);
    b->at[dead].silent = true;
    for (unsigned i = 0; !streams_end(b).valid; i++) {
      assert_true(i < 400000);
      streams_tick(b);
    }
    const struct streams_end end = streams_end(b);
    assert_int_equal(end.verdict, TREE_LOST);
    assert_int_equal(end.node, STREAMS_NODE);
    assert_int_equal(end.port, dead + 1);
    free(v);
    streams_open(b, b->ports, bit(b->ports) - 1, 1024, 0);
    reduce(TREE_ALL_REDUCE, INA_FP32, 5000, 0);
  }
}

static int open(void **state) {
  (void)state;
  b = streams_new();
  return 0;
}

static int close(void **state) {
  (void)state;
  streams_free(b);
  return 0;
}

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(operations, open, close),
      cmocka_unit_test_setup_teardown(rate, open, close),
      cmocka_unit_test_setup_teardown(dies, open, close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
