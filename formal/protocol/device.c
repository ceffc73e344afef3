#include "formal/protocol/device.h"

bool fifo_push(uint8_t *fifo, unsigned depth, unsigned packet) {
  for (unsigned i = 0; i < depth; i++) {
    if (fifo[i] != 0) continue;
    fifo[i] = (uint8_t)(packet + 1);
    return true;
  }
  return false;
}

// ------------------------------------------------------------------------------------------------- connection table

/// A first packet is written to the table. False if the table holds a newer message in its place.
static bool remember(const struct rules *rules, uint8_t *history, unsigned message) {
  const unsigned entries = rules->clt == CLT_OVERWRITE || rules->clt == CLT_MONOTONE ? 2 * rules->window : 1;
  uint8_t *entry = &history[message % entries];
  const bool newer_there = *entry > message + 1;
  if (newer_there && rules->clt == CLT_MONOTONE) return false;
  if (newer_there && rules->clt == CLT_BASE) return true;   // an older message is found by its distance
  *entry = (uint8_t)(message + 1);
  return true;
}

/// Does the table find the message of packet `p`, which is no first packet? With messages of one length it never finds another
/// one than the packet's own: what can happen is that it finds none.
static bool finds(const struct rules *rules, const uint8_t *history, unsigned p) {
  if (rules->clt == CLT_BASE) return history[0] != 0;
  const unsigned entries = rules->clt == CLT_SINGLE ? 1 : 2 * rules->window;
  for (unsigned i = 0; i < entries; i++) {
    const int offset = (int)p - ((int)history[i] - 1) * (int)rules->msglen;
    if (history[i] != 0 && offset >= 0 && offset < (int)rules->msglen) return true;
  }
  return false;
}

/// OUTCOME_STORED if the packet goes on to its slot.
static enum outcome look_up(const struct rules *rules, struct ring_state *s, unsigned r, unsigned p) {
  if (rules->clt == CLT_IDEAL) return OUTCOME_STORED;
  if (p % rules->msglen == 0) return remember(rules, s->history[r], p / rules->msglen) ? OUTCOME_STORED : OUTCOME_STALE;
  return finds(rules, s->history[r], p) ? OUTCOME_STORED : OUTCOME_UNKNOWN_MESSAGE;
}

// ------------------------------------------------------------------------------------------------------------ slots

static struct rule_column *column_of(const struct rules *rules, struct ring_state *s, unsigned message, unsigned offset) {
  return &s->column[message % (2 * rules->window) * rules->msglen + offset];
}

static unsigned held_count(const struct rules *rules, const struct rule_column *c) {
  unsigned n = 0;
  for (unsigned r = 0; r < rules->hosts; r++) n += c->held[r] != 0;
  return n;
}

/// The column as a slot of Weir's rules, with full tags.
static struct rule_slot slot_of(const struct rules *rules, const struct rule_column *c) {
  struct rule_slot slot = {
      .used = c->tag != 0, .tag = c->tag - 1u, .due = c->due, .summed = c->summed != 0, .away = c->away != 0};
  for (unsigned r = 0; r < rules->hosts; r++) slot.held |= (uint32_t)(c->held[r] != 0) << r;
  return slot;
}

/// Keeps of a slot what a column has of it. Packets that were there and are held no more are forgotten.
static void keep(const struct rules *rules, struct rule_column *c, const struct rule_slot *slot) {
  c->tag = slot->used ? (uint8_t)(slot->tag + 1) : 0;
  c->due = (uint8_t)slot->due;
  c->summed = rules->place != PLACE_OWN && slot->summed;
  c->away = rules->place == PLACE_SHARED && slot->away;
  for (unsigned r = 0; r < rules->hosts; r++)
    if ((slot->held >> r & 1) == 0) c->held[r] = 0;
}

/// Empties the column for `message`. Freeing twice is freeing once, where tags can tell.
static void free_column(const struct rules *rules, struct rule_column *c, unsigned message) {
  if (rules->tag != TAG_FULL) {
    *c = (struct rule_column){.tag = rules->tag == TAG_EPOCH ? message / (2 * rules->window) % 2 : 0};
    return;
  }
  struct rule_slot slot = slot_of(rules, c);
  slot_frees(&slot, message);
  keep(rules, c, &slot);
}

/// A packet comes to a column whose tag tells little or nothing.
static enum outcome take_untagged(const struct rules *rules, const struct rule_column *c, unsigned r, unsigned message) {
  if (rules->tag == TAG_EPOCH && c->tag != message / (2 * rules->window) % 2) return OUTCOME_STALE;
  const bool repeated = c->held[r] != 0;
  if (held_count(rules, c) + !repeated != rules->hosts) return repeated ? OUTCOME_DUPLICATE : OUTCOME_STORED;
  return repeated ? OUTCOME_REPEATS : OUTCOME_COMPLETES;
}

