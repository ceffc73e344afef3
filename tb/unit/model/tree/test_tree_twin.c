// The twin of a tree node sees what a device does right, and each kind of mistake. The device here is a second model, whose frames are tampered with.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hosts/tree/tree_host.h"
#include "model/tree/tree_twin.h"
#include "wire/bytes.h"

enum { HOSTS = 2, MTU = 256, LOW = 1, SAT = 2, GROUP = 7, FRAME = 1024, MOST = 2000, PAYLOAD = 80, CAST_SEQUENCE = 12 + 8 + 15 };

enum mistake {
  NONE,
  ALTERED,         // a byte of a packet that leaves
  LEFT_OUT,        // a packet that never leaves, and its repeats
  STRANGER,        // a frame of no connection
  AHEAD,           // an ACK of what has not come
  NOT_THERE,       // a decision on no message
  NOT_TOLD,        // a decision that is not told
  NOT_COUNTED,     // an operation that is counted twice
  EXPIRES,         // a group without operation
  NO_REASON,       // a tree ends, of another node
  CAST_ALTERED,    // a multicast says something else,
  CAST_LEFT_OUT,   // is missing,
  CAST_TWICE,      // or comes twice
  MISTAKES
};

struct bench {
  struct tree_node *device;
  struct tree_twin *twin;
  struct tree_host *hosts[HOSTS];
  enum mistake mistake;
  bool streams;   // the mistake is in a streaming packet
  bool made;
  uint32_t psn;   // of the packet that is left out
  uint64_t now;
};

static struct rc_end_config end_at(unsigned port, bool of_node, unsigned tree) {
  const struct conn_key down = {.src = {10, 1, 0, 1}, .dst = {10, 0, 0, (uint8_t)(port + 1)}, .qpn = 0x100 + tree};
  const struct conn_key up = {.src = {10, 0, 0, (uint8_t)(port + 1)}, .dst = {10, 1, 0, 1}, .qpn = 0x200 + tree};
  return (
      struct rc_end_config){.local_mac = {2, 0, 0, 0, of_node, (uint8_t)port},
                            .peer_mac = {2, 0, 0, 0, !of_node, (uint8_t)port},
                            .out = of_node ? down : up,
                            .in = of_node ? up : down,
                            .psn_out = of_node ? 7 : PSN_MASK,
                            .psn_in = of_node ? PSN_MASK : 7,
                            .mtu = MTU,
                            .request = {.room = 32, .ack_every = 4, .timeout_ps = 1000, .retries = 7, .rnr_retries = RC_ENDLESS},
                            .respond = {.room = 32, .coalesce = 4, .rnr_timer = 1}};
}

static struct bench make(enum mistake mistake, bool streams) {
  struct bench b = {.mistake = mistake, .streams = streams};
  struct rc_end_config ends[2][HOSTS];
  struct tree_of_node trees[2];
  const struct group_of_node group = {.id = GROUP, .children = 3};
  for (unsigned t = 0; t < 2; t++) {
    for (unsigned p = 0; p < HOSTS; p++) ends[t][p] = end_at(p, true, t);
    trees[t] = (struct tree_of_node){.id = (uint16_t)(LOW + t),
                                     .sat = t == 1,
                                     .partner = !t,
                                     .parent = TREE_NO_PORT,
                                     .neighbours = 3,
                                     .casts = t ? 0 : 3,
                                     .ends = ends[t]};
  }
  const struct tree_node_config c = {.ports = HOSTS,
                                     .trees = trees,
                                     .tree_count = 2,
                                     .groups = &group,
                                     .group_count = 1,
                                     .lock_cells = 2,
                                     .patience_ps = 1000000,
                                     .patience_up_ps = 1000000};
  b.device = tree_node_new(&c);
  b.twin = tree_twin_new(&c);
  assert_true(b.device != NULL && b.twin != NULL);
  for (unsigned p = 0; p < HOSTS; p++) {
    b.hosts[p] = tree_host_new(&(struct tree_host_config){.low = end_at(p, false, 0),
                                                          .sat = end_at(p, false, 1),
                                                          .low_tree = LOW,
                                                          .sat_tree = SAT,
                                                          .group = GROUP,
                                                          .listens = true,
                                                          .patience_ps = 10000000});
    assert_non_null(b.hosts[p]);
  }
  return b;
}

/// The mistake is made here, if it has not been.
static bool now_makes(struct bench *b, enum mistake what, bool here) {
  if (b->mistake != what || b->made || !here) return false;
  return b->made = true;
}

/// A frame goes into the device, which decides on a message of the low-latency tree at once.
static void into(struct bench *b, unsigned port, const uint8_t *frame, size_t len) {
  struct roce_packet p;
  roce_parse(frame, len, &p);
  const uint64_t streamed = tree_node_counts(b->device).operations[1];
  tree_twin_in(b->twin, port, frame, len, false);
  tree_node_receive(b->device, b->now, port, frame, len, false);
  if (p.class == ROCE_CANDIDATE && p.key.qpn == 0x200 && rc_is_last(p.opcode)) {
    if (!now_makes(b, NOT_TOLD, true)) tree_twin_message(b->twin, port);
    tree_twin_asked(b->twin);
    if (now_makes(b, NOT_THERE, true)) tree_twin_message(b->twin, port);
  }
  if (tree_node_counts(b->device).operations[1] > streamed) {
    tree_twin_counted(b->twin);
    if (now_makes(b, NOT_COUNTED, true)) tree_twin_counted(b->twin);
  }
}

