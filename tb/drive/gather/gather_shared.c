#include "drive/gather/gather_shared.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "drive/bits.h"
#include "model/gather_merge.h"
#include "structs/gather_obs_pkg.h"

struct gather_shared {
  struct gather_merge *golden;
  struct gather_merge_who *copies;
  uint64_t merged, copied;
};

struct gather_shared *gather_shared_new(uint32_t slots, uint32_t units) {
  struct gather_shared *s = calloc(1, sizeof *s);
  if (s == NULL) return NULL;
  s->golden = gather_merge_new(slots, units);
  s->copies = calloc(units, sizeof *s->copies);
  if (s->golden != NULL && s->copies != NULL) return s;
  gather_shared_free(s);
  return NULL;
}

void gather_shared_free(struct gather_shared *s) {
  if (s == NULL) return;
  gather_merge_free(s->golden);
  free(s->copies);
  free(s);
}

static bool answer(struct gather_shared *s, const void *o, uint32_t unit, uint16_t generation, uint64_t idx, char *wrong,
                   size_t size) {
  const uint64_t device = bits_get(o, FIELD(merge_obs_t, copies));
  uint64_t model = 0;
  const size_t count = gather_merge_answer(s->golden, unit, generation, idx, s->copies);
  for (size_t i = 0; i < count; i++) model |= UINT64_C(1) << s->copies[i].unit;
  s->copied += count;
  snprintf(wrong, size,
           "response of index %" PRIu64 " to unit %" PRIu32 ": copies to units 0x%" PRIx64 ", of the model 0x%" PRIx64, idx, unit,
           device, model);
  return device == model;
}

bool gather_shared_see(struct gather_shared *s, const void *o, char *wrong, size_t size) {
  static const char *const fates[] = {"is sent alone", "leads", "waits"};
  if (!bits_get(o, FIELD(merge_obs_t, valid))) return true;
  const uint32_t unit = (uint32_t)bits_get(o, FIELD(merge_obs_t, unit));
  const uint16_t generation = (uint16_t)bits_get(o, FIELD(merge_obs_t, generation));
  const uint64_t idx = bits_get(o, FIELD(merge_obs_t, idx));
  if (bits_get(o, FIELD(merge_obs_t, answer))) return answer(s, o, unit, generation, idx, wrong, size);
  const struct gather_merge_who who = {unit, (uint32_t)bits_get(o, FIELD(merge_obs_t, id))};
  const bool waits = bits_get(o, FIELD(merge_obs_t, waits)) != 0, leads = bits_get(o, FIELD(merge_obs_t, leads)) != 0;
  const enum gather_merge_fate device = waits ? GATHER_MERGE_WAITS : leads ? GATHER_MERGE_LEADS : GATHER_MERGE_ALONE;
  const enum gather_merge_fate model =
      gather_merge_ask(s->golden, who, generation, idx, bits_get(o, FIELD(merge_obs_t, lives)) != 0);
  s->merged += waits;
  snprintf(wrong, size, "read of index %" PRIu64 " by unit %" PRIu32 " %s, of the model %s", idx, unit, fates[device],
           fates[model]);
  return device == model;
}

uint64_t gather_shared_merged(const struct gather_shared *s) { return s->merged; }
uint64_t gather_shared_copied(const struct gather_shared *s) { return s->copied; }
