/// What the witness remembers; shared by the witness_*.c files only.
#ifndef WEIR_ORACLE_WITNESS_STATE_H
#define WEIR_ORACLE_WITNESS_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/findings.h"
#include "base/memory.h"
#include "oracle/witness.h"

enum { WITNESS_RANKS = 64, CONN_BUCKETS = 1 << 10, BUCKETS = 1 << 16 };

/// No port: known since before anything that is still under way.
#define ANY_PORT (~0u)

/// What a connection's tagged packet said of its message.
struct witness_message {
  bool valid;
  uint8_t kind;
  uint16_t msglen;
  uint32_t msgid, psn;
};

/// A connection that sent at least one SEND or WRITE, or is registered. The order in which a device takes packets of two ports is
/// not to be seen from outside; where it would matter, the connection is `contested` or `roaming` and not relied upon.
struct witness_conn {
  struct witness_conn *next;   ///< in its bucket
  struct witness_key key;
  bool known, registered;
  bool retired;                       ///< was known: it has an entry still, and its packets are dropped
  bool perhaps_retired;               ///< was contested when its ring was flushed: nobody outside knows whether it has an entry
  bool contested;                     ///< another connection claimed the same rank, or the last table entry, at the same time
  bool roaming;                       ///< its packets came in on several ports since the device was quiet
  unsigned port;                      ///< where they came in since then; ANY_PORT if there were none
  unsigned learned_at;                ///< port of the packet it was learned from; ANY_PORT if the device was quiet since
  unsigned ring, rank;                ///< if known
  bool begun;                         ///< `newest` means something
  uint32_t newest;                    ///< PSN
  struct witness_message *messages;   ///< 2N entries; NULL until the first message
  struct witness_packet *loose;       ///< packets of no known message since the device was quiet
};

/// A gradient that came in, without trailing bytes.
struct witness_packet {
  struct witness_packet *next;       ///< of the same connection and PSN, or loose; newest first
  struct witness_packet *next_row;   ///< of the same column and rank, with another tensor
  struct witness_column *column;     ///< NULL while loose
  struct witness_reading at;
  unsigned port;
  uint8_t kind;
  uint8_t data[];   ///< at.end bytes
};

/// All packets of one connection with one PSN.
struct witness_psn {
  struct witness_psn *next;   ///< in its bucket
  const struct witness_conn *conn;
  uint32_t psn;
  struct witness_packet *packets;
  size_t copies, results;
  bool meant;   ///< `meaning` is what its sender said last
  struct witness_meaning meaning;
};

/// What a rank has of a column.
struct witness_share {
  struct witness_packet *rows;   ///< packets with different tensors; a well-behaved sender has one
  size_t results;
};

/// All packets of one (ring, MsgID, offset).
struct witness_column {
  struct witness_column *next;   ///< in its bucket
  struct witness_column *next_open;
  unsigned ring, offset;
  uint32_t msgid;
  uint8_t kind;
  size_t len;           ///< of the first packet's tensor
  bool contradicts;     ///< its packets disagree in type or length
  bool ports;           ///< packets of it are of connections that are contested or roaming
  bool out_of_window;   ///< it met another column of its turn, one of the two not finished
  /// Of a rank a copy came in first, when messages N newer had begun: a packet before it did not come in.
  bool by_repeat;
  /// It lacked a rank of which nothing had been seen when the message N newer began: the record begins in the middle.
  bool begun_unseen;
  bool follows;   ///< it took the turn of the message `before`, or met that one's packets
  uint32_t before;
  bool closed;        ///< judged
  unsigned present;   ///< ranks that sent a packet
  unsigned given;     ///< ranks that got a result
  uint8_t *proven;    ///< a tensor of proven_len bytes that was found right; NULL if none was
  size_t proven_len;
  struct witness_share shares[];
};

struct watched_ring {
  struct witness_ring is;
  struct witness_conn **holders;   ///< of each rank
  struct witness_column **slots;   ///< the newest column of (MsgID mod 2N, offset)
  bool begun;                      ///< `newest` means something
  uint32_t newest;                 ///< MsgID
};

/// A frame that is to be passed, or may be.
struct witness_passing {
  struct witness_passing *next;
  const struct witness_conn *conn;   ///< of a SEND or WRITE; NULL of a frame that passes in any case
  uint64_t number;
  size_t len;
  uint8_t data[];
};