static void out_of(struct bench *b, unsigned port, uint8_t *frame, size_t len) {
  uint8_t told[FRAME];
  struct roce_packet p;
  roce_parse(frame, len, &p);
  memcpy(told, frame, len);
  const bool cast = p.class == ROCE_CONTROL && p.opcode == ROCE_UD_SEND_ONLY;
  const bool data = p.class == ROCE_CANDIDATE, here = data && p.key.qpn == 0x100 + (unsigned)b->streams && len > PAYLOAD + 100;
  const bool gone = b->mistake == LEFT_OUT && b->made && data && p.key.qpn == 0x100 + (unsigned)b->streams && p.psn == b->psn;
  if (now_makes(b, ALTERED, here)) told[PAYLOAD] ^= 4;
  if (now_makes(b, STRANGER, here)) told[p.bth + 7] ^= 8;
  if (now_makes(b, AHEAD, !data && !cast)) put_be24(told + p.bth + 9, (p.psn + 20) & PSN_MASK);
  if (now_makes(b, CAST_ALTERED, cast)) told[p.bth + CAST_SEQUENCE] ^= 1;
  icrc_put(told, &p);
  if (now_makes(b, CAST_TWICE, cast)) tree_twin_out(b->twin, port, told, len);
  if (now_makes(b, CAST_LEFT_OUT, cast)) return;
  if (now_makes(b, LEFT_OUT, here))
    b->psn = p.psn;
  else if (!gone)
    tree_twin_out(b->twin, port, told, len);
  tree_host_receive(b->hosts[port], b->now, frame, len, false);
}

static void run(struct bench *b, enum tree_operation operation, bool streams, uint32_t length) {
  static uint8_t in[HOSTS][MOST], out[HOSTS][MOST];
  uint8_t frame[FRAME];
  for (unsigned p = 0; p < HOSTS; p++) {
    for (unsigned i = 0; i < length; i++) in[p][i] = (uint8_t)rand();
    const struct tree_host_order order = {.operation = operation,
                                          .streams = streams,
                                          .type = INA_INT32,
                                          .length = length,
                                          .count = 1,
                                          .input = length ? in[p] : NULL,
                                          .output = length ? out[p] : NULL};
    tree_host_begin(b->hosts[p], b->now, &order);
  }
  for (bool moved = true; moved; b->now++) {
    moved = false;
    for (unsigned p = 0; p < HOSTS; p++) {
      for (; tree_host_ready(b->hosts[p], b->now); moved = true)
        into(b, p, frame, tree_host_next(b->hosts[p], b->now, frame, sizeof frame));
      for (; tree_node_ready(b->device, b->now, p); moved = true)
        out_of(b, p, frame, tree_node_next(b->device, b->now, p, frame, sizeof frame));
    }
  }
  for (unsigned p = 0; p < HOSTS; p++) assert_true(tree_host_done(b->hosts[p]));
}

/// All kinds of operations, and what the twin says of them in the end.
static void judge(enum mistake mistake, bool streams) {
  struct bench b = make(mistake, streams);
  run(&b, TREE_BARRIER, false, 0);
  run(&b, TREE_ALL_REDUCE, false, 600);
  for (unsigned i = 0; i < 2; i++) {
    run(&b, TREE_LOCK, false, 0);
    run(&b, TREE_ALL_REDUCE, true, MOST);
  }
  const struct tree_twin_ending strange = {.verdict = TREE_LOST, .node = 3, .port = 1};
  if (now_makes(&b, EXPIRES, true)) tree_twin_expired(b.twin, 0);
  if (now_makes(&b, NO_REASON, true)) tree_twin_ended(b.twin, &strange);
  if (mistake == NONE) assert_true(tree_twin_rests(b.twin));
  tree_twin_finish(b.twin, 0);
  assert_int_equal(b.made, mistake != NONE);
  if ((tree_twin_fault(b.twin) == NULL) != (mistake == NONE)) fail_msg("mistake %u: %s", mistake, tree_twin_fault(b.twin));
  if (mistake == NONE)
    assert_int_equal(tree_twin_counts(b.twin).compared,
                     2 * (1 + 1 + 2 * (1 + 8)) + 2 * (1 + 2));   // and of a barrier and two locks
  for (unsigned p = 0; p < HOSTS; p++) tree_host_free(b.hosts[p]);
  tree_node_free(b.device);
  tree_twin_free(b.twin);
}

static void right(void **state) {
  (void)state;
  judge(NONE, false);
}

static void mistakes(void **state) {
  (void)state;
  for (enum mistake m = NONE + 1; m < MISTAKES; m++)
    for (unsigned streams = 0; streams < 2; streams++) judge(m, streams == 1);
}

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(right), cmocka_unit_test(mistakes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
