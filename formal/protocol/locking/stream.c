// The streaming tree of a node: packets of all children make one, which goes on at once; what comes down is replicated.
#include <string.h>

#include "formal/protocol/locking/state.h"

static bool is_denied(unsigned packet) { return ((packet - 1) & 1) != 0; }
static unsigned group_at(unsigned packet) { return (packet - 1) >> 1 & 1; }
static unsigned index_at(unsigned packet) { return (packet - 1) >> 2 & 1; }
static unsigned sequence_at(unsigned packet) { return (packet - 1) >> 3; }

static uint8_t *up_of(struct locking_walk *w, unsigned node, unsigned child) {
  return w->next.hop[hop_of(w->rules, node, child)].stream_up;
}

static uint8_t *down_of(struct locking_walk *w, unsigned node, unsigned child) {
  return w->next.hop[hop_of(w->rules, node, child)].stream_down;
}

/// The first packet of a child's message, or one of a message that was refused.
static void looks(struct locking_walk *w, const struct locking_state *from, unsigned node, unsigned child) {
  const int hop = hop_of(w->rules, node, child);
  if (hop < 0 || from->node[node].alive != ALIVE) return;
  if (hop >= LOCKING_HOSTS && hop_is_dead(from, (unsigned)hop)) return;
  const unsigned packet = from->hop[hop].stream_up[0], bit = 1u << child;
  if (packet == 0 || (from->node[node].stream.active && (from->node[node].stream.come & bit) != 0)) return;
  w->next = *from;
  w->wrong = false;
  struct locking_node *n = &w->next.node[node];
  const unsigned group = group_at(packet);
  const bool last = index_at(packet) + 1 == w->rules->packets, rest = (n->stream.discards & bit) != 0;
  const bool may = w->rules->no_gate || cell_holds(n, group);
  enum outcome_of_node outcome = JOINS;
  if (rest || index_at(packet) != 0) {
    stream_pop(up_of(w, node, child));
    n->stream.discards = (uint8_t)(last ? n->stream.discards & ~bit : n->stream.discards | bit);
    outcome = DROPS;
  } else if (!may || (n->stream.active && n->stream.group != group)) {
    if (!stream_room(w->rules, from->hop[hop].stream_down)) return;
    stream_push(down_of(w, node, child), packet_of(group, sequence_at(packet), 0, true));
    stream_pop(up_of(w, node, child));
    if (!last) n->stream.discards |= (uint8_t)bit;
    outcome = REFUSES;
  } else {
    n->stream.active = 1;
    n->stream.group = (uint8_t)group;
    n->stream.come |= (uint8_t)bit;
  }
  walk_step(w, event_label(NODE_LOOKS, 8 * node + child, packet, 8 * outcome));
}

static void done(struct locking_walk *w, unsigned node) {
  struct locking_node *n = &w->next.node[node];
  const unsigned group = n->stream.group;
  const uint8_t discards = n->stream.discards;
  memset(&n->stream, 0, sizeof n->stream);
  n->stream.discards = discards;
  if (w->rules->count == COUNT_EACH || !goes_up(w->rules, node, group)) cell_count(n, group);
}

/// A packet for the children; with the last one the operation is done.
static void fall(struct locking_walk *w, unsigned node) {
  struct locking_node *n = &w->next.node[node];
  for (unsigned c = 0; c < LOCKING_CHILDREN; c++) {
    if (n->stream.come >> c & 1)
      stream_push(down_of(w, node, c), packet_of(n->stream.group, n->stream.sequence, n->stream.fallen, false));
  }
  if (++n->stream.fallen == w->rules->packets) done(w, node);
}

static bool room_below(const struct locking_walk *w, const struct locking_state *from, unsigned node) {
  for (unsigned c = 0; c < LOCKING_CHILDREN; c++) {
    if (!(from->node[node].stream.come >> c & 1)) continue;
    if (!stream_room(w->rules, from->hop[hop_of(w->rules, node, c)].stream_down)) return false;
  }
  return true;
}

