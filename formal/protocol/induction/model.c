#include "formal/protocol/induction/model.h"

#include <stdio.h>

#include "formal/protocol/slot.h"

enum { CHILDREN = INDUCTION_CHILDREN, SLOTS = 2 * INDUCTION_WINDOW };
/// Who can send the oldest message once all is settled: a child by its number, somebody elsewhere, or everybody, because it has no result yet.
enum { NOBODY, ELSEWHERE, EVERYBODY, CHILD };
enum kind { TAKES, RISES, LOST_ABOVE, MADE, ANSWERS, EMITS, LOST_BELOW, HOLDS, OUTSIDE, SETTLES };

struct state {
  uint8_t holds[CHILDREN];   // results that all hosts of a child hold; messages are in order
  uint8_t seen[CHILDREN];    // the child has that of message `holds` + i somewhere below: bit i
  uint8_t outside;           // results that all hosts elsewhere hold
  uint8_t sent, made;        // by message: the parent has got it; there is a result
  uint8_t who, wanted;       // who can send, of the oldest message; NOBODY: not settled
  uint8_t asked;             // settled: the parent has been asked
  struct induction_column {
    uint8_t tag;              // 1 + message, 0: never used
    uint8_t held[CHILDREN];   // 1 + message that the contribution is of
    uint8_t due, rises;       // by child; the sum is to go up
    uint8_t row;              // 1 + message that the parent's result is of
    uint8_t summed, away;
  } column[SLOTS];
};

static uint32_t label(enum kind kind, unsigned child, unsigned message, unsigned what) {
  return (uint32_t)kind << 24 | (uint32_t)child << 16 | (uint32_t)message << 8 | what;
}

static uint32_t all_of(const struct induction_rules *r) { return (UINT32_C(1) << r->children) - 1; }
static struct induction_column *column_of(const struct induction_rules *r, struct state *s, unsigned message) {
  return &s->column[message % (2 * r->window)];
}

/// The oldest message whose result somebody lacks.
static unsigned oldest(const struct induction_rules *r, const struct state *s) {
  unsigned least = r->parent ? s->outside : r->messages;
  for (unsigned c = 0; c < r->children; c++) least = s->holds[c] < least ? s->holds[c] : least;
  return least;
}

// --------------------------------------------------------------------------------------------------------------- slots

static struct rule_slot slot_of(const struct induction_rules *r, const struct induction_column *c) {
  struct rule_slot slot = {.used = c->tag != 0, .tag = c->tag - 1u, .summed = c->summed != 0, .away = c->away != 0};
  slot.due = c->due | (uint32_t)c->rises << RULE_PARENT;
  for (unsigned i = 0; i < r->children; i++) slot.held |= (uint32_t)(c->held[i] != 0) << i;
  return slot;
}

/// Keeps a slot. False if somebody lacks the result of a column that has gone by it, or is given up.
static bool keep(const struct induction_rules *r, const struct state *s, struct induction_column *c,
                 const struct rule_slot *slot) {
  const struct rule_slot before = slot_of(r, c);
  const bool goes = before.held == all_of(r) && (slot->tag != before.tag || slot->held != before.held);
  const bool over = !slot_over(&before, all_of(r)) && slot_over(slot, all_of(r));
  if (slot->tag != before.tag) c->row = 0;
  c->tag = slot->used ? (uint8_t)(slot->tag + 1) : 0;
  c->due = (uint8_t)(slot->due & all_of(r));
  c->rises = (uint8_t)(slot->due >> RULE_PARENT);
  c->summed = slot->summed;
  c->away = slot->away;
  for (unsigned i = 0; i < r->children; i++)
    if ((slot->held >> i & 1) == 0) c->held[i] = 0;
  return !(goes || over) || before.tag < oldest(r, s);
}

static bool frees(const struct induction_rules *r, struct state *s, unsigned message) {
  struct induction_column *c = column_of(r, s, message);
  struct rule_slot slot = slot_of(r, c);
  slot_frees(&slot, message);
  return keep(r, s, c, &slot);
}

/// One contribution of each child, all of the slot's message.
static bool is_whole(const struct induction_rules *r, const struct induction_column *c) {
  for (unsigned i = 0; i < r->children; i++)
    if (c->held[i] != c->tag) return false;
  return true;
}

// --------------------------------------------------------------------------------------------------------------- steps

