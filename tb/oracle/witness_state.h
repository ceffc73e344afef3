/// What the witness remembers; shared by the witness_*.c files only.
#ifndef WEIR_MODEL_WITNESS_STATE_H
#define WEIR_MODEL_WITNESS_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "oracle/witness.h"
#include "wire/roce.h"

enum { WITNESS_TEXTS = 8, WITNESS_TEXT_BYTES = 320, WITNESS_RANKS = 64, CONN_BUCKETS = 1 << 10, BUCKETS = 1 << 16 };

/// No port: known since before anything that is still under way.
#define ANY_PORT (~0u)

/// What a connection's tagged packet said of its message.
struct message {
  bool valid;
  uint8_t kind;
  uint16_t msglen;
  uint32_t msgid, psn;
};

/// A connection that sent at least one SEND or WRITE, or is registered. The order in which a device takes packets of two ports is
/// not to be seen from outside; where it would matter, the connection is `contested` or `roaming` and not relied upon.
struct conn {
  struct conn *next;   ///< in its bucket
  struct conn_key key;
  bool known, registered;
  bool contested;             ///< another connection claimed the same rank, or the last table entry, at the same time
  bool roaming;               ///< its packets came in on several ports since the device was quiet
  unsigned port;              ///< where they came in since then; ANY_PORT if there were none
  unsigned learned_at;        ///< port of the packet it was learned from; ANY_PORT if the device was quiet since
  unsigned ring, rank;        ///< if known
  struct message *messages;   ///< 2N entries; NULL until the first message
  struct packet *loose;       ///< packets of no known message since the device was quiet
};

/// A gradient that came in, without trailing bytes.
struct packet {
  struct packet *next;       ///< of the same connection and PSN, or loose; newest first
  struct packet *next_row;   ///< of the same column and rank, with another tensor
  struct column *column;     ///< NULL while loose
  struct roce_packet at;
  unsigned port;
  uint8_t kind;
  uint8_t data[];   ///< at.ip_end bytes
};

/// All packets of one connection with one PSN.
struct sent {
  struct sent *next;   ///< in its bucket
  const struct conn *conn;
  uint32_t psn;
  struct packet *packets;
  size_t copies, results;
};

/// What a rank has of a column.
struct share {
  struct packet *rows;   ///< packets with different tensors; a well-behaved sender has one
  size_t results;
};

/// All packets of one (ring, MsgID, offset).
struct column {
  struct column *next;   ///< in its bucket
  struct column *next_open;
  unsigned ring, offset;
  uint32_t msgid;
  uint8_t kind;
  size_t len;         ///< of the first packet's tensor
  bool excused;       ///< results may be missing; the reasons stand in witness_columns.c
  bool closed;        ///< judged
  unsigned present;   ///< ranks that sent a packet
  unsigned given;     ///< ranks that got a result
  uint8_t *proven;    ///< a tensor of proven_len bytes that was found right; NULL if none was
  size_t proven_len;
  struct share shares[];
};

struct ring {
  struct model_ring is;
  struct conn **holders;   ///< of each rank
  struct column **slots;   ///< the newest column of (MsgID mod 2N, offset)
  bool begun;              ///< `newest` means something
  uint32_t newest;         ///< MsgID
};

/// A frame that is to be passed, or may be.
struct passing {
  struct passing *next;
  const struct conn *conn;   ///< of a SEND or WRITE; NULL of a frame that passes in any case
  uint64_t number;
  size_t len;
  uint8_t data[];
};

struct witness_port {
  struct passing *head, **tail;
  uint64_t in, out;
};

struct witness {
  struct model_limits limits;
  struct ring *rings;
  size_t ring_count;
  struct witness_port *ports;
  struct conn *conns[CONN_BUCKETS];
  size_t known;   ///< connections that take an entry of the table
  struct sent *sent[BUCKETS];
  struct column *columns[BUCKETS];
  struct column *open;
  size_t closed;      ///< columns that are closed and still remembered
  uint8_t *scratch;   ///< slot_bytes
  struct witness_counts counts;
  size_t faults;
  char texts[WITNESS_TEXTS][WITNESS_TEXT_BYTES];
};

void *witness_need(void *p);
void witness_fault(struct witness *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// `a` is newer than `b` (serial numbers).
bool msgid_newer(uint32_t a, uint32_t b);

// --- witness_conns.c ---

/// NULL if it was never seen; conn_of makes it.
struct conn *conn_find(struct witness *w, const struct conn_key *key);
struct conn *conn_of(struct witness *w, const struct conn_key *key);
/// A packet of the connection comes in.
void conn_seen(struct conn *c, unsigned port);
/// The device has certainly known the connection by the time it takes a packet that comes in now.
bool conn_surely_known(const struct conn *c, unsigned port);
/// The connection is, or becomes by this tagged packet, the one of (ring, rank). False if the packet is dropped.
bool conn_claim(struct witness *w, struct conn *c, unsigned ring, unsigned rank, unsigned port);
/// Remembers the message of a tagged packet. False if the packet is dropped: it is stale or contradicts an earlier one.
bool conn_enter(const struct witness *w, struct conn *c, const struct roce_packet *p);
/// The message a packet without INA header belongs to; NULL if none.
const struct message *conn_message(const struct witness *w, const struct conn *c, uint32_t psn);
/// The device is quiet.
void conns_settle(struct witness *w);
void conns_flush(struct witness *w, unsigned ring);
void conns_free(struct witness *w);

// --- witness_columns.c ---

/// Puts a packet of a known connection into its column; the witness owns it from here on.
void column_put(struct witness *w, struct conn *c, struct packet *k, uint32_t msgid, unsigned offset, uint8_t kind);
/// Counts the frame out as a result if it can be one. Otherwise says why not.
const char *column_explain(struct witness *w, unsigned port, const uint8_t *frame, size_t len, const struct roce_packet *p);
/// A packet of a contested connection left as it came in, which is right if the other claim came first.
bool column_passes_contested(struct witness *w, unsigned port, const uint8_t *frame, size_t len, const struct roce_packet *p);
/// The device is quiet: judges the columns that have all their packets.
void columns_settle(struct witness *w);
void columns_flush(struct witness *w, unsigned ring);
void columns_free(struct witness *w);

#endif
