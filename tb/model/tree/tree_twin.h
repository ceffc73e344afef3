/// The golden model of a node beside a device (docs/tree.md), in lock step: it is told what the device took in and what it decided, and each
/// message that leaves the device must be the model's, byte by byte and in order. When something leaves is the device's business.
///
/// What is compared, and against what:
/// - Frames that go in are heard by a responder of the model's, so it is known which packets the device can have taken: each PSN once, in order. A
///   packet that the device did not take, as it had no room, comes again.
/// - Low latency: the device says which message it decides on, which operation has expired, which end it was told of and why; the model does
///   the same then. Messages of one group leave a connection in the model's order. Those of different groups may pass each other, as the device adds
///   one vector at a time.
/// - Multicasts of results: frame by frame what the model sends, in its order as messages are. Of the parent's, which may be lost, the device says which
///   answer it has taken: one must have come that the model takes.
/// - Streaming: packet i of a connection is the model's packet i. The last packet of an operation is held back from the model until the device has
///   counted the operation, so that locks come and go in the device's order.
/// - Frames that leave must be of a connection, without a gap in the PSNs, and acknowledge nothing that has not come.
/// Out of reach: whether patience has ended when the device says so, and whether a neighbour is lost (hosts' verdicts and registers tell of that). Of a
/// tree that was torn down, and of a connection that has failed, what the device did not send any more is not missed.
#ifndef WEIR_MODEL_TREE_TWIN_H
#define WEIR_MODEL_TREE_TWIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/tree/tree_node.h"

struct tree_twin;

/// An end that the device was told of from outside its low-latency half.
struct tree_twin_ending {
  bool low;   ///< of this tree, and with it of the other; else of the streaming one alone
  enum tree_verdict verdict;
  uint16_t node;
  uint8_t port;      ///< to blame, from 1 on; 0: nobody's
  uint64_t except;   ///< ports that are not told; at most one
};

/// `config`: the device's; trees[0] is its low-latency tree, trees[1] the streaming one. Tables are copied. NULL if out of memory. The caller frees it.
struct tree_twin *tree_twin_new(const struct tree_node_config *config);
void tree_twin_free(struct tree_twin *t);

/// A frame goes into the device, or has left it.
void tree_twin_in(struct tree_twin *t, unsigned port, const uint8_t *frame, size_t len, bool bad);
void tree_twin_out(struct tree_twin *t, unsigned port, const uint8_t *frame, size_t len);
/// The device has decided on the oldest message of a port; on the operation of a group (index) that waited too long; it was told of an end.
void tree_twin_message(struct tree_twin *t, unsigned port);
/// It has taken the answer to a group's (index) operation from a multicast of its parent. What it does not take is nothing to the model either.
void tree_twin_cast(struct tree_twin *t, unsigned group);
void tree_twin_expired(struct tree_twin *t, unsigned group);
void tree_twin_ended(struct tree_twin *t, const struct tree_twin_ending *end);
/// Registers ask the device for a change: of the group with this index, which is to be another, or none (NULL); or that the streaming tree, which was torn
/// down, begins once more with these ends, of each port. What they refuse at once is forgotten with the next one.
void tree_twin_change_group(struct tree_twin *t, unsigned index, const struct group_of_node *group);
void tree_twin_reopen(struct tree_twin *t, const struct rc_end_config *ends);
/// The device has decided on it: done, or refused. The model must say the same.
void tree_twin_changed(struct tree_twin *t, bool good);
/// The lock cells were asked for what it decided on last.
void tree_twin_asked(struct tree_twin *t);
/// A streaming operation has ended, and is counted. Of both in one cycle, this is the later one.
void tree_twin_counted(struct tree_twin *t);

/// The device has been still for longer than any decision takes. True if no operation is under way, and all that the model sent has left.
bool tree_twin_rests(struct tree_twin *t);
/// At the end of a run: all that the model sent has left, but for connections that the device has found to have failed: bit 2 * port + streaming.
void tree_twin_finish(struct tree_twin *t, uint64_t failed);
/// What was wrong first, in words; NULL if nothing was.
const char *tree_twin_fault(const struct tree_twin *t);

/// The model.
const struct tree_node *tree_twin_node(const struct tree_twin *t);
struct tree_twin_counts {
  uint64_t compared;     ///< messages and streaming packets that were the model's
  uint64_t naks, rnrs;   ///< that left the device
};
struct tree_twin_counts tree_twin_counts(const struct tree_twin *t);

#endif
