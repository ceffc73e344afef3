#include "sim/fabric/fabric_totals.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

static int compare(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

struct fabric_times fabric_times(const struct fabric_result *r) {
  uint64_t *sorted = need(malloc((r->time_count + 1) * sizeof *sorted));
  struct fabric_times t = {0};
  for (size_t i = 0; i < r->time_count; i++)
    if (r->times[i] > 0) {
      sorted[t.count++] = r->times[i];
      t.mean += (double)r->times[i];
    }
  qsort(sorted, t.count, sizeof *sorted, compare);
  if (t.count > 0) {
    t.least = sorted[0];
    t.half = sorted[(t.count - 1) / 2];
    t.p99 = sorted[(99 * t.count + 99) / 100 - 1];
    t.most = sorted[t.count - 1];
    t.mean /= (double)t.count;
  }
  free(sorted);
  return t;
}

static unsigned tier(const struct net *n, uint32_t end) { return end < n->hosts ? 0 : n->tiers[end - n->hosts]; }

void fabric_ways(const struct fabric_options *o, const struct fabric_result *r, struct fabric_way ways[WAYS]) {
  const struct net *n = &o->net;
  static const char *const names[WAYS] = {"host to leaf", "leaf to host", "upwards", "downwards"};
  static const char *const keys[WAYS] = {"host_up", "host_down", "up", "down"};
  uint64_t fullest[WAYS] = {0}, emptiest[WAYS] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
  for (unsigned w = 0; w < WAYS; w++) ways[w] = (struct fabric_way){.name = names[w], .key = keys[w]};
  for (size_t c = 0; c < n->cable_count; c++)
    for (unsigned from = 0; from < 2; from++) {
      const struct net_cable *cable = &n->cables[c];
      const uint32_t a = cable->ends[from], b = cable->ends[1 - from];
      const struct port_counts *p = &r->ports[r->first_port[a] + cable->ports[from]];
      const unsigned way = a < n->hosts              ? WAY_HOST_UP
                           : b < n->hosts            ? WAY_HOST_DOWN
                           : tier(n, a) < tier(n, b) ? WAY_UP
                                                     : WAY_DOWN;
      struct fabric_way *w = &ways[way];
      w->cables++;
      w->packets += p->packets;
      w->bytes += p->bytes;
      w->marked += p->marked;
      w->paused_ps += p->paused_ps;
      w->pauses += r->ports[r->first_port[b] + cable->ports[1 - from]].pauses;
      if (p->deepest > w->deepest) w->deepest = p->deepest;
      if (p->bytes > fullest[way]) fullest[way] = p->bytes;
      if (p->bytes < emptiest[way]) emptiest[way] = p->bytes;
    }
  for (unsigned w = 0; w < WAYS; w++)
    if (ways[w].bytes > 0) {
      const double mean = (double)ways[w].bytes / (double)ways[w].cables;
      ways[w].fullest = (double)fullest[w] / mean;
      ways[w].emptiest = (double)emptiest[w] / mean;
    }
}

double fabric_max_mean(const struct fabric_options *o, const struct fabric_result *r) {
  const struct net *n = &o->net;
  double sum = 0;
  unsigned leaves = 0;
  for (uint32_t e = n->hosts; e < n->hosts + n->switches; e++) {
    uint64_t all = 0, most = 0;
    unsigned ports = 0;
    for (uint32_t p = 0; p < n->port_count[e] && tier(n, e) == 1; p++) {
      const struct net_cable *c = &n->cables[n->at[e][p]];
      if (tier(n, c->ends[c->ends[0] == e]) < 2) continue;
      const uint64_t bytes = r->ports[r->first_port[e] + p].bytes;
      all += bytes;
      if (bytes > most) most = bytes;
      ports++;
    }
    if (all == 0) continue;
    sum += (double)most * ports / (double)all;
    leaves++;
  }
  return leaves > 0 ? sum / leaves : 0;
}

uint64_t fabric_deepest(const struct fabric_options *o, const struct fabric_result *r, bool leaf) {
  uint64_t most = 0;
  for (uint32_t s = 0; s < o->net.switches; s++)
    if ((o->net.tiers[s] == 1) == leaf && r->deepest[s] > most) most = r->deepest[s];
  return most;
}

double fabric_goodput(const struct fabric_options *o, const struct fabric_result *r) {
  const uint32_t ranks = o->run.load.ranks > 0 ? o->run.load.ranks : o->net.hosts - o->net.nodes;
  const double receivers = o->run.load.kind == LOAD_INCAST ? 1 : ranks;
  return r->done_ps > 0 ? 8e3 * (double)r->rank_bytes / (double)r->done_ps / receivers : 0;
}

double fabric_share(const struct fabric_result *r, uint64_t ps, uint64_t cables) {
  const uint64_t time = r->open > 0 ? r->time_ps : r->done_ps;
  return time > 0 && cables > 0 ? (double)ps / ((double)time * (double)cables) : 0;
}

uint64_t fabric_watchdogs(const struct fabric_options *o, const struct fabric_result *r) {
  uint64_t sum = 0;
  for (uint32_t p = 0; p < r->first_port[o->net.hosts + o->net.switches]; p++) sum += r->ports[p].watchdogs;
  return sum;
}

uint64_t fabric_busiest(const struct fabric_options *o, const struct fabric_result *r) {
  const struct net *n = &o->net;
  uint64_t most = 0;
  for (size_t c = 0; c < n->cable_count; c++)
    for (unsigned from = 0; from < 2; from++) {
      const struct net_cable *cable = &n->cables[c];
      const uint64_t bytes = r->ports[r->first_port[cable->ends[from]] + cable->ports[from]].bytes;
      const bool node = cable->ends[0] < n->hosts && cable->ends[0] >= n->hosts - n->nodes;
      if (!node && bytes > most) most = bytes;
    }
  return most;
}

double fabric_cts_delay(const struct fabric_result *r, double share) {
  const uint64_t *delay = r->hosts.cts_delay;
  uint64_t all = 0, sum = 0;
  for (unsigned b = 0; b < NIC_DELAYS; b++) all += delay[b];
  for (unsigned b = 0; b < NIC_DELAYS && all > 0; b++) {
    sum += delay[b];
    if ((double)sum >= share * (double)all) return exp2(b / 4.0) / 1e3;
  }
  return 0;
}
