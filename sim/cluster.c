#include "sim/cluster_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/dice.h"
#include "sim/fit.h"
#include "wire/bytes.h"

enum {
  MAX_INFLIGHT = 1 << 20,
  PAUSE_BYTES = 64 << 10,   // of one port in the switch's buffer
  BUFFER_BYTES = 1 << 20    // in front of one output, where nobody is paused
};

static void mac_of(unsigned host, uint8_t mac[6]) {
  const uint8_t local[6] = {0x02, 0x57, 0x45, 0x49, 0x52, (uint8_t)host};
  memcpy(mac, local, 6);
}

/// Packets from one host to a queue pair of another.
static struct conn_key key_of(unsigned from, unsigned to, uint32_t qpn) {
  return (struct conn_key){.src = {10, 0, 0, (uint8_t)(from + 1)}, .dst = {10, 0, 0, (uint8_t)(to + 1)}, .qpn = qpn};
}

static uint32_t sending_qpn(unsigned ring, unsigned host) { return 0x100 + ring * FABRIC_MAX_HOSTS + host; }
static uint32_t receiving_qpn(unsigned ring, unsigned host) { return 0x8000 + ring * FABRIC_MAX_HOSTS + host; }

/// PSNs begin anywhere, often near their end.
static uint32_t first_psn(const struct cluster *c, unsigned ring, unsigned host) {
  struct dice dice = dice_for(c->options.seed, (uint64_t)ring << 32 | host);
  return dice_percent(&dice, 50) ? 0xFFFFFF - dice_below(&dice, 64) : dice_below(&dice, 1 << 24);
}

static struct worker *new_worker(const struct cluster *c, unsigned ring, unsigned host) {
  const struct cluster_options *o = &c->options;
  const unsigned next = (host + 1) % o->hosts, before = (host + o->hosts - 1) % o->hosts;
  struct worker_config w = {
      .ring = (uint16_t)(CLUSTER_RING_ID + ring),
      .rank = (uint8_t)host,
      .kind = o->kind,
      .workers = (uint16_t)o->hosts,
      .msglen = o->msglen,
      .window = o->window,
      .msgid = (uint32_t)(0 - o->seed % 8),   // wraps soon
      .verb = o->verb,
      .short_last = o->short_last,
      .data_key = key_of(before, host, receiving_qpn(ring, host)),
      .ack_key = key_of(next, host, sending_qpn(ring, host)),
      .requester = {.key = key_of(host, next, receiving_qpn(ring, next)),
                    .mtu = o->mtu,
                    .psn = first_psn(c, ring, host),
                    .udp_source = (uint16_t)(0xC000 + ring * FABRIC_MAX_HOSTS + host),
                    .timeout_ps = o->timeout_ps,
                    .ack_every = o->ack_every,
                    .max_inflight = MAX_INFLIGHT},
      .responder = {.key = key_of(host, before, sending_qpn(ring, before)),
                    .psn = first_psn(c, ring, before),
                    .udp_source = (uint16_t)(0xE000 + ring * FABRIC_MAX_HOSTS + host),
                    .ack_delay_ps = o->ack_delay_ps,
                    .rnr_percent = o->rnr_percent,
                    .seed = o->seed ^ (ring * FABRIC_MAX_HOSTS + host)},
  };
  mac_of(host, w.requester.local_mac);
  mac_of(next, w.requester.peer_mac);
  mac_of(host, w.responder.local_mac);
  mac_of(before, w.responder.peer_mac);
  return worker_new(&w);
}

/// Any bits, NaN among them; every second FP32 number is of nearly one size, so that sums are rounded.
static void fill_tensor(struct cluster *c, unsigned ring, unsigned host, uint8_t *tensor) {
  struct dice dice = dice_for(c->options.seed + 1, (uint64_t)ring << 32 | host);
  dice_fill(&dice, tensor, c->options.tensor);
  if ((c->options.kind & 15) != INA_FP32) return;
  for (size_t i = 0; i + 4 <= c->options.tensor; i += 8) {
    const uint32_t bits = get_le32(tensor + i);
    put_le32(tensor + i, (bits & 0x807FFFFF) | (126 + (bits >> 29)) << 23);
  }
}

