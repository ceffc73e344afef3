#include "sim/ring/ring_report.h"

#include <inttypes.h>
#include <jansson.h>

#include "sim/ring/ring_sums.h"
#include "sim/ring/tree_report.h"
#include "wire/fate.h"
#include "wire/roce.h"

// --- people ---

static void print_setting(FILE *file, const struct ring_report *r) {
  const struct cluster_options *c = &r->options->cluster;
  if (c->topology != NULL)
    fprintf(file, "seed %" PRIu64 "\n", c->seed);
  else
    report_setting(file, c->config, c->seed);
  fprintf(file, "%u host%s, %u ring%s: window %u, MsgLen %u, MTU %u, %s\n", c->jobs.hosts, c->jobs.hosts == 1 ? "" : "s",
          c->jobs.count, c->jobs.count == 1 ? "" : "s", c->window, c->msglen, c->mtu, ring_verb_name(c->verb));
}

static void print_jobs(FILE *file, const struct ring_report *r) {
  const struct jobs *jobs = &r->options->cluster.jobs;
  for (unsigned ring = 0; ring < jobs->count; ring++) {
    const struct ring_job job = ring_job_of(r, ring);
    fprintf(file, "ring %u: ", ring + 1);
    job_print(file, &jobs->list[ring]);
    if (job.goodput > 0)
      fprintf(file, ": %.2f Gb/s\n", job.goodput);
    else
      fprintf(file, ": %zu of %u done\n", job.done, jobs->list[ring].ranks);
  }
}

static void print_hosts(FILE *file, const struct ring_report *r, const struct ring_sums *s) {
  fprintf(file, "%-22s %12.3f  ms simulated\n", "time", (double)cluster_now(r->cluster) / 1e9);
  if (r->rtt_us > 0) fprintf(file, "%-22s %12.3f  us, of one packet on the idle network\n", "round trip", r->rtt_us);
  fprintf(file, "%-22s %12.2f  Gb/s of tensor a host, %.2f the slowest\n", "goodput", s->goodput[1], s->goodput[0]);
  report_line(file, "packets sent", s->sent.packets, "by requesters");
  report_some(file, "  sent again", s->sent.repeats, "");
  report_some(file, "  sequence NAKs", s->sent.sequence_naks, "");
  report_some(file, "  RNR NAKs", s->sent.rnr_naks, "");
  report_some(file, "  ACK time-outs", s->sent.timeouts, "");
  report_line(file, "packets received", s->received.packets, "in sequence");
  report_some(file, "  duplicates", s->received.duplicates, "");
  report_some(file, "  out of sequence", s->received.out_of_sequence, "gaps");
}

static void print_fabric(FILE *file, const struct ring_sums *s) {
  static const char *const names[FABRIC_HOPS] = {"host to switch", "switch to device", "device to switch",
                                                 "switch to host", "switch to parent", "parent to switch"};
  for (int h = 0; h < FABRIC_HOPS; h++) {
    const struct link_counts *l = &s->fabric.hop[h];
    if (l->lost + l->doubled + l->overtaken + l->damaged == 0) continue;
    fprintf(file,
            "%-22s %12" PRIu64 "  frames: %" PRIu64 " lost, %" PRIu64 " doubled, %" PRIu64 " overtaken, %" PRIu64 " damaged\n",
            names[h], l->frames, l->lost, l->doubled, l->overtaken, l->damaged);
  }
  report_some(file, "pauses", s->fabric.pauses, "of a port, by the switch");
  report_some(file, "dropped by the switch", s->fabric.dropped, "for want of room");
  report_some(file, "to unknown addresses", s->fabric.unknown, "dropped by switches of a tree, which do not flood");
}

static void print_device(FILE *file, const struct ring_report *r, const struct ring_sums *s) {
  report_line(file, "device: frames in", s->frames_in, "");
  for (int f = 0; f < FATE_COUNT; f++) {
    char name[40];
    snprintf(name, sizeof name, "  %s", fate_name((enum fate)f));
    report_some(file, name, s->fates[f], "");
  }
  report_line(file, "device: results out", s->results, "");
  const struct report_latency *l = &s->latency;
  if (l->count > 0) {
    fprintf(file, "%-22s %12s %8s %8s %8s\n", "latency", "min", "p50", "p99", "max");
    fprintf(file, "%-22s %12u %8u %8u %8u\n", "  cycles", l->min, l->p50, l->p99, l->max);
  }
  report_line(file, "cycles clocked", cluster_clocked(r->cluster), "");
  const struct undecided u = bench_undecided(cluster_bench(r->cluster));
  undecided_print(file, &u);
  fprintf(file, "%-22s %12.0f  in %.2f s on this machine\n", "frames a second",
          r->seconds > 0 ? (double)s->frames_in / r->seconds : 0, r->seconds);
}

