/// Hosts and nodes of aggregation trees, and the cables between them, in closed loop: each part acts when something is due for it, and time leaps from
/// one such moment to the next. Hosts are models, and so are nodes, but for those that are devices in RTL, each with its model beside it.
///
/// Cables are numbered: first one above each host, then one above each node but the root. Times are picoseconds of the simulation.
#ifndef WEIR_SIM_TREE_NET_H
#define WEIR_SIM_TREE_NET_H

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

struct tree_net_options {
  const struct topology *topology;
  unsigned pairs;    ///< of trees with this topology: each a low-latency and a streaming one
  unsigned groups;   ///< host h is in group h modulo `groups`, which uses pair group modulo `pairs`
  unsigned mtu;
  bool v6;                    ///< IPv6
  uint16_t vlan;              ///< VID; 0: no tag
  unsigned credits, window;   ///< packets of a streaming connection: room of the receiver, and of the sender
  bool no_credits;            ///< receivers tell none
  unsigned lock_cells;
  double gbps;
  uint64_t cable_ps, node_ps;   ///< delay of a cable; of a model's node, from a packet's end to the beginning of what it causes
  const bool *devices;          ///< of each node: it is RTL. NULL: none is
  struct link_faults faults;
  double hostile;   ///< probability that a frame of somebody else comes behind one that arrives
  uint64_t timeout_ps, patience_ps;
  unsigned retries;
  unsigned dead_host;         ///< a host that stops; TREE_NET_NOBODY: none
  unsigned cut_cable;         ///< one that is cut; TREE_NET_NOBODY: none
  uint64_t dead_ps, cut_ps;   ///< when
  uint64_t seed;
  struct capture_writer *writer;   ///< of what begins on each cable (interface = cable), or NULL
  /// Sees each frame that is put on a cable, upwards or downwards.
  void (*watch)(void *user, size_t cable, bool up, const uint8_t *frame, size_t len);
  void *user;
};

struct tree_net;

/// The topology must outlive it. The caller frees it. NULL and a line in `error` if out of memory, or if a device cannot be built or set up.
struct tree_net *tree_net_new(const struct tree_net_options *options, char *error, size_t size);
void tree_net_free(struct tree_net *n);

uint64_t tree_net_now(const struct tree_net *n);
/// Goes on to what is due next. False if nothing is. `*host` is one that has done something, or TREE_NET_NOBODY.
bool tree_net_step(struct tree_net *n, unsigned *host);
/// What the caller has begun at a host goes on its way.
void tree_net_begun(struct tree_net *n, unsigned host);
/// tree_net_step names this host at `time`, once; UINT64_MAX: no more.
void tree_net_alarm(struct tree_net *n, unsigned host, uint64_t time);

/// Longest time in which nothing of an operation moves before its host gives up.
uint64_t tree_net_bound(const struct tree_net *n);
struct tree_host *tree_net_host(const struct tree_net *n, unsigned host);
bool tree_net_alive(const struct tree_net *n, unsigned host);
unsigned tree_net_group(const struct tree_net *n, unsigned host);
/// A node, or NULL where a device is; a device, or NULL where a model is.
struct tree_node *tree_net_node(const struct tree_net *n, unsigned node);
struct node_rtl *tree_net_device(const struct tree_net *n, unsigned node);
/// Frames of somebody else that came.
uint64_t tree_net_attacks(const struct tree_net *n);
size_t tree_net_cables(const struct tree_net *n);
struct link_counts tree_net_link(const struct tree_net *n, size_t cable, bool up);

/// A group's part of the tree, for who computes results by himself: how many ports a node has, at which one its child is, how many hosts of the
/// group are below it, and whether it is the node where the group's parts meet.
unsigned tree_net_ports(const struct tree_net_options *o, unsigned node);
/// The configuration of the device that a node is; NULL if it is none, or there is none with so many ports.
const struct node_config *tree_net_built(const struct tree_net_options *o, unsigned node);
unsigned tree_net_members(const struct tree_net_options *o, unsigned node, unsigned group);
unsigned tree_net_top(const struct tree_net_options *o, unsigned group);

#endif
