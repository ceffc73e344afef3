/// Golden model of a NIC's table of merged reads: what several of its units want at one time is asked for once (beyond NetSparse, whose units
/// coalesce each for itself).
///
/// A slot, found by the low bits of the index, holds a property that is under way: who asked for it, the leader, and the units that wait for
/// its response. As a response comes, the leader gets it as it would without the table, and each of those that wait a copy. A slot whose
/// leader's gather has ended without it, by its watchdog, lets the next one that asks lead; nobody waits for a read that nobody misses. Who
/// leads or waits and asks again has failed in between, and asks by itself, so that a unit's second try never hangs on another's first one.
#ifndef WEIR_MODEL_GATHER_MERGE_H
#define WEIR_MODEL_GATHER_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What becomes of a read.
enum gather_merge_fate {
  GATHER_MERGE_ALONE,   ///< it is sent; the slot is another property's
  GATHER_MERGE_LEADS,   ///< it is sent, and others may wait for what it brings
  GATHER_MERGE_WAITS    ///< it is not sent
};

/// A unit's request, by the ID of its PR.
struct gather_merge_who {
  uint32_t unit, id;
};

struct gather_merge;
/// `slots` is a power of two; units are numbers below `units`. NULL if out of memory.
struct gather_merge *gather_merge_new(uint32_t slots, uint32_t units);
void gather_merge_free(struct gather_merge *m);
/// Whose read the slot of an index is of. False if it is free.
bool gather_merge_leader(const struct gather_merge *m, uint64_t idx, struct gather_merge_who *out);
/// A unit asks for the property of a column. `lives`: the gather of the slot's leader is still under way.
enum gather_merge_fate gather_merge_ask(struct gather_merge *m, struct gather_merge_who who, uint16_t generation, uint64_t idx,
                                        bool lives);
/// A response to `unit` has come. Who gets a copy beside that unit, by ascending unit; `copies` has room for all units.
size_t gather_merge_answer(struct gather_merge *m, uint32_t unit, uint16_t generation, uint64_t idx,
                           struct gather_merge_who *copies);

#endif
