// The low-latency tree: messages are taken in whole, an operation is summed at once when all children have contributed, and its answer goes to each
// of them. Locks climb it.
#include <string.h>

#include "model/tree/tree_state.h"
#include "wire/reduce.h"

// --- what goes out ---

/// An answer to one child, outside of any operation. False if there is no room for it yet.
static bool reply(struct tree_node *n, struct node_tree *t, unsigned port, const struct tree_header *request,
                  struct tree_blame why) {
  struct tree_header h = *request;
  h.kind = TREE_DOWN;
  h.flags = 0;
  h.verdict = why.verdict;
  h.node = why.node;
  h.port = why.port;
  if (!tree_post(t->ends[port], t->configs[port].mtu, &h, NULL)) return false;
  n->counts.refused++;
  return true;
}

static bool deny(struct tree_node *n, struct node_tree *t, unsigned port, const struct tree_header *request,
                 enum tree_verdict v) {
  return reply(n, t, port, request, (struct tree_blame){v, n->config.id, (uint8_t)(port + 1)});
}

/// The group's operation is decided. Locks that it took on its way are kept, or given back.
static void decide(struct tree_node *n, struct node_group *g, const struct tree_header *answer) {
  struct low_operation *o = &g->low;
  const uint16_t sat = n->trees[n->trees[g->is.tree].is.partner].is.id;
  const bool good = answer->verdict == TREE_OK;
  o->answer = *answer;
  o->phase = LOW_ANSWERS;
  o->answered = 0;
  o->deadline = UINT64_MAX;   // who does not take its answer is found by its connection
  n->counts.operations[0]++;
  n->counts.failed += !good;
  if (answer->operation == TREE_LOCK && tree_locks_settle(&n->locks, sat, g->is.id, answer->sequence, good))
    n->counts.unlocks += !good;
  if (answer->operation != TREE_UNLOCK || answer->verdict == TREE_DENIED) return;
  if (good)
    n->counts.unlocks += tree_locks_release(&n->locks, sat, g->is.id);
  else   // Somebody did not come, and the nodes above him would keep the lock: nobody may ever come.
    tree_end(n, &n->trees[n->trees[g->is.tree].is.partner], (struct tree_blame){answer->verdict, answer->node, answer->port},
             TREE_NO_PORT);
}

static void blame(struct tree_header *h, struct tree_blame why) {
  h->verdict = why.verdict;
  h->node = why.node;
  h->port = why.port;
  h->flags = 0;
}

/// The operation has failed. If a child said so, in its words, which may name who holds a lock.
static void fail(const struct low_operation *o, struct tree_header *h, struct tree_blame why) {
  for (uint64_t left = o->come; left != 0; left &= left - 1) {
    const struct tree_header *c = &o->from[lowest_port(left)];
    if (c->verdict != why.verdict || c->node != why.node) continue;
    *h = *c;
    break;
  }
  blame(h, why);
}

/// A lock request takes a cell on its way up.
static void take_lock(struct tree_node *n, const struct node_group *g, const struct node_tree *sat, struct tree_header *h) {
  struct tree_lock holder;
  const enum tree_verdict v =
      sat->down ? TREE_NO_TREE : tree_locks_take(&n->locks, sat->is.id, g->is.id, h->sequence, h->count, &holder);
  n->counts.locks += v == TREE_OK;
  if (v == TREE_OK) return;
  blame(h, (struct tree_blame){v, n->config.id, 0});
  if (v == TREE_NO_TREE) return;
  n->counts.lock_failures++;
  h->holder_tree = holder.tree;
  h->holder_group = holder.group;
  h->count = holder.left;
}

/// Only who has a lock may give it back, and not while it streams: packets would be under way that nobody owns. As all have come to unlock, what the
/// vector still lacks may never come: it is as if that had been waited for in vain, which ends the streaming tree at each node that hears of it.
static void try_unlock(struct tree_node *n, const struct node_group *g, const struct node_tree *sat, struct tree_header *h) {
  const bool streams = sat->stream.active && sat->stream.group == g;
  if (streams || !tree_locks_holds(&n->locks, sat->is.id, g->is.id))
    blame(h, (struct tree_blame){streams ? TREE_TIME_OUT : TREE_DENIED, n->config.id, 0});
}

static void add_up(const struct tree_node *n, struct low_operation *o, const struct tree_header *h) {
  const uint8_t *rows[TREE_MAX_PORTS] = {NULL};
  for (uint64_t left = o->come; left != 0; left &= left - 1) {
    const unsigned p = lowest_port(left);
    if (o->from[p].flags & TREE_CARRIES) rows[p] = o->rows + (size_t)p * TREE_LLT_MOST;
  }
  half_rings_reduce(h->type, rows, n->config.ports, h->length, o->result);
}

