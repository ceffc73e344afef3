/// The control plane of a simulated tree: who is connected with whom, by which addresses, queue pairs and PSNs, and which groups each node knows.
#ifndef WEIR_SIM_TREE_WIRING_H
#define WEIR_SIM_TREE_WIRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hosts/link.h"
#include "hosts/tree/tree_host.h"
#include "model/tree/tree_node.h"
#include "sim/engine/tree/node_rtl.h"
#include "sim/engine/tree/topology.h"
#include "wire/capture.h"

enum { TREE_NET_NOBODY = UINT16_MAX, TREE_NET_PAIRS = 8, TREE_NET_GROUPS = 64 };

struct world;

/// A port of a host (its number) or of a node (behind all hosts).
struct tree_end {
  size_t actor;
  unsigned port;
};

/// A network that carries frames between the ends of a tree's connections, in place of cables of the tree's own. Hosts and nodes are parts of that
/// network's world, whose timers from `first_timer` on are theirs.
struct tree_carrier {
  void *self;
  struct world *world;
  uint32_t first_timer;
  uint32_t (*part)(void *self, size_t actor);
  /// Whether the network takes a frame from this port now. If not, the actor is served again when it does.
  bool (*idle)(void *self, size_t actor, unsigned port);
  /// The frame stays the caller's. It comes to `to`, or is lost.
  void (*send)(void *self, size_t actor, unsigned port, struct tree_end to, const uint8_t *frame, size_t len);
};

/// A network of hosts and nodes. Who only wires it (weir live, whose hosts and cables are there) leaves the others zero.
struct tree_net_options {
  const struct topology *topology;
  unsigned pairs;    ///< of trees with this topology: each a low-latency and a streaming one
  unsigned groups;   ///< host h is in group h modulo `groups`, which uses pair group modulo `pairs`
  unsigned mtu;
  bool v6;                    ///< IPv6
  uint16_t vlan;              ///< VID; 0: no tag
  unsigned credits, window;   ///< packets of a streaming connection: room of the receiver, and of the sender
  bool no_credits;            ///< receivers tell none
  bool multicast;             ///< low-latency results go to children by multicast, too
  unsigned lock_cells;
  double gbps;
  uint64_t cable_ps, node_ps;   ///< delay of a cable; of a model's node, from a packet's end to the beginning of what it causes
  const bool *devices;          ///< of each node: it is RTL. NULL: none is
  struct link_faults faults;
  double hostile;   ///< probability that a frame of somebody else comes behind one that arrives
  uint64_t timeout_ps, patience_ps;
  unsigned retries;
  unsigned dead_host;                    ///< a host that stops; TREE_NET_NOBODY: none
  unsigned cut_cable;                    ///< one that is cut; TREE_NET_NOBODY: none
  unsigned spoilt_node;                  ///< a device that loses words of its memories; TREE_NET_NOBODY: none
  uint64_t dead_ps, cut_ps, spoilt_ps;   ///< when
  bool corrected;                        ///< devices have corrected memories
  unsigned flips;                        ///< bits of these that flip in 1000 cycles
  uint64_t seed;
  struct capture_writer *writer;   ///< of what begins on each cable (interface = cable), or NULL
  /// Sees each frame that is put on a cable, upwards or downwards.
  void (*watch)(void *user, size_t cable, bool up, const uint8_t *frame, size_t len);
  /// A host of this process may have done something.
  void (*moved)(void *user, unsigned host);
  void *user;
  bool scatter;                         ///< among processes: any host or node to any, instead of neighbours to one
  const struct tree_carrier *carrier;   ///< NULL: cables are the tree's own; else all about them above is not used
};

/// The ends of a cable.
struct tree_end tree_wiring_below(const struct tree_net_options *o, size_t cable);
struct tree_end tree_wiring_above(const struct topology *t, size_t cable);

/// How long a host waits for something of its operation to move: each node on the way may wait for its children, and again for its parent.
uint64_t tree_wiring_patience(const struct tree_net_options *o);

/// The index of the tree that a queue pair number belongs to.
unsigned tree_wiring_tree(uint32_t qp);

/// True if a node has to know a group: one that has no host below it, or all of them below one child, is none of its own.
bool tree_wiring_knows(const struct tree_net_options *o, unsigned node, unsigned group);

/// What a node is set up with: `config` points into the rest. Not to be copied.
struct tree_wired {
  struct tree_node_config config;
  struct tree_of_node trees[2 * TREE_NET_PAIRS];   ///< 2 p is the low-latency one of pair p, 2 p + 1 the streaming one
  struct group_of_node groups[TREE_NET_GROUPS];
  struct rc_end_config *ends;   ///< TREE_MAX_PORTS of each tree
};
/// False if out of memory; else tree_wiring_unwire is due.
bool tree_wiring_wire(const struct tree_net_options *o, unsigned node, struct tree_wired *w);
void tree_wiring_unwire(struct tree_wired *w);

/// Ends of a pair's streaming tree once more, after it was torn down: its `life`th life, of the first one on 0, with other queue pairs and PSNs. Of a host;
/// of a node, whose ports with one are returned.
struct rc_end_config tree_wiring_host_again(const struct tree_net_options *o, unsigned host, unsigned life);
uint64_t tree_wiring_node_again(const struct tree_net_options *o, unsigned node, unsigned pair, unsigned life,
                                struct rc_end_config ends[TREE_MAX_PORTS]);

/// NULL if out of memory.
struct tree_host *tree_wiring_host(const struct tree_net_options *o, unsigned host);
struct tree_node *tree_wiring_node(const struct tree_net_options *o, unsigned node);

/// Ports of a node, those of the device that it is or as many as it needs; the last one is for its parent.
unsigned tree_wiring_ports(const struct tree_net_options *o, unsigned node);
/// The configuration of the device that a node is; NULL if it is none, or there is none with so many ports.
const struct node_config *tree_wiring_built(const struct tree_net_options *o, unsigned node);
/// What a node that knows a group has of it, and its place among those that the node knows.
size_t tree_wiring_group(const struct tree_net_options *o, unsigned node, unsigned group, struct group_of_node *out);
/// Hosts of a group below a node.
unsigned tree_wiring_members(const struct tree_net_options *o, unsigned node, unsigned group);
/// The node where a group's parts meet.
unsigned tree_wiring_top(const struct tree_net_options *o, unsigned group);

#endif
