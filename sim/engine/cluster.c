#include "sim/engine/cluster_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "hosts/rc.h"
#include "sim/engine/fit.h"
#include "wire/bytes.h"

enum {
  MAX_INFLIGHT = 1 << 20,
  PAUSE_BYTES = 64 << 10,   // of one port in the switch's buffer
  BUFFER_BYTES = 1 << 20    // in front of one output, where nobody is paused
};

void cluster_mac(unsigned host, uint8_t mac[6]) {
  const uint8_t local[6] = {0x02, 0x57, 0x45, 0x49, 0x52, (uint8_t)host};
  memcpy(mac, local, 6);
}

struct conn_key cluster_key(unsigned from, unsigned to, uint32_t qpn) {
  return (struct conn_key){.src = {10, 0, 0, (uint8_t)(from + 1)}, .dst = {10, 0, 0, (uint8_t)(to + 1)}, .qpn = qpn};
}

/// Queue pairs are new with each life of a ring, unless the device has to know them: it keeps registered connections.
static uint32_t qpn_of(const struct cluster *c, uint32_t first, unsigned ring, unsigned host) {
  const uint32_t life = c->options.learn ? seat_at(c, ring, host)->life : 0;
  return first + life * 0x10000 + ring * FABRIC_MAX_HOSTS + host;
}

static uint32_t sending_qpn(const struct cluster *c, unsigned ring, unsigned host) { return qpn_of(c, 0x100, ring, host); }
static uint32_t receiving_qpn(const struct cluster *c, unsigned ring, unsigned host) { return qpn_of(c, 0x8000, ring, host); }

/// PSNs begin anywhere, often near their end; those of an earlier life are old ones.
static uint32_t first_psn(const struct cluster *c, unsigned ring, unsigned host) {
  struct rng rng = rng_for(c->options.seed, (uint64_t)ring << 32 | host);
  const uint32_t first = rng_percent(&rng, 50) ? 0xFFFFFF - rng_below(&rng, 64) : rng_below(&rng, 1 << 24);
  return (first + seat_at(c, ring, host)->life * 0x400000) & PSN_MASK;
}

uint16_t cluster_ring_id(const struct cluster *c, unsigned ring) {
  return (uint16_t)(seat_at(c, ring, 0)->life > 0 ? CLUSTER_RESTART_ID : CLUSTER_RING_ID + ring);
}

static struct worker *new_worker(const struct cluster *c, unsigned ring, unsigned host) {
  const struct cluster_options *o = &c->options;
  const unsigned next = (host + 1) % o->hosts, before = (host + o->hosts - 1) % o->hosts;
  struct worker_config w = {
      .ring = cluster_ring_id(c, ring),
      .rank = (uint8_t)host,
      .kind = o->kind,
      .workers = (uint16_t)o->hosts,
      .msglen = o->msglen,
      .window = o->window,
      .msgid = (uint32_t)(0 - o->seed % 8),   // wraps soon
      .verb = o->verb,
      .short_last = o->short_last,
      .data_key = cluster_key(before, host, receiving_qpn(c, ring, host)),
      .ack_key = cluster_key(next, host, sending_qpn(c, ring, host)),
      .requester = {.key = cluster_key(host, next, receiving_qpn(c, ring, next)),
                    .mtu = o->mtu,
                    .psn = first_psn(c, ring, host),
                    .udp_source = (uint16_t)(0xC000 + ring * FABRIC_MAX_HOSTS + host),
                    .timeout_ps = o->timeout_ps,
                    .ack_every = o->ack_every,
                    .max_inflight = MAX_INFLIGHT,
                    .pace_ps = c->pace_ps},
      .responder = {.key = cluster_key(host, before, sending_qpn(c, ring, before)),
                    .psn = first_psn(c, ring, before),
                    .udp_source = (uint16_t)(0xE000 + ring * FABRIC_MAX_HOSTS + host),
                    .ack_delay_ps = o->ack_delay_ps,
                    .rnr_percent = o->rnr_percent,
                    .seed = o->seed ^ (ring * FABRIC_MAX_HOSTS + host)},
  };
  cluster_mac(host, w.requester.local_mac);
  cluster_mac(next, w.requester.peer_mac);
  cluster_mac(host, w.responder.local_mac);
  cluster_mac(before, w.responder.peer_mac);
  return worker_new(&w);
}

/// Any bits, NaN among them; every second FP32 number is of nearly one size, so that sums are rounded.
static void fill_tensor(struct cluster *c, unsigned ring, unsigned host, uint8_t *tensor) {
  struct rng rng = rng_for(c->options.seed + 1 + seat_at(c, ring, host)->life, (uint64_t)ring << 32 | host);
  rng_fill(&rng, tensor, c->options.tensor);
  if ((c->options.kind & 15) != INA_FP32) return;
  for (size_t i = 0; i + 4 <= c->options.tensor; i += 8) {
    const uint32_t bits = get_le32(tensor + i);
    put_le32(tensor + i, (bits & 0x807FFFFF) | (126 + (bits >> 29)) << 23);
  }
}

