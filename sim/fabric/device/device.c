#include "sim/fabric/device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/engine/tree/box.h"
#include "sim/engine/tree/tree_device.h"
#include "sim/fabric/device/frame.h"
#include "sim/fabric/device/gradient.h"
#include "sim/fabric/device/refuse.h"
#include "wire/relay.h"

enum {
  CYCLE_PS = 4000,
  MODEL_PS =
      256000,   // what a model takes for a packet: as the device, 64 cycles from the last contribution to the result (docs/figures/performance.md)
  MODEL_PORTS = 16,
  VIRTUAL = 1   // tag of a frame between two devices, which is for the next switch
};

/// A frame that waits for the device.
struct device_wait {
  struct device_wait *next;
  struct world_frame *frame;
};
struct device_line {
  struct device_wait *first, **last;
};

struct fabric_device {
  struct fabric_device_place place;
  struct relay_ring ring;
  struct relay_end self, children[REDUCER_PORTS];
  uint32_t child_ports[REDUCER_PORTS], parent_port;   // of the switch
  uint8_t device_port[REDUCER_PORTS];                 // of the device, by port of the switch
  bool from[REDUCER_PORTS];                           // a child is behind this port of the switch
  unsigned ports, up_port;                            // of the device
  struct box *box;                                    // or
  struct tree_device *rtl;
  struct device_line *lines;   // in front of its ports
  struct world_frame *at;      // the one it is looking at
  uint64_t cycle_at, in_front;
  bool awake;
  uint32_t last_in;         // port of the switch by which the latest frame came
  struct reducer_out out;   // of its switch
  struct fabric_device_counts counts;
};

static struct relay_end end_of(uint32_t number, unsigned port) {
  return (struct relay_end){.mac = {0x02, 0x57, 0x45, 0x49, 0x53, (uint8_t)number},
                            .ip = {10, 255, 0, (uint8_t)(number + 1)},
                            .port = port};
}

// --- frames out ---

static void send_frame(struct fabric_device *d, uint32_t tag, uint32_t dst, uint32_t port, const uint8_t *data, size_t len) {
  struct world_packet packet = fabric_frame(data, len);
  packet.tag = tag;
  packet.src = packet.dst = dst;
  if (tag == VIRTUAL)
    d->out.send(d->out.user, d->last_in, port, &packet);
  else
    d->out.pass(d->out.user, d->last_in, &packet);
}

// A frame leaves the device: to the one above, to one below, to a rank of its own switch, or on to another leaf.
static void sends(void *user, unsigned port, const uint8_t *data, size_t len) {
  struct fabric_device *d = user;
  const struct workload *l = d->place.load;
  struct roce_packet p;
  struct ina_header ina;
  struct world_packet packet;
  (void)port;
  roce_parse(data, len, &p);
  if (d->ring.has_parent && memcmp(data, d->ring.parent.mac, 6) == 0) {
    send_frame(d, VIRTUAL, 0, d->parent_port, data, len);
    return;
  }
  for (unsigned i = 0; !d->ring.leaf && i < d->ring.ring.workers; i++)
    if (memcmp(data, d->children[i].mac, 6) == 0) {
      send_frame(d, VIRTUAL, 0, d->child_ports[i], data, len);
      return;
    }
  if (relay_is_note(data, &p, &ina)) {
    const uint32_t host = (uint32_t)p.key.dst[1] << 16 | (uint32_t)p.key.dst[2] << 8 | p.key.dst[3];
    send_frame(d, 0, host - 1, 0, data, len);
    return;
  }
  d->counts.results++;
  if (!gradient_read(l, d->place.nic, data, len, &packet) || packet.value != l->total) d->counts.wrong++;
  // What is no packet of the ring reaches nobody, and the run does not end well.
  else
    d->out.pass(d->out.user, d->last_in, &packet);
}

// --- frames in ---

