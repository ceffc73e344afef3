#include "sim/live/live_report.h"

#include <inttypes.h>
#include <jansson.h>

#include "sim/live/live_told.h"
#include "sim/report/page.h"
#include "sim/report/report.h"
#include "wire/fate.h"

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

// --- people ---

static void print_setting(FILE *file, const struct live_run *run) {
  const struct live_options *o = run->options;
  report_setting(file, o->config, o->seed);
  if (o->attach != NULL) return;
  live_told_guests(file, run);
  if (o->program != NULL) fprintf(file, "program: %s\n", o->program);
  fprintf(file, "%u ring%s: %s %s, window %u, MsgLen %u, MTU %u, %s, %s%s", o->rings, o->rings == 1 ? "" : "s",
          live_op_name(o->kind), live_type_name(o->kind), o->window, o->msglen, o->mtu, live_verb_name(o->verb),
          o->ipv6 ? "IPv6" : "IPv4", o->hosts_alone ? ", reduced by the hosts alone" : "");
  if (o->vlan > 0) fprintf(file, ", VLAN %u", o->vlan);
  if (o->loss > 0) fprintf(file, ", loss %g each way", o->loss);
  fputc('\n', file);
}

static void print_kill(FILE *file, const struct live_run *run) {
  if (run->options->kill == LIVE_NOBODY || run->broken_at == 0) return;
  fprintf(file, "host %u was killed; the last of the others had an error after %.1f s; ring 2 is the next job, without it\n",
          run->options->kill, live_told_longest(run));
}

static void print_restarts(FILE *file, const struct live_run *run) {
  if (run->restarts + run->flushes == 0) return;
  fprintf(file,
          "the device was restarted %u times and flushed %u times, each in the middle of a job: of the hosts' programs %u ended "
          "with the sums, %u refused a result, %u ended with another error; the last error came after %.1f s, %.1f of them with "
          "the device at work\n",
          run->restarts, run->flushes, run->ended[LIVE_END_DONE], run->ended[LIVE_END_REFUSED], run->ended[LIVE_END_FAILED],
          run->last.after, run->last.busy);
}

static void print_device(FILE *file, const struct live_report *r, const struct live_sums *s) {
  report_line(file, "frames from hosts", s->net.in, "");
  report_some(file, "  lost", s->net.lost_in, "on purpose");
  report_some(file, "  beside the device", s->net.beside, "not RoCEv2");
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
  live_told_results(file, r->run);
  print_kill(file, r->run);
  print_restarts(file, r->run);
  live_told_drivers(file, r->run, &s.net);
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
  report_failed(file, r->mismatches, "\n");
  live_told_faults(file, r->run);
  const char *text;
  for (size_t i = 0; (text = bench_text(live_net_bench(r->run->net), i)) != NULL; i++) fprintf(file, "  %s\n", text);
  fprintf(file, "repeat it with: %s\n", r->again);
}

// --- programs ---

int live_report_json(FILE *file, const struct live_report *r) {
  const struct live_sums s = sum_up(r);
  json_t *o = json_object();
  report_put(o, "frames_in", s.frames_in);
  report_put(o, "results", s.results);
  report_put(o, "duplicates", s.fates[FATE_DUPLICATE]);
  report_put(o, "passed", s.fates[FATE_PASSED]);
  json_object_set_new(o, "drops", report_drops_json(s.fates));
  report_put(o, "cycles", bench_cycle(live_net_bench(r->run->net)));
  report_put(o, "mismatches", r->mismatches);
  json_object_set_new(o, "latency_cycles", report_latency_json(&s.latency));
  const struct undecided u = bench_undecided(live_net_bench(r->run->net));
  json_object_set_new(o, "undecided", undecided_json(&u));
  report_put(o, "lost", s.net.lost_in + s.net.lost_out);
  report_put(o, "dropped", s.net.dropped);
  report_put(o, "beside", s.net.beside);
  report_put(o, "other_programs", r->run->passed);
  report_put(o, "wrong", s.wrong);
  report_put(o, "restarts", r->run->restarts);
  report_put(o, "flushes", r->run->flushes);
  report_put(o, "refused_a_result", r->run->ended[LIVE_END_REFUSED]);
  json_object_set_new(o, "boot_s", json_real(r->run->boot_s));
  json_object_set_new(o, "job_s", json_real(r->run->job_s));
  json_object_set_new(o, "accel", json_string(r->run->accel != NULL ? r->run->accel : ""));
  json_object_set_new(o, "kernel", json_string(r->run->kernel));
  json_object_set_new(o, "hosts", live_told_hosts_json(r->run, &s.net));
  json_object_set_new(o, "reductions", live_told_results_json(r->run));
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
  page_failed(verdict, sizeof verdict, r->mismatches);
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
