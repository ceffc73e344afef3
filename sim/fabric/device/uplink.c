#include "sim/fabric/device/uplink.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "drive/uplink/uplink_drive.h"
#include "sim/fabric/net/tap.h"

enum {
  CYCLE_PS = 3103,      // 322.265625 MHz, as a MAC of 100 Gb/s has it
  QUIET_CYCLES = 128,   // nothing moves for so long, more than any decision takes: nothing is inside, and it is not clocked
  FORGETS = 16384,      // cycles after which no load is left to speak of
  KEPT_FREE = 160       // beats of a queue: a frame that has begun, and the longest one
};

/// A packet that goes through the device.
struct uplink_passing {
  struct uplink_passing *next;
  struct world_packet packet;    // its frame, if it has one, is its own
  uint32_t in;                   // port of the switch
  uint32_t expected;             // that it is to leave by as --uplink's own model says; UINT32_MAX: not known
  unsigned port, queue, beats;   // of the device
  size_t len;
  uint8_t bytes[];
};
struct passing_line {
  struct uplink_passing *first, **last;
};

struct fabric_uplink {
  struct fabric_switch *leaf;
  const struct uplink_config *config;
  struct uplink_drive *drive;
  uint32_t ways[UPLINK_MAX_PORTS], way_count;   // ports of the switch
  uint8_t *way_of;                              // of each port of the switch; UPLINK_MAX_PORTS: it is none
  uint32_t up;                                  // links that are up
  bool by_hash;                                 // and all of them are up: the model of --uplink chooses alike
  bool awake;
  struct passing_line waiting[UPLINK_ALL_PORTS][UPLINK_QUEUES], inside[UPLINK_ALL_PORTS];
  unsigned beats[UPLINK_ALL_PORTS][UPLINK_QUEUES];   // inside
  uint64_t cycle_at, still, wait, catch_up;
  struct reducer_out out;
  struct fabric_uplink_counts counts;
  char fault[200];
};

static void put(struct passing_line *l, struct uplink_passing *p) {
  p->next = NULL;
  if (l->first == NULL) l->last = &l->first;
  *l->last = p;
  l->last = &p->next;
}

static struct uplink_passing *take_at(struct passing_line *l, struct uplink_passing **at) {
  struct uplink_passing *p = *at;
  *at = p->next;
  if (l->last == &p->next) l->last = at;
  return p;
}

// --- frames out ---

// The oldest frame inside with these bytes: those of one flow are in order, and others differ.
static void leaves(void *user, unsigned port, const uint8_t *frame, size_t len) {
  struct fabric_uplink *u = user;
  const bool up = port >= u->config->down;
  for (unsigned from = up ? 0 : u->config->down; from < (up ? u->config->down : u->config->down + u->config->up); from++)
    for (struct uplink_passing **at = &u->inside[from].first; *at != NULL; at = &(*at)->next) {
      if ((*at)->len != len || memcmp((*at)->bytes, frame, len) != 0) continue;
      struct uplink_passing *p = take_at(&u->inside[from], at);
      const uint32_t to = up ? u->ways[port - u->config->down] : switch_way(u->leaf, &p->packet);
      if (p->expected != UINT32_MAX && p->expected != to && u->fault[0] == 0)
        snprintf(u->fault, sizeof u->fault,
                 "a frame of flow %08x left by port %" PRIu32 ", and the model of --uplink says %" PRIu32, p->packet.flow, to,
                 p->expected);
      u->counts.passed++;
      u->beats[from][p->queue] -= p->beats;
      u->out.send(u->out.user, p->in, to, &p->packet);
      free(p);
      return;
    }
  if (u->fault[0] == 0) snprintf(u->fault, sizeof u->fault, "a frame left by port %u of the device that did not go in", port);
}

// --- frames in ---

