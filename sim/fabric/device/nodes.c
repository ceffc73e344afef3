#include "sim/fabric/device/nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "drive/tree/tree_control.h"
#include "sim/engine/collective/tree_run.h"
#include "sim/engine/tree/tree_wiring.h"
#include "sim/fabric/device/frame.h"
#include "sim/fabric/device/refuse.h"
#include "wire/roce.h"

enum {
  ROOM = 64,           // packets of a streaming connection, as devices have it (rtl/top/tree_configs.csv)
  MOST = 256 << 20,    // bytes of a vector
  MOST_US = 0xFFFFFF   // of times in a device's registers
};
_Static_assert((int)NODES_TIMERS == (int)TREE_NET_TIMERS, "a tenant has the timers of a part of a tree");

struct fabric_nodes {
  struct fabric_nodes_place place;
  struct topology topology;
  uint32_t *host_of;   // of the fabric, by actor of the tree: hosts, then nodes
  bool *devices;       // of each node
  struct tree_carrier carrier;
  struct tree_run_options options;
  struct tree_run *run;
};

// --- frames ---

static uint32_t part(void *self, size_t actor) {
  const struct fabric_nodes *f = self;
  return f->place.nics[f->host_of[actor]].part;
}

static bool idle(void *self, size_t actor, unsigned port) {
  const struct fabric_nodes *f = self;
  return (f->place.nics[f->host_of[actor]].tenant.waiting >> port & 1) == 0;
}

static void send(void *self, size_t actor, unsigned port, struct tree_end to, const uint8_t *frame, size_t len) {
  const struct fabric_nodes *f = self;
  const uint32_t src = f->host_of[actor], dst = f->host_of[to.actor];
  struct world_packet packet = fabric_frame(frame, len);
  packet.src = src;
  packet.dst = dst;
  packet.tag = to.port;
  packet.flow = nic_flow(f->place.nic, src, dst, 0);
  nic_frame(&f->place.nics[src], port, &packet);
}

// --- making it ---

// The load's tree, whose actors are ranks and behind them nodes, as one whose nodes come before what is below them, and whose hosts are in the order of
// their leaves.
static bool shape(struct fabric_nodes *f, char *error, size_t size) {
  const struct workload *l = f->place.load;
  struct topology *t = &f->topology;
  uint32_t *actor_of = need(calloc(l->actors, sizeof *actor_of)), root = l->ranks, hosts = 0;
  bool good = true;
  while (l->parent[root] != NET_NOWHERE || l->child_count[root] == 0) root++;
  actor_of[0] = root;
  t->count = 1;
  t->nodes[0] = (struct topology_node){.parent = TOPOLOGY_NOBODY};
  for (unsigned n = 0; good && n < t->count; n++) {
    struct topology_node *node = &t->nodes[n];
    const uint32_t *children = l->children + l->first_child[actor_of[n]];
    node->children = l->child_count[actor_of[n]];
    node->leaf = children[0] < l->ranks;
    good = node->children <= TOPOLOGY_MAX_CHILDREN && (node->leaf || t->count + node->children <= TOPOLOGY_MAX_NODES);
    for (unsigned i = 0; good && i < node->children; i++) {
      node->at[i] = (uint8_t)i;
      if (node->leaf) continue;
      actor_of[t->count] = children[i];
      t->nodes[t->count++] = (struct topology_node){.parent = n, .child = i, .depth = node->depth + 1};
    }
    if (node->leaf) t->levels = node->depth + 1;
  }
  good = good && l->ranks <= TOPOLOGY_MAX_HOSTS;
  f->host_of = need(calloc((size_t)l->ranks + t->count, sizeof *f->host_of));
  // All leaves are equally deep: one level's nodes, from the left, have neighbours' hosts.
  for (unsigned n = 0; good && n < t->count; n++) {
    struct topology_node *node = &t->nodes[n];
    f->host_of[l->ranks + n] = l->host_of[actor_of[n]];
    if (!node->leaf) continue;
    node->first_host = hosts;
    node->hosts = node->children;
    for (unsigned i = 0; i < node->children; i++) f->host_of[hosts++] = l->host_of[l->children[l->first_child[actor_of[n]] + i]];
  }
  for (unsigned n = t->count; good && n-- > 1;) {
    struct topology_node *above = &t->nodes[t->nodes[n].parent];
    above->first_host = t->nodes[n].first_host;
    above->hosts += t->nodes[n].hosts;
  }
  t->hosts = hosts;
  free(actor_of);
  if (good) return true;
  snprintf(error, size, "a tree with devices has up to %d ranks, %d nodes, and %d children of one", TOPOLOGY_MAX_HOSTS,
           TOPOLOGY_MAX_NODES, TOPOLOGY_MAX_CHILDREN);
  return false;
}

