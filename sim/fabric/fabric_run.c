#include "sim/fabric/fabric_run.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/rng.h"
#include "sim/engine/world/ranks.h"
#include "sim/fabric/device/device.h"
#include "sim/fabric/device/uplink.h"
#include "sim/fabric/fabric_parts.h"

enum { EVENTS_A_STEP = 200000, DEVICE_CABLE_PS = 4000 };

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

static uint32_t ps_per_kib(double gbps) { return (uint32_t)(1024 * 8e3 / gbps + 0.5); }

// Between XOFF and silence: what is on the cable both ways, the frame that has begun at each end, the pipeline.
static uint32_t headroom(const struct fabric_run_options *o, const struct net_cable *c) {
  const double bytes = 2 * (double)(c->delay_ps + o->latency_ps) * c->gbps / 8e3;
  return (uint32_t)bytes + 3 * (o->nic.mtu + PACKET_OVERHEAD + PACKET_RETH) + 2 * PACKET_PAUSE_WIRE;
}

static bool with_nodes(const struct fabric_run_options *o) { return o->devices && o->load.kind == LOAD_NODES; }

static bool with_gather(const struct fabric_run_options *o) { return o->load.kind == LOAD_GATHER; }
static uint32_t tenants_timers(const struct fabric_run_options *o) {
  return with_nodes(o) ? NODES_TIMERS : with_gather(o) ? GATHER_TIMERS : 0;
}