bool cluster_seat(struct cluster *c, unsigned ring, unsigned host) {
  const struct cluster_options *o = &c->options;
  struct seat *s = seat_at(c, ring, host);
  worker_free(s->worker);
  s->worker = new_worker(c, ring, host);
  if (s->tensor == NULL) s->tensor = malloc(o->tensor);
  if (s->result == NULL) s->result = malloc(o->tensor);
  if (s->echo == NULL && o->storm) s->echo = echo_new(2 * (size_t)o->msglen, ROCE_MAX_HEADER + o->mtu + 8);
  if (s->worker == NULL || s->tensor == NULL || s->result == NULL || (o->storm && s->echo == NULL)) return false;
  s->done_ps = UINT64_MAX;
  s->results = 0;
  s->packets = s->measured_from = 0;
  fill_tensor(c, ring, host, s->tensor);
  memset(s->result, 0, o->tensor);
  worker_reduce(s->worker, s->tensor, s->result, o->tensor);
  return true;
}

static bool seat_workers(struct cluster *c) {
  const struct cluster_options *o = &c->options;
  for (unsigned ring = 0; ring < o->rings; ring++) {
    for (unsigned host = 0; host < o->hosts; host++) {
      if (!cluster_seat(c, ring, host)) return false;
      // A ring with a dead host need not get done.
      seat_at(c, ring, host)->awaited = o->dead == CLUSTER_NOBODY || ring > 0;
      c->open += seat_at(c, ring, host)->awaited;
    }
  }
  return true;
}

static bool open_network(struct cluster *c) {
  const struct cluster_options *o = &c->options;
  struct fabric_config f = {
      .hosts = o->hosts + o->hostile,
      .ports = o->config->ports,
      .device_gbps = o->gbps,
      .step_ps = CLUSTER_CYCLE_PS,
      .delay_ps = o->cable_ps,
      .pause = o->pause,
      .pause_bytes = PAUSE_BYTES,
      .buffer_bytes = o->pause ? SIZE_MAX : BUFFER_BYTES,
      .seed = o->seed,
  };
  memcpy(f.faults, o->faults, sizeof f.faults);
  for (unsigned h = 0; h < f.hosts; h++) {
    const bool honest = h < o->hosts;
    // Hostile hosts share the honest ones' ports.
    f.redirect[h] = (uint8_t)((honest ? h : (h - o->hosts) % o->hosts) % o->config->ports);
    f.gbps[h] = h == o->slow ? o->gbps / 1000 : honest && o->host_gbps > 0 ? o->host_gbps : o->gbps;
    f.all[h] = !honest;   // not all that is hostile looks like a gradient
  }
  c->fabric = fabric_new(&f);
  for (unsigned h = 0; c->fabric != NULL && h < f.hosts; h++) {
    uint8_t mac[6];
    cluster_mac(h, mac);
    fabric_bind(c->fabric, h, mac);
  }
  return c->fabric != NULL;
}

static bool open_racks(struct cluster *c, char *error, size_t size) {
  const struct cluster_options *o = &c->options;
  struct model_ring *rings = calloc(o->rings, sizeof *rings);
  struct conn_key *keys = calloc((size_t)o->rings * o->hosts, sizeof *keys);
  if (rings == NULL || keys == NULL) {
    free(rings);
    free(keys);
    return false;
  }
  for (unsigned i = 0; i < o->rings * o->hosts; i++) {
    const unsigned ring = i / o->hosts, host = i % o->hosts, next = (host + 1) % o->hosts;
    keys[i] = cluster_key(host, next, receiving_qpn(c, ring, next));
  }
  for (unsigned r = 0; r < o->rings; r++)
    rings[r] = (struct model_ring){.id = cluster_ring_id(c, r),
                                   .window = o->plain ? 1 : fit_window(o->window),
                                   .stride = o->msglen,
                                   .learn = o->learn};
  struct racks_options racks = {
      .topology = o->topology,
      .fabric = {.device_gbps = o->gbps,
                 .step_ps = CLUSTER_CYCLE_PS,
                 .delay_ps = o->cable_ps,
                 .plain = o->plain,
                 .pause = o->pause,
                 .pause_bytes = PAUSE_BYTES,
                 .buffer_bytes = o->pause ? SIZE_MAX : BUFFER_BYTES,
                 .seed = o->seed},
      .slow = o->slow,
      .rings = rings,
      .ring_count = o->rings,
      .keys = o->learn ? NULL : keys,
      .slot_bytes = o->mtu,
      .rtl = o->plain ? RACKS_NONE : o->rtl,
      .seed = o->seed,
      .host_mac = cluster_mac,
  };
  memcpy(racks.fabric.faults, o->faults, sizeof racks.fabric.faults);
  c->racks = racks_new(&racks, error, size);
  free(rings);
  free(keys);
  return c->racks != NULL;
}

