/// The sending end of a cable, of a switch or of a host.
#ifndef WEIR_SIM_PORT_H
#define WEIR_SIM_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "sim/engine/world/world.h"
#include "sim/fabric/net/port_line.h"
#include "sim/fabric/net/tap.h"

/// Counted at a port of a switch or host; bytes are those of a cable.
struct port_counts {
  uint64_t packets, bytes;    ///< sent
  uint64_t pauses, resumes;   ///< PFC frames sent
  uint64_t paused_ps;         ///< time for which the other end has stopped this one
  uint64_t marked;            ///< sent with a mark
  uint64_t dropped;           ///< came in and found no room
  uint64_t unreachable;       ///< came in and found no way, or a dead cable
  uint64_t lost;              ///< sent, and lost on the cable
  uint64_t watchdogs, watchdog_drops;
  uint64_t deepest;   ///< bytes queued at most
};

/// A port of a switch or host: what waits at it, and the sending end of its cable.
struct fabric_port {
  uint32_t cable;        ///< from here
  uint32_t ps_per_kib;   ///< time of 1024 bytes
  double loss;           ///< probability that a packet is lost on the cable
  struct rng rng;
  uint32_t headroom;   ///< bytes for what comes in between XOFF and silence
  bool above;          ///< of a switch: to one of a higher tier
  bool cut;
  uint64_t cut_ps;   ///< when it will be; 0: never
  bool paused[PACKET_CLASSES], told[PACKET_CLASSES], storm[PACKET_CLASSES];
  uint64_t paused_since[PACKET_CLASSES];
  uint64_t busy;   ///< until then a packet leaves
  struct packet_ring queues[PACKET_CLASSES];
  uint64_t queued[PACKET_CLASSES];    ///< bytes
  uint64_t taken[PACKET_CLASSES];     ///< bytes in the switch that came in here
  uint64_t told_at[PACKET_CLASSES];   ///< the same when XOFF was sent
  struct tap tap;                     ///< writer NULL: nobody listens
  struct port_counts counts;
  struct port_line *line;   ///< NULL: nobody wants a picture
};

/// Time of `bytes` on a cable.
static inline uint64_t port_time(uint32_t ps_per_kib, uint32_t bytes) { return ((uint64_t)bytes * ps_per_kib + 512) >> 10; }

/// Sends a packet now: the port is not busy.
void port_send(struct fabric_port *port, struct world *world, const struct world_packet *packet);
/// The other end lets a class go on that it has stopped, now: how long it was stopped is counted.
void port_paused(struct fabric_port *port, uint64_t now, unsigned class);
/// The same of all classes, as the run is over. `now`: the same on all processes, whose own last event may be earlier.
void port_finish(struct fabric_port *port, uint64_t now);
/// Stops a class at the other end, or lets it go on (priority flow control): the frame goes as soon as the packet that is being sent has left,
/// before all that waits. It is never lost: real ones are repeated.
void port_tell(struct fabric_port *port, struct world *world, unsigned class, enum packet_kind kind);

#endif
