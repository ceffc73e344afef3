#include "sim/engine/tree/tree_device.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drive/drive.h"
#include "sim/engine/follow/refinement.h"
#include "sim/engine/follow/told.h"
#include "sim/engine/tree/tree_frames.h"
#include "wire/roce.h"

enum {
  MAX_PENDING = 2,          // frames in front of an input: one goes in, the next is there
  QUIET_CYCLES = 1000,      // nothing goes in or out for so long: nothing is inside
  SETTLE_CYCLES = 100000,   // it is quiet by then
  WARM_UP = 4096            // the device empties its slots after reset, one a cycle
};

struct tree_device {
  struct relay_config config;   // rings and their children are the caller's
  const struct drive_config *built;
  uint64_t seed;
  bool leaf, has_parent;   // of the first ring, as of all
  unsigned children;       // of the first ring
  uint8_t parent_ip[4];    // the same
  struct drive *drive;
  struct relay *model;
  unsigned model_ranks;   // as its limits say; those of `config` are the device's
  struct tree_device_cables cables;
  struct tree_frames *frames;
  struct refinement *refinement;   // the rules of its slots
  uint64_t moved;                  // cycle in which a frame last went in or out
  uint64_t compared, followed;
  struct relay_counts counts;
  char fault[360];
};

static void wrong(struct tree_device *d, const char *what, unsigned port) {
  if (d->fault[0] == 0)
    snprintf(d->fault, sizeof d->fault, "device %u.%u of the tree, port %u: %s", d->config.self.ip[2], d->config.self.ip[3], port,
             what);
}

/// The model sends: what the device will have to.
static void expect(void *user, unsigned port, const uint8_t *data, size_t len) {
  struct tree_device *d = user;
  (void)port;
  tree_frames_expect(d->frames, data, len);
}

// --- the device ---

static void count_out(struct tree_device *d, const uint8_t *frame, size_t len) {
  struct roce_packet p;
  struct ina_header ina;
  roce_parse(frame, len, &p);
  const bool virtual = relay_is_virtual(&p.key) && memcmp(p.key.src, d->config.self.ip, 4) == 0;
  if (relay_is_note(frame, &p, &ina)) return;   // the device counts them
  if (!virtual)
    d->counts.results += d->leaf;
  else if (!d->has_parent || memcmp(p.key.dst, d->parent_ip, 4) != 0)
    d->counts.down++;
}

static void device_out(void *user, unsigned port, const uint8_t *frame, size_t len, uint64_t first, uint64_t last) {
  struct tree_device *d = user;
  (void)first;
  d->moved = last;
  bool known;
  if (tree_frames_check(d->frames, frame, len, &known)) {
    d->compared++;
    count_out(d, frame, len);
  }
  d->cables.send(d->cables.user, port, frame, len);
}

static void device_in(void *user, unsigned port, uint64_t tag, uint64_t first, uint64_t last) {
  struct tree_device *d = user;
  (void)port;
  (void)tag;
  (void)first;
  d->moved = last;
}

/// What the device does must be a step of the protocol's small model.
static void follow(struct tree_device *d, const struct drive_state_event *event) {
  const struct scoreboard_event e = told_event(event);
  char text[300];
  d->followed++;
  if (!refinement_event(d->refinement, &e, text, sizeof text)) wrong(d, text, event->port);
}

static void device_state(void *user, const struct drive_state_event *event) {
  struct tree_device *d = user;
  const unsigned parent = d->config.limits.ranks;   // rank behind those of children; notifications have the next one
  follow(d, event);
  if (event->kind == DRIVE_COMMIT && event->completes) d->counts.completed++;
  if (event->kind != DRIVE_DECIDE || event->fate >= FATE_COUNT) return;
  if (event->rank < parent || !d->has_parent)
    d->counts.fates[event->fate]++;
  else if (event->rank == parent && event->fate == FATE_STORED)
    d->counts.parents++;
  else if (event->rank > parent && event->fate == FATE_DUPLICATE)
    d->counts.notes_in++;
}

static void device_failed(void *user, uint64_t cycle, const char *where) {
  struct tree_device *d = user;
  char text[120];
  snprintf(text, sizeof text, "an assertion failed in cycle %llu: %s", (unsigned long long)cycle, where);
  wrong(d, text, 0);
}

