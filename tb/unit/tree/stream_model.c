#include "unit/tree/stream_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FRAME = 4400, WAITING = 4096 };
#define US UINT64_C(1000000)

struct stream_model {
  struct stream_setup setup;
  struct tree_node *node;
  struct rc_end *peers[STREAM_PORTS];
  uint64_t silent;
};

/// Connections of port `port`; of the low-latency tree none is used.
static struct rc_end_config config_of(const struct stream_setup *s, unsigned port, bool of_node, unsigned tree) {
  const struct conn_key down = {.src = {10, 1, 0, 1}, .dst = {10, 0, 0, (uint8_t)(port + 1)}, .qpn = 0x100 + tree};
  const struct conn_key up = {.src = {10, 0, 0, (uint8_t)(port + 1)}, .dst = {10, 1, 0, 1}, .qpn = 0x200 + tree};
  return (struct rc_end_config){
      .local_mac = {2, 0, 0, 0, of_node, (uint8_t)port},
      .peer_mac = {2, 0, 0, 0, !of_node, (uint8_t)port},
      .out = of_node ? down : up,
      .in = of_node ? up : down,
      .psn_out = of_node,
      .psn_in = !of_node,
      .mtu = s->mtu,
      .request = {.room = of_node ? STREAM_BUFFER : WAITING,
                  .ack_every = 1,
                  .timeout_ps = UINT64_MAX / 2,
                  .rnr_retries = RC_ENDLESS},
      .respond = {.room = WAITING, .coalesce = 1, .rnr_timer = 1},
  };
}

struct stream_model *stream_model_new(const struct stream_setup *s) {
  struct stream_model *m = calloc(1, sizeof *m);
  struct rc_end_config ends[2][STREAM_PORTS];
  struct tree_of_node trees[2];
  assert_non_null(m);
  m->setup = *s;
  for (unsigned t = 0; t < 2; t++) {
    trees[t] = (struct tree_of_node){.id = (uint16_t)(STREAM_TREE - 1 + t),
                                     .sat = t == 1,
                                     .partner = !t,
                                     .parent = s->parent,
                                     .neighbours = s->children,
                                     .ends = ends[t]};
    if (s->parent != TREE_NO_PORT) trees[t].neighbours |= port_bit(s->parent);
    for (unsigned p = 0; p < s->ports; p++) ends[t][p] = config_of(s, p, true, t);
  }
  for (unsigned p = 0; p < s->ports; p++) {
    const struct rc_end_config peer = config_of(s, p, false, 1);
    if ((trees[1].neighbours >> p & 1) == 0) continue;
    m->peers[p] = rc_end_new(&peer);
    assert_non_null(m->peers[p]);
  }
  m->node = tree_node_new(&(struct tree_node_config){.id = STREAM_NODE,
                                                     .ports = s->ports,
                                                     .trees = trees,
                                                     .tree_count = 2,
                                                     .groups = s->groups,
                                                     .group_count = s->group_count,
                                                     .lock_cells = 2,
                                                     .patience_ps = s->patience * US,
                                                     .patience_up_ps = s->patience_up * US});
  assert_non_null(m->node);
  return m;
}

void stream_model_free(struct stream_model *m) {
  if (m == NULL) return;
  for (unsigned p = 0; p < m->setup.ports; p++) rc_end_free(m->peers[p]);
  tree_node_free(m->node);
  free(m);
}

void stream_model_lock(struct stream_model *m, uint16_t group, uint32_t count) {
  struct tree_lock holder;
  tree_locks_drop(&m->node->locks, STREAM_TREE);
  assert_int_equal(tree_locks_take(&m->node->locks, STREAM_TREE, group, 1, count, &holder), TREE_OK);
  assert_true(tree_locks_settle(&m->node->locks, STREAM_TREE, group, 1, true));
}

/// Past the node, whose ends say nothing any more once the tree is torn down: what was posted before that is what counts.
static bool pump_port(struct stream_model *m, uint64_t now, unsigned port) {
  struct rc_end *peer = m->peers[port], *end = tree_node_end(m->node, 1, port);
  uint8_t frame[FRAME];
  bool moved = false;
  while (rc_end_ready(end, now)) {
    struct roce_packet p;
    roce_parse(frame, rc_end_next(end, now, frame, sizeof frame), &p);
    assert_true(rc_end_receive(peer, now, frame, &p));
    moved = true;
  }
  while (rc_end_ready(peer, now)) {
    const size_t len = rc_end_next(peer, now, frame, sizeof frame);
    struct roce_packet p;
    roce_parse(frame, len, &p);
    if (tree_node_down(m->node, 1)) rc_end_receive(end, now, frame, &p);
    const bool heard = (m->silent >> port & 1) == 0 || p.class == ROCE_CANDIDATE;
    if (heard) tree_node_receive(m->node, now, port, frame, len, false);
    moved = true;
  }
  return moved;
}

static void pump(struct stream_model *m, uint64_t now) {
  for (bool moved = true; moved;) {
    moved = false;
    for (unsigned p = 0; p < m->setup.ports; p++)
      if (m->peers[p] != NULL) moved |= pump_port(m, now, p);
  }
}

void stream_model_give(struct stream_model *m, uint64_t us, unsigned port, const struct stream_packet *p) {
  struct rc_requester *r = rc_end_requester(m->peers[port]);
  if (tree_node_down(m->node, 1)) return;
  assert_true(rc_requester_room(r) > 0);
  rc_requester_post(r, &(struct rc_packet){.verb = RC_SEND, .first = p->first, .last = p->last, .data = p->data, .len = p->len});
  pump(m, us * US);
}

bool stream_model_take(struct stream_model *m, unsigned port, struct stream_packet *p) {
  if (m->peers[port] == NULL) return false;
  struct rc_responder *r = rc_end_responder(m->peers[port]);
  const struct rc_packet *first = rc_responder_first(r);
  if (first == NULL) return false;
  *p = (struct stream_packet){.first = first->first, .last = first->last, .len = first->len};
  memcpy(p->data, first->data, first->len);
  rc_responder_take(r, 0);
  return true;
}

void stream_model_silence(struct stream_model *m, uint64_t ports) { m->silent = ports; }

void stream_model_time(struct stream_model *m, uint64_t us) {
  const uint64_t now = us * US;
  if (tree_node_deadline(m->node, now) <= now) tree_node_tick(m->node, now);
  pump(m, now);
}

bool stream_model_down(const struct stream_model *m, struct tree_header *why) {
  *why = m->node->trees[0].teardown;
  return tree_node_down(m->node, 1);
}

struct tree_node_counts stream_model_counts(const struct stream_model *m) {
  return tree_node_counts(m->node);
}
