#include "sim/fabric/device/gather.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "drive/gather/gather_frame.h"
#include "drive/gather/gather_nic_rtl.h"
#include "drive/gather/gather_tor.h"
#include "sim/engine/world/ranks.h"
#include "sim/fabric/device/frame.h"
#include "sim/fabric/device/gather_state.h"

// --- properties ---

static void property(const struct fabric_gather *g, uint64_t idx, uint8_t *out) {
  struct rng d = rng_for(g->place.seed ^ 0x50524F50, idx);
  for (uint32_t i = 0; i < g->len; i++) out[i] = (uint8_t)rng_next(&d);
}

static bool as_it_must(const struct fabric_gather *g, struct gather_memory *m, uint64_t idx) {
  uint8_t wanted[GATHER_CACHE_MAX];
  property(g, idx, wanted);
  return memcmp(gather_memory_at(m, idx), wanted, g->len) == 0;
}

// What a bit of the filter promises, whenever a host counts on it.
static void check(void *user, uint32_t node, uint64_t idx) {
  struct fabric_gather *g = user;
  g->wrong += !as_it_must(g, &g->memories[node], idx);
}

// --- frames ---

static uint64_t cycle_from(uint64_t ps) { return (ps + CYCLE_PS - 1) / CYCLE_PS; }

// The packet of a frame; NULL if it is none.
static struct gather_packet *packet_of(struct world_frame *f) {
  const uint8_t *data, *mac = f->data + 6;
  size_t len;
  struct gather_header h;
  struct gather_packet *p = NULL;
  if (gather_parse(f->data, f->len, &data, &len, &h) == GATHER_GOOD)
    p = gather_packet_new(data, len, (uint32_t)mac[3] << 16 | (uint32_t)mac[4] << 8 | mac[5]);
  free(f);
  return p;
}

static void ask(const struct gather_end *e) {
  const uint64_t next = e->is.next(e->is.self), now = cycle_from(world_now(e->gather->place.world));
  const uint64_t least = e->least > now ? e->least : now, at = next > least ? next : least;
  const struct fabric_nic *nic = &e->gather->place.nics[e->host];
  world_set(nic->world, nic->part, NIC_TIMERS + STEP, next == GATHER_NEVER ? WORLD_NEVER : at * CYCLE_PS);
}

static void sends(void *user, uint32_t element, unsigned port, struct gather_packet *p) {
  struct fabric_gather *g = user;
  const bool nic = element < g->topology.nodes;
  struct rack_switch *tor = nic ? NULL : &g->tors[element - g->topology.nodes];
  struct gather_header h;
  uint8_t frame[GATHER_MAX_FRAME];
  gather_check(p->data, p->len, &h);
  const size_t len = gather_frame_make(p, (uint32_t)(nic ? g->ends[element].frames++ : tor->frames++), frame);
  const uint32_t dst = g->host_of[h.dest], src = nic ? g->ends[element].host : dst;
  struct world_packet packet = fabric_frame(frame, len);
  packet.src = src;
  packet.dst = dst;
  packet.flow = nic_flow(g->place.nic, src, dst, 0);
  free(p);
  if (nic)
    nic_frame(&g->place.nics[src], 0, &packet);
  else
    tor->out.send(tor->out.user, tor->last_in, tor->leaf_port[port], &packet);
}

bool gather_end_room(void *user, uint32_t element, unsigned port, enum gather_class class) {
  const struct fabric_gather *g = user;
  (void)port;
  (void)class;
  return g->place.nics[g->ends[element].host].control.count < IN_FRONT;
}

// --- a rank ---

static void arrive(void *self, uint32_t port, const struct world_packet *packet) {
  struct gather_end *e = self;
  struct gather_packet *p = packet_of(packet->frame);
  if (p == NULL) return;
  e->is.receive(e->is.self, cycle_from(world_now(e->gather->place.world)), port, p);
  ask(e);
}

static void wake(void *self, uint32_t timer) {
  struct gather_end *e = self;
  const uint64_t now = world_now(e->gather->place.world);
  (void)timer;
  // A frame that has left may let it go on, in its next cycle.
  if (now % CYCLE_PS == 0 && now / CYCLE_PS >= e->least) {
    e->least = now / CYCLE_PS + 1;
    e->is.step(e->is.self, now / CYCLE_PS);
  }
  ask(e);
}

static const struct world_acts acts = {arrive, wake};

// --- a switch of a rack ---