static bool seat_workers(struct cluster *c) {
  const struct cluster_options *o = &c->options;
  for (unsigned ring = 0; ring < o->rings; ring++) {
    for (unsigned host = 0; host < o->hosts; host++) {
      struct seat *s = seat_at(c, ring, host);
      s->worker = new_worker(c, ring, host);
      s->tensor = malloc(o->tensor);
      s->result = calloc(1, o->tensor);
      s->done_ps = UINT64_MAX;
      if (s->worker == NULL || s->tensor == NULL || s->result == NULL) return false;
      fill_tensor(c, ring, host, s->tensor);
      worker_reduce(s->worker, s->tensor, s->result, o->tensor);
      // A ring with a dead host does not get done.
      if (o->dead == CLUSTER_NOBODY || ring > 0) c->open++;
    }
  }
  return true;
}

static bool open_network(struct cluster *c) {
  const struct cluster_options *o = &c->options;
  struct fabric_config f = {
      .hosts = o->hosts,
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
  for (unsigned h = 0; h < o->hosts; h++) {
    f.redirect[h] = (uint8_t)(h % o->config->ports);
    f.gbps[h] = h == o->slow ? o->gbps / 1000 : o->host_gbps > 0 ? o->host_gbps : o->gbps;
  }
  c->fabric = fabric_new(&f);
  return c->fabric != NULL;
}

static void device_out(void *user, unsigned port, const uint8_t *frame, size_t len, uint64_t first_cycle, uint64_t last_cycle) {
  (void)first_cycle;
  (void)last_cycle;
  struct cluster *c = user;
  fabric_port_send(c->fabric, port, frame, len);
}

static bool open_device(struct cluster *c, char *error, size_t size) {
  const struct cluster_options *o = &c->options;
  const unsigned window = fit_window(o->window);
  for (unsigned r = 0; r < o->rings; r++) {
    c->rings[r] = (struct drive_ring){.enable = true,
                                      .learn = o->learn,
                                      .id = (uint16_t)(CLUSTER_RING_ID + r),
                                      .workers = o->hosts,
                                      .window = window,
                                      .stride = o->msglen};
  }
  fit_place(c->rings, o->rings);
  const struct bench_options b = {
      .drive = {.config = o->config->name, .wave = o->wave, .seed = o->seed, .stall = o->stall},
      .rings = c->rings,
      .ring_count = o->rings,
      .history = o->history,
      .user = c,
      .out = device_out,
  };
  c->bench = bench_open(&b, error, size);
  if (c->bench == NULL) return false;
  for (unsigned r = 0, index = 0; !o->learn && r < o->rings; r++) {
    for (unsigned h = 0; h < o->hosts; h++) {
      const unsigned next = (h + 1) % o->hosts;
      const struct conn_key key = key_of(h, next, receiving_qpn(r, next));
      if (bench_connect(c->bench, index++, &key, r, h) == 0) continue;
      snprintf(error, size, "ring %u, rank %u: the device refuses the connection", CLUSTER_RING_ID + r, h);
      return false;
    }
  }
  return true;
}

struct cluster *cluster_open(const struct cluster_options *options, char *error, size_t size) {
  struct cluster *c = calloc(1, sizeof *c);
  snprintf(error, size, "out of memory");
  if (c == NULL) return NULL;
  c->options = *options;
  c->rings = calloc(options->rings, sizeof *c->rings);
  c->seats = calloc((size_t)options->rings * options->hosts, sizeof *c->seats);
  c->turns = calloc(options->hosts, sizeof *c->turns);
  if (c->rings == NULL || c->seats == NULL || c->turns == NULL || !seat_workers(c) || !open_network(c) ||
      !open_device(c, error, size)) {
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
    free(c->seats[i].result);
  }
  fabric_free(c->fabric);
  bench_close(c->bench);
  free(c->rings);
  free(c->seats);
  free(c->turns);
  free(c);
}
