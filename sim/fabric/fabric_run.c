#include "sim/fabric/fabric_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "sim/engine/world/ranks.h"
#include "sim/fabric/device/device.h"
#include "sim/fabric/device/uplink.h"

struct fabric_run {
  const struct fabric_run_options *options;
  struct world *world;
  struct routes routes, later;
  struct fabric_switch *switches;
  struct fabric_nic *nics;
  struct workload loads[2];   // the second one beside it, if there is one
  struct fabric_result result;
  bool over;
};

enum { EVENTS_A_STEP = 200000 };

// --- building ---

// Neighbouring racks go to one process, so that most cables stay within it.
static unsigned process_of(const struct fabric_run_options *o, uint32_t end) {
  const struct net *n = o->net;
  const unsigned processes = ranks_count();
  const uint32_t leaf = end < n->hosts ? n->leaf[end] : end - n->hosts;
  if (o->partition == PARTITION_SCATTER) {
    struct rng rng = rng_for(o->seed, end);
    return rng_below(&rng, processes);
  }
  if (n->tiers[leaf] > 1) return leaf % processes;
  uint32_t leaves = 0, before = 0;
  for (uint32_t s = 0; s < n->switches; s++) {
    leaves += n->tiers[s] == 1;
    before += n->tiers[s] == 1 && s < leaf;
  }
  return (unsigned)((uint64_t)before * processes / leaves);
}

static uint32_t ps_per_kib(double gbps) { return (uint32_t)(1024 * 8e3 / gbps / 1 + 0.5); }

// Between XOFF and silence: what is on the cable both ways, the frame that has begun at each end, the pipeline.
static uint32_t headroom(const struct fabric_run_options *o, const struct net_cable *c) {
  const double bytes = 2 * (double)(c->delay_ps + o->latency_ps) * c->gbps / 8e3;
  return (uint32_t)bytes + 3 * (o->nic.mtu + PACKET_OVERHEAD + PACKET_RETH) + 2 * PACKET_PAUSE_WIRE;
}

static void make_parts(struct fabric_run *r) {
  const struct fabric_run_options *o = r->options;
  const struct net *n = o->net;
  unsigned *process = need(malloc((n->hosts + n->switches) * sizeof *process));
  const struct nic_user user = load_user(r->loads);
  for (uint32_t e = 0; e < n->hosts + n->switches; e++) process[e] = process_of(o, e);
  for (uint32_t h = 0; h < n->hosts; h++) {
    nic_make(&r->nics[h], r->world, h, &o->nic, &user);
    r->nics[h].part = world_part(r->world, &nic_acts, &r->nics[h], NIC_TIMERS, process[h]);
  }
  for (uint32_t s = 0; s < n->switches; s++) {
    const unsigned tier = n->tiers[s] < FABRIC_TIERS ? n->tiers[s] - 1u : FABRIC_TIERS - 1u;
    struct fabric_switch *sw = &r->switches[s];
    switch_make(sw, r->world, n, s, &o->tiers[tier], o->seed);
    if (o->one_seed) sw->seed = 0;
    sw->routes = &r->routes;
    sw->reducer = load_reducer(&r->loads[0], &o->nic, s);
    if (o->cut_count > 0) {
      sw->later = &r->later;
      sw->later_ps = o->cut_ps + o->converge_ps;
    }
    sw->part = world_part(r->world, &switch_acts, sw, switch_timers(sw->ports), process[n->hosts + s]);
  }
  free(process);
}

static struct fabric_port *port_of(struct fabric_run *r, uint32_t end, uint32_t port) {
  const uint32_t hosts = r->options->net->hosts;
  return end < hosts ? &r->nics[end].port : &r->switches[end - hosts].port[port];
}
static uint32_t part_of(const struct fabric_run *r, uint32_t end) {
  const uint32_t hosts = r->options->net->hosts;
  return end < hosts ? r->nics[end].part : r->switches[end - hosts].part;
}