/// A child's packet comes to the device.
static void take(const struct induction_rules *r, const struct state *s, unsigned child, unsigned m, bool coming,
                 struct steps *out) {
  struct state next = *s;
  struct induction_column *own = column_of(r, &next, m), *other = column_of(r, &next, m + r->window);
  struct rule_slot slot = slot_of(r, own), beside = slot_of(r, other);
  const enum outcome outcome = slot_takes(&slot, &beside, all_of(r), child, m, coming, coming);
  if (outcome == OUTCOME_STALE || outcome == OUTCOME_VIOLATION) return;
  const struct rule_part part = {.parent = r->parent, .devices = !r->answers_one};
  if (outcome == OUTCOME_COMPLETES || outcome == OUTCOME_REPEATS)
    slot.due |= slot_owes(part, all_of(r), child, outcome == OUTCOME_REPEATS);
  bool right = keep(r, &next, own, &slot);
  right &= keep(r, &next, other, &beside);
  own->held[child] = (uint8_t)(m + 1);
  if (outcome == OUTCOME_COMPLETES && !r->parent) next.made |= (uint8_t)(1u << m);
  if (outcome == OUTCOME_COMPLETES && r->frees_early) right &= frees(r, &next, m + r->window);
  step(out, &next, label(TAKES, child, m, outcome), !right);
}

/// The device's sum goes up; without `arrives` it is lost there.
static void rise(const struct induction_rules *r, const struct state *s, unsigned at, bool arrives, struct steps *out) {
  struct state next = *s;
  struct induction_column *c = &next.column[at];
  struct rule_slot slot = slot_of(r, c);
  if (!slot_emits(&slot, all_of(r), RULE_PARENT)) return;
  const unsigned m = slot.tag;
  bool right = is_whole(r, c);
  for (unsigned i = 0; i < r->children; i++) right &= m < s->holds[i] + r->window;
  right &= keep(r, &next, c, &slot);
  if (arrives) {
    next.sent |= (uint8_t)(1u << m);
    if (s->who != NOBODY && m == s->wanted) next.asked = 1;
  }
  step(out, &next, label(arrives ? RISES : LOST_ABOVE, 0, m, 0), !right);
}

/// The parent's result comes to the device.
static void answer(const struct induction_rules *r, const struct state *s, unsigned m, struct steps *out) {
  struct state next = *s;
  struct induction_column *c = column_of(r, &next, m);
  struct rule_slot slot = slot_of(r, c);
  if (!slot_answers(&slot, all_of(r), m, false)) return;
  c->row = (uint8_t)(m + 1);
  c->due = (uint8_t)all_of(r);
  step(out, &next, label(ANSWERS, 0, m, 0), false);
}

/// A result leaves for a child; without `arrives` it is lost there.
static void emit(const struct induction_rules *r, const struct state *s, unsigned at, unsigned child, bool arrives,
                 struct steps *out) {
  struct state next = *s;
  struct induction_column *c = &next.column[at];
  struct rule_slot slot = slot_of(r, c);
  if (!slot_emits(&slot, all_of(r), child)) return;
  const unsigned m = slot.tag, ahead = m - s->holds[child];
  bool right = r->parent ? c->row == c->tag : is_whole(r, c);
  right &= keep(r, &next, c, &slot);
  if (!r->frees_early) right &= frees(r, &next, m + r->window);
  if (arrives && m >= s->holds[child] && ahead < r->window) next.seen[child] |= (uint8_t)(1u << ahead);
  step(out, &next, label(arrives ? EMITS : LOST_BELOW, child, m, 0), !right);
}

/// From here on everybody does only what it is bound to do; whatever else was on its way is lost.
static void settle(const struct induction_rules *r, const struct state *s, struct steps *out) {
  struct state next = *s;
  const unsigned m = oldest(r, s);
  if (m >= r->messages) return;
  for (unsigned c = 0; c < r->children; c++) next.seen[c] = 0;
  next.wanted = (uint8_t)m;
  const bool made = (s->made >> m & 1) != 0;
  for (unsigned who = made ? CHILD : EVERYBODY; who < (made ? CHILD + r->children : EVERYBODY + 1u); who++) {
    next.who = (uint8_t)who;
    next.asked = !r->parent;
    step(out, &next, label(SETTLES, who, m, 0), false);
  }
  if (!made || !r->parent) return;
  next.who = ELSEWHERE;
  next.asked = 1;
  step(out, &next, label(SETTLES, ELSEWHERE, m, 0), false);
}

static void above(const struct induction_rules *r, const struct state *s, struct steps *out) {
  const bool settled = s->who != NOBODY;
  for (unsigned m = 0; m < r->messages; m++) {
    struct state next = *s;
    const bool made = (s->made >> m & 1) != 0;
    if (made && (!settled || (s->asked && m == s->wanted))) answer(r, s, m, out);
    if (made || (s->sent >> m & 1) == 0 || m >= s->outside + r->window) continue;
    next.made |= (uint8_t)(1u << m);
    step(out, &next, label(MADE, 0, m, 0), false);
  }
  if (settled || s->outside >= r->messages || (s->made >> s->outside & 1) == 0) return;
  struct state next = *s;
  next.outside++;
  step(out, &next, label(OUTSIDE, 0, s->outside, 0), false);
}

