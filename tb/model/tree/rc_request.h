/// The sending half of an RC connection that a tree node or a host of a tree ends (SHARP 3.1): it keeps packets until they are acknowledged, goes
/// back to where one was lost (go-back-N), and sends no more than the other end has room for.
///
/// Credits are packets. An ACK of PSN p with n credits says that packets up to p + n have room; what was once promised stays so. Without a credit
/// one packet may go, the *limited* one, and no second one until that is answered (InfiniBand 9.7.7.2). A connection begins without credits.
///
/// Times are picoseconds of the simulation. Nobody waits here.
#ifndef WEIR_MODEL_TREE_RC_REQUEST_H
#define WEIR_MODEL_TREE_RC_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/tree/rc_packet.h"
#include "wire/roce.h"

enum { RC_ENDLESS = 7 };   ///< of rnr_retries, as InfiniBand has it

struct rc_request_config {
  uint8_t local_mac[6], peer_mac[6];
  struct conn_key key;   ///< source, destination, and the queue pair at the destination
  unsigned mtu;          ///< payload bytes of a packet: 256 to 4096, a power of two
  uint32_t psn;          ///< of the first packet
  uint16_t udp_source;   ///< flow entropy
  unsigned room;         ///< packets kept at most: not sent yet, or not acknowledged
  unsigned
      ack_every;   ///< asks for an ACK every so many packets; also at a message's end, with the last room, and with the last credit
  uint64_t
      timeout_ps;   ///< Local ACK Timeout: without news for so long of what was asked for, go back to the oldest packet without ACK
  unsigned retries;       ///< times it goes back to the same packet, for a time-out or a NAK: 0 to 7
  unsigned rnr_retries;   ///< times it waits for the same packet's receiver: 0 to 6, or RC_ENDLESS
};

struct rc_request_counts {
  uint64_t packets, bytes;   ///< sent, with their payload
  uint64_t repeats;          ///< of these, again
  uint64_t limited;          ///< sent without a credit, and not before
  uint64_t sequence_naks, rnr_naks, timeouts;
  uint64_t acks;        ///< that acknowledged something, or gave credits
  uint64_t most_kept;   ///< packets
};

struct rc_requester;

/// NULL if out of memory. The caller frees it.
struct rc_requester *rc_requester_new(const struct rc_request_config *config);
void rc_requester_free(struct rc_requester *r);

/// Packets that can be posted now; none once the connection has failed.
size_t rc_requester_room(const struct rc_requester *r);
/// Keeps a copy of a packet and its payload, to be sent behind those before it. There must be room.
void rc_requester_post(struct rc_requester *r, const struct rc_packet *packet);

/// True if a packet may be sent at `now`.
bool rc_requester_ready(const struct rc_requester *r, uint64_t now);
/// Builds it into `frame`. Returns its bytes, or 0 if there is none or `size` is too small.
size_t rc_requester_next(struct rc_requester *r, uint64_t now, uint8_t *frame, size_t size);
/// An ACK packet with this PSN and syndrome came in. What names no packet under way is ignored.
void rc_requester_answer(struct rc_requester *r, uint64_t now, uint32_t psn, uint8_t syndrome);

/// When something is due if nothing comes in, or UINT64_MAX; does it, if it is.
uint64_t rc_requester_deadline(const struct rc_requester *r, uint64_t now);
void rc_requester_tick(struct rc_requester *r, uint64_t now);

/// True if all that was posted is acknowledged.
bool rc_requester_idle(const struct rc_requester *r);
/// Once it is not RC_GOOD nothing is sent any more.
enum rc_fault rc_requester_fault(const struct rc_requester *r);
/// Packets sent and not acknowledged, and how many of the first of these the other end has promised room for; UINT64_MAX: any number.
uint64_t rc_requester_outstanding(const struct rc_requester *r);
uint64_t rc_requester_promised(const struct rc_requester *r);
struct rc_request_counts rc_requester_counts(const struct rc_requester *r);

#endif
