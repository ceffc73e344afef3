// How long an idle tree node takes: from the last beat of the last host's frame to the first beat of the answer, of a device in RTL with a host behind each
// of its ports, one after the other.
#include <stdio.h>
#include <stdlib.h>

#include "drive/tree/node_drive.h"
#include "hosts/tree/lone_node.h"
#include "sim/bench/measure.h"

enum {
  MTU = 1024,
  FRAME = 4400,
  ACK_MOST = 82,   // bytes of a frame that is an ACK
  BETWEEN = 100,   // cycles from one host's beginning to the next one's
  IDLE = 2000,     // without a beat
  MOST = 100000    // cycles of an operation
};

struct idle {
  struct node_drive *d;
  struct lone_node lone;
  unsigned hosts;
  bool data[LONE_NODE_PORTS];   // what goes in is more than an ACK
  uint64_t came, left;          // cycles; `left` 0: nothing that is more than an ACK yet
  bool failed;
};

static uint64_t now(const struct idle *b) { return node_drive_cycles(b->d) * NODE_DRIVE_CYCLE_PS; }

static void out(void *user, unsigned port, const uint8_t *frame, size_t len) {
  struct idle *b = user;
  if (len > ACK_MOST && b->left == 0) b->left = node_drive_began(b->d, port);
  tree_host_receive(b->lone.hosts[port], now(b), frame, len, false);
}

static void observed(void *user, const struct node_observed *event) {
  (void)user;
  (void)event;
}

static void failed(void *user, uint64_t cycle, const char *where) {
  (void)cycle;
  (void)where;
  ((struct idle *)user)->failed = true;
}

static void step(struct idle *b) {
  uint8_t frame[FRAME];
  for (unsigned p = 0; p < b->hosts; p++) {
    struct tree_host *h = b->lone.hosts[p];
    if (tree_host_deadline(h, now(b)) <= now(b)) tree_host_tick(h, now(b));
    if (node_drive_offered(b->d, p) || !tree_host_ready(h, now(b))) continue;
    const size_t len = tree_host_next(h, now(b), frame, sizeof frame);
    b->data[p] = len > ACK_MOST;
    node_drive_offer(b->d, p, frame, len, false);
  }
  const uint64_t cycle = node_drive_cycles(b->d);
  node_drive_tick(b->d, UINT64_MAX);
  for (unsigned p = 0; p < b->hosts; p++) {
    if (!b->data[p] || node_drive_offered(b->d, p)) continue;
    b->came = cycle;
    b->data[p] = false;
  }
}

/// Cycles that an operation takes in the node, which is idle before it. Negative if it did not end well.
static int through(struct idle *b, struct tree_host_order order) {
  static uint8_t input[MTU], output[LONE_NODE_PORTS][MTU];
  while (node_drive_still(b->d) < IDLE && !b->failed) step(b);
  b->left = 0;
  for (unsigned p = 0; p < b->hosts; p++) {
    order.input = order.length > 0 ? input : NULL;
    order.output = order.length > 0 ? output[p] : NULL;
    for (unsigned i = 0; p > 0 && i < BETWEEN; i++) step(b);
    tree_host_begin(b->lone.hosts[p], now(b), &order);
  }
  for (unsigned p = 0, i = 0; p < b->hosts; p += tree_host_done(b->lone.hosts[p])) {
    if (i++ == MOST || b->failed) return -1;
    step(b);
  }
  for (unsigned p = 0; p < b->hosts; p++)
    if (tree_host_answer(b->lone.hosts[p])->verdict != TREE_OK) return -1;
  return b->left > b->came ? (int)(b->left - b->came) : -1;
}

static bool measured(struct measure *m, const char *name, int cycles, unsigned most, const char *what) {
  if (cycles < 0) return measure_fail(m, "%s: no answer that is right", name);
  struct figure *f = measure_add(m, name, cycles, 0, "cycles", "%s", what);
  if (most > 0) f->high = most;
  return true;
}

static bool measure_all(struct measure *m, struct idle *b) {
  const struct tree_host_order lock = {.operation = TREE_LOCK, .count = 0}, barrier = {.operation = TREE_BARRIER};
  const struct tree_host_order low = {.operation = TREE_ALL_REDUCE, .type = INA_FP16, .length = 64};
  struct tree_host_order sat = {.operation = TREE_ALL_REDUCE, .streams = true, .type = INA_FP32, .length = 64 - TREE_BYTES};
  if (through(b, lock) < 0) return measure_fail(m, "no lock");
  const int row = through(b, sat), rings = 6 + 5 * (int)b->hosts / 2;
  char stages[100];
  snprintf(stages, sizeof stages, "half rings of %u ports %d, ports and headers %d: a packet of one row, streaming", b->hosts,
           rings, row - rings);
  if (!measured(m, "tree_latency_row_cycles", row, 64, stages)) return false;
  sat.length = MTU - TREE_BYTES;
  return measured(m, "tree_latency_1k_cycles", through(b, sat), 0,
                  "the same of sixteen rows: a packet leaves once it is whole") &&
         measured(m, "tree_latency_barrier_cycles", through(b, barrier), 0,
                  "the children's headers are read one after the other") &&
         measured(m, "tree_latency_64_cycles", through(b, low), 100,
                  "64 B of FP16, low latency: one set of lanes adds child after child, in two passes");
}

bool measure_tree_idle(struct measure *m, const struct measurement *what) {
  const unsigned hosts = m->quick ? 4 : what->hosts;
  struct idle *b = calloc(1, sizeof *b);
  if (b == NULL) return measure_fail(m, "out of memory");
  const struct node_drive_calls calls = {.user = b, .out = out, .observed = observed, .failed = failed};
  b->hosts = hosts;
  b->d = node_drive_open(node_config_for(hosts), m->seed, NULL, &calls);
  bool good = false;
  if (b->d == NULL || !lone_node_open(&b->lone, hosts, MTU)) {
    measure_fail(m, "no device of %u ports", hosts);
  } else {
    const struct tree_bus bus = node_drive_bus(b->d);
    b->lone.node.patience_ps = b->lone.node.patience_up_ps = UINT64_C(1000000000);
    good = tree_control_set_up(&bus, &b->lone.node) == TREE_ERROR_NONE ? measure_all(m, b)
                                                                       : measure_fail(m, "the device refuses to be set up");
  }
  lone_node_close(&b->lone);
  if (b->d != NULL) node_drive_close(b->d);
  free(b);
  return good;
}
