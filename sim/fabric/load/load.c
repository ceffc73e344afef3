#include "sim/fabric/load/load.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/rng.h"

// All that a rank does is its device's business.
static int gather_make(struct workload *l, char *error, size_t size) {
  (void)error;
  (void)size;
  for (uint32_t r = 0; r < l->ranks; r++) l->rank[r].left = 1;
  return 0;
}

// What each kind of load does.
static const struct {
  int (*make)(struct workload *l, char *error, size_t size);
  void (*begin)(struct workload *l, uint32_t actor);
  void (*received)(struct workload *l, uint32_t actor, uint32_t tag, uint64_t value);
  void (*sent)(struct workload *l, uint32_t actor, uint32_t tag, uint64_t bytes);
} kinds[] = {[LOAD_PERMUTATION] = {flows_make, flows_begin, flows_received, NULL},
             [LOAD_INCAST] = {flows_make, flows_begin, flows_received, NULL},
             [LOAD_ALL_TO_ALL] = {flows_make, flows_begin, flows_received, NULL},
             [LOAD_MATRIX] = {flows_make, flows_begin, flows_received, NULL},
             [LOAD_CAPTURE] = {flows_make, flows_begin, flows_received, NULL},
             [LOAD_ALL_REDUCE] = {collective_make, collective_begin, collective_received, NULL},
             [LOAD_ALL_REDUCE_TREE] = {tree_make, tree_begin, tree_received, tree_sent},
             [LOAD_RABENSEIFNER] = {collective_make, collective_begin, collective_received, NULL},
             [LOAD_NETREDUCE] = {netreduce_make, netreduce_begin, netreduce_received, NULL},
             [LOAD_NODES] = {tree_make, tree_begin, tree_received, tree_sent},
             [LOAD_REDUCE_SCATTER] = {collective_make, collective_begin, collective_received, NULL},
             [LOAD_ALL_GATHER] = {collective_make, collective_begin, collective_received, NULL},
             [LOAD_MASTER_RING] = {machines_make, machines_begin, machines_received, machines_sent},
             [LOAD_PARALLEL_RING] = {machines_make, machines_begin, machines_received, machines_sent},
             [LOAD_GATHER] = {gather_make, NULL, NULL, NULL},
             [LOAD_PARALLEL_NETREDUCE] = {machines_make, machines_begin, machines_received, machines_sent}};

void load_free(struct workload *l) {
  for (uint32_t r = 0; l->rank != NULL && r < l->actors; r++) {
    free(l->rank[r].sums);
    free(l->rank[r].counts);
    free(l->rank[r].posts);
  }
  free(l->rank);
  free(l->host_of);
  free(l->rank_of);
  free(l->parent);
  free(l->children);
  free(l->first_child);
  free(l->child_count);
  free(l->flows);
  free(l->first_flow);
  free(l->next_flow);
  *l = (struct workload){0};
}

// Hosts in the order of ranks; how many there are.
static uint32_t place(const struct load_options *o, const struct net *n, uint32_t *hosts) {
  uint32_t count = 0, deepest = 0;
  uint32_t *below = need(calloc(n->switches, sizeof *below));
  for (uint32_t h = 0; h < n->hosts - n->nodes; h++) {
    below[n->leaf[h]]++;
    if (n->slice[h] > deepest) deepest = n->slice[h];
  }
  if (o->placement == PLACEMENT_SPREAD) {
    for (uint32_t slice = 0; slice <= deepest; slice++)
      for (uint32_t h = 0; h < n->hosts - n->nodes; h++)
        if (n->slice[h] == slice) hosts[count++] = h;
  } else {
    for (uint32_t h = 0; h < n->hosts - n->nodes; h++)
      if (o->placement != PLACEMENT_HALF || 2 * n->slice[h] < below[n->leaf[h]]) hosts[count++] = h;
  }
  struct rng rng = rng_for(o->seed, 0x91AC);
  for (uint32_t i = count; o->placement == PLACEMENT_RANDOM && i > 1; i--) {
    const uint32_t j = rng_below(&rng, i), h = hosts[i - 1];
    hosts[i - 1] = hosts[j];
    hosts[j] = h;
  }
  free(below);
  return count;
}

