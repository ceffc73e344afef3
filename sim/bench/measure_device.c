// Measurements of the device alone, with frames as they are wanted.
#include <stdlib.h>
#include <string.h>

#include "hosts/link.h"
#include "wire/rc.h"
#include "hosts/requester.h"
#include "sim/engine/bench.h"
#include "sim/bench/measure.h"
#include "sim/engine/pace.h"
#include "sim/report/report.h"

enum {
  MAX_PORTS = 16,
  HANG_CYCLES = 100000,
  FRAME_ROOM = 16384,
  SPACE_CYCLES = 100,   // between two packets; longer than a packet takes through the device
  COLUMNS = 60,
  SHORTEST_FRAME = 60,    // without FCS
  SMALL_FRAMES = 20000,   // a port
  WARM_FRAMES = 200
};

// --- latency of an idle device ---

static struct conn_key key_of(unsigned rank, const struct measurement *what) {
  const uint8_t next = (uint8_t)((rank + 1) % what->hosts);
  return (struct conn_key){.src = {10, 0, 0, (uint8_t)(rank + 1)}, .dst = {10, 0, 0, (uint8_t)(next + 1)}, .qpn = 0x100 + rank};
}

/// One rank's message, packet by packet.
static struct requester *rank_new(unsigned rank, const struct measurement *what, const uint8_t *payload) {
  const uint8_t next = (uint8_t)((rank + 1) % what->hosts);
  const struct requester_config config = {
      .local_mac = {2, 0, 0, 0, 0, (uint8_t)rank},
      .peer_mac = {2, 0, 0, 0, 0, next},
      .key = key_of(rank, what),
      .mtu = what->mtu,
      .udp_source = 0xC000,
      .timeout_ps = UINT64_MAX / 2,
      .max_inflight = COLUMNS,
  };
  const struct rc_message message = {
      .verb = RC_WRITE_IMM,
      .has_ina = true,
      .ina = {.ring = 1, .rank = (uint8_t)rank, .kind = (uint8_t)what->kind, .msglen = COLUMNS, .workers = (uint16_t)what->hosts},
      .payload = payload,
      .length = (size_t)COLUMNS * what->mtu - INA_BYTES,
  };
  struct requester *r = requester_new(&config);
  if (r != NULL) requester_post(r, &message);
  return r;
}

static void step(struct bench *b, unsigned cycles) {
  for (unsigned i = 0; i < cycles; i++) bench_step(b);
}

/// Sends column after column; of each, all packets by themselves, another rank's last.
static void send_columns(struct bench *b, struct requester *const *ranks, unsigned hosts) {
  uint8_t frame[FRAME_ROOM];
  for (unsigned column = 0; column < COLUMNS; column++) {
    for (unsigned i = 1; i <= hosts; i++) {
      const unsigned rank = (column + i) % hosts;
      const size_t len = requester_next(ranks[rank], 0, frame, sizeof frame);
      bench_send(b, rank, frame, len, false);
      // Not in step with anything.
      step(b, SPACE_CYCLES + (column * 7 + i) % 13);
    }
    step(b, 2 * SPACE_CYCLES);
  }
}

static struct bench *open_bench(struct measure *m, const struct measurement *what, const struct drive_ring *ring,
                                void (*out)(void *, unsigned, const uint8_t *, size_t, uint64_t, uint64_t), void *user) {
  const struct bench_options options = {.drive = {.config = what->config, .seed = m->seed},
                                        .rings = ring,
                                        .ring_count = ring != NULL ? 1 : 0,
                                        .user = user,
                                        .out = out};
  struct bench *b = bench_open(&options, m->error, sizeof m->error);
  if (b != NULL) bench_warm_up(b);
  return b;
}

/// Ends a run. False if anything that left the device was wrong.
static bool finish(struct measure *m, struct bench *b) {
  if (bench_finish(b) == 0) return true;
  return measure_fail(m, "%s", bench_text(b, 0));
}