static void make_cables(struct fabric_run *r) {
  const struct fabric_run_options *o = r->options;
  const struct net *n = o->net;
  for (size_t c = 0; c < n->cable_count; c++) {
    const struct net_cable *cable = &n->cables[c];
    for (unsigned from = 0; from < 2; from++) {
      const uint32_t a = cable->ends[from], b = cable->ends[1 - from];
      struct fabric_port *port = port_of(r, a, cable->ports[from]);
      const uint64_t delay = cable->delay_ps + (a < n->hosts ? 0 : o->latency_ps);
      port->ps_per_kib = ps_per_kib(cable->gbps);
      if (o->lines && world_owns(r->world, part_of(r, a))) port->line = port_line_new();
      port->loss = o->loss;
      port->headroom = headroom(o, cable);
      if (a >= n->hosts) r->switches[a - n->hosts].reserved += port->headroom;
      port->rng = rng_for(o->seed, 2 * c + from);
      port->cable = world_cable(r->world, part_of(r, a), part_of(r, b), b < n->hosts ? 0 : cable->ports[1 - from], delay);
    }
  }
}

static void make_taps(struct fabric_run *r) {
  const struct fabric_run_options *o = r->options;
  for (size_t i = 0; i < o->tap_count && o->writer != NULL; i++)
    for (unsigned from = 0; from < 2; from++) {
      const struct net_cable *c = &o->net->cables[o->taps[i]];
      port_of(r, c->ends[from], c->ports[from])->tap = (struct tap){o->writer, (unsigned)(2 * i + from)};
    }
}

static void make_faults(struct fabric_run *r) {
  const struct fabric_run_options *o = r->options;
  const struct net *n = o->net;
  bool *cut = need(calloc(n->cable_count, sizeof *cut));
  for (size_t i = 0; i < o->cut_count; i++) {
    const struct net_cable *c = &n->cables[o->cuts[i]];
    cut[o->cuts[i]] = true;
    for (unsigned end = 0; end < 2; end++)
      if (c->ends[end] >= n->hosts && world_owns(r->world, part_of(r, c->ends[end])))
        switch_cut(&r->switches[c->ends[end] - n->hosts], c->ports[end], o->cut_ps);
  }
  routes_make(&r->routes, n, NULL);
  if (o->cut_count > 0) routes_make(&r->later, n, cut);
  free(cut);
  if (o->dead_host != NET_NOWHERE) r->nics[o->dead_host].dead_ps = o->dead_ps + 1;
  if (o->off_switch != NET_NOWHERE && world_owns(r->world, r->switches[o->off_switch].part))
    switch_reboot(&r->switches[o->off_switch], o->off_from, o->off_to);
  if (o->storm_host != NET_NOWHERE) {
    struct fabric_nic *nic = &r->nics[o->storm_host];
    nic->storm_from = o->storm_from;
    nic->storm_to = o->storm_to;
    if (world_owns(r->world, nic->part)) world_wake(r->world, nic->part, NIC_STORM, o->storm_from);
  }
}

// Devices in the places of reducers; each process makes its own. One after the other: an RTL device that is not there yet is built by the first that wants it.
static bool make_uplinks(struct fabric_run *r, char *error, size_t size) {
  const struct fabric_run_options *o = r->options;
  bool good = true;
  for (unsigned process = 0; o->rtl_uplink != NULL && process < ranks_count(); process++) {
    for (uint32_t s = 0; s < o->net->switches && process == ranks_own(); s++)
      if (good && o->rtl_uplink[s] && world_owns(r->world, r->switches[s].part))
        good = fabric_uplink_new(&r->switches[s], o->seed + s, error, size) != NULL;
    ranks_least(0);
  }
  return ranks_least(good ? 1 : 0) == 1;
}

static bool make_devices(struct fabric_run *r, char *error, size_t size) {
  const struct fabric_run_options *o = r->options;
  bool good = true;
  if (!o->devices) return true;
  for (uint32_t s = 0; s < o->net->switches; s++) {
    if (!o->rtl[s] || r->switches[s].reducer != NULL) continue;
    snprintf(error, size, "--rtl: switch s%u sums nothing, so no device stands beside it", s);
    return false;
  }
  for (unsigned process = 0; process < ranks_count(); process++) {
    for (uint32_t s = 0; s < o->net->switches && process == ranks_own(); s++) {
      const struct fabric_device_place place = {&r->loads[0], &o->nic, r->switches, r->world, s, o->rtl[s], o->seed};
      if (good && r->switches[s].reducer != NULL && world_owns(r->world, r->switches[s].part))
        good = fabric_device_new(&place, error, size) != NULL;
    }
    ranks_least(0);
  }
  for (uint32_t s = 0; s < o->net->switches; s++) {
    reducer_free(r->switches[s].reducer);
    r->switches[s].reducer = NULL;
  }
  return ranks_least(good ? 1 : 0) == 1;
}

