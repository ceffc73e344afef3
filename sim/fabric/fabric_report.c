#include "sim/fabric/fabric_report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/engine/world/ranks.h"

// --- what is worked out ---

/// What goes up, down, and to hosts, summed over cables of a kind.
struct way {
  const char *name;
  uint64_t cables, packets, bytes, pauses, paused_ps, marked, deepest;   // pauses: asked for by the receiving end
  double fullest;   // bytes of the fullest cable over the mean: of cables that carry anything at all
};
enum { WAY_HOST_UP, WAY_HOST_DOWN, WAY_UP, WAY_DOWN, WAYS };

struct spread {
  uint64_t count, least, half, most;
  double mean, p99;
};

static int compare(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

// Of the times of what is done.
static struct spread times(const struct fabric_result *s) {
  uint64_t *sorted = need(malloc((s->time_count + 1) * sizeof *sorted));
  size_t count = 0;
  double sum = 0;
  for (size_t i = 0; i < s->time_count; i++)
    if (s->times[i] > 0) {
      sorted[count++] = s->times[i];
      sum += (double)s->times[i];
    }
  qsort(sorted, count, sizeof *sorted, compare);
  struct spread t = {.count = count};
  if (count > 0)
    t = (struct spread){count,
                        sorted[0],
                        sorted[(count - 1) / 2],
                        sorted[count - 1],
                        sum / (double)count,
                        (double)sorted[(99 * count + 99) / 100 - 1]};
  free(sorted);
  return t;
}

static unsigned tier(const struct net *n, uint32_t end) { return end < n->hosts ? 0 : n->tiers[end - n->hosts]; }

static void add_up(const struct fabric_report *r, struct way ways[WAYS]) {
  const struct net *n = &r->options->net;
  const struct fabric_result *s = r->result;
  static const char *const names[WAYS] = {"host to leaf", "leaf to host", "upwards", "downwards"};
  uint64_t fullest[WAYS] = {0};
  for (unsigned w = 0; w < WAYS; w++) ways[w] = (struct way){.name = names[w]};
  for (size_t c = 0; c < n->cable_count; c++)
    for (unsigned from = 0; from < 2; from++) {
      const struct net_cable *cable = &n->cables[c];
      const uint32_t a = cable->ends[from], b = cable->ends[1 - from];
      const struct port_counts *p = &s->ports[s->first_port[a] + cable->ports[from]],
                               *back = &s->ports[s->first_port[b] + cable->ports[1 - from]];
      struct way *w = &ways[a < n->hosts              ? WAY_HOST_UP
                            : b < n->hosts            ? WAY_HOST_DOWN
                            : tier(n, a) < tier(n, b) ? WAY_UP
                                                      : WAY_DOWN];
      w->cables++;
      w->packets += p->packets;
      w->bytes += p->bytes;
      w->marked += p->marked;
      w->paused_ps += p->paused_ps;
      w->pauses += back->pauses;
      if (p->deepest > w->deepest) w->deepest = p->deepest;
      if (p->bytes > fullest[w - ways]) fullest[w - ways] = p->bytes;
    }
  for (unsigned w = 0; w < WAYS; w++)
    ways[w].fullest = ways[w].bytes > 0 ? (double)fullest[w] * (double)ways[w].cables / (double)ways[w].bytes : 0;
}

// Bytes of the fullest uplink over the mean, of each leaf's uplinks; the mean over leaves that send anything upwards.
static double max_mean(const struct fabric_report *r) {
  const struct net *n = &r->options->net;
  const struct fabric_result *s = r->result;
  double sum = 0;
  unsigned leaves = 0;
  for (uint32_t e = n->hosts; e < n->hosts + n->switches; e++) {
    uint64_t all = 0, most = 0;
    unsigned ports = 0;
    for (uint32_t p = 0; p < n->port_count[e] && tier(n, e) == 1; p++) {
      const struct net_cable *c = &n->cables[n->at[e][p]];
      if (tier(n, c->ends[c->ends[0] == e]) < 2) continue;
      const uint64_t bytes = s->ports[s->first_port[e] + p].bytes;
      all += bytes;
      if (bytes > most) most = bytes;
      ports++;
    }
    if (all == 0) continue;
    sum += (double)most * ports / (double)all;
    leaves++;
  }
  return leaves > 0 ? sum / leaves : 0;
}

static uint64_t deepest_buffer(const struct fabric_report *r, bool leaf) {
  uint64_t most = 0;
  for (uint32_t s = 0; s < r->options->net.switches; s++)
    if ((r->options->net.tiers[s] == 1) == leaf && r->result->deepest[s] > most) most = r->result->deepest[s];
  return most;
}

// Gb/s of payload that each host received, on the mean over the time until the last one was done.
static double goodput(const struct fabric_report *r) {
  const uint64_t ps = r->result->done_ps;
  const double hosts = r->options->run.load.kind == LOAD_INCAST
                           ? 1
                           : (double)(r->options->run.load.ranks > 0 ? r->options->run.load.ranks : r->options->net.hosts);
  return ps > 0 ? 8e3 * (double)r->result->hosts.bytes / (double)ps / hosts : 0;
}

static double us(double ps) { return ps / 1e6; }
// Of the time until all were done, or until nothing happened any more.
static double share(const struct fabric_report *r, uint64_t ps, uint64_t cables) {
  const uint64_t time = r->result->open > 0 ? r->result->time_ps : r->result->done_ps;
  return time > 0 && cables > 0 ? (double)ps / ((double)time * (double)cables) : 0;
}

// --- people ---

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
  struct way ways[WAYS];
  add_up(r, ways);
  fprintf(file, "%-14s %7s %12s %10s %10s %9s %9s %11s\n", "cables", "", "packets", "fullest", "pauses", "paused", "marked",
          "deepest");
  for (unsigned w = 0; w < WAYS; w++)
    if (ways[w].cables > 0)
      fprintf(file, "%-14s %7" PRIu64 " %12" PRIu64 " %9.2fx %10" PRIu64 " %8.2f%% %9" PRIu64 " %11" PRIu64 "\n", ways[w].name,
              ways[w].cables, ways[w].packets, ways[w].fullest, ways[w].pauses, 100 * share(r, ways[w].paused_ps, ways[w].cables),
              ways[w].marked, ways[w].deepest);
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

static json_t *circle_json(const struct fabric_report *r) {
  const struct net *n = &r->options->net;
  json_t *circle = json_array();
  char name[16];
  for (size_t i = 0; i < r->result->circle_count; i++) {
    const uint32_t d = r->result->circle[i];
    json_array_append_new(circle, json_string(net_name(n, n->cables[d & INT32_MAX].ends[d >> 31], name)));
  }
  return circle;
}

void fabric_report_text(FILE *file, const struct fabric_report *r) {
  const struct fabric_options *o = r->options;
  const struct fabric_result *s = r->result;
  const struct spread t = times(s);
  fprintf(file, "%u hosts, %u switches, %zu cables; %s of %" PRIu64 " bytes, %s; seed %" PRIu64 "\n", o->net.hosts,
          o->net.switches, o->net.cable_count, fabric_options_load(o), o->run.load.bytes, fabric_options_routing(o), o->run.seed);
  number(file, "time", us((double)s->done_ps), "us until the last one was done");
  if (t.count > 0) {
    number(file, load_flows(o->run.load.kind) ? "flow, median" : "rank, median", us((double)t.half), "us");
    number(file, "99th percentile", us(t.p99), "us");
  }
  number(file, "goodput", goodput(r), o->run.load.kind == LOAD_INCAST ? "Gb/s at the receiver" : "Gb/s a host, mean");
  number(file, "max-mean ratio", max_mean(r), "fullest uplink of a leaf over the mean");
  print_ways(file, r);
  print_hosts(file, &s->hosts);
  some(file, "dropped", s->dropped, "no room in a switch");
  some(file, "unreachable", s->unreachable, "no way, or a cable that is cut");
  some(file, "dropped by watchdogs", s->watchdog_drops, "behind a pause that lasted too long");
  some(file, "flowlets", s->flowlets, "");
  some(file, "buffer alarms", s->alarms, "more than 80 % of a switch's buffer");
  line(file, "leaf buffer, most", deepest_buffer(r, true), "bytes");
  line(file, "spine buffer, most", deepest_buffer(r, false), "bytes");
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

// --- programs ---

static uint64_t watchdogs(const struct fabric_result *s, const struct fabric_report *r) {
  uint64_t sum = 0;
  for (uint32_t p = 0; p < s->first_port[r->options->net.hosts + r->options->net.switches]; p++) sum += s->ports[p].watchdogs;
  return sum;
}

static json_t *ways_json(const struct fabric_report *r) {
  static const char *const keys[WAYS] = {"host_up", "host_down", "up", "down"};
  struct way ways[WAYS];
  add_up(r, ways);
  json_t *all = json_object();
  for (unsigned w = 0; w < WAYS; w++)
    json_object_set_new(all, keys[w],
                        json_pack("{sI sI sI sI sf sI sI sf}", "cables", (json_int_t)ways[w].cables, "packets",
                                  (json_int_t)ways[w].packets, "bytes", (json_int_t)ways[w].bytes, "pauses",
                                  (json_int_t)ways[w].pauses, "paused", share(r, ways[w].paused_ps, ways[w].cables), "marked",
                                  (json_int_t)ways[w].marked, "deepest", (json_int_t)ways[w].deepest, "fullest",
                                  ways[w].fullest));
  return all;
}

static json_t *hosts_json(const struct nic_counts *h) {
  return json_pack("{sI sI sI sI sI sI sI sI sI sI sI sI sI sI}", "packets_delivered", (json_int_t)h->data, "bytes_delivered",
                   (json_int_t)h->bytes, "sent", (json_int_t)h->sent, "again", (json_int_t)h->again, "acks", (json_int_t)h->acks,
                   "naks", (json_int_t)h->naks, "cnps", (json_int_t)h->cnps, "cts", (json_int_t)h->cts, "out_of_sequence",
                   (json_int_t)h->out_of_sequence, "duplicates", (json_int_t)h->duplicates, "timeouts", (json_int_t)h->timeouts,
                   "lost", (json_int_t)h->lost, "messages", (json_int_t)h->messages, "cts_wait_most_ps",
                   (json_int_t)h->cts_wait_most_ps);
}

int fabric_report_json(FILE *file, const struct fabric_report *r) {
  const struct fabric_result *s = r->result;
  const struct spread t = times(s);
  char hash[17];
  snprintf(hash, sizeof hash, "%016" PRIx64, s->hash);
  json_t *json = hosts_json(&s->hosts);
  json_t *more =
      json_pack("{sI sI sI sf sI sf sf sI sI sI sI sI sI sI sI sf sf sI}", "hosts", (json_int_t)r->options->net.hosts, "switches",
                (json_int_t)r->options->net.switches, "time_ps", (json_int_t)s->done_ps, "median_us", us((double)t.half), "done",
                (json_int_t)t.count, "p99_us", us(t.p99), "mean_us", us(t.mean), "open", (json_int_t)s->open, "wrong",
                (json_int_t)s->wrong, "dropped", (json_int_t)s->dropped, "unreachable", (json_int_t)s->unreachable,
                "watchdog_drops", (json_int_t)s->watchdog_drops, "watchdogs", (json_int_t)watchdogs(s, r), "flowlets",
                (json_int_t)s->flowlets, "alarms", (json_int_t)s->alarms, "goodput_gbps", goodput(r), "max_mean_ratio",
                max_mean(r), "mismatches", (json_int_t)s->findings.count);
  json_object_update_new(json, more);
  more = json_pack("{ss sI sI sI sf sf sI sI sI so so}", "events_hash", hash, "events", (json_int_t)s->events, "ranks",
                   (json_int_t)ranks_count(), "turns", (json_int_t)s->turns, "wall_seconds", r->seconds, "packets_per_second",
                   (double)s->hosts.data / r->seconds, "leaf_buffer", (json_int_t)deepest_buffer(r, true), "spine_buffer",
                   (json_int_t)deepest_buffer(r, false), "seed", (json_int_t)r->options->run.seed, "cables", ways_json(r),
                   "deadlock", circle_json(r));
  json_object_update_new(json, more);
  const int code = json_dumpf(json, file, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
  json_decref(json);
  return code == 0 && fputc('\n', file) != EOF ? 0 : -1;
}
