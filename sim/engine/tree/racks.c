#include "sim/engine/tree/racks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/tree/box.h"
#include "sim/engine/tree/tree_device.h"

/// What the device takes for a packet: 64 cycles of 4 ns from the last contribution to the result (docs/figures/performance.md).
enum { DEVICE_PS = 256000 };

struct rack {
  struct racks *racks;
  struct fabric *fabric;
  struct box *box;   // or
  struct tree_device *rtl;
  unsigned places, ports;   // of the switch: hosts or child switches, and the parent behind them; of the device
  unsigned up_port;         // of the device, to the parent
  uint8_t epoch;            // of the device; 0: it does not mark
  struct relay_ring *rings;
  struct relay_end children[RACKS_MAX_CHILDREN];
};

struct racks {
  const struct topology *topology;
  struct conn_key *keys;   // as in the options
  struct rack racks[RACKS_MAX_NODES];
};

static bool has_parent(const struct topology_node *n) { return n->parent != TOPOLOGY_NOBODY; }

static struct relay_end device_end(unsigned node, unsigned port) {
  return (struct relay_end){.mac = {0x02, 0x57, 0x45, 0x49, 0x53, (uint8_t)node},
                            .ip = {10, 1, 0, (uint8_t)(node + 1)},
                            .port = port};
}

/// The place at which a node's switch has another node, which is its parent or below it.
static unsigned place_of(const struct topology *t, unsigned node, unsigned other) {
  if (other == node) return TOPOLOGY_NOBODY;
  const struct topology_node *n = &t->nodes[node];
  while (other < t->count) {
    const struct topology_node *o = &t->nodes[other];
    if (o->parent == node) return o->child;
    if (o->parent == TOPOLOGY_NOBODY) break;
    other = o->parent;
  }
  return n->children;   // upwards
}

// --- making them ---

static bool make_fabric(struct racks *r, unsigned node, const struct racks_options *o) {
  const struct topology_node *n = &r->topology->nodes[node];
  struct rack *rack = &r->racks[node];
  struct fabric_config f = o->fabric;
  f.hosts = rack->places;
  f.ports = rack->ports;
  f.seed ^= (uint64_t)node << 32;
  f.no_flood = true;
  f.own_only = !n->leaf;   // above the leaves, gradients of workers are only on their way
  const struct relay_end self = device_end(node, 0);
  memcpy(f.own, self.mac, sizeof f.own);
  for (unsigned p = 0; p < rack->places; p++) {
    const bool up = p == n->children, host = !up && n->leaf;
    f.redirect[p] = (uint8_t)(up ? rack->up_port : p % rack->ports);
    f.place[p] = host ? FABRIC_HOST : up ? FABRIC_PARENT : FABRIC_CHILD;
    f.gbps[p] = host && n->first_host + p == o->slow ? f.device_gbps / 1000 : f.device_gbps;
  }
  rack->fabric = fabric_new(&f);
  if (rack->fabric == NULL) return false;
  for (unsigned host = 0; host < r->topology->hosts; host++) {
    const unsigned leaf = topology_leaf(r->topology, host);
    uint8_t mac[6];
    o->host_mac(host, mac);
    fabric_bind(rack->fabric, leaf == node ? host - n->first_host : place_of(r->topology, node, leaf), mac);
  }
  for (unsigned other = 0; other < r->topology->count; other++) {
    const struct relay_end end = device_end(other, 0);
    if (other != node) fabric_bind(rack->fabric, place_of(r->topology, node, other), end.mac);
  }
  return true;
}

static void device_sends(void *user, unsigned port, const uint8_t *data, size_t len) {
  const struct rack *rack = user;
  fabric_port_send(rack->fabric, port, data, len);
}

static bool port_receive(void *fabric, unsigned port, uint64_t now, struct link_frame *frame) {
  return fabric_port_receive(fabric, port, now, frame);
}
static void port_pause(void *fabric, unsigned port, bool pause) { fabric_port_pause(fabric, port, pause); }
static bool port_held(const void *fabric, unsigned port) { return fabric_port_held(fabric, port); }
static void port_send(void *fabric, unsigned port, const uint8_t *frame, size_t len) {
  fabric_port_send(fabric, port, frame, len);
}

