// The low-latency tree of a node: messages of its children are gathered, go up, and come down with their verdict. Locks climb it.
#include <string.h>

#include "formal/protocol/locking/state.h"

/// The script's lock that a group's host `sequence` is: all of a group's hosts ask for the same count.
static unsigned count_of(const struct locking_rules *rules, unsigned group) {
  const char *lock = strpbrk(rules->script[group], "123l");
  return lock == NULL ? 0 : lock_count(*lock);
}

static void send_down(struct locking_walk *w, unsigned node, unsigned child, struct locking_message m) {
  low_push(w->next.hop[hop_of(w->rules, node, child)].down, m);
}

/// Room for whatever a message can make a node send: it waits without.
static bool has_room(const struct locking_rules *rules, const struct locking_state *s, unsigned node) {
  for (unsigned c = 0; c <= TOP; c++) {
    const int hop = hop_of(rules, node, c);
    if (hop >= 0 && !low_room(c == TOP ? s->hop[hop].up : s->hop[hop].down)) return false;
  }
  return true;
}

/// The operation is over: its cell is kept or given back, all who took part hear how it ended.
static unsigned decide(struct locking_walk *w, unsigned node, unsigned group, enum operation operation, enum verdict verdict) {
  struct locking_node *n = &w->next.node[node];
  struct locking_operation *o = &n->group[group];
  const bool good = verdict == VERDICT_OK;
  if (operation == OPERATION_LOCK) {
    if (good || w->rules->give_back == GIVE_BACK_REQUEST) cell_settle(n, group, o->sequence, good);
    if (!good && w->rules->give_back == GIVE_BACK_ANY) memset(&n->cell, 0, sizeof n->cell);
  }
  const bool lapses = operation == OPERATION_UNLOCK && !good && verdict != VERDICT_DENIED;
  if (operation == OPERATION_UNLOCK && (good || (lapses && w->rules->lapse == LAPSE_GIVES))) {
    if (w->rules->anybody_unlocks) memset(&n->cell, 0, sizeof n->cell);
    cell_release(n, group);
  }
  for (unsigned c = 0; c < LOCKING_CHILDREN; c++) {
    if (o->come >> c & 1) send_down(w, node, c, message_of(operation, group, o->sequence, verdict));
  }
  *o = (struct locking_operation){.last = o->sequence, .last_verdict = (uint8_t)verdict};
  if (lapses && w->rules->lapse == LAPSE_ENDS) end_tree(w, node, STREAM_DOWN, LOCKING_CHILDREN + 1, false);
  return 8 * ANSWERS + verdict;
}

/// What the children that have come sent is one operation, and nobody below found anything wrong.
static enum verdict agree(const struct locking_operation *o, enum operation operation) {
  for (unsigned c = 0; c < LOCKING_CHILDREN; c++) {
    if (!(o->come >> c & 1)) continue;
    const enum verdict verdict = (enum verdict)((o->from[c] - 1) >> 2);
    if (verdict != VERDICT_OK) return verdict;
    if (((o->from[c] - 1u) & 3) != operation) return VERDICT_DENIED;
  }
  return VERDICT_OK;
}

static enum verdict take_lock(struct locking_walk *w, struct locking_node *n, unsigned group, unsigned sequence) {
  if (n->alive != ALIVE) return VERDICT_NO_TREE;
  return cell_take(n, group, sequence, count_of(w->rules, group));
}

static enum verdict try_unlock(const struct locking_walk *w, const struct locking_node *n, unsigned group) {
  if (n->stream.active && n->stream.group == group) return VERDICT_TIME_OUT;
  return cell_holds(n, group) || (w->rules->anybody_unlocks && n->cell.is != CELL_FREE) ? VERDICT_OK : VERDICT_DENIED;
}

