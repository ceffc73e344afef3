/// One slot of the device under Weir's rules (docs/protocol.md, "Slot"): full tags, any number of ranks and messages.
///
/// The search of all states takes its steps with these functions. So does the monitor beside the RTL (sim/engine/follow/refinement.h): each event of the
/// device must be one of these steps, or the search was of another device.
#ifndef WEIR_PROTOCOL_SLOT_H
#define WEIR_PROTOCOL_SLOT_H

#include <stdbool.h>
#include <stdint.h>

/// What became of a packet. OUTCOME_WAITS: nothing, because there is no room for the results it makes due.
enum outcome {
  OUTCOME_WAITS,
  OUTCOME_UNKNOWN_MESSAGE,
  OUTCOME_STALE,
  OUTCOME_VIOLATION,
  OUTCOME_STORED,
  OUTCOME_DUPLICATE,
  OUTCOME_COMPLETES,
  OUTCOME_REPEATS,   // a duplicate on a complete column
};

/// Where the device stands, of one ring. All zero: alone in its rack.
struct rule_part {
  bool parent;    ///< a whole column goes up; nothing goes down but the parent's result
  bool devices;   ///< its children are devices, for whom one answer is one for all
};

/// In `due`, behind all ranks: the sum is to go to the parent.
enum { RULE_PARENT = 31 };

/// The column that has the slot. All zero: there was none.
struct rule_slot {
  bool used;
  uint32_t tag;         ///< MsgID; MsgIDs are serial numbers
  uint32_t held, due;   ///< by rank: its packet is there; it is to get a result
  bool summed;          ///< a result has left, so the packets are needed no more
  bool away;            ///< the other slot of its pair has got the place of the packets since
};

/// The column lacks a packet, and what it had is given up for the column of the pair's other slot.
bool slot_over(const struct rule_slot *slot, uint32_t all);

/// The packet of `rank` of a message comes. `other` is the slot N messages away, with which it shares a place for packets, or NULL: each has its own. `all`
/// are the ring's ranks. `coming`: a packet of `slot` is not in its bank yet, `other_coming`: one of `other`. Makes nothing due.
enum outcome slot_takes(struct rule_slot *slot, struct rule_slot *other, uint32_t all, unsigned rank, uint32_t message,
                        bool coming, bool other_coming);

/// The packet of `rank` has completed the column, or with `again` repeats one of a whole column. What is due by it, to be added to `due`.
uint32_t slot_owes(struct rule_part part, uint32_t all, unsigned rank, bool again);

/// A result of `message` comes from the parent. False: it is stale, the slot has no whole column of it. `coming` as above. Makes nothing due: `all` are.
bool slot_answers(const struct rule_slot *slot, uint32_t all, uint32_t message, bool coming);

/// The result for `rank` leaves, or the sum for RULE_PARENT. False, and nothing has changed: none can.
bool slot_emits(struct rule_slot *slot, uint32_t all, unsigned rank);

/// The slot falls free for `message`, because a result of the one N before has left for a rank. Freeing twice is freeing once.
void slot_frees(struct rule_slot *slot, uint32_t message);

#endif
