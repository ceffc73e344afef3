/// The golden model of a device in a tree of devices (NetReduce 3.3; rules: docs/relay.md). It aggregates what its children send, workers or
/// devices, sends one packet a column to its parent, and passes the parent's result on to its children. Around model.h; no clock: what
/// a frame causes happens at once.
#ifndef WEIR_MODEL_RELAY_H
#define WEIR_MODEL_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"
#include "wire/relay.h"

/// A ring as a device of a tree knows it. A device has a parent, or children that are devices, or both; or it is the only one of its rack, whose
/// children are all workers of the ring.
struct relay_ring {
  struct model_ring ring;             ///< `workers`: the children; rank: which child
  bool leaf;                          ///< children are workers, neighbours in the ring
  unsigned first, total;              ///< of a leaf: rank of its first worker, workers of the whole ring
  bool has_parent;                    ///< false: the root, or alone
  struct relay_end parent;            ///< if `has_parent`
  unsigned child, siblings;           ///< which child of the parent this is, of how many
  const struct relay_end *children;   ///< of others than leaves
  /// Of a leaf in a ring that does not learn: its workers' connections, and the one from elsewhere that ends at its first worker.
  const struct conn_key *workers, *before;
};

struct relay_config {
  struct model_limits limits;
  unsigned rows;   ///< of the connection translation table
  struct relay_end self;
  const struct relay_ring *rings;
  size_t ring_count;
};

/// A row of the connection translation table (NetReduce Table 3).
struct relay_row {
  bool multicast;   ///< else aggregation; where a root's contribution and its result meet, both in one: aggregation
  unsigned ring;
  struct conn_key from, to;
};

struct relay_counts {
  uint64_t fates[FATE_COUNT];     ///< of all frames but those below that have a parent's or another leaf's name
  uint64_t completed, again;      ///< columns sent on complete: for the first time, and once more
  uint64_t merged;                ///< repeated packets that were answered by what another child had asked for
  uint64_t up, down, results;     ///< packets to the parent, to child devices, to workers
  uint64_t parents;               ///< results of the parent
  uint64_t notes_out, notes_in;   ///< notifications sent, and taken (those of this leaf's own connections too)
  uint64_t note_refused;          ///< of no worker here, of a connection that is not the ring's, or a message gone by
  uint64_t table_full;            ///< rows refused
  uint64_t no_row;                ///< columns that no row of the table sends on
  uint64_t no_template;           ///< results without the headers of their message: dropped
  uint64_t bad_parent;            ///< packets on the parent's connection that cannot be a result
};

struct relay;

/// A frame that the device sends, at once. `data` is valid during the call.
typedef void relay_send_fn(void *user, unsigned port, const uint8_t *data, size_t len);

/// NULL if out of memory, on the conditions of model_new, or if a ring is neither below a parent nor above devices and has workers elsewhere.
struct relay *relay_new(const struct relay_config *config, relay_send_fn *send, void *user);
void relay_free(struct relay *r);

/// From now on `late` is told of each frame that a device which takes time may send as well: a result that found no headers, when these come
/// after all. By the rule headers must be there when a result leaves; here that is when it came, in a device some cycles later (docs/relay.md).
void relay_tell_late(struct relay *r, relay_send_fn *late, void *user);

/// A frame comes in.
void relay_rx(struct relay *r, unsigned port, const uint8_t *frame, size_t len, bool error);

/// Row `index` of the table, NULL beyond the last.
const struct relay_row *relay_row_at(const struct relay *r, size_t index);
const struct relay_counts *relay_counts(const struct relay *r);
/// As model_waiting.
bool relay_waiting(const struct relay *r, unsigned ring, struct model_waiting *out);
/// Children that a ring waits for (model_behind); `*parent`: a column that they have all sent, and its result has not come from the parent.
uint32_t relay_behind(const struct relay *r, unsigned ring, bool *parent);
/// What results to hosts are marked with, from here on; 0, as at first: they are not. A notification has the mark of the leaf that makes it, and the
/// result that another leaf makes of it has that.
void relay_set_epoch(struct relay *r, uint8_t epoch);
/// All that was learned goes, as when the device is switched on again.
void relay_flush(struct relay *r);

#endif