/// All children have come, or it is too late for the others.
static unsigned complete(struct locking_walk *w, unsigned node, unsigned group, enum verdict verdict) {
  struct locking_node *n = &w->next.node[node];
  struct locking_operation *o = &n->group[group];
  const bool top = !goes_up(w->rules, node, group);
  unsigned first = 0;
  while (!(o->come >> first & 1)) first++;
  const enum operation operation = (enum operation)((o->from[first] - 1) & 3);
  if (verdict == VERDICT_OK) verdict = agree(o, operation);
  if (verdict == VERDICT_OK && operation == OPERATION_LOCK) verdict = take_lock(w, n, group, o->sequence);
  if (verdict == VERDICT_OK && operation == OPERATION_UNLOCK) verdict = try_unlock(w, n, group);
  const bool at_once = w->rules->failed == FAILED_AT_ONCE && verdict == VERDICT_LOCK_FAILED;
  if (top || at_once) return decide(w, node, group, operation, verdict);
  low_push(w->next.hop[hop_of(w->rules, node, TOP)].up, message_of(operation, group, o->sequence, verdict));
  o->phase = PHASE_WAITS;
  if (w->rules->grant == GRANT_FIRST && operation == OPERATION_LOCK && verdict == VERDICT_OK)
    return decide(w, node, group, operation, verdict);
  return 8 * (verdict == VERDICT_OK ? (unsigned)ASKS : (unsigned)SAYS_ABOVE) + verdict;
}

static unsigned reply(struct locking_walk *w, unsigned node, unsigned child, struct locking_message m, enum verdict verdict) {
  send_down(w, node, child, message_of(operation_of(m), group_in(m), sequence_in(m), verdict));
  return 8 * REFUSES + verdict;
}

static unsigned contribution(struct locking_walk *w, unsigned node, unsigned child, struct locking_message m) {
  struct locking_node *n = &w->next.node[node];
  struct locking_operation *o = &n->group[group_in(m)];
  const unsigned sequence = sequence_in(m), bit = 1u << child;
  const bool matched = w->rules->sequence == SEQUENCE_MATCHED;
  if (n->alive == BOTH_DOWN) return reply(w, node, child, m, VERDICT_NO_TREE);
  if (o->phase == PHASE_IDLE) {
    if (matched && sequence == o->last && o->last_verdict != VERDICT_OK)
      return reply(w, node, child, m, (enum verdict)o->last_verdict);
    if (matched && sequence <= o->last) return reply(w, node, child, m, VERDICT_DENIED);
    o->phase = PHASE_GATHERS;
    o->sequence = (uint8_t)sequence;
  } else if ((o->come & bit) != 0 || (matched && sequence != o->sequence)) {
    return reply(w, node, child, m, VERDICT_DENIED);
  }
  w->wrong |= sequence != o->sequence;   // two operations in one sum
  o->come |= (uint8_t)bit;
  o->from[child] = (uint8_t)(1 + operation_of(m) + 4 * m.verdict);
  if (o->phase == PHASE_GATHERS && o->come == children_of(w->rules, node, group_in(m)))
    return complete(w, node, group_in(m), VERDICT_OK);
  return 8 * JOINS;
}

static unsigned from_parent(struct locking_walk *w, unsigned node, struct locking_message m) {
  struct locking_node *n = &w->next.node[node];
  struct locking_operation *o = &n->group[group_in(m)];
  if (o->phase == PHASE_WAITS && sequence_in(m) == o->sequence)
    return decide(w, node, group_in(m), operation_of(m), (enum verdict)m.verdict);
  // Who granted it before it was asked for takes it back.
  const bool granted = w->rules->grant == GRANT_FIRST && operation_of(m) == OPERATION_LOCK && m.verdict != VERDICT_OK;
  if (granted) cell_release(n, group_in(m));
  return 8 * DROPS;
}

static void takes(struct locking_walk *w, const struct locking_state *from, unsigned node, unsigned child) {
  const int hop = hop_of(w->rules, node, child);
  if (hop < 0 || (hop >= LOCKING_HOSTS && hop_is_dead(from, (unsigned)hop))) return;
  const struct locking_message m = child == TOP ? from->hop[hop].down[0] : from->hop[hop].up[0];
  if (m.what == 0 || !has_room(w->rules, from, node)) return;
  w->next = *from;
  w->wrong = false;
  low_pop(child == TOP ? w->next.hop[hop].down : w->next.hop[hop].up);
  enum event event = child == TOP ? NODE_HEARS : NODE_TAKES;
  unsigned how = 0;
  if (operation_of(m) == OPERATION_ENDS) {
    event = NODE_HEARS_END;
    end_tree(w, node, group_in(m) != 0 ? STREAM_DOWN : BOTH_DOWN, child, true);
  } else {
    how = child == TOP ? from_parent(w, node, m) : contribution(w, node, child, m);
  }
  walk_step(w, event_label(event, 8 * node + child, m.what, how));
}

