#include "formal/protocol/tree.h"

#include <stdio.h>
#include <string.h>

#include "formal/protocol/slot.h"

enum { LEAVES = 2, SLOTS = 8, DEPTH = FIFO_MOST };

enum kind { SENDS, GOES_BACK, LEARNS, LEAF_TAKES, SPINE_TAKES, LEAF_PASSES, RECEIVES, UP_LOST, RISE_LOST, FALL_LOST, DOWN_LOST };
/// Behind the outcomes of a slot: a spine passes over a repeat that it has answered.
enum { OUTCOME_MERGED = OUTCOME_REPEATS + 1 };

/// Worker r sits below leaf r; its connection goes to the other worker, so the result on it comes down through the other leaf.
struct tree_state {
  uint8_t una[LEAVES], nxt[LEAVES], rcv[LEAVES];   // by connection: acknowledged, next to send, accepted by the other worker
  uint8_t up[LEAVES][DEPTH];                       // worker to leaf; 1 + message, 0 = empty
  uint8_t rise[LEAVES][DEPTH];                     // leaf to spine: partial sums
  uint8_t fall[LEAVES][DEPTH];                     // spine to leaf: results
  uint8_t down[LEAVES][DEPTH];                     // leaf to worker: results
  struct tree_slot {
    uint8_t tag;                // 1 + MsgID, 0 = never used
    uint8_t held[LEAVES];       // by child: 1 + message the contribution is of; a leaf has one child
    uint8_t answered[LEAVES];   // by child of the spine: its next repeat is passed over
  } leaf[LEAVES][SLOTS], spine[SLOTS];
};

static uint32_t label(enum kind kind, unsigned at, unsigned message, unsigned outcome) {
  return (uint32_t)kind << 24 | (uint32_t)at << 16 | (uint32_t)message << 8 | (uint32_t)outcome;
}

static bool push(const struct rules *rules, uint8_t *fifo, unsigned message) {
  for (unsigned i = 0; i < rules->fifo; i++) {
    if (fifo[i] != 0) continue;
    fifo[i] = (uint8_t)(message + 1);
    return true;
  }
  return false;
}

static void pop(uint8_t *fifo) {
  memmove(fifo, fifo + 1, DEPTH - 1);
  fifo[DEPTH - 1] = 0;
}

// ---------------------------------------------------------------------------------------------------------- devices

/// As a slot of Weir's rules.
static struct rule_slot slot_of(const struct tree_slot *column, unsigned children) {
  struct rule_slot slot = {.used = column->tag != 0, .tag = column->tag - 1u};
  for (unsigned i = 0; i < children; i++) slot.held |= (uint32_t)(column->held[i] != 0) << i;
  return slot;
}

/// Keeps a slot. What is held no more, and what was answered of another message, is forgotten.
static void keep(struct tree_slot *column, const struct rule_slot *slot) {
  const uint8_t tag = (uint8_t)(slot->tag + 1);
  if (column->tag != tag) *column = (struct tree_slot){.tag = tag};
  for (unsigned i = 0; i < LEAVES; i++)
    if ((slot->held >> i & 1) == 0) column->held[i] = 0;
}

/// A contribution of `child`.
static enum outcome store(struct tree_slot *column, unsigned children, unsigned child, unsigned message) {
  struct rule_slot slot = slot_of(column, children);
  const enum outcome outcome = slot_takes(&slot, NULL, (1u << children) - 1, child, message, false, false);
  if (outcome == OUTCOME_STALE || outcome == OUTCOME_VIOLATION) return outcome;
  keep(column, &slot);
  column->held[child] = (uint8_t)(message + 1);
  return outcome;
}

static void free_slot(const struct rules *rules, struct tree_slot *slots, unsigned children, unsigned message) {
  struct tree_slot *column = &slots[message % (2 * rules->window)];
  struct rule_slot slot = slot_of(column, children);
  if (!slot.used) return;
  slot_frees(&slot, message);
  keep(column, &slot);
}

static void leaf_takes(const struct rules *rules, const struct tree_state *s, unsigned l, struct steps *out) {
  struct tree_state next = *s;
  const unsigned m = s->up[l][0] - 1u;
  pop(next.up[l]);
  const enum outcome outcome = store(&next.leaf[l][m % (2 * rules->window)], 1, 0, m);
  if ((outcome == OUTCOME_COMPLETES || outcome == OUTCOME_REPEATS) && !push(rules, next.rise[l], m)) return;
  if (outcome == OUTCOME_COMPLETES && rules->leaf_frees_early) free_slot(rules, next.leaf[l], 1, m + rules->window);
  step(out, &next, label(LEAF_TAKES, l, m, outcome), false);
}