/// In a tree, where rings are alike: bytes of a host's packets of all rings if each is sent once, without what only the first and the last one of a message have.
static uint64_t once(const struct ring_report *r, const struct ring_sums *s) {
  const struct cluster_options *c = &r->options->cluster;
  const uint64_t packets = (s->sent.packets - s->sent.repeats) / c->jobs.hosts;
  const uint64_t messages = c->jobs.count * cluster_progress(r->cluster, 0, 0).messages;
  const uint64_t payload = c->short_last ? c->jobs.count * c->jobs.list[0].tensor + messages * INA_BYTES : packets * c->mtu;
  return payload + packets * (CLUSTER_PACKET_OVERHEAD - LINK_OVERHEAD);
}

static struct tree_report tree_of(const struct ring_report *r, const struct ring_sums *s) {
  const struct cluster_options *c = &r->options->cluster;
  return (struct tree_report){.topology = c->topology,
                              .racks = cluster_racks(r->cluster),
                              .rings = c->jobs.count,
                              .turns = c->turns,
                              .sent_bytes = once(r, s),
                              .time_us = (double)cluster_last_result(r->cluster) / 1e6,
                              .plain_us = r->plain_us};
}

/// What hostile hosts sent, and how the device named it.
static void print_hostile(FILE *file, const struct ring_report *r) {
  const struct cluster_hostile h = cluster_hostile(r->cluster);
  if (r->options->cluster.hostile == 0) return;
  report_line(file, "hostile: frames sent", h.sent, "");
  report_line(file, "  into the device", h.taken, "of these, among the above:");
  for (int f = 0; f < FATE_COUNT; f++) {
    char name[40];
    snprintf(name, sizeof name, "    %s", fate_name((enum fate)f));
    report_some(file, name, h.fates[f], "");
  }
}

static void print_incidents(FILE *file, const struct ring_report *r) {
  const struct cluster_options *c = &r->options->cluster;
  print_hostile(file, r);
  report_some(file, "frames for nobody", cluster_strays(r->cluster), "received by hosts; no queue pair of theirs is meant");
  report_some(file, "outputs held", cluster_held(r->cluster), "cycles, all of them");
  report_some(file, "one output held", cluster_paused(r->cluster), "cycles");
  const struct cluster_flushes flushes = cluster_flushes(r->cluster);
  if (flushes.done > 0)
    fprintf(file, "%-22s %12u  of ring %u, %.3f us each\n", "flushes", flushes.done, c->jobs.count,
            (double)(flushes.to_ps - flushes.from_ps) / 1e6 / flushes.done);
  const struct cluster_taken taken = cluster_taken(r->cluster);
  if (c->epoch != 0 || c->reboot != CLUSTER_NOBODY) {
    report_line(file, "result messages taken", taken.messages, "");
    report_line(file, "  wrong ones", taken.wrong, "not the sum");
    for (int i = WORKER_TAKES + 1; i < WORKER_REFUSALS; i++)
      report_some(file, "hosts that refused", taken.refusals[i], worker_refusal_name((enum worker_refusal)i));
  }
  if (c->storm) report_line(file, "storm: copies sent", cluster_copies(r->cluster), "");
  const double ratio = cluster_goodput_ratio(r->cluster);
  if (ratio >= 0) fprintf(file, "%-22s %12.4f  of the rate at which they were offered\n", "new packets answered", ratio);
}

/// Of a ring that stands still: for whom the device waits.
static void print_waiting(FILE *file, const struct ring_report *r, unsigned ring) {
  struct model_waiting w;
  unsigned node;
  if (cluster_racks(r->cluster) != NULL) {
    if (racks_waiting(cluster_racks(r->cluster), ring, &node, &w))
      fprintf(file, "ring %u waits at switch %u for children 0x%" PRIx32 " (MsgID 0x%08" PRIx32 ", packet %u)\n", ring + 1, node,
              w.ranks, w.msgid, w.offset);
    return;
  }
  if (!bench_waiting(cluster_bench(r->cluster), ring, &w)) return;
  fprintf(file, "ring %u waits for rank", ring + 1);
  for (unsigned rank = 0; rank < 32; rank++)
    if (w.ranks >> rank & 1) fprintf(file, " %u", rank);
  fprintf(file, " (MsgID 0x%08" PRIx32 ", packet %u)\n", w.msgid, w.offset);
}

