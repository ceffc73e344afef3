#include "sim/ring/ring_report.h"

#include <inttypes.h>
#include <jansson.h>

#include "sim/report/page.h"
#include "sim/ring/tree_report.h"
#include "wire/fate.h"

/// Sums over all hosts, rings and ports.
struct sums {
  uint64_t elapsed_ps;   ///< until the last result was in and acknowledged
  double goodput[2];     ///< Gb/s of reduced tensor a host: of the slowest and the fastest
  size_t done, seats;
  struct requester_counts sent;
  struct responder_counts received;
  uint64_t frames_in, results, passed, fates[FATE_COUNT];
  struct report_latency latency;
  struct fabric_counts fabric;
};

static void add_seat(const struct ring_report *r, struct sums *s, unsigned ring, unsigned host) {
  const struct cluster_progress p = cluster_progress(r->cluster, ring, host);
  const struct requester_counts q = cluster_requester(r->cluster, ring, host);
  const struct responder_counts a = cluster_responder(r->cluster, ring, host);
  s->seats++;
  s->sent.packets += q.packets;
  s->sent.repeats += q.repeats;
  s->sent.sequence_naks += q.sequence_naks;
  s->sent.rnr_naks += q.rnr_naks;
  s->sent.timeouts += q.timeouts;
  s->received.packets += a.packets;
  s->received.duplicates += a.duplicates;
  s->received.out_of_sequence += a.out_of_sequence;
  s->received.acks += a.acks;
  s->received.naks += a.naks;
  if (p.done_ps == UINT64_MAX) return;
  s->done++;
  if (p.done_ps > s->elapsed_ps) s->elapsed_ps = p.done_ps;
}

/// Goodput of a host is over all of its rings, from the start until its last one is done.
static double goodput_of(const struct ring_report *r, unsigned host) {
  const struct cluster_options *c = &r->options->cluster;
  uint64_t last = 0, bytes = 0;
  for (unsigned ring = 0; ring < c->rings; ring++) {
    const struct cluster_progress p = cluster_progress(r->cluster, ring, host);
    if (p.done_ps == UINT64_MAX) continue;
    bytes += c->tensor;
    if (p.done_ps > last) last = p.done_ps;
  }
  return last == 0 ? 0 : (double)bytes * 8000 / (double)last;
}

