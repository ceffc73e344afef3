/// The shape of a fabric: hosts, switches, cables.
#ifndef WEIR_SIM_NET_H
#define WEIR_SIM_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NET_MAX_HOSTS = 65536, NET_MAX_SWITCHES = 4096, NET_MAX_CABLES = 200000, NET_NOWHERE = UINT32_MAX };

/// A cable both ways. Ends are hosts, 0 to hosts - 1, and switches, from `hosts` on; where it stands among the cables of an end is the
/// port's number there.
struct net_cable {
  uint32_t ends[2], ports[2];
  double gbps;
  uint64_t delay_ps;
};

struct net {
  uint32_t hosts, switches;
  uint32_t nodes;          ///< of the hosts, the last so many are nodes of a tree: ends of connections beside a switch
  uint32_t *node_at;       ///< of each switch: that host, NET_NOWHERE if there is none
  uint32_t *node_parent;   ///< the switch with the node above it; NET_NOWHERE: none
  struct net_cable *cables;
  size_t cable_count, cable_room;
  uint8_t *tiers;         ///< of each switch: 1 for those with hosts below them, 2 above them, and so on
  uint32_t *port_count;   ///< of each host and switch
  uint32_t *leaf;         ///< of each host: its switch, from 0 on
  uint32_t *slice;        ///< of each host: its place among the hosts of its switch
  uint32_t **at;          ///< of each host and switch: the cables at its ports
};

/// Rates (Gb/s) and delays of cables that a text like "clos:8x4x2" does not name.
struct net_speeds {
  bool nodes;                 ///< a node at each leaf, at the first spine of each pod, at the first switch above those
  uint64_t node_ps;           ///< delay of its cable, which is as fast as all ports of its switch
  double inner;               ///< inside a machine with accelerators
  double host, leaf, spine;   ///< between host and leaf, leaf and spine, spine and the tier above
  uint64_t delay_ps[3];       ///< of the same
};

/// Reads a fabric: "clos:HxLxS" (L leaves with H hosts each, each with a cable to each of S spines), "clos:HxLxS,PxA" (P such pods; spine s of
/// each has a cable to each of the A switches of plane s above), "machines:MxN" (M machines on one switch, N hosts on an inner switch in
/// each), JSON, or the name of a file with JSON:
/// {"hosts": N, "switches": [tier, ...], "cables": [["h0", "s0", gbps, ns], ...], "cyclic": true}. 0, or -1 and a line in `error`.
/// net_free is due in both cases.
int net_read(struct net *net, const char *text, const struct net_speeds *speeds, char *error, size_t size);
void net_free(struct net *net);

/// "h3", "s0"; returns `text`.
const char *net_name(const struct net *net, uint32_t end, char text[16]);

#endif