static bool tor_take(void *self, uint32_t in, const struct world_packet *packet) {
  struct rack_switch *t = self;
  if (packet->kind != PACKET_BYTES || t->port_of[in] == UINT32_MAX) return false;
  struct gather_packet *p = packet_of(packet->frame);
  t->last_in = in;
  if (p != NULL) t->is.element.receive(t->is.element.self, cycle_from(world_now(t->gather->place.world)), t->port_of[in], p);
  return true;
}

static uint64_t tor_next(const void *self) {
  const struct rack_switch *t = self;
  const uint64_t next = t->is.element.next(t->is.element.self), now = cycle_from(world_now(t->gather->place.world));
  const uint64_t least = t->least > now ? t->least : now;
  return next == GATHER_NEVER ? WORLD_NEVER : (next > least ? next : least) * CYCLE_PS;
}

static void tor_step(void *self, const struct reducer_out *out) {
  struct rack_switch *t = self;
  const uint64_t cycle = world_now(t->gather->place.world) / CYCLE_PS;
  // It may have been woken for less than it wants by now.
  if (tor_next(t) > world_now(t->gather->place.world)) return;
  t->out = *out;
  t->least = cycle + 1;
  t->is.element.step(t->is.element.self, cycle);
}

static void tor_free(void *self) {
  const struct rack_switch *t = self;
  if (t->is.free != NULL) t->is.free(t->is.element.self);
}

// --- making them ---

static bool make_end(struct fabric_gather *g, uint32_t rank) {
  struct gather_end *e = &g->ends[rank];
  struct gather_memory *m = &g->memories[rank];
  struct gather_node_options o = g->node;
  struct rng d = rng_for(g->place.seed ^ 0x57414E54, rank);
  if (!gather_memory_init(m, &g->columns, rank, g->len)) return false;
  m->generation = 1;
  m->check = check;
  m->user = g;
  for (uint64_t i = gather_first(&g->columns, rank); i < gather_first(&g->columns, rank + 1); i++)
    property(g, i, gather_memory_at(m, i));
  e->idx = need(malloc(g->count * sizeof *e->idx));
  for (uint64_t i = 0; i < g->count; i++) e->idx[i] = rng_below(&d, (uint32_t)g->columns.count);
  o.nic.element = rank;
  if (g->place.rtl_host[e->host]) o.make = gather_nic_rtl;
  e->node = gather_node_new(&o, m, sends, g);
  if (e->node == NULL) return false;
  e->is = gather_node_element(e->node);
  return true;
}

static bool make_tor(struct fabric_gather *g, uint32_t rack) {
  struct rack_switch *t = &g->tors[rack];
  struct gather_switch_options o = g->tor;
  o.element = g->topology.nodes + rack;
  o.rack = rack;
  gather_switch_fn *make = g->place.rtl[t->leaf] ? gather_tor_rtl : gather_switch_model;
  if (!make(&o, sends, g, &t->is)) return false;
  t->is.invalidate(t->is.element.self, 1, g->len);
  g->place.switches[t->leaf].device = (struct switch_device){t, tor_take, tor_next, tor_step, tor_free};
  return true;
}

// One process after the other: a device that is not there yet is built by the first that wants it.
static bool make(struct fabric_gather *g, char *error, size_t size) {
  const struct fabric_gather_place *p = &g->place;
  bool good = true;
  g->ends = need(calloc(g->topology.nodes, sizeof *g->ends));
  g->memories = need(calloc(g->topology.nodes, sizeof *g->memories));
  for (unsigned process = 0; process < ranks_count(); process++) {
    for (uint32_t r = 0; r < g->topology.nodes && process == ranks_own(); r++) {
      struct fabric_nic *nic = &p->nics[g->host_of[r]];
      g->ends[r].gather = g;
      g->ends[r].host = nic->host;
      if (good && world_owns(p->world, nic->part)) good = make_end(g, r);
      nic->tenant = (struct nic_tenant){.acts = &acts, .self = &g->ends[r], .free_timer = STEP};
    }
    for (uint32_t r = 0; r < g->topology.racks && process == ranks_own(); r++)
      if (good && world_owns(p->world, p->switches[g->tors[r].leaf].part)) good = make_tor(g, r);
    ranks_least(0);
  }
  if (ranks_least(good ? 1 : 0) == 1) return true;
  snprintf(error, size, "out of memory, or a device of the gather cannot be opened");
  return false;
}

