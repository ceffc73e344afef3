/// The wires of `weir live --tree`: guests below the leaves of a tree of Verilated nodes, each with its golden model in lock step (docs/tree.md), and an
/// Ethernet switch for what guests say to each other.
///
/// A guest's frames for its leaf's MAC address go to the leaf; others, TCP before all, go by the switch. Nodes are clocked all together, at full speed while
/// frames are on their way, and slowly while all wait for guests, so that their time-outs come, but not before a guest had time to answer.
#ifndef WEIR_SIM_LIVE_TREE_NET_H
#define WEIR_SIM_LIVE_TREE_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/live/live_hosts.h"
#include "sim/live/live_said.h"
#include "sim/live/live_wires.h"
#include "sim/engine/tree/tree_wiring.h"
#include "wire/capture.h"

struct live_tree_net;

/// How a guest reaches its leaf.
struct live_tree_door {
  uint8_t mac[6];
  char address[46];        ///< IPv4 or IPv6
  struct live_ends ends;   ///< of the leaf
  uint16_t low_tree, sat_tree, group;
};

/// What went over a guest's cable since the trees were opened, each packet counted once, but for those lost on the way up: of the low-latency connection and of the streaming one.
struct live_tree_flow {
  uint64_t messages[2], bytes[2], repeats[2];
};

/// What nodes did, all of them and in all jobs.
struct live_tree_counts {
  struct tree_node_counts nodes;
  struct node_rtl_end ends[2];   ///< of the low-latency tree and of the streaming one
  uint64_t cycles, compared;     ///< clocked; messages that left and were compared with the model's
};

/// Without nodes yet. NULL if out of memory. Topology and guests stay the caller's.
struct live_tree_net *live_tree_net_open(const struct live_options *options, const struct topology *topology,
                                         struct live_guest *guests, struct capture_writer *writer);
void live_tree_net_close(struct live_tree_net *n);
struct live_wires live_tree_net_wires(struct live_tree_net *n);

/// How the first `hosts` guests reach their leaf.
struct live_tree_door live_tree_net_door(const struct live_tree_net *n, unsigned host);
/// A node for each place, of the smallest configuration that has the ports, set up for the first `hosts` guests, whose ends these are, and open. 0, or -1 and
/// a line in `error`.
int live_tree_net_begin(struct live_tree_net *n, const struct live_ends *ends, unsigned hosts, char *error, size_t size);
/// True if nothing is on its way through a node, or waits there for time to pass.
bool live_tree_net_rests(const struct live_tree_net *n);
/// All operations are over, and nodes rest: looks whether all is as the models have it and nothing is held, and takes the nodes away. NULL, or what is wrong, in `text`.
const char *live_tree_net_end(struct live_tree_net *n, char *text, size_t size);

const struct node_config *live_tree_net_config(const struct live_tree_net *n);
struct live_net_counts live_tree_net_counts(const struct live_tree_net *n);
/// Towards a guest, or from it.
struct live_tree_flow live_tree_net_flow(const struct live_tree_net *n, unsigned host, bool down);
struct live_tree_counts live_tree_net_done(const struct live_tree_net *n);

#endif
