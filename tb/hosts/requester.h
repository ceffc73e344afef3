/// The sending half of an RC queue pair, as a NIC does it: it cuts messages into packets, numbers them, and goes back to where
/// the receiver (or its own clock) says one was lost (go-back-N, NetReduce 3.2; counters after RoCE at Meta 6.3.1).
///
/// Times are picoseconds of the simulation. Nobody waits here: requester_next is asked whenever the link is free.
#ifndef WEIR_HOSTS_REQUESTER_H
#define WEIR_HOSTS_REQUESTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/rc.h"
#include "wire/roce.h"

/// One message. `payload` stays the caller's and must live, unchanged, until the message is acknowledged.
struct rc_message {
  enum rc_verb verb;
  bool has_ina;   ///< the first packet begins with `ina`, which takes 16 bytes of its room
  struct ina_header ina;
  const uint8_t *payload;
  size_t length;      ///< bytes of payload; 0 is one packet without
  uint64_t address;   ///< RETH: where WRITE writes to
  uint32_t rkey, imm;
};

struct requester_config {
  uint8_t local_mac[6], peer_mac[6];
  struct conn_key key;     ///< source, destination, and the queue pair at the destination
  unsigned mtu;            ///< payload bytes of a packet, INA header included: 256 to 4096, a power of two
  uint32_t psn;            ///< of the first packet
  uint16_t udp_source;     ///< flow entropy
  uint64_t timeout_ps;     ///< Local ACK Timeout: without news for so long, go back to the oldest packet without ACK
  unsigned ack_every;      ///< asks for an ACK every so many packets, and at each message's end; 0: there only
  unsigned max_inflight;   ///< packets that may be without ACK, below 2^23
  uint64_t pace_ps;        ///< from the beginning of one packet to the next at least; 0: as the link allows
};

struct requester_counts {
  uint64_t packets;         ///< sent, of them
  uint64_t repeats;         ///< sent again
  uint64_t sequence_naks;   ///< gaps the receiver told of
  uint64_t rnr_naks;        ///< times it had no room
  uint64_t timeouts;        ///< Local ACK Timeouts
  uint64_t messages;        ///< acknowledged
};

struct requester;

/// NULL if out of memory. The caller frees it.
struct requester *requester_new(const struct requester_config *config);
void requester_free(struct requester *r);

/// Queues a message behind those before it. Aborts if the host runs out of memory.
void requester_post(struct requester *r, const struct rc_message *message);

/// True if a packet may be sent at `now`.
bool requester_ready(const struct requester *r, uint64_t now);
/// Builds the next packet into `frame`, with its headers and ICRC. Returns its bytes, or 0 if none is ready or `size` is too
/// small.
size_t requester_next(struct requester *r, uint64_t now, uint8_t *frame, size_t size);

/// What the frame is that requester_next built last: a packet of the message with this header, counted from 0. Valid until the message is
/// acknowledged.
const struct ina_header *requester_sent(const struct requester *r, unsigned *offset);

/// An ACK packet for this queue pair came in: `frame` was parsed to `p`, opcode ROCE_ACK, ICRC good.
void requester_ack(struct requester *r, uint64_t now, const uint8_t *frame, const struct roce_packet *p);

/// When there is something to do next if nothing comes in: a wait for the receiver or for its own pace, or the Local ACK Timeout
/// ends. UINT64_MAX: never.
uint64_t requester_deadline(const struct requester *r, uint64_t now);
/// Goes back if the Local ACK Timeout is over.
void requester_tick(struct requester *r, uint64_t now);

/// True if all that was posted is acknowledged.
bool requester_idle(const struct requester *r);
/// Messages posted and not acknowledged yet.
size_t requester_pending(const struct requester *r);
struct requester_counts requester_counts(const struct requester *r);

#endif
