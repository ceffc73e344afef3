// The streaming tree: packet by packet, each child's next one is added to the others' and handed on at once; what the parent sends is replicated the same
// way. Only who holds the lock streams, so at most one operation is under way in a tree. What goes wrong ends the tree: packets of a message that
// cannot become whole are with the parent already.
#include <string.h>

#include "model/tree/tree_state.h"
#include "wire/reduce.h"
#include "wire/roce.h"

static struct rc_requester *out(const struct node_tree *t, unsigned port) { return rc_end_requester(t->ends[port]); }
static struct rc_responder *in(const struct node_tree *t, unsigned port) { return rc_end_responder(t->ends[port]); }
static unsigned mtu_of(const struct node_tree *t) { return t->configs[lowest_port(t->is.neighbours)].mtu; }

static void end_tree(struct tree_node *n, struct node_tree *t, enum tree_verdict verdict, uint8_t port) {
  tree_end(n, t, (struct tree_blame){verdict, n->config.id, port}, TREE_NO_PORT);
}

/// One of these has no room.
static bool blocked(const struct node_tree *t, uint64_t ports) {
  for (; ports != 0; ports &= ports - 1)
    if (rc_requester_room(out(t, lowest_port(ports))) == 0) return true;
  return false;
}

static void post_to(const struct node_tree *t, uint64_t ports, const struct rc_packet *p) {
  for (; ports != 0; ports &= ports - 1) rc_requester_post(out(t, lowest_port(ports)), p);
}

static void post_header(const struct node_tree *t, uint64_t ports, const struct tree_header *h) {
  uint8_t data[TREE_BYTES];
  tree_put(data, h);
  post_to(t, ports, &(struct rc_packet){.verb = RC_SEND, .first = true, .last = true, .data = data, .len = sizeof data});
}

// --- the beginning ---

/// A message that is not taken: its first packet says who wants what, and the answer why not. The rest is thrown away.
static bool refuse(struct tree_node *n, uint64_t now, struct node_tree *t, unsigned port, struct tree_header *h) {
  const bool last = rc_responder_first(in(t, port))->last;
  if (blocked(t, port_bit(port))) return false;
  h->kind = TREE_DOWN;
  h->flags = 0;
  h->verdict = TREE_DENIED;
  h->node = n->config.id;
  h->port = (uint8_t)(port + 1);
  post_header(t, port_bit(port), h);
  n->counts.refused++;
  t->discards[port] = !last;
  rc_responder_take(in(t, port), now);
  return true;
}

static void begin(const struct tree_node *n, uint64_t now, struct node_tree *t, struct node_group *g) {
  t->stream = (struct stream_operation){.active = true, .group = g, .deadline = now + n->config.patience_ps};
}

/// The first packet of a child's message, or one of a message that was refused.
static bool first_packet(struct tree_node *n, uint64_t now, struct node_tree *t, unsigned port) {
  struct stream_operation *s = &t->stream;
  const struct rc_packet *p = rc_responder_first(in(t, port));
  if (p == NULL || (s->active && (s->come & port_bit(port)) != 0)) return false;
  if (t->discards[port]) {
    t->discards[port] = !p->last;
    rc_responder_take(in(t, port), now);
    return true;
  }
  struct tree_header h;
  if (!p->first || !tree_get(p->data, p->len, &h) || h.kind != TREE_UP || h.tree != t->is.id) {
    n->counts.refused++;
    t->discards[port] = !p->last;
    rc_responder_take(in(t, port), now);
    return true;
  }
  struct node_group *g = tree_group(n, &n->trees[t->is.partner], h.group);
  // Nobody streams who does not hold the lock, or more than a message can be, or nothing.
  const bool may = g != NULL && (g->is.children & port_bit(port)) != 0 && h.length <= TREE_MOST && tree_has_vector(h.operation) &&
                   tree_locks_holds(&n->locks, t->is.id, g->is.id);
  if (!may || (s->active && s->group != g)) return refuse(n, now, t, port, &h);
  if (!s->active) begin(n, now, t, g);
  s->from[port] = h;
  s->come |= port_bit(port);
  if (s->come == g->is.children) {
    const struct tree_blame why = tree_agree(n, s->from, s->come, !g->is.up);
    if (why.verdict != TREE_OK) {
      tree_end(n, t, why, TREE_NO_PORT);
      return true;
    }
    for (uint64_t left = s->come; left != 0; left &= left - 1) {
      const unsigned c = lowest_port(left);
      if (s->from[c].flags & TREE_CARRIES) s->carrying |= port_bit(c);
      if (s->from[c].flags & TREE_WANTS) s->wanting |= port_bit(c);
    }
    s->request = s->from[lowest_port(s->come)];
    s->packets = tree_packets(s->request.length, mtu_of(t));
    s->answer = s->request;
    s->answer.kind = TREE_DOWN;
    s->answer.flags = TREE_CARRIES;
  }
  return true;
}

