// Which networks a gather can stand in, and what its devices are made of.
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "drive/gather/gather_nic_config.h"
#include "drive/gather/gather_tor.h"
#include "sim/fabric/device/gather_state.h"

static bool refuse(char *error, size_t size, const char *text) {
  snprintf(error, size, "%s", text);
  return false;
}

// Racks are full, but for the last, and leaves know all others by each of their uplinks.
bool gather_shape(struct fabric_gather *g, char *error, size_t size) {
  const struct workload *l = g->place.load;
  const struct net *n = l->net;
  struct gather_topology *t = &g->topology;
  uint32_t full = 0;
  while (full < l->ranks && n->leaf[l->host_of[full]] == n->leaf[l->host_of[0]]) full++;
  *t = (struct gather_topology){.nodes = l->ranks, .racks = (l->ranks + full - 1) / full, .routing = GATHER_BY_BOTH};
  bool *known = need(calloc(n->switches, sizeof *known)), good = true;
  for (uint32_t r = 0; r < l->ranks; r++) {
    const uint32_t leaf = n->leaf[l->host_of[r]];
    good = good && (r % full == 0 ? !known[leaf] : leaf == n->leaf[l->host_of[r - 1]]);
    known[leaf] = true;
  }
  free(known);
  if (!good) return refuse(error, size, "ranks of a gather fill one rack after the other, as with --placement linear");
  for (uint32_t s = 0; s < n->switches; s++)
    if (n->tiers[s] > 2) return refuse(error, size, "--load gather: leaves and spines; switches of racks know no tier above");
  if (gather_rack_size(t) != full) return refuse(error, size, "ranks of a gather fill all racks but the last");
  g->tors = need(calloc(t->racks, sizeof *g->tors));
  for (uint32_t r = 0; r < t->racks; r++) {
    struct rack_switch *tor = &g->tors[r];
    const uint32_t leaf = n->leaf[l->host_of[r * full]], end = n->hosts + leaf, ports = n->port_count[end];
    uint32_t spines = 0;
    tor->gather = g;
    tor->leaf = leaf;
    tor->port_of = need(malloc(ports * sizeof *tor->port_of));
    tor->leaf_port = need(calloc(full + ports, sizeof *tor->leaf_port));
    for (uint32_t p = 0; p < ports; p++) {
      const struct net_cable *c = &n->cables[n->at[end][p]];
      const uint32_t other = c->ends[c->ends[0] == end];
      const bool host = other < n->hosts, rank = host && l->rank_of[other] < l->ranks;
      tor->port_of[p] = rank ? l->rank_of[other] % full : host ? UINT32_MAX : full + spines++;
      if (tor->port_of[p] != UINT32_MAX) tor->leaf_port[tor->port_of[p]] = p;
    }
    if (r > 0 && spines != t->spines) return refuse(error, size, "leaves of a gather have as many uplinks each");
    t->spines = t->racks == 1 ? 0 : spines;
  }
  return true;
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