static bool port_receive(void *user, unsigned port, uint64_t now, struct link_frame *frame) {
  struct fabric_device *d = user;
  struct device_line *line = &d->lines[port];
  struct device_wait *w = line->first;
  (void)now;
  if (w == NULL) return false;
  line->first = w->next;
  if (line->first == NULL) line->last = &line->first;
  free(d->at);
  d->at = w->frame;
  d->in_front--;
  free(w);
  *frame = (struct link_frame){.len = d->at->len, .data = d->at->data};
  return true;
}
static void port_pause(void *user, unsigned port, bool pause) {
  (void)user;
  (void)port;
  (void)pause;
}
static bool port_held(const void *user, unsigned port) {
  (void)user;
  (void)port;
  return false;
}

static void give(struct fabric_device *d, uint32_t in, struct world_frame *frame) {
  // Notifications may come by another switch than the one above.
  const bool below = in < REDUCER_PORTS && d->from[in];
  const unsigned port = below ? d->device_port[in] : d->up_port;
  d->last_in = in;
  if (d->box != NULL) {
    box_receive(d->box, world_now(d->place.world), port, frame->data, frame->len, false);
    free(frame);
    return;
  }
  struct device_wait *w = need(malloc(sizeof *w));
  *w = (struct device_wait){.frame = frame};
  *d->lines[port].last = w;
  d->lines[port].last = &w->next;
  if (++d->in_front > d->counts.most) d->counts.most = d->in_front;
  d->awake = true;
}

static bool take(void *self, uint32_t in, const struct world_packet *p) {
  struct fabric_device *d = self;
  const struct workload *l = d->place.load;
  if (p->kind == PACKET_BYTES && (p->tag == VIRTUAL || l->net->leaf[p->dst] == d->place.number)) {
    give(d, in, p->frame);
    return true;
  }
  if (!d->ring.leaf || p->kind != PACKET_DATA || in >= REDUCER_PORTS || !d->from[in] || p->tag >= LOAD_BACKGROUND) return false;
  uint8_t frame[TAP_FRAME];
  give(d, in, world_frame_new(frame, gradient_frame(l, d->place.nic, p, frame)));
  return true;
}

// --- time ---

static uint64_t next(const void *self) {
  const struct fabric_device *d = self;
  if (d->box != NULL) return box_next(d->box);
  return d->awake ? d->cycle_at : WORLD_NEVER;
}

static void step(void *self, const struct reducer_out *out) {
  struct fabric_device *d = self;
  const uint64_t now = world_now(d->place.world);
  d->out = *out;
  if (d->box != NULL) {
    box_step(d->box, now);
    return;
  }
  tree_device_step(d->rtl, now);
  d->counts.cycles++;
  d->cycle_at = now + CYCLE_PS;
  d->awake = d->in_front > 0 || !tree_device_quiet(d->rtl);
}

// --- making it ---

static void free_device(void *self) {
  struct fabric_device *d = self;
  if (d == NULL) return;
  for (unsigned p = 0; d->lines != NULL && p < d->ports; p++)
    for (struct device_wait *w = d->lines[p].first, *behind; w != NULL; w = behind) {
      behind = w->next;
      free(w->frame);
      free(w);
    }
  free(d->lines);
  free(d->at);
  box_free(d->box);
  tree_device_close(d->rtl);
  free(d);
}

static uint32_t other_end(const struct net *n, uint32_t number, uint32_t port) {
  const struct net_cable *c = &n->cables[n->at[n->hosts + number][port]];
  return c->ends[c->ends[0] == n->hosts + number];
}