static void below(const struct induction_rules *r, const struct state *s, unsigned child, struct steps *out) {
  const bool settled = s->who != NOBODY;
  if (settled && (s->who == EVERYBODY || s->who == CHILD + child)) take(r, s, child, s->wanted, false, out);
  for (unsigned m = 0; !settled && m < r->messages && m < s->holds[child] + r->window; m++) {
    take(r, s, child, m, false, out);
    take(r, s, child, m, true, out);
  }
  if ((s->seen[child] & 1) == 0) return;
  struct state next = *s;
  next.holds[child]++;
  next.seen[child] >>= 1;
  step(out, &next, label(HOLDS, child, s->holds[child], 0), false);
}

static void successors(const void *config, const void *state, struct steps *out) {
  const struct induction_rules *r = config;
  const struct state *s = state;
  const bool settled = s->who != NOBODY;
  for (unsigned c = 0; c < r->children; c++) below(r, s, c, out);
  if (r->parent) above(r, s, out);
  for (unsigned at = 0; at < 2 * r->window; at++) {
    rise(r, s, at, true, out);
    if (!settled) rise(r, s, at, false, out);
    for (unsigned c = 0; c < r->children; c++) {
      emit(r, s, at, c, true, out);
      if (!settled) emit(r, s, at, c, false, out);
    }
  }
  if (!settled) settle(r, s, out);
}

// --------------------------------------------------------------------------------------------------------------- model

static void initial(const void *config, void *state) { (void)config, (void)state; }

static bool complete(const void *config, const void *state) {
  const struct induction_rules *r = config;
  const struct state *s = state;
  if (s->who == NOBODY) return oldest(r, s) >= r->messages;
  for (unsigned c = 0; c < r->children; c++)
    if (s->holds[c] <= s->wanted) return false;
  return s->asked != 0;
}

struct rule_model induction_model(const struct induction_rules *rules) {
  struct rule_model m = {.config = rules, .initial = initial, .complete = complete, .successors = successors};
  const unsigned messages = (1u << rules->messages) - 1, tags = rules->messages + rules->window;
#define FIELD(most, ...) layout_add(&m.layout, offsetof(struct state, __VA_ARGS__), most)
  for (unsigned c = 0; c < rules->children; c++) {
    FIELD(rules->messages, holds[c]);
    FIELD((1u << rules->window) - 1, seen[c]);
  }
  if (rules->parent) FIELD(rules->messages, outside);
  FIELD(messages, made);
  if (rules->parent) FIELD(messages, sent);
  FIELD(CHILD + rules->children - 1, who);
  FIELD(rules->messages - 1, wanted);
  FIELD(1, asked);
  for (unsigned at = 0; at < 2 * rules->window; at++) {
    FIELD(tags, column[at].tag);
    for (unsigned c = 0; c < rules->children; c++) FIELD(rules->messages, column[at].held[c]);
    FIELD(all_of(rules), column[at].due);
    FIELD(1, column[at].rises);
    FIELD(rules->messages, column[at].row);
    FIELD(1, column[at].summed);
    FIELD(1, column[at].away);
  }
#undef FIELD
  return m;
}

void induction_words(uint32_t label, char *text, size_t size) {
  static const char *const outcomes[] = {[OUTCOME_STORED] = "stores it",
                                         [OUTCOME_DUPLICATE] = "has it already",
                                         [OUTCOME_COMPLETES] = "stores it, the column is full",
                                         [OUTCOME_REPEATS] = "has it already, of a full column"};
  const unsigned child = label >> 16 & 255, m = label >> 8 & 255;
  switch (label >> 24) {
    case TAKES: snprintf(text, size, "the device gets m%u of child %u and %s", m, child, outcomes[label & 255]); return;
    case RISES: snprintf(text, size, "the device's m%u goes to its parent", m); return;
    case LOST_ABOVE: snprintf(text, size, "the device's m%u is lost on its way up", m); return;
    case MADE: snprintf(text, size, "the others send m%u too: there is a result", m); return;
    case ANSWERS: snprintf(text, size, "the device gets result m%u of its parent", m); return;
    case EMITS: snprintf(text, size, "result m%u goes to child %u", m, child); return;
    case LOST_BELOW: snprintf(text, size, "result m%u is lost on its way to child %u", m, child); return;
    case HOLDS: snprintf(text, size, "all hosts of child %u hold result m%u", child, m); return;
    case OUTSIDE: snprintf(text, size, "all hosts elsewhere hold result m%u", m); return;
    default:
      if (child >= CHILD)
        snprintf(text, size, "nothing else is under way: somebody lacks m%u, and child %u can repeat it", m, child - CHILD);
      else
        snprintf(text, size, "nothing else is under way: somebody lacks m%u, and %s can send it", m,
                 child == ELSEWHERE ? "a host elsewhere" : "everybody");
  }
}
