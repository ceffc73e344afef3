/// A switch of a fabric: queues at its outputs, a buffer with a limit, priority flow control, marks for congestion, a choice among ways.
///
/// Packets are stored and forwarded. A packet is in its switch's buffer until its last bit has left. The pipeline's delay is part of the
/// cables' (fabric_run.c).
#ifndef WEIR_SIM_SWITCH_H
#define WEIR_SIM_SWITCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "model/uplink/uplink_route.h"
#include "sim/engine/world/world.h"
#include "sim/fabric/net/port.h"
#include "sim/fabric/net/reducer.h"
#include "sim/fabric/net/routes.h"

/// How a switch chooses among ways of the same length.
enum routing {
  ROUTING_ECMP,      ///< hash of addresses and UDP ports (RoCE at Meta, 4.1.1)
  ROUTING_E_ECMP,    ///< of the destination queue pair too (4.2.2)
  ROUTING_PINNED,    ///< by the destination's place in its rack (4.1.2)
  ROUTING_TE,        ///< as a controller that knows all flows has placed them, E-ECMP for others (4.3)
  ROUTING_FLOWLET,   ///< anew behind each gap of a flow, where least is queued (4.5)
  ROUTING_SPRAY      ///< any, each packet anew
};

/// What a switch's buffer is divided by.
enum buffer_policy {
  BUFFER_SHARED,   ///< one for all ports; a port may have `alpha` times what is free (leaf switches, 5.2.3)
  BUFFER_CARVED    ///< each input has its share (deep-buffer spines, 5.2.3)
};

struct switch_options {
  enum routing routing;
  bool pfc;
  enum buffer_policy policy;
  uint64_t buffer;   ///< bytes
  double alpha;      ///< of BUFFER_SHARED
  uint32_t resume;   ///< bytes below the limit at which XON is sent
  uint64_t mark_low,
      mark_high;         ///< bytes of an output's queue: from the first on packets are marked, from the second on all; 0: none
  double mark_most;      ///< probability of a mark just below mark_high
  uint64_t credit_ps;    ///< until an output gives an input credit for a packet (virtual output queues, 6.1)
  uint64_t flowlet_ps;   ///< a longer gap begins a flowlet
  bool
      uplink;   ///< a leaf's ways up are chosen as the uplink device does (model/uplink): its hash, its flowlet table, its load of ports
  uint64_t watchdog_ps;   ///< a pause that lasts longer is an event, and what it holds back is dropped (6.3.2)
};

/// Between two times at which the uplink device forgets an eighth of what it sent (model/uplink/uplink_route.h), ps.
enum { SWITCH_FLOWLETS = 4096, SWITCH_LOAD_PERIOD = 1000000 };

/// An entry of the flowlet table.
struct flowlet {
  uint32_t port;
  uint64_t last;   ///< when its latest packet came, ps; 0: none has
};

/// A flow that a controller has placed: it leaves by `port`.
struct override {
  uint32_t flow, port;
};

/// A device that stands beside a switch, as this sees it.
struct switch_device {
  void *self;   ///< NULL: there is none
  /// Whether a packet that came in by `in` is the device's business; then its frame is, too.
  bool (*take)(void *self, uint32_t in, const struct world_packet *packet);
  /// When it wants to be stepped; WORLD_NEVER: when something comes.
  uint64_t (*next)(const void *self);
  void (*step)(void *self, const struct reducer_out *out);
  void (*free)(void *self);
};

/// What an uplink device knows beside its hash.
struct switch_uplink {
  struct uplink_flowlet flowlets[SWITCH_FLOWLETS];
  struct uplink_load load;   ///< by its number among the ways up
};

struct fabric_switch {
  struct world *world;
  const struct net *net;
  const struct routes *routes, *later;   ///< the second from `later_ps` on
  uint64_t later_ps;
  struct switch_options options;
  uint32_t number, part, ports, seed;
  struct rng rng;
  struct fabric_port *port;
  uint64_t reserved;             ///< bytes of all inputs' headroom
  uint64_t used, deepest;        ///< bytes in the buffer
  uint64_t down_from, down_to;   ///< it is switched off and on again; 0: never
  bool alarm;                    ///< more than 80 % of it was used, and more than 75 % still is
  uint64_t alarms;
  struct reducer *reducer;       ///< NULL without; owned
  struct switch_device device;   ///< in the reducer's place
  struct switch_device way;      ///< between it and its uplinks
  uint64_t absorbed, made;       ///< packets that reducer or device took; that it sent
  uint32_t below;                ///< the port by which the last one came that they took from below
  uint64_t waited;   ///< of those that it sent, which waited there because the switch had stopped the input that they belong to
  struct flowlet *flowlets;       ///< SWITCH_FLOWLETS, NULL without
  struct switch_uplink *uplink;   ///< NULL without
  uint64_t flowlets_begun;
  struct override *overrides;   ///< by flow; open addressing, `override_room` (power of two or 0), port UINT32_MAX: empty
  uint32_t override_room, override_count;
};

extern const struct world_acts switch_acts;

/// Switch `number` of a net, with all its ports; cables are the caller's to fill in.
void switch_make(struct fabric_switch *s, struct world *world, const struct net *net, uint32_t number,
                 const struct switch_options *o, uint64_t seed);
void switch_free(struct fabric_switch *s);
/// A controller places a flow.
void switch_override(struct fabric_switch *s, uint32_t flow, uint32_t port);
/// From this time on nothing can be sent by this port; what waits for it then is lost.
void switch_cut(struct fabric_switch *s, uint32_t port, uint64_t time_ps);
/// It is off from one time to another: what waits in it and what comes is lost, and so is all that it knew; the other ends of its cables may send when it is
/// back.
void switch_reboot(struct fabric_switch *s, uint64_t from_ps, uint64_t to_ps);
/// Timers that a switch has.
static inline uint32_t switch_timers(uint32_t ports) { return 2 * ports + 4; }

// --- parts of it ---

/// The port by which a packet leaves, UINT32_MAX if there is none (switch_ways.c).
uint32_t switch_way(struct fabric_switch *s, const struct world_packet *packet);
/// Whether there is room for a packet that came in by `in` and is to leave by `out`; if so it is taken (switch_buffer.c).
bool buffer_take(struct fabric_switch *s, uint32_t in, uint32_t out, const struct world_packet *packet);
/// Whether a packet that was made beside the switch stays there while it waits for its output, and takes nothing of the buffer.
bool buffer_waits_beside(const struct fabric_switch *s, uint32_t in, uint32_t out, const struct world_packet *packet);
/// Of a packet that leaves its queue; one that waits beside the switch has nothing to give.
void buffer_give(struct fabric_switch *s, const struct world_packet *packet);
/// Whether an input has to be told to stop, or may be told to go on.
bool buffer_full(const struct fabric_switch *s, uint32_t in, unsigned class);
bool buffer_free(const struct fabric_switch *s, uint32_t in, unsigned class);

#endif