static void tick(struct fabric_uplink *u) {
  const struct uplink_config *c = u->config;
  for (unsigned p = 0; p < c->down + c->up; p++) {
    if (uplink_drive_offered(u->drive, p)) continue;
    // The urgent ones have the lower queue, and go first.
    for (unsigned q = 0; q < UPLINK_QUEUES; q++) {
      struct passing_line *l = &u->waiting[p][q];
      if (l->first == NULL || u->beats[p][q] + l->first->beats + KEPT_FREE > c->room) continue;
      struct uplink_passing *one = take_at(l, &l->first);
      u->wait--;
      u->beats[p][q] += one->beats;
      uplink_drive_offer(u->drive, p, one->bytes, one->len);
      put(&u->inside[p], one);
      break;
    }
  }
  const uint32_t all = (UINT32_C(1) << (c->down + c->up)) - 1;
  u->still = uplink_drive_tick(u->drive, all) ? 0 : u->still + 1;
}

// A link that goes down does so before the next frame.
static void look_at_links(struct fabric_uplink *u) {
  uint32_t up = 0;
  for (uint32_t i = 0; i < u->way_count; i++) up |= (uint32_t)!u->leaf->port[u->ways[i]].cut << i;
  if (up == u->up) return;
  u->up = up;
  u->by_hash = false;
  uplink_drive_links(u->drive, up);
}

// Time that went by while nothing was to do counts for flowlets and loads, up to when all are over.
static void wake_up(struct fabric_uplink *u, uint64_t now) {
  if (u->awake) return;
  uint64_t slept = now > u->cycle_at ? (now - u->cycle_at) / CYCLE_PS : 0;
  if (slept > u->catch_up) slept = u->catch_up;
  for (; slept > 0; slept--) tick(u);
  u->awake = true;
  u->cycle_at = now;
}

static bool take(void *self, uint32_t in, const struct world_packet *packet) {
  struct fabric_uplink *u = self;
  const struct uplink_config *c = u->config;
  const bool from_up = u->way_of[in] < UPLINK_MAX_PORTS, to_up = u->leaf->net->leaf[packet->dst] != u->leaf->number;
  if (from_up == to_up) return false;
  look_at_links(u);
  wake_up(u, world_now(u->leaf->world));
  uint8_t frame[TAP_FRAME];
  const size_t len = tap_frame(packet, frame), whole = len < UPLINK_SHORTEST ? UPLINK_SHORTEST : len;
  struct uplink_passing *p = need(calloc(1, sizeof *p + whole));
  memcpy(p->bytes, frame, len);
  p->packet = *packet;
  p->in = in;
  p->len = whole;
  p->beats = (unsigned)((whole + UPLINK_BEAT - 1) / UPLINK_BEAT);
  p->queue = packet->class == PACKET_BULK;
  p->port = from_up ? c->down + u->way_of[in] : in % c->down;
  p->expected = to_up && u->by_hash ? switch_way(u->leaf, packet) : UINT32_MAX;
  put(&u->waiting[p->port][p->queue], p);
  if (++u->wait > u->counts.most) u->counts.most = u->wait;
  return true;
}

// --- time ---

static uint64_t next(const void *self) {
  const struct fabric_uplink *u = self;
  return u->awake ? u->cycle_at : WORLD_NEVER;
}

static void step(void *self, const struct reducer_out *out) {
  struct fabric_uplink *u = self;
  u->out = *out;
  look_at_links(u);
  tick(u);
  u->counts.cycles++;
  u->cycle_at = world_now(u->leaf->world) + CYCLE_PS;
  u->awake = u->wait > 0 || u->still < QUIET_CYCLES;
}

// --- making it ---

static uint64_t empty(struct passing_line *l, struct fabric_switch *leaf) {
  uint64_t left = 0;
  for (; l->first != NULL; left++) {
    struct uplink_passing *p = take_at(l, &l->first);
    if (leaf != NULL) leaf->port[p->in].counts.unreachable++;
    free(p->packet.frame);
    free(p);
  }
  return left;
}

static void free_uplink(void *self) {
  struct fabric_uplink *u = self;
  if (u == NULL) return;
  for (unsigned p = 0; p < UPLINK_ALL_PORTS; p++) {
    empty(&u->inside[p], NULL);
    for (unsigned q = 0; q < UPLINK_QUEUES; q++) empty(&u->waiting[p][q], NULL);
  }
  uplink_drive_close(u->drive);
  free(u->way_of);
  free(u);
}

