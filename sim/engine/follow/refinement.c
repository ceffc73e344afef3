#include "sim/engine/follow/refinement.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/// A slot, and what the model does not have.
struct followed_slot {
  struct rule_slot slot;
  uint32_t coming;   ///< ranks whose packet is decided and not in its bank
  bool lost;         ///< memory has lost it
};

struct followed_ring {
  struct refinement_ring as;
  uint32_t all;
  struct followed_slot *places;   ///< 2N * stride, by MsgID modulo 2N and offset; NULL: not set up
};

/// A packet between its decision and its bank.
struct decided {
  unsigned ring, rank, offset;
  uint32_t message;
  bool repeated;
};

/// Those of one port, oldest first.
struct decided_queue {
  struct decided *packets;
  size_t first, count, size;
};

struct refinement {
  unsigned ports, rings, parent;
  struct followed_ring *ring;
  struct decided_queue *decided;
  uint64_t counts[REFINEMENT_STEPS];
};

// --------------------------------------------------------------------------------------------------------------- rings

struct refinement *refinement_new(unsigned ports, unsigned rings, unsigned parent) {
  struct refinement *r = need(calloc(1, sizeof *r));
  r->ports = ports;
  r->rings = rings;
  r->parent = parent;
  r->ring = need(calloc(rings + 1, sizeof *r->ring));
  r->decided = need(calloc(ports + 1, sizeof *r->decided));
  return r;
}

void refinement_free(struct refinement *r) {
  if (r == NULL) return;
  for (unsigned i = 0; i < r->rings; i++) free(r->ring[i].places);
  for (unsigned p = 0; p < r->ports; p++) free(r->decided[p].packets);
  free(r->ring);
  free(r->decided);
  free(r);
}

static size_t places_of(const struct followed_ring *ring) { return (size_t)2 * ring->as.window * ring->as.stride; }

void refinement_set_ring(struct refinement *r, unsigned ring, const struct refinement_ring *as) {
  if (ring >= r->rings) return;
  struct followed_ring *w = &r->ring[ring];
  free(w->places);
  *w = (struct followed_ring){.as = *as, .all = (uint32_t)((UINT64_C(1) << as->workers) - 1)};
  w->places = need(calloc(places_of(w), sizeof *w->places));
}

void refinement_flush(struct refinement *r, unsigned ring) {
  if (ring < r->rings && r->ring[ring].places != NULL)
    memset(r->ring[ring].places, 0, places_of(&r->ring[ring]) * sizeof *r->ring[ring].places);
}

/// NULL if the device names what does not exist.
static struct followed_slot *place_of(const struct refinement *r, unsigned ring, uint32_t message, unsigned offset) {
  if (ring >= r->rings || r->ring[ring].places == NULL || offset >= r->ring[ring].as.stride) return NULL;
  const struct followed_ring *w = &r->ring[ring];
  return &w->places[message % (2 * w->as.window) * w->as.stride + offset];
}

void refinement_lose(struct refinement *r, unsigned ring, uint32_t message, unsigned offset) {
  struct followed_slot *place = place_of(r, ring, message, offset);
  if (place != NULL) *place = (struct followed_slot){.lost = true};
}

uint64_t refinement_count(const struct refinement *r, enum refinement_step step) { return r->counts[step]; }

// --------------------------------------------------------------------------------------------------------------- steps

/// The model takes a packet; the outcome is its own.
static enum outcome take(const struct refinement *r, const struct decided *p, struct followed_slot *own,
                         struct followed_slot *other) {
  return slot_takes(&own->slot, &other->slot, r->ring[p->ring].all, p->rank, p->message, own->coming != 0, other->coming != 0);
}

static struct followed_slot *other_of(const struct refinement *r, const struct decided *p) {
  return place_of(r, p->ring, p->message + r->ring[p->ring].as.window, p->offset);
}

static void push(struct decided_queue *q, struct decided packet) {
  if (q->first != 0 && q->count == q->size) {
    memmove(q->packets, q->packets + q->first, (q->count - q->first) * sizeof *q->packets);
    q->count -= q->first;
    q->first = 0;
  }
  q->packets = need_room(q->packets, &q->size, q->count + 1, sizeof *q->packets);
  q->packets[q->count++] = packet;
}

/// A packet has completed the column, or repeats one of a whole column: results are due, or its sum to the parent.
static void owe(const struct refinement *r, const struct decided *p, struct followed_slot *own) {
  const struct followed_ring *w = &r->ring[p->ring];
  own->slot.due |= slot_owes(w->as.part, w->all, p->rank, p->repeated);
}

