// What came of a run: each process adds up its own parts, then all of them add up, and what must not be is found.
#include <stdlib.h>

#include "base/memory.h"
#include "sim/engine/world/ranks.h"
#include "sim/fabric/device/device.h"
#include "sim/fabric/device/uplink.h"
#include "sim/fabric/fabric_parts.h"

static void add_ports(struct fabric_run *r) {
  const struct net *n = r->options->net;
  struct fabric_result *s = &r->result;
  const uint32_t ends = n->hosts + n->switches;
  s->first_port = need(calloc(ends + 1, sizeof *s->first_port));
  for (uint32_t e = 0; e < ends; e++) s->first_port[e + 1] = s->first_port[e] + n->port_count[e];
  s->ports = need(calloc(s->first_port[ends], sizeof *s->ports));
  s->deepest = need(calloc(n->switches, sizeof *s->deepest));
  for (uint32_t e = 0; e < ends; e++) {
    if (!world_owns(r->world, fabric_part_of(r, e))) continue;
    if (e >= n->hosts) {
      struct fabric_switch *sw = &r->switches[e - n->hosts];
      s->deepest[e - n->hosts] = sw->deepest;
      s->alarms += sw->alarms;
      s->flowlets += sw->flowlets_begun;
      s->absorbed += sw->absorbed;
      s->made += sw->made;
      s->made_waited += sw->waited;
      if (sw->reducer != NULL) s->summed_again += sw->reducer->again;
    }
    for (uint32_t p = 0; p < n->port_count[e]; p++) {
      struct fabric_port *port = fabric_port_of(r, e, p);
      port_finish(port, s->time_ps);
      s->ports[s->first_port[e] + p] = port->counts;
    }
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
      const struct port_line *l = fabric_port_of(r, e, p)->line;
      if (l != NULL && l->width > width) width = l->width;
    }
  ranks_most(&width, 1);
  for (uint32_t e = 0; e < ends; e++)
    for (uint32_t p = 0; p < n->port_count[e]; p++) {
      struct port_line *l = fabric_port_of(r, e, p)->line;
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
    if (r->switches[n].device.self == NULL || r->gather != NULL) continue;   // see add_gather
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

// Of a run that its time has ended nothing can be said yet.
static void add_gather(struct fabric_run *r) {
  struct fabric_result *s = &r->result;
  if (r->gather == NULL || world_beyond(r->world)) return;
  const size_t before = s->findings.count;
  const struct fabric_gather_counts c = fabric_gather_finish(r->gather, &s->findings);
  uint64_t sums[] = {c.wanted, c.results, c.packets, c.hits, c.cycles, c.compared, s->findings.count - before};
  ranks_sum(sums, sizeof sums / sizeof *sums);
  s->gather_wanted = sums[0];
  s->result_bytes = sums[1];
  s->rank_bytes += sums[1];
  s->gather_packets = sums[2];
  s->gather_hits = sums[3];
  s->device_cycles += sums[4];
  s->device_compared += sums[5];
  if (sums[6] > 0 && s->findings.count == before) findings_add(&s->findings, "another process found a device that is not right");
}

static void add_nodes(struct fabric_run *r) {
  struct fabric_result *s = &r->result;
  if (r->nodes == NULL || world_beyond(r->world)) return;
  const struct fabric_nodes_counts c = fabric_nodes_finish(r->nodes, &s->findings);
  s->hosts.again += c.again;
  s->hosts.timeouts += c.timeouts;
  s->device_compared += c.compared;
  s->device_cycles += c.cycles;
  s->result_bytes = c.results;
  s->rank_bytes += c.results;
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
  ranks_most(&s->time_ps, 1);
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
  add_nodes(r);
  add_gather(r);
  ranks_most(&s->done_ps, 1);
  uint64_t counts[] = {s->alarms, s->flowlets, s->absorbed, s->made, s->summed_again, s->made_waited};
  ranks_sum(counts, sizeof counts / sizeof *counts);
  s->alarms = counts[0];
  s->flowlets = counts[1];
  s->absorbed = counts[2];
  s->made = counts[3];
  s->summed_again = counts[4];
  s->made_waited = counts[5];
  check_packets(r);
  find_deadlock(r);
  if (s->wrong > 0) findings_add(&s->findings, "%llu results are not what they must be", (unsigned long long)s->wrong);
  return s;
}
