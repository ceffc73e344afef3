/// What the golden model remembers; shared by model*.c and relay*.c only.
///
/// Messages take turns (docs/protocol.md): of those whose MsgIDs differ by a multiple of 2N one is remembered, the newest that was begun or is
/// awaited. So what is kept by message is a list of 2N at most, in no order, looked up by MsgID.
#ifndef WEIR_MODEL_MODEL_STATE_H
#define WEIR_MODEL_MODEL_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/model.h"
#include "wire/roce.h"

/// A message a connection is known to have sent.
struct message {
  uint32_t msgid, psn0;
  uint16_t msglen;
  uint8_t kind;
};

struct connection {
  struct conn_key key;
  unsigned ring, rank;
  bool learned;
  bool retired;              // forgotten, but its packets are dropped; ring and rank mean nothing any more
  struct message *history;   // room for 2N, NULL where the entry of the table is free
  unsigned messages;
};

/// What one rank left in a column: the headers of its latest packet and the tensor of its first one.
struct share {
  unsigned port;
  uint32_t psn;
  uint8_t header[ROCE_MAX_HEADER];
  size_t header_len;
  size_t mark;   // where in `header` a result carries the epoch; 0: nowhere
  uint8_t pad[3];
  size_t pad_len;
  uint8_t *tensor;   // slot_bytes, allocated when first needed
};

/// A column that is begun, or awaited: then no rank has been accepted.
struct column {
  uint32_t msgid;
  uint8_t kind;
  size_t length;
  uint32_t accepted, stored, owed;
  uint64_t life;   // no other column, nor this one begun anew, has the same: a late commit must not fall into another one's bytes
  bool taken;      // a result has been taken, so the message N before is over, and the column's packets are needed no more
  bool over;       // the column of a message N away has been begun over its packets, before they were complete
  bool lost;       // nothing of it is known any more, nor which message has the turn; `accepted` is as it was then
  uint32_t answered;      // of a relay (docs/relay.md): children whose next repeat has been answered already
  bool returned;          // the same: its parent's result has come
  struct share *shares;   // one a rank
};

/// Columns of one offset of a ring's messages.
struct columns {
  struct column *at;   // room for 2N
  unsigned count;
};

/// A decided packet whose bytes are not in place yet.
struct packet {
  struct packet *next;
  unsigned ring, rank, offset;
  uint32_t msgid;
  uint64_t life;   // of its column
  bool first;
  struct roce_packet parsed;
  uint8_t frame[];
};

struct pending {
  struct packet *head, **tail;
  bool closed;   // what is no ring's does not pass
};

struct model {
  struct model_limits limits;
  struct model_ring *rings;
  struct model_part *parts;   // one a ring; `total` 0: it is whole
  bool *rings_closed;         // one a ring: it is being flushed
  bool *rings_off;            // one a ring: it is not enabled
  bool *rings_drop;           // and messages with its RingID are dropped
  size_t ring_count;
  struct columns **columns;   // of each ring, one an offset
  uint64_t lives;
  struct connection *conns;
  struct pending *ports;
  uint8_t epoch;     // 0: results are not marked
  size_t given_up;   // columns that were complete and lost their slot with first results due
  uint8_t *out;
  size_t out_stride;
};

/// Serial-number order of MsgIDs: true if `a` is older than `b`.
static inline bool older(uint32_t a, uint32_t b) { return ((a - b) & 0x80000000u) != 0; }

/// True if messages with these MsgIDs take turns: at most one of them is remembered.
static inline bool take_turns(const struct model_ring *ring, uint32_t a, uint32_t b) { return (a - b) % (2 * ring->window) == 0; }

static inline uint32_t everyone_of(const struct model_ring *ring) {
  return ring->workers == 32 ? UINT32_MAX : (1u << ring->workers) - 1u;
}

// --- model_columns.c ---

/// NULL if out of memory.
struct columns *model_columns_new(const struct model_ring *ring);
void model_columns_free(struct columns *all, const struct model_ring *ring);
/// The column of (ring, MsgID, offset); NULL if it is neither begun nor awaited.
struct column *column_find(const struct model *m, unsigned ring, uint32_t msgid, unsigned offset);
/// The same, or the one of the message that takes turns with it; NULL if there is none.
struct column *column_turn(const struct model *m, unsigned ring, uint32_t msgid, unsigned offset);
/// Makes room for the packets of a column that begins: one whose MsgID differs by an odd multiple of N is over. False, and nothing changed, if
/// that one's packets are needed: all are there and the sum is not taken, or one is on its way.
bool column_make_room(struct model *m, unsigned ring, uint32_t msgid, unsigned offset);
/// `before`, whatever its state, is over, and the column of `msgid` is awaited; if NULL, no message had the turn yet.
struct column *column_next(struct model *m, unsigned ring, uint32_t msgid, unsigned offset, struct column *before);
/// All columns of a ring are over.
void model_columns_flush(struct model *m, unsigned ring);

// --- model_rings.c ---

/// The message of a connection that has the turn of `msgid`; NULL if it has sent none.
struct message *message_turn(const struct model *m, const struct connection *conn, uint32_t msgid);
/// The known connection with this key, or NULL.
struct connection *find_connection(struct model *m, const struct conn_key *key);
/// True if a known connection speaks for the rank.
bool rank_taken(const struct model *m, unsigned ring, unsigned rank);
/// NULL if it has no place.
struct connection *add_connection(struct model *m, unsigned ring, unsigned rank, const struct conn_key *key, bool learned);
/// A retired connection begins anew, as one that was learned.
void revive_connection(struct model *m, struct connection *conn, unsigned ring, unsigned rank);

#endif