static bool stored(struct refinement *r, const struct scoreboard_event *e, const struct decided *p, struct followed_slot *own,
                   struct followed_slot *other) {
  const uint32_t all = r->ring[p->ring].all;
  const bool was_over = slot_over(&other->slot, all);
  const enum outcome outcome = take(r, p, own, other);
  if (outcome != (e->completes ? OUTCOME_COMPLETES : OUTCOME_STORED)) return false;
  own->coming = (own->coming | UINT32_C(1) << p->rank) & own->slot.held;   // a column begun anew has no other
  if (e->completes) owe(r, p, own);
  r->counts[e->completes ? REFINEMENT_COMPLETES : REFINEMENT_STORES]++;
  r->counts[REFINEMENT_GIVES_UP] += !was_over && slot_over(&other->slot, all);
  push(&r->decided[e->port], *p);
  return true;
}

static bool decides(struct refinement *r, const struct scoreboard_event *e, const struct decided *p, struct followed_slot *own,
                    struct followed_slot *other) {
  if (e->fate == FATE_STORED) return stored(r, e, p, own, other);
  struct followed_slot first = *own, second = *other;
  const bool live = first.slot.held != 0 && first.slot.used && first.slot.tag == p->message;
  const enum outcome outcome = take(r, p, &first, &second);
  switch (e->fate) {
    case FATE_DUPLICATE:
      if (outcome != OUTCOME_DUPLICATE && outcome != OUTCOME_REPEATS) return false;
      push(&r->decided[e->port], *p);
      return true;
    case FATE_STALE:
      // The first packet of a message is also compared with what its connection has begun.
      if (outcome != OUTCOME_STALE) return p->offset == 0;
      r->counts[REFINEMENT_STALE]++;
      return true;
    case FATE_WINDOW_VIOLATION:
      r->counts[REFINEMENT_VIOLATION] += outcome == OUTCOME_VIOLATION;
      return outcome == OUTCOME_VIOLATION;
    default:   // another type or length than the column's
      r->counts[REFINEMENT_NONE]++;
      return live && outcome != OUTCOME_STALE && outcome != OUTCOME_VIOLATION;
  }
}

/// A packet is in its bank. `column`: its column is still there.
static bool commits(struct refinement *r, const struct scoreboard_event *e, const struct decided *p, struct followed_slot *own) {
  const uint32_t bit = UINT32_C(1) << p->rank, all = r->ring[p->ring].all;
  const bool column = own->slot.used && own->slot.tag == p->message && (own->slot.held & bit) != 0;
  bool whole = false;
  if (column && !p->repeated) {
    whole = own->coming == bit && own->slot.held == all;
    own->coming &= ~bit;
    r->counts[REFINEMENT_NONE]++;
  } else if (column && !slot_over(&own->slot, all)) {
    const enum outcome outcome = take(r, p, own, other_of(r, p));
    if (outcome != OUTCOME_DUPLICATE && outcome != OUTCOME_REPEATS) return false;
    if (outcome == OUTCOME_REPEATS) owe(r, p, own);
    r->counts[outcome == OUTCOME_REPEATS ? REFINEMENT_REPEATS : REFINEMENT_DUPLICATES]++;
  } else {
    r->counts[REFINEMENT_NONE]++;
  }
  return whole == e->completes;
}

/// A sum leaves for the parent.
static bool rises(struct refinement *r, const struct followed_ring *w, struct followed_slot *own) {
  const bool left = slot_emits(&own->slot, w->all, RULE_PARENT);
  r->counts[REFINEMENT_RISES] += left;
  return left;
}

static bool emits(struct refinement *r, const struct scoreboard_event *e, struct followed_slot *own) {
  const struct followed_ring *w = &r->ring[e->ring];
  if (own->slot.tag != e->msgid || own->coming != 0 || e->ranks == 0) return false;
  if (w->as.part.parent && e->ranks == UINT32_C(1) << r->parent) return rises(r, w, own);
  for (unsigned rank = 0; rank < RULE_PARENT; rank++) {
    if ((e->ranks >> rank & 1) == 0) continue;
    if (!slot_emits(&own->slot, w->all, rank)) return false;
    r->counts[REFINEMENT_EMITS]++;
  }
  const uint32_t next = e->msgid + w->as.window;
  struct followed_slot *ahead = place_of(r, e->ring, next, e->offset);
  slot_frees(&ahead->slot, next);
  ahead->coming &= ahead->slot.held;
  return true;
}

// ---------------------------------------------------------------------------------------------------------- the parent

/// A result of the parent, or a notification, which no slot hears of.
static bool above_children(const struct refinement *r, const struct scoreboard_event *e) {
  return e->ring < r->rings && r->ring[e->ring].as.part.parent && e->rank >= r->parent && e->kind != SCOREBOARD_TAKE;
}

static bool parent_decides(struct refinement *r, const struct scoreboard_event *e, const struct decided *p,
                           const struct followed_slot *own) {
  const bool answers = slot_answers(&own->slot, r->ring[p->ring].all, p->message, own->coming != 0);
  if (e->fate == FATE_DUPLICATE || answers == (e->fate == FATE_STALE)) return false;
  if (e->fate == FATE_STORED)
    push(&r->decided[e->port], *p);
  else
    r->counts[REFINEMENT_NONE]++;
  return true;
}