static void make_parts(struct fabric_run *r) {
  const struct fabric_run_options *o = r->options;
  const struct net *n = o->net;
  unsigned *process = need(malloc((n->hosts + n->switches) * sizeof *process));
  const struct nic_user user = load_user(r->loads);
  for (uint32_t e = 0; e < n->hosts + n->switches; e++) process[e] = process_of(o, e);
  for (uint32_t h = 0; h < n->hosts; h++) {
    nic_make(&r->nics[h], r->world, h, &o->nic, &user);
    r->nics[h].part = world_part(r->world, &nic_acts, &r->nics[h], NIC_TIMERS + tenants_timers(o), process[h]);
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

struct fabric_port *fabric_port_of(struct fabric_run *r, uint32_t end, uint32_t port) {
  const uint32_t hosts = r->options->net->hosts;
  return end < hosts ? &r->nics[end].port : &r->switches[end - hosts].port[port];
}
uint32_t fabric_part_of(const struct fabric_run *r, uint32_t end) {
  const uint32_t hosts = r->options->net->hosts;
  return end < hosts ? r->nics[end].part : r->switches[end - hosts].part;
}

// The cable of a node is as long as what a model takes; a Verilated one takes its own time.
static bool stands_there(const struct fabric_run_options *o, uint32_t a, uint32_t b) {
  const struct net *n = o->net;
  const uint32_t host = a < b ? a : b, leaf = n->leaf[host < n->hosts ? host : 0];
  return with_nodes(o) && host < n->hosts && host >= n->hosts - n->nodes && o->rtl[leaf];
}

static void make_cables(struct fabric_run *r) {
  const struct fabric_run_options *o = r->options;
  const struct net *n = o->net;
  for (size_t c = 0; c < n->cable_count; c++) {
    const struct net_cable *cable = &n->cables[c];
    for (unsigned from = 0; from < 2; from++) {
      const uint32_t a = cable->ends[from], b = cable->ends[1 - from];
      struct fabric_port *port = fabric_port_of(r, a, cable->ports[from]);
      const uint64_t delay = (stands_there(o, a, b) ? DEVICE_CABLE_PS : cable->delay_ps) + (a < n->hosts ? 0 : o->latency_ps);
      port->ps_per_kib = ps_per_kib(cable->gbps);
      if (o->lines && world_owns(r->world, fabric_part_of(r, a))) port->line = port_line_new();
      port->loss = o->loss;
      port->headroom = headroom(o, cable);
      port->above = a >= n->hosts && b >= n->hosts && n->tiers[b - n->hosts] > n->tiers[a - n->hosts];
      if (a >= n->hosts) r->switches[a - n->hosts].reserved += port->headroom;
      port->rng = rng_for(o->seed, 2 * c + from);
      port->cable =
          world_cable(r->world, fabric_part_of(r, a), fabric_part_of(r, b), b < n->hosts ? 0 : cable->ports[1 - from], delay);
    }
  }
}

static void make_taps(struct fabric_run *r) {
  const struct fabric_run_options *o = r->options;
  for (size_t i = 0; i < o->tap_count && o->writer != NULL; i++)
    for (unsigned from = 0; from < 2; from++) {
      const struct net_cable *c = &o->net->cables[o->taps[i]];
      fabric_port_of(r, c->ends[from], c->ports[from])->tap = (struct tap){o->writer, (unsigned)(2 * i + from)};
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
      if (c->ends[end] >= n->hosts && world_owns(r->world, fabric_part_of(r, c->ends[end])))
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
  if (!o->devices || with_nodes(o) || with_gather(o)) return true;
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

/// False, and a sentence, if something of it cannot be made.
static bool build(struct fabric_run *r, char *error, size_t size) {
  const struct fabric_run_options *o = r->options;
  if (load_make(&r->loads[0], &o->load, o->net, error, size) != 0) return false;
  if (o->background.bytes > 0 && load_make(&r->loads[1], &o->background, o->net, error, size) != 0) return false;
  r->loads[0].elsewhere = with_nodes(o) || with_gather(o);
  r->loads[1].tag_base = LOAD_BACKGROUND;
  make_parts(r);
  make_cables(r);
  if (!world_ready(r->world)) {
    snprintf(error, size, "more cables and ports than %u", WORLD_THINGS);
    return false;
  }
  if (!make_devices(r, error, size)) return false;
  make_taps(r);
  make_faults(r);
  return make_uplinks(r, error, size);
}

// Devices in the places of hosts; they begin.
static bool make_tenants(struct fabric_run *r, char *error, size_t size) {
  const struct fabric_run_options *o = r->options;
  const struct fabric_nodes_place node = {&r->loads[0], &o->nic, r->nics, r->world, o->rtl, o->dead_host, o->dead_ps, o->seed};
  const struct fabric_gather_place gather = {.load = &r->loads[0],
                                             .nic = &o->nic,
                                             .nics = r->nics,
                                             .switches = r->switches,
                                             .world = r->world,
                                             .rtl = o->rtl,
                                             .rtl_host = o->rtl_host,
                                             .latency_ps = o->latency_ps,
                                             .gbps = o->net->cables[o->net->at[0][0]].gbps,
                                             .dead_host = o->dead_host,
                                             .seed = o->seed};
  if (with_nodes(o)) return (r->nodes = fabric_nodes_new(&node, error, size)) != NULL;
  return !with_gather(o) || (r->gather = fabric_gather_new(&gather, error, size)) != NULL;
}

struct fabric_run *fabric_run_open(const struct fabric_run_options *o, char *error, size_t size) {
  struct fabric_run *r = need(calloc(1, sizeof *r));
  r->options = o;
  r->world = world_new();
  r->nics = need(calloc(o->net->hosts, sizeof *r->nics));
  r->switches = need(calloc(o->net->switches, sizeof *r->switches));
  if (!build(r, error, size)) {
    fabric_run_close(r);
    return NULL;
  }
  if (o->tiers[0].routing == ROUTING_TE) te_place(&r->loads[0], &o->nic, o->net, &r->routes, r->switches);
  for (unsigned l = 0; l < 2; l++)
    if (r->loads[l].options != NULL) load_begin(&r->loads[l], r->world, r->nics);
  if (make_tenants(r, error, size)) return r;
  fabric_run_close(r);
  return NULL;
}

void fabric_run_close(struct fabric_run *r) {
  if (r == NULL) return;
  fabric_nodes_free(r->nodes);
  for (uint32_t h = 0; h < r->options->net->hosts; h++) nic_free(&r->nics[h]);
  for (uint32_t s = 0; s < r->options->net->switches; s++) switch_free(&r->switches[s]);
  fabric_gather_free(r->gather);
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
uint64_t fabric_run_left(const struct fabric_run *r) {
  if (r->nodes != NULL) fabric_nodes_look(r->nodes);
  if (r->gather != NULL) fabric_gather_look(r->gather);
  return load_open(&r->loads[0]) + load_open(&r->loads[1]);
}

struct fabric_so_far fabric_run_so_far(const struct fabric_run *r) {
  struct fabric_so_far s = {.left = fabric_run_left(r)};
  const struct workload *l = &r->loads[0];
  for (uint32_t h = 0; h < r->options->net->hosts - r->options->net->nodes; h++) {
    if (!world_owns(r->world, r->nics[h].part)) continue;
    s.hosts++;
    s.packets += r->nics[h].counts.data;
    s.bytes += r->nics[h].counts.bytes;
    s.all += !load_flows(l->options->kind) && l->rank_of[h] < l->ranks;
  }
  for (unsigned i = 0; i < 2; i++)
    for (size_t f = 0; f < r->loads[i].flow_count; f++)
      s.all += world_owns(r->world, r->nics[r->loads[i].host_of[r->loads[i].flows[f].dst]].part);
  return s;
}
