// All-reduce in the network, inside hosts' connections: rank r writes its vector to rank r + 1, N messages ahead of the results that it has (NetReduce 3.2), and
// switches put the sum in place of what it wrote.
#include "sim/fabric/load/load.h"

#include <stdio.h>

// With several rings those of machines' first ranks, second ranks, .. (NetReduce 3.4); a tag tells both message and ring. What a rank
// contributes is prepared once: later messages wait for results only.
static void post(struct workload *l, uint32_t rank) {
  struct load_rank *r = &l->rank[rank];
  const uint32_t tag = r->posted * l->rings + rank % l->rings, to = (rank + l->rings) % l->ranks;
  (r->posted < l->options->window ? load_send : load_post)(l, rank, to, load_slice(l, r->posted), tag, r->value);
  r->posted++;
}

int netreduce_make(struct workload *l, char *error, size_t size) {
  (void)error;
  (void)size;
  l->chunk = l->options->bytes;
  l->slices = (l->chunk + l->options->message - 1) / l->options->message;
  l->rings = 1;
  for (uint32_t r = 0; r < l->ranks; r++) {
    l->rank[r].left = l->slices;
    l->rank[r].value = load_own(l, r);
  }
  return 0;
}

void netreduce_begin(struct workload *l, uint32_t rank) {
  while (l->rank[rank].posted < l->slices && l->rank[rank].posted < l->options->window) post(l, rank);
}

void netreduce_next(struct workload *l, uint32_t rank) {
  if (l->rank[rank].posted < l->slices) post(l, rank);
}

void netreduce_received(struct workload *l, uint32_t rank, uint32_t tag, uint64_t value) {
  load_take(l, rank, value, l->total);
  (void)tag;
  netreduce_next(l, rank);
}

// Whether the switches between a leaf and the root are all there: the way that a leaf's uplinks begin with the first switch above.
static uint32_t above(const struct net *n, uint32_t s, uint32_t *port) {
  const uint32_t end = n->hosts + s;
  for (uint32_t p = 0; p < n->port_count[end]; p++) {
    const struct net_cable *c = &n->cables[n->at[end][p]];
    const uint32_t other = c->ends[c->ends[0] == end];
    *port = p;
    if (other >= n->hosts && n->tiers[other - n->hosts] > n->tiers[s]) return other - n->hosts;
  }
  return NET_NOWHERE;
}

// Ranks below a switch, over the tree of first switches above.
static uint32_t below(const struct workload *l, uint32_t number) {
  uint32_t count = 0, port;
  for (uint32_t r = 0; r < l->ranks; r++) {
    uint32_t s = l->net->leaf[l->host_of[r]];
    while (s != NET_NOWHERE && s != number) s = above(l->net, s, &port);
    count += s == number;
  }
  return count;
}

struct reducer *load_reducer(const struct workload *l, const struct nic_options *nic, uint32_t number) {
  const struct net *n = l->net;
  const bool machines = l->options->kind == LOAD_PARALLEL_NETREDUCE;
  const uint32_t end = n->hosts + number, inside = machines || l->options->kind == LOAD_NETREDUCE ? below(l, number) : 0;
  const bool lowest = n->tiers[number] == 1;
  // With machines it is the switch above them that sums, and what it sums is what ranks send.
  if (inside == 0 || (machines && lowest)) return NULL;
  uint32_t up, ignored;
  const uint32_t parent = above(n, number, &up);
  // The lowest switch that all ranks are below is the root; those above it have nothing to do.
  const bool root = inside == l->ranks || parent == NET_NOWHERE;
  uint32_t children = 0;
  const uint32_t packets = (uint32_t)((l->options->message + nic->mtu - 1) / nic->mtu);
  struct reducer *r = reducer_new(machines || lowest, root ? UINT32_MAX : up, packets, l->options->window, l->rings);
  for (uint32_t p = 0; p < n->port_count[end] && p < REDUCER_PORTS; p++) {
    const struct net_cable *c = &n->cables[n->at[end][p]];
    const uint32_t other = c->ends[c->ends[0] == end];
    const bool rank = other < n->hosts && l->rank_of[other] < l->ranks;
    const bool leaf = other >= n->hosts && above(n, other - n->hosts, &ignored) == number && below(l, other - n->hosts) > 0;
    if (!rank && !leaf) continue;
    reducer_child(r, p);
    children++;
  }
  // A switch above the root sees one child that has all ranks.
  if (root && inside == l->ranks && children == 1 && n->tiers[number] > 1) {
    reducer_free(r);
    return NULL;
  }
  return r;
}
