// Measurements with hosts in closed loop: line rate, and what a window makes of a round trip.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/engine/cluster/cluster.h"
#include "sim/bench/measure.h"
#include "sim/engine/pace.h"
#include "sim/engine/cluster/pilot.h"
#include "sim/report/report.h"

enum {
  MSGLEN = 170,        // of the published prototype
  LINE_GBPS = 100,     // of every port
  FASTER_GBPS = 128,   // of a host that can keep a port of the device busy and send ACKs as well
  STEPS_A_LOOK = 4096
};

/// What a run in closed loop found.
struct rate {
  double gbps;                        // payload a port, of the slowest
  double most_gbps;                   // that the cable to the device could carry of these packets
  double payload_bytes, wire_bytes;   // of a message
  uint64_t packets, drops, stalls;    // packets: of a port
  struct report_latency latency;
  double goodput;    // new packets that were answered, of those offered
  uint64_t copies;   // sent in a storm
};

/// When the results came in at one host.
struct arrivals {
  size_t results, first, last;   // first, last: counted results at the two times
  uint64_t first_ps, last_ps;
};

struct cluster_options measure_cluster(const struct measure *m, const struct measurement *what) {
  size_t count;
  const struct drive_config *named = drive_config_named(what->config), *config = named != NULL ? named : drive_configs(&count);
  const unsigned messages = m->quick ? what->messages / 20 + 4 * what->window : what->messages;
  struct cluster_options o = {.config = config,
                              .seed = m->seed,
                              .window = what->window,
                              .msglen = MSGLEN,
                              .mtu = what->mtu,
                              .verb = RC_WRITE_IMM,
                              .learn = true,
                              .gbps = LINE_GBPS,
                              .pause = true,
                              .timeout_ps = UINT64_C(1000000000),
                              .slow = CLUSTER_NOBODY,
                              .dead = CLUSTER_NOBODY,
                              .reboot = CLUSTER_NOBODY};
  jobs_alike(&o.jobs, 1, what->hosts, (uint8_t)what->kind, messages * ((size_t)MSGLEN * what->mtu - INA_BYTES));
  return o;
}

/// Notes when the result numbered `skip` was whole, and, after every `window` more, when the latest one was: between these two
/// the ring is in its stride, before the first its window fills.
static void note_arrival(struct arrivals *a, const struct cluster *c, unsigned host, size_t skip, size_t window) {
  const size_t results = cluster_progress(c, 0, host).results;
  if (results == a->results) return;
  a->results = results;
  if (results < skip || (results - skip) % window != 0) return;
  if (a->first == 0) {
    a->first = results;
    a->first_ps = cluster_now(c);
  }
  a->last = results;
  a->last_ps = cluster_now(c);
}

static void watch(const struct measure *m, struct cluster *c, const struct cluster_options *o, struct arrivals *arrivals) {
  uint64_t steps = 0;
  bool on = true;
  while (on) {
    on = cluster_step(c);
    for (unsigned h = 0; h < o->jobs.hosts; h++) note_arrival(&arrivals[h], c, h, 2 * o->window, o->window);
    size_t done, all;
    if (++steps % STEPS_A_LOOK != 0) continue;
    cluster_results(c, &done, &all);
    measure_progress(m, done, all);
  }
}

/// Payload Gb/s of a host: INA header included, as the RDMA write has it.
static double rate_of(const struct arrivals *a, const struct cluster_options *o) {
  if (a->last <= a->first) return 0;
  return (double)(a->last - a->first) * o->msglen * o->mtu * 8e3 / (double)(a->last_ps - a->first_ps);
}

static void read_device(struct rate *r, struct cluster *c, const struct cluster_options *o) {
  struct bench *bench = cluster_bench(c);
  for (unsigned port = 0; port < o->config->ports; port++) {
    const struct scoreboard_counts *counts = bench_counts(bench, port);
    r->drops += fate_drops(counts->fates);
    r->stalls += drive_stalled(bench_drive(bench), port);
  }
  r->packets = bench_counts(bench, 0)->rx;
  size_t count;
  const uint32_t *latencies = bench_latencies(bench, &count);
  r->latency = report_latencies(latencies, count);
}

/// What the cable to a port carried, from the counters of the network.
static void read_cable(struct rate *r, struct cluster *c, const struct cluster_options *o) {
  const struct link_counts cable = cluster_fabric(c).hop[FABRIC_TO_DEVICE];
  r->payload_bytes = (double)o->msglen * o->mtu;
  r->wire_bytes = ((double)cable.bytes + LINK_OVERHEAD * (double)cable.frames) * o->msglen / (double)cable.frames;
  r->most_gbps = LINE_GBPS * r->payload_bytes / r->wire_bytes;
}

static bool run(struct measure *m, const struct cluster_options *o, struct rate *r) {
  struct arrivals arrivals[FABRIC_MAX_HOSTS] = {0};
  *r = (struct rate){.gbps = INFINITY};
  struct cluster *c = cluster_open(o, m->error, sizeof m->error);
  if (c == NULL) return false;
  watch(m, c, o, arrivals);
  const bool good = cluster_finish(c) == 0;
  if (!good) measure_fail(m, "%s", cluster_text(c, 0));
  for (unsigned h = 0; h < o->jobs.hosts; h++) r->gbps = fmin(r->gbps, rate_of(&arrivals[h], o));
  read_device(r, c, o);
  read_cable(r, c, o);
  r->goodput = cluster_goodput_ratio(c);
  r->copies = cluster_copies(c);
  cluster_close(c);
  return good;
}