struct witness_port {
  struct witness_passing *head, **tail;
  uint64_t in, out;
};

struct witness {
  struct witness_limits limits;
  struct watched_ring *rings;
  size_t ring_count;
  struct witness_port *ports;
  struct witness_conn *conns[CONN_BUCKETS];
  size_t known;   ///< connections that take an entry of the table
  bool unsure;    ///< or are thought to, since one that was contested was flushed
  struct witness_psn *sent[BUCKETS];
  struct witness_column *columns[BUCKETS];
  struct witness_column *open;
  size_t closed;      ///< columns that are closed and still remembered
  bool ending;        ///< all is to be forgotten
  uint8_t *scratch;   ///< slot_bytes
  uint8_t epoch;      ///< 0: results are not marked
  struct witness_counts counts;
  struct findings faults;
};

void witness_fault(struct witness *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// `a` is newer than `b` (serial numbers).
bool witness_newer(uint32_t a, uint32_t b);

// --- witness_conns.c ---

/// NULL if it was never seen; witness_conn_of makes it.
struct witness_conn *witness_conn_find(struct witness *w, const struct witness_key *key);
struct witness_conn *witness_conn_of(struct witness *w, const struct witness_key *key);
/// A packet of the connection comes in.
void witness_conn_seen(struct witness_conn *c, unsigned port);
/// The device has certainly known the connection by the time it takes a packet that comes in now.
bool witness_conn_surely_known(const struct witness_conn *c, unsigned port);
/// The connection is, or becomes by this tagged packet, the one of (ring, rank). False if the packet is dropped.
bool witness_conn_claim(struct witness *w, struct witness_conn *c, unsigned ring, unsigned rank, unsigned port);
/// Remembers the message of a tagged packet. False if the packet is dropped: it is stale or contradicts an earlier one.
bool witness_conn_enter(const struct witness *w, struct witness_conn *c, const struct witness_reading *p);
/// The message a packet without INA header belongs to; NULL if none.
const struct witness_message *witness_conn_message(const struct witness *w, const struct witness_conn *c, uint32_t psn);
/// The message with this MsgID, if the connection is known to have begun it; or NULL.
const struct witness_message *witness_conn_begun(const struct witness *w, const struct witness_conn *c, uint32_t msgid);
/// The device is quiet.
void witness_conns_settle(struct witness *w);
void witness_conns_flush(struct witness *w, unsigned ring);
/// Behind a flush: connections of the ring have no entry any more.
void witness_conns_release(struct witness *w, unsigned ring);
void witness_conns_free(struct witness *w);

// --- witness_results.c ---

/// What a frame out has, up to its tensor and behind it, that the packet whose result it may be has not; NULL if nothing.
const char *witness_headers_differ(const struct witness *w, const struct witness_packet *k, const uint8_t *frame, size_t len);
/// NULL if a tensor is the sum of one packet of each rank in the packet's column; else what is wrong.
const char *witness_sum_differs(struct witness *w, const struct witness_packet *k, const uint8_t *tensor);

// --- witness_columns.c ---

/// The packets with this connection and PSN, made if there are none; or NULL.
struct witness_psn *witness_psn_of(struct witness *w, const struct witness_conn *c, uint32_t psn, bool make);

/// Puts a packet of a known connection into its column; the witness owns it from here on.
void witness_column_put(struct witness *w, struct witness_conn *c, struct witness_packet *k, uint32_t msgid, unsigned offset,
                        uint8_t kind);
/// Counts the frame out as a result if it can be one. Otherwise says why not.
const char *witness_column_explain(struct witness *w, unsigned port, const uint8_t *frame, size_t len,
                                   const struct witness_reading *p);
/// A packet of a contested connection left as it came in, which is right if the other claim came first.
bool witness_column_passes_contested(struct witness *w, unsigned port, const uint8_t *frame, size_t len,
                                     const struct witness_reading *p);
/// Columns that lack packets of some rank.
size_t witness_columns_open(const struct witness *w);
/// The device is quiet: judges the columns that have all their packets.
void witness_columns_settle(struct witness *w);
/// The same of one ring, and nothing is forgotten: others may not be quiet.
void witness_columns_settle_ring(struct witness *w, unsigned ring);
void witness_columns_flush(struct witness *w, unsigned ring);
void witness_columns_free(struct witness *w);

#endif
