/// A second opinion that looks only at frames in and frames out, and, where senders are simulated, at what they say that they mean. It shares no
/// code with the golden model or with what makes the traffic, not even the reading of headers (witness_read.h): it keeps all frames it saw and asks of
/// each frame out "why may this leave?", and at quiet moments "what should have left?".
///
/// A frame out is good if it is an identical, in-order copy of a frame of its port that is no gradient, or a result: a
/// good ICRC, headers of a packet that came in on this port with this connection and PSN, and a tensor that is the
/// reduction over one packet of every rank (NetReduce 3.1). Never more results than packets for a connection and PSN.
/// Once a column had a usable packet of every rank, every rank must get a result; columns for which the traffic broke
/// the protocol's rules (a sender that ignores the window, two packets that contradict each other) are excused, and counted by the reason
/// (docs/protocol.md, "What a run could not decide").
/// The one known false alarm: a connection that uses several ports at once (or claims a rank that another port claims
/// at the same time) and breaks the rules of window or header on top of it.
#ifndef WEIR_ORACLE_WITNESS_H
#define WEIR_ORACLE_WITNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "oracle/witness_read.h"

struct witness;

/// What the device can hold.
struct witness_limits {
  unsigned ports, conns;
  size_t slot_bytes;        ///< longest tensor part of a packet
  size_t max_frame_bytes;   ///< longer frames are dropped
  // What the device is without.
  bool any_icrc;         ///< it takes every ICRC for good
  bool no_v6, no_vlan;   ///< gradients over IPv6, or behind a tag, are not added
  uint16_t no_kinds;     ///< bit 4 * operation + type: it does not reduce that
};

/// A ring as registers hold it.
struct witness_ring {
  uint16_t id;
  unsigned workers, window;   ///< workers: 64 at most; window N: power of two
  unsigned stride;            ///< longest MsgLen, packets
  bool learn;
};

/// What a sender means by a packet.
struct witness_meaning {
  unsigned ring;   ///< index
  unsigned rank, offset;
  uint32_t msgid;
};

/// A witness for the given rings; aborts if the host runs out of memory, like all calls below.
struct witness *witness_new(const struct witness_limits *limits, const struct witness_ring *rings, size_t count);
void witness_free(struct witness *w);
/// The control plane registers a connection (rings that do not learn).
void witness_connect(struct witness *w, unsigned ring, unsigned rank, const struct witness_key *key);

/// The control plane has results marked with `epoch` (docs/wire.md), or with 0 not marked, as at first. Nothing is under way.
void witness_epoch(struct witness *w, uint8_t epoch);

/// A sender puts this frame on its cable, and means that by it. From here on packets of this connection with this PSN are what the sender means, and not
/// what their headers seem to say; if those say anything else, that is a fault. Where nobody tells, headers have to do.
void witness_sent(struct witness *w, const uint8_t *frame, size_t len, const struct witness_meaning *meaning);
/// A frame goes in at `port`, before it can have any effect. Copied.
void witness_in(struct witness *w, unsigned port, const uint8_t *frame, size_t len, bool error);
/// A frame left `port`.
void witness_out(struct witness *w, unsigned port, const uint8_t *frame, size_t len);
/// The device is quiet: all that went in has had its effect, all that is due has left. In long runs worth a call now and
/// then: what is over and long behind the window is forgotten here, and nowhere else.
void witness_settled(struct witness *w);
/// The control plane flushes a ring: columns, histories and learned connections go. The device is quiet, as in
/// witness_settled, which this includes.
void witness_flush(struct witness *w, unsigned ring);
/// The same while other rings go on: nothing of this one is under way.
void witness_flush_beside(struct witness *w, unsigned ring);
/// A flush that forgets all connections of the ring, too: what they still send passes, as anybody's. The device is quiet.
void witness_release(struct witness *w, unsigned ring);
/// The control plane gives a ring another RingID; the device is quiet.
void witness_rename(struct witness *w, unsigned ring, uint16_t id);
/// Call once at the end, when the device is quiet.
void witness_finish(struct witness *w);

/// Faults so far and the text of the first few (NULL beyond those).
size_t witness_faults(const struct witness *w);
const char *witness_text(const struct witness *w, size_t index);

/// Why a column that had a packet of every rank may be without a result. Several may hold; the first of them counts.
enum witness_excuse {
  WITNESS_CONTRADICTION,   ///< its packets disagree in type or length
  WITNESS_PORTS,           ///< a connection used several ports at once, or two claimed one rank at once
  WITNESS_GAP,             ///< another column that lacks a rank's packets, or such a column's successor, held its place
  WITNESS_WINDOW,          ///< messages out of the window: nothing that came in says why
  WITNESS_EXCUSES
};
const char *witness_excuse_name(enum witness_excuse excuse);

/// What was checked; a run that proves little shows it here.
struct witness_counts {
  size_t results;                    ///< frames out explained as results
  size_t passed;                     ///< frames out explained as passed
  size_t told;                       ///< gradients in of which the sender told what it means
  size_t complete;                   ///< columns found complete, all results seen
  size_t excused[WITNESS_EXCUSES];   ///< columns excused from completeness
  size_t untried;      ///< results whose sum was not looked for: packets of one rank contradict each other in too many ways
  size_t incomplete;   ///< columns that some rank has sent no packet of, as witness_finish found it
};
/// All excused columns.
size_t witness_excused(const struct witness_counts *c);
struct witness_counts witness_counts(const struct witness *w);

/// The witness's own reduction, as ina_reduce of wire/reduce.h, written another way; public for its test.
void witness_reduce(uint8_t kind, const uint8_t *const rows[], size_t ranks, size_t len, uint8_t *out);
/// The same in the order of a tree node's half rings, as half_rings_reduce; at most 64 ports.
void witness_half_rings(uint8_t kind, const uint8_t *const rows[], size_t ports, size_t len, uint8_t *out);

#endif
