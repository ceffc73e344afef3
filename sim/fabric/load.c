#include "sim/fabric/load.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/rng.h"

void load_free(struct workload *l) {
  for (uint32_t r = 0; l->rank != NULL && r < l->ranks; r++) {
    free(l->rank[r].sums);
    free(l->rank[r].counts);
  }
  free(l->rank);
  free(l->host_of);
  free(l->rank_of);
  free(l->flows);
  free(l->first_flow);
  free(l->next_flow);
  *l = (struct workload){0};
}

// Hosts in the order of ranks; how many there are.
static uint32_t place(const struct load_options *o, const struct net *n, uint32_t *hosts) {
  uint32_t count = 0, deepest = 0;
  uint32_t *below = need(calloc(n->switches, sizeof *below));
  for (uint32_t h = 0; h < n->hosts; h++) {
    below[n->leaf[h]]++;
    if (n->slice[h] > deepest) deepest = n->slice[h];
  }
  if (o->placement == PLACEMENT_SPREAD) {
    for (uint32_t slice = 0; slice <= deepest; slice++)
      for (uint32_t h = 0; h < n->hosts; h++)
        if (n->slice[h] == slice) hosts[count++] = h;
  } else {
    for (uint32_t h = 0; h < n->hosts; h++)
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
    l->ranks = 0;
    return -1;
  }
  for (uint32_t h = 0; h < net->hosts; h++) l->rank_of[h] = NET_NOWHERE;
  for (uint32_t r = 0; r < l->ranks; r++) l->rank_of[l->host_of[r]] = r;
  l->rank = need(calloc(l->ranks, sizeof *l->rank));
  for (uint32_t r = 0; r < l->ranks; r++) l->total += load_own(l, r);
  return load_flows(o->kind) ? flows_make(l, error, size) : collective_make(l, error, size);
}

uint64_t load_own(const struct workload *l, uint32_t rank) {
  struct rng rng = rng_for(l->options->seed, UINT64_C(0xC0117) << 32 | rank);
  return rng_next(&rng);
}

void load_send(struct workload *l, uint32_t from, uint32_t to, uint64_t bytes, uint32_t tag, uint64_t value) {
  nic_post(&l->nics[l->host_of[from]], l->host_of[to], bytes, tag, value);
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

static void received(void *user, uint32_t host, uint32_t src, uint32_t tag, uint64_t value, uint64_t bytes) {
  struct workload *l = user;
  (void)src;
  (void)bytes;
  if (load_flows(l->options->kind))
    flows_received(l, l->rank_of[host], tag, value);
  else
    collective_received(l, l->rank_of[host], tag, value);
}

static void wake(void *user, uint32_t host) {
  struct workload *l = user;
  flows_begin(l, l->rank_of[host]);
}

struct nic_user load_user(struct workload *l) {
  return (struct nic_user){.user = l, .received = received, .wake = wake};
}

void load_begin(struct workload *l, struct world *world, struct fabric_nic *nics) {
  l->world = world;
  l->nics = nics;
  for (size_t f = 0; f < l->flow_count; f++) {
    struct fabric_nic *nic = &nics[l->host_of[l->flows[f].dst]];
    if (world_owns(world, nic->part)) nic_expect(nic, l->host_of[l->flows[f].src], l->flows[f].left);
  }
  for (uint32_t r = 0; r < l->ranks; r++) {
    if (!world_owns(world, nics[l->host_of[r]].part)) continue;
    if (load_flows(l->options->kind))
      flows_begin(l, r);
    else
      collective_begin(l, r);
  }
}

uint64_t load_open(const struct workload *l) {
  uint64_t open = 0;
  for (size_t f = 0; f < l->flow_count; f++)
    open += l->flows[f].done_ps == 0 && world_owns(l->world, l->nics[l->host_of[l->flows[f].dst]].part);
  for (uint32_t r = 0; !load_flows(l->options->kind) && r < l->ranks; r++)
    open += l->rank[r].done_ps == 0 && world_owns(l->world, l->nics[l->host_of[r]].part);
  return open;
}
