/// The receiving half of an RC queue pair, as a NIC does it: takes packets in the order of their PSNs, throws repeated ones away,
/// asks for missing ones (NAK 0x60), acknowledges cumulatively, late if told to, and for several packets at once.
///
/// Times are picoseconds of the simulation.
#ifndef WEIR_HOSTS_RESPONDER_H
#define WEIR_HOSTS_RESPONDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/roce.h"

struct responder_config {
  uint8_t local_mac[6], peer_mac[6];
  struct conn_key key;   ///< of ACK packets: source, destination, and the requester's queue pair
  uint32_t psn;          ///< of the first packet to come
  uint16_t udp_source;
  uint64_t ack_delay_ps;   ///< an ACK leaves so long after it was asked for, and covers what came meanwhile
  unsigned rnr_percent;    ///< how often it is not ready for a message that needs a receive buffer (SEND, *_IMM)
  uint64_t seed;           ///< of that choice
  void *user;
  /// A data packet is taken, in order, each once.
  void (*deliver)(void *user, const uint8_t *frame, const struct roce_packet *p);
};

struct responder_counts {
  uint64_t packets;            ///< taken
  uint64_t duplicates;         ///< thrown away: PSN older than expected
  uint64_t out_of_sequence;    ///< gaps: events in which the expected PSN was missing (RoCE at Meta 6.3.1)
  uint64_t skipped;            ///< packets thrown away behind a gap
  uint64_t acks, naks, rnrs;   ///< sent
  uint64_t misplaced;          ///< a MIDDLE without FIRST, a FIRST inside a message: never in a right network
};

struct responder;

/// NULL if out of memory. The caller frees it.
struct responder *responder_new(const struct responder_config *config);
void responder_free(struct responder *r);

/// A data packet for this queue pair came in: parsed to `p`, class ROCE_CANDIDATE.
void responder_data(struct responder *r, uint64_t now, const uint8_t *frame, const struct roce_packet *p);

/// True if an ACK or NAK is to be sent at `now`.
bool responder_ready(const struct responder *r, uint64_t now);
/// Builds it. Returns its bytes, or 0 if there is none or `size` is too small.
size_t responder_next(struct responder *r, uint64_t now, uint8_t *frame, size_t size);
/// When an ACK that waits is due, or UINT64_MAX.
uint64_t responder_deadline(const struct responder *r);

struct responder_counts responder_counts(const struct responder *r);

#endif