static bool parent_commits(struct refinement *r, const struct scoreboard_event *e, const struct decided *p,
                           struct followed_slot *own) {
  const uint32_t all = r->ring[p->ring].all;
  if (slot_answers(&own->slot, all, p->message, own->coming != 0)) {
    own->slot.due |= all;
    r->counts[REFINEMENT_ANSWERS]++;
  } else {
    r->counts[REFINEMENT_NONE]++;
  }
  return !e->completes;
}

// -------------------------------------------------------------------------------------------------------------- events

/// In words, behind what the device said.
static bool none(const struct refinement *r, const struct scoreboard_event *e, const struct followed_slot *own, char *text,
                 size_t size) {
  static const char *const kinds[] = {
      [SCOREBOARD_DECIDE] = "decision", [SCOREBOARD_COMMIT] = "commit", [SCOREBOARD_TAKE] = "take"};
  const int written = snprintf(text, size,
                               "%s %s of ring %u, rank %u, message %" PRIu32 ", offset %u, ranks %#" PRIx32
                               "%s is no step of the protocol's model",
                               kinds[e->kind], e->kind == SCOREBOARD_DECIDE ? fate_name(e->fate) : "", e->ring, e->rank, e->msgid,
                               e->offset, e->ranks, e->completes ? ", completing," : "");
  if (own == NULL || written < 0 || (size_t)written >= size) return false;
  snprintf(text + written, size - (size_t)written,
           ": the slot %s message %" PRIu32 ", ranks %#" PRIx32 " of %#" PRIx32 ", coming %#" PRIx32 ", due %#" PRIx32 "%s",
           own->slot.used ? "has" : "has never had", own->slot.tag, own->slot.held, r->ring[e->ring].all, own->coming,
           own->slot.due, own->slot.away ? ", its place is the other slot's" : "");
  return false;
}

/// The packet never came to a slot.
static bool is_dropped_before(enum fate fate) {
  switch (fate) {
    case FATE_STORED:
    case FATE_DUPLICATE:
    case FATE_STALE:
    case FATE_WINDOW_VIOLATION:
    case FATE_TYPE_MISMATCH:
    case FATE_LENGTH_MISMATCH: return false;
    default: return true;
  }
}

bool refinement_event(struct refinement *r, const struct scoreboard_event *e, char *text, size_t size) {
  const bool of_parent = above_children(r, e);
  if (e->kind == SCOREBOARD_DECIDE && (is_dropped_before(e->fate) || (of_parent && e->rank > r->parent))) {
    r->counts[REFINEMENT_NONE]++;
    return true;
  }
  struct decided p = {.ring = e->ring,
                      .rank = e->rank,
                      .offset = e->offset,
                      .message = e->msgid,
                      .repeated = e->kind == SCOREBOARD_DECIDE && e->fate == FATE_DUPLICATE};
  if (e->kind == SCOREBOARD_COMMIT) {
    struct decided_queue *q = &r->decided[e->port];
    if (e->port >= r->ports || q->first == q->count) return none(r, e, NULL, text, size);
    p = q->packets[q->first++];
    if (p.ring != e->ring || p.rank != e->rank || p.message != e->msgid) return none(r, e, NULL, text, size);
  }
  struct followed_slot *own = place_of(r, p.ring, p.message, p.offset);
  if (own == NULL || (e->kind == SCOREBOARD_DECIDE && e->port >= r->ports)) return none(r, e, NULL, text, size);
  if (own->lost) return true;
  const struct followed_slot before = *own;
  bool is_step;
  if (e->kind == SCOREBOARD_TAKE)
    is_step = emits(r, e, own);
  else if (of_parent)
    is_step = e->kind == SCOREBOARD_DECIDE ? parent_decides(r, e, &p, own) : parent_commits(r, e, &p, own);
  else
    is_step = e->kind == SCOREBOARD_DECIDE ? decides(r, e, &p, own, other_of(r, &p)) : commits(r, e, &p, own);
  return is_step || none(r, e, &before, text, size);
}

bool refinement_settled(const struct refinement *r, char *text, size_t size) {
  for (unsigned i = 0; i < r->rings; i++) {
    const struct followed_ring *w = &r->ring[i];
    for (size_t at = 0; w->places != NULL && at < places_of(w); at++) {
      const struct rule_slot *slot = &w->places[at].slot;
      if (slot->due == 0 && w->places[at].coming == 0) continue;
      snprintf(text, size,
               "ring %u, message %" PRIu32 ", offset %zu: results for ranks %#" PRIx32
               " are due in the protocol's model, packets of %#" PRIx32 " coming",
               i, slot->tag, at % w->as.stride, slot->due, w->places[at].coming);
      return false;
    }
  }
  return true;
}