struct fabric_gather *fabric_gather_new(const struct fabric_gather_place *place, char *error, size_t size) {
  struct fabric_gather *g = need(calloc(1, sizeof *g));
  g->place = *place;
  if (!gather_shape(g, error, size) || !gather_set(g, error, size) || !make(g, error, size)) {
    fabric_gather_free(g);
    return NULL;
  }
  for (uint32_t r = 0; r < g->topology.nodes; r++) {
    if (g->ends[r].node == NULL) continue;
    gather_node_begin(g->ends[r].node, 0, g->ends[r].idx, g->count, BATCH);
    ask(&g->ends[r]);
  }
  return g;
}

void fabric_gather_free(struct fabric_gather *g) {
  if (g == NULL) return;
  for (uint32_t r = 0; g->ends != NULL && r < g->topology.nodes; r++) {
    gather_node_free(g->ends[r].node);
    free(g->ends[r].idx);
    gather_memory_free(&g->memories[r]);
  }
  // A switch owns the device beside it, and is gone by now.
  for (uint32_t r = 0; g->tors != NULL && r < g->topology.racks; r++) {
    free(g->tors[r].port_of);
    free(g->tors[r].leaf_port);
  }
  free(g->host_of);
  free(g->ends);
  free(g->memories);
  free(g->tors);
  free(g);
}

// --- looking at them ---

// A rank has all that it wants.
static bool whole(const struct fabric_gather *g, uint32_t rank) {
  const struct gather_end *e = &g->ends[rank];
  if (e->node == NULL || e->host == g->place.dead_host || !gather_node_done(e->node)) return false;
  for (uint64_t i = 0; i < g->count; i++)
    if (!gather_node_has(e->node, i)) return false;
  return true;
}

void fabric_gather_look(struct fabric_gather *g) {
  for (uint32_t r = 0; r < g->topology.nodes; r++) {
    struct load_rank *rank = &g->place.load->rank[g->place.load->rank_of[g->host_of[r]]];
    if (rank->left == 0 || !whole(g, r)) continue;
    rank->left = 0;
    rank->done_ps = gather_node_finished(g->ends[r].node) * CYCLE_PS + 1;
  }
}

// All that a rank wanted and did not have is here.
static void finish_end(struct fabric_gather *g, uint32_t r, struct fabric_gather_counts *c, struct findings *findings) {
  const struct gather_end *e = &g->ends[r];
  const struct gather_node_counts n = gather_node_counts(e->node);
  const char *fault = gather_node_fault(e->node);
  if (fault != NULL) findings_add(findings, "NIC of h%" PRIu32 ": %s", e->host, fault);
  if (n.broken > 0)
    findings_add(findings, "h%" PRIu32 ": %" PRIu64 " times a batch that had ended well lacked a property", e->host, n.broken);
  c->packets += n.nic.concat.packets;
  c->cycles += n.nic.clocked;
  for (uint64_t i = 0; i < g->count; i++) {
    if (gather_owner(&g->columns, e->idx[i]) == r) continue;
    c->wanted++;
    if (!gather_node_has(e->node, i)) continue;
    c->results += g->len;
    g->wrong += !as_it_must(g, &g->memories[r], e->idx[i]);
  }
}

struct fabric_gather_counts fabric_gather_finish(struct fabric_gather *g, struct findings *findings) {
  struct fabric_gather_counts c = {0};
  fabric_gather_look(g);
  for (uint32_t r = 0; r < g->topology.nodes; r++)
    if (g->ends[r].node != NULL && g->ends[r].host != g->place.dead_host) finish_end(g, r, &c, findings);
  for (uint32_t r = 0; r < g->topology.racks; r++) {
    const struct rack_switch *t = &g->tors[r];
    if (t->is.element.self == NULL) continue;
    const char *fault = t->is.fault != NULL ? t->is.fault(t->is.element.self) : NULL;
    const struct gather_switch_counts s = t->is.counts(t->is.element.self);
    if (fault != NULL) findings_add(findings, "beside s%" PRIu32 ": %s", t->leaf, fault);
    if (!t->is.balanced(t->is.element.self))
      findings_add(findings, "the switch beside s%" PRIu32 " has lost, doubled or kept a request", t->leaf);
    c.packets += s.concat.packets;
    c.hits += s.cache.hits;
    c.cycles += s.clocked;
    c.compared += g->place.rtl[t->leaf] ? s.cache.lookups : 0;
  }
  if (g->wrong > 0) findings_add(findings, "%" PRIu64 " properties are not what they must be", g->wrong);
  return c;
}
