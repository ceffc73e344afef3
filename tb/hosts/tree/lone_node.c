#include "hosts/tree/lone_node.h"

enum { ROOM = 64, ACK_EVERY = 16 };
#define US UINT64_C(1000000)   // in picoseconds

/// An end of a connection at a port: the node's, or its host's.
static struct rc_end_config end_at(unsigned port, bool of_node, unsigned tree, unsigned mtu) {
  const struct conn_key down = {.src = {10, 1, 0, 1}, .dst = {10, 0, 0, (uint8_t)(port + 1)}, .qpn = 0x100 + tree};
  const struct conn_key up = {.src = {10, 0, 0, (uint8_t)(port + 1)}, .dst = {10, 1, 0, 1}, .qpn = 0x200 + tree};
  return (struct rc_end_config){
      .local_mac = {2, 0, 0, 0, of_node, (uint8_t)port},
      .peer_mac = {2, 0, 0, 0, !of_node, (uint8_t)port},
      .out = of_node ? down : up,
      .in = of_node ? up : down,
      .psn_out = of_node ? 7 : PSN_MASK,
      .psn_in = of_node ? PSN_MASK : 7,
      .mtu = mtu,
      .request = {.room = ROOM, .ack_every = ACK_EVERY, .timeout_ps = 30 * US, .retries = 7, .rnr_retries = RC_ENDLESS},
      .respond = {.room = ROOM, .coalesce = ACK_EVERY, .rnr_timer = 1}};
}

bool lone_node_open(struct lone_node *n, unsigned ports, unsigned mtu) {
  const uint64_t all = (UINT64_C(1) << ports) - 1;
  *n = (struct lone_node){.group = {.id = LONE_NODE_GROUP, .children = all}};
  for (unsigned t = 0; t < 2; t++) {
    for (unsigned p = 0; p < ports; p++) n->ends[t][p] = end_at(p, true, t, mtu);
    n->trees[t] = (struct tree_of_node){.id = (uint16_t)(t == 0 ? LONE_NODE_LOW : LONE_NODE_SAT),
                                        .parent = TREE_NO_PORT,
                                        .neighbours = all,
                                        .ends = n->ends[t]};
  }
  n->node =
      (struct tree_node_config){.id = LONE_NODE_ID, .ports = ports, .trees = n->trees, .groups = &n->group, .group_count = 1};
  for (unsigned p = 0; p < ports; p++) {
    const struct tree_host_config host = {.low = end_at(p, false, 0, mtu),
                                          .sat = end_at(p, false, 1, mtu),
                                          .low_tree = LONE_NODE_LOW,
                                          .sat_tree = LONE_NODE_SAT,
                                          .group = LONE_NODE_GROUP,
                                          .patience_ps = 20000 * US};
    n->hosts[p] = tree_host_new(&host);
    if (n->hosts[p] == NULL) return false;
  }
  return true;
}

void lone_node_close(struct lone_node *n) {
  for (unsigned p = 0; p < LONE_NODE_PORTS; p++)
    if (n->hosts[p] != NULL) tree_host_free(n->hosts[p]);
}