// --- the end ---

static void done(struct tree_node *n, struct stream_operation *s, const struct node_tree *t) {
  s->active = false;
  n->counts.operations[1]++;
  n->counts.unlocks += tree_locks_count(&n->locks, t->is.id, s->group->is.id);
}

/// The packet with this index goes to the children that want the vector; with the last one the others hear that it is done.
static void fall(struct tree_node *n, uint64_t now, struct node_tree *t, const struct rc_packet *p, bool last) {
  struct stream_operation *s = &t->stream;
  post_to(t, s->wanting, p);
  s->fallen++;
  s->deadline = now + n->config.patience_ps;
  if (!last) return;
  struct tree_header h = s->answer;
  h.flags = 0;
  post_header(t, s->come & ~s->wanting, &h);
  done(n, s, t);
}

// --- upwards ---

/// The row of packets with this index: of each child that carries, its part of the vector. NULL rows where none is; false if one is missing or wrong.
static bool row(struct tree_node *n, struct node_tree *t, const uint8_t *rows[], size_t part) {
  const struct stream_operation *s = &t->stream;
  const bool first = s->risen == 0, last = s->risen + 1 == s->packets;
  const size_t front = first ? TREE_BYTES : 0;
  for (uint64_t left = s->carrying; left != 0; left &= left - 1)
    if (rc_responder_first(in(t, lowest_port(left))) == NULL) return false;
  for (uint64_t left = s->carrying; left != 0; left &= left - 1) {
    const unsigned port = lowest_port(left);
    const struct rc_packet *p = rc_responder_first(in(t, port));
    rows[port] = p->data + front;
    if (p->first == first && p->last == last && p->len == front + part) continue;
    end_tree(n, t, TREE_DENIED, (uint8_t)(port + 1));   // a vector that ends early, or does not end
    return false;
  }
  return true;
}

/// Packets of this row are used up. Headers without a vector go with the first.
static void take_row(struct node_tree *t, uint64_t now, bool first) {
  const struct stream_operation *s = &t->stream;
  for (uint64_t left = first ? s->come : s->carrying; left != 0; left &= left - 1)
    rc_responder_take(in(t, lowest_port(left)), now);
}

/// Who carries nothing has sent a header alone.
static bool headers_alone(const struct node_tree *t) {
  const struct stream_operation *s = &t->stream;
  for (uint64_t left = s->come & ~s->carrying; left != 0; left &= left - 1) {
    const struct rc_packet *p = rc_responder_first(in(t, lowest_port(left)));
    if (!p->last || p->len != TREE_BYTES) return false;
  }
  return true;
}