/// Of a ring that stands still: who is how far.
static void print_stuck(FILE *file, const struct ring_report *r) {
  const bool crashed = cluster_flushes(r->cluster).crashed;
  const struct cluster_options *c = &r->options->cluster;
  for (unsigned ring = 0; ring < c->jobs.count; ring++) {
    for (unsigned rank = 0; rank < c->jobs.list[ring].ranks; rank++) {
      const unsigned host = c->jobs.list[ring].hosts[rank];
      const struct cluster_progress p = cluster_progress(r->cluster, ring, rank);
      if (p.done_ps != UINT64_MAX) continue;
      const enum worker_refusal refusal = cluster_refusal(r->cluster, ring, rank);
      if (refusal != WORKER_TAKES) {
        fprintf(file, "ring %u, host %u: %zu of %zu result messages; refused the next: %s\n", ring + 1, host, p.results,
                p.messages, worker_refusal_name(refusal));
        continue;
      }
      fprintf(file, "ring %u, host %u: %zu of %zu result messages%s\n", ring + 1, host, p.results, p.messages,
              (ring == 0 && host == c->dead) || (crashed && ring + 1 == c->jobs.count) ? "; it stopped, as it was told" : "");
    }
    print_waiting(file, r, ring);
  }
}

void ring_report_print(FILE *file, const struct ring_report *r) {
  const struct ring_sums s = ring_sum_up(r);
  print_setting(file, r);
  print_jobs(file, r);
  print_hosts(file, r, &s);
  print_fabric(file, &s);
  if (r->options->cluster.topology != NULL) {
    const struct tree_report tree = tree_of(r, &s);
    tree_report_print(file, &tree);
  } else {
    print_device(file, r, &s);
  }
  print_incidents(file, r);
  if (s.done < s.seats) print_stuck(file, r);
  if (r->mismatches == 0) {
    fprintf(file, "OK: %zu of %zu tensors are reduced and right\n", s.done, s.seats);
    return;
  }
  report_failed(file, r->mismatches, "\n");
  const char *text;
  for (size_t i = 0; (text = cluster_text(r->cluster, i)) != NULL; i++) fprintf(file, "  %s\n", text);
  fprintf(file, "repeat it with: %s\n", r->again);
}

// --- programs ---

static void put_share(json_t *object, const char *name, double value) {
  json_object_set_new(object, name, value >= 0 ? json_real(value) : json_null());
}

static json_t *fates_json(const uint64_t *fates) {
  json_t *o = json_object();
  for (int f = 0; f < FATE_COUNT; f++)
    if (fates[f] > 0) report_put(o, fate_name((enum fate)f), fates[f]);
  return o;
}

/// Rings that wait for somebody, and for whom.
static json_t *waiting_json(const struct ring_report *r) {
  json_t *list = json_array();
  for (unsigned ring = 0; ring < r->options->cluster.jobs.count; ring++) {
    struct model_waiting w;
    if (cluster_bench(r->cluster) == NULL || !bench_waiting(cluster_bench(r->cluster), ring, &w)) continue;
    json_t *o = json_object(), *ranks = json_array();
    for (unsigned rank = 0; rank < 32; rank++)
      if (w.ranks >> rank & 1) json_array_append_new(ranks, json_integer(rank));
    report_put(o, "ring", ring + 1);
    report_put(o, "msgid", w.msgid);
    report_put(o, "packet", w.offset);
    json_object_set_new(o, "ranks", ranks);
    json_array_append_new(list, o);
  }
  return list;
}

static json_t *jobs_json(const struct ring_report *r) {
  const struct jobs *jobs = &r->options->cluster.jobs;
  json_t *list = json_array();
  for (unsigned ring = 0; ring < jobs->count; ring++) {
    const struct job *job = &jobs->list[ring];
    const struct ring_job is = ring_job_of(r, ring);
    json_t *o = json_object(), *hosts = json_array();
    for (unsigned rank = 0; rank < job->ranks; rank++) json_array_append_new(hosts, json_integer(job->hosts[rank]));
    report_put(o, "ring", ring + 1);
    json_object_set_new(o, "hosts", hosts);
    json_object_set_new(o, "type", json_string(ina_types[job->kind & 15]));
    json_object_set_new(o, "op", json_string(ina_ops[job->kind >> 4]));
    report_put(o, "tensor", job->tensor);
    report_put(o, "tensors_done", is.done);
    json_object_set_new(o, "goodput_gbps", json_real(is.goodput));
    report_put(o, "packets_sent", is.sent.packets);
    report_put(o, "retransmissions", is.sent.repeats);
    report_put(o, "ack_timeouts", is.sent.timeouts);
    report_put(o, "packets_received", is.received.packets);
    report_put(o, "out_of_sequence", is.received.out_of_sequence);
    json_array_append_new(list, o);
  }
  return list;
}

