#include "formal/protocol/locking/model.h"

#include <stddef.h>
#include <string.h>

#include "formal/protocol/locking/state.h"

void end_tree(struct locking_walk *w, unsigned node, enum tree_alive what, unsigned except, bool told) {
  struct locking_node *n = &w->next.node[node];
  if (n->alive >= what) return;
  const bool had = n->alive == ALIVE;
  n->alive = (uint8_t)what;
  n->to_tell = 0;
  memset(&n->stream, 0, sizeof n->stream);
  if (had && !(told && w->rules->teardown == TEARDOWN_FINDER)) memset(&n->cell, 0, sizeof n->cell);
  for (unsigned g = 0; g < LOCKING_GROUPS && what == BOTH_DOWN; g++) {
    struct locking_operation *o = &n->group[g];
    *o = (struct locking_operation){.last = o->last, .last_verdict = o->last_verdict};
  }
  for (unsigned c = 0; c <= TOP && w->rules->teardown != TEARDOWN_SILENT; c++) {
    const int hop = hop_of(w->rules, node, c);
    if (hop < 0 || c == except) continue;
    struct locking_message *fifo = c == TOP ? w->next.hop[hop].up : w->next.hop[hop].down;
    if (low_room(fifo)) {
      low_push(fifo, message_of(OPERATION_ENDS, what == STREAM_DOWN, 0, VERDICT_LOST));
    } else {
      n->to_tell |= (uint8_t)(1u << c);
    }
  }
}

/// Of what nobody takes any more it counts only that it is there.
static void forget_low(struct locking_message *fifo) {
  if (fifo[0].what == 0) return;
  memset(fifo, 0, LOW_ROOM * sizeof *fifo);
  fifo[0] = message_of(OPERATION_ENDS, 0, 0, VERDICT_LOST);
}

static void forget_stream(uint8_t *fifo) {
  fifo[0] = fifo[0] != 0;
  fifo[1] = 0;
}

/// States that differ in nothing that can ever be seen are one.
static void tidy(const struct locking_rules *rules, struct locking_state *s) {
  for (unsigned h = 0; h < HOPS; h++) {
    const bool host = h < LOCKING_HOSTS;
    const unsigned above = host ? node_of(rules, h) : 0, below = host ? s->host[h].alive : s->node[h - LOCKING_HOSTS + 1].alive;
    struct locking_hop *hop = &s->hop[h];
    if (hop_is_dead(s, h)) {
      forget_low(hop->down);
      forget_stream(hop->stream_down);
      if (!host) forget_low(hop->up), forget_stream(hop->stream_up);
    }
    const bool gone = s->node[above].alive != ALIVE;
    if (gone && (below != ALIVE || (host && s->host[h].dead))) memset(hop->stream_up, 0, sizeof hop->stream_up);
    if (gone && (below != ALIVE || hop_is_dead(s, h))) memset(hop->stream_down, 0, sizeof hop->stream_down);
  }
}

/// A tree has one owner: where the top of a group keeps its lock no node of the group's tree is another's.
static bool two_owners(const struct locking_rules *rules, const struct locking_state *s) {
  for (unsigned g = 0; g < LOCKING_GROUPS; g++) {
    bool kept = false, other = false;
    for (unsigned n = 0; n < nodes_of(rules); n++) {
      if (children_of(rules, n, g) == 0) continue;
      kept |= !goes_up(rules, n, g) && cell_holds(&s->node[n], g);
      other |= s->node[n].cell.is != CELL_FREE && s->node[n].cell.group != g;
    }
    if (kept && other) return true;
  }
  return false;
}

void walk_step(struct locking_walk *w, uint32_t label) {
  tidy(w->rules, &w->next);
  step(w->out, &w->next, label, w->wrong || two_owners(w->rules, &w->next));
}

static void breaks(struct locking_walk *w, const struct locking_state *from) {
  if (!w->rules->cut || from->cut) return;
  w->next = *from;
  w->wrong = false;
  w->next.cut = 1;
  walk_step(w, event_label(CABLE_BREAKS, 0, 0, 0));
}

static void successors(const void *config, const void *state, struct steps *out) {
  struct locking_walk w = {.rules = config, .out = out};
  for (unsigned h = 0; h < LOCKING_HOSTS; h++) host_steps(&w, state, h);
  for (unsigned n = 0; n < nodes_of(w.rules); n++) {
    low_steps(&w, state, n);
    stream_steps(&w, state, n);
  }
  breaks(&w, state);
}

static void initial(const void *config, void *state) {
  const struct locking_rules *rules = config;
  struct locking_state *s = state;
  for (unsigned h = 0; h < LOCKING_HOSTS; h++)
    s->host[h].retries = rules->script[group_of(rules, h)][0] != '\0' ? (uint8_t)rules->retries : 0;
}