struct fabric_run *fabric_run_open(const struct fabric_run_options *o, char *error, size_t size) {
  struct fabric_run *r = need(calloc(1, sizeof *r));
  r->options = o;
  r->world = world_new();
  r->nics = need(calloc(o->net->hosts, sizeof *r->nics));
  r->switches = need(calloc(o->net->switches, sizeof *r->switches));
  bool good = load_make(&r->loads[0], &o->load, o->net, error, size) == 0;
  if (good && o->background.bytes > 0) good = load_make(&r->loads[1], &o->background, o->net, error, size) == 0;
  if (!good) {
    fabric_run_close(r);
    return NULL;
  }
  r->loads[1].tag_base = LOAD_BACKGROUND;
  make_parts(r);
  make_cables(r);
  if (!world_ready(r->world)) {
    snprintf(error, size, "more cables and ports than %u", WORLD_THINGS);
    fabric_run_close(r);
    return NULL;
  }
  if (!make_devices(r, error, size)) {
    fabric_run_close(r);
    return NULL;
  }
  make_taps(r);
  make_faults(r);
  if (!make_uplinks(r, error, size)) {
    fabric_run_close(r);
    return NULL;
  }
  if (o->tiers[0].routing == ROUTING_TE) te_place(&r->loads[0], &o->nic, o->net, &r->routes, r->switches);
  for (unsigned l = 0; l < 2; l++)
    if (r->loads[l].options != NULL) load_begin(&r->loads[l], r->world, r->nics);
  return r;
}

void fabric_run_close(struct fabric_run *r) {
  if (r == NULL) return;
  for (uint32_t h = 0; h < r->options->net->hosts; h++) nic_free(&r->nics[h]);
  for (uint32_t s = 0; s < r->options->net->switches; s++) switch_free(&r->switches[s]);
  free(r->nics);
  free(r->switches);
  for (unsigned l = 0; l < 2; l++) load_free(&r->loads[l]);
  routes_free(&r->routes);
  routes_free(&r->later);
  world_free(r->world);
  free(r->result.ports);
  free(r->result.first_port);
  free(r->result.lines);
  free(r->result.times);
  free(r->result.deepest);
  free(r);
}

// --- running ---

bool fabric_run_step(struct fabric_run *r) {
  if (r->over) return false;
  r->over = !world_run(r->world, r->options->limit_ps, EVENTS_A_STEP) || world_beyond(r->world);
  return !r->over;
}

uint64_t fabric_run_now(const struct fabric_run *r) { return world_now(r->world); }
uint64_t fabric_run_left(const struct fabric_run *r) { return load_open(&r->loads[0]) + load_open(&r->loads[1]); }

// --- what came of it ---

static void add_ports(struct fabric_run *r) {
  const struct net *n = r->options->net;
  struct fabric_result *s = &r->result;
  const uint32_t ends = n->hosts + n->switches;
  s->first_port = need(calloc(ends + 1, sizeof *s->first_port));
  for (uint32_t e = 0; e < ends; e++) s->first_port[e + 1] = s->first_port[e] + n->port_count[e];
  s->ports = need(calloc(s->first_port[ends], sizeof *s->ports));
  s->deepest = need(calloc(n->switches, sizeof *s->deepest));
  for (uint32_t e = 0; e < ends; e++) {
    if (!world_owns(r->world, part_of(r, e))) continue;
    if (e >= n->hosts) {
      struct fabric_switch *sw = &r->switches[e - n->hosts];
      switch_finish(sw);
      s->deepest[e - n->hosts] = sw->deepest;
      s->alarms += sw->alarms;
      s->flowlets += sw->flowlets_begun;
      s->absorbed += sw->absorbed;
      s->made += sw->made;
      if (sw->reducer != NULL) s->summed_again += sw->reducer->again;
    }
    for (uint32_t p = 0; p < n->port_count[e]; p++) s->ports[s->first_port[e] + p] = port_of(r, e, p)->counts;
  }
  ranks_sum((uint64_t *)s->ports, s->first_port[ends] * (sizeof *s->ports / sizeof(uint64_t)));
  ranks_sum(s->deepest, n->switches);
  for (uint32_t p = s->first_port[n->hosts]; p < s->first_port[ends]; p++) {
    s->dropped += s->ports[p].dropped;
    s->unreachable += s->ports[p].unreachable;
    s->watchdog_drops += s->ports[p].watchdog_drops;
  }
  for (uint32_t p = 0; p < s->first_port[ends]; p++) s->lost += s->ports[p].lost;
}

