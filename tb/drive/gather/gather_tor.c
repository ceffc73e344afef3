#include "drive/gather/gather_tor.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drive/core.h"
#include "drive/gather/gather_frame.h"
#include "drive/gather/gather_device.h"
#include "model/gather_lockstep.h"
#include "model/gather_tally.h"

enum {
  LINGER = 256,     // cycles, more than the delay, that the clock goes on after the last beat: what should not be inside leaves
  STUCK = 100000,   // cycles without any beat while PRs are inside
  LONGEST = 1536,   // bytes of a frame that a MAC can keep
  GAP = 20 + 4      // bytes a frame on a cable that the device does not send
};

struct tor {
  struct gather_switch_options o;
  const struct gather_config *config;
  gather_send_fn *send;
  void *fabric;
  struct gather_device *device;
  struct gather_lockstep **golden;   // of each pipe; NULL without caches
  struct gather_fifo *waiting;       // of each port and class, until they are offered
  unsigned *turn;                    // of each port: the class that was offered last
  double *cable_free_at;             // of each port
  uint64_t now, moved;               // cycles of the network: this one, that of the latest beat or packet
  uint64_t packets_in, packets_out, lookups, to_look_up;
  uint64_t thrown[GATHER_CLASSES], thrown_prs;   // frames, and PRs in them
  uint64_t perhaps;   // of `to_look_up`, those that were inside when a generation began, or are of another one
  uint16_t generation;
  uint32_t keep;   // ports whose responses are cached, a bit each
  struct gather_tally in, out;
  size_t most_waiting;
  uint32_t pauses;   // classes that it was last told to send no more of
  bool dead;
  char fault[160];
};

