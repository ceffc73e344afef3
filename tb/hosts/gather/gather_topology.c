#include "hosts/gather/gather_topology.h"

/// Switches along each axis.
static const uint32_t sizes[][GATHER_AXES] = {[GATHER_HYPERX] = {4, 4, 2}, [GATHER_DRAGONFLY] = {4, 8, 1}};

static uint32_t coordinate(const struct gather_topology *t, uint32_t rack, unsigned axis) {
  for (unsigned a = 0; a < axis; a++) rack /= sizes[t->shape][a];
  return rack % sizes[t->shape][axis];
}

/// The switch that has this coordinate instead.
static uint32_t moved(const struct gather_topology *t, uint32_t rack, unsigned axis, uint32_t to) {
  uint32_t step = 1;
  for (unsigned a = 0; a < axis; a++) step *= sizes[t->shape][a];
  return rack + to * step - coordinate(t, rack, axis) * step;
}

/// Links from a switch to the one with another coordinate.
static unsigned links(const struct gather_topology *t, uint32_t rack, unsigned axis, uint32_t to) {
  if (t->shape == GATHER_HYPERX) return 4;
  if (axis == 1) return 3;
  // Four links to three other groups: two of them to one, another one for each place in the group.
  return (coordinate(t, rack, 0) ^ to) == 1 + coordinate(t, rack, 1) % 3 ? 2 : 1;
}

static uint32_t node_pipes(const struct gather_topology *t) {
  return (gather_rack_size(t) + GATHER_PIPE_PORTS - 1) / GATHER_PIPE_PORTS;
}

/// The first port to a neighbour. Neighbours are in order of axes, then of coordinates.
static unsigned neighbour_port(const struct gather_topology *t, uint32_t rack, unsigned axis, uint32_t to) {
  unsigned pipe = node_pipes(t);
  for (unsigned a = 0; a < axis; a++) pipe += sizes[t->shape][a] - 1;
  return (pipe + to - (to > coordinate(t, rack, axis))) * GATHER_PIPE_PORTS;
}

unsigned gather_tor_ports(const struct gather_topology *t) {
  if (t->shape == GATHER_LEAF_SPINE) return gather_rack_size(t) + t->spines;
  unsigned pipes = node_pipes(t);
  for (unsigned a = 0; a < GATHER_AXES; a++) pipes += sizes[t->shape][a] - 1;
  return pipes * GATHER_PIPE_PORTS;
}

static unsigned grid_port(const struct gather_topology *t, enum gather_type type, uint32_t rack, uint32_t dest) {
  const uint32_t there = gather_rack_of(t, dest);
  for (unsigned i = 0; i < GATHER_AXES; i++) {
    const unsigned axis = type == GATHER_READ ? i : GATHER_AXES - 1 - i;
    const uint32_t to = coordinate(t, there, axis);
    // Links to one neighbour are in one pipe, so which of them is taken does not matter to its cache.
    if (to != coordinate(t, rack, axis)) return neighbour_port(t, rack, axis, to) + dest % links(t, rack, axis, to);
  }
  return dest % gather_rack_size(t);
}

unsigned gather_tor_port(const struct gather_topology *t, enum gather_type type, uint32_t rack, uint32_t dest, unsigned pipe) {
  const uint32_t there = gather_rack_of(t, dest), size = gather_rack_size(t);
  if (t->shape != GATHER_LEAF_SPINE) return grid_port(t, type, rack, dest);
  if (there == rack) return dest - rack * size;
  // Pipes are as far apart as can be: else the spines of one pair of racks would be those of the next pair, and the busiest as busy as without.
  const uint32_t pipes = node_pipes(t), apart = t->spines > pipes ? t->spines / pipes : 1;
  const uint32_t by[] = {
      [GATHER_BY_BOTH] = rack + there, [GATHER_BY_DEST] = there, [GATHER_SPREAD] = rack + there + pipe * apart};
  return size + by[t->routing] % t->spines;
}

bool gather_grid_peer(const struct gather_topology *t, uint32_t rack, unsigned port, uint32_t *peer, unsigned *peer_port) {
  for (unsigned axis = 0; axis < GATHER_AXES; axis++) {
    for (uint32_t to = 0; to < sizes[t->shape][axis]; to++) {
      if (to == coordinate(t, rack, axis)) continue;
      const unsigned first = neighbour_port(t, rack, axis, to);
      if (port < first || port >= first + links(t, rack, axis, to)) continue;
      *peer = moved(t, rack, axis, to);
      *peer_port = neighbour_port(t, *peer, axis, coordinate(t, rack, axis)) + port - first;
      return true;
    }
  }
  return false;
}

unsigned gather_hops(const struct gather_topology *t, uint32_t from, uint32_t to) {
  const uint32_t a = gather_rack_of(t, from), b = gather_rack_of(t, to);
  if (from == to) return 0;
  if (t->shape == GATHER_LEAF_SPINE) return a == b ? 2 : 4;
  unsigned hops = 2;
  for (unsigned axis = 0; axis < GATHER_AXES; axis++) hops += coordinate(t, a, axis) != coordinate(t, b, axis);
  return hops;
}
