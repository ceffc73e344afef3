/// A host's network interface: RC queue pairs that write messages (go-back-N, cumulative acknowledgements), DCQCN, priority flow control,
/// and admission by the receiver (RoCE at Meta, 5.2.2). What is in messages is a number in place of their bytes.
#ifndef WEIR_SIM_NIC_H
#define WEIR_SIM_NIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "sim/engine/world/heap.h"
#include "sim/engine/world/world.h"
#include "sim/fabric/host/dcqcn.h"
#include "sim/fabric/net/switch.h"

struct nic_options {
  uint32_t mtu;          ///< bytes of payload, at most
  uint64_t window;       ///< bytes of a connection that nobody has acknowledged, at most
  uint32_t ack_every;    ///< packets between those that want an acknowledgement, a window at most; the last one posted does
  uint64_t timeout_ps;   ///< Local ACK Timeout
  unsigned retries;      ///< of a packet, before its connection is lost
  bool dcqcn;
  struct dcqcn_options rate;
  uint64_t cnp_ps;   ///< between notifications of a connection, at least
  unsigned ack_class, cts_class;
  uint32_t qps;         ///< connections to each peer
  bool split;           ///< each message in parts over all of them; else one message after the other on each in turn
  bool share_port;      ///< all have one UDP source port
  bool hash_qp;         ///< switches tell flows by queue pairs, too
  uint32_t channels;    ///< messages that a receiver has clearance out for at a time; 0: senders send unasked
  double drain;         ///< of line rate, what the host takes from its interface; 1: all
  uint64_t rx_buffer;   ///< bytes in the interface that are not yet taken, before it stops the cable
};

/// Who is told of messages.
struct nic_user {
  void *user;
  /// A message of `src` is here, whole, once. `value`: what it carries.
  void (*received)(void *user, uint32_t host, uint32_t src, uint32_t tag, uint64_t value, uint64_t bytes);
  /// All of a message is acknowledged. `start_ps`: when it was posted.
  void (*sent)(void *user, uint32_t host, uint32_t dst, uint32_t tag, uint64_t bytes, uint64_t start_ps);
  /// The host's own timer, NIC_USER, is due.
  void (*wake)(void *user, uint32_t host);
};

/// Delays of clearances by size: bucket b is for those below 2^(b/4) ns, and not below the one before.
enum { NIC_DELAYS = 128 };

struct nic_counts {
  uint64_t data, bytes;             ///< packets taken in order, payload of them; a tenant's frames, all of them
  uint64_t sent, again;             ///< data packets sent; of these, not for the first time
  uint64_t acks, naks, cnps, cts;   ///< sent
  uint64_t out_of_sequence;         ///< came with another PSN than was expected, a later one
  uint64_t duplicates;              ///< an earlier one
  uint64_t timeouts, lost;    ///< Local ACK Timeouts; connections given up, those that carry parts of the same messages together
  uint64_t messages;          ///< received
  uint64_t came, lost_here;   ///< packets but PFC's that came; those that a dead host did not take
  uint64_t cts_waits, cts_wait_ps, cts_wait_most_ps;   ///< messages that waited for clearance, how long
  uint64_t cts_delay[NIC_DELAYS];                      ///< of clearances on their way, by size
};

struct nic_message {
  uint64_t bytes, value, start_ps;
  uint32_t tag, first, packets, serial;   ///< first: PSN
  uint8_t parts;
};

struct messages {
  struct nic_message *list;
  uint32_t room, first, count;
};

/// The sending end of a connection.
struct nic_requester {
  uint32_t peer, flow, next, una, end;   ///< PSNs: to be sent, not acknowledged, behind the last one posted
  struct messages messages;              ///< posted, and not all acknowledged
  bool listed, dead, slow;               ///< slow: DCQCN holds it back until `ready_ps`
  unsigned tries;
  uint32_t highest;   ///< behind the last PSN that was ever sent
  uint64_t deadline, ready_ps;
  struct dcqcn rate;
};

/// The receiving end.
struct nic_responder {
  uint32_t src, qp, expected, since_ack;
  uint64_t bytes;   ///< of the message that is under way
  bool nak_sent;
  uint64_t cnp_ps;   ///< when the last notification was sent; 0: never
};

/// One that is sent to: its connections, and messages that wait for clearance.
struct peer {
  uint32_t host, first_qp, turn, serial;
  uint64_t clear;   ///< messages that may be posted
  struct messages waiting;
};

/// A message of which parts are here, and others not yet.
struct partial {
  uint64_t bytes, value;
  uint32_t count, next_free;   ///< next_free: of one that is not in use, the next such one
};

