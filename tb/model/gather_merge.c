#include "model/gather_merge.h"

#include <stdlib.h>

struct slot {
  bool used;
  uint16_t generation;
  uint64_t idx;
  struct gather_merge_who leader;
  uint32_t waiting;   // units
};

/// What a unit waits for in a slot.
struct wait {
  bool waits;
  uint32_t id;
};

struct gather_merge {
  uint32_t count, units;
  struct slot *slots;
  struct wait *waits;   // [slot][unit]
};

struct gather_merge *gather_merge_new(uint32_t slots, uint32_t units) {
  struct gather_merge *m = calloc(1, sizeof *m);
  if (m == NULL) return NULL;
  *m = (struct gather_merge){.count = slots, .units = units};
  m->slots = calloc(slots, sizeof *m->slots);
  m->waits = calloc((size_t)slots * units, sizeof *m->waits);
  if (m->slots != NULL && m->waits != NULL) return m;
  gather_merge_free(m);
  return NULL;
}

void gather_merge_free(struct gather_merge *m) {
  if (m == NULL) return;
  free(m->slots);
  free(m->waits);
  free(m);
}

static struct slot *slot_of(const struct gather_merge *m, uint64_t idx) { return &m->slots[idx & (m->count - 1)]; }

static struct wait *waits_of(const struct gather_merge *m, uint64_t idx) { return &m->waits[(idx & (m->count - 1)) * m->units]; }

static bool is_of(const struct slot *s, uint16_t generation, uint64_t idx) {
  return s->used && s->generation == generation && s->idx == idx;
}

bool gather_merge_leader(const struct gather_merge *m, uint64_t idx, struct gather_merge_who *out) {
  const struct slot *s = slot_of(m, idx);
  *out = s->leader;
  return s->used;
}

static void wait_no_more(struct slot *s, struct wait *w) {
  s->waiting -= w->waits;
  w->waits = false;
}

enum gather_merge_fate gather_merge_ask(struct gather_merge *m, struct gather_merge_who who, uint16_t generation, uint64_t idx,
                                        bool lives) {
  struct slot *s = slot_of(m, idx);
  struct wait *waits = waits_of(m, idx);
  if (is_of(s, generation, idx)) {
    if (lives && s->leader.unit != who.unit && !waits[who.unit].waits) {
      waits[who.unit] = (struct wait){.waits = true, .id = who.id};
      s->waiting++;
      return GATHER_MERGE_WAITS;
    }
    wait_no_more(s, &waits[who.unit]);
    s->leader = who;
    return GATHER_MERGE_LEADS;
  }
  // Who waits for the slot's property still gets it if its index is asked for again.
  if (s->used && s->generation == generation && (lives || s->waiting > 0)) return GATHER_MERGE_ALONE;
  for (uint32_t u = 0; u < m->units && s->waiting > 0; u++) wait_no_more(s, &waits[u]);
  *s = (struct slot){.used = true, .generation = generation, .idx = idx, .leader = who};
  return GATHER_MERGE_LEADS;
}

size_t gather_merge_answer(struct gather_merge *m, uint32_t unit, uint16_t generation, uint64_t idx,
                           struct gather_merge_who *copies) {
  struct slot *s = slot_of(m, idx);
  struct wait *waits = waits_of(m, idx);
  if (!is_of(s, generation, idx)) return 0;
  size_t count = 0;
  for (uint32_t u = 0; u < m->units && s->waiting > 0; u++) {
    if (!waits[u].waits) continue;
    if (u != unit) copies[count++] = (struct gather_merge_who){u, waits[u].id};
    wait_no_more(s, &waits[u]);
  }
  s->used = false;
  return count;
}
