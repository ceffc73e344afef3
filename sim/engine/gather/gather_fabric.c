#include "sim/engine/gather/gather_fabric.h"

#include <stdlib.h>

#include "base/memory.h"
#include "sim/engine/gather/gather_cables.h"
#include "sim/engine/world/ranks.h"

/// Between two answers of gather_fabric_step.
enum { EVENTS_A_STEP = 20000 };

void gather_place_ask(struct gather_fabric *f, const struct gather_place *e, uint64_t least) {
  const uint64_t next = e->is.next(e->is.self);
  world_set(f->world, e->part, GATHER_STEP, next == GATHER_NEVER ? WORLD_NEVER : next > least ? next : least);
}

/// A node that takes nothing now.
static bool deaf(const struct gather_fabric *f, uint32_t node) {
  return node == f->o.stops && f->now >= f->o.stops_at && (f->o.stops_for == 0 || f->now < f->o.stops_at + f->o.stops_for);
}

bool gather_fabric_deaf(const struct gather_fabric *f, uint32_t node) { return deaf(f, node); }

bool gather_fabric_dead(const struct gather_fabric *f, uint32_t node) { return node == f->o.dies && f->now >= f->o.dies_at; }

static void deliver(struct gather_fabric *f, struct gather_place *e, unsigned port, struct gather_packet *p) {
  if (gather_fabric_dead(f, e->element)) {
    struct gather_header h;
    gather_check(p->data, p->len, &h);
    gather_cables_taken(f, e->element, port, gather_class_of(h.type), p->len);
    f->under_way--;
    f->counts.unheard++;
    free(p);
    return;
  }
  if (deaf(f, e->element)) {
    p->port = port;
    gather_fifo_put(&e->unheard, p);
    if (f->o.stops_for > 0) world_set(f->world, e->part, GATHER_AGAIN, f->o.stops_at + f->o.stops_for);
    return;
  }
  if (e->element < f->o.topology.nodes) {
    struct gather_received *r = &f->received[e->element];
    struct gather_header h;
    gather_check(p->data, p->len, &h);
    r->packets++;
    r->bytes += gather_frame_bytes(p->len);
    r->prs += h.count;
    r->property_bytes += h.type == GATHER_RESPONSE ? (uint64_t)h.count * h.len : 0;
    if (f->o.tap != NULL) f->o.tap(f->o.user, f->now, e->element, p);
  }
  f->under_way--;
  if (!e->is.keeps) {
    struct gather_header h;
    gather_check(p->data, p->len, &h);
    gather_cables_taken(f, e->element, port, gather_class_of(h.type), p->len);
  }
  e->is.receive(e->is.self, f->now, port, p);
  // Within a cycle all receptions come before the step.
  gather_place_ask(f, e, f->now);
}

static void arrive(void *part, uint32_t port, const struct world_packet *packet) {
  struct gather_place *e = part;
  struct gather_fabric *f = e->fabric;
  f->now = world_now(f->world);
  if (packet->kind == PACKET_CTS) {
    gather_cables_credit(f, e->element, port, (enum gather_class)packet->tag, packet->value);
    return;
  }
  struct gather_packet *p = gather_packet_new(packet->frame->data, packet->frame->len, packet->src);
  free(packet->frame);
  // An element has one packet that comes late at a time.
  if (packet->value == 0 || e->held != NULL) {
    deliver(f, e, port, p);
    return;
  }
  e->held = p;
  e->held_port = port;
  f->counts.held++;
  world_set(f->world, e->part, GATHER_LATE, f->now + packet->value);
}

static void wake(void *part, uint32_t timer) {
  struct gather_place *e = part;
  struct gather_fabric *f = e->fabric;
  f->now = world_now(f->world);
  if (timer >= GATHER_PUMP) {
    gather_cables_pump(f, e->element, timer - GATHER_PUMP);
    return;
  }
  if (timer == GATHER_AGAIN) {
    for (struct gather_packet *p; (p = gather_fifo_take(&e->unheard)) != NULL;) deliver(f, e, p->port, p);
    return;
  }
  if (timer == GATHER_LATE) {
    struct gather_packet *p = e->held;
    e->held = NULL;
    deliver(f, e, e->held_port, p);
    return;
  }
  if (gather_fabric_dead(f, e->element)) return;
  e->is.step(e->is.self, f->now);
  gather_place_ask(f, e, f->now + 1);
}

