/// The map from the RTL to the small model whose states `make protocol` searches: each event of the device must be a step of that model, or none.
///
/// | the device says | step of the model (formal/protocol/slot.h) |
/// |---|---|
/// | decide: stored | the device takes the packet, with the model's own outcome, completing or not |
/// | decide: stale, window violation | it takes the packet and drops it; a first packet may also be stale by its connection table |
/// | decide: type or length mismatch | the packet is lost before the device, in front of a column of its message (types are not in the model) |
/// | decide: another fate | the packet is lost before the device, or its connection table drops it |
/// | decide: duplicate | none yet: the packet is still before the device |
/// | commit of a stored packet | none; the column is whole when the last one is in place, and not before |
/// | commit of a duplicate | the device takes the packet, which makes its result due if the column is whole; if the column is gone or given up: it is lost |
/// | take of some ranks | a result leaves for each; each must be due, of this message, of a whole column. The slot of the message N on falls free |
/// | a ring is flushed, a device restarts | the model begins anew |
///
/// A device of a tree (docs/relay.md), whose parent is a rank of its own behind those of its children:
///
/// | the device says | step of the model |
/// |---|---|
/// | decide: stored, of the parent | none yet; there must be a whole column of this message, all in place |
/// | decide: stale, of the parent | its result is dropped; there must be none |
/// | decide, of the rank behind the parent | a notification: no part of the model |
/// | commit of the parent's result | it makes results due for all; if the column is gone: it is lost |
/// | take for the parent | at a leaf, the first one since the sum is due: a notification leaves, which is none. Then the sum goes up |
///
/// A packet of a column that is not in place yet is what the search calls `coming`. What the golden model checks besides (payloads, headers, fates of look-up) is not
/// looked at here; what is looked at is not taken from the golden model. At the end no result may be due.
#ifndef WEIR_SIM_REFINEMENT_H
#define WEIR_SIM_REFINEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formal/protocol/slot.h"
#include "model/scoreboard.h"

struct refinement;

/// Steps of the model that a device has taken.
enum refinement_step {
  REFINEMENT_NONE,          ///< an event that is none, or a packet that is lost in front of the device
  REFINEMENT_STORES,        ///< takes a packet: stored
  REFINEMENT_COMPLETES,     ///< the same, the last one of its column
  REFINEMENT_DUPLICATES,    ///< has it already
  REFINEMENT_REPEATS,       ///< the same, of a whole column: its result is due again
  REFINEMENT_STALE,         ///< drops it: older than the slot's message
  REFINEMENT_VIOLATION,     ///< drops it: the slot, or its pair's place, is needed
  REFINEMENT_GIVES_UP,      ///< of STORES and COMPLETES: those for which a column that lacks packets was given up
  REFINEMENT_EMITS,         ///< a result leaves
  REFINEMENT_ALONE_STEPS,   ///< those above are all of a device without a parent
  REFINEMENT_RISES = REFINEMENT_ALONE_STEPS,   ///< a sum goes to the parent
  REFINEMENT_ANSWERS,                          ///< the parent's result makes those for all due
  REFINEMENT_STEPS
};

/// A ring of the device.
struct refinement_ring {
  unsigned workers, window, stride;   ///< ranks of children; messages; packets a message at most
  struct rule_part part;
};

/// Nothing is known of any ring. `parent` is the parent's rank, where a ring has one. Aborts without memory.
struct refinement *refinement_new(unsigned ports, unsigned rings, unsigned parent);
void refinement_free(struct refinement *r);
/// A ring is set up: it has no columns.
void refinement_set_ring(struct refinement *r, unsigned ring, const struct refinement_ring *as);
/// It is flushed: it has no columns any more.
void refinement_flush(struct refinement *r, unsigned ring);
/// Memory has lost the slot of message `message` modulo 2N at `offset`: nothing is known of it until its ring is flushed.
void refinement_lose(struct refinement *r, unsigned ring, uint32_t message, unsigned offset);
/// The device said this. False if it is no step of the model; `text` then says why.
bool refinement_event(struct refinement *r, const struct scoreboard_event *event, char *text, size_t size);
/// Nothing is under way any more. False if a result is still due; `text` says which.
bool refinement_settled(const struct refinement *r, char *text, size_t size);
/// How often a step was taken.
uint64_t refinement_count(const struct refinement *r, enum refinement_step step);

#endif