// --- opening one ---

static bool fits(const struct drive_config *c, const struct relay_config *relay, const char **lacks) {
  const bool leaf = relay->rings[0].leaf;
  unsigned slots = 0;
  *lacks = NULL;
  for (size_t i = 0; i < relay->ring_count; i++) {
    const struct relay_ring *r = &relay->rings[i];
    const struct model_ring *ring = &r->ring;
    slots += 2 * ring->window * ring->stride;
    if (ring->window > c->max_window) *lacks = "messages in a window";
    if (ring->workers > c->ranks) *lacks = "children";
  }
  if (slots > c->slots) *lacks = "slots";
  if (relay->ring_count > c->rings) *lacks = "rings";
  if (leaf && relay->rings[0].has_parent && relay->ring_count > c->rows) *lacks = "rows for connections from other leaves";
  if (relay->limits.conns > c->conns) *lacks = "connections";
  if (relay->limits.ports > c->ports) *lacks = "ports";
  if (relay->limits.slot_bytes > c->slot_bytes) *lacks = "bytes in a packet";
  return *lacks == NULL;
}

const struct drive_config *tree_device_config(const struct relay_config *relay, char *error, size_t size) {
  size_t count;
  const char *lacks = NULL, *name = NULL;
  const bool devices = !relay->rings[0].leaf, parent = relay->rings[0].has_parent;
  // One that is alone is an aggregator like any other.
  const struct drive_config *configs = devices || parent ? drive_relay_configs(&count) : drive_configs(&count);
  for (size_t i = 0; i < count; i++) {
    if ((devices && configs[i].spine == 0) || (parent && configs[i].uplink == 0)) continue;
    if (fits(&configs[i], relay, &lacks)) return &configs[i];
    name = configs[i].name;
  }
  if (name == NULL)
    snprintf(error, size, "no device of a tree can stand there (rtl/top/relay_configs.csv)");
  else
    snprintf(error, size, "%s has not so many %s (rtl/top/%s.csv)", name, lacks, devices || parent ? "relay_configs" : "configs");
  return NULL;
}

static int set_relay(const struct tree_device *d, const struct relay_ring *r) {
  if (d->built->spine == 0 && d->built->uplink == 0) return 0;   // it cannot be anything else
  struct drive_relay relay = {.parent = r->has_parent,
                              .devices = !r->leaf,
                              .child = r->child,
                              .siblings = r->siblings,
                              .first = r->first,
                              .total = r->total};
  memcpy(relay.self_mac, d->config.self.mac, 6);
  memcpy(relay.self_ip, d->config.self.ip, 4);
  memcpy(relay.parent_mac, r->parent.mac, 6);
  memcpy(relay.parent_ip, r->parent.ip, 4);
  return drive_set_relay(d->drive, &relay);
}

/// Where its slots begin is all that is not the ring's own.
static struct drive_ring ring_at(const struct tree_device *d, unsigned index, unsigned *base) {
  const struct relay_ring *r = &d->config.rings[index];
  const struct drive_ring ring = {.enable = true,
                                  .learn = r->leaf && r->ring.learn,
                                  .id = r->ring.id,
                                  .workers = r->ring.workers,
                                  .window = r->ring.window,
                                  .stride = r->ring.stride,
                                  .base = *base};
  *base += 2 * ring.window * ring.stride;
  return ring;
}

/// Connections of children; those of workers only if the ring does not learn them.
static bool set_connections(const struct tree_device *d, unsigned ring) {
  const struct relay_ring *r = &d->config.rings[ring];
  if (r->leaf && r->ring.learn) return true;
  for (unsigned child = 0; child < r->ring.workers; child++) {
    const struct conn_key key = r->leaf ? r->workers[child] : relay_key(r->ring.id, &r->children[child], &d->config.self);
    if (drive_set_connection(d->drive, &key, ring, child) != 0) return false;
  }
  return !r->leaf || r->ring.workers == r->total || drive_set_row(d->drive, r->before, ring) == 0;
}