/// All have contributed, or it is too late for the others.
static void complete(struct tree_node *n, uint64_t now, struct node_group *g, struct tree_blame why) {
  struct low_operation *o = &g->low;
  const struct node_tree *sat = &n->trees[n->trees[g->is.tree].is.partner];
  struct tree_header h = o->from[lowest_port(o->come)];
  h.flags = tree_flags(o->from, o->come);
  if (why.verdict == TREE_OK) why = tree_agree(n, o->from, o->come, !g->is.up);
  if (why.verdict != TREE_OK)
    fail(o, &h, why);
  else if (h.operation == TREE_LOCK)
    take_lock(n, g, sat, &h);
  else if (h.operation == TREE_UNLOCK)
    try_unlock(n, g, sat, &h);
  if (h.flags & TREE_CARRIES) add_up(n, o, &h);
  if (g->is.up) {
    o->up = h;
    o->phase = LOW_RISES;
    o->deadline = now + n->config.patience_up_ps;
    return;
  }
  h.kind = TREE_DOWN;
  h.flags &= (uint8_t)~TREE_WANTS;
  decide(n, g, &h);
}

// --- what comes in ---

static void begin(const struct tree_node *n, uint64_t now, struct low_operation *o, const struct tree_header *h) {
  o->phase = LOW_GATHERS;
  o->come = 0;
  o->sequence = h->sequence;
  o->deadline = now + n->config.patience_ps;
}

static void join(struct tree_node *n, uint64_t now, struct node_group *g, unsigned port, const struct tree_header *h,
                 const uint8_t *vector) {
  struct low_operation *o = &g->low;
  o->from[port] = *h;
  o->come |= port_bit(port);
  if (h->flags & TREE_CARRIES) memcpy(o->rows + (size_t)port * TREE_LLT_MOST, vector, h->length);
  if (o->phase == LOW_GATHERS && o->come == g->is.children) complete(n, now, g, (struct tree_blame){.verdict = TREE_OK});
}

/// A child's contribution. False if it has to wait: for room, or because the operation before is still being answered.
static bool contribution(struct tree_node *n, uint64_t now, struct node_tree *t, unsigned port, const struct tree_header *h,
                         const uint8_t *vector) {
  struct node_group *g = tree_group(n, t, h->group);
  if (t->down) return deny(n, t, port, h, TREE_NO_TREE);
  if (g == NULL || (g->is.children & port_bit(port)) == 0) return deny(n, t, port, h, TREE_DENIED);
  struct low_operation *o = &g->low;
  const bool has_come = o->phase != LOW_IDLE && (o->come & port_bit(port)) != 0;
  if (o->phase == LOW_IDLE) {
    const int32_t ahead = o->any ? (int32_t)(h->sequence - o->last.sequence) : 1;
    // Too late for an operation that has failed without this one: it hears how.
    if (ahead == 0 && o->last.verdict != TREE_OK)
      return reply(n, t, port, h, (struct tree_blame){o->last.verdict, o->last.node, o->last.port});
    if (ahead <= 0) return deny(n, t, port, h, TREE_DENIED);
    begin(n, now, o, h);
  } else if (has_come && o->phase == LOW_ANSWERS && (o->answered & port_bit(port)) != 0) {
    return false;   // its next one
  } else if (has_come || h->sequence != o->sequence) {
    return deny(n, t, port, h, TREE_DENIED);   // a second operation of a busy group
  }
  join(n, now, g, port, h, vector);
  return true;
}

/// What the parent says.
static void from_parent(struct tree_node *n, struct node_tree *t, const struct tree_header *h, const uint8_t *vector) {
  struct node_group *g = tree_group(n, t, h->group);
  if (g == NULL || h->kind != TREE_DOWN || g->low.phase != LOW_WAITS || h->sequence != g->low.sequence ||
      (h->operation != g->low.up.operation && h->verdict == TREE_OK)) {
    n->counts.refused++;
    return;
  }
  if (h->flags & TREE_CARRIES) memcpy(g->low.result, vector, h->length);
  // A failure may be told in the words of a sibling who asked for something else; what fails here is what was asked here.
  struct tree_header answer = *h;
  answer.operation = g->low.up.operation;
  decide(n, g, &answer);
}

bool low_cast(struct tree_node *n, struct node_tree *t, const uint8_t *message, size_t len) {
  struct tree_header h;
  if (!tree_get(message, len, &h) || h.length > TREE_LLT_MOST) return false;
  if (len != TREE_BYTES + (h.flags & TREE_CARRIES ? h.length : 0)) return false;
  const struct node_group *g = tree_group(n, t, h.group);
  if (g == NULL || h.kind != TREE_DOWN || h.verdict != TREE_OK || h.tree != t->is.id || g->low.phase != LOW_WAITS ||
      h.sequence != g->low.sequence || h.operation != g->low.up.operation)
    return false;
  if (!cast_copies_add(&t->copies, &h, message + TREE_BYTES, len - TREE_BYTES)) return false;
  n->counts.casts_taken++;
  from_parent(n, t, &h, message + TREE_BYTES);
  return true;
}