// Which nodes are devices; that each of them can be one.
static bool choose(struct fabric_nodes *f, char *error, size_t size) {
  const struct workload *l = f->place.load;
  struct tree_net_options *o = &f->options.network;
  f->devices = need(calloc(f->topology.count, sizeof *f->devices));
  o->devices = f->devices;
  for (uint32_t s = 0; s < l->net->switches; s++) {
    unsigned n = 0;
    if (!f->place.rtl[s]) continue;
    while (n < f->topology.count && f->host_of[l->ranks + n] != l->net->node_at[s]) n++;
    if (n == f->topology.count) {
      snprintf(error, size, "--rtl: no node that takes part stands beside switch s%u", s);
      return false;
    }
    f->devices[n] = true;
    if (tree_wiring_built(o, n) != NULL) continue;
    snprintf(error, size, "--rtl: the node beside switch s%u has %u children, more than any device (rtl/top/tree_configs.csv)", s,
             f->topology.nodes[n].children);
    return false;
  }
  return true;
}

// A node waits for its children as long as a connection tries.
static bool set(struct fabric_nodes *f, char *error, size_t size) {
  const struct fabric_nodes_place *p = &f->place;
  const struct load_options *load = p->load->options;
  struct tree_net_options *o = &f->options.network;
  *o = (struct tree_net_options){.topology = &f->topology,
                                 .pairs = 1,
                                 .groups = 1,
                                 .mtu = p->nic->mtu,
                                 .credits = ROOM,
                                 .window = ROOM,
                                 .lock_cells = TREE_CONTROL_CELLS,
                                 .timeout_ps = p->nic->timeout_ps,
                                 .patience_ps = p->nic->timeout_ps * (p->nic->retries + 1),
                                 .retries = p->nic->retries,
                                 .dead_host = TREE_NET_NOBODY,
                                 .cut_cable = TREE_NET_NOBODY,
                                 .spoilt_node = TREE_NET_NOBODY,
                                 .dead_ps = p->dead_ps,
                                 .seed = p->seed,
                                 .carrier = &f->carrier};
  for (unsigned h = 0; h < f->topology.hosts; h++)
    if (f->host_of[h] == p->dead_host) o->dead_host = h;
  f->options.jobs = (struct tree_jobs_options){.operation = TREE_ALL_REDUCE,
                                               .streams = load->bytes > TREE_LLT_MOST,
                                               .type = INA_SUM << 4 | INA_FP32,
                                               .size = (uint32_t)load->bytes,
                                               .operations = 1,
                                               .parts = 1,
                                               .lock = 1,
                                               .tries = 1000,
                                               .seed = p->seed};
  if (load->bytes % 4 != 0 || load->bytes > MOST) return refuse(error, size, "--size: a tree with devices sums 4 bytes to 256M");
  if (o->timeout_ps % 1000000 != 0 || o->patience_ps / 1000000 * (2 * f->topology.levels + 1) > MOST_US ||
      tree_wiring_patience(o) >= WORLD_END)
    return refuse(error, size, "--timeout: devices of a tree count whole microseconds, and with --retries up to 17 s in all");
  return choose(f, error, size);
}

struct fabric_nodes *fabric_nodes_new(const struct fabric_nodes_place *place, char *error, size_t size) {
  struct fabric_nodes *f = need(calloc(1, sizeof *f));
  f->place = *place;
  f->carrier = (struct tree_carrier){f, place->world, NIC_TIMERS, part, idle, send};
  for (uint32_t h = 0; h < place->load->net->hosts; h++) place->nics[h].tenant.free_timer = TREE_NET_SERVE;
  if (shape(f, error, size) && set(f, error, size)) f->run = tree_run_open(&f->options, error, size);
  for (size_t a = 0; f->run != NULL && a < f->topology.hosts + f->topology.count; a++) {
    struct nic_tenant *t = &place->nics[f->host_of[a]].tenant;
    t->acts = &tree_net_acts;
    t->self = tree_net_part(tree_run_net(f->run), a);
  }
  if (f->run != NULL) return f;
  fabric_nodes_free(f);
  return NULL;
}

void fabric_nodes_free(struct fabric_nodes *f) {
  if (f == NULL) return;
  tree_run_close(f->run);
  free(f->host_of);
  free(f->devices);
  free(f);
}

// --- looking at it ---

void fabric_nodes_look(struct fabric_nodes *f) {
  const struct workload *l = f->place.load;
  for (unsigned h = 0; h < f->topology.hosts; h++) {
    const struct tree_jobs_host *host = tree_run_host(f->run, h);
    struct load_rank *rank = &l->rank[l->rank_of[f->host_of[h]]];
    if (!host->ended || host->done == 0 || !world_owns(f->place.world, part(f, h))) continue;
    rank->left = 0;
    rank->done_ps = host->ended_ps + 1;
  }
}

struct fabric_nodes_counts fabric_nodes_finish(struct fabric_nodes *f, struct findings *findings) {
  fabric_nodes_look(f);
  const struct tree_result *r = tree_run_finish(f->run);
  for (size_t i = 0; i < r->findings.count; i++)
    findings_add(findings, "%s", i < FINDINGS_TEXTS ? r->findings.texts[i] : "one more");
  return (struct fabric_nodes_counts){.results = r->jobs.compared,
                                      .again = r->totals.repeats,
                                      .timeouts = r->totals.timeouts,
                                      .compared = r->devices_compared,
                                      .cycles = r->devices_cycles};
}