static enum outcome take_tagged(const struct rules *rules, struct rule_column *c, struct rule_column *other, unsigned r,
                                unsigned message, bool coming, bool *wrong) {
  const uint32_t all = (1u << rules->hosts) - 1;
  struct rule_slot slot = slot_of(rules, c), beside = slot_of(rules, other);
  const bool was_over = slot_over(&beside, all);
  const enum outcome outcome = slot_takes(&slot, rules->place == PLACE_SHARED ? &beside : NULL, all, r, message, coming, coming);
  keep(rules, c, &slot);
  if (rules->place == PLACE_SHARED) keep(rules, other, &beside);
  // Who keeps to the window meets no column that is given up for another one.
  *wrong |= !was_over && slot_over(&beside, all) && rules->host_window <= rules->window;
  return outcome;
}

/// What the printed rules do on the arrival of a packet. They know no tags; with tags, only a column of an older message is
/// touched.
static void free_on_arrival(const struct rules *rules, struct ring_state *s, unsigned r, unsigned message, unsigned offset) {
  struct rule_column *ahead = column_of(rules, s, message + rules->window, offset);
  if (rules->free == FREE_ANY_PACKET) free_column(rules, ahead, message + rules->window);
  if (rules->free == FREE_OWN_BIT) ahead->held[r] = 0;
}

// ---------------------------------------------------------------------------------------------------------- results

static bool mixes(const struct rules *rules, const struct rule_column *c) {
  for (unsigned r = 1; r < rules->hosts; r++) {
    if (c->held[r] != c->held[0]) return true;
  }
  return false;
}

/// Results of a complete column leave for the connections in `to`, each with the header of its own packet, if all have room.
static bool emit(const struct rules *rules, struct ring_state *s, const struct rule_column *c, unsigned offset, unsigned to,
                 bool *wrong) {
  for (unsigned r = 0; r < rules->hosts; r++) {
    if ((to >> r & 1) == 0) continue;
    if (!fifo_push(s->down[r], rules->fifo, (c->held[r] - 1u) * rules->msglen + offset)) return false;
  }
  *wrong |= mixes(rules, c);
  return true;
}

/// The packet of `r` is written where that of the pair's other column stands, which was not summed.
static void write_over(const struct rules *rules, struct rule_column *other, unsigned r, unsigned message) {
  if (rules->place == PLACE_UNGUARDED && other->held[r] != 0 && !other->summed) other->held[r] = (uint8_t)(message + 1);
}

enum outcome device_packet(const struct rules *rules, struct ring_state *s, unsigned r, unsigned p, bool coming, bool *wrong) {
  const struct ring_state before = *s;
  const unsigned message = p / rules->msglen, offset = p % rules->msglen, all = (1u << rules->hosts) - 1;
  enum outcome outcome = look_up(rules, s, r, p);
  if (outcome != OUTCOME_STORED) return outcome;
  struct rule_column *c = column_of(rules, s, message, offset), *other = column_of(rules, s, message + rules->window, offset);
  outcome =
      rules->tag == TAG_FULL ? take_tagged(rules, c, other, r, message, coming, wrong) : take_untagged(rules, c, r, message);
  if (outcome == OUTCOME_STALE || outcome == OUTCOME_VIOLATION) return outcome;
  free_on_arrival(rules, s, r, message, offset);
  const bool repeated = outcome == OUTCOME_DUPLICATE || outcome == OUTCOME_REPEATS;
  if (!repeated) write_over(rules, other, r, message);
  c->held[r] = (uint8_t)(message + 1);   // as printed, a repeated packet overwrites; with full tags that changes nothing
  if (outcome == OUTCOME_DUPLICATE || outcome == OUTCOME_STORED) return outcome;
  const unsigned to = repeated && rules->reemit == REEMIT_OWN ? 1u << r : all;
  if (rules->emit == EMIT_ONE_BY_ONE) {
    c->due |= (uint8_t)to;
  } else if (!emit(rules, s, c, offset, to, wrong)) {
    *s = before;
    return OUTCOME_WAITS;
  } else if (!repeated && rules->free == FREE_COMPLETION) {
    free_column(rules, column_of(rules, s, message + rules->window, offset), message + rules->window);
  }
  return outcome;
}

bool device_emit(const struct rules *rules, struct ring_state *s, unsigned column, unsigned r, bool *wrong) {
  struct rule_column *c = &s->column[column];
  const unsigned offset = column % rules->msglen, message = c->held[r] - 1u;
  if (!emit(rules, s, c, offset, 1u << r, wrong)) return false;
  struct rule_slot slot = slot_of(rules, c);
  if (rules->tag != TAG_FULL)
    c->due &= (uint8_t) ~(1u << r);
  else if (slot_emits(&slot, (1u << rules->hosts) - 1, r))
    keep(rules, c, &slot);
  else
    return false;
  if (rules->free == FREE_COMPLETION) {
    free_column(rules, column_of(rules, s, message + rules->window, offset), message + rules->window);
  }
  return true;
}