/// `fresh`: no connection of these rings is known.
static bool set_up(const struct tree_device *d, bool fresh) {
  unsigned base = 0;
  for (unsigned i = 0; i < d->config.ring_count; i++) {
    const struct drive_ring ring = ring_at(d, i, &base);
    const struct refinement_ring followed = {
        .workers = ring.workers,
        .window = ring.window,
        .stride = ring.stride,
        .part = {.parent = d->config.rings[i].has_parent, .devices = !d->config.rings[i].leaf},
    };
    if (set_relay(d, &d->config.rings[i]) != 0 || drive_set_ring(d->drive, i, &ring) != 0) return false;
    refinement_set_ring(d->refinement, i, &followed);
    // Those between devices outlive a flush.
    if ((fresh || d->leaf) && !set_connections(d, i)) return false;
  }
  for (unsigned i = 0; i < WARM_UP; i++) drive_step(d->drive);
  return true;
}

/// A new Verilated device.
static bool switch_on(struct tree_device *d, char *error, size_t size) {
  const struct drive_options drive = {.config = d->built->name, .seed = d->seed};
  const struct drive_calls calls = {
      .user = d, .state = device_state, .out = device_out, .in = device_in, .failed = device_failed};
  d->drive = drive_open(&drive, &calls, error, size);
  if (d->drive == NULL) return false;
  refinement_free(d->refinement);
  d->refinement = refinement_new(d->built->ports, (unsigned)d->config.ring_count, d->built->ranks);
  if (drive_set_open(d->drive, (1u << d->built->ports) - 1) == 0 && set_up(d, true)) return true;
  snprintf(error, size, "%s refuses a ring or a connection", d->built->name);
  return false;
}

/// The golden model of a device that knows nothing but its rings.
static bool new_model(struct tree_device *d) {
  struct relay_config with = d->config;
  with.limits.ranks = d->model_ranks;
  relay_free(d->model);
  d->model = relay_new(&with, expect, d);
  if (d->model != NULL) relay_tell_late(d->model, expect, d);
  return d->model != NULL;
}

struct tree_device *tree_device_open(const struct drive_config *config, const struct relay_config *relay,
                                     const struct tree_device_cables *cables, bool damage, uint64_t seed, char *error,
                                     size_t size) {
  struct tree_device *d = calloc(1, sizeof *d);
  snprintf(error, size, "out of memory");
  if (d == NULL) return NULL;
  d->config = *relay;
  d->model_ranks = relay->limits.ranks;
  d->config.limits.ranks = config->ranks;
  d->config.limits.conns = config->conns;
  d->leaf = relay->rings[0].leaf;
  d->has_parent = relay->rings[0].has_parent;
  d->children = relay->rings[0].ring.workers;
  memcpy(d->parent_ip, relay->rings[0].parent.ip, sizeof d->parent_ip);
  d->cables = *cables;
  d->frames = tree_frames_new(damage);
  if (!new_model(d) || d->frames == NULL) {
    tree_device_close(d);
    return NULL;
  }
  d->built = config;
  d->seed = seed;
  if (switch_on(d, error, size)) return d;
  tree_device_close(d);
  return NULL;
}

/// Counters of a device below a parent, added to what it counted before it was switched on again.
static void read_counters(struct tree_device *d) {
  struct relay_counts *c = &d->counts;
  uint64_t *const counts[] = {&c->up,          &c->notes_out, &c->note_refused, &c->bad_parent,
                              &c->no_template, &c->no_row,    &c->table_full};
  for (unsigned i = 0; d->has_parent && i < sizeof counts / sizeof *counts; i++) {
    uint64_t more = 0;
    if (drive_counter(d->drive, 0, DRIVE_UP + i, &more) != 0) wrong(d, "a counter cannot be read", 0);
    *counts[i] += more;
  }
}

void tree_device_reboot(struct tree_device *d) {
  char error[200];
  read_counters(d);
  drive_close(d->drive);
  relay_flush(d->model);
  if (!switch_on(d, error, sizeof error)) abort();   // it was possible before
  d->moved = drive_cycle(d->drive);
}

/// What registers say of rings, and the model's.
static void check_waits(struct tree_device *d) {
  char text[120];
  for (unsigned i = 0; i < d->config.ring_count; i++) {
    bool parent;
    const uint32_t behind = relay_behind(d->model, i, &parent), expected = behind | (parent ? DRIVE_WAITS_PARENT : 0);
    uint32_t waits = 0, units;
    if (drive_waits(d->drive, i, &waits, &units) == 0 && waits == expected) continue;
    snprintf(text, sizeof text, "RING_WAITS of ring %u is %#" PRIx32 ", expected %#" PRIx32, i, waits, expected);
    wrong(d, text, 0);
  }
}

