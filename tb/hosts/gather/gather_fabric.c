#include "hosts/gather/gather_fabric.h"

#include <stdlib.h>
#include <string.h>

/// Preamble and gap between frames: they take time on a cable, but are no traffic.
enum { GAP_BYTES = 20 };
/// Cables are free again at a fraction of a cycle.
enum { FRACTION = 256 };

/// One direction of a cable.
struct cable {
  uint32_t to;        // element
  unsigned port;      // of it
  uint64_t free_at;   // in fractions of a cycle
  struct gather_fifo flying;
};

struct gather_fabric {
  struct gather_fabric_options o;
  uint64_t now;
  uint32_t element_count, cable_count;
  struct gather_element *elements;   // nodes, then ToRs, then spines
  struct gather_node **nodes;
  struct gather_switch *switches;   // ToRs, then spines
  uint64_t *wakes;                  // of each element: when it wants to be stepped
  struct cable *cables;
  uint32_t *first_cable;        // of each element: its port 0
  struct gather_packet *held;   // the one that comes late, and its cable
  uint32_t held_cable;
  struct gather_received *received;
  struct gather_fabric_counts counts;
};

// --- sending ---

static void send(void *user, uint32_t element, unsigned port, struct gather_packet *p) {
  struct gather_fabric *f = user;
  struct cable *c = &f->cables[f->first_cable[element] + port];
  struct gather_header h;
  gather_check(p->data, p->len, &h);
  const uint64_t bytes = gather_frame_bytes(p->len), now = f->now * FRACTION;
  const uint64_t properties = h.type == GATHER_RESPONSE ? (uint64_t)h.count * h.len : 0;
  f->counts.packets++;
  f->counts.bytes += bytes;
  f->counts.header_bytes += bytes - properties;
  f->counts.prs += h.count;
  const uint64_t from = c->free_at > now ? c->free_at : now;
  if ((from - now) / FRACTION > f->counts.most_backlog) f->counts.most_backlog = (from - now) / FRACTION;
  c->free_at = from + (uint64_t)((double)(bytes + GAP_BYTES) * 8 * f->o.mhz / (f->o.gbps * 1000) * FRACTION + 0.5);
  p->at = (c->free_at + FRACTION - 1) / FRACTION + f->o.cable_delay;
  if (f->counts.packets == f->o.lose) {
    f->counts.lost++;
    free(p);
  } else if (f->counts.packets == f->o.hold) {
    f->counts.held++;
    p->at += f->o.held_for;
    f->held = p;
    f->held_cable = (uint32_t)(c - f->cables);
  } else {
    gather_fifo_put(&c->flying, p);
  }
}

static void deliver(struct gather_fabric *f, const struct cable *c, struct gather_packet *p) {
  if (c->to < f->o.topology.nodes) {
    struct gather_received *r = &f->received[c->to];
    struct gather_header h;
    gather_check(p->data, p->len, &h);
    r->packets++;
    r->bytes += gather_frame_bytes(p->len);
    r->property_bytes += h.type == GATHER_RESPONSE ? (uint64_t)h.count * h.len : 0;
    if (f->o.tap != NULL) f->o.tap(f->o.user, f->now, c->to, p);
  }
  f->elements[c->to].receive(f->elements[c->to].self, f->now, c->port, p);
  f->wakes[c->to] = f->elements[c->to].next(f->elements[c->to].self);
}

// --- building ---

/// The cable from a port to another one's element, one way.
static void connect(struct gather_fabric *f, uint32_t a, unsigned port_a, uint32_t b, unsigned port_b) {
  f->cables[f->first_cable[a] + port_a] = (struct cable){.to = b, .port = port_b};
  f->cables[f->first_cable[b] + port_b] = (struct cable){.to = a, .port = port_a};
}

