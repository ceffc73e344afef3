/// Inside of tree_net: its hosts, nodes and cables, which tree_net_make.c makes and tree_net.c runs. Private to them.
#ifndef WEIR_SIM_TREE_NET_STATE_H
#define WEIR_SIM_TREE_NET_STATE_H

#include "base/rng.h"
#include "sim/engine/collective/tree_net.h"

enum { TREE_NET_FRAME = 4400 };   // bytes of the longest frame

/// A frame that others have overtaken on its cable.
struct late {
  struct late *next;
  uint64_t due;
  unsigned port;
  bool bad;
  struct world_frame *frame;
};

/// Where a cable is. Its faults are drawn by whoever sends on it, its hostile frames by whoever receives from it, each from a generator of this
/// direction of this cable.
struct tree_port {
  bool there;            ///< a cable is here
  struct link *link;     ///< rate and faults of the way out; NULL with a carrier
  struct tree_end to;    ///< the other end
  size_t number;         ///< of the way out: of cable c, 2 c upwards, 2 c + 1 downwards
  uint32_t cable;        ///< the same in the world
  uint64_t more_ps;      ///< delay of the way out beyond that of the cable in the world
  struct rng attacker;   ///< of the way in
};

/// A host or a node: one part of the world.
struct actor {
  struct tree_net *net;
  struct tree_host *host;   ///< or
  struct tree_node *node;   ///< or
  struct node_rtl *device;
  uint64_t cycle_at;   ///< when the device's next cycle may be
  bool spoilt;         ///< its memories lose words
  uint32_t part;
  size_t index;   ///< hosts, then nodes
  unsigned number, port_count;
  bool dead;
  struct late *late;   ///< by time
  struct tree_port *ports;
};

struct tree_net {
  struct tree_net_options o;
  size_t hosts, nodes, cables;
  struct actor *actors;   ///< hosts, then nodes; those of other processes are empty
  struct world *world;
  uint64_t attacks;
  uint8_t frame[TREE_NET_FRAME];
};

/// A timer of a host or node, at `time` of the simulation.
void tree_net_wake(const struct tree_net *n, const struct actor *a, enum tree_net_timer timer, uint64_t time);

/// A device's side of its cables (struct node_rtl_cables); `user` is its actor.
bool tree_net_cable_idle(void *user, unsigned port);
void tree_net_cable_send(void *user, unsigned port, const uint8_t *frame, size_t len);

#endif
