/// The control plane of a simulated tree: who is connected with whom, by which addresses, queue pairs and PSNs, and which groups each node knows.
#ifndef WEIR_SIM_TREE_WIRING_H
#define WEIR_SIM_TREE_WIRING_H

#include "sim/tree/tree_net.h"

/// A port of a host (its number) or of a node (behind all hosts).
struct tree_end {
  size_t actor;
  unsigned port;
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

/// NULL if out of memory.
struct tree_host *tree_wiring_host(const struct tree_net_options *o, unsigned host);
struct tree_node *tree_wiring_node(const struct tree_net_options *o, unsigned node);

#endif
