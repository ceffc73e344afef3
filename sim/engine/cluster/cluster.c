#include "sim/engine/cluster/cluster_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "wire/rc.h"
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
static uint32_t qpn_of(const struct cluster *c, uint32_t first, const struct seat *s) {
  const uint32_t life = c->options.learn || c->options.turns > 1 ? s->life : 0;
  return first + life * 0x10000 + s->ring * FABRIC_MAX_HOSTS + s->host;
}

static uint32_t sending_qpn(const struct cluster *c, const struct seat *s) { return qpn_of(c, 0x100, s); }
static uint32_t receiving_qpn(const struct cluster *c, const struct seat *s) { return qpn_of(c, 0x8000, s); }

/// The rank to which a seat sends, and the one that sends to it.
static const struct seat *next_of(const struct cluster *c, const struct seat *s) {
  return seat_at(c, s->ring, (s->rank + 1) % job_of(c, s->ring)->ranks);
}

static const struct seat *before(const struct cluster *c, const struct seat *s) {
  const unsigned ranks = job_of(c, s->ring)->ranks;
  return seat_at(c, s->ring, (s->rank + ranks - 1) % ranks);
}

struct conn_key cluster_connection(const struct cluster *c, const struct seat *s) {
  const struct seat *next = next_of(c, s);
  return cluster_key(s->host, next->host, receiving_qpn(c, next));
}

/// PSNs begin anywhere, often near their end; those of an earlier life are old ones.
static uint32_t first_psn(const struct cluster *c, const struct seat *s) {
  struct rng rng = rng_for(c->options.seed, (uint64_t)s->ring << 32 | s->host);
  const uint32_t first = rng_percent(&rng, 50) ? 0xFFFFFF - rng_below(&rng, 64) : rng_below(&rng, 1 << 24);
  return (first + s->life * 0x400000) & PSN_MASK;
}

uint16_t cluster_ring_id(const struct cluster *c, unsigned ring) {
  const bool again = c->options.restart && seat_at(c, ring, 0)->life > 0;
  return (uint16_t)(again ? CLUSTER_RESTART_ID : CLUSTER_RING_ID + ring);
}

static struct worker *new_worker(const struct cluster *c, const struct seat *s) {
  const struct cluster_options *o = &c->options;
  const struct seat *next = next_of(c, s), *last = before(c, s);
  const unsigned number = s->ring * FABRIC_MAX_HOSTS + s->host;
  struct worker_config w = {
      .ring = cluster_ring_id(c, s->ring),
      .rank = (uint8_t)s->rank,
      .kind = job_of(c, s->ring)->kind,
      .workers = (uint16_t)job_of(c, s->ring)->ranks,
      .msglen = o->msglen,
      .window = o->window,
      .msgid = (uint32_t)(0 - o->seed % 8),   // wraps soon
      .verb = o->verb,
      .marks = o->epoch != 0 && (o->verb == RC_SEND_IMM || o->verb == RC_WRITE_IMM),
      .short_last = o->short_last,
      .data_key = cluster_connection(c, last),
      .ack_key = cluster_key(next->host, s->host, sending_qpn(c, s)),
      .requester = {.key = cluster_connection(c, s),
                    .mtu = o->mtu,
                    .psn = first_psn(c, s),
                    .udp_source = (uint16_t)(0xC000 + number),
                    .timeout_ps = o->timeout_ps,
                    .ack_every = o->ack_every,
                    .max_inflight = MAX_INFLIGHT,
                    .pace_ps = s->pace_ps},
      .responder = {.key = cluster_key(s->host, last->host, sending_qpn(c, last)),
                    .psn = first_psn(c, last),
                    .udp_source = (uint16_t)(0xE000 + number),
                    .ack_delay_ps = o->ack_delay_ps,
                    .rnr_percent = o->rnr_percent,
                    .seed = o->seed ^ number},
  };
  cluster_mac(s->host, w.requester.local_mac);
  cluster_mac(next->host, w.requester.peer_mac);
  cluster_mac(s->host, w.responder.local_mac);
  cluster_mac(last->host, w.responder.peer_mac);
  return worker_new(&w);
}