static void device_out(void *user, unsigned port, const uint8_t *frame, size_t len, uint64_t first_cycle, uint64_t last_cycle) {
  (void)first_cycle;
  (void)last_cycle;
  struct cluster *c = user;
  fabric_port_send(c->fabric, port, frame, len);
}

/// Sound, if no cable has a fault and nobody is made to fail or to break the rules.
static enum undecided_input input_of(const struct cluster_options *o) {
  bool faults = o->hostile > 0 || o->restart || o->storm || o->dead != CLUSTER_NOBODY || (o->hold_cycles > 0 && !o->pause);
  for (int h = 0; h < FABRIC_HOPS; h++) {
    const struct link_faults *f = &o->faults[h];
    faults = faults || f->loss > 0 || f->dup > 0 || f->reorder > 0 || f->damage > 0;
  }
  return faults ? UNDECIDED_FAULTY : UNDECIDED_SOUND;
}

static bool open_device(struct cluster *c, char *error, size_t size) {
  const struct cluster_options *o = &c->options;
  const unsigned window = fit_window(o->window);
  for (unsigned r = 0; r < o->rings; r++) {
    c->rings[r] = (struct drive_ring){.enable = true,
                                      .learn = o->learn,
                                      .id = cluster_ring_id(c, r),
                                      .workers = o->hosts,
                                      .window = window,
                                      .stride = o->msglen};
  }
  c->device_rings = o->rings;
  if (!abuse_open(c)) return false;
  fit_place(c->rings, c->device_rings);
  const struct bench_options b = {
      .drive = {.config = o->config->name, .wave = o->wave, .seed = o->seed, .stall = o->stall},
      .rings = c->rings,
      .ring_count = c->device_rings,
      .input = input_of(o),
      .history = o->history,
      .user = c,
      .out = device_out,
  };
  c->bench = bench_open(&b, error, size);
  if (c->bench == NULL) return false;
  for (unsigned r = 0, index = 0; !o->learn && r < o->rings; r++) {
    for (unsigned h = 0; h < o->hosts; h++) {
      const unsigned next = (h + 1) % o->hosts;
      const struct conn_key key = cluster_key(h, next, receiving_qpn(c, r, next));
      if (bench_connect(c->bench, index++, &key, r, h) == 0) continue;
      snprintf(error, size, "ring %u, rank %u: the device refuses the connection", CLUSTER_RING_ID + r, h);
      return false;
    }
  }
  return true;
}

/// How often a queue pair may send a full packet, so that the new packets of a host take their share of its cable.
static uint64_t pace_of(const struct cluster_options *o) {
  if (o->offer <= 0) return 0;
  return (uint64_t)((double)(CLUSTER_PACKET_OVERHEAD + o->mtu) * 8000 / o->gbps / o->offer * o->rings);
}

struct cluster *cluster_open(const struct cluster_options *options, char *error, size_t size) {
  struct cluster *c = calloc(1, sizeof *c);
  snprintf(error, size, "out of memory");
  if (c == NULL) return NULL;
  c->options = *options;
  c->pace_ps = pace_of(options);
  c->rings = calloc(options->rings + 1, sizeof *c->rings);   // and one for hostile hosts
  c->seats = calloc((size_t)options->rings * options->hosts, sizeof *c->seats);
  c->turns = calloc(options->hosts, sizeof *c->turns);
  const bool room = c->rings != NULL && c->seats != NULL && c->turns != NULL && seat_workers(c);
  c->hold_from = UINT64_MAX;
  if (room && options->topology != NULL && open_racks(c, error, size)) return c;
  if (!room || options->topology != NULL || !open_network(c) || !open_device(c, error, size)) {
    cluster_close(c);
    return NULL;
  }
  bench_warm_up(c->bench);
  c->start = bench_cycle(c->bench);
  return c;
}

void cluster_close(struct cluster *c) {
  if (c == NULL) return;
  for (size_t i = 0; c->seats != NULL && i < (size_t)c->options.rings * c->options.hosts; i++) {
    worker_free(c->seats[i].worker);
    free(c->seats[i].tensor);
    echo_free(c->seats[i].echo);
    free(c->seats[i].result);
  }
  abuse_close(c);
  fabric_free(c->fabric);
  racks_free(c->racks);
  bench_close(c->bench);
  free(c->rings);
  free(c->seats);
  free(c->turns);
  free(c);
}
