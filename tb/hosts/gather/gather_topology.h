/// How nodes and switches of a gather are connected, and which way packets take.
///
/// Leaf-spine: a switch a rack (ToR), spines between them. Or a grid: switches have coordinates, and each is connected with all that differ in one of them by
/// one link or several: a HyperX, or a Dragonfly whose coordinates are the group and the place in it. In all of them what is decided is where a packet
/// goes next, by its destination, so that a response comes back the way its read went: in a grid a read puts its coordinates right from
/// the first to the last, a response from the last to the first.
#ifndef WEIR_HOSTS_GATHER_TOPOLOGY_H
#define WEIR_HOSTS_GATHER_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/gather.h"

/// Ports are in pipes of four. `GATHER_AXES`: coordinates of a switch.
enum { GATHER_PIPE_PORTS = 4, GATHER_AXES = 3 };

/// By what a ToR chooses the spine for a packet.
enum gather_routing {
  GATHER_BY_BOTH,   ///< sum of both racks: the same there and back
  GATHER_BY_DEST,   ///< rack of the destination only
  GATHER_SPREAD     ///< sum of both racks and the pipe of the node that has the property: the same there and back, by more spines
};

enum gather_shape {
  GATHER_LEAF_SPINE,
  GATHER_HYPERX,     ///< 4 x 4 x 2, four links to each neighbour
  GATHER_DRAGONFLY   ///< 4 groups of 8, three links to each of the group, four to other groups
};
/// Switches of a grid.
#define GATHER_GRID_SWITCHES 32u

struct gather_topology {
  uint32_t nodes, racks,
      spines;   ///< racks of nodes / racks nodes each, rounded up; 1 rack: no spines. A grid has 32 racks and no spines
  enum gather_routing routing;   ///< of leaf-spine
  enum gather_shape shape;
};
/// Nodes of a rack; the last rack may have less.
static inline uint32_t gather_rack_size(const struct gather_topology *t) { return (t->nodes + t->racks - 1) / t->racks; }
static inline uint32_t gather_rack_of(const struct gather_topology *t, uint32_t node) { return node / gather_rack_size(t); }
/// The pipe of a node's port.
static inline unsigned gather_pipe_of(const struct gather_topology *t, uint32_t node) {
  return node % gather_rack_size(t) / GATHER_PIPE_PORTS;
}
/// Ports of a rack's switch, also those of a grid that nothing is connected to: each neighbour has a pipe of its own.
unsigned gather_tor_ports(const struct gather_topology *t);
/// The port by which rack `rack`'s switch sends to `dest`: its nodes come first, then the spines or neighbours. `pipe` is that of the node that has the property,
/// in its rack: of a read `dest`'s, of a response that of the port by which it came or of the pipe in which it hit, which in that rack is the same.
unsigned gather_tor_port(const struct gather_topology *t, enum gather_type type, uint32_t rack, uint32_t dest, unsigned pipe);
/// Of a grid: the switch that a port leads to, and its port there; false: none.
bool gather_grid_peer(const struct gather_topology *t, uint32_t rack, unsigned port, uint32_t *peer, unsigned *peer_port);
/// Cables that a packet takes from one node to another.
unsigned gather_hops(const struct gather_topology *t, uint32_t from, uint32_t to);

#endif