// Who is above and below, as far as the ports of the device do not matter.
static bool wire(struct fabric_device *d, const struct reducer *r, char *error, size_t size) {
  const struct fabric_device_place *at = &d->place;
  const struct net *n = at->load->net;
  struct relay_ring *ring = &d->ring;
  const bool parent = r->parent != UINT32_MAX;
  *ring = (struct relay_ring){.ring = {.id = GRADIENT_RING,
                                       .window = at->load->options->window,
                                       .stride = gradient_packets(at->load, at->nic),
                                       .learn = true},
                              .leaf = r->leaf,
                              .total = at->load->ranks,
                              .has_parent = parent,
                              .children = r->leaf ? NULL : d->children};
  d->parent_port = r->parent;
  if (at->number >= 255) return refuse(error, size, "a device has the address of a switch up to s254");
  for (uint32_t p = 0; p < REDUCER_PORTS; p++) {
    if (!r->from[p]) continue;
    const uint32_t other = other_end(n, at->number, p), rank = r->leaf ? at->load->rank_of[other] : 0;
    if (r->leaf && ring->ring.workers == 0) ring->first = rank;
    if (r->leaf && rank != ring->first + ring->ring.workers)
      return refuse(error, size, "ranks of a leaf must be neighbours, as with --placement linear");
    d->from[p] = true;
    d->child_ports[ring->ring.workers] = p;
    if (!r->leaf) d->children[ring->ring.workers] = end_of(other - n->hosts, 0);
    ring->ring.workers++;
  }
  if (!parent) return true;
  const struct net_cable *up = &n->cables[n->at[n->hosts + at->number][r->parent]];
  const unsigned end = up->ends[0] == n->hosts + at->number;
  const struct reducer *over = at->switches[up->ends[end] - n->hosts].reducer;
  for (uint32_t p = 0; p < up->ports[end]; p++) ring->child += over->from[p];
  ring->siblings = over->children;
  return true;
}

static bool make(struct fabric_device *d, char *error, size_t size) {
  const struct fabric_device_place *at = &d->place;
  struct relay_ring *ring = &d->ring;
  const unsigned children = ring->ring.workers, parent = ring->has_parent;
  d->self = end_of(at->number, 0);
  d->ports = children + parent < MODEL_PORTS ? children + parent : MODEL_PORTS;
  if (parent) ring->parent = end_of(other_end(at->load->net, at->number, d->parent_port) - at->load->net->hosts, d->ports - 1);
  struct relay_config config = {
      .limits = {.ports = d->ports, .ranks = children, .conns = children, .slot_bytes = at->nic->mtu, .max_frame_bytes = 9728},
      .rows = (ring->leaf ? 2 : children + 1) * children,
      .self = d->self,
      .rings = ring,
      .ring_count = 1};
  const struct drive_config *built = NULL;
  if (at->rtl) {
    config.limits.ports = 2;   // children share what ports there are
    built = tree_device_config(&config, error, size);
    if (built == NULL) return false;
    d->ports = config.limits.ports = built->ports;
  }
  d->up_port = d->ports - 1;
  ring->parent.port = d->up_port;
  for (unsigned i = 0; i < children; i++) {
    d->device_port[d->child_ports[i]] = (uint8_t)(i % (d->ports - parent));
    d->children[i].port = i % (d->ports - parent);
  }
  d->lines = need(calloc(d->ports, sizeof *d->lines));
  for (unsigned p = 0; p < d->ports; p++) d->lines[p].last = &d->lines[p].first;
  const struct tree_device_cables cables = {d, port_receive, port_pause, port_held, sends};
  if (at->rtl)
    d->rtl = tree_device_open(built, &config, &cables, false, at->seed + at->number, error, size);
  else
    d->box = box_new(&config, MODEL_PS, sends, d);
  if (d->box == NULL && d->rtl == NULL && !at->rtl) return refuse(error, size, "--inflight must be a power of two");
  return d->box != NULL || d->rtl != NULL;
}

struct fabric_device *fabric_device_new(const struct fabric_device_place *place, char *error, size_t size) {
  struct fabric_switch *s = &place->switches[place->number];
  const char *why = gradient_refusal(place->load, place->nic);
  struct fabric_device *d = need(calloc(1, sizeof *d));
  d->place = *place;
  if (why != NULL) refuse(error, size, why);
  if (why == NULL && wire(d, s->reducer, error, size) && make(d, error, size)) {
    s->device = (struct switch_device){d, take, next, step, free_device};
    return d;
  }
  free_device(d);
  return NULL;
}

struct fabric_device_counts fabric_device_finish(struct fabric_device *d, char *fault, size_t size) {
  fault[0] = 0;
  if (d->rtl == NULL) return d->counts;
  tree_device_finish(d->rtl);
  d->counts.compared = tree_device_compared(d->rtl);
  if (tree_device_fault(d->rtl) != NULL) snprintf(fault, size, "%s", tree_device_fault(d->rtl));
  return d->counts;
}