static const struct world_acts acts = {arrive, wake};

// --- building ---

/// The cable from a port to another one's element, one way.
static void connect(struct gather_fabric *f, uint32_t a, unsigned port_a, uint32_t b, unsigned port_b) {
  f->cables[f->first_cable[a] + port_a] = (struct gather_cable){.to = b, .port = port_b};
  f->cables[f->first_cable[b] + port_b] = (struct gather_cable){.to = a, .port = port_a};
}

static unsigned ports_of(const struct gather_topology *t, uint32_t element) {
  return element < t->nodes ? 1 : element < t->nodes + t->racks ? gather_tor_ports(t) : t->racks;
}

static void wire(struct gather_fabric *f) {
  const struct gather_topology *t = &f->o.topology;
  const uint32_t size = gather_rack_size(t);
  uint32_t first = 0;
  for (uint32_t e = 0; e < f->element_count; e++) {
    f->first_cable[e] = first;
    first += ports_of(t, e);
  }
  for (uint32_t n = 0; n < t->nodes; n++) connect(f, n, 0, t->nodes + gather_rack_of(t, n), n % size);
  for (uint32_t r = 0; r < t->racks; r++)
    for (uint32_t s = 0; s < t->spines; s++) connect(f, t->nodes + r, size + s, t->nodes + t->racks + s, r);
  for (uint32_t r = 0; r < t->racks && t->shape != GATHER_LEAF_SPINE; r++) {
    for (unsigned p = size; p < gather_tor_ports(t); p++) {
      uint32_t peer;
      unsigned peer_port;
      if (gather_grid_peer(t, r, p, &peer, &peer_port)) connect(f, t->nodes + r, p, t->nodes + peer, peer_port);
    }
  }
  gather_cables_open(f);
}

/// A rack goes to one process, neighbours to the same one, spines in turn; or anything to any.
static unsigned process_of(const struct gather_fabric *f, uint32_t element) {
  const struct gather_topology *t = &f->o.topology;
  const unsigned processes = ranks_count();
  if (f->o.scatter) {
    struct rng d = rng_for(0x6A7, element);
    return rng_below(&d, processes);
  }
  if (element >= t->nodes + t->racks) return (element - t->nodes - t->racks) % processes;
  const uint32_t rack = element < t->nodes ? gather_rack_of(t, element) : element - t->nodes;
  return (unsigned)((uint64_t)rack * processes / t->racks);
}

static void make_parts(struct gather_fabric *f) {
  for (uint32_t e = 0; e < f->element_count; e++) {
    f->places[e] = (struct gather_place){.fabric = f, .element = e};
    f->places[e].part = world_part(f->world, &acts, &f->places[e], GATHER_PUMP + ports_of(&f->o.topology, e), process_of(f, e));
  }
}

bool gather_fabric_owns(const struct gather_fabric *f, uint32_t element) { return world_owns(f->world, f->places[element].part); }

/// Makes what is of this process.
static bool make_elements(struct gather_fabric *f, struct gather_memory *memories) {
  const struct gather_topology *t = &f->o.topology;
  for (uint32_t n = 0; n < t->nodes; n++) {
    struct gather_node_options o = f->o.node;
    if (!gather_fabric_owns(f, n)) continue;
    o.nic.element = n;
    o.room = gather_cables_room;
    o.taken = gather_cables_taken;
    o.nic.pause_limit = f->o.pause_limit;
    o.nic.byte_cycles = 8 * f->o.mhz / (f->o.gbps * 1000);
    if (n >= f->o.devices) o.make = NULL;
    f->nodes[n] = gather_node_new(&o, &memories[n], gather_cables_send, f);
    if (f->nodes[n] == NULL) return false;
    f->places[n].is = gather_node_element(f->nodes[n]);
  }
  for (uint32_t i = 0; i < t->racks + t->spines; i++) {
    if (!gather_fabric_owns(f, t->nodes + i)) continue;
    const struct gather_switch_options o = {.element = t->nodes + i,
                                            .spine = i >= t->racks,
                                            .rack = i,
                                            .plain = i >= t->racks || f->o.plain_tors,
                                            .cache_uplinks = f->o.cache_uplinks,
                                            .beat = f->o.beat,
                                            .latency = f->o.switch_delay,
                                            .byte_cycles = 8 * f->o.mhz / (f->o.gbps * 1000),
                                            .topology = *t,
                                            .pipe = f->o.pipe,
                                            .device = f->o.device,
                                            .pause_limit = f->o.pause_limit,
                                            .room = f->o.buffers > 0 ? gather_cables_room : NULL,
                                            .taken = f->o.buffers > 0 ? gather_cables_taken : NULL};
    gather_switch_fn *make = o.spine || f->o.tor == NULL ? gather_switch_model : f->o.tor;
    if (!make(&o, gather_cables_send, f, &f->switches[i])) return false;
    f->places[t->nodes + i].is = f->switches[i].element;
  }
  return true;
}

