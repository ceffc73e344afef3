#include "sim/live/live_report.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "sim/report/page.h"
#include "sim/report/report.h"
#include "wire/fate.h"
#include "wire/roce.h"

/// Sums over all ports and hosts.
struct live_sums {
  uint64_t frames_in, results, fates[FATE_COUNT];
  struct report_latency latency;
  struct live_net_counts net;
  size_t wrong, elements;   ///< on all hosts together
};

static struct live_sums sum_up(const struct live_report *r) {
  const struct live_run *run = r->run;
  struct live_sums s = {.net = live_net_counts(run->net)};
  struct bench *b = live_net_bench(run->net);
  for (unsigned port = 0; port < run->options->config->ports; port++) {
    const struct scoreboard_counts *counts = bench_counts(b, port);
    s.frames_in += counts->rx;
    s.results += counts->tx_result;
    for (int f = 0; f < FATE_COUNT; f++) s.fates[f] += counts->fates[f];
  }
  size_t count;
  const uint32_t *latencies = bench_latencies(b, &count);
  s.latency = report_latencies(latencies, count);
  for (size_t i = 0; i < run->result_count; i++) s.wrong += run->results[i].wrong;
  return s;
}

static const char *const errors[] = {"retry_exceeded_err", "retry_rnr_exceeded_err", "send_err"};
enum { ERRORS = sizeof errors / sizeof *errors };

bool live_report_is_error(const char *counter) {
  for (size_t i = 0; i < ERRORS; i++)
    if (strcmp(counter, errors[i]) == 0) return true;
  return false;
}

int64_t live_report_refused(const struct live_run *run, unsigned host) {
  return (int64_t)live_net_counts(run->net).roce[host] -
         json_integer_value(json_object_get(run->hosts[host].counters, "rcvd_pkts"));
}

/// A counter of the driver, over all hosts.
static uint64_t counted(const struct live_run *run, const char *name) {
  uint64_t sum = 0;
  for (unsigned host = 0; host < run->options->hosts; host++)
    sum += (uint64_t)json_integer_value(json_object_get(run->hosts[host].counters, name));
  return sum;
}

// --- people ---

static void print_setting(FILE *file, const struct live_run *run) {
  const struct live_options *o = run->options;
  report_setting(file, o->config, o->seed);
  if (o->attach != NULL) return;
  fprintf(file, "%u guests, Linux %s under %s, rdma_rxe; up after %.1f s\n", o->hosts, run->kernel, run->accel, run->boot_s);
  fprintf(file, "%u ring%s: %s %s, window %u, MsgLen %u, MTU %u, %s, %s%s", o->rings, o->rings == 1 ? "" : "s",
          live_op_name(o->kind), live_type_name(o->kind), o->window, o->msglen, o->mtu, live_verb_name(o->verb),
          o->ipv6 ? "IPv6" : "IPv4", o->hosts_alone ? ", reduced by the hosts alone" : "");
  if (o->vlan > 0) fprintf(file, ", VLAN %u", o->vlan);
  if (o->loss > 0) fprintf(file, ", loss %g each way", o->loss);
  fputc('\n', file);
}

/// One line a size and ring; times are those of the slowest host.
static void print_results(FILE *file, const struct live_run *run) {
  if (run->result_count == 0) return;
  fprintf(file, "%8s %6s %12s %14s %12s %8s %8s\n", "ring", "hosts", "bytes", "elements", "us, slowest", "MB/s", "wrong");
  for (size_t i = 0; i < run->result_count; i++) {
    const struct live_result *a = &run->results[i];
    unsigned hosts = 0;
    size_t wrong = 0, before = 0;
    double us = 0;
    for (size_t k = 0; k < run->result_count; k++) {
      const struct live_result *b = &run->results[k];
      if (a->ring != b->ring || a->bytes != b->bytes) continue;
      before += k < i;
      hosts++;
      wrong += b->wrong;
      if (b->us > us) us = b->us;
    }
    if (before > 0) continue;
    fprintf(file, "%8u %6u %12zu %14zu %12.0f %8.2f %8zu\n", a->ring, hosts, a->bytes,
            a->bytes / ina_element_size(run->options->kind), us, us > 0 ? (double)a->bytes / us : 0, wrong);
  }
}

static void print_drivers(FILE *file, const struct live_run *run) {
  static const char *const names[] = {"sent_pkts",          "rcvd_pkts",    "duplicate_request",
                                      "out_of_seq_request", "rcvd_seq_err", "completer_retry_err"};
  if (run->options->attach != NULL || run->options->shell) return;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char text[40];
    snprintf(text, sizeof text, "rxe: %s", names[i]);
    report_some(file, text, counted(run, names[i]), "");
  }
  uint64_t sum = 0;
  for (size_t i = 0; i < ERRORS; i++) sum += counted(run, errors[i]);
  fprintf(file, "%-22s %12" PRIu64 "  of retry_exceeded_err, retry_rnr_exceeded_err, send_err\n", "rxe: errors", sum);
  int64_t refused = 0;
  for (unsigned host = 0; host < run->options->hosts; host++)
    refused += run->hosts[host].counters == NULL ? 0 : live_report_refused(run, host);
  fprintf(file, "%-22s %12" PRId64 "  of what it was given: wrong ICRC, or no such queue pair any more\n", "rxe: refused",
          refused);
  report_some(file, "other programs", run->passed, "ran well beside the rings: ib_write_bw, ib_send_lat, ibv_rc_pingpong");
}

