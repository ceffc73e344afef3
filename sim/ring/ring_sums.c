#include "sim/ring/ring_sums.h"

static void add_sent(struct requester_counts *to, const struct requester_counts *more) {
  to->packets += more->packets;
  to->repeats += more->repeats;
  to->sequence_naks += more->sequence_naks;
  to->rnr_naks += more->rnr_naks;
  to->timeouts += more->timeouts;
}

static void add_received(struct responder_counts *to, const struct responder_counts *more) {
  to->packets += more->packets;
  to->duplicates += more->duplicates;
  to->out_of_sequence += more->out_of_sequence;
  to->acks += more->acks;
  to->naks += more->naks;
}

struct ring_job ring_job_of(const struct ring_report *r, unsigned ring) {
  const struct job *job = &r->options->cluster.jobs.list[ring];
  struct ring_job s = {0};
  for (unsigned rank = 0; rank < job->ranks; rank++) {
    const struct cluster_progress p = cluster_progress(r->cluster, ring, rank);
    const struct requester_counts q = cluster_requester(r->cluster, ring, rank);
    const struct responder_counts a = cluster_responder(r->cluster, ring, rank);
    add_sent(&s.sent, &q);
    add_received(&s.received, &a);
    if (p.done_ps == UINT64_MAX) continue;
    s.done++;
    if (p.done_ps > s.done_ps) s.done_ps = p.done_ps;
  }
  if (s.done == job->ranks) s.goodput = (double)job->tensor * 8000 / (double)s.done_ps;
  return s;
}

static void add_job(const struct ring_report *r, struct ring_sums *s, unsigned ring) {
  const struct ring_job job = ring_job_of(r, ring);
  s->seats += r->options->cluster.jobs.list[ring].ranks;
  s->done += job.done;
  if (job.done_ps > s->elapsed_ps) s->elapsed_ps = job.done_ps;
  add_sent(&s->sent, &job.sent);
  add_received(&s->received, &job.received);
}

/// Goodput of a host is over all of its rings, from the start until its last one is done. False: it is in none.
static bool goodput_of(const struct ring_report *r, unsigned host, double *goodput) {
  const struct jobs *jobs = &r->options->cluster.jobs;
  uint64_t last = 0, bytes = 0;
  bool busy = false;
  for (unsigned ring = 0; ring < jobs->count; ring++) {
    const int rank = job_rank(&jobs->list[ring], host);
    if (rank < 0) continue;
    const struct cluster_progress p = cluster_progress(r->cluster, ring, (unsigned)rank);
    busy = true;
    if (p.done_ps == UINT64_MAX) continue;
    bytes += jobs->list[ring].tensor;
    if (p.done_ps > last) last = p.done_ps;
  }
  *goodput = last == 0 ? 0 : (double)bytes * 8000 / (double)last;
  return busy;
}

static void add_host(const struct ring_report *r, struct ring_sums *s, unsigned host) {
  double g;
  if (!goodput_of(r, host, &g)) return;
  if (s->hosts == 0 || g < s->goodput[0]) s->goodput[0] = g;
  if (s->hosts == 0 || g > s->goodput[1]) s->goodput[1] = g;
  s->hosts++;
}

static void add_tree(const struct racks *racks, unsigned nodes, struct ring_sums *s) {
  for (unsigned n = 0; n < nodes; n++) {
    const struct relay_counts *c = racks_relay(racks, n);
    s->results += c->results;
    for (int f = 0; f < FATE_COUNT; f++) {
      s->fates[f] += c->fates[f];
      s->frames_in += c->fates[f];
    }
    s->frames_in += c->parents + c->bad_parent;
  }
}

static void add_device(struct bench *b, unsigned ports, struct ring_sums *s) {
  for (unsigned port = 0; port < ports; port++) {
    const struct scoreboard_counts *counts = bench_counts(b, port);
    s->frames_in += counts->rx;
    s->results += counts->tx_result;
    for (int f = 0; f < FATE_COUNT; f++) s->fates[f] += counts->fates[f];
  }
  size_t count;
  const uint32_t *latencies = bench_latencies(b, &count);
  s->latency = report_latencies(latencies, count);
}

struct ring_sums ring_sum_up(const struct ring_report *r) {
  const struct cluster_options *c = &r->options->cluster;
  struct ring_sums s = {0};
  for (unsigned ring = 0; ring < c->jobs.count; ring++) add_job(r, &s, ring);
  for (unsigned host = 0; host < c->jobs.hosts; host++) add_host(r, &s, host);
  if (c->topology != NULL)
    add_tree(cluster_racks(r->cluster), c->topology->count, &s);
  else
    add_device(cluster_bench(r->cluster), c->config->ports, &s);
  s.fabric = cluster_fabric(r->cluster);
  return s;
}