static bool damages(const struct racks_options *o) {
  bool damage = false;
  for (int h = 0; h < FABRIC_HOPS; h++) damage = damage || o->fabric.faults[h].damage > 0;
  return damage;
}

/// A device's part in a ring of all hosts.
static struct relay_ring ring_of(const struct racks *r, unsigned node, const struct racks_options *o, size_t index,
                                 const struct relay_end *children) {
  const struct topology_node *n = &r->topology->nodes[node];
  const struct model_ring *ring = &o->rings[index];
  struct relay_ring is = {.ring = *ring,
                          .leaf = n->leaf,
                          .first = n->first_host,
                          .total = r->topology->hosts,
                          .has_parent = has_parent(n),
                          .child = n->child,
                          .children = n->leaf ? NULL : children};
  is.ring.workers = n->children;
  if (n->leaf && r->keys != NULL && !ring->learn) {
    const struct conn_key *const keys = r->keys + index * is.total;
    is.workers = keys + is.first;
    is.before = keys + (is.first + is.total - 1) % is.total;
  }
  if (!has_parent(n)) return is;
  is.siblings = r->topology->nodes[n->parent].children;
  is.parent = device_end(n->parent, r->racks[node].up_port);
  return is;
}

static bool set_epoch(const struct rack *rack) {
  if (rack->rtl != NULL) return tree_device_set_epoch(rack->rtl, rack->epoch);
  relay_set_epoch(box_relay(rack->box), rack->epoch);
  return true;
}

/// Ports of the switch are ports of the device, unless that is the RTL, which has its own.
static bool make_node(struct racks *r, unsigned node, const struct racks_options *o, char *error, size_t size) {
  const struct topology_node *n = &r->topology->nodes[node];
  struct rack *rack = &r->racks[node];
  struct relay_end *const children = rack->children;
  for (unsigned i = 0; !n->leaf && i < n->children; i++)
    children[i] = device_end(topology_child(r->topology, node, i), i % rack->ports);
  struct relay_ring *const rings = calloc(o->ring_count, sizeof *rings);
  rack->rings = rings;
  if (rings == NULL) return false;
  for (size_t i = 0; i < o->ring_count; i++) rings[i] = ring_of(r, node, o, i, children);
  const unsigned conns = (unsigned)o->ring_count * n->children;
  struct relay_config config = {.limits = {.ports = rack->ports,
                                           .ranks = n->children,
                                           .conns = conns,
                                           .slot_bytes = o->slot_bytes,
                                           .max_frame_bytes = 9728},
                                .rows = (n->leaf ? 2 : n->children + 1) * conns,
                                .self = device_end(node, 0),
                                .rings = rings,
                                .ring_count = o->ring_count};
  const bool rtl = o->rtl == RACKS_ALL || (o->rtl == RACKS_ROOT && !has_parent(n));
  const struct drive_config *device = rtl ? tree_device_config(&config, error, size) : NULL;
  if (device != NULL && has_parent(n)) {
    rack->ports = config.limits.ports = device->ports;
    rack->up_port = device->ports - 1;
    for (size_t i = 0; i < o->ring_count; i++) rings[i].parent.port = rack->up_port;
  }
  const bool good = (!rtl || device != NULL) && make_fabric(r, node, o);
  const struct tree_device_cables cables = {rack->fabric, port_receive, port_pause, port_held, port_send};
  if (good && rtl)
    rack->rtl = tree_device_open(device, &config, &cables, damages(o), o->seed + node, error, size);
  else if (good)
    rack->box = box_new(&config, DEVICE_PS, device_sends, rack);
  if (rack->box == NULL && rack->rtl == NULL) return false;
  rack->epoch = o->epoch;
  return set_epoch(rack);
}

