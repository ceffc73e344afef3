// The Verilated tree node behind C: opened by the name of its configuration, set up by registers as a model's node is, it serves hosts that are the
// model's; what it decides is told, what it refuses changes nothing.
// DEVICES: node4
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/tree/node_drive.h"
#include "hosts/tree/lone_node.h"
#include "wire/reduce.h"

enum { PORTS = 4, MOST = 20000, BYTES = 2000, FRAME = 4400 };
#define US UINT64_C(1000000)

struct bench {
  struct node_drive *d;
  struct tree_bus bus;
  struct lone_node lone;
  unsigned messages, ends, asked, counted, frames;
};

static uint64_t now(const struct bench *b) { return node_drive_cycles(b->d) * NODE_DRIVE_CYCLE_PS; }

static void left(void *user, unsigned port, const uint8_t *frame, size_t len) {
  struct bench *b = user;
  b->frames++;
  tree_host_receive(b->lone.hosts[port], now(b), frame, len, false);
}

static void observed(void *user, const struct node_observed *event) {
  struct bench *b = user;
  b->messages += event->what == NODE_MESSAGE;
  b->ends += event->what == NODE_EXPIRED || event->what == NODE_ENDED;
  b->asked += event->asked;
  b->counted += event->counted;
}

static void failed(void *user, uint64_t cycle, const char *where) {
  (void)user;
  fail_msg("cycle %llu: %s", (unsigned long long)cycle, where);
}

static void cycle(struct bench *b) {
  uint8_t frame[FRAME];
  for (unsigned p = 0; p < PORTS; p++) {
    if (tree_host_deadline(b->lone.hosts[p], now(b)) <= now(b)) tree_host_tick(b->lone.hosts[p], now(b));
    if (node_drive_offered(b->d, p) || !tree_host_ready(b->lone.hosts[p], now(b))) continue;
    const size_t len = tree_host_next(b->lone.hosts[p], now(b), frame, sizeof frame);
    node_drive_offer(b->d, p, frame, len, rand() % 50 == 0);   // some are damaged, as their MAC says
  }
  node_drive_tick(b->d, (uint64_t)rand() & 0xF);
}

/// An operation of all hosts, and what it comes to.
static void run(struct bench *b, enum tree_operation operation, bool streams) {
  static uint8_t in[PORTS][BYTES], out[PORTS][BYTES], due[BYTES];
  const uint8_t *rows[PORTS];
  const uint32_t length = operation == TREE_ALL_REDUCE ? (streams ? BYTES : 256) : 0;
  for (unsigned p = 0; p < PORTS; p++) {
    for (unsigned i = 0; i < BYTES; i++) in[p][i] = (uint8_t)rand();
    rows[p] = in[p];
    const struct tree_host_order order = {.operation = operation,
                                          .streams = streams,
                                          .type = INA_INT32,
                                          .length = length,
                                          .count = 1,
                                          .input = length ? in[p] : NULL,
                                          .output = length ? out[p] : NULL};
    tree_host_begin(b->lone.hosts[p], now(b), &order);
  }
  assert_int_equal(half_rings_reduce(INA_INT32, rows, PORTS, BYTES, due), 0);
  for (unsigned p = 0, i = 0; p < PORTS; p += tree_host_done(b->lone.hosts[p])) {
    assert_true(i++ < MOST);
    cycle(b);
  }
  for (unsigned p = 0; p < PORTS; p++) {
    assert_int_equal(tree_host_answer(b->lone.hosts[p])->verdict, TREE_OK);
    assert_memory_equal(out[p], due, length);
  }
}

static void serves(void **state) {
  (void)state;
  struct bench b = {0};
  const struct node_drive_calls calls = {.user = &b, .out = left, .observed = observed, .failed = failed};
  assert_ptr_equal(node_config_for(PORTS), node_config_named("node4"));
  assert_ptr_equal(node_config_for(17), NULL);
  b.d = node_drive_open(node_config_named("node4"), 1, NULL, &calls);
  assert_non_null(b.d);
  b.bus = node_drive_bus(b.d);
  assert_true(lone_node_open(&b.lone, PORTS, 1024));
  struct tree_node_config node = b.lone.node;
  assert_int_equal(tree_control_set_up(&b.bus, &node), TREE_ERROR_PATIENCE);
  assert_false(tree_control_state(&b.bus).is_open);
  node.patience_ps = node.patience_up_ps = 1000 * US;
  assert_int_equal(tree_control_set_up(&b.bus, &node), TREE_ERROR_NONE);
  assert_true(tree_control_state(&b.bus).is_open);
  run(&b, TREE_BARRIER, false);
  run(&b, TREE_ALL_REDUCE, false);
  run(&b, TREE_LOCK, false);
  const struct tree_lock cell = tree_control_cell(&b.bus, 0);
  assert_true(cell.used && cell.kept && cell.tree == LONE_NODE_SAT && cell.group == LONE_NODE_GROUP && cell.left == 1);
  run(&b, TREE_ALL_REDUCE, true);
  assert_false(tree_control_cell(&b.bus, 0).used);
  while (node_drive_still(b.d) < 10000) cycle(&b);
  assert_int_equal(b.messages, 3 * PORTS);
  assert_true(b.ends == 0 && b.asked == 1 && b.counted == 1);
  uint32_t sent = 0, bad = 0;
  for (unsigned p = 0; p < PORTS; p++) {
    assert_true(tree_control_adds_up(&b.bus, p));
    sent += tree_control_counter(&b.bus, TREE_OF_PORT, p, TREE_PORT_SENT);
    bad += tree_control_counter(&b.bus, TREE_OF_PORT, p, TREE_PORT_IN_ERROR);
    for (unsigned t = 0; t < 2; t++) {
      const struct tree_control_end end = tree_control_end(&b.bus, p, t == 1);
      assert_true(end.idle && end.fault == RC_GOOD);
    }
  }
  assert_int_equal(sent, b.frames);
  assert_true(bad > 0);
  assert_int_equal(tree_control_close(&b.bus), TREE_ERROR_NONE);
  lone_node_close(&b.lone);
  node_drive_close(b.d);
}

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(serves)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
