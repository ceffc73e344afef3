/// A second opinion that looks only at frames in and frames out. It shares no code with the golden model: it keeps all
/// frames it saw and asks of each frame out "why may this leave?", and at quiet moments "what should have left?".
///
/// A frame out is good if it is an identical, in-order copy of a frame of its port that is no gradient, or a result: a
/// good ICRC, headers of a packet that came in on this port with this connection and PSN, and a tensor that is the
/// reduction over one packet of every rank (NetReduce 3.1). Never more results than packets for a connection and PSN.
/// Once a column had a usable packet of every rank, every rank must get a result; columns for which the traffic broke
/// the protocol's rules (a sender that ignores the window, two packets that contradict each other) are excused.
/// The one known false alarm: a connection that uses several ports at once (or claims a rank that another port claims
/// at the same time) and breaks the rules of window or header on top of it.
#ifndef WEIR_MODEL_WITNESS_H
#define WEIR_MODEL_WITNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"

struct witness;

/// A witness for the given rings; aborts if the host runs out of memory, like all calls below.
struct witness *witness_new(const struct model_limits *limits, const struct model_ring *rings, size_t count);
void witness_free(struct witness *w);
/// The control plane registers a connection (rings that do not learn).
void witness_connect(struct witness *w, unsigned ring, unsigned rank, const struct conn_key *key);

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
/// The control plane gives a ring another RingID; the device is quiet.
void witness_rename(struct witness *w, unsigned ring, uint16_t id);
/// Call once at the end, when the device is quiet.
void witness_finish(struct witness *w);

/// Faults so far and the text of the first few (NULL beyond those).
size_t witness_faults(const struct witness *w);
const char *witness_text(const struct witness *w, size_t index);

/// What was checked; a run that proves little shows it here.
struct witness_counts {
  size_t results;    ///< frames out explained as results
  size_t passed;     ///< frames out explained as passed
  size_t complete;   ///< columns found complete, all results seen
  size_t excused;    ///< columns excused from completeness; 0 in any run whose senders keep to window and port
};
struct witness_counts witness_counts(const struct witness *w);

/// The witness's own reduction, as ina_reduce of wire/reduce.h, written another way; public for its test.
void witness_reduce(uint8_t kind, const uint8_t *const rows[], size_t ranks, size_t len, uint8_t *out);

#endif