/// Someone who is expected to send, and has no clearance yet.
struct expected {
  uint32_t src, unused;
  uint64_t messages;
};

/// Who has a host's place in the network instead of queue pairs: it sends and takes frames, as a device does. Frames wait in its interface, one of each
/// of its ports, for the cable.
struct nic_tenant {
  const struct world_acts *acts;   ///< what it does: the port of a packet is its tag, timers are numbered from 0
  void *self;                      ///< NULL: there is none
  uint32_t free_timer;             ///< due when a frame of it has begun to leave
  uint64_t waiting;                ///< its ports of which a frame waits
};

struct fabric_nic {
  struct world *world;
  const struct nic_options *options;
  struct nic_user user;
  uint32_t host, part;
  struct nic_tenant tenant;
  struct fabric_port port;      ///< towards the leaf; no queues, no buffer
  struct packet_ring control;   ///< acknowledgements and the like
  struct nic_requester *requesters;
  size_t requester_count, requester_room;
  uint32_t *turns;   ///< requesters that have something to send, a ring of `turn_room`
  uint32_t turn_room, turn_first, turn_count;
  struct heap slow;   ///< requesters that DCQCN holds back: time above, number below
  struct nic_responder *responders;
  size_t responder_count, responder_room;
  struct peer *peers;
  size_t peer_count, peer_room;
  struct map responder_of, peer_of, parts_of;
  struct expected *expected;   ///< in turn
  size_t expected_count, expected_room, expected_turn;
  struct partial *partials;   ///< `parts_of` says where
  size_t partial_count, partial_room;
  uint32_t partial_free;   ///< the first that is not in use; `partial_count`: none
  uint32_t cleared;        ///< messages that have clearance and are not here yet, or not taken by the host
  uint64_t *leaving;       ///< when messages that the host is taking free their channels: a ring
  uint32_t leaving_room, leaving_first, leaving_count;
  uint64_t taken_ps;               ///< when the host will have taken all that has come
  uint64_t dead_ps;                ///< from then on it does nothing; 0: never
  uint64_t storm_from, storm_to;   ///< it stops its cable without reason; 0: never
  struct nic_counts counts;
};

/// Timers: its own, and one of its user; those of a tenant follow.
enum { NIC_SEND, NIC_TIMEOUT, NIC_DRAIN, NIC_STORM, NIC_USER, NIC_TIMERS };
extern const struct world_acts nic_acts;

void nic_make(struct fabric_nic *n, struct world *world, uint32_t host, const struct nic_options *options,
              const struct nic_user *user);
void nic_free(struct fabric_nic *n);
/// The host writes `bytes` (at least 1) to host `dst`, with this value. Tags with the highest bit are of a second load: it has connections of its own, and waits for
/// no clearance.
void nic_post(struct fabric_nic *n, uint32_t dst, uint64_t bytes, uint32_t tag, uint64_t value);
/// Host `src` will write so many more messages: with admission it gets clearance for them.
void nic_expect(struct fabric_nic *n, uint32_t src, uint64_t messages);
/// A frame of the tenant's port `port` (up to 63, of which none waits) to `packet->dst` and its port there, the tag. The frame is the interface's from now
/// on.
void nic_frame(struct fabric_nic *n, unsigned port, const struct world_packet *packet);
/// Whether nothing is under way or to be sent.
bool nic_idle(const struct fabric_nic *n);
/// The hash that switches tell this connection's packets by.
uint32_t nic_flow(const struct nic_options *o, uint32_t src, uint32_t dst, uint32_t qp);

// --- parts of it, for nic*.c ---

/// Sends what can be sent now.
void nic_pump(struct fabric_nic *n);
/// Puts a packet into the line of those that are no data.
void nic_control(struct fabric_nic *n, const struct world_packet *packet);
void nic_pfc(struct fabric_nic *n, enum packet_kind kind);
/// The requester's side (nic_send.c): an ACK, NAK, CNP or CTS has come; the next data packet, if there is one to be sent now; timers.
void nic_answer(struct fabric_nic *n, const struct world_packet *packet);
bool nic_next_data(struct fabric_nic *n, struct world_packet *packet);
void nic_timeouts(struct fabric_nic *n);
/// The responder's side (nic_receive.c).
void nic_data(struct fabric_nic *n, const struct world_packet *packet);
void nic_drain(struct fabric_nic *n);

struct nic_message *messages_put(struct messages *m);
static inline struct nic_message *messages_first(const struct messages *m) { return &m->list[m->first]; }
static inline void messages_drop(struct messages *m) {
  m->first = (m->first + 1) & (m->room - 1);
  m->count--;
}

#endif
