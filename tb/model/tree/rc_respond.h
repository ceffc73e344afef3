/// The receiving half of an RC connection that a tree node or a host of a tree ends: takes packets in the order of their PSNs, each once, as long as
/// it has room for them, acknowledges cumulatively and tells its room (rc_request.h), asks for what is missing (NAK 0x60), and says "not ready"
/// to what finds no room. Who owns it takes packets out when it likes.
///
/// Times are picoseconds of the simulation.
#ifndef WEIR_MODEL_TREE_RC_RESPOND_H
#define WEIR_MODEL_TREE_RC_RESPOND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/tree/rc_packet.h"
#include "wire/roce.h"

struct rc_respond_config {
  uint8_t local_mac[6], peer_mac[6];
  struct conn_key key;   ///< of ACK packets: source, destination, and the requester's queue pair
  unsigned mtu;          ///< as the requester's
  uint32_t psn;          ///< of the first packet to come
  uint16_t udp_source;
  unsigned room;           ///< packets that may wait to be taken: 1 or more
  unsigned coalesce;       ///< an ACK leaves after so many packets at the latest, asked for or not: 1 or more
  uint64_t ack_delay_ps;   ///< one that was asked for leaves so late, and covers what came meanwhile
  unsigned rnr_timer;      ///< code, 0 to 31
  bool no_credits;         ///< tells none: the requester is held back by "not ready" alone
};

struct rc_respond_counts {
  uint64_t packets, bytes;     ///< taken in, with their payload
  uint64_t duplicates;         ///< thrown away: PSN older than expected
  uint64_t out_of_sequence;    ///< gaps
  uint64_t skipped;            ///< packets thrown away behind a gap
  uint64_t no_room;            ///< packets thrown away because there was none
  uint64_t acks, naks, rnrs;   ///< sent
  uint64_t most_waiting;       ///< packets that waited at once
};

struct rc_responder;

/// NULL if out of memory. The caller frees it.
struct rc_responder *rc_responder_new(const struct rc_respond_config *config);
void rc_responder_free(struct rc_responder *r);

/// A data packet for this connection came in: parsed to `p`, class ROCE_CANDIDATE.
void rc_responder_data(struct rc_responder *r, uint64_t now, const uint8_t *frame, const struct roce_packet *p);

/// The oldest packet that waits to be taken, or NULL. Its payload lives until it is taken, which makes room.
const struct rc_packet *rc_responder_first(const struct rc_responder *r);
void rc_responder_take(struct rc_responder *r, uint64_t now);

/// True if an ACK or NAK is to be sent at `now`.
bool rc_responder_ready(const struct rc_responder *r, uint64_t now);
/// Builds it. Returns its bytes, or 0 if there is none or `size` is too small.
size_t rc_responder_next(struct rc_responder *r, uint64_t now, uint8_t *frame, size_t size);
/// When an ACK that waits is due, or UINT64_MAX.
uint64_t rc_responder_deadline(const struct rc_responder *r);

/// RC_GOOD or RC_IMPOSSIBLE; then nothing is taken in any more.
enum rc_fault rc_responder_fault(const struct rc_responder *r);
struct rc_respond_counts rc_responder_counts(const struct rc_responder *r);

#endif