// --- line rate ---

static void add_latency(struct measure *m, const char *prefix, const struct report_latency *l, const char *bound) {
  const uint32_t values[] = {l->p50, l->p99, l->max};
  static const char *const names[] = {"p50", "p99", "max"};
  char name[FIGURE_NAME_BYTES];
  for (int i = 0; i < 3; i++) {
    snprintf(name, sizeof name, "%s_%s_cycles", prefix, names[i]);
    measure_add(m, name, values[i], 0, "cycles", "%s", bound);
  }
}

/// A rate below what the cable carries has another reason.
static void add_rate(struct measure *m, const char *name, const struct rate *r, const char *otherwise) {
  if (r->gbps > 0.999 * r->most_gbps) {
    measure_add(m, name, r->gbps, 2, "Gb/s", "wire: %.0f B of payload a message of %.0f B on the cable are %.2f",
                r->payload_bytes, r->wire_bytes, r->most_gbps);
  } else {
    // Each column brings a port one packet's payload.
    measure_add(m, name, r->gbps, 2, "Gb/s", "%s: %.1f cycles a column; the wire would carry %.2f",
                otherwise != NULL ? otherwise : "device", r->payload_bytes / MSGLEN * 8 / r->gbps / PACE_NS, r->most_gbps);
  }
}

bool measure_rate(struct measure *m, const struct measurement *what) {
  struct cluster_options o = measure_cluster(m, what);
  o.host_gbps = FASTER_GBPS;
  struct rate r;
  if (!run(m, &o, &r)) return false;
  add_rate(m, what->figures, &r, what->otherwise);
  return true;
}

bool measure_line_rate(struct measure *m, const struct measurement *what) {
  struct cluster_options o = measure_cluster(m, what);
  o.host_gbps = FASTER_GBPS;
  struct rate r;
  if (!run(m, &o, &r)) return false;
  add_rate(m, "payload_gbps_per_port_1k", &r, what->otherwise);
  // To the two decimals that are shown this is the most the wire carries.
  m->figures[m->count - 1].low = 92.58;
  measure_add(m, "packets_per_port_1k", (double)r.packets, 0, "packets", "the run's length");
  measure_add(m, "input_stall_cycles_1k", (double)r.stalls, 0, "cycles", "nothing: each port takes a beat whenever one is there")
      ->high = 0;
  measure_add(m, "drops_1k", (double)r.drops, 0, "frames", "nothing: nobody sends wrong or stale packets")->high = 0;
  add_latency(m, "latency_full_rate", &r.latency,
              "wire: outputs without a gap never make up for the packet that was late at the start");
  return true;
}

bool measure_host_rate(struct measure *m, const struct measurement *what) {
  const struct cluster_options o = measure_cluster(m, what);
  struct rate r;
  if (!run(m, &o, &r)) return false;
  measure_add(m, "payload_gbps_per_host_1k", r.gbps, 2, "Gb/s",
              "wire: hosts send an ACK of 86 B a message on the cable of their data; without %.2f", r.most_gbps);
  add_latency(m, "latency_line_rate", &r.latency, "pipeline: six packets end in one cycle, and are decided one a cycle");
  return true;
}

// --- copies ---

bool measure_storm(struct measure *m, const struct measurement *what) {
  struct cluster_options o = measure_cluster(m, what);
  o.offer = 0.2;
  o.storm = true;
  struct rate r;
  if (!run(m, &o, &r)) return false;
  if (r.copies < r.packets) return measure_fail(m, "a storm of %llu copies only", (unsigned long long)r.copies);
  measure_add(m, "storm_goodput_ratio", r.goodput, 3, "ratio",
              "%.0f %% of the wire offered to new packets, the rest filled with %llu copies", 100 * o.offer,
              (unsigned long long)r.copies)
      ->low = 0.99;
  return true;
}

// --- the window ---

bool measure_window(struct measure *m, const struct measurement *what) {
  struct cluster_options o = measure_cluster(m, what);
  const double packet_us = (what->mtu + CLUSTER_PACKET_OVERHEAD) * 8e-3 / LINE_GBPS, message_us = MSGLEN * packet_us;
  // The formula counts from the end of a packet, the pilot from its start.
  if (pilot_set_cables(&o, what->rtt_us + packet_us, m->error, sizeof m->error) != 0) return false;
  struct rate r;
  if (!run(m, &o, &r)) return false;
  const double expected = fmin(1, what->window * message_us / (message_us + what->rtt_us)), is = r.gbps / r.most_gbps;
  struct figure *f = measure_add(m, what->figures, 100 * is, 1, "%", "%s: min(1, N T/(T + RTT)) is %.1f %%",
                                 expected < 1 ? "window" : "wire", 100 * expected);
  f->low = 98 * expected;
  f->high = 102 * expected;
  return true;
}