static void wire(struct gather_fabric *f) {
  const struct gather_topology *t = &f->o.topology;
  const uint32_t size = gather_rack_size(t);
  uint32_t first = 0;
  for (uint32_t e = 0; e < f->element_count; e++) {
    f->first_cable[e] = first;
    first += e < t->nodes ? 1 : e < t->nodes + t->racks ? size + t->spines : t->racks;
  }
  for (uint32_t n = 0; n < t->nodes; n++) connect(f, n, 0, t->nodes + gather_rack_of(t, n), n % size);
  for (uint32_t r = 0; r < t->racks; r++)
    for (uint32_t s = 0; s < t->spines; s++) connect(f, t->nodes + r, size + s, t->nodes + t->racks + s, r);
}

static bool make_elements(struct gather_fabric *f, struct gather_memory *memories) {
  const struct gather_topology *t = &f->o.topology;
  for (uint32_t n = 0; n < t->nodes; n++) {
    struct gather_node_options o = f->o.node;
    o.nic.element = n;
    o.nic.byte_cycles = 8 * f->o.mhz / (f->o.gbps * 1000);
    if (n >= f->o.devices) o.make = NULL;
    f->nodes[n] = gather_node_new(&o, &memories[n], send, f);
    if (f->nodes[n] == NULL) return false;
    f->elements[n] = gather_node_element(f->nodes[n]);
  }
  for (uint32_t i = 0; i < t->racks + t->spines; i++) {
    const struct gather_switch_options o = {.element = t->nodes + i,
                                            .spine = i >= t->racks,
                                            .rack = i,
                                            .plain = i >= t->racks || f->o.plain_tors,
                                            .cache_uplinks = f->o.cache_uplinks,
                                            .latency = f->o.switch_delay,
                                            .byte_cycles = 8 * f->o.mhz / (f->o.gbps * 1000),
                                            .topology = *t,
                                            .pipe = f->o.pipe,
                                            .device = f->o.device};
    gather_switch_fn *make = o.spine || f->o.tor == NULL ? gather_switch_model : f->o.tor;
    if (!make(&o, send, f, &f->switches[i])) return false;
    f->elements[t->nodes + i] = f->switches[i].element;
  }
  return true;
}

struct gather_fabric *gather_fabric_new(const struct gather_fabric_options *options, struct gather_memory *memories) {
  struct gather_fabric *f = calloc(1, sizeof *f);
  if (f == NULL) return NULL;
  f->o = *options;
  const struct gather_topology *t = &f->o.topology;
  f->element_count = t->nodes + t->racks + t->spines;
  f->cable_count = t->nodes + t->racks * (gather_rack_size(t) + t->spines) + t->spines * t->racks;
  f->elements = calloc(f->element_count, sizeof *f->elements);
  f->nodes = calloc(t->nodes, sizeof *f->nodes);
  f->switches = calloc(t->racks + t->spines, sizeof *f->switches);
  f->wakes = calloc(f->element_count, sizeof *f->wakes);
  f->cables = calloc(f->cable_count, sizeof *f->cables);
  f->first_cable = calloc(f->element_count, sizeof *f->first_cable);
  f->received = calloc(t->nodes, sizeof *f->received);
  if (f->elements == NULL || f->nodes == NULL || f->switches == NULL || f->wakes == NULL || f->cables == NULL ||
      f->first_cable == NULL || f->received == NULL || !make_elements(f, memories)) {
    gather_fabric_free(f);
    return NULL;
  }
  wire(f);
  for (uint32_t e = 0; e < f->element_count; e++) f->wakes[e] = GATHER_NEVER;
  return f;
}

void gather_fabric_free(struct gather_fabric *f) {
  if (f == NULL) return;
  const struct gather_topology *t = &f->o.topology;
  for (uint32_t n = 0; f->nodes != NULL && n < t->nodes; n++) gather_node_free(f->nodes[n]);
  for (uint32_t i = 0; f->switches != NULL && i < t->racks + t->spines; i++)
    if (f->switches[i].free != NULL) f->switches[i].free(f->switches[i].element.self);
  for (uint32_t i = 0; f->cables != NULL && i < f->cable_count; i++) gather_fifo_empty(&f->cables[i].flying);
  free(f->held);
  free(f->elements);
  free(f->nodes);
  free(f->switches);
  free(f->wakes);
  free(f->cables);
  free(f->first_cable);
  free(f->received);
  free(f);
}

