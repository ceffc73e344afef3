#include "unit/tree/sat/stream_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FRAME = 4400, WAITING = 4096 };
#define US UINT64_C(1000000)

struct stream_model {
  struct pair_setup setup;
  struct tree_node *node;
  struct rc_end *peers[PAIR_PORTS];
  uint64_t silent;
};

struct stream_model *stream_model_new(const struct pair_setup *s) {
  struct stream_model *m = calloc(1, sizeof *m);
  assert_non_null(m);
  m->setup = *s;
  // What the node sends waits in the device's buffer; all else has room.
  m->node = pair_node(s, (struct pair_room){.out = STREAM_BUFFER, .in = WAITING}, s->patience * US, s->patience_up * US);
  pair_peers(s, 1, (struct pair_room){.out = WAITING, .in = WAITING}, m->peers);
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
  tree_locks_drop(&m->node->locks, PAIR_SAT);
  assert_int_equal(tree_locks_take(&m->node->locks, PAIR_SAT, group, 1, count, &holder), TREE_OK);
  assert_true(tree_locks_settle(&m->node->locks, PAIR_SAT, group, 1, true));
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