static void print_kill(FILE *file, const struct live_run *run) {
  if (run->options->kill == LIVE_NOBODY || run->broken_at == 0) return;
  double longest = 0;
  for (unsigned host = 0; host < run->options->hosts; host++)
    if (run->hosts[host].failed_after > longest) longest = run->hosts[host].failed_after;
  fprintf(file, "host %u was killed; the last of the others had an error after %.1f s; ring 2 is the next job, without it\n",
          run->options->kill, longest);
}

static void print_restarts(FILE *file, const struct live_run *run) {
  if (run->restarts == 0) return;
  fprintf(file,
          "the device was restarted %u times, each in the middle of a job: of the hosts' programs %u ended with the sums, %u "
          "refused a "
          "result, %u ended with another error\n",
          run->restarts, run->ended[LIVE_END_DONE], run->ended[LIVE_END_REFUSED], run->ended[LIVE_END_FAILED]);
}

static void print_device(FILE *file, const struct live_report *r, const struct live_sums *s) {
  report_line(file, "frames from hosts", s->net.in, "");
  report_some(file, "  lost", s->net.lost_in, "on purpose");
  report_line(file, "device: frames in", s->frames_in, "");
  for (int f = 0; f < FATE_COUNT; f++) {
    char name[40];
    snprintf(name, sizeof name, "  %s", fate_name((enum fate)f));
    report_some(file, name, s->fates[f], "");
  }
  report_line(file, "device: results out", s->results, "");
  report_line(file, "frames to hosts", s->net.out, "");
  report_some(file, "  lost", s->net.lost_out, "on purpose");
  report_some(file, "  dropped", s->net.dropped, "no room, or the host is gone");
  const struct report_latency *l = &s->latency;
  if (l->count > 0) {
    fprintf(file, "%-22s %12s %8s %8s %8s\n", "latency", "min", "p50", "p99", "max");
    fprintf(file, "%-22s %12u %8u %8u %8u\n", "  cycles", l->min, l->p50, l->p99, l->max);
  }
  report_line(file, "cycles clocked", bench_cycle(live_net_bench(r->run->net)), "");
  const struct undecided u = bench_undecided(live_net_bench(r->run->net));
  undecided_print(file, &u);
}

void live_report_print(FILE *file, const struct live_report *r) {
  const struct live_sums s = sum_up(r);
  print_setting(file, r->run);
  print_results(file, r->run);
  print_kill(file, r->run);
  print_restarts(file, r->run);
  print_drivers(file, r->run);
  print_device(file, r, &s);
  fprintf(file, "%-22s %12.1f  s on this machine, %.1f of them for the jobs\n", "time", r->seconds, r->run->job_s);
  if (r->mismatches == 0) {
    if (r->run->result_count > 0)
      fprintf(file, "OK: %zu all-reduces on %u hosts, every element right; every frame as the golden model has it\n",
              r->run->result_count, r->run->options->hosts);
    else
      fprintf(file, "OK: every frame as the golden model has it\n");
    return;
  }
  fprintf(file, "FAILED: %zu mismatch%s\n", r->mismatches, r->mismatches == 1 ? "" : "es");
  for (size_t i = 0; i < r->run->text_count; i++) fprintf(file, "  %s\n", r->run->texts[i]);
  const char *text;
  for (size_t i = 0; (text = bench_text(live_net_bench(r->run->net), i)) != NULL; i++) fprintf(file, "  %s\n", text);
  fprintf(file, "repeat it with: %s\n", r->again);
}

// --- programs ---

static void put(json_t *object, const char *name, uint64_t value) {
  json_object_set_new(object, name, json_integer((json_int_t)value));
}

static json_t *hosts_json(const struct live_run *run) {
  json_t *list = json_array();
  for (unsigned host = 0; host < run->options->hosts; host++) {
    const struct live_host *h = &run->hosts[host];
    json_t *o = json_object();
    put(o, "host", host);
    json_object_set_new(o, "code", json_integer(h->code));
    json_object_set_new(o, "error", *h->error ? json_string(h->error) : json_null());
    json_object_set_new(o, "error_after_s", h->failed_after > 0 ? json_real(h->failed_after) : json_null());
    json_object_set_new(o, "refused", json_integer(live_report_refused(run, host)));
    json_object_set(o, "counters", h->counters != NULL ? h->counters : json_null());
    json_array_append_new(list, o);
  }
  return list;
}