static bool keep_keys(struct racks *r, const struct racks_options *o) {
  const size_t count = o->ring_count * r->topology->hosts;
  free(r->keys);
  r->keys = NULL;
  if (o->keys == NULL) return true;
  r->keys = calloc(count, sizeof *r->keys);
  if (r->keys != NULL) memcpy(r->keys, o->keys, count * sizeof *r->keys);
  return r->keys != NULL;
}

struct racks *racks_new(const struct racks_options *options, char *error, size_t size) {
  struct racks *r = calloc(1, sizeof *r);
  snprintf(error, size, "out of memory");
  if (r == NULL) return NULL;
  r->topology = options->topology;
  if (!keep_keys(r, options)) {
    free(r);
    return NULL;
  }
  for (unsigned n = 0; n < r->topology->count; n++) {
    const struct topology_node *node = &r->topology->nodes[n];
    struct rack *rack = &r->racks[n];
    rack->racks = r;
    rack->places = node->children + has_parent(node);
    rack->ports = rack->places < FABRIC_MAX_PORTS ? rack->places : FABRIC_MAX_PORTS;
    rack->up_port = node->children % rack->ports;
    if (make_node(r, n, options, error, size)) continue;
    racks_free(r);
    return NULL;
  }
  return r;
}

void racks_free(struct racks *r) {
  if (r == NULL) return;
  for (unsigned n = 0; n < r->topology->count; n++) {
    fabric_free(r->racks[n].fabric);
    box_free(r->racks[n].box);
    tree_device_close(r->racks[n].rtl);
    free(r->racks[n].rings);
  }
  free(r->keys);
  free(r);
}

// --- time ---

struct fabric *racks_fabric(const struct racks *r, unsigned host, unsigned *place) {
  const unsigned leaf = topology_leaf(r->topology, host);
  *place = host - r->topology->nodes[leaf].first_host;
  return r->racks[leaf].fabric;
}

static void step_device(struct rack *rack, uint64_t now) {
  struct link_frame f;
  if (rack->rtl != NULL) {
    tree_device_step(rack->rtl, now);
    return;
  }
  for (unsigned port = 0; port < rack->ports; port++)
    while (fabric_port_receive(rack->fabric, port, now, &f)) box_receive(rack->box, now, port, f.data, f.len, f.bad_fcs);
  box_step(rack->box, now);
}

void racks_step(struct racks *r, uint64_t now) {
  for (unsigned n = 0; n < r->topology->count; n++) {
    const struct topology_node *node = &r->topology->nodes[n];
    if (!has_parent(node)) continue;
    struct fabric *above = r->racks[node->parent].fabric, *below = r->racks[n].fabric;
    fabric_trunk(above, node->child, below, node->children, now);
    fabric_trunk(below, node->children, above, node->child, now);
  }
  for (unsigned n = 0; n < r->topology->count; n++) {
    fabric_step(r->racks[n].fabric, now);
    step_device(&r->racks[n], now);
  }
}

void racks_reboot(struct racks *r, unsigned node) {
  struct rack *rack = &r->racks[node];
  if (rack->rtl != NULL)
    tree_device_reboot(rack->rtl);
  else
    box_reboot(rack->box);
  if (rack->epoch != 0) rack->epoch = rack->epoch == UINT8_MAX ? 1 : (uint8_t)(rack->epoch + 1);
  if (!set_epoch(rack)) abort();   // it was possible before
}

bool racks_next(struct racks *r, const struct racks_options *options, bool release) {
  if (!keep_keys(r, options)) return false;
  for (unsigned n = 0; n < r->topology->count; n++) {
    struct rack *rack = &r->racks[n];
    for (size_t i = 0; i < options->ring_count; i++) {
      const struct relay_end parent = rack->rings[i].parent;
      rack->rings[i] = ring_of(r, n, options, i, rack->children);
      rack->rings[i].parent.port = parent.port;
    }
    if (rack->rtl == NULL || !tree_device_next(rack->rtl, release) || !set_epoch(rack)) return false;
  }
  return true;
}

