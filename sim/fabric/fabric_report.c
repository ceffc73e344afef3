#include "sim/fabric/fabric_report.h"

#include <inttypes.h>

#include "sim/engine/world/ranks.h"
#include "sim/fabric/fabric_totals.h"

static double us(double ps) { return ps / 1e6; }

static void line(FILE *file, const char *name, uint64_t value, const char *remark) {
  fprintf(file, "%-26s %14" PRIu64 "%s%s\n", name, value, *remark ? "  " : "", remark);
}
static void some(FILE *file, const char *name, uint64_t value, const char *remark) {
  if (value > 0) line(file, name, value, remark);
}
static void number(FILE *file, const char *name, double value, const char *unit) {
  fprintf(file, "%-26s %14.3f  %s\n", name, value, unit);
}

static void print_hosts(FILE *file, const struct nic_counts *h) {
  line(file, "packets delivered", h->data, "of data, in order");
  line(file, "messages", h->messages, "");
  some(file, "out of sequence", h->out_of_sequence, "packets that a receiver did not expect yet");
  some(file, "sent again", h->again, "packets");
  some(file, "duplicates", h->duplicates, "");
  some(file, "timeouts", h->timeouts, "Local ACK Timeouts");
  some(file, "connections lost", h->lost, "");
  some(file, "congestion notices", h->cnps, "CNPs sent");
  some(file, "clearances", h->cts, "clear-to-send messages");
  if (h->cts_waits > 0) number(file, "wait for clearance", us((double)h->cts_wait_ps / (double)h->cts_waits), "us on the mean");
}

static void print_ways(FILE *file, const struct fabric_report *r) {
  struct fabric_way ways[WAYS];
  fabric_ways(r->options, r->result, ways);
  fprintf(file, "%-14s %7s %12s %10s %10s %9s %9s %11s\n", "cables", "", "packets", "fullest", "pauses", "paused", "marked",
          "deepest");
  for (unsigned w = 0; w < WAYS; w++)
    if (ways[w].cables > 0)
      fprintf(file, "%-14s %7" PRIu64 " %12" PRIu64 " %9.2fx %10" PRIu64 " %8.2f%% %9" PRIu64 " %11" PRIu64 "\n", ways[w].name,
              ways[w].cables, ways[w].packets, ways[w].fullest, ways[w].pauses,
              100 * fabric_share(r->result, ways[w].paused_ps, ways[w].cables), ways[w].marked, ways[w].deepest);
}

static void print_circle(FILE *file, const struct fabric_report *r) {
  const struct net *n = &r->options->net;
  const struct fabric_result *s = r->result;
  char name[16];
  if (s->circle_count == 0) return;
  fputs("deadlock of flow control: each of these cables waited for the next one:", file);
  for (size_t i = 0; i < s->circle_count; i++) {
    const struct net_cable *c = &n->cables[s->circle[i] & INT32_MAX];
    fprintf(file, " %s>", net_name(n, c->ends[s->circle[i] >> 31], name));
    fputs(net_name(n, c->ends[1 - (s->circle[i] >> 31)], name), file);
  }
  fputc('\n', file);
}

void fabric_report_text(FILE *file, const struct fabric_report *r) {
  const struct fabric_options *o = r->options;
  const struct fabric_result *s = r->result;
  const struct fabric_times t = fabric_times(s);
  fprintf(file, "%u hosts, %u nodes, %u switches, %zu cables; %s of %" PRIu64 " bytes, %s; seed %" PRIu64 "\n",
          o->net.hosts - o->net.nodes, o->net.nodes, o->net.switches, o->net.cable_count, fabric_options_load(o),
          o->run.load.bytes, fabric_options_routing(o), o->run.seed);
  number(file, "time", us((double)s->done_ps), "us until the last one was done");
  if (t.count > 0) {
    number(file, load_flows(o->run.load.kind) ? "flow, median" : "rank, median", us((double)t.half), "us");
    number(file, "99th percentile", us((double)t.p99), "us");
  }
  number(file, "goodput", fabric_goodput(o, s), o->run.load.kind == LOAD_INCAST ? "Gb/s at the receiver" : "Gb/s a host, mean");
  number(file, "max-mean ratio", fabric_max_mean(o, s), "fullest uplink of a leaf over the mean");
  print_ways(file, r);
  print_hosts(file, &s->hosts);
  some(file, "dropped", s->dropped, "no room in a switch");
  some(file, "lost", s->lost, "on cables");
  some(file, "unreachable", s->unreachable, "no way, or a cable that is cut");
  some(file, "dropped by watchdogs", s->watchdog_drops, "behind a pause that lasted too long");
  line(file, "busiest cable", fabric_busiest(r->options, s), "bytes");
  some(file, "held in a switch", s->state, "bytes, for sums");
  some(file, "packets summed", s->absorbed, "in switches");
  some(file, "of them again", s->summed_again, "and not counted twice");
  some(file, "sent by switches", s->made, "sums and partial sums");
  some(file, "  waited for room", s->made_waited, "where they were made");
  some(file, "through uplink devices", s->uplink_frames, "frames of RTL, each as its model says");
  some(file, "  dropped there", s->uplink_dropped, "frames, each counted by the device");
  some(file, "results of devices", s->device_results, "packets");
  some(file, "results", s->result_bytes, "bytes, each as computed directly");
  some(file, "properties wanted", s->gather_wanted, "of other ranks");
  some(file, "  packets of them", s->gather_packets, "that NICs and switches of racks put together");
  some(file, "  answered by switches", s->gather_hits, "reads");
  some(file, "  frames compared", s->device_compared, "of RTL with its model");
  some(file, "  cycles", s->device_cycles, "of RTL");
  some(file, "flowlets", s->flowlets, "");
  some(file, "buffer alarms", s->alarms, "more than 80 % of a switch's buffer");
  line(file, "leaf buffer, most", fabric_deepest(o, s, true), "bytes");
  line(file, "spine buffer, most", fabric_deepest(o, s, false), "bytes");
  fprintf(file, "%-26s %14" PRIu64 "  hash %016" PRIx64 "\n", "events", s->events, s->hash);
  fprintf(file, "%-26s %14.0f  packets delivered a second; %.2f s on %u process%s\n", "speed", (double)s->hosts.data / r->seconds,
          r->seconds, ranks_count(), ranks_count() == 1 ? "" : "es");
  print_circle(file, r);
  for (size_t i = 0; findings_text(&s->findings, i) != NULL; i++) fprintf(file, "%s\n", findings_text(&s->findings, i));
  if (s->open > 0) fprintf(file, "%" PRIu64 " %s not done\n", s->open, load_flows(o->run.load.kind) ? "flows are" : "ranks are");
  if (s->open > 0 || s->findings.count > 0)
    fprintf(file, "FAILED; again: %s\n", r->again);
  else
    fputs("OK\n", file);
}
