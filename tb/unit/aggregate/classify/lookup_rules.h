/// The rules of docs/protocol.md by which a packet's connection, ring and message are found, in the plainest way. The twin of agg_lookup; knows nothing of
/// pipelines, and of the table only where a new connection goes.
#ifndef WEIR_UNIT_LOOKUP_RULES_H
#define WEIR_UNIT_LOOKUP_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/fate.h"

enum { LOOKUP_RINGS = 3, LOOKUP_CONNS = 4, LOOKUP_HISTORY = 4, LOOKUP_SLOT_BYTES = 256 };

struct lookup_ring {
  bool enable, drop, learn;
  bool columns;   ///< the PSN of a packet with an INA header is its offset in its message
  unsigned id, workers, window_log2, stride, base;
};

struct lookup_request {
  unsigned key;
  bool starts, has_ina, len_bad;
  unsigned ring_id, rank, kind, msglen, workers, tensor;
  uint32_t msgid, psn;
};

struct lookup_message {
  bool valid;
  uint32_t msgid, psn0;
  unsigned msglen, kind;
};

struct lookup_conn {
  bool used, learned, retired;
  unsigned key, ring, rank;
  struct lookup_message history[LOOKUP_HISTORY];
};

struct lookup_answer {
  unsigned port;
  enum fate fate;
  unsigned conn, ring, rank, kind, tensor, offset, slot;
  uint32_t msgid;
};

/// Zero, but for the rings, which are the test's: as it opens and closes them.
struct lookup_rules {
  struct lookup_ring rings[LOOKUP_RINGS];
  struct lookup_conn conns[LOOKUP_CONNS];
  unsigned revived;   ///< connections that were retired, and then learned anew
};

/// What the next packet is that is looked up; what it changes is changed. Port 1 is not open.
struct lookup_answer lookup_rules_ask(struct lookup_rules *t, const struct lookup_request *q, unsigned port);
/// The learned connections of a ring are retired and its histories forgotten; all its connections are free if `release`.
void lookup_rules_flush(struct lookup_rules *t, unsigned ring, bool release);

/// What the control plane does to the entry `*index`, or to a new one, whose index that becomes. False if it may not.
enum lookup_act { LOOKUP_REGISTER, LOOKUP_RETIRE, LOOKUP_RELEASE };
bool lookup_rules_act(struct lookup_rules *t, enum lookup_act act, const struct lookup_conn *wish, uint64_t *index);

#endif