uint64_t racks_deadline(const struct racks *r) {
  uint64_t first = UINT64_MAX;
  for (unsigned n = 0; n < r->topology->count; n++) {
    const struct rack *rack = &r->racks[n];
    const uint64_t cables = fabric_deadline(rack->fabric);
    if (cables < first) first = cables;
    if (rack->rtl != NULL && !tree_device_quiet(rack->rtl)) return 0;   // it is clocked
    const uint64_t device = rack->box != NULL ? box_next(rack->box) : UINT64_MAX;
    if (device < first) first = device;
  }
  return first;
}

// --- looking at them ---

struct fabric_counts racks_counts(const struct racks *r) {
  struct fabric_counts sum = {0};
  for (unsigned n = 0; n < r->topology->count; n++) {
    const struct fabric_counts c = fabric_counts(r->racks[n].fabric);
    sum.redirected += c.redirected;
    sum.forwarded += c.forwarded;
    sum.dropped += c.dropped;
    sum.bad_fcs += c.bad_fcs;
    sum.unknown += c.unknown;
    sum.pauses += c.pauses;
    for (int h = 0; h < FABRIC_HOPS; h++) {
      sum.hop[h].frames += c.hop[h].frames;
      sum.hop[h].bytes += c.hop[h].bytes;
      sum.hop[h].lost += c.hop[h].lost;
      sum.hop[h].doubled += c.hop[h].doubled;
      sum.hop[h].overtaken += c.hop[h].overtaken;
      sum.hop[h].damaged += c.hop[h].damaged;
    }
  }
  return sum;
}

void racks_finish(struct racks *r) {
  for (unsigned n = 0; n < r->topology->count; n++)
    if (r->racks[n].rtl != NULL) tree_device_finish(r->racks[n].rtl);
}

const char *racks_fault(const struct racks *r) {
  const char *fault = NULL;
  for (unsigned n = 0; n < r->topology->count && fault == NULL; n++)
    if (r->racks[n].rtl != NULL) fault = tree_device_fault(r->racks[n].rtl);
  return fault;
}

uint64_t racks_compared(const struct racks *r) {
  uint64_t sum = 0;
  for (unsigned n = 0; n < r->topology->count; n++)
    if (r->racks[n].rtl != NULL) sum += tree_device_compared(r->racks[n].rtl);
  return sum;
}

uint64_t racks_followed(const struct racks *r) {
  uint64_t sum = 0;
  for (unsigned n = 0; n < r->topology->count; n++)
    if (r->racks[n].rtl != NULL) sum += tree_device_followed(r->racks[n].rtl);
  return sum;
}

const struct relay_counts *racks_relay(const struct racks *r, unsigned node) {
  const struct rack *rack = &r->racks[node];
  return rack->rtl != NULL ? tree_device_counts(rack->rtl) : relay_counts(box_relay(rack->box));
}

bool racks_waiting(const struct racks *r, unsigned ring, unsigned *node, struct model_waiting *out) {
  for (*node = r->topology->count; (*node)-- > 0;)
    if (r->racks[*node].rtl != NULL ? tree_device_waiting(r->racks[*node].rtl, ring, out)
                                    : relay_waiting(box_relay(r->racks[*node].box), ring, out))
      return true;
  return false;
}

struct racks_load racks_load(const struct racks *r, enum fabric_hop hop) {
  struct racks_load load = {0};
  for (unsigned n = 0; n < r->topology->count; n++) {
    const struct topology_node *node = &r->topology->nodes[n];
    for (unsigned p = 0; p < r->racks[n].places; p++) {
      const bool up = p == node->children, host = !up && node->leaf;
      const enum fabric_hop out = host ? FABRIC_DOWN : up ? FABRIC_TO_PARENT : FABRIC_FROM_PARENT;
      if (hop != out && !(host && hop == FABRIC_UP)) continue;
      const struct link_counts c = fabric_cable(r->racks[n].fabric, p, hop != FABRIC_UP);
      if (load.cables++ == 0 || c.bytes < load.least) load.least = c.bytes;
      if (c.bytes > load.most) load.most = c.bytes;
      load.frames += c.frames;
    }
  }
  return load;
}
