#include "unit/tree/llt/low_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FRAME = 4400, ROOM = 512, SENT = 64 };

/// Messages that left by a port.
struct sent {
  struct low_message *message[SENT];
  unsigned count;
  struct low_message comes;
};

struct low_model {
  struct pair_setup setup;
  struct tree_node *node;
  struct rc_end *peers[PAIR_PORTS];
  struct sent sent[PAIR_PORTS];
};

struct low_model *low_model_new(const struct pair_setup *s) {
  const struct pair_room room = {.out = ROOM, .in = ROOM};
  struct low_model *m = calloc(1, sizeof *m);
  assert_non_null(m);
  m->setup = *s;
  // Patience is the device's: it says when it is at its end.
  m->node = pair_node(s, room, UINT64_MAX / 4, UINT64_MAX / 4);
  pair_peers(s, 0, room, m->peers);
  return m;
}

void low_model_free(struct low_model *m) {
  if (m == NULL) return;
  for (unsigned p = 0; p < m->setup.ports; p++) {
    rc_end_free(m->peers[p]);
    for (unsigned i = 0; i < m->sent[p].count; i++) free(m->sent[p].message[i]);
  }
  tree_node_free(m->node);
  free(m);
}

/// Packets that came to a neighbour become messages.
static void receive(struct low_model *m, unsigned port) {
  struct rc_responder *r = rc_end_responder(m->peers[port]);
  struct sent *s = &m->sent[port];
  for (const struct rc_packet *p; (p = rc_responder_first(r)) != NULL; rc_responder_take(r, 0)) {
    if (p->first) s->comes.len = 0;
    assert_true(s->comes.len + p->len <= sizeof s->comes.data);
    memcpy(s->comes.data + s->comes.len, p->data, p->len);
    s->comes.len += p->len;
    if (!p->last) continue;
    assert_true(s->count < SENT);
    s->message[s->count] = malloc(sizeof s->comes);
    assert_non_null(s->message[s->count]);
    *s->message[s->count++] = s->comes;
  }
}

static bool pump_port(struct low_model *m, unsigned port) {
  struct rc_end *peer = m->peers[port];
  uint8_t frame[FRAME];
  struct roce_packet p;
  bool moved = false;
  while (tree_node_ready(m->node, 0, port)) {
    roce_parse(frame, tree_node_next(m->node, 0, port, frame, sizeof frame), &p);
    assert_true(rc_end_receive(peer, 0, frame, &p));
    receive(m, port);
    moved = true;
  }
  while (rc_end_ready(peer, 0)) {
    const size_t len = rc_end_next(peer, 0, frame, sizeof frame);
    tree_node_receive(m->node, 0, port, frame, len, false);
    moved = true;
  }
  return moved;
}

static void pump(struct low_model *m) {
  for (bool moved = true; moved;) {
    moved = false;
    for (unsigned p = 0; p < m->setup.ports; p++)
      if (m->peers[p] != NULL) moved |= pump_port(m, p);
  }
}

void low_model_give(struct low_model *m, unsigned port, const struct low_message *message) {
  struct rc_requester *r = rc_end_requester(m->peers[port]);
  size_t at = 0;
  do {
    const size_t left = message->len - at, len = left < m->setup.mtu ? left : m->setup.mtu;
    assert_true(rc_requester_room(r) > 0);
    rc_requester_post(r, &(struct rc_packet){.verb = RC_SEND,
                                             .first = at == 0,
                                             .last = at + len == message->len,
                                             .data = message->data + at,
                                             .len = len});
    at += len;
  } while (at < message->len);
  pump(m);
}

void low_model_expire(struct low_model *m, unsigned group) {
  low_expire(m->node, 0, &m->node->groups[group]);
  tree_node_tick(m->node, 0);
  pump(m);
}

void low_model_end(struct low_model *m, bool both, struct tree_blame why, unsigned except) {
  tree_end(m->node, &m->node->trees[!both], why, except);
  tree_node_tick(m->node, 0);
  pump(m);
}

bool low_model_sent(struct low_model *m, unsigned port, const struct low_message *message) {
  struct sent *s = &m->sent[port];
  for (unsigned i = 0; i < s->count; i++) {
    const struct low_message *is = s->message[i];
    if (is->len != message->len || memcmp(is->data, message->data, is->len) != 0) continue;
    free(s->message[i]);
    s->count--;
    memmove(s->message + i, s->message + i + 1, (s->count - i) * sizeof *s->message);
    return true;
  }
  return false;
}

const struct low_message *low_model_left(const struct low_model *m, unsigned port) {
  return m->sent[port].count > 0 ? m->sent[port].message[0] : NULL;
}

struct tree_node *low_model_node(struct low_model *m) {
  return m->node;
}
