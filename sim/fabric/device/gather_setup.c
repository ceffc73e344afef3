// Which networks a gather can stand in, and what its devices are made of.
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "drive/gather/gather_nic_config.h"
#include "drive/gather/gather_tor.h"
#include "sim/fabric/device/gather_state.h"
#include "sim/fabric/device/refuse.h"

// Nodes in the order of racks: those with most ranks first. Returns the ranks of the first.
static uint32_t number_nodes(struct fabric_gather *g) {
  const struct workload *l = g->place.load;
  const struct net *n = l->net;
  uint32_t *ranks = need(calloc(n->switches, sizeof *ranks)), most = 0, count = 0;
  g->host_of = need(malloc(l->ranks * sizeof *g->host_of));
  for (uint32_t r = 0; r < l->ranks; r++) {
    const uint32_t here = ++ranks[n->leaf[l->host_of[r]]];
    if (here > most) most = here;
  }
  for (uint32_t size = most; size > 0; size--)
    for (uint32_t s = 0; s < n->switches; s++)
      for (uint32_t h = 0; ranks[s] == size && h < n->hosts; h++)
        if (n->leaf[h] == s && l->rank_of[h] < l->ranks) g->host_of[count++] = h;
  free(ranks);
  return most;
}

// The plane that each switch above the leaves belongs to: those that are connected without leaves. What a rack sends up into one comes down from it, and so
// does its response.
static uint32_t *planes_of(const struct net *n) {
  uint32_t *plane = need(malloc(n->switches * sizeof *plane));
  for (uint32_t s = 0; s < n->switches; s++) plane[s] = s;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t c = 0; c < n->cable_count; c++) {
      const uint32_t *ends = n->cables[c].ends;
      if (ends[0] < n->hosts || ends[1] < n->hosts) continue;
      const uint32_t a = ends[0] - n->hosts, b = ends[1] - n->hosts;
      if (n->tiers[a] == 1 || n->tiers[b] == 1 || plane[a] == plane[b]) continue;
      plane[a] = plane[b] = plane[a] < plane[b] ? plane[a] : plane[b];
      more = true;
    }
  }
  return plane;
}

static uint32_t other_end(const struct net *n, uint32_t end, uint32_t port) {
  const struct net_cable *c = &n->cables[n->at[end][port]];
  return c->ends[c->ends[0] == end];
}

// Two racks' uplinks lead into the same planes.
static bool alike(const struct net *n, const struct rack_switch *a, const struct rack_switch *b, uint32_t full, uint32_t spines,
                  const uint32_t *plane) {
  for (uint32_t u = full; u < full + spines; u++)
    if (plane[other_end(n, n->hosts + a->leaf, a->leaf_port[u]) - n->hosts] !=
        plane[other_end(n, n->hosts + b->leaf, b->leaf_port[u]) - n->hosts])
      return false;
  return true;
}

// Ports of the switch of a rack, of each of its leaf's: its ranks, then its uplinks in the order of planes. Returns how many uplinks there are, 0 if two
// lead into one plane.
static uint32_t wire_rack(struct fabric_gather *g, struct rack_switch *tor, uint32_t full, const uint32_t *plane) {
  const struct workload *l = g->place.load;
  const struct net *n = l->net;
  const uint32_t end = n->hosts + tor->leaf, ports = n->port_count[end];
  uint32_t spines = 0, *above = need(malloc(ports * sizeof *above));
  bool good = true;
  tor->port_of = need(malloc(ports * sizeof *tor->port_of));
  tor->leaf_port = need(calloc(full + ports, sizeof *tor->leaf_port));
  for (uint32_t p = 0; p < ports; p++) {
    const uint32_t other = other_end(n, end, p);
    above[p] = other < n->hosts ? UINT32_MAX : plane[other - n->hosts];
    spines += other >= n->hosts;
    tor->port_of[p] = UINT32_MAX;
    for (uint32_t i = 0; other < n->hosts && i < g->topology.nodes; i++)
      if (g->host_of[i] == other) tor->port_of[p] = i % full;
  }
  for (uint32_t p = 0; p < ports; p++) {
    if (above[p] != UINT32_MAX) {
      tor->port_of[p] = full;
      for (uint32_t q = 0; q < ports; q++) {
        tor->port_of[p] += above[q] < above[p];
        good = good && (q == p || above[q] != above[p]);
      }
    }
    if (tor->port_of[p] != UINT32_MAX) tor->leaf_port[tor->port_of[p]] = p;
  }
  free(above);
  return good ? spines : 0;
}