static void put_incidents(json_t *o, const struct ring_report *r) {
  const struct cluster_hostile h = cluster_hostile(r->cluster);
  report_put(o, "hostile_sent", h.sent);
  report_put(o, "hostile_taken", h.taken);
  json_object_set_new(o, "hostile_fates", fates_json(h.fates));
  report_put(o, "strays", cluster_strays(r->cluster));
  report_put(o, "held_cycles", cluster_held(r->cluster));
  report_put(o, "port_held_cycles", cluster_paused(r->cluster));
  const struct cluster_flushes flushes = cluster_flushes(r->cluster);
  report_put(o, "flushes", flushes.done);
  json_object_set_new(o, "flushes_from_us", json_real((double)flushes.from_ps / 1e6));
  json_object_set_new(o, "flushes_to_us", json_real((double)flushes.to_ps / 1e6));
  const struct cluster_taken taken = cluster_taken(r->cluster);
  report_put(o, "messages_taken", taken.messages);
  report_put(o, "wrong_sums", taken.wrong);
  report_put(o, "refused_raw", taken.refusals[WORKER_RAW]);
  report_put(o, "refused_two_epochs", taken.refusals[WORKER_TWO_EPOCHS]);
  report_put(o, "storm_copies", cluster_copies(r->cluster));
  put_share(o, "goodput_ratio", cluster_goodput_ratio(r->cluster));
  json_object_set_new(o, "waiting", waiting_json(r));
}

int ring_report_json(FILE *file, const struct ring_report *r) {
  const struct ring_sums s = ring_sum_up(r);
  json_t *o = json_object();
  report_put(o, "frames_in", s.frames_in);
  report_put(o, "results", s.results);
  report_put(o, "duplicates", s.fates[FATE_DUPLICATE]);
  report_put(o, "passed", s.fates[FATE_PASSED]);
  json_object_set_new(o, "drops", report_drops_json(s.fates));
  report_put(o, "cycles", cluster_clocked(r->cluster));
  report_put(o, "mismatches", r->mismatches);
  json_object_set_new(o, "latency_cycles", report_latency_json(&s.latency));
  json_object_set_new(o, "frames_per_second", json_real(r->seconds > 0 ? (double)s.frames_in / r->seconds : 0));
  json_object_set_new(o, "time_us", json_real((double)s.elapsed_ps / 1e6));
  json_object_set_new(o, "goodput_gbps", json_real(s.goodput[0]));
  json_object_set_new(o, "rtt_us", r->rtt_us > 0 ? json_real(r->rtt_us) : json_null());
  json_object_set_new(o, "jobs", jobs_json(r));
  report_put(o, "tensors", s.seats);
  report_put(o, "tensors_done", s.done);
  report_put(o, "packets_sent", s.sent.packets);
  report_put(o, "retransmissions", s.sent.repeats);
  report_put(o, "sequence_naks", s.sent.sequence_naks);
  report_put(o, "rnr_naks", s.sent.rnr_naks);
  report_put(o, "ack_timeouts", s.sent.timeouts);
  report_put(o, "packets_received", s.received.packets);
  report_put(o, "duplicates_received", s.received.duplicates);
  report_put(o, "out_of_sequence", s.received.out_of_sequence);
  report_put(o, "pauses", s.fabric.pauses);
  report_put(o, "switch_drops", s.fabric.dropped);
  put_incidents(o, r);
  if (r->options->cluster.topology != NULL) {
    const struct tree_report tree = tree_of(r, &s);
    tree_report_json(o, &tree);
  } else {
    const struct undecided u = bench_undecided(cluster_bench(r->cluster));
    json_object_set_new(o, "undecided", undecided_json(&u));
    report_put(o, "senders_told", u.witness.told);
  }
  int result = json_dumpf(o, file, JSON_INDENT(2));
  if (result == 0 && fputc('\n', file) == EOF) result = -1;
  json_decref(o);
  return result;
}