// All with steps as wide as the widest one has, on all processes.
static void add_lines(struct fabric_run *r) {
  const struct net *n = r->options->net;
  struct fabric_result *s = &r->result;
  const uint32_t ends = n->hosts + n->switches;
  uint64_t width = 0;
  if (!r->options->lines) return;
  s->lines = need(calloc(s->first_port[ends], sizeof *s->lines));
  for (uint32_t e = 0; e < ends; e++)
    for (uint32_t p = 0; p < n->port_count[e]; p++) {
      const struct port_line *l = port_of(r, e, p)->line;
      if (l != NULL && l->width > width) width = l->width;
    }
  ranks_most(&width, 1);
  for (uint32_t e = 0; e < ends; e++)
    for (uint32_t p = 0; p < n->port_count[e]; p++) {
      struct port_line *l = port_of(r, e, p)->line;
      if (l == NULL) continue;
      port_line_widen(l, width);
      s->lines[s->first_port[e] + p] = *l;
    }
  ranks_sum((uint64_t *)s->lines, s->first_port[ends] * (sizeof *s->lines / sizeof(uint64_t)));
}

static void add_devices(struct fabric_run *r) {
  struct fabric_result *s = &r->result;
  uint64_t sums[7] = {0}, most = 0;
  for (uint32_t n = 0; n < r->options->net->switches; n++) {
    char fault[200];
    if (r->switches[n].way.self != NULL) {
      const struct fabric_uplink_counts c = fabric_uplink_finish(r->switches[n].way.self, fault, sizeof fault);
      if (fault[0] != 0) findings_add(&s->findings, "the uplink device of s%u: %s", n, fault);
      sums[3] += c.cycles;
      sums[4] += fault[0] != 0;
      sums[5] += c.passed;
      sums[6] += c.dropped;
      if (c.most > most) most = c.most;
    }
    if (r->switches[n].device.self == NULL) continue;
    const struct fabric_device_counts c = fabric_device_finish(r->switches[n].device.self, fault, sizeof fault);
    if (fault[0] != 0) findings_add(&s->findings, "switch s%u: %s", n, fault);
    sums[0] += c.results;
    sums[1] += c.wrong;
    sums[2] += c.compared;
    sums[3] += c.cycles;
    sums[4] += fault[0] != 0;
    if (c.most > most) most = c.most;
  }
  ranks_sum(sums, sizeof sums / sizeof *sums);
  ranks_most(&most, 1);
  s->device_results = sums[0];
  s->device_compared = sums[2];
  s->device_cycles = sums[3];
  s->device_waited = most;
  s->uplink_frames = sums[5];
  s->uplink_dropped = sums[6];
  if (sums[1] > 0)
    findings_add(&s->findings, "%llu packets that devices wrote to ranks are not sums", (unsigned long long)sums[1]);
  if (sums[4] > 0 && s->findings.count == 0) findings_add(&s->findings, "a device of another process is not as its model");
}

// What is held in the network until a sum is whole: room for all slots of a reducer, which are as many as its window asks for; slices that a node did hold.
static void add_state(struct fabric_run *r) {
  const struct fabric_run_options *o = r->options;
  struct fabric_result *s = &r->result;
  for (uint32_t n = 0; n < o->net->switches; n++) {
    const struct reducer *d = r->switches[n].reducer;
    const uint64_t bytes = d == NULL ? 0 : (uint64_t)d->slots * d->packets * d->children * o->nic.mtu;
    if (bytes > s->state) s->state = bytes;
  }
  const struct workload *l = &r->loads[0];
  for (uint32_t a = l->ranks; a < l->actors; a++) {
    const uint64_t bytes = l->rank[a].most_held * l->child_count[a] * o->load.message;
    if (bytes > s->state) s->state = bytes;
  }
  ranks_most(&s->state, 1);
}

