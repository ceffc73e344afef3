/// Sums of gradients in switches, inside hosts' connections (NetReduce 3): rank r writes to rank r + 1, and what the receiver gets is the sum over all ranks.
///
/// A packet of a rank is kept at its leaf until the packets of all ranks below it with the same message and place are here. If those are all ranks, each
/// connection gets the sum in place of its packet. Otherwise the leaf's sum goes to the switch above (NetReduce, multi-rack), which does the same with its
/// leaves, and the whole sum comes back the same way. What comes again is answered again: nothing is counted twice, and no packet has to be kept for long,
/// because a host posts message m only when it has the result of message m - N.
#ifndef WEIR_SIM_REDUCER_H
#define WEIR_SIM_REDUCER_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/engine/world/world.h"

enum { REDUCER_PORTS = 128 };

/// The packets with one message and place.
struct reducer_slot {
  uint64_t message;   ///< number + 1; 0: none yet
  uint64_t here[2];   ///< ports whose packets are here
  uint64_t sum;
  bool known;   ///< `sum` is that of all ranks
};

struct reducer {
  uint32_t children, packets, slots;   ///< ports below; packets of a message; slots: 2N messages of each ring
  uint32_t rings;                      ///< a message's tag is its number times `rings` and its ring
  uint32_t parent;                     ///< port; UINT32_MAX: this is the root
  bool leaf;
  uint8_t from[REDUCER_PORTS];   ///< whether a port has a child behind it
  struct world_packet *first;    ///< of a leaf: a packet of each connection, by port and ring, for what does not change
  struct reducer_slot *slot;
  uint64_t stored, again, stale, results;   ///< packets taken; that came again; of messages that are over; results sent
};

/// What a switch is to send: a packet as if it had come in by port `in` (results at a leaf), or one out by port `out` (between switches), which counts as
/// what came in by `in`.
struct reducer_out {
  void *user;
  void (*pass)(void *user, uint32_t in, const struct world_packet *packet);
  void (*send)(void *user, uint32_t in, uint32_t out, const struct world_packet *packet);
};

/// `message_packets`: of a message but the last one. `window`: N. `rings`: sums that go on side by side, each over all children.
struct reducer *reducer_new(bool leaf, uint32_t parent, uint32_t message_packets, uint32_t window, uint32_t rings);
void reducer_free(struct reducer *r);
/// All that it holds goes.
void reducer_forget(struct reducer *r);
void reducer_child(struct reducer *r, uint32_t port);
/// Takes a packet that came in by a port, if it is one to be summed, or a sum; never one of a second load (the tag's highest bit). False: it is to be forwarded as any other.
bool reducer_take(struct reducer *r, uint32_t port, const struct world_packet *packet, const struct reducer_out *out);

#endif
