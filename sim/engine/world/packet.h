/// What goes over cables of a world: packets by their meaning, and, where they matter, with their bytes.
#ifndef WEIR_SIM_PACKET_H
#define WEIR_SIM_PACKET_H

#include <stddef.h>
#include <stdint.h>

enum packet_kind {
  PACKET_DATA,      ///< of an RDMA WRITE
  PACKET_ACK,       ///< everything before `psn` has come
  PACKET_NAK,       ///< the same, and `psn` was expected when another one came
  PACKET_CNP,       ///< congestion notification (RoCEv2 annex A17.9)
  PACKET_CTS,       ///< clear to send: the receiver has room for `value` bytes of this connection
  PACKET_PARTIAL,   ///< of a sum, from a switch to the one above
  PACKET_SUM,       ///< of all, back
  PACKET_PAUSE,     ///< priority flow control: class `tag` is to stop
  PACKET_RESUME,    ///< it may go on
  PACKET_BYTES      ///< whatever its frame says
};

/// Classes of traffic, each with queues of its own in hosts and switches; the higher one always goes first.
enum packet_class { PACKET_BULK, PACKET_URGENT, PACKET_CLASSES };

enum {
  PACKET_LAST = 1,       ///< the last one of its message
  PACKET_ASKS = 2,       ///< wants an acknowledgement
  PACKET_MARKED = 4,     ///< congestion experienced (ECN)
  PACKET_FIRST = 8,      ///< the first one of its message
  PACKET_DAMAGED = 16,   ///< the MAC sees that its frame's bits are not what was sent (FCS)
  PACKET_BESIDE = 32     ///< in a switch: what stands beside it has made this, and keeps it until it leaves; never on a cable
};

/// Bytes on a cable beside the payload: preamble and gap 20, Ethernet with FCS 18, IPv4 20, UDP 8, BTH 12, ICRC 4.
enum { PACKET_OVERHEAD = 82, PACKET_RETH = 16, PACKET_IMMEDIATE = 4, PACKET_AETH = 4, PACKET_PAUSE_WIRE = 84 };

/// The bytes of a packet, without FCS. One piece of memory: free() releases it.
struct world_frame {
  size_t len;
  uint8_t data[];
};

/// A copy of `len` bytes. Aborts if out of memory.
struct world_frame *world_frame_new(const uint8_t *bytes, size_t len);

struct world_packet {
  uint64_t value;           ///< of a message, in its last packet: stands for its contents. PACKET_CTS: bytes
  uint32_t src, dst;        ///< hosts
  uint32_t qp;              ///< the requester's number of the connection, in both directions
  uint32_t psn;             ///< does not wrap: 32 bits
  uint32_t tag;             ///< of a message, in its last packet (immediate data); a class, of PACKET_PAUSE and PACKET_RESUME
  uint32_t flow;            ///< hash of what switches tell flows by
  uint16_t payload, wire;   ///< bytes; `wire`: all that takes time on a cable
  uint16_t in;              ///< the port it came in by, while it is in a switch
  uint8_t kind, class, flags;
  uint8_t parts;               ///< of its message, which are sent on as many connections
  uint32_t serial;             ///< of its message among those of its sender to this receiver
  uint64_t time;               ///< ps; when its last bit comes to the end of its cable, and in a switch when it came in
  struct world_frame *frame;   ///< NULL if its bytes do not matter. Owned by whoever has the packet: it goes where that goes
};

/// Packets one behind the other; grows as it must. All zero is an empty one.
struct packet_ring {
  struct world_packet *packets;
  uint32_t room, first, count;   ///< room: power of two
};

/// The place of a packet behind all others. Aborts if out of memory.
struct world_packet *packet_ring_put(struct packet_ring *r);
void packet_ring_free(struct packet_ring *r);

static inline struct world_packet *packet_ring_first(const struct packet_ring *r) { return &r->packets[r->first]; }
static inline void packet_ring_drop(struct packet_ring *r) {
  r->first = (r->first + 1) & (r->room - 1);
  r->count--;
}

#endif