/// The tree of this number is no more: it, or its partner.
static void ended(struct tree_node *n, struct node_tree *t, unsigned port, const struct tree_header *h) {
  struct node_tree *sat = &n->trees[t->is.partner];
  const struct tree_blame why = {h->verdict, h->node, h->port};
  if (h->tree == t->is.id || h->tree == sat->is.id) tree_end(n, h->tree == t->is.id ? t : sat, why, port);
}

/// A whole message. False if it has to wait.
static bool message(struct tree_node *n, uint64_t now, struct node_tree *t, unsigned port) {
  const struct tree_inbox *in = t->inbox[port];
  struct tree_header h;
  if (in->len < TREE_BYTES || !tree_get(in->data, TREE_BYTES, &h)) {
    n->counts.refused++;
    return true;
  }
  const size_t vector = h.flags & TREE_CARRIES ? h.length : 0;
  const bool good = h.length <= TREE_LLT_MOST && in->len == TREE_BYTES + vector && h.tree == t->is.id;
  if (h.kind == TREE_TEARDOWN)
    ended(n, t, port, &h);
  else if (port == t->is.parent && good && cast_copies_begin(&t->copies, &h))
    n->counts.refused += !cast_copies_more(&t->copies, in->data + TREE_BYTES, vector, true);
  else if (port == t->is.parent && good)
    from_parent(n, t, &h, in->data + TREE_BYTES);
  else if (port != t->is.parent && h.kind == TREE_UP)
    return good ? contribution(n, now, t, port, &h, in->data + TREE_BYTES)
                : deny(n, t, port, &h, h.tree == t->is.id ? TREE_DENIED : TREE_NO_TREE);
  else
    n->counts.refused++;
  return true;
}

/// Takes packets in until a message is whole.
static bool take_in(struct node_tree *t, uint64_t now, unsigned port) {
  struct rc_responder *r = rc_end_responder(t->ends[port]);
  struct tree_inbox *in = t->inbox[port];
  const struct rc_packet *p = in->whole ? NULL : rc_responder_first(r);
  if (p == NULL) return false;
  if (p->first) in->len = 0;
  const size_t room = in->len < sizeof in->data ? sizeof in->data - in->len : 0, part = p->len < room ? p->len : room;
  if (part > 0) memcpy(in->data + in->len, p->data, part);
  in->len += p->len;
  in->whole = p->last;
  rc_responder_take(r, now);
  return true;
}

// --- steps ---

static bool send_up(struct tree_node *n, struct node_group *g) {
  struct low_operation *o = &g->low;
  struct node_tree *t = &n->trees[g->is.tree];
  if (o->phase != LOW_RISES || !tree_post(t->ends[t->is.parent], t->configs[t->is.parent].mtu, &o->up, o->result)) return false;
  o->phase = LOW_WAITS;
  return true;
}

static bool send_answers(struct tree_node *n, struct node_group *g) {
  struct low_operation *o = &g->low;
  struct node_tree *t = &n->trees[g->is.tree];
  if (o->phase != LOW_ANSWERS) return false;
  bool moved = false;
  for (uint64_t left = o->come & ~o->answered; left != 0; left &= left - 1) {
    const unsigned p = lowest_port(left);
    struct tree_header h = o->answer;
    if ((o->from[p].flags & TREE_WANTS) == 0) h.flags = 0;
    if (!tree_post(t->ends[p], t->configs[p].mtu, &h, o->result)) continue;
    n->counts.casts += tree_cast_message(t, p, &h, o->result);
    o->answered |= port_bit(p);
    moved = true;
  }
  if (o->answered != o->come) return moved;
  o->any = true;
  o->last = o->answer;
  o->phase = LOW_IDLE;
  return true;
}

bool low_step(struct tree_node *n, uint64_t now, struct node_tree *t) {
  bool moved = false;
  for (unsigned p = 0; p < n->config.ports; p++) {
    if (t->ends[p] == NULL) continue;
    while (take_in(t, now, p)) moved = true;
    if (!t->inbox[p]->whole || !message(n, now, t, p)) continue;
    t->inbox[p]->whole = false;
    moved = true;
  }
  for (struct node_group *g = n->groups; g < n->groups + n->config.group_count; g++) {
    if (&n->trees[g->is.tree] != t || t->down) continue;
    moved |= send_up(n, g);
    moved |= send_answers(n, g);
  }
  return moved;
}

void low_expire(struct tree_node *n, uint64_t now, struct node_group *g) {
  struct low_operation *o = &g->low;
  struct tree_blame why = {.verdict = TREE_TIME_OUT, .node = n->config.id};
  if (o->phase == LOW_GATHERS) {
    why.port = (uint8_t)(lowest_port(g->is.children & ~o->come) + 1);
    complete(n, now, g, why);
    return;
  }
  // What has gone up is decided above: who says something else here gives a lock back that others hear they have.
  struct node_tree *t = &n->trees[g->is.tree];
  why.port = (uint8_t)(t->is.parent + 1);
  tree_end(n, t, why, TREE_NO_PORT);
}