/// The answer to one child goes to all, and is the answer to the next repeat of each other child too.
static unsigned merge(struct tree_slot *slot, unsigned l) {
  if (slot->answered[l]) {
    slot->answered[l] = 0;
    return OUTCOME_MERGED;
  }
  for (unsigned i = 0; i < LEAVES; i++) slot->answered[i] = i != l;
  return OUTCOME_REPEATS;
}

static void spine_takes(const struct rules *rules, const struct tree_state *s, unsigned l, struct steps *out) {
  struct tree_state next = *s;
  const unsigned m = s->rise[l][0] - 1u;
  pop(next.rise[l]);
  struct tree_slot *slot = &next.spine[m % (2 * rules->window)];
  unsigned outcome = store(slot, LEAVES, l, m);
  if (outcome == OUTCOME_REPEATS && rules->reemit == REEMIT_MERGED) outcome = merge(slot, l);
  const bool wrong = (outcome == OUTCOME_COMPLETES || outcome == OUTCOME_REPEATS) && slot->held[0] != slot->held[1];
  for (unsigned to = 0; to < LEAVES; to++) {
    const bool due = outcome == OUTCOME_COMPLETES || (outcome == OUTCOME_REPEATS && (rules->reemit != REEMIT_OWN || to == l));
    if (due && !push(rules, next.fall[to], m)) return;
  }
  if (outcome == OUTCOME_COMPLETES) free_slot(rules, next.spine, LEAVES, m + rules->window);
  step(out, &next, label(SPINE_TAKES, l, m, outcome), wrong);
}

/// A result from the spine goes to the worker without a look at the slots; it frees one.
static void leaf_passes(const struct rules *rules, const struct tree_state *s, unsigned l, struct steps *out) {
  struct tree_state next = *s;
  const unsigned m = s->fall[l][0] - 1u;
  pop(next.fall[l]);
  if (!push(rules, next.down[l], m)) return;
  if (!rules->leaf_frees_early) free_slot(rules, next.leaf[l], 1, m + rules->window);
  step(out, &next, label(LEAF_PASSES, l, m, 0), false);
}

// ---------------------------------------------------------------------------------------------------------- workers

static void worker_receives(const struct tree_state *s, unsigned w, struct steps *out) {
  struct tree_state next = *s;
  const unsigned m = s->down[w][0] - 1u, connection = 1 - w;
  pop(next.down[w]);
  const bool expected = m == s->rcv[connection];
  if (expected) next.rcv[connection]++;
  step(out, &next, label(RECEIVES, w, m, expected ? OUTCOME_STORED : OUTCOME_REPEATS), false);
}

static bool nothing_in_flight(const struct tree_state *s) {
  for (unsigned i = 0; i < LEAVES; i++) {
    if (s->up[i][0] != 0 || s->rise[i][0] != 0 || s->fall[i][0] != 0 || s->down[i][0] != 0) return false;
  }
  return true;
}

static bool may_go_back(const struct rules *rules, const struct tree_state *s, unsigned w) {
  if (rules->timeout == TIMEOUT_IDLE && s->una[w] != s->rcv[w]) return false;
  return rules->timeout == TIMEOUT_ANY || nothing_in_flight(s);
}

static void worker_steps(const struct rules *rules, const struct tree_state *s, unsigned w, struct steps *out) {
  struct tree_state next = *s;
  if (s->nxt[w] < rules->messages && s->nxt[w] < s->rcv[1 - w] + rules->host_window && push(rules, next.up[w], s->nxt[w])) {
    next.nxt[w]++;
    step(out, &next, label(SENDS, w, s->nxt[w], 0), false);
  }
  if (s->nxt[w] != s->una[w] && may_go_back(rules, s, w)) {
    next = *s;
    next.nxt[w] = s->una[w];
    step(out, &next, label(GOES_BACK, w, s->una[w], 0), false);
  }
  for (unsigned known = s->una[w] + 1u; known <= s->rcv[w]; known++) {
    next = *s;
    next.una[w] = (uint8_t)known;
    if (next.nxt[w] < known) next.nxt[w] = (uint8_t)known;
    step(out, &next, label(LEARNS, w, known - 1, 0), false);
  }
}

static void lose(const struct tree_state *s, size_t fifo, enum kind kind, unsigned at, struct steps *out) {
  struct tree_state next = *s;
  uint8_t *lost = (uint8_t *)&next + fifo + (size_t)at * DEPTH;
  if (lost[0] == 0) return;
  const unsigned m = lost[0] - 1u;
  pop(lost);
  step(out, &next, label(kind, at, m, 0), false);
}

