#include "model/tree/tree_twin.h"

#include <string.h>

#include "model/tree/tree_twin_state.h"
#include "wire/roce.h"

enum { FRAME = 4400, BTH_BYTES = 12 };

// --- comparing ---

uint32_t twin_key(const struct heard *i) {
  struct tree_header h;
  if (i->len < TREE_BYTES || !tree_get(i->data, TREE_BYTES, &h)) return TWIN_KEY_NONE;
  return h.kind == TREE_TEARDOWN ? TWIN_KEY_TEARDOWN : h.group;
}

bool twin_same(const struct heard *a, const struct heard *b) {
  return a->len == b->len && a->first == b->first && a->last == b->last && memcmp(a->data, b->data, a->len) == 0;
}

struct heard **twin_model_of(struct heard_list *due, const struct heard *is) {
  for (struct heard **at = &due->head; *at != NULL; at = &(*at)->next)
    if (twin_key(*at) == twin_key(is) && (!(*at)->optional || twin_same(*at, is))) return at;
  return NULL;
}

static void compare(struct tree_twin *t, unsigned tree, unsigned port) {
  struct twin_side *s = &t->sides[tree][port];
  while (s->out.head != NULL && s->due.head != NULL) {
    struct heard **at = tree == 1 ? &s->due.head : twin_model_of(&s->due, s->out.head);
    if (at == NULL) return;
    size_t byte = 0;
    while (byte < s->out.head->len && byte < (*at)->len && s->out.head->data[byte] == (*at)->data[byte]) byte++;
    if (!twin_same(*at, s->out.head))
      twin_wrong(t, "port %u, %s: what left is not what the model sent, from byte %zu of %zu on, which should be %zu", port,
                 tree == 1 ? "streaming" : "low latency", byte, s->out.head->len, (*at)->len);
    t->counts.compared++;
    heard_drop(&s->due, at);
    heard_drop(&s->out, &s->out.head);
  }
}

/// What waits at an end, of the streaming tree as packets.
static void hear(struct tree_twin *t, unsigned tree, struct rc_end *end, struct heard_list *l, struct heard_part *part) {
  if (!heard_all(l, end, tree == 1 ? NULL : part)) twin_wrong(t, "a message of more than %d bytes", HEARD_MOST);
}

// --- the model ---

/// Past the node, whose ends say nothing any more once a tree is torn down: what was posted before that is what counts.
static bool pump_side(struct tree_twin *t, unsigned tree, unsigned port) {
  struct twin_side *s = &t->sides[tree][port];
  struct rc_end *end = tree_node_end(t->node, tree, port);
  uint8_t frame[FRAME];
  struct roce_packet p;
  bool moved = false;
  while (rc_end_ready(end, 0)) {
    roce_parse(frame, rc_end_next(end, 0, frame, sizeof frame), &p);
    rc_end_receive(s->peer, 0, frame, &p);
    moved = true;
  }
  hear(t, tree, s->peer, &s->due, &s->parts[1]);
  while (rc_end_ready(s->peer, 0)) {
    const size_t len = rc_end_next(s->peer, 0, frame, sizeof frame);
    roce_parse(frame, len, &p);
    if (tree_node_down(t->node, tree)) rc_end_receive(end, 0, frame, &p);
    tree_node_receive(t->node, 0, port, frame, len, false);
    moved = true;
  }
  return moved;
}

void twin_pump(struct tree_twin *t) {
  for (bool moved = true; moved;) {
    moved = false;
    for (unsigned i = 0; i < 2; i++)
      for (unsigned p = 0; p < t->ports; p++)
        if (t->sides[i][p].peer != NULL) moved |= pump_side(t, i, p);
  }
  twin_casts_pump(t);
  for (unsigned i = 0; i < 2; i++)
    for (unsigned p = 0; p < t->ports; p++) compare(t, i, p);
}

/// A packet goes to the model.
static void post(struct twin_side *s, const uint8_t *data, size_t len, bool first, bool last) {
  rc_requester_post(rc_end_requester(s->peer),
                    &(struct rc_packet){.verb = RC_SEND, .first = first, .last = last, .data = data, .len = len});
}

/// True if the last packet of the message that begins with this one ends an operation: the parent's, or a vector's where its group turns round, and has
/// the lock; else, or if there is no such vector, it is refused.
static bool ends_operation(const struct tree_twin *t, unsigned port, const struct heard *first) {
  struct tree_header h;
  if (port == t->node->trees[1].is.parent) return true;
  if (first->len < TREE_BYTES || !tree_get(first->data, TREE_BYTES, &h) || (h.flags & TREE_CARRIES) == 0) return false;
  if (h.length > TREE_MOST || !tree_has_vector(h.operation)) return false;
  const struct node_group *g = tree_group(t->node, &t->node->trees[0], h.group);
  return g != NULL && (g->is.children & port_bit(port)) != 0 && !g->is.up &&
         tree_locks_holds(&t->node->locks, t->node->trees[1].is.id, g->is.id);
}