// The ways up: the ports behind which there is no host. Each must lead to all other leaves.
static bool find_ways(struct fabric_uplink *u) {
  const struct net *n = u->leaf->net;
  const struct routes *r = u->leaf->routes;
  u->way_of = need(malloc(u->leaf->ports));
  for (uint32_t p = 0; p < u->leaf->ports; p++) {
    const struct net_cable *c = &n->cables[n->at[n->hosts + u->leaf->number][p]];
    const bool host = c->ends[0] < n->hosts || c->ends[1] < n->hosts;
    u->way_of[p] = UPLINK_MAX_PORTS;
    if (host) continue;
    if (u->way_count == u->config->up) return false;
    u->way_of[p] = (uint8_t)u->way_count;
    u->ways[u->way_count++] = p;
  }
  for (uint32_t leaf = 0; leaf < r->leaves; leaf++) {
    const uint32_t *group = &r->ports[r->groups[(size_t)u->leaf->number * r->leaves + leaf]];
    if (leaf == u->leaf->number || u->leaf->net->tiers[leaf] > 1) continue;
    if (group[0] != u->way_count || memcmp(group + 1, u->ways, u->way_count * sizeof *group) != 0) return false;
  }
  return u->way_count > 0;
}

static bool set_up(struct fabric_uplink *u) {
  const struct switch_options *o = &u->leaf->options;
  const uint64_t interval = o->flowlet_ps / CYCLE_PS;
  const struct uplink_settings settings = {.seed = u->leaf->seed,
                                           .with_qp = o->routing != ROUTING_ECMP,
                                           .flowlets = o->routing == ROUTING_FLOWLET,
                                           .interval = interval < 8 ? 8 : (uint32_t)interval};
  const struct uplink_pauses pauses = uplink_drive_pauses();
  u->catch_up = (settings.flowlets ? settings.interval : 0) + FORGETS;
  u->up = (UINT32_C(1) << u->way_count) - 1;
  u->by_hash = !settings.flowlets && u->way_count == u->config->up;
  if (uplink_drive_set(u->drive, &settings, &pauses) != UPLINK_DONE) return false;
  uplink_drive_links(u->drive, u->up);
  return true;
}

struct fabric_uplink *fabric_uplink_new(struct fabric_switch *leaf, uint64_t seed, char *error, size_t size) {
  struct fabric_uplink *u = need(calloc(1, sizeof *u));
  u->leaf = leaf;
  u->config = uplink_config_first();
  snprintf(error, size, "--rtl: %s has %u uplinks, and s%" PRIu32 " has more, or not all of them lead everywhere",
           u->config->name, u->config->up, leaf->number);
  if (find_ways(u)) {
    snprintf(error, size, "--rtl uplink: no device, or it refuses its settings");
    u->drive = uplink_drive_open(u->config, seed, NULL, leaves, u);
    if (u->drive != NULL && set_up(u)) {
      leaf->way = (struct switch_device){u, take, next, step, free_uplink};
      return u;
    }
  }
  free_uplink(u);
  return NULL;
}

struct fabric_uplink_counts fabric_uplink_finish(struct fabric_uplink *u, char *fault, size_t size) {
  uint64_t waiting = 0, mismatches;
  for (unsigned p = 0; p < UPLINK_ALL_PORTS; p++) {
    u->counts.dropped += empty(&u->inside[p], u->leaf);
    for (unsigned q = 0; q < UPLINK_QUEUES; q++) waiting += empty(&u->waiting[p][q], u->leaf);
  }
  // A run that is ended early leaves frames inside, of which nothing can be said.
  if (!u->awake) {
    uplink_drive_finish(u->drive);
    const struct uplink_counts *c = uplink_device_counts(uplink_drive_model(u->drive));
    uint64_t told = c->no_room + c->lost + c->ways[UPLINK_NONE];
    for (unsigned p = 0; p < u->config->down + u->config->up; p++) told += c->skipped[p];
    if ((told != u->counts.dropped || waiting > 0) && u->fault[0] == 0)
      snprintf(u->fault, sizeof u->fault, "%" PRIu64 " frames did not leave the uplink device, which counts %" PRIu64,
               u->counts.dropped, told);
  }
  const char *text = uplink_drive_text(u->drive, &mismatches);
  snprintf(fault, size, "%s", text != NULL ? text : u->fault);
  return u->counts;
}