static json_t *results_json(const struct live_run *run) {
  json_t *list = json_array();
  for (size_t i = 0; i < run->result_count; i++) {
    const struct live_result *a = &run->results[i];
    json_t *o = json_object();
    put(o, "host", a->host);
    put(o, "ring", a->ring);
    put(o, "bytes", a->bytes);
    put(o, "wrong", a->wrong);
    json_object_set_new(o, "us", json_real(a->us));
    json_object_set_new(o, "device", json_boolean(a->device));
    json_array_append_new(list, o);
  }
  return list;
}

int live_report_json(FILE *file, const struct live_report *r) {
  const struct live_sums s = sum_up(r);
  json_t *o = json_object();
  put(o, "frames_in", s.frames_in);
  put(o, "results", s.results);
  put(o, "duplicates", s.fates[FATE_DUPLICATE]);
  put(o, "passed", s.fates[FATE_PASSED]);
  json_object_set_new(o, "drops", report_drops_json(s.fates));
  put(o, "cycles", bench_cycle(live_net_bench(r->run->net)));
  put(o, "mismatches", r->mismatches);
  json_object_set_new(o, "latency_cycles", report_latency_json(&s.latency));
  const struct undecided u = bench_undecided(live_net_bench(r->run->net));
  json_object_set_new(o, "undecided", undecided_json(&u));
  put(o, "lost", s.net.lost_in + s.net.lost_out);
  put(o, "dropped", s.net.dropped);
  put(o, "other_programs", r->run->passed);
  put(o, "wrong", s.wrong);
  put(o, "restarts", r->run->restarts);
  put(o, "refused_a_result", r->run->ended[LIVE_END_REFUSED]);
  json_object_set_new(o, "boot_s", json_real(r->run->boot_s));
  json_object_set_new(o, "job_s", json_real(r->run->job_s));
  json_object_set_new(o, "accel", json_string(r->run->accel != NULL ? r->run->accel : ""));
  json_object_set_new(o, "kernel", json_string(r->run->kernel));
  json_object_set_new(o, "hosts", hosts_json(r->run));
  json_object_set_new(o, "reductions", results_json(r->run));
  int result = json_dumpf(o, file, JSON_INDENT(2));
  if (result == 0 && fputc('\n', file) == EOF) result = -1;
  json_decref(o);
  return result;
}

int live_report_page(FILE *file, const struct live_report *r) {
  const struct live_options *o = r->run->options;
  const struct live_sums s = sum_up(r);
  char verdict[80] = "OK: every element right on every host", setting[256];
  const char *texts[LIVE_TEXTS];
  size_t texts_count = 0;
  while (texts_count < r->run->text_count) {
    texts[texts_count] = r->run->texts[texts_count];
    texts_count++;
  }
  for (size_t i = 0; texts_count < LIVE_TEXTS; i++) {
    const char *text = bench_text(live_net_bench(r->run->net), i);
    if (text == NULL) break;
    texts[texts_count++] = text;
  }
  if (r->mismatches > 0)
    snprintf(verdict, sizeof verdict, "FAILED: %zu mismatch%s", r->mismatches, r->mismatches == 1 ? "" : "es");
  snprintf(setting, sizeof setting,
           "Configuration %s: %u ports, %u slots of %u bytes; %u guests with Linux %s and rdma_rxe; %s %s, window %u, MsgLen %u, "
           "MTU %u, %s",
           o->config->name, o->config->ports, o->config->slots, o->config->slot_bytes, o->hosts, r->run->kernel,
           live_op_name(o->kind), live_type_name(o->kind), o->window, o->msglen, o->mtu, live_verb_name(o->verb));
  const struct page_figure figures[] = {
      page_counted("frames_in", "frames in", s.frames_in),
      page_counted("stored", "stored", s.fates[FATE_STORED]),
      page_counted("duplicates", "duplicates", s.fates[FATE_DUPLICATE]),
      page_counted("dropped", "dropped", fate_drops(s.fates)),
      page_counted("results", "results", s.results),
      page_cycles("latency_p50", "latency p50", s.latency.p50),
      page_cycles("latency_p99", "latency p99", s.latency.p99),
      page_counted("lost", "lost on cables", s.net.lost_in + s.net.lost_out),
      page_time(r->history),
      page_counted("cycles", "cycles clocked", bench_cycle(live_net_bench(r->run->net))),
  };
  const struct undecided undecided = bench_undecided(live_net_bench(r->run->net));
  const struct page page = {
      .title = "Linux RDMA hosts through the aggregator",
      .good = r->mismatches == 0,
      .verdict = verdict,
      .setting = setting,
      .again = r->again,
      .texts = texts,
      .text_count = texts_count,
      .figures = figures,
      .figure_count = sizeof figures / sizeof *figures,
      .fates = s.fates,
      .undecided = &undecided,
  };
  return page_write(file, &page, r->history);
}
