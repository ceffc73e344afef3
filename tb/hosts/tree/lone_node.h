/// A tree node that stands alone, with a host behind each of its ports, all in one group: addresses, connections and numbers of both ends, for who drives a
/// device by itself.
#ifndef WEIR_HOSTS_LONE_NODE_H
#define WEIR_HOSTS_LONE_NODE_H

#include "hosts/tree/tree_host.h"
#include "model/tree/tree_node.h"

enum { LONE_NODE_PORTS = 16, LONE_NODE_LOW = 1, LONE_NODE_SAT = 2, LONE_NODE_GROUP = 9, LONE_NODE_ID = 3 };

struct lone_node {
  struct rc_end_config ends[2][LONE_NODE_PORTS];   ///< of the node: low latency, streaming
  struct tree_of_node trees[2];
  struct group_of_node group;
  struct tree_node_config node;   ///< without patience; its tables are this struct, which is not moved
  struct tree_host *hosts[LONE_NODE_PORTS];
};

/// `ports`: even, 16 at most. False if out of memory. Hosts are freed by lone_node_close.
bool lone_node_open(struct lone_node *n, unsigned ports, unsigned mtu);
void lone_node_close(struct lone_node *n);

#endif