/// One message of every rank through an idle device whose connections the control plane has registered, or which learns them from
/// the first packets.
static bool idle_latency(struct measure *m, const struct measurement *what, bool learn, struct report_latency *latency) {
  const struct drive_ring ring = {
      .enable = true, .learn = learn, .id = 1, .workers = what->hosts, .window = what->window, .stride = COLUMNS};
  struct requester *ranks[MAX_PORTS] = {NULL};
  const size_t size = (size_t)COLUMNS * what->mtu;
  uint8_t *payload = malloc(size);
  struct bench *b = open_bench(m, what, &ring, NULL, NULL);
  bool good = b != NULL && payload != NULL;
  for (size_t i = 0; payload != NULL && i < size; i++) payload[i] = (uint8_t)(i * 7);
  for (unsigned r = 0; good && r < what->hosts; r++) {
    ranks[r] = rank_new(r, what, payload);
    const struct conn_key key = key_of(r, what);
    good = ranks[r] != NULL && (learn || bench_connect(b, &key, 0, r) == 0);
  }
  if (good) {
    send_columns(b, ranks, what->hosts);
    good = finish(m, b);
    size_t count;
    const uint32_t *values = bench_latencies(b, &count);
    *latency = report_latencies(values, count);
    if (good && count != (size_t)COLUMNS * what->hosts) good = measure_fail(m, "%zu results of %u", count, COLUMNS * what->hosts);
  }
  for (unsigned r = 0; r < what->hosts; r++) requester_free(ranks[r]);
  free(payload);
  bench_close(b);
  return good;
}

bool measure_idle_latency(struct measure *m, const struct measurement *what) {
  struct report_latency known, learned;
  if (!idle_latency(m, what, false, &known) || !idle_latency(m, what, true, &learned)) return false;
  measure_add(m, "latency_idle_cycles", known.max, 0, "cycles",
              "pipeline: ICRC, look-up, slot, bank, tree, headers; the longest of all columns")
      ->high = 54;
  measure_add(m, "latency_idle_learned_cycles", learned.max, 0, "cycles",
              "look-up: the packet that makes a connection known asks twice, once in a connection's life");
  return true;
}

// --- smallest frames ---

/// What came out of a port between the first and the last frame that are counted.
struct passing {
  uint64_t frames, first_cycle, last_cycle;
};

static void count_out(void *user, unsigned port, const uint8_t *frame, size_t len, uint64_t first_cycle, uint64_t last_cycle) {
  (void)frame;
  (void)len;
  (void)first_cycle;
  struct passing *p = &((struct passing *)user)[port];
  if (++p->frames == WARM_FRAMES) p->first_cycle = last_cycle;
  p->last_cycle = last_cycle;
}

/// Sends the same frame again and again on all ports, as fast as 100 Gb/s cables bring it.
static void send_small(struct measure *m, struct bench *b, unsigned ports, uint64_t frames) {
  uint8_t frame[SHORTEST_FRAME] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0xB5};   // an EtherType for experiments
  struct trace_frame shape = {.len = sizeof frame};
  struct pace pace;
  pace_init(&pace, PACE_LINE, bench_cycle(b), 0);
  for (uint64_t sent = 0; sent < frames && !bench_stopped(b);) {
    // Cables of all ports are in step; a frame that is not taken in time waits in front of its port, as in a MAC.
    if (pace_earliest(&pace, &shape) <= bench_cycle(b)) {
      for (unsigned p = 0; p < ports; p++) bench_send(b, p, frame, sizeof frame, false);
      pace_started(&pace, &shape, bench_cycle(b));
      if (++sent % 1024 == 0) measure_progress(m, sent, frames);
    }
    bench_step(b);
  }
}

bool measure_small_frames(struct measure *m, const struct measurement *what) {
  struct passing passing[MAX_PORTS] = {0};
  struct bench *b = open_bench(m, what, NULL, count_out, passing);
  if (b == NULL) return false;
  const uint64_t frames = m->quick ? SMALL_FRAMES / 10 : SMALL_FRAMES;
  send_small(m, b, what->hosts, frames);
  bool good = bench_settle(b, HANG_CYCLES) && finish(m, b);
  double slowest = 1e9;
  for (unsigned p = 0; p < what->hosts; p++) {
    const struct passing *s = &passing[p];
    if (good && s->frames != frames)
      good = measure_fail(m, "port %u: %llu frames of %llu", p, (unsigned long long)s->frames, (unsigned long long)frames);
    const double rate = (double)(s->frames - WARM_FRAMES) / (double)(s->last_cycle - s->first_cycle) * 1e3 / PACE_NS;
    if (rate < slowest) slowest = rate;
  }
  const double line = 1e5 / (8 * (SHORTEST_FRAME + LINK_OVERHEAD));
  const bool wire = slowest > 0.999 * line;
  const char *bound = wire ? "wire" : "device: a port takes every frame two cycles at least, 64 B on the wire are 1.68";
  measure_add(m, "small_frames_mpps_per_port", slowest, 1, "Mpps", "%s", bound);
  measure_add(m, "small_frames_line_rate", 100 * slowest / line, 1, "%", "%s; the wire carries %.1f Mpps",
              wire ? "wire" : "device", line);
  bench_close(b);
  return good;
}