struct gather_fabric *gather_fabric_new(const struct gather_fabric_options *options, struct gather_memory *memories) {
  struct gather_fabric *f = need(calloc(1, sizeof *f));
  f->o = *options;
  f->faults = rng_for(options->fault_seed, 0x46);
  const struct gather_topology *t = &f->o.topology;
  f->element_count = t->nodes + t->racks + t->spines;
  f->cable_count = t->nodes + t->racks * gather_tor_ports(t) + t->spines * t->racks;
  f->world = world_new();
  f->places = need(calloc(f->element_count, sizeof *f->places));
  f->nodes = need(calloc(t->nodes, sizeof *f->nodes));
  f->switches = need(calloc(t->racks + t->spines, sizeof *f->switches));
  f->cables = need(calloc(f->cable_count, sizeof *f->cables));
  f->first_cable = need(calloc(f->element_count, sizeof *f->first_cable));
  f->received = need(calloc(t->nodes, sizeof *f->received));
  make_parts(f);
  wire(f);
  bool good = world_ready(f->world);
  // One process after the other: a device that is not there yet is built by the first that wants it.
  for (unsigned r = 0; r < ranks_count(); r++) {
    if (r == ranks_own()) good = good && make_elements(f, memories);
    ranks_least(0);
  }
  if (ranks_least(good ? 1 : 0) == 1) return f;
  gather_fabric_free(f);
  return NULL;
}

void gather_fabric_free(struct gather_fabric *f) {
  if (f == NULL) return;
  const struct gather_topology *t = &f->o.topology;
  for (uint32_t n = 0; n < t->nodes; n++) gather_node_free(f->nodes[n]);
  for (uint32_t i = 0; i < t->racks + t->spines; i++)
    if (f->switches[i].free != NULL) f->switches[i].free(f->switches[i].element.self);
  for (uint32_t e = 0; e < f->element_count; e++) {
    free(f->places[e].held);
    gather_fifo_empty(&f->places[e].unheard);
  }
  gather_cables_close(f);
  world_free(f->world);
  free(f->places);
  free(f->nodes);
  free(f->switches);
  free(f->cables);
  free(f->first_cable);
  free(f->received);
  free(f);
}

void gather_fabric_begin(struct gather_fabric *f, uint32_t node, const uint32_t *idx, size_t count, size_t batch) {
  if (!gather_fabric_owns(f, node)) return;
  gather_node_begin(f->nodes[node], f->now, idx, count, batch);
  gather_place_ask(f, &f->places[node], f->now + 1);
}

const struct gather_node *gather_fabric_node(const struct gather_fabric *f, uint32_t node) { return f->nodes[node]; }
const struct world *gather_fabric_world(const struct gather_fabric *f) { return f->world; }

void gather_fabric_invalidate(struct gather_fabric *f, uint16_t generation, uint32_t len) {
  for (uint32_t r = 0; r < f->o.topology.racks; r++)
    if (f->switches[r].invalidate != NULL) f->switches[r].invalidate(f->switches[r].element.self, generation, len);
}

// --- time ---

