#include "unit/model/tree/tree_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wire/bytes.h"

enum { FRAME = 4400, STEP = 50000 };

static struct conn_key key(unsigned port, bool to_node, unsigned tree) {
  const struct conn_key down = {.src = {10, 1, 0, 1}, .dst = {10, 0, 0, (uint8_t)(port + 1)}, .qpn = 0x200 + tree};
  const struct conn_key up = {.src = {10, 0, 0, (uint8_t)(port + 1)}, .dst = {10, 1, 0, 1}, .qpn = 0x100 * tree + port};
  return to_node ? up : down;
}

static struct rc_end_config end_config(unsigned port, bool of_node, unsigned tree) {
  return (struct rc_end_config){
      .local_mac = {2, 0, 0, 0, of_node, (uint8_t)port},
      .peer_mac = {2, 0, 0, 0, !of_node, (uint8_t)port},
      .out = key(port, !of_node, tree),
      .in = key(port, of_node, tree),
      .psn_out = 100 + port + 50u * of_node,
      .psn_in = 100 + port + 50u * !of_node,
      .mtu = BENCH_MTU,
      .request = {.room = BENCH_ROOM, .ack_every = 1, .timeout_ps = 100000, .retries = 3, .rnr_retries = RC_ENDLESS},
      .respond = {.room = BENCH_ROOM, .coalesce = 1, .rnr_timer = 1},
  };
}

struct tree_bench bench_make(unsigned ports, uint64_t children, unsigned parent) {
  struct tree_bench b = {.ports = ports, .parent = parent, .children = children};
  struct rc_end_config ends[BENCH_TREES][TREE_MAX_PORTS];
  struct tree_of_node trees[BENCH_TREES];
  for (unsigned t = 0; t < BENCH_TREES; t++) {
    trees[t] = (struct tree_of_node){
        .id = (uint16_t)(t + 1), .sat = t % 2 == 1, .partner = t ^ 1, .parent = parent, .neighbours = children, .ends = ends[t]};
    if (parent != TREE_NO_PORT) trees[t].neighbours |= UINT64_C(1) << parent;
    trees[t].listens = t % 2 == 0;
    for (unsigned p = 0; p < ports; p++) {
      if ((trees[t].neighbours >> p & 1) == 0) continue;
      const struct rc_end_config peer = end_config(p, false, t);
      ends[t][p] = end_config(p, true, t);
      b.peers[t][p] = rc_end_new(&peer);
      assert_non_null(b.peers[t][p]);
    }
  }
  struct group_of_node groups[BENCH_GROUPS];
  for (unsigned g = 0; g < BENCH_GROUPS; g++)
    groups[g] = (struct group_of_node){.id = (uint16_t)(g + 1),
                                       .tree = g == 2 ? BENCH_LOW2 : BENCH_LOW,
                                       .children = children,
                                       .up = parent != TREE_NO_PORT};
  const struct tree_node_config c = {.id = BENCH_NODE,
                                     .ports = ports,
                                     .trees = trees,
                                     .tree_count = BENCH_TREES,
                                     .groups = groups,
                                     .group_count = BENCH_GROUPS,
                                     .lock_cells = 2,
                                     .patience_ps = BENCH_PATIENCE,
                                     .patience_up_ps = 2 * BENCH_PATIENCE};
  b.node = tree_node_new(&c);
  assert_non_null(b.node);
  return b;
}

void bench_free(struct tree_bench *b) {
  for (unsigned t = 0; t < BENCH_TREES; t++)
    for (unsigned p = 0; p < b->ports; p++) rc_end_free(b->peers[t][p]);
  tree_node_free(b->node);
}

bool bench_reopen(struct tree_bench *b, unsigned tree) {
  struct rc_end_config ends[TREE_MAX_PORTS];
  for (unsigned p = 0; p < b->ports; p++) {
    ends[p] = end_config(p, true, tree);
    ends[p].psn_out += 5000;
    ends[p].psn_in += 7000;
  }
  if (!tree_node_reopen(b->node, tree, ends)) return false;
  for (unsigned p = 0; p < b->ports; p++) {
    if (b->peers[tree][p] == NULL) continue;
    struct rc_end_config peer = end_config(p, false, tree);
    peer.psn_out += 7000;
    peer.psn_in += 5000;
    rc_end_free(b->peers[tree][p]);
    b->peers[tree][p] = rc_end_new(&peer);
    assert_non_null(b->peers[tree][p]);
  }
  return true;
}

static bool pump_port(struct tree_bench *b, unsigned port) {
  uint8_t frame[FRAME];
  bool moved = false;
  const bool silent = b->silent >> port & 1;
  while (tree_node_ready(b->node, b->now, port)) {
    const size_t len = tree_node_next(b->node, b->now, port, frame, sizeof frame);
    struct roce_packet p;
    roce_parse(frame, len, &p);
    for (unsigned t = 0; t < BENCH_TREES && !silent; t++)
      if (b->peers[t][port] != NULL && rc_end_receive(b->peers[t][port], b->now, frame, &p)) break;
    moved = true;
  }
  for (unsigned t = 0; t < BENCH_TREES; t++) {
    struct rc_end *e = b->peers[t][port];
    while (e != NULL && rc_end_ready(e, b->now)) {
      const size_t len = rc_end_next(e, b->now, frame, sizeof frame);
      if (!silent) tree_node_receive(b->node, b->now, port, frame, len, false);
      moved = true;
    }
  }
  return moved;
}

void bench_pump(struct tree_bench *b) {
  bool moved = true;
  while (moved) {
    moved = false;
    for (unsigned p = 0; p < b->ports; p++) moved |= pump_port(b, p);
  }
}