// Racks have as many ranks each, but for the last, and leaves know all others by each of their uplinks.
bool gather_shape(struct fabric_gather *g, char *error, size_t size) {
  const struct workload *l = g->place.load;
  const struct net *n = l->net;
  struct gather_topology *t = &g->topology;
  const uint32_t full = number_nodes(g);
  *t = (struct gather_topology){.nodes = l->ranks, .racks = (l->ranks + full - 1) / full, .routing = GATHER_BY_BOTH};
  for (uint32_t r = 0; r < l->ranks; r++)
    if (n->leaf[g->host_of[r]] != n->leaf[g->host_of[r - r % full]] ||
        (r % full == 0 && r > 0 && n->leaf[g->host_of[r]] == n->leaf[g->host_of[r - 1]]))
      return refuse(error, size, "racks of a gather have as many ranks each, but for one with fewer");
  if (gather_rack_size(t) != full)
    return refuse(error, size, "racks of a gather have as many ranks each, but for one with nearly as many");
  g->tors = need(calloc(t->racks, sizeof *g->tors));
  uint32_t *plane = planes_of(n);
  bool good = true;
  for (uint32_t r = 0; r < t->racks; r++) {
    struct rack_switch *tor = &g->tors[r];
    tor->gather = g;
    tor->leaf = n->leaf[g->host_of[r * full]];
    const uint32_t spines = wire_rack(g, tor, full, plane);
    if (r > 0) good = good && spines == t->spines && alike(n, tor, g->tors, full, spines, plane);
    good = good && (t->racks == 1 || spines > 0);
    t->spines = t->racks == 1 ? 0 : spines;
  }
  free(plane);
  return good || refuse(error, size, "leaves of a gather have as many uplinks each, one into each plane of the switches above");
}

// Times and sizes of all NICs and switches.
bool gather_set(struct fabric_gather *g, char *error, size_t size) {
  const struct fabric_gather_place *p = &g->place;
  const struct load_options *o = p->load->options;
  const uint32_t nodes = g->topology.nodes;
  const double byte_cycles = 8e3 / p->gbps / CYCLE_PS;
  const struct gather_concat_options concat = {
      .nodes = nodes, .mtu = GATHER_CONFIG_MTU, .upper = GATHER_CONFIG_UPPER, .delay = NIC_DELAY, .expiry_depth = NIC_DELAY + 2};
  const struct gather_config *built = NULL;
  bool rtl = false;
  g->len = (uint32_t)o->message;
  g->count = o->bytes / o->message;
  if (o->message % 4 != 0 || o->message > GATHER_CACHE_MAX || g->count == 0 || g->count > 1 << 20)
    return refuse(error, size, "--load gather: --message is a property, 4 to 512 bytes, and --size up to 1048576 of them");
  g->node = (struct gather_node_options){
      .tries = p->nic->retries + 1,
      .room = gather_end_room,
      .nic = {.units = UNITS,
              .tx_depth = PENDING,
              .read_delay = 2 * MEMORY,
              .write_delay = MEMORY,
              .begin_delay = 4 * MEMORY,
              .byte_cycles = byte_cycles,
              .rig = {.pending = PENDING, .filter = true, .coalesce = true, .watchdog = p->nic->timeout_ps / CYCLE_PS},
              .concat = concat,
              .device = {.seed = p->seed}}};
  g->tor = (struct gather_switch_options){.latency = p->latency_ps / CYCLE_PS,
                                          .byte_cycles = byte_cycles,
                                          .topology = g->topology,
                                          .pipe = {.concat = concat, .cache_sets = SETS, .cache_mode = gather_cache_mode(g->len)},
                                          .device = {.seed = p->seed}};
  g->tor.pipe.concat.delay = SWITCH_DELAY;
  g->tor.pipe.concat.expiry_depth = SWITCH_DELAY + 2;
  for (uint32_t s = 0; s < p->load->net->switches; s++) rtl = rtl || p->rtl[s];
  for (uint32_t h = 0; h < p->load->net->hosts; h++)
    if (p->rtl_host[h] && gather_nic_config_for(nodes, &g->node.nic, error, size) == NULL) return false;
  g->tor.pipe.cache_sets = 0;
  if (rtl && (built = gather_tor_config(&g->topology, &g->tor.pipe, error, size)) == NULL) return false;
  g->tor.pipe.cache_sets = built != NULL ? built->sets : SETS;
  // Each property is wanted by some ranks.
  g->columns = (struct gather_partition){(g->count * nodes + SHARED - 1) / SHARED, nodes};
  if (g->columns.count < nodes) g->columns.count = nodes;
  return true;
}