/// Any bits, NaN among them; every second FP32 number is of nearly one size, so that sums are rounded.
static void fill_tensor(const struct cluster *c, struct seat *s) {
  const struct job *job = job_of(c, s->ring);
  struct rng rng = rng_for(c->options.seed + 1 + s->life, (uint64_t)s->ring << 32 | s->host);
  rng_fill(&rng, s->tensor, job->tensor);
  if ((job->kind & 15) != INA_FP32) return;
  for (size_t i = 0; i + 4 <= job->tensor; i += 8) {
    const uint32_t bits = get_le32(s->tensor + i);
    put_le32(s->tensor + i, (bits & 0x807FFFFF) | (126 + (bits >> 29)) << 23);
  }
}

bool cluster_seat(struct cluster *c, struct seat *s) {
  const struct cluster_options *o = &c->options;
  const size_t bytes = job_of(c, s->ring)->tensor;
  worker_free(s->worker);
  s->worker = new_worker(c, s);
  if (s->tensor == NULL) s->tensor = malloc(bytes);
  if (s->result == NULL) s->result = malloc(bytes);
  if (s->echo == NULL && o->storm) s->echo = echo_new(2 * (size_t)o->msglen, ROCE_MAX_HEADER + o->mtu + 8);
  if (s->worker == NULL || s->tensor == NULL || s->result == NULL || (o->storm && s->echo == NULL)) return false;
  s->done_ps = UINT64_MAX;
  s->results = 0;
  s->packets = s->measured_from = 0;
  fill_tensor(c, s);
  memset(s->result, 0, bytes);
  worker_reduce(s->worker, s->tensor, s->result, bytes);
  return true;
}

/// How often a queue pair of a host may send a full packet, so that the host's new packets take their share of its cable.
static uint64_t pace_of(const struct cluster *c, unsigned host) {
  const struct cluster_options *o = &c->options;
  unsigned rings = 0;
  for (unsigned ring = 0; ring < o->jobs.count; ring++) rings += seat_of(c, ring, host) != NULL;
  if (o->offer <= 0) return 0;
  return (uint64_t)((double)(CLUSTER_PACKET_OVERHEAD + o->mtu) * 8000 / o->gbps / o->offer * rings);
}

/// Who is in which ring.
static bool seat_hosts(struct cluster *c) {
  const struct jobs *jobs = &c->options.jobs;
  for (unsigned ring = 0; ring < jobs->count; ring++) {
    c->first_seats[ring] = c->seat_count;
    c->seat_count += jobs->list[ring].ranks;
  }
  c->seats = calloc(c->seat_count, sizeof *c->seats);
  c->places = calloc((size_t)jobs->count * jobs->hosts, sizeof(struct seat *));
  c->turns = calloc(jobs->hosts, sizeof *c->turns);
  if (c->seats == NULL || c->places == NULL || c->turns == NULL) return false;
  for (unsigned ring = 0; ring < jobs->count; ring++) {
    for (unsigned rank = 0; rank < jobs->list[ring].ranks; rank++) {
      const unsigned host = jobs->list[ring].hosts[rank];
      struct seat *s = seat_at(c, ring, rank);
      *s = (struct seat){.ring = ring, .rank = rank, .host = host};
      c->places[ring * jobs->hosts + host] = s;
    }
  }
  return true;
}

static bool seat_workers(struct cluster *c) {
  for (struct seat *s = c->seats; s < c->seats + c->seat_count; s++) {
    s->pace_ps = pace_of(c, s->host);
    if (!cluster_seat(c, s)) return false;
    // A ring with a dead host need not get done.
    s->awaited = c->options.dead == CLUSTER_NOBODY || s->ring > 0;
    c->open += s->awaited;
  }
  return true;
}

struct fabric_config cluster_cables(const struct cluster *c) {
  const struct cluster_options *o = &c->options;
  struct fabric_config f = {.device_gbps = o->gbps,
                            .step_ps = CLUSTER_CYCLE_PS,
                            .delay_ps = o->cable_ps,
                            .pause = o->pause,
                            .pause_bytes = PAUSE_BYTES,
                            .buffer_bytes = o->pause ? SIZE_MAX : BUFFER_BYTES,
                            .seed = o->seed};
  memcpy(f.faults, o->faults, sizeof f.faults);
  return f;
}