static bool rise(struct tree_node *n, uint64_t now, struct node_tree *t) {
  struct stream_operation *s = &t->stream;
  if (!s->active || s->come != s->group->is.children || s->risen == s->packets) return false;
  const bool root = !s->group->is.up, first = s->risen == 0;
  if (first && !headers_alone(t)) {
    end_tree(n, t, TREE_DENIED, 0);
    return true;
  }
  struct tree_header h = s->request;
  h.flags = tree_flags(s->from, s->come);
  if (!root && blocked(t, port_bit(t->is.parent))) return false;
  if (s->carrying == 0) {   // nobody below has anything: the header alone
    take_row(t, now, true);
    post_header(t, port_bit(t->is.parent), &h);
    s->risen = s->packets;
    s->deadline = now + n->config.patience_up_ps;
    return true;
  }
  const bool last = s->risen + 1 == s->packets;
  if (root && blocked(t, last ? s->come : s->wanting)) return false;
  const uint8_t *rows[TREE_MAX_PORTS] = {NULL};
  uint8_t data[RC_MAX_MTU];
  const size_t front = first ? TREE_BYTES : 0, part = tree_part(h.length, mtu_of(t), s->risen);
  if (!row(n, t, rows, part)) return t->down;
  half_rings_reduce(h.type, rows, n->config.ports, part, data + front);
  if (first) tree_put(data, root ? &s->answer : &h);
  const struct rc_packet p = {.verb = RC_SEND, .first = first, .last = last, .data = data, .len = front + part};
  take_row(t, now, first);
  n->counts.columns++;
  s->risen++;
  s->deadline = now + (last && !root ? n->config.patience_up_ps : n->config.patience_ps);
  if (root)
    fall(n, now, t, &p, last);
  else
    rc_requester_post(out(t, t->is.parent), &p);
  return true;
}

// --- downwards ---

/// What the parent sends first must be of the operation that is under way.
static bool is_answer(const struct stream_operation *s, const struct rc_packet *p) {
  struct tree_header h;
  return p->first && tree_get(p->data, p->len, &h) && h.kind == TREE_DOWN && h.verdict == TREE_OK &&
         h.group == s->request.group && h.sequence == s->request.sequence && h.length == s->request.length &&
         ((h.flags & TREE_CARRIES) != 0) == (s->wanting != 0);
}

static bool descend(struct tree_node *n, uint64_t now, struct node_tree *t) {
  struct stream_operation *s = &t->stream;
  const struct rc_packet *p = t->is.parent == TREE_NO_PORT ? NULL : rc_responder_first(in(t, t->is.parent));
  if (p == NULL) return false;
  const uint64_t packets = s->wanting != 0 ? s->packets : 1;
  const bool last = s->fallen + 1 == packets;
  const size_t len =
      s->wanting == 0 ? TREE_BYTES : tree_part(s->request.length, mtu_of(t), s->fallen) + (s->fallen == 0 ? TREE_BYTES : 0);
  // One header says that all is done: not before all has risen.
  const bool due = s->active && s->group->is.up && s->come == s->group->is.children &&
                   (s->wanting != 0 ? s->risen > s->fallen : s->risen == s->packets);
  if (!due || (s->fallen == 0 && !is_answer(s, p)) || p->last != last || p->len != len) {
    end_tree(n, t, TREE_DENIED, (uint8_t)(t->is.parent + 1));
    return true;
  }
  if (blocked(t, last ? s->come : s->wanting)) return false;
  fall(n, now, t, p, last);
  rc_responder_take(in(t, t->is.parent), now);
  return true;
}

bool stream_step(struct tree_node *n, uint64_t now, struct node_tree *t) {
  bool moved = false;
  for (uint64_t left = node_children(t); left != 0 && !t->down; left &= left - 1)
    while (!t->down && first_packet(n, now, t, lowest_port(left))) moved = true;
  while (!t->down && rise(n, now, t)) moved = true;
  while (!t->down && descend(n, now, t)) moved = true;
  return moved;
}

void stream_expire(struct tree_node *n, uint64_t now, struct node_tree *t) {
  (void)now;
  const struct stream_operation *s = &t->stream;
  uint64_t silent = s->group->is.children & ~s->come;
  if (s->come == s->group->is.children && s->risen < s->packets)
    for (uint64_t left = s->carrying; left != 0; left &= left - 1)
      if (rc_responder_first(in(t, lowest_port(left))) == NULL) silent |= port_bit(lowest_port(left));
  // Where nobody is silent somebody has no room.
  const bool waits = silent == 0 && s->group->is.up && s->risen == s->packets && rc_responder_first(in(t, t->is.parent)) == NULL;
  const unsigned port = silent != 0 ? lowest_port(silent) + 1 : waits ? t->is.parent + 1 : 0;
  end_tree(n, t, TREE_TIME_OUT, (uint8_t)port);
}