/// What has come in streams into the model, but for what ends an operation.
static bool stream_in(struct tree_twin *t, unsigned port) {
  struct twin_side *s = &t->sides[1][port];
  bool moved = false;
  while (s->in.head != NULL && rc_requester_room(rc_end_requester(s->peer)) > 0) {
    const struct heard *i = s->in.head;
    if (i->first) s->holds = ends_operation(t, port, i);
    if (i->last && s->holds && !s->releases && !tree_node_down(t->node, 1)) break;
    s->releases = s->releases && !i->last;
    post(s, i->data, i->len, i->first, i->last);
    heard_drop(&s->in, &s->in.head);
    moved = true;
  }
  return moved;
}

/// The low-latency tree ends: what was to leave before it may not have.
static void forget(struct tree_twin *t) {
  for (unsigned p = 0; p < t->ports; p++) {
    for (struct heard *i = t->sides[0][p].due.head; i != NULL; i = i->next) i->optional = true;
    for (struct heard *i = t->casts[p].due.head; i != NULL; i = i->next) i->optional = true;
  }
}

/// The oldest message of a port goes to the model.
static void give(struct tree_twin *t, unsigned port) {
  struct twin_side *s = &t->sides[0][port];
  const struct heard *i = s->in.head;
  struct tree_header h;
  size_t at = 0;
  if (i->len >= TREE_BYTES && tree_get(i->data, TREE_BYTES, &h) && h.kind == TREE_TEARDOWN && h.tree == t->node->trees[0].is.id)
    forget(t);
  do {
    const size_t left = i->len - at, len = left < t->mtu ? left : t->mtu;
    post(s, i->data + at, len, at == 0, at + len == i->len);
    at += len;
  } while (at < i->len);
  heard_drop(&s->in, &s->in.head);
  twin_pump(t);
}

// --- what the device took in and sent ---

void tree_twin_in(struct tree_twin *t, unsigned port, const uint8_t *frame, size_t len, bool bad) {
  struct roce_packet p;
  if (bad) return;
  roce_parse(frame, len, &p);
  if (twin_cast_in(t, port, frame, &p)) return;
  for (unsigned i = 0; i < 2; i++) {
    struct twin_side *s = &t->sides[i][port];
    if (s->ear == NULL || !rc_end_receive(s->ear, 0, frame, &p)) continue;
    hear(t, i, s->ear, &s->in, &s->parts[0]);
    if (i == 1 && stream_in(t, port)) twin_pump(t);
  }
}

/// An ACK packet: of nothing that has not come. A NAK names the packet that is missing.
static void look_at_ack(struct tree_twin *t, unsigned tree, unsigned port, const uint8_t *frame, const struct roce_packet *p) {
  const struct twin_side *s = &t->sides[tree][port];
  const uint8_t syndrome = frame[p->bth + BTH_BYTES];
  const bool ack = (syndrome & 0xE0) == 0, rnr = (syndrome & 0xE0) == AETH_RNR;
  const uint32_t expected =
      (t->node->trees[tree].configs[port].psn_in + (uint32_t)rc_responder_counts(rc_end_responder(s->ear)).packets) & PSN_MASK;
  t->counts.rnrs += rnr;
  t->counts.naks += !ack && !rnr;
  if (psn_distance(p->psn, expected) > -(int32_t)ack) twin_wrong(t, "port %u acknowledges a packet that has not come", port);
}

void tree_twin_out(struct tree_twin *t, unsigned port, const uint8_t *frame, size_t len) {
  struct roce_packet p;
  roce_parse(frame, len, &p);
  for (unsigned i = 0; i < 2; i++) {
    struct twin_side *s = &t->sides[i][port];
    if (s->mouth == NULL || !rc_end_receive(s->mouth, 0, frame, &p)) continue;
    const struct rc_responder *r = rc_end_responder(s->mouth);
    if (p.class != ROCE_CANDIDATE) look_at_ack(t, i, port, frame, &p);
    if (rc_responder_fault(r) != RC_GOOD) twin_wrong(t, "port %u sends what cannot follow what it sent", port);
    if (rc_responder_counts(r).out_of_sequence > 0) twin_wrong(t, "port %u leaves out a packet", port);
    hear(t, i, s->mouth, &s->out, &s->parts[2]);
    compare(t, i, port);
    return;
  }
  if (!twin_cast_out(t, port, frame, len)) twin_wrong(t, "port %u sends a frame that is of no connection", port);
}

// --- what it decided ---