int load_make(struct workload *l, const struct load_options *o, const struct net *net, char *error, size_t size) {
  *l = (struct workload){.options = o, .net = net};
  l->host_of = need(malloc(net->hosts * sizeof *l->host_of));
  l->rank_of = need(malloc(net->hosts * sizeof *l->rank_of));
  const uint32_t places = place(o, net, l->host_of);
  l->ranks = o->ranks > 0 ? o->ranks : places;
  if (l->ranks > places || l->ranks < 2) {
    snprintf(error, size, "%u ranks, and place for %u; there must be at least 2", l->ranks, places);
    l->ranks = l->actors = 0;
    return -1;
  }
  for (uint32_t h = 0; h < net->hosts; h++) l->rank_of[h] = NET_NOWHERE;
  for (uint32_t r = 0; r < l->ranks; r++) l->rank_of[l->host_of[r]] = r;
  l->actors = l->ranks + (o->kind == LOAD_NODES ? net->nodes : 0);
  l->rank = need(calloc(l->actors, sizeof *l->rank));
  for (uint32_t r = 0; r < l->ranks; r++) l->total += load_own(l, r);
  return kinds[o->kind].make(l, error, size);
}

uint64_t load_own(const struct workload *l, uint32_t rank) {
  struct rng rng = rng_for(l->options->seed, UINT64_C(0xC0117) << 32 | rank);
  return rng_next(&rng);
}

uint64_t load_slice(const struct workload *l, uint64_t slice) {
  const uint64_t begin = slice * l->options->message;
  return l->chunk - begin < l->options->message ? l->chunk - begin : l->options->message;
}

void load_take(struct workload *l, uint32_t rank, uint64_t value, uint64_t wanted) {
  struct load_rank *r = &l->rank[rank];
  if (value != wanted || r->left == 0) {
    l->wrong++;
    return;
  }
  if (--r->left == 0) r->done_ps = world_now(l->world) + 1;
}

// The load that a message belongs to; its tag there.
static struct workload *load_of(void *user, uint32_t *tag) {
  struct workload *l = (struct workload *)user + (*tag >= LOAD_BACKGROUND ? 1 : 0);
  *tag -= l->tag_base;
  return l;
}

static void received(void *user, uint32_t host, uint32_t src, uint32_t tag, uint64_t value, uint64_t bytes) {
  struct workload *l = load_of(user, &tag);
  (void)src;
  (void)bytes;
  kinds[l->options->kind].received(l, l->rank_of[host], tag, value);
}

static void sent(void *user, uint32_t host, uint32_t dst, uint32_t tag, uint64_t bytes, uint64_t start_ps) {
  struct workload *l = load_of(user, &tag);
  (void)dst;
  (void)start_ps;
  if (kinds[l->options->kind].sent != NULL) kinds[l->options->kind].sent(l, l->rank_of[host], tag, bytes);
}

static void wake(void *user, uint32_t host) {
  struct workload *l = user;
  if (load_flows(l->options->kind))
    flows_begin(l, l->rank_of[host]);
  else
    load_prepared(l, l->rank_of[host]);
}

struct nic_user load_user(struct workload loads[2]) {
  return (struct nic_user){.user = loads, .received = received, .sent = sent, .wake = wake};
}

void load_begin(struct workload *l, struct world *world, struct fabric_nic *nics) {
  l->world = world;
  l->nics = nics;
  // A second load sends without clearance: one given to it would never be used, and its channel never free again.
  for (size_t f = 0; f < l->flow_count && l->tag_base == 0; f++) {
    struct fabric_nic *nic = &nics[l->host_of[l->flows[f].dst]];
    if (world_owns(world, nic->part)) nic_expect(nic, l->host_of[l->flows[f].src], l->flows[f].left);
  }
  for (uint32_t a = 0; a < l->actors && !l->elsewhere; a++)
    if (world_owns(world, nics[l->host_of[a]].part)) kinds[l->options->kind].begin(l, a);
}

uint64_t load_open(const struct workload *l) {
  uint64_t open = 0;
  for (size_t f = 0; f < l->flow_count; f++)
    open += l->flows[f].done_ps == 0 && world_owns(l->world, l->nics[l->host_of[l->flows[f].dst]].part);
  for (uint32_t r = 0; l->options != NULL && !load_flows(l->options->kind) && r < l->ranks; r++)
    open += l->rank[r].done_ps == 0 && world_owns(l->world, l->nics[l->host_of[r]].part);
  return open;
}
