// The summary of a run for programs.
#include "sim/fabric/fabric_report.h"

#include <inttypes.h>
#include <jansson.h>

#include "sim/engine/world/ranks.h"
#include "sim/fabric/fabric_totals.h"

static void put(json_t *to, const char *key, uint64_t value) { json_object_set_new(to, key, json_integer((json_int_t)value)); }
static void put_real(json_t *to, const char *key, double value) { json_object_set_new(to, key, json_real(value)); }

static json_t *ways_json(const struct fabric_report *r) {
  struct fabric_way ways[WAYS];
  fabric_ways(r->options, r->result, ways);
  json_t *all = json_object();
  for (unsigned w = 0; w < WAYS; w++) {
    json_t *way = json_object();
    put(way, "cables", ways[w].cables);
    put(way, "packets", ways[w].packets);
    put(way, "bytes", ways[w].bytes);
    put(way, "pauses", ways[w].pauses);
    put_real(way, "paused", fabric_share(r->result, ways[w].paused_ps, ways[w].cables));
    put(way, "marked", ways[w].marked);
    put(way, "deepest", ways[w].deepest);
    put_real(way, "fullest", ways[w].fullest);
    put_real(way, "emptiest", ways[w].emptiest);
    json_object_set_new(all, ways[w].key, way);
  }
  return all;
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

static void put_hosts(json_t *to, const struct nic_counts *h) {
  put(to, "packets_delivered", h->data);
  put(to, "bytes_delivered", h->bytes);
  put(to, "messages", h->messages);
  put(to, "sent", h->sent);
  put(to, "again", h->again);
  put(to, "acks", h->acks);
  put(to, "naks", h->naks);
  put(to, "cnps", h->cnps);
  put(to, "cts", h->cts);
  put(to, "out_of_sequence", h->out_of_sequence);
  put(to, "duplicates", h->duplicates);
  put(to, "timeouts", h->timeouts);
  put(to, "lost", h->lost);
  put(to, "cts_wait_most_ps", h->cts_wait_most_ps);
}

static void put_switches(json_t *to, const struct fabric_report *r) {
  const struct fabric_result *s = r->result;
  put(to, "dropped", s->dropped);
  put(to, "lost_on_cables", s->lost);
  put(to, "unreachable", s->unreachable);
  put(to, "watchdogs", fabric_watchdogs(r->options, s));
  put(to, "watchdog_drops", s->watchdog_drops);
  put(to, "busiest_cable", fabric_busiest(r->options, s));
  put(to, "state", s->state);
  put(to, "summed", s->absorbed);
  put(to, "summed_again", s->summed_again);
  put(to, "sent_by_switches", s->made);
  put(to, "waited_beside", s->made_waited);
  put(to, "device_results", s->device_results);
  put(to, "result_bytes", s->result_bytes);
  put(to, "gather_wanted", s->gather_wanted);
  put(to, "gather_packets", s->gather_packets);
  put(to, "gather_hits", s->gather_hits);
  put(to, "device_compared", s->device_compared);
  put(to, "device_cycles", s->device_cycles);
  put(to, "device_waited", s->device_waited);
  put(to, "uplink_frames", s->uplink_frames);
  put(to, "uplink_dropped", s->uplink_dropped);
  put(to, "flowlets", s->flowlets);
  put(to, "alarms", s->alarms);
  put(to, "leaf_buffer", fabric_deepest(r->options, s, true));
  put(to, "spine_buffer", fabric_deepest(r->options, s, false));
  json_object_set_new(to, "deadlock", circle_json(r));
  json_object_set_new(to, "cables", ways_json(r));
}

int fabric_report_json(FILE *file, const struct fabric_report *r) {
  const struct fabric_result *s = r->result;
  const struct fabric_times t = fabric_times(s);
  char hash[17];
  snprintf(hash, sizeof hash, "%016" PRIx64, s->hash);
  json_t *json = json_object();
  put(json, "hosts", r->options->net.hosts - r->options->net.nodes);
  put(json, "nodes", r->options->net.nodes);
  put(json, "switches", r->options->net.switches);
  put(json, "seed", r->options->run.seed);
  put(json, "time_ps", s->done_ps);
  put(json, "done", t.count);
  put(json, "open", s->open);
  put(json, "wrong", s->wrong);
  put(json, "mismatches", s->findings.count);
  put_real(json, "median_us", (double)t.half / 1e6);
  put_real(json, "mean_us", t.mean / 1e6);
  put_real(json, "p99_us", (double)t.p99 / 1e6);
  put_real(json, "goodput_gbps", fabric_goodput(r->options, s));
  put_real(json, "max_mean_ratio", fabric_max_mean(r->options, s));
  put_hosts(json, &s->hosts);
  put_real(json, "cts_delay_p50_us", fabric_cts_delay(s, 0.5));
  put_real(json, "cts_delay_p90_us", fabric_cts_delay(s, 0.9));
  put_switches(json, r);
  json_object_set_new(json, "events_hash", json_string(hash));
  put(json, "events", s->events);
  put(json, "ranks", ranks_count());
  put(json, "turns", s->turns);
  put_real(json, "wall_seconds", r->seconds);
  put_real(json, "packets_per_second", (double)s->hosts.data / r->seconds);
  const int code = json_dumpf(json, file, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
  json_decref(json);
  return code == 0 && fputc('\n', file) != EOF ? 0 : -1;
}