static bool is_empty(const struct locking_rules *rules, const struct locking_state *s, unsigned h) {
  const bool host = h < LOCKING_HOSTS, dead = hop_is_dead(s, h);
  const unsigned above = host ? node_of(rules, h) : 0, below = host ? s->host[h].alive : s->node[h - LOCKING_HOSTS + 1].alive;
  const struct locking_hop *hop = &s->hop[h];
  if ((hop->up[0].what != 0 && (host || !dead)) || (hop->down[0].what != 0 && !dead)) return false;
  return (hop->stream_up[0] == 0 || (dead && !host) || s->node[above].alive != ALIVE) &&
         (hop->stream_down[0] == 0 || dead || below != ALIVE);
}

static bool complete(const void *config, const void *state) {
  const struct locking_rules *rules = config;
  const struct locking_state *s = state;
  for (unsigned h = 0; h < LOCKING_HOSTS; h++) {
    const struct locking_host *host = &s->host[h];
    if (!host->dead && (host->active || rules->script[group_of(rules, h)][host->position] != '\0')) return false;
  }
  for (unsigned n = 0; n < nodes_of(rules); n++) {
    const struct locking_node *node = &s->node[n];
    if (node->cell.is != CELL_FREE || node->stream.active || node->to_tell != 0) return false;
    for (unsigned g = 0; g < LOCKING_GROUPS; g++) {
      if (node->group[g].phase != PHASE_IDLE) return false;
    }
  }
  for (unsigned h = 0; h < HOPS; h++) {
    if (!is_empty(rules, s, h)) return false;
  }
  return true;
}

// --- layout ---

#define FIELD(most, ...) layout_add(l, offsetof(struct locking_state, __VA_ARGS__), most)

static void lay_hop(struct layout *l, unsigned h) {
  for (unsigned i = 0; i < LOW_ROOM; i++) {
    FIELD(8 * (SEQUENCE_MOST + 1), hop[h].up[i].what);
    FIELD(VERDICTS - 1, hop[h].up[i].verdict);
    FIELD(8 * (SEQUENCE_MOST + 1), hop[h].down[i].what);
    FIELD(VERDICTS - 1, hop[h].down[i].verdict);
  }
  for (unsigned i = 0; i < STREAM_ROOM; i++) {
    FIELD(8 * (SEQUENCE_MOST + 1), hop[h].stream_up[i]);
    FIELD(8 * (SEQUENCE_MOST + 1), hop[h].stream_down[i]);
  }
}

static void lay_host(struct layout *l, unsigned h) {
  FIELD(SCRIPT_MOST, host[h].position);
  FIELD(SEQUENCE_MOST, host[h].sequence);
  FIELD(1, host[h].active);
  FIELD(STREAM_ROOM, host[h].posted);
  FIELD(SEQUENCE_MOST, host[h].retries);
  FIELD(BOTH_DOWN, host[h].alive);
  FIELD(1, host[h].dead);
}

static void lay_node(struct layout *l, unsigned n) {
  for (unsigned g = 0; g < LOCKING_GROUPS; g++) {
    FIELD(PHASE_WAITS, node[n].group[g].phase);
    FIELD(15, node[n].group[g].come);
    FIELD(SEQUENCE_MOST, node[n].group[g].sequence);
    for (unsigned c = 0; c < LOCKING_CHILDREN; c++) FIELD(4 * VERDICTS, node[n].group[g].from[c]);
    FIELD(SEQUENCE_MOST, node[n].group[g].last);
    FIELD(VERDICTS - 1, node[n].group[g].last_verdict);
  }
  FIELD(CELL_KEPT, node[n].cell.is);
  FIELD(1, node[n].cell.group);
  FIELD(SEQUENCE_MOST, node[n].cell.sequence);
  FIELD(3, node[n].cell.left);
  FIELD(1, node[n].stream.active);
  FIELD(1, node[n].stream.group);
  FIELD(15, node[n].stream.come);
  FIELD(STREAM_ROOM, node[n].stream.risen);
  FIELD(STREAM_ROOM, node[n].stream.fallen);
  FIELD(SEQUENCE_MOST, node[n].stream.sequence);
  FIELD(15, node[n].stream.discards);
  FIELD(BOTH_DOWN, node[n].alive);
  FIELD(31, node[n].to_tell);
}

struct rule_model locking_model(const struct locking_rules *rules) {
  struct rule_model m = {.config = rules, .initial = initial, .complete = complete, .successors = successors};
  struct layout *l = &m.layout;
  for (unsigned h = 0; h < (rules->shape == SHAPE_ALONE ? LOCKING_HOSTS : HOPS); h++) lay_hop(l, h);
  for (unsigned h = 0; h < LOCKING_HOSTS; h++) lay_host(l, h);
  for (unsigned n = 0; n < nodes_of(rules); n++) lay_node(l, n);
  FIELD(1, cut);
  FIELD(1, failed);
  for (unsigned g = 0; g < LOCKING_GROUPS; g++) {
    FIELD((1u << SEQUENCE_MOST) - 1, good[g]);
    FIELD((1u << SEQUENCE_MOST) - 1, bad[g]);
    FIELD((1u << SEQUENCE_MOST) - 1, refused[g]);
  }
  return m;
}