/// The next packets of all children are added.
static void adds(struct locking_walk *w, const struct locking_state *from, unsigned node) {
  const struct locking_node *was = &from->node[node];
  const unsigned group = was->stream.group, children = children_of(w->rules, node, group);
  if (was->alive != ALIVE || !was->stream.active || was->stream.come != children || was->stream.risen == w->rules->packets)
    return;
  const bool top = !goes_up(w->rules, node, group);
  if (top ? !room_below(w, from, node) : !stream_room(w->rules, from->hop[hop_of(w->rules, node, TOP)].stream_up)) return;
  unsigned one = 0;
  bool same = true;
  for (unsigned c = 0; c < LOCKING_CHILDREN; c++) {
    if (!(children >> c & 1)) continue;
    const unsigned packet = from->hop[hop_of(w->rules, node, c)].stream_up[0];
    if (packet == 0) return;
    if (one == 0) one = packet;
    same &= packet == one;
  }
  w->next = *from;
  struct locking_node *n = &w->next.node[node];
  if (!same || index_at(one) != was->stream.risen) {
    w->wrong = false;
    end_tree(w, node, STREAM_DOWN, LOCKING_CHILDREN + 1, false);
    walk_step(w, event_label(NODE_ADDS, 8 * node, one, 8 * ENDS));
    return;
  }
  w->wrong = !cell_holds(n, group) || group_at(one) != group;   // a packet is added for who does not hold the lock
  for (unsigned c = 0; c < LOCKING_CHILDREN; c++) {
    if (children >> c & 1) stream_pop(up_of(w, node, c));
  }
  n->stream.sequence = (uint8_t)sequence_at(one);
  n->stream.risen++;
  if (top) {
    fall(w, node);
  } else {
    stream_push(up_of(w, node, TOP), packet_of(group, n->stream.sequence, n->stream.risen - 1u, false));
  }
  walk_step(w, event_label(NODE_ADDS, 8 * node, one, 0));
}

/// The parent's next packet is replicated.
static void passes(struct locking_walk *w, const struct locking_state *from, unsigned node) {
  const int hop = hop_of(w->rules, node, TOP);
  const struct locking_node *was = &from->node[node];
  if (hop < 0 || was->alive != ALIVE || hop_is_dead(from, (unsigned)hop)) return;
  const unsigned packet = from->hop[hop].stream_down[0];
  if (packet == 0) return;
  const bool due = was->stream.active && was->stream.come == children_of(w->rules, node, was->stream.group) &&
                   was->stream.risen > was->stream.fallen && !is_denied(packet) && group_at(packet) == was->stream.group &&
                   sequence_at(packet) == was->stream.sequence && index_at(packet) == was->stream.fallen;
  if (due && !room_below(w, from, node)) return;
  w->next = *from;
  w->wrong = false;
  stream_pop(w->next.hop[hop].stream_down);
  if (due) {
    fall(w, node);
  } else {
    end_tree(w, node, STREAM_DOWN, LOCKING_CHILDREN + 1, false);
  }
  walk_step(w, event_label(NODE_PASSES, 8 * node, packet, due ? 0 : 8 * ENDS));
}

/// Somebody is silent for too long.
static void expires(struct locking_walk *w, const struct locking_state *from, unsigned node) {
  const struct locking_node *n = &from->node[node];
  if (n->alive != ALIVE || !n->stream.active) return;
  const unsigned children = children_of(w->rules, node, n->stream.group);
  bool silent = false;
  for (unsigned c = 0; c < LOCKING_CHILDREN; c++) {
    const bool of_group = (children >> c & 1) != 0, has_come = (n->stream.come >> c & 1) != 0;
    if (!of_group || n->stream.risen == w->rules->packets) continue;
    silent |= !has_come || from->hop[hop_of(w->rules, node, c)].stream_up[0] == 0;
  }
  const bool never = (from->cut || from->failed) && node == 2;   // nothing comes from above any more
  if (!silent && !never && w->rules->patience == PATIENCE_LATE) return;
  w->next = *from;
  w->wrong = false;
  end_tree(w, node, STREAM_DOWN, LOCKING_CHILDREN + 1, false);
  walk_step(w, event_label(NODE_STREAM_EXPIRES, 8 * node, n->stream.group, 8 * ENDS));
}

void stream_steps(struct locking_walk *w, const struct locking_state *from, unsigned node) {
  for (unsigned c = 0; c < LOCKING_CHILDREN; c++) looks(w, from, node, c);
  adds(w, from, node);
  passes(w, from, node);
  expires(w, from, node);
}