/// Patience with a child, or with the parent, is at its end.
static void expires(struct locking_walk *w, const struct locking_state *from, unsigned node, unsigned group) {
  const enum phase phase = (enum phase)from->node[node].group[group].phase;
  const bool late = phase == PHASE_WAITS && w->rules->patience == PATIENCE_LATE && !(from->cut && node == 2);
  if (phase == PHASE_IDLE || late || !has_room(w->rules, from, node)) return;
  w->next = *from;
  w->wrong = false;
  unsigned how = 0;
  if (phase == PHASE_GATHERS) {
    how = complete(w, node, group, VERDICT_TIME_OUT);
  } else if (w->rules->parent == PARENT_ALONE) {
    const struct locking_operation *o = &from->node[node].group[group];
    unsigned first = 0;
    while (!(o->come >> first & 1)) first++;
    how = decide(w, node, group, (enum operation)((o->from[first] - 1) & 3), VERDICT_TIME_OUT);
  } else {
    end_tree(w, node, BOTH_DOWN, LOCKING_CHILDREN + 1, false);
    how = 8 * ENDS;
  }
  walk_step(w, event_label(NODE_EXPIRES, 8 * node + (phase == PHASE_WAITS ? TOP : 0), group, how));
}

/// Neighbours for whom there was no room.
static void tells(struct locking_walk *w, const struct locking_state *from, unsigned node) {
  const struct locking_node *n = &from->node[node];
  for (unsigned c = 0; c <= TOP; c++) {
    if (!(n->to_tell >> c & 1)) continue;
    const int hop = hop_of(w->rules, node, c);
    if (!low_room(c == TOP ? from->hop[hop].up : from->hop[hop].down)) continue;
    w->next = *from;
    w->wrong = false;
    low_push(c == TOP ? w->next.hop[hop].up : w->next.hop[hop].down,
             message_of(OPERATION_ENDS, n->alive == STREAM_DOWN, 0, VERDICT_LOST));
    w->next.node[node].to_tell &= (uint8_t) ~(1u << c);
    walk_step(w, event_label(NODE_TELLS, 8 * node + c, 0, 0));
  }
}

/// A neighbour acknowledges nothing any more: it is dead, or the cable is; or it is alive, but its streaming tree is no more.
static void loses(struct locking_walk *w, const struct locking_state *from, unsigned node, unsigned child) {
  const int hop = hop_of(w->rules, node, child);
  if (hop < 0) return;
  const struct locking_hop *h = &from->hop[hop];
  const struct locking_node *n = &from->node[node];
  const bool dead = hop_is_dead(from, (unsigned)hop);
  const bool low = (child == TOP ? h->up : h->down)[0].what != 0,
             streams = (child == TOP ? h->stream_up : h->stream_down)[0] != 0;
  const unsigned neighbour = child == TOP          ? from->node[0].alive
                             : hop < LOCKING_HOSTS ? from->host[hop].alive
                                                   : from->node[hop - LOCKING_HOSTS + 1].alive;
  if (dead && low && n->alive != BOTH_DOWN) {
    w->next = *from;
    w->wrong = false;
    end_tree(w, node, BOTH_DOWN, child, false);
    walk_step(w, event_label(NODE_LOSES, 8 * node + child, BOTH_DOWN, 0));
  }
  if ((dead || neighbour != ALIVE) && streams && n->alive == ALIVE) {
    w->next = *from;
    w->wrong = false;
    end_tree(w, node, STREAM_DOWN, w->rules->fault == FAULT_ALL ? LOCKING_CHILDREN + 1 : child, false);
    walk_step(w, event_label(NODE_LOSES, 8 * node + child, STREAM_DOWN, 0));
  }
}

/// A connection of the streaming tree fails at its upper end: packets were taken, but their ACKs did not come through for too long.
static void fails(struct locking_walk *w, const struct locking_state *from) {
  if (!w->rules->connection_fails || from->failed || from->node[0].alive != ALIVE) return;
  w->next = *from;
  w->wrong = false;
  w->next.failed = 1;
  end_tree(w, 0, STREAM_DOWN, w->rules->fault == FAULT_ALL ? LOCKING_CHILDREN + 1 : 1, false);
  walk_step(w, event_label(CONNECTION_FAILS, 1, 0, 0));
}

void low_steps(struct locking_walk *w, const struct locking_state *from, unsigned node) {
  for (unsigned c = 0; c <= TOP; c++) {
    takes(w, from, node, c);
    loses(w, from, node, c);
  }
  for (unsigned g = 0; g < LOCKING_GROUPS; g++) expires(w, from, node, g);
  tells(w, from, node);
  if (node == 0) fails(w, from);
}
