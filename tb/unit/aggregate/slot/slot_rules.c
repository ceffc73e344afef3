#include "unit/aggregate/slot/slot_rules.h"

bool slot_complete(const struct slot_record *r) { return r->valid && r->accepted && r->stored == (1u << r->workers) - 1; }

bool slot_holds(const struct slot_record *r) {
  return r->valid && r->accepted && !r->over && (!slot_complete(r) || r->first_pending);
}

bool slot_needed(const struct slot_record *r) { return slot_holds(r) && (slot_complete(r) || (r->accepted & ~r->stored) != 0); }

static void clear(struct slot_record *r) {
  r->accepted = r->stored = r->owed = 0;
  r->first_pending = r->over = false;
}

enum fate slot_decide(struct slot_rules *rules, const struct slot_packet *p, bool *completes) {
  struct slot_record *r = &rules->record[p->slot];
  *completes = false;
  if (p->fate != FATE_STORED) return (enum fate)p->fate;
  int32_t ahead = r->valid ? (int32_t)(p->msgid - r->tag) : 1;
  if (ahead < 0) return FATE_STALE;
  if (r->valid && ahead > 0 && r->accepted && !r->over && !slot_complete(r)) return FATE_WINDOW_VIOLATION;
  if (ahead > 0 || !r->accepted || r->over) {
    struct slot_record *other = &rules->record[p->slot ^ 1];
    if (slot_needed(other)) {
      rules->kept_out++;
      return FATE_WINDOW_VIOLATION;
    }
    if (slot_holds(other)) {
      rules->given_up++;
      other->over = true;
    }
    clear(r);
  }
  r->valid = true;
  r->tag = p->msgid;
  if (!r->accepted) {
    r->kind = p->kind;
    r->len = p->len;
    r->workers = p->workers;
    r->window_log2 = p->window_log2;
    r->ring = p->ring;
    r->offset = p->offset;
  }
  if (r->kind != p->kind) return FATE_TYPE_MISMATCH;
  if (r->len != p->len) return FATE_LENGTH_MISMATCH;
  if (r->accepted >> p->rank & 1) return FATE_DUPLICATE;
  r->accepted |= 1u << p->rank;
  *completes = r->accepted == (1u << r->workers) - 1;
  return FATE_STORED;
}

struct slot_effect slot_commit(struct slot_rules *rules, const struct slot_commit *c) {
  struct slot_effect e = {0};
  struct slot_record *r = &rules->record[c->slot];
  if (!r->valid || r->tag != c->msgid || !(r->accepted >> c->rank & 1)) {
    rules->ignored++;
    return e;
  }
  r->port[c->rank] = c->port;
  if (c->first) {
    r->stored |= 1u << c->rank;
    if (slot_complete(r)) {
      e.completes = true;
      r->first_pending = true;
      r->owed = r->accepted;
      e.first = !r->queued;
      rules->silent += r->queued;
      r->queued = true;
    }
  } else if (slot_complete(r)) {
    r->owed |= 1u << c->rank;
    e.again = !r->queued;
    r->queued = true;
  }
  e.record = *r;
  return e;
}

struct slot_effect slot_take(struct slot_rules *rules, unsigned slot, unsigned ports_ready) {
  struct slot_effect e = {.take = TAKE_GONE};
  struct slot_record *r = &rules->record[slot];
  unsigned ports = 0;
  if (!r->owed) {
    r->queued = false;
    return e;
  }
  for (unsigned rank = 0; rank < SLOT_RANKS; rank++) {
    if ((r->owed >> rank & 1) && !(ports >> r->port[rank] & 1)) {
      e.ranks |= 1u << rank;
      ports |= 1u << r->port[rank];
    }
  }
  e.take = TAKE_BLOCKED;
  e.record = *r;
  if (ports & ~ports_ready) return e;
  e.take = TAKE_DONE;
  r->owed &= ~e.ranks;
  e.more = r->owed != 0;
  r->queued = r->owed != 0;
  e.record = *r;
  e.sum = r->first_pending;
  if (r->first_pending) {
    r->first_pending = false;
    struct slot_record *f = &rules->record[slot ^ 1];
    uint32_t tag = r->tag + (1u << r->window_log2);
    if (f->valid && (int32_t)(tag - f->tag) > 0) {
      rules->freed++;
      rules->freed_partial += slot_holds(f);
      clear(f);
      f->tag = tag;
    }
  }
  return e;
}

void slot_flush(struct slot_rules *rules, unsigned slot) {
  rules->record[slot].valid = false;
  clear(&rules->record[slot]);
}