void bench_wait(struct tree_bench *b, uint64_t ps) {
  for (const uint64_t end = b->now + ps; b->now < end;) {
    b->now = b->now + STEP < end ? b->now + STEP : end;
    if (tree_node_deadline(b->node, b->now) <= b->now) tree_node_tick(b->node, b->now);
    for (unsigned t = 0; t < BENCH_TREES; t++)
      for (unsigned p = 0; p < b->ports; p++)
        if (b->peers[t][p] != NULL) rc_end_tick(b->peers[t][p], b->now);
    bench_pump(b);
  }
}

struct tree_header bench_header(unsigned tree, uint32_t sequence, uint32_t length) {
  return (struct tree_header){.kind = TREE_UP,
                              .operation = length > 0 ? TREE_ALL_REDUCE : TREE_BARRIER,
                              .flags = length > 0 ? TREE_CARRIES | TREE_WANTS : 0,
                              .tree = (uint16_t)(tree + 1),
                              .group = tree >= BENCH_LOW2 ? 3 : 1,
                              .sequence = sequence,
                              .length = length};
}

void bench_send_part(struct tree_bench *b, unsigned port, const struct tree_header *h, uint32_t value, uint64_t from,
                     uint64_t to) {
  const uint32_t length = h->flags & TREE_CARRIES ? h->length : 0;
  struct rc_requester *r = rc_end_requester(b->peers[h->tree - 1][port]);
  for (uint64_t i = from; i < to; i++) {
    uint8_t data[BENCH_MTU];
    const size_t front = i == 0 ? TREE_BYTES : 0, part = tree_part(length, BENCH_MTU, i);
    for (size_t at = 0; at + 4 <= part; at += 4) put_le32(data + front + at, value);
    if (i == 0) tree_put(data, h);
    const bool last = i + 1 == tree_packets(length, BENCH_MTU);
    assert_true(rc_requester_room(r) > 0);
    rc_requester_post(r, &(struct rc_packet){.verb = RC_SEND, .first = i == 0, .last = last, .data = data, .len = front + part});
  }
  bench_pump(b);
}

void bench_send(struct tree_bench *b, unsigned port, const struct tree_header *h, uint32_t value) {
  bench_send_part(b, port, h, value, 0, tree_packets(h->flags & TREE_CARRIES ? h->length : 0, BENCH_MTU));
}

struct rc_packet bench_take(struct tree_bench *b, unsigned tree, unsigned port, uint8_t data[RC_MAX_MTU]) {
  struct rc_responder *r = rc_end_responder(b->peers[tree][port]);
  const struct rc_packet *p = rc_responder_first(r);
  assert_non_null(p);
  struct rc_packet taken = *p;
  if (p->len > 0) memcpy(data, p->data, p->len);
  taken.data = data;
  rc_responder_take(r, b->now);
  bench_pump(b);
  return taken;
}

void bench_nothing(struct tree_bench *b, unsigned tree, unsigned port) {
  assert_null(rc_responder_first(rc_end_responder(b->peers[tree][port])));
}

struct tree_header bench_take_header(struct tree_bench *b, unsigned tree, unsigned port) {
  uint8_t data[RC_MAX_MTU];
  const struct rc_packet p = bench_take(b, tree, port, data);
  struct tree_header h;
  assert_true(p.first);
  assert_true(tree_get(data, p.len, &h));
  return h;
}

void bench_ok(struct tree_bench *b, unsigned tree, unsigned port, uint32_t length, uint32_t value) {
  for (uint64_t i = 0; i < tree_packets(length, BENCH_MTU); i++) {
    uint8_t data[RC_MAX_MTU];
    struct tree_header h;
    const size_t front = i == 0 ? TREE_BYTES : 0;
    const struct rc_packet p = bench_take(b, tree, port, data);
    assert_int_equal(p.len, front + tree_part(length, BENCH_MTU, i));
    assert_int_equal(p.first, i == 0);
    assert_int_equal(p.last, i + 1 == tree_packets(length, BENCH_MTU));
    if (i == 0) {
      assert_true(tree_get(data, p.len, &h));
      assert_int_equal(h.kind, port == b->parent ? TREE_UP : TREE_DOWN);
      assert_int_equal(h.verdict, TREE_OK);
    }
    for (size_t at = front; at + 4 <= p.len; at += 4) assert_int_equal(get_le32(data + at), value);
  }
}

void bench_all_hear(struct tree_bench *b, unsigned tree, enum tree_verdict verdict, unsigned port) {
  for (unsigned p = 0; p < b->ports; p++) {
    if ((b->children >> p & 1) == 0) continue;
    const struct tree_header h = bench_take_header(b, tree, p);
    assert_int_equal(h.verdict, verdict);
    assert_int_equal(h.flags, 0);
    if (verdict != TREE_OK) assert_int_equal(h.node, BENCH_NODE);
    assert_int_equal(h.port, port);
    bench_nothing(b, tree, p);
  }
}

void bench_lock(struct tree_bench *b, uint32_t sequence, uint32_t count) {
  struct tree_header h = bench_header(BENCH_LOW, sequence, 0);
  h.operation = TREE_LOCK;
  h.count = count;
  for (unsigned p = 0; p < b->ports; p++)
    if (b->children >> p & 1) bench_send(b, p, &h, 0);
  if (b->parent == TREE_NO_PORT) bench_all_hear(b, BENCH_LOW, TREE_OK, 0);
}

void bench_right(struct tree_bench *b, unsigned tree, uint32_t sequence) {
  const struct tree_header h = bench_header(tree, sequence, 300);
  for (unsigned p = 0; p < 3; p++) bench_send(b, p, &h, 0x3F800000);        // 1.0
  for (unsigned p = 0; p < 3; p++) bench_ok(b, tree, p, 300, 0x40400000);   // 3.0
  assert_true(tree_node_quiet(b->node));
}