/// When all rings have been flushed nothing is held, and nothing waits; a release leaves no connection.
static void check_empty(struct tree_device *d, bool release) {
  unsigned columns = 1, used = 1, retired = 1;
  if (drive_columns(d->drive, &columns) != 0 || columns != 0) wrong(d, "columns are held after a flush", 0);
  if (drive_connections(d->drive, &used, &retired) != 0 || (release && used != 0))
    wrong(d, "connections are known after a release", 0);
  check_waits(d);
}

bool tree_device_next(struct tree_device *d, bool release) {
  unsigned base = 0;
  check_waits(d);
  for (unsigned i = 0; i < d->config.ring_count; i++) {
    struct drive_ring off = ring_at(d, i, &base);
    off.enable = false;
    if (drive_change_ring(d->drive, i, &off, release) != 0) return false;
  }
  if (!new_model(d)) return false;
  check_empty(d, release);
  d->moved = drive_cycle(d->drive);
  return set_up(d, release);
}

bool tree_device_set_epoch(struct tree_device *d, uint8_t epoch) {
  relay_set_epoch(d->model, epoch);
  return drive_set_epoch(d->drive, epoch) == 0;
}

void tree_device_close(struct tree_device *d) {
  if (d == NULL) return;
  if (d->drive != NULL) drive_close(d->drive);
  tree_frames_free(d->frames);
  refinement_free(d->refinement);
  relay_free(d->model);
  free(d);
}

// --- time ---

void tree_device_step(struct tree_device *d, uint64_t now) {
  struct link_frame f;
  for (unsigned port = 0; port < d->config.limits.ports; port++) {
    while (drive_pending(d->drive, port) < MAX_PENDING && d->cables.receive(d->cables.user, port, now, &f)) {
      relay_rx(d->model, port, f.data, f.len, f.bad_fcs);
      drive_send(d->drive, port, f.data, f.len, f.bad_fcs, 0);
      d->moved = drive_cycle(d->drive);
    }
    d->cables.pause(d->cables.user, port, drive_pending(d->drive, port) >= MAX_PENDING);
    drive_hold(d->drive, port, d->cables.held(d->cables.user, port));
  }
  drive_step(d->drive);
}

bool tree_device_quiet(const struct tree_device *d) {
  for (unsigned port = 0; port < d->config.limits.ports; port++)
    if (drive_pending(d->drive, port) > 0 || d->cables.held(d->cables.user, port)) return false;
  return drive_cycle(d->drive) - d->moved > QUIET_CYCLES;
}

// --- looking at it ---

const struct relay_counts *tree_device_counts(const struct tree_device *d) { return &d->counts; }

bool tree_device_waiting(const struct tree_device *d, unsigned ring, struct model_waiting *out) {
  return relay_waiting(d->model, ring, out);
}

const char *tree_device_fault(const struct tree_device *d) { return d->fault[0] != 0 ? d->fault : NULL; }

/// What is inside leaves, also by outputs that were held for long.
static void settle(struct tree_device *d) {
  for (unsigned port = 0; port < d->config.limits.ports; port++) drive_hold(d->drive, port, false);
  d->moved = drive_cycle(d->drive);
  for (unsigned i = 0; i < SETTLE_CYCLES && drive_cycle(d->drive) - d->moved <= QUIET_CYCLES; i++) drive_step(d->drive);
}

void tree_device_finish(struct tree_device *d) {
  if (d->fault[0] == 0) {
    char text[200];
    settle(d);
    check_waits(d);
    if (!refinement_settled(d->refinement, text, sizeof text)) wrong(d, text, 0);
  }
  if (tree_frames_unknown(d->frames) > 0) wrong(d, "a frame left that is not the model's", 0);
  struct relay_counts *c = &d->counts;
  if (!d->has_parent && !d->leaf) c->again = c->down / d->children - c->completed;   // each to all
  read_counters(d);
  if (d->has_parent) c->again = c->up - c->completed;
}

uint64_t tree_device_compared(const struct tree_device *d) { return d->compared; }
uint64_t tree_device_followed(const struct tree_device *d) { return d->followed; }