static void add_tree(const struct racks *racks, unsigned nodes, struct sums *s) {
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

static void add_device(struct bench *b, unsigned ports, struct sums *s) {
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

static struct sums sum_up(const struct ring_report *r) {
  const struct cluster_options *c = &r->options->cluster;
  struct sums s = {0};
  for (unsigned ring = 0; ring < c->rings; ring++)
    for (unsigned host = 0; host < c->hosts; host++) add_seat(r, &s, ring, host);
  for (unsigned host = 0; host < c->hosts; host++) {
    const double g = goodput_of(r, host);
    if (host == 0 || g < s.goodput[0]) s.goodput[0] = g;
    if (host == 0 || g > s.goodput[1]) s.goodput[1] = g;
  }
  if (c->topology != NULL)
    add_tree(cluster_racks(r->cluster), c->topology->count, &s);
  else
    add_device(cluster_bench(r->cluster), c->config->ports, &s);
  s.fabric = cluster_fabric(r->cluster);
  return s;
}

// --- people ---

static void print_setting(FILE *file, const struct ring_report *r) {
  const struct cluster_options *c = &r->options->cluster;
  if (c->topology != NULL)
    fprintf(file, "seed %" PRIu64 "\n", c->seed);
  else
    report_setting(file, c->config, c->seed);
  fprintf(file, "%u host%s, %u ring%s: %s %s of %zu bytes each, window %u, MsgLen %u, MTU %u, %s\n", c->hosts,
          c->hosts == 1 ? "" : "s", c->rings, c->rings == 1 ? "" : "s", ring_op_name(c->kind), ring_type_name(c->kind), c->tensor,
          c->window, c->msglen, c->mtu, ring_verb_name(c->verb));
}

static void print_hosts(FILE *file, const struct ring_report *r, const struct sums *s) {
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

static void print_fabric(FILE *file, const struct sums *s) {
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

static void print_device(FILE *file, const struct ring_report *r, const struct sums *s) {
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

/// Bytes of a host's packets of all rings if each is sent once, without what only the first and the last one of a message have.
static uint64_t once(const struct ring_report *r, const struct sums *s) {
  const struct cluster_options *c = &r->options->cluster;
  const uint64_t packets = (s->sent.packets - s->sent.repeats) / c->hosts;
  const uint64_t messages = c->rings * cluster_progress(r->cluster, 0, 0).messages;
  const uint64_t payload = c->short_last ? c->rings * c->tensor + messages * INA_BYTES : packets * c->mtu;
  return payload + packets * (CLUSTER_PACKET_OVERHEAD - LINK_OVERHEAD);
}

static struct tree_report tree_of(const struct ring_report *r, const struct sums *s) {
  const struct cluster_options *c = &r->options->cluster;
  return (struct tree_report){.topology = c->topology,
                              .racks = cluster_racks(r->cluster),
                              .rings = c->rings,
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
  const struct cluster_options *c = &r->options->cluster;
  for (unsigned ring = 0; ring < c->rings; ring++) {
    for (unsigned host = 0; host < c->hosts; host++) {
      const struct cluster_progress p = cluster_progress(r->cluster, ring, host);
      if (p.done_ps != UINT64_MAX) continue;
      fprintf(file, "ring %u, host %u: %zu of %zu result messages%s\n", ring + 1, host, p.results, p.messages,
              ring == 0 && host == c->dead ? "; it stopped, as it was told" : "");
    }
    print_waiting(file, r, ring);
  }
}

void ring_report_print(FILE *file, const struct ring_report *r) {
  const struct sums s = sum_up(r);
  print_setting(file, r);
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
  fprintf(file, "FAILED: %zu mismatch%s\n", r->mismatches, r->mismatches == 1 ? "" : "es");
  const char *text;
  for (size_t i = 0; (text = cluster_text(r->cluster, i)) != NULL; i++) fprintf(file, "  %s\n", text);
  fprintf(file, "repeat it with: %s\n", r->again);
}

// --- programs ---

static void put(json_t *object, const char *name, uint64_t value) {
  json_object_set_new(object, name, json_integer((json_int_t)value));
}

static void put_share(json_t *object, const char *name, double value) {
  json_object_set_new(object, name, value >= 0 ? json_real(value) : json_null());
}

static json_t *fates_json(const uint64_t *fates) {
  json_t *o = json_object();
  for (int f = 0; f < FATE_COUNT; f++)
    if (fates[f] > 0) put(o, fate_name((enum fate)f), fates[f]);
  return o;
}

/// Rings that wait for somebody, and for whom.
static json_t *waiting_json(const struct ring_report *r) {
  json_t *list = json_array();
  for (unsigned ring = 0; ring < r->options->cluster.rings; ring++) {
    struct model_waiting w;
    if (cluster_bench(r->cluster) == NULL || !bench_waiting(cluster_bench(r->cluster), ring, &w)) continue;
    json_t *o = json_object(), *ranks = json_array();
    for (unsigned rank = 0; rank < 32; rank++)
      if (w.ranks >> rank & 1) json_array_append_new(ranks, json_integer(rank));
    put(o, "ring", ring + 1);
    put(o, "msgid", w.msgid);
    put(o, "packet", w.offset);
    json_object_set_new(o, "ranks", ranks);
    json_array_append_new(list, o);
  }
  return list;
}

static void put_incidents(json_t *o, const struct ring_report *r) {
  const struct cluster_hostile h = cluster_hostile(r->cluster);
  put(o, "hostile_sent", h.sent);
  put(o, "hostile_taken", h.taken);
  json_object_set_new(o, "hostile_fates", fates_json(h.fates));
  put(o, "strays", cluster_strays(r->cluster));
  put(o, "held_cycles", cluster_held(r->cluster));
  put(o, "storm_copies", cluster_copies(r->cluster));
  put_share(o, "goodput_ratio", cluster_goodput_ratio(r->cluster));
  json_object_set_new(o, "waiting", waiting_json(r));
}

int ring_report_json(FILE *file, const struct ring_report *r) {
  const struct sums s = sum_up(r);
  json_t *o = json_object();
  put(o, "frames_in", s.frames_in);
  put(o, "results", s.results);
  put(o, "duplicates", s.fates[FATE_DUPLICATE]);
  put(o, "passed", s.fates[FATE_PASSED]);
  json_object_set_new(o, "drops", report_drops_json(s.fates));
  put(o, "cycles", cluster_clocked(r->cluster));
  put(o, "mismatches", r->mismatches);
  json_object_set_new(o, "latency_cycles", report_latency_json(&s.latency));
  json_object_set_new(o, "frames_per_second", json_real(r->seconds > 0 ? (double)s.frames_in / r->seconds : 0));
  json_object_set_new(o, "time_us", json_real((double)s.elapsed_ps / 1e6));
  json_object_set_new(o, "goodput_gbps", json_real(s.goodput[0]));
  json_object_set_new(o, "rtt_us", r->rtt_us > 0 ? json_real(r->rtt_us) : json_null());
  put(o, "tensors", s.seats);
  put(o, "tensors_done", s.done);
  put(o, "packets_sent", s.sent.packets);
  put(o, "retransmissions", s.sent.repeats);
  put(o, "sequence_naks", s.sent.sequence_naks);
  put(o, "rnr_naks", s.sent.rnr_naks);
  put(o, "ack_timeouts", s.sent.timeouts);
  put(o, "packets_received", s.received.packets);
  put(o, "duplicates_received", s.received.duplicates);
  put(o, "out_of_sequence", s.received.out_of_sequence);
  put(o, "pauses", s.fabric.pauses);
  put(o, "switch_drops", s.fabric.dropped);
  put_incidents(o, r);
  if (r->options->cluster.topology != NULL) {
    const struct tree_report tree = tree_of(r, &s);
    tree_report_json(o, &tree);
  } else {
    const struct undecided u = bench_undecided(cluster_bench(r->cluster));
    json_object_set_new(o, "undecided", undecided_json(&u));
    put(o, "senders_told", u.witness.told);
  }
  int result = json_dumpf(o, file, JSON_INDENT(2));
  if (result == 0 && fputc('\n', file) == EOF) result = -1;
  json_decref(o);
  return result;
}

// --- a page ---

static struct page_figure goodput_figure(const struct sums *s) {
  struct page_figure f = {.id = "goodput", .name = "goodput, slowest"};
  snprintf(f.value, sizeof f.value, "%.2f Gb/s", s->goodput[0]);
  return f;
}

int ring_report_page(FILE *file, const struct ring_report *r) {
  const struct cluster_options *c = &r->options->cluster;
  const struct sums s = sum_up(r);
  char title[120], verdict[120], setting[300];
  const char *texts[8];
  size_t text_count = 0;
  uint64_t lost = 0;
  for (int h = 0; h < FABRIC_HOPS; h++) lost += s.fabric.hop[h].lost;
  while (text_count < sizeof texts / sizeof *texts && (texts[text_count] = cluster_text(r->cluster, text_count)) != NULL)
    text_count++;
  snprintf(title, sizeof title, "%u hosts all-reduce %zu bytes in %u ring%s", c->hosts, c->tensor, c->rings,
           c->rings == 1 ? "" : "s");
  snprintf(verdict, sizeof verdict, "OK: %zu of %zu tensors are reduced and right", s.done, s.seats);
  if (r->mismatches > 0)
    snprintf(verdict, sizeof verdict, "FAILED: %zu mismatch%s", r->mismatches, r->mismatches == 1 ? "" : "es");
  snprintf(setting, sizeof setting,
           "Configuration %s: %u ports, %u slots of %u bytes; %s %s, window %u, MsgLen %u, MTU %u, %s, %g Gb/s", c->config->name,
           c->config->ports, c->config->slots, c->config->slot_bytes, ring_op_name(c->kind), ring_type_name(c->kind), c->window,
           c->msglen, c->mtu, ring_verb_name(c->verb), c->gbps);
  const struct page_figure figures[] = {
      page_counted("frames_in", "frames in", s.frames_in),
      page_counted("stored", "stored", s.fates[FATE_STORED]),
      page_counted("duplicates", "duplicates", s.fates[FATE_DUPLICATE]),
      page_counted("dropped", "dropped", fate_drops(s.fates)),
      page_counted("results", "results", s.results),
      page_cycles("latency_p50", "latency p50", s.latency.p50),
      page_cycles("latency_p99", "latency p99", s.latency.p99),
      page_counted("lost", "lost on cables", lost),
      page_counted("retransmissions", "sent again", s.sent.repeats),
      goodput_figure(&s),
      page_time(c->history),
      page_counted("cycles", "cycles clocked", cluster_clocked(r->cluster)),
  };
  const struct undecided undecided = bench_undecided(cluster_bench(r->cluster));
  const struct page page = {
      .title = title,
      .good = r->mismatches == 0,
      .verdict = verdict,
      .setting = setting,
      .again = r->again,
      .texts = texts,
      .text_count = text_count,
      .figures = figures,
      .figure_count = sizeof figures / sizeof *figures,
      .fates = s.fates,
      .undecided = &undecided,
  };
  return page_write(file, &page, c->history);
}