void gather_fabric_begin(struct gather_fabric *f, uint32_t node, const uint32_t *idx, size_t count, size_t batch) {
  gather_node_begin(f->nodes[node], f->now, idx, count, batch);
  f->wakes[node] = f->elements[node].next(f->elements[node].self);
}

const struct gather_node *gather_fabric_node(const struct gather_fabric *f, uint32_t node) { return f->nodes[node]; }

void gather_fabric_invalidate(struct gather_fabric *f, uint32_t len) {
  for (uint32_t r = 0; r < f->o.topology.racks; r++) f->switches[r].invalidate(f->switches[r].element.self, len);
}

// --- time ---

bool gather_fabric_step(struct gather_fabric *f) {
  uint64_t at = f->held != NULL ? f->held->at : GATHER_NEVER;
  for (uint32_t i = 0; i < f->cable_count; i++) {
    const struct gather_packet *p = f->cables[i].flying.first;
    if (p != NULL && p->at < at) at = p->at;
  }
  for (uint32_t e = 0; e < f->element_count; e++) {
    if (f->wakes[e] < at) at = f->wakes[e];
  }
  if (at == GATHER_NEVER) return false;
  f->now = at > f->now ? at : f->now + 1;
  for (uint32_t i = 0; i < f->cable_count; i++) {
    struct cable *c = &f->cables[i];
    while (c->flying.first != NULL && c->flying.first->at <= f->now) deliver(f, c, gather_fifo_take(&c->flying));
  }
  if (f->held != NULL && f->held->at <= f->now) {
    struct gather_packet *p = f->held;
    f->held = NULL;
    deliver(f, &f->cables[f->held_cable], p);
  }
  for (uint32_t e = 0; e < f->element_count; e++) {
    if (f->wakes[e] > f->now) continue;
    f->elements[e].step(f->elements[e].self, f->now);
    f->wakes[e] = f->elements[e].next(f->elements[e].self);
  }
  return true;
}

uint64_t gather_fabric_now(const struct gather_fabric *f) { return f->now; }

bool gather_fabric_balanced(const struct gather_fabric *f) {
  for (uint32_t i = 0; i < f->cable_count; i++)
    if (f->cables[i].flying.first != NULL) return false;
  for (uint32_t i = 0; i < f->o.topology.racks + f->o.topology.spines; i++)
    if (!f->switches[i].balanced(f->switches[i].element.self)) return false;
  return f->held == NULL;
}

const char *gather_fabric_fault(const struct gather_fabric *f) {
  for (uint32_t n = 0; n < f->o.topology.nodes; n++) {
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

struct gather_fabric_counts gather_fabric_counts(const struct gather_fabric *f) {
  struct gather_fabric_counts c = f->counts;
  for (uint32_t r = 0; r < f->o.topology.racks; r++) {
    const struct gather_switch_counts s = f->switches[r].counts(f->switches[r].element.self);
    gather_cache_add(&c.tors.cache, &s.cache);
    gather_concat_add(&c.tors.concat, &s.concat);
    c.tors.forwarded += s.forwarded;
    c.tors.malformed += s.malformed;
    c.tors.clocked += s.clocked;
    if (s.most_waiting > c.tors.most_waiting) c.tors.most_waiting = s.most_waiting;
  }
  return c;
}

struct gather_received gather_fabric_received(const struct gather_fabric *f, uint32_t node) {
  return f->received[node];
}

unsigned gather_hops(const struct gather_topology *t, uint32_t from, uint32_t to) {
  if (from == to) return 0;
  return gather_rack_of(t, from) == gather_rack_of(t, to) ? 2 : 4;
}

uint64_t gather_zero_load(const struct gather_fabric_options *o, uint32_t from, uint32_t to) {
  const unsigned hops = gather_hops(&o->topology, from, to);
  return hops == 0 ? 0 : hops * o->cable_delay + (hops - 1) * o->switch_delay;
}