static bool open_network(struct cluster *c) {
  const struct cluster_options *o = &c->options;
  struct fabric_config f = cluster_cables(c);
  f.hosts = o->jobs.hosts + o->hostile;
  f.ports = o->config->ports;
  for (unsigned h = 0; h < f.hosts; h++) {
    const bool honest = h < o->jobs.hosts;
    // Hostile hosts share the honest ones' ports.
    f.redirect[h] = (uint8_t)((honest ? h : (h - o->jobs.hosts) % o->jobs.hosts) % o->config->ports);
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

static void device_out(void *user, unsigned port, const uint8_t *frame, size_t len, uint64_t first_cycle, uint64_t last_cycle) {
  (void)first_cycle;
  (void)last_cycle;
  struct cluster *c = user;
  fabric_port_send(c->fabric, port, frame, len);
}

/// Registers take their time; the hosts do not wait for it where the control plane works beside them.
static void control_waits(void *user) {
  struct cluster *c = user;
  if (c->flushing) cluster_move(c);
}

/// Sound, if no cable has a fault and nobody is made to fail or to break the rules.
static enum undecided_input input_of(const struct cluster_options *o) {
  bool faults = o->hostile > 0 || o->restart || o->storm || o->dead != CLUSTER_NOBODY || o->crash || o->reboot != CLUSTER_NOBODY;
  faults = faults || ((o->hold_cycles > 0 || o->pause_to_ps > 0) && !o->pause);
  for (int h = 0; h < FABRIC_HOPS; h++) {
    const struct link_faults *f = &o->faults[h];
    faults = faults || f->loss > 0 || f->dup > 0 || f->reorder > 0 || f->damage > 0;
  }
  return faults ? UNDECIDED_FAULTY : UNDECIDED_SOUND;
}

const struct seat *cluster_register(struct cluster *c) {
  for (unsigned i = 0; !c->options.learn && i < c->seat_count; i++) {
    const struct conn_key key = cluster_connection(c, &c->seats[i]);
    if (bench_connect(c->bench, &key, c->seats[i].ring, c->seats[i].rank) != 0) return &c->seats[i];
  }
  return NULL;
}

static bool open_device(struct cluster *c, char *error, size_t size) {
  const struct cluster_options *o = &c->options;
  const unsigned window = fit_window(o->window);
  for (unsigned r = 0; r < o->jobs.count; r++) {
    c->rings[r] = (struct drive_ring){.enable = true,
                                      .learn = o->learn,
                                      .id = cluster_ring_id(c, r),
                                      .workers = job_of(c, r)->ranks,
                                      .window = window,
                                      .stride = o->msglen};
  }
  c->device_rings = o->jobs.count;
  if (!abuse_open(c)) return false;
  fit_place(c->rings, c->device_rings);
  const struct bench_options b = {
      .drive = {.config = o->config->name, .wave = o->wave, .seed = o->seed, .stall = o->stall},
      .rings = c->rings,
      .ring_count = c->device_rings,
      .input = input_of(o),
      .epoch = o->epoch,
      .history = o->history,
      .user = c,
      .out = device_out,
      .waiting = control_waits,
  };
  c->bench = bench_open(&b, error, size);
  if (c->bench == NULL) return false;
  const struct seat *s = cluster_register(c);
  if (s != NULL) snprintf(error, size, "ring %u, rank %u: the device refuses the connection", CLUSTER_RING_ID + s->ring, s->rank);
  return s == NULL;
}

struct cluster *cluster_open(const struct cluster_options *options, char *error, size_t size) {
  struct cluster *c = calloc(1, sizeof *c);
  snprintf(error, size, "out of memory");
  if (c == NULL) return NULL;
  c->options = *options;
  c->rings = calloc(options->jobs.count + 1, sizeof *c->rings);   // and one for hostile hosts
  const bool room = c->rings != NULL && seat_hosts(c) && seat_workers(c);
  c->hold_from = UINT64_MAX;
  if (room && options->topology != NULL && turns_open(c, error, size)) return c;
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
  for (size_t i = 0; c->seats != NULL && i < c->seat_count; i++) {
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
  free(c->places);
  free(c->turns);
  free(c);
}