bool gather_fabric_step(struct gather_fabric *f, uint64_t until) {
  const bool more = world_run(f->world, until, EVENTS_A_STEP);
  f->paused = more && world_beyond(f->world);
  if (f->paused) f->now = until;
  if (more) return true;
  // What begins next begins at one time everywhere.
  ranks_most(&f->now, 1);
  return false;
}

bool gather_fabric_paused(const struct gather_fabric *f) { return f->paused; }

uint64_t gather_fabric_now(const struct gather_fabric *f) { return f->now; }

bool gather_fabric_balanced(const struct gather_fabric *f) {
  uint64_t under_way = f->under_way;
  // What came to a node that takes nothing to the end is in its NIC.
  for (uint32_t e = 0; e < f->element_count; e++) under_way -= f->places[e].unheard.count;
  ranks_sum(&under_way, 1);
  bool good = under_way == 0;
  for (uint32_t i = 0; i < f->o.topology.racks + f->o.topology.spines; i++)
    good = good && (f->switches[i].balanced == NULL || f->switches[i].balanced(f->switches[i].element.self));
  return good;
}

const char *gather_fabric_fault(const struct gather_fabric *f) {
  for (uint32_t n = 0; n < f->o.topology.nodes; n++) {
    if (f->nodes[n] == NULL || gather_fabric_dead(f, n)) continue;
    const char *fault = gather_node_fault(f->nodes[n]);
    if (fault != NULL) return fault;
  }
  for (uint32_t i = 0; i < f->o.topology.racks + f->o.topology.spines; i++) {
    const struct gather_switch *s = &f->switches[i];
    const char *fault = s->fault != NULL ? s->fault(s->element.self) : NULL;
    if (fault != NULL) return fault;
  }
  return NULL;
}

static enum gather_leg leg_of(const struct gather_fabric *f, const struct gather_cable *c) {
  const uint32_t tors = f->o.topology.nodes, spines = tors + f->o.topology.racks;
  if (c->from < tors) return GATHER_FROM_NODES;
  if (c->to < tors) return GATHER_TO_NODES;
  return c->from >= spines ? GATHER_DOWN : GATHER_UP;
}

struct gather_fabric_counts gather_fabric_counts(const struct gather_fabric *f) {
  struct gather_fabric_counts c = f->counts;
  for (uint32_t i = 0; i < f->cable_count; i++) {
    const struct gather_cable *cable = &f->cables[i];
    const enum gather_leg leg = leg_of(f, cable);
    if (cable->bytes > c.busiest[leg]) c.busiest[leg] = cable->bytes;
    c.used[leg] += cable->bytes > 0;
  }
  for (uint32_t n = 0; n < f->o.topology.nodes; n++)
    if (f->nodes[n] != NULL) c.stopped += gather_node_counts(f->nodes[n]).nic.thrown;
  for (uint32_t r = 0; r < f->o.topology.racks; r++) {
    if (f->switches[r].counts == NULL) continue;
    const struct gather_switch_counts s = f->switches[r].counts(f->switches[r].element.self);
    gather_cache_add(&c.tors.cache, &s.cache);
    gather_concat_add(&c.tors.concat, &s.concat);
    c.tors.forwarded += s.forwarded;
    c.tors.malformed += s.malformed;
    c.tors.older += s.older;
    c.tors.not_turned += s.not_turned;
    c.tors.thrown += s.thrown;
    c.stopped += s.thrown;
    c.tors.clocked += s.clocked;
    if (s.most_waiting > c.tors.most_waiting) c.tors.most_waiting = s.most_waiting;
  }
  return c;
}

struct gather_asked gather_fabric_asked(const struct gather_fabric *f, uint32_t node) {
  const struct gather_switch *tor = &f->switches[gather_rack_of(&f->o.topology, node)];
  return tor->asked != NULL ? tor->asked(tor->element.self, node) : (struct gather_asked){0};
}

struct gather_received gather_fabric_received(const struct gather_fabric *f, uint32_t node) {
  return f->received[node];
}

uint64_t gather_zero_load(const struct gather_fabric_options *o, uint32_t from, uint32_t to) {
  const unsigned hops = gather_hops(&o->topology, from, to);
  return hops == 0 ? 0 : hops * o->cable_delay + (hops - 1) * o->switch_delay;
}
