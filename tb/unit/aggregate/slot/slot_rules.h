/// The rules of docs/protocol.md, section "Slot", in the plainest way: one operation after the other, a take
/// and the free that it causes as one. The witness for agg_slot_state; knows nothing of pipelines or of how a
/// record is kept.
#ifndef WEIR_UNIT_SLOT_RULES_H
#define WEIR_UNIT_SLOT_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/fate.h"

enum { SLOT_RANKS = 4, SLOT_SLOTS = 8 };
enum slot_take { TAKE_GONE, TAKE_BLOCKED, TAKE_DONE };

/// A looked-up packet. `fate` is FATE_STORED where slot state has to decide.
struct slot_packet {
  unsigned port, fate, conn, ring, rank, workers, offset, slot, window_log2, kind, len;
  uint32_t msgid;
};

/// A packet in place; `ready_at` belongs to the test.
struct slot_commit {
  unsigned port, first, fills, rank, slot, ready_at;
  uint32_t msgid;
};

/// One column. Ranks are bits of masks.
struct slot_record {
  bool valid, queued, first_pending;
  bool over;   // its packets may have been written over before it was complete
  uint32_t tag;
  unsigned kind, len, workers, window_log2, ring, offset;
  unsigned accepted, stored, owed;   // masks
  unsigned port[SLOT_RANKS];
};

struct slot_rules {
  struct slot_record record[SLOT_SLOTS];
  // What happened, so that a test can show that nothing went untested.
  unsigned freed, freed_partial, kept_out, given_up, ignored, silent;
};

/// What a commit or a take did.
struct slot_effect {
  bool completes;      ///< a commit made the column's first results due
  bool first, again;   ///< a job is to be queued
  enum slot_take take;
  bool more;
  bool sum;   ///< a take's rows are still to be summed
  unsigned ranks;
  struct slot_record record;   ///< of a take that was done
};

/// Every worker's packet is in place.
bool slot_complete(const struct slot_record *r);
/// The column has packets in the banks: it is begun, and no result has been taken. Slots 2c and 2c + 1 take turns in that.
bool slot_holds(const struct slot_record *r);
/// These must stay: they are all there, or one is on its way. Else the other slot may begin a column, and this one's is over.
bool slot_needed(const struct slot_record *r);
/// Decides on a packet and returns its fate; *completes says that every rank of the column is accepted now.
enum fate slot_decide(struct slot_rules *rules, const struct slot_packet *p, bool *completes);
/// A Stored (`first`) or Duplicate packet is in place.
struct slot_effect slot_commit(struct slot_rules *rules, const struct slot_commit *c);
/// Takes dues of a slot; bit p of `ports_ready`: port p has room.
struct slot_effect slot_take(struct slot_rules *rules, unsigned slot, unsigned ports_ready);
/// The slot forgets its column.
void slot_flush(struct slot_rules *rules, unsigned slot);

#endif