static void fault(struct tor *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fault(struct tor *t, const char *format, ...) {
  t->dead = true;
  if (t->fault[0] != '\0') return;   // the first one tells most
  const int used = snprintf(t->fault, sizeof t->fault, "switch of rack %" PRIu32 ", ", t->o.rack);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(t->fault + used, sizeof t->fault - (size_t)used, format, arguments);
  va_end(arguments);
}

// --- what the device tells ---

static void lookup(void *user, unsigned pipe, const struct gather_lookup *event) {
  struct tor *t = user;
  char text[128];
  t->lookups++;
  if (t->golden == NULL)
    fault(t, "pipe %u, cycle %" PRIu64 ": a look-up, but there is no cache", pipe, event->cycle);
  else if (!gather_lockstep_lookup(t->golden[pipe], event, text, sizeof text))
    fault(t, "pipe %u, %s", pipe, text);
}

static void failed(void *user, uint64_t cycle, const char *where) {
  fault(user, "cycle %" PRIu64 ": assertion failed at %s", cycle, where);
}

static void thrown(void *user, unsigned class, unsigned prs) {
  struct tor *t = user;
  t->thrown[class]++;
  t->thrown_prs += prs;
}

/// Whether a packet for a node leaves by this port: of responses, if they were in some pipe.
static bool may_leave(const struct tor *t, enum gather_type type, uint32_t dest, unsigned port) {
  const struct gather_topology *net = &t->o.topology;
  if (type == GATHER_READ) return gather_tor_port(net, type, t->o.rack, dest, gather_pipe_of(net, dest)) == port;
  for (unsigned m = 0; m < t->config->pipes; m++)
    if (gather_tor_port(net, type, t->o.rack, dest, m) == port) return true;
  return false;
}

static void leave(void *user, unsigned port, const uint8_t *frame, size_t len) {
  struct tor *t = user;
  const uint8_t *data;
  size_t size;
  struct gather_header h;
  t->packets_out++;
  const enum gather_fault wrong = gather_parse(frame, len, &data, &size, &h);
  const uint64_t cycle = gather_device_cycles(t->device);
  if (wrong != GATHER_GOOD) {
    fault(t, "cycle %" PRIu64 ": frame of %zu bytes out of port %u: %s", cycle, len, port, gather_fault_text(wrong));
    return;
  }
  if (h.dest >= t->o.topology.nodes || !may_leave(t, (enum gather_type)h.type, h.dest, port) ||
      !gather_frame_addressed(frame, t->o.element, h.dest)) {
    fault(t, "cycle %" PRIu64 ": frame for node %" PRIu32 " out of port %u, or with addresses that are wrong", cycle, h.dest,
          port);
    return;
  }
  for (uint32_t i = 0; i < h.count; i++) {
    struct gather_request r;
    gather_get_pr(data, &h, i, &r);
    gather_tally_add(&t->out, &r.pr);
  }
  const double from = t->cable_free_at[port] > (double)t->now ? t->cable_free_at[port] : (double)t->now;
  t->cable_free_at[port] = from + (double)(len + GAP) * t->o.byte_cycles;
  t->send(t->fabric, t->o.element, port, gather_packet_new(data, size, t->o.element));
}

// --- what the network wants ---

static enum gather_class class_of(const struct gather_packet *p) {
  struct gather_header h = {0};
  return gather_check(p->data, p->len, &h) == GATHER_GOOD ? gather_class_of(h.type) : GATHER_ASKS;
}

/// Ports with a cable.
static unsigned ports_used(const struct tor *t) { return gather_rack_size(&t->o.topology) + t->o.topology.spines; }

static void receive(void *self, uint64_t now, unsigned port, struct gather_packet *p) {
  struct tor *t = self;
  struct gather_fifo *f = &t->waiting[port * GATHER_CLASSES + class_of(p)];
  p->at = now + t->o.latency;
  p->port = port;
  gather_fifo_put(f, p);
  if (f->count > t->most_waiting) t->most_waiting = f->count;
}

/// The packet of a port that the device takes next, of the classes in turn; NULL: none, or it has one that is not wholly in.
static struct gather_packet *next_in(struct tor *t, unsigned port, uint64_t now, uint32_t pauses) {
  if (gather_device_offered(t->device, port)) return NULL;
  for (unsigned i = 0; i < GATHER_CLASSES; i++) {
    t->turn[port] = (t->turn[port] + 1) % GATHER_CLASSES;
    struct gather_fifo *f = &t->waiting[port * GATHER_CLASSES + t->turn[port]];
    if (f->first != NULL && f->first->at <= now && !(pauses >> (2 * port + t->turn[port]) & 1)) return gather_fifo_take(f);
  }
  return NULL;
}

/// Classes for which there is no room in front of cables, as the device has them.
static uint32_t pauses_of(const struct tor *t) {
  uint32_t pauses = 0;
  for (unsigned p = 0; t->o.room != NULL && p < ports_used(t); p++)
    for (unsigned c = 0; c < GATHER_CLASSES; c++)
      pauses |= (uint32_t)!t->o.room(t->fabric, t->o.element, p, (enum gather_class)c) << (2 * p + c);
  return pauses;
}

/// PRs that came and have not left.
static uint64_t inside(const struct tor *t) { return t->in.count - t->out.count - t->thrown_prs; }

/// A packet as a frame at its port, and what it must lead to.
static void offer(struct tor *t, unsigned port, struct gather_packet *p) {
  struct gather_header h = {0};
  uint8_t frame[GATHER_MAX_FRAME];
  const bool good = gather_check(p->data, p->len, &h) == GATHER_GOOD && h.dest < t->o.topology.nodes;
  const size_t len = gather_frame_make(p, (uint32_t)t->packets_in, frame);
  gather_device_offer(t->device, port, frame, len);
  if (t->o.taken != NULL) t->o.taken(t->fabric, t->o.element, port, class_of(p), p->len);
  t->packets_in++;
  for (uint32_t i = 0; good && i < h.count; i++) {
    struct gather_request r;
    gather_get_pr(p->data, &h, i, &r);
    gather_tally_add(&t->in, &r.pr);
    const bool looks = t->golden != NULL && (h.type == GATHER_READ || (t->keep >> port & 1) != 0);
    t->to_look_up += looks;
    t->perhaps += looks && h.generation != t->generation;
  }
  free(p);
}

static void step(void *self, uint64_t now) {
  struct tor *t = self;
  uint32_t ready = 0;
  t->now = now;
  if (t->dead) return;
  const uint32_t pauses = gather_device_pauses(t->device), paused = pauses_of(t);
  for (unsigned p = 0; p < t->config->ports; p++) {
    struct gather_packet *packet = next_in(t, p, now, pauses);
    if (packet != NULL) {
      offer(t, p, packet);
      t->moved = now;
    }
    if (t->cable_free_at[p] <= (double)now + LONGEST * t->o.byte_cycles) ready |= UINT32_C(1) << p;
  }
  gather_device_pause(t->device, paused);
  const bool moved = gather_device_tick(t->device, ready), cables_wait = ready != (UINT32_C(1) << t->config->ports) - 1;
  if (moved || (cables_wait && inside(t) > 0)) t->moved = now;
  if (paused != t->pauses) t->moved = now;
  t->pauses = paused;
  if (now - t->moved > STUCK && paused == 0)
    fault(t, "cycle %" PRIu64 ": PRs are inside and none leaves", gather_device_cycles(t->device));
}

static uint64_t next(const void *self) {
  const struct tor *t = self;
  uint64_t at = GATHER_NEVER;
  if (t->dead) return at;
  // What stands still because of its receivers wakes up when there is room, or when it has waited for too long.
  const uint64_t still = t->o.pipe.concat.delay + t->o.pause_limit + LINGER;
  if (pauses_of(t) != t->pauses || (inside(t) > 0 && (t->pauses == 0 || t->now - t->moved <= still)) ||
      (t->packets_in > 0 && t->now - t->moved <= t->o.pipe.concat.delay + LINGER))
    return t->now + 1;
  for (unsigned p = 0; p < t->config->ports * GATHER_CLASSES; p++) {
    const struct gather_packet *first = t->waiting[p].first;
    if (first != NULL && first->at < at) at = first->at;
  }
  return at;
}

static void invalidate(void *self, uint16_t generation, uint32_t len) {
  struct tor *t = self;
  const uint32_t all = (UINT32_C(1) << t->config->ports) - 1, nodes = (UINT32_C(1) << gather_rack_size(&t->o.topology)) - 1;
  t->keep = t->o.cache_uplinks ? all & ~nodes : all;
  t->generation = generation;
  t->perhaps += inside(t);
  for (unsigned m = 0; t->golden != NULL && m < t->config->pipes; m++) gather_lockstep_announce(t->golden[m], generation);
  gather_device_set_cache(t->device, generation, t->golden != NULL ? t->o.pipe.cache_mode : 0, len, t->keep);
  for (unsigned m = 0; t->golden != NULL && m < t->config->pipes; m++) gather_lockstep_invalidate(t->golden[m]);
}

// --- at the end ---

static bool balanced(const void *self) {
  const struct tor *t = self;
  for (unsigned p = 0; p < t->config->ports * GATHER_CLASSES; p++)
    if (t->waiting[p].first != NULL || gather_device_offered(t->device, p / GATHER_CLASSES)) return false;
  // Which PRs were thrown away is not known, but how many.
  return t->thrown_prs > 0 ? inside(t) == 0 : gather_tally_equal(&t->in, &t->out);
}

static uint64_t port_sum(const struct tor *t, enum gather_port_counter which) {
  uint64_t sum = 0;
  for (unsigned p = 0; p < t->config->ports; p++) sum += gather_device_port_count(t->device, p, which);
  return sum;
}

static uint64_t pipe_sum(const struct tor *t, enum gather_pipe_counter which) {
  uint64_t sum = 0;
  for (unsigned m = 0; m < t->config->pipes; m++) sum += gather_device_pipe_count(t->device, m, which);
  return sum;
}

static struct gather_switch_counts counts(const void *self) {
  const struct tor *t = self;
  struct gather_switch_counts c = {.forwarded = port_sum(t, GATHER_PORT_TAKEN),
                                   .malformed = port_sum(t, GATHER_PORT_RX) - port_sum(t, GATHER_PORT_TAKEN),
                                   .most_waiting = t->most_waiting,
                                   .clocked = gather_device_cycles(t->device)};
  c.concat.prs = pipe_sum(t, GATHER_PIPE_PRS);
  c.not_turned = pipe_sum(t, GATHER_PIPE_NOT_TURNED);
  c.thrown = pipe_sum(t, GATHER_PIPE_THROWN_READS) + pipe_sum(t, GATHER_PIPE_THROWN_RESPONSES);
  c.concat.full = pipe_sum(t, GATHER_PIPE_FULL);
  c.concat.expired = pipe_sum(t, GATHER_PIPE_LATE);
  c.concat.other_len = pipe_sum(t, GATHER_PIPE_LENGTH);
  c.concat.pool_flushes = pipe_sum(t, GATHER_PIPE_ROOM);
  c.concat.waits_pool = pipe_sum(t, GATHER_PIPE_WAITS_STORAGE);
  for (unsigned m = 0; m < t->config->pipes; m++) {
    const uint32_t latest = gather_device_pipe_count(t->device, m, GATHER_PIPE_LATEST);
    if (latest > c.concat.latest) c.concat.latest = latest;
  }
  c.concat.packets = c.concat.full + c.concat.expired + c.concat.other_len + c.concat.pool_flushes;
  // The device does not count what it looked up, nor what was there already.
  for (unsigned m = 0; t->golden != NULL && m < t->config->pipes; m++)
    gather_cache_add(&c.cache, gather_lockstep_counts(t->golden[m]));
  c.cache.hits = pipe_sum(t, GATHER_PIPE_HITS);
  c.cache.inserted = pipe_sum(t, GATHER_PIPE_INSERTED);
  c.cache.evicted = pipe_sum(t, GATHER_PIPE_EVICTED);
  return c;
}

static void compare(struct tor *t, const char *name, uint64_t device, uint64_t bench) {
  if (device != bench) fault(t, "%s: %" PRIu64 " by the device, %" PRIu64 " by the bench", name, device, bench);
}

static const char *first_fault(void *self) {
  struct tor *t = self;
  const struct gather_switch_counts c = counts(t);
  struct gather_cache_counts seen = {0};
  for (unsigned m = 0; t->golden != NULL && m < t->config->pipes; m++)
    gather_cache_add(&seen, gather_lockstep_counts(t->golden[m]));
  compare(t, "frames received", port_sum(t, GATHER_PORT_RX), t->packets_in);
  compare(t, "frames sent", port_sum(t, GATHER_PORT_SENT), t->packets_out);
  compare(t, "packets closed", c.concat.packets, t->packets_out + c.thrown);
  compare(t, "frames of reads thrown away", pipe_sum(t, GATHER_PIPE_THROWN_READS), t->thrown[GATHER_ASKS]);
  compare(t, "frames of responses thrown away", pipe_sum(t, GATHER_PIPE_THROWN_RESPONSES), t->thrown[GATHER_BRINGS]);
  // The bench pauses when it is asked to.
  compare(t, "packets without room", port_sum(t, GATHER_PORT_NO_ROOM_READS) + port_sum(t, GATHER_PORT_NO_ROOM_RESPONSES), 0);
  compare(t, "PRs in", c.concat.prs, t->in.count);
  const uint64_t looked = t->lookups + c.not_turned;
  if (looked > t->to_look_up || looked + t->perhaps < t->to_look_up) compare(t, "look-ups", looked, t->to_look_up);
  compare(t, "hits", c.cache.hits, seen.hits);
  compare(t, "insertions", c.cache.inserted, seen.inserted);
  compare(t, "evictions", c.cache.evicted, seen.evicted);
  return t->fault[0] != '\0' ? t->fault : NULL;
}

// --- building ---

const struct gather_config *gather_tor_config(const struct gather_topology *t, const struct gather_pipe_options *pipe,
                                              char *error, size_t size) {
  const struct gather_concat_options *c = &pipe->concat;
  const unsigned ports = gather_rack_size(t) + t->spines;
  size_t count;
  const struct gather_config *configs = gather_configs(&count);
  snprintf(error, size, "no switch with %s queues in this build", c->virtual_queues ? "virtual" : "static");
  if (c->mtu != GATHER_CONFIG_MTU || c->upper != GATHER_CONFIG_UPPER) {
    snprintf(error, size,
             "the switch makes packets of %d bytes, %d of them around the concatenation header; --mtu and --upper must be these",
             GATHER_CONFIG_MTU, GATHER_CONFIG_UPPER);
    return NULL;
  }
  for (const struct gather_config *g = configs; g < configs + count; g++) {
    if (g->virtual_queues != c->virtual_queues) continue;
    if (t->nodes > g->nodes)
      snprintf(error, size, "the switch knows %u nodes; --nodes %" PRIu32 " is too many", g->nodes, t->nodes);
    else if (ports > g->ports)
      snprintf(error, size, "the switch has %u ports; %" PRIu32 " nodes a rack and %" PRIu32 " spines want %u", g->ports,
               gather_rack_size(t), t->spines, ports);
    else if (c->delay > g->expiry)
      snprintf(error, size, "the switch delays up to %u cycles; --delay-switch %" PRIu64 " is too much", g->expiry, c->delay);
    else if (pipe->cache_sets != 0 && pipe->cache_sets != g->sets)
      snprintf(error, size, "a pipe of the switch has %u sets; --cache-sets %" PRIu32 " must be %u or 0", g->sets,
               pipe->cache_sets, g->sets);
    else
      return g;
  }
  return NULL;
}

static void tor_free(void *self) {
  struct tor *t = self;
  gather_device_close(t->device);
  for (unsigned m = 0; t->golden != NULL && m < t->config->pipes; m++) gather_lockstep_free(t->golden[m]);
  for (unsigned p = 0; t->waiting != NULL && p < t->config->ports * GATHER_CLASSES; p++) gather_fifo_empty(&t->waiting[p]);
  free(t->golden);
  free(t->waiting);
  free(t->turn);
  free(t->cable_free_at);
  free(t);
}

static bool allocate(struct tor *t) {
  const struct gather_device_calls calls = {.user = t, .lookup = lookup, .thrown = thrown, .out = leave, .failed = failed};
  t->waiting = calloc(t->config->ports * GATHER_CLASSES, sizeof *t->waiting);
  t->turn = calloc(t->config->ports, sizeof *t->turn);
  t->cable_free_at = calloc(t->config->ports, sizeof *t->cable_free_at);
  if (t->o.pipe.cache_sets > 0) {
    t->golden = calloc(t->config->pipes, sizeof *t->golden);
    if (t->golden == NULL) return false;
    for (unsigned m = 0; m < t->config->pipes; m++) {
      t->golden[m] = gather_lockstep_new(t->o.pipe.cache_sets, t->o.pipe.cache_mode);
      if (t->golden[m] == NULL) return false;
    }
  }
  t->device = gather_device_open(t->config, t->o.device.seed + t->o.rack, t->o.rack == 0 ? t->o.device.wave : NULL, &calls);
  return t->waiting != NULL && t->turn != NULL && t->cable_free_at != NULL && t->device != NULL;
}

bool gather_tor_rtl(const struct gather_switch_options *options, gather_send_fn *send, void *fabric, struct gather_switch *out) {
  char error[160];
  uint8_t mac[6], ip[4];
  struct tor *t = calloc(1, sizeof *t);
  if (t == NULL) return false;
  *t = (struct tor){.o = *options, .send = send, .fabric = fabric};
  t->config = gather_tor_config(&options->topology, &options->pipe, error, sizeof error);
  if (t->config == NULL || !allocate(t)) {
    tor_free(t);
    return false;
  }
  gather_address(options->element, mac, ip);
  gather_device_set_own(t->device, mac, ip);
  gather_device_set_delay(t->device, (unsigned)options->pipe.concat.delay);
  gather_device_set_pause_limit(t->device, options->pause_limit < UINT32_MAX ? (uint32_t)options->pause_limit : UINT32_MAX);
  for (uint32_t n = 0; n < options->topology.nodes; n++) {
    gather_address(n, mac, ip);
    const struct gather_topology *net = &options->topology;
    gather_device_set_node(t->device, n, mac, ip, gather_tor_port(net, GATHER_READ, options->rack, n, gather_pipe_of(net, n)));
    for (unsigned m = 0; m < t->config->pipes; m++)
      gather_device_set_responses(t->device, n, m, gather_tor_port(net, GATHER_RESPONSE, options->rack, n, m));
  }
  *out = (struct gather_switch){
      .element = {.self = t, .receive = receive, .next = next, .step = step, .keeps = true, .watches = true},
      .free = tor_free,
      .invalidate = invalidate,
      .balanced = balanced,
      .fault = first_fault,
      .counts = counts};
  return true;
}
