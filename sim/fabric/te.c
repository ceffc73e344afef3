#include "sim/fabric/fabric_run.h"

#include <stdlib.h>

#include "base/memory.h"

// A connection, and what it will carry.
struct demand {
  uint32_t src, dst, qp;   // hosts; which of their connections
  uint64_t bytes;
};

struct demands {
  struct demand *list;
  size_t count, room;
};

static void put(struct demands *d, const struct workload *l, uint32_t src, uint32_t dst, uint64_t bytes, uint32_t qps) {
  for (uint32_t q = 0; q < qps; q++) {
    d->list = need_room(d->list, &d->room, d->count + 1, sizeof *d->list);
    d->list[d->count++] = (struct demand){l->host_of[src], l->host_of[dst], q, bytes / qps};
  }
}

static int compare(const void *a, const void *b) {
  const struct demand *x = a, *y = b;
  if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
  if (x->src != y->src) return x->src < y->src ? -1 : 1;
  if (x->dst != y->dst) return x->dst < y->dst ? -1 : 1;
  return x->qp < y->qp ? -1 : x->qp > y->qp;
}

// Of rings and trees each rank's neighbours carry the same.
static void ask(struct demands *d, const struct workload *l, uint32_t qps) {
  if (load_flows(l->options->kind)) {
    for (size_t f = 0; f < l->flow_count; f++) put(d, l, l->flows[f].src, l->flows[f].dst, l->flows[f].bytes, qps);
  } else if (l->options->kind == LOAD_ALL_REDUCE_TREE) {
    for (uint32_t r = 1; r < l->ranks; r++) {
      put(d, l, r, (r - 1) / 2, l->options->bytes, qps);
      put(d, l, (r - 1) / 2, r, l->options->bytes, qps);
    }
  } else if (l->options->kind == LOAD_RABENSEIFNER) {
    for (uint32_t r = 0; r < l->ranks; r++)
      for (uint32_t bit = 1; bit < l->ranks; bit <<= 1) put(d, l, r, r ^ bit, l->options->bytes * bit / l->ranks, qps);
  } else {
    for (uint32_t r = 0; r < l->ranks; r++) put(d, l, r, (r + 1) % l->ranks, l->options->bytes, qps);
  }
  qsort(d->list, d->count, sizeof *d->list, compare);
}

// Bytes on the fullest of the cables that a flow would take from switch `s` by `port`: this one, and the next one if it is the only way.
static uint64_t fullest(const struct net *n, const struct routes *r, uint64_t *const *bytes, uint32_t s, uint32_t port,
                        uint32_t leaf, uint64_t **second) {
  const struct net_cable *c = &n->cables[n->at[n->hosts + s][port]];
  const uint32_t next = c->ends[c->ends[0] == n->hosts + s] - n->hosts;
  const uint32_t *group = &r->ports[r->groups[(size_t)next * r->leaves + leaf]];
  const uint64_t first = bytes[s][port];
  *second = group[0] == 1 ? &bytes[next][group[1]] : NULL;
  return *second != NULL && **second > first ? **second : first;
}

void te_place(const struct workload *l, const struct nic_options *nic, const struct net *n, const struct routes *r,
              struct fabric_switch *switches) {
  struct demands d = {0};
  ask(&d, l, nic->qps);
  uint64_t **bytes = need(calloc(n->switches, sizeof *bytes));
  for (uint32_t s = 0; s < n->switches; s++) bytes[s] = need(calloc(n->port_count[n->hosts + s] + 1, sizeof **bytes));
  for (size_t i = 0; i < d.count; i++) {
    const uint32_t s = n->leaf[d.list[i].src], leaf = n->leaf[d.list[i].dst];
    const uint32_t *group = &r->ports[r->groups[(size_t)s * r->leaves + leaf]];
    if (s == leaf || group[0] == 0) continue;
    uint32_t best = group[1];
    uint64_t *second, least = UINT64_MAX;
    for (uint32_t g = 1; g <= group[0]; g++) {
      const uint64_t full = fullest(n, r, bytes, s, group[g], leaf, &second);
      if (full >= least) continue;
      least = full;
      best = group[g];
    }
    fullest(n, r, bytes, s, best, leaf, &second);
    bytes[s][best] += d.list[i].bytes;
    if (second != NULL) *second += d.list[i].bytes;
    switch_override(&switches[s], nic_flow(nic, d.list[i].src, d.list[i].dst, d.list[i].qp), best);
  }
  for (uint32_t s = 0; s < n->switches; s++) free(bytes[s]);
  free(bytes);
  free(d.list);
}