/// A request for a lock, or to give it back, on its way up: what comes of it depends on when the cells were asked.
static bool asks_for_lock(const struct heard *i) {
  struct tree_header h;
  return i->len >= TREE_BYTES && tree_get(i->data, TREE_BYTES, &h) && h.kind == TREE_UP &&
         (h.operation == TREE_LOCK || h.operation == TREE_UNLOCK);
}

void tree_twin_asked(struct tree_twin *t) {
  if (t->waits) give(t, t->waits_port);
  t->waits = false;
}

void tree_twin_message(struct tree_twin *t, unsigned port) {
  tree_twin_asked(t);
  const struct heard *i = port < t->ports ? t->sides[0][port].in.head : NULL;
  if (i == NULL) {
    twin_wrong(t, "port %u has decided on a message that has not come", port);
    return;
  }
  t->waits = asks_for_lock(i);
  t->waits_port = port;
  if (!t->waits) give(t, port);
}

void tree_twin_expired(struct tree_twin *t, unsigned group) {
  tree_twin_asked(t);
  struct node_group *g = group < t->node->config.group_count ? &t->node->groups[group] : NULL;
  if (g == NULL || g->low.phase == LOW_IDLE || g->low.phase == LOW_ANSWERS) {
    twin_wrong(t, "group %u expires, which has no operation", group);
    return;
  }
  low_expire(t->node, 0, g);
  tree_node_tick(t->node, 0);
  twin_pump(t);
}

void tree_twin_ended(struct tree_twin *t, const struct tree_twin_ending *end) {
  tree_twin_asked(t);
  const unsigned except = end->except != 0 ? lowest_port(end->except) : TREE_NO_PORT;
  if (end->node != t->node->config.id || end->verdict == TREE_OK) twin_wrong(t, "a tree ends, and no reason is given");
  if (end->low) forget(t);
  tree_end(t->node, &t->node->trees[!end->low], (struct tree_blame){end->verdict, end->node, end->port}, except);
  tree_node_tick(t->node, 0);
  twin_pump(t);
}

void tree_twin_counted(struct tree_twin *t) {
  t->counted++;
  for (bool moved = true; moved && t->node->counts.operations[1] < t->counted;) {
    moved = false;
    for (unsigned p = 0; p < t->ports; p++) {
      struct twin_side *s = &t->sides[1][p];
      if (s->in.head == NULL) continue;
      s->releases = true;
      moved |= stream_in(t, p);
      s->releases = false;
    }
    twin_pump(t);
  }
  if (t->node->counts.operations[1] != t->counted)
    twin_wrong(t, "streaming operation %llu has ended, of the model %llu have", (unsigned long long)t->counted,
               (unsigned long long)t->node->counts.operations[1]);
}

// --- looking at it ---

bool tree_twin_rests(struct tree_twin *t) {
  tree_twin_asked(t);
  if (!tree_node_quiet(t->node)) return false;
  for (unsigned i = 0; i < 2; i++)
    for (unsigned p = 0; p < t->ports && !tree_node_down(t->node, i); p++) {
      const struct twin_side *s = &t->sides[i][p];
      const struct twin_casts *c = &t->casts[p];
      if (s->in.head != NULL || s->due.head != NULL || s->out.head != NULL) return false;
      if (i == 0 && (c->due.head != NULL || c->out.head != NULL)) return false;
    }
  return true;
}

void tree_twin_finish(struct tree_twin *t, uint64_t failed) {
  tree_twin_asked(t);
  for (unsigned i = 0; i < 2; i++)
    for (unsigned p = 0; p < t->ports; p++) {
      const struct twin_side *s = &t->sides[i][p];
      const char *of = i == 1 ? "streaming" : "low latency";
      const bool excused = tree_node_down(t->node, i) || (failed >> (2 * p + i) & 1);
      if (s->out.head != NULL) twin_wrong(t, "port %u, %s: something left that the model never sent", p, of);
      if (s->due.head != NULL && !excused) twin_wrong(t, "port %u, %s: something did not leave that the model sent", p, of);
      const struct twin_casts *c = &t->casts[p];
      if (i == 0 && c->out.head != NULL) twin_wrong(t, "port %u: something was multicast that the model never sent", p);
      if (i == 0 && c->due.head != NULL && !excused) twin_wrong(t, "port %u: the model multicasts something, the device not", p);
      if (s->in.head != NULL && !excused) twin_wrong(t, "port %u, %s: something came and was not decided on", p, of);
    }
}

const char *tree_twin_fault(const struct tree_twin *t) { return t->fault[0] != '\0' ? t->fault : NULL; }

const struct tree_node *tree_twin_node(const struct tree_twin *t) { return t->node; }

struct tree_twin_counts tree_twin_counts(const struct tree_twin *t) {
  return t->counts;
}