static void add_times(struct fabric_run *r) {
  struct fabric_result *s = &r->result;
  const struct workload *l = &r->loads[0];
  const bool flows = load_flows(l->options->kind);
  s->time_count = flows ? l->flow_count : l->ranks;
  s->times = need(calloc(s->time_count + 1, sizeof *s->times));
  for (size_t i = 0; i < s->time_count; i++) {
    const uint64_t done = flows ? l->flows[i].done_ps : l->rank[i].done_ps, start = flows ? l->flows[i].start_ps : 0;
    if (done > s->done_ps) s->done_ps = done;
    if (done > 0) s->times[i] = done - start;
  }
  ranks_sum(s->times, s->time_count);
}

static void add_hosts(struct fabric_run *r) {
  uint64_t *sum = (uint64_t *)&r->result.hosts;
  uint64_t most = 0;
  for (uint32_t h = 0; h < r->options->net->hosts; h++) {
    if (!world_owns(r->world, r->nics[h].part)) continue;
    const uint64_t *own = (const uint64_t *)&r->nics[h].counts;
    for (size_t i = 0; i < sizeof(struct nic_counts) / sizeof *own; i++) sum[i] += own[i];
    if (h < r->options->net->hosts - r->options->net->nodes) r->result.rank_bytes += r->nics[h].counts.bytes;
    if (r->nics[h].counts.cts_wait_most_ps > most) most = r->nics[h].counts.cts_wait_most_ps;
  }
  ranks_sum(sum, sizeof(struct nic_counts) / sizeof *sum);
  ranks_sum(&r->result.rank_bytes, 1);
  ranks_most(&most, 1);
  r->result.hosts.cts_wait_most_ps = most;
}

// Each packet that a host sent has come to one, or was dropped by a switch that counted it.
static void check_packets(struct fabric_run *r) {
  struct fabric_result *s = &r->result;
  const struct net *n = r->options->net;
  uint64_t sent = 0;
  for (uint32_t p = 0; p < s->first_port[n->hosts]; p++) sent += s->ports[p].packets;
  sent += s->made;
  const uint64_t fates = s->hosts.came + s->absorbed + s->dropped + s->unreachable + s->watchdog_drops + s->lost;
  if (!world_beyond(r->world) && sent != fates)
    findings_add(&s->findings, "hosts and switches sent %llu packets, and %llu came or were dropped", (unsigned long long)sent,
                 (unsigned long long)fates);
}

// Cables that were stopped for longer than a watchdog waits, and that could wait for each other in a circle: a deadlock of flow control.
static void find_deadlock(struct fabric_run *r) {
  const struct net *n = r->options->net;
  struct fabric_result *s = &r->result;
  bool *stopped = need(calloc(2 * n->cable_count, sizeof *stopped));
  for (size_t c = 0; c < n->cable_count; c++)
    for (unsigned end = 0; end < 2; end++)
      stopped[2 * c + end] = s->ports[s->first_port[n->cables[c].ends[end]] + n->cables[c].ports[end]].watchdogs > 0;
  s->circle_count = routes_circle(&r->routes, n, stopped, s->circle, FABRIC_CIRCLE);
  free(stopped);
}

const struct fabric_result *fabric_run_finish(struct fabric_run *r) {
  struct fabric_result *s = &r->result;
  s->time_ps = world_now(r->world);
  uint64_t sums[] = {world_events(r->world), world_hash(r->world), fabric_run_left(r), r->loads[0].wrong + r->loads[1].wrong};
  ranks_sum(sums, sizeof sums / sizeof *sums);
  s->events = sums[0];
  s->hash = sums[1];
  s->open = sums[2];
  s->wrong = sums[3];
  s->turns = world_turns(r->world);
  add_devices(r);
  add_ports(r);
  add_lines(r);
  add_state(r);
  add_times(r);
  add_hosts(r);
  uint64_t most[] = {s->time_ps, s->done_ps};
  ranks_most(most, 2);
  s->time_ps = most[0];
  s->done_ps = most[1];
  uint64_t counts[] = {s->alarms, s->flowlets, s->absorbed, s->made, s->summed_again};
  ranks_sum(counts, sizeof counts / sizeof *counts);
  s->alarms = counts[0];
  s->flowlets = counts[1];
  s->absorbed = counts[2];
  s->made = counts[3];
  s->summed_again = counts[4];
  check_packets(r);
  find_deadlock(r);
  if (s->wrong > 0) findings_add(&s->findings, "%llu results are not what they must be", (unsigned long long)s->wrong);
  return s;
}
