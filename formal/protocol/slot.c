#include "formal/protocol/slot.h"

#include <stddef.h>

/// MsgID `a` comes behind `b`.
static bool newer(uint32_t a, uint32_t b) { return a != b && a - b < UINT32_C(0x80000000); }

bool slot_over(const struct rule_slot *slot, uint32_t all) { return slot->away && slot->held != 0 && slot->held != all; }

/// Its packets are all there and not summed, or one is on its way.
static bool needed(const struct rule_slot *slot, uint32_t all, bool coming) {
  return slot->used && !slot->away && slot->held != 0 && !slot->summed && (slot->held == all || coming);
}

enum outcome slot_takes(struct rule_slot *slot, struct rule_slot *other, uint32_t all, unsigned rank, uint32_t message,
                        bool coming, bool other_coming) {
  const bool empty = slot->held == 0 || slot_over(slot, all), complete = slot->held == all && !coming;
  const bool same = slot->used && slot->tag == message, older = slot->used && newer(slot->tag, message);
  if (older) return OUTCOME_STALE;
  if (!same && !empty && !complete) return OUTCOME_VIOLATION;
  if (!same || empty) {
    if (other != NULL && needed(other, all, other_coming)) return OUTCOME_VIOLATION;
    *slot = (struct rule_slot){.used = true, .tag = message};
    if (other != NULL) other->away = true;
  }
  const uint32_t bit = UINT32_C(1) << rank;
  const bool repeated = (slot->held & bit) != 0;
  slot->held |= bit;
  if (slot->held != all) return repeated ? OUTCOME_DUPLICATE : OUTCOME_STORED;
  return repeated ? OUTCOME_REPEATS : OUTCOME_COMPLETES;
}

uint32_t slot_owes(struct rule_part part, uint32_t all, unsigned rank, bool again) {
  if (part.parent) return UINT32_C(1) << RULE_PARENT;
  return again && !part.devices ? UINT32_C(1) << rank : all;
}

bool slot_answers(const struct rule_slot *slot, uint32_t all, uint32_t message, bool coming) {
  return slot->used && slot->tag == message && slot->held == all && !coming;
}

bool slot_emits(struct rule_slot *slot, uint32_t all, unsigned rank) {
  if (!slot->used || slot->held != all || (slot->due >> rank & 1) == 0) return false;
  slot->due &= ~(UINT32_C(1) << rank);
  slot->summed = true;
  return true;
}

void slot_frees(struct rule_slot *slot, uint32_t message) {
  if (slot->used && newer(message, slot->tag)) *slot = (struct rule_slot){.used = true, .tag = message};
}