static void successors(const void *config, const void *state, struct steps *out) {
  const struct rules *rules = config;
  const struct tree_state *s = state;
  for (unsigned i = 0; i < LEAVES; i++) {
    worker_steps(rules, s, i, out);
    if (s->up[i][0] != 0) leaf_takes(rules, s, i, out);
    if (s->rise[i][0] != 0) spine_takes(rules, s, i, out);
    if (s->fall[i][0] != 0) leaf_passes(rules, s, i, out);
    if (s->down[i][0] != 0) worker_receives(s, i, out);
    if (!rules->loss) continue;
    lose(s, offsetof(struct tree_state, up), UP_LOST, i, out);
    lose(s, offsetof(struct tree_state, rise), RISE_LOST, i, out);
    lose(s, offsetof(struct tree_state, fall), FALL_LOST, i, out);
    lose(s, offsetof(struct tree_state, down), DOWN_LOST, i, out);
  }
}

// ------------------------------------------------------------------------------------------------------------ model

static void initial(const void *config, void *state) { (void)config, (void)state; }

static bool complete(const void *config, const void *state) {
  const struct rules *rules = config;
  const struct tree_state *s = state;
  return s->rcv[0] == rules->messages && s->rcv[1] == rules->messages;
}

struct rule_model tree_model(const struct rules *rules) {
  struct rule_model m = {.config = rules, .initial = initial, .complete = complete, .successors = successors};
  const unsigned tags = rules->messages + rules->window;
#define FIELD(most, ...) layout_add(&m.layout, offsetof(struct tree_state, __VA_ARGS__), most)
  for (unsigned i = 0; i < LEAVES; i++) {
    FIELD(rules->messages, una[i]);
    FIELD(rules->messages, nxt[i]);
    FIELD(rules->messages, rcv[i]);
    for (unsigned k = 0; k < rules->fifo; k++) {
      FIELD(rules->messages, up[i][k]);
      FIELD(rules->messages, rise[i][k]);
      FIELD(rules->messages, fall[i][k]);
      FIELD(rules->messages, down[i][k]);
    }
  }
  for (unsigned k = 0; k < 2 * rules->window; k++) {
    FIELD(tags, spine[k].tag);
    for (unsigned i = 0; i < LEAVES; i++) {
      FIELD(rules->messages, spine[k].held[i]);
      FIELD(1, spine[k].answered[i]);
      FIELD(tags, leaf[i][k].tag);
      FIELD(rules->messages, leaf[i][k].held[0]);
    }
  }
#undef FIELD
  return m;
}

void tree_words(uint32_t label, char *text, size_t size) {
  static const char *const outcomes[] = {
      [OUTCOME_WAITS] = "waits",
      [OUTCOME_STALE] = "drops it as stale",
      [OUTCOME_VIOLATION] = "drops it as a window violation",
      [OUTCOME_STORED] = "stores it",
      [OUTCOME_DUPLICATE] = "has it already",
      [OUTCOME_COMPLETES] = "stores it, the column is full",
      [OUTCOME_REPEATS] = "has it already and sends on again",
      [OUTCOME_MERGED] = "has it already and has sent on again",
  };
  const unsigned i = label >> 16 & 255, m = label >> 8 & 255;
  const char *outcome = outcomes[label & 255];
  switch (label >> 24) {
    case SENDS: snprintf(text, size, "w%u sends m%u", i, m); return;
    case GOES_BACK: snprintf(text, size, "w%u times out and goes back to m%u", i, m); return;
    case LEARNS: snprintf(text, size, "ACK: w%u learns that w%u has m%u", i, 1 - i, m); return;
    case LEAF_TAKES: snprintf(text, size, "leaf %u gets m%u of its worker and %s", i, m, outcome); return;
    case SPINE_TAKES: snprintf(text, size, "the spine gets m%u of leaf %u and %s", m, i, outcome); return;
    case LEAF_PASSES: snprintf(text, size, "leaf %u passes result m%u", i, m); return;
    case UP_LOST: snprintf(text, size, "m%u of w%u is lost before its leaf", m, i); return;
    case RISE_LOST: snprintf(text, size, "m%u is lost between leaf %u and the spine", m, i); return;
    case FALL_LOST: snprintf(text, size, "result m%u is lost between the spine and leaf %u", m, i); return;
    case DOWN_LOST: snprintf(text, size, "result m%u is lost between leaf %u and its worker", m, i); return;
    default: snprintf(text, size, "w%u %s result m%u", i, (label & 255) == OUTCOME_STORED ? "receives" : "discards", m);
  }
}
