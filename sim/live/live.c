// `weir live`: Linux hosts with real RDMA drivers, as virtual machines, on the ports of the Verilated device.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "sim/cli/command.h"
#include "sim/live/live_report.h"
#include "sim/live/live_run.h"
#include "sim/live/live_told.h"
#include "sim/live/tree/live_tree.h"
#include "sim/cli/life.h"
#include "sim/engine/fit.h"
#include "sim/cli/usage.h"

/// All that the command owns.
struct live {
  struct live_options *options;
  struct life life;
  struct history *history;
  struct live_run run;
  struct drive_ring rings[LIVE_MAX_RINGS];
  unsigned ring_count;
  double start;
};

/// Ring i has RingID i + 1. Who is left when a host was killed gets one more.
static void name_rings(struct live *l) {
  const struct live_options *o = l->options;
  const unsigned window = fit_window(o->window);
  for (unsigned r = 0; r < o->rings; r++) {
    l->rings[l->ring_count++] = (struct drive_ring){
        .enable = true, .learn = true, .id = (uint16_t)(r + 1), .workers = o->hosts, .window = window, .stride = o->msglen};
  }
  if (o->kill == LIVE_NOBODY) return;
  l->rings[l->ring_count] = l->rings[0];
  l->rings[l->ring_count].id = 2;
  l->rings[l->ring_count++].workers = o->hosts - 1;
}

static int choose_config(struct live *l) {
  struct live_options *o = l->options;
  uint64_t needs[FIT_NEEDS];
  size_t count;
  struct file_error error;
  name_rings(l);
  fit_rings(l->rings, l->ring_count, needs);
  needs[FIT_PORTS] = o->hosts;
  needs[FIT_SLOT_BYTES] = o->msglen > 1 ? o->mtu : o->mtu - INA_BYTES;
  const struct drive_config *configs = drive_configs(&count);
  o->config = fit_choose(configs, count, o->config_name, needs, NULL, &error);
  if (o->config == NULL) return live_refuse("%s", error.text);
  fit_place(l->rings, l->ring_count);
  return 0;
}

static int open_all(struct live *l) {
  char error[256];
  int code = choose_config(l);
  if (code == 0) code = outputs_open(&l->life.outputs, l->options->hosts);
  if (code != 0) return code;
  if (l->life.outputs.report != NULL && (l->history = history_new()) == NULL) return live_refuse("out of memory");
  l->run.net = live_net_open(l->options, l->run.guests, l->rings, l->ring_count, l->history, l->life.outputs.writer,
                             outputs_wave(&l->life.outputs), error, sizeof error);
  if (l->run.net == NULL) return live_refuse("%s", error);
  l->run.wires = live_net_wires(l->run.net);
  return 0;
}

// --- the verdict ---

/// What weir_perf and the driver of each host must have said.
static void check_hosts(struct live_run *r) {
  const struct live_options *o = r->options;
  const struct live_net_counts counts = live_net_counts(r->net);
  const bool ran_well = r->mismatches == 0;
  const unsigned alive = o->kill == LIVE_NOBODY ? o->hosts : o->hosts - 1;
  for (size_t i = 0; i < r->result_count; i++) {
    const struct live_result *a = &r->results[i];
    if (a->wrong > 0)
      live_run_report(r, "host %u, ring %u: %zu elements of %zu bytes are wrong", a->host, a->ring, a->wrong, a->bytes);
    if (a->device == o->hosts_alone)
      live_run_report(r, "host %u, ring %u: %s reduced", a->host, a->ring, a->device ? "the device" : "the hosts");
  }
  for (unsigned host = 0; ran_well && host < alive; host++) {
    const char *name;
    json_t *value;
    if (r->hosts[host].counters == NULL) live_run_report(r, "host %u told no counters", host);
    const int64_t refused = live_told_refused(r, &counts, host);
    // Programs that are not ours do not wait for each other before they close their queue pairs.
    if (refused != 0 && !live_breaks(o) && !o->perftest)
      live_run_report(r, "host %u: its driver refused %lld RoCEv2 frames", host, (long long)refused);
    json_object_foreach(r->hosts[host].counters, name, value) {
      const bool excused = live_breaks(o);
      if (live_told_is_error(name) && json_integer_value(value) > 0 && !excused)
        live_run_report(r, "host %u: its driver counts %lld %s", host, (long long)json_integer_value(value), name);
    }
  }
  size_t sizes = 1;
  for (size_t bytes = 4; o->sweep && bytes * 2 <= o->tensor; bytes *= 2) sizes++;
  const size_t wanted = o->program != NULL ? 0 : (size_t)alive * o->rings * sizes;
  const size_t came = r->result_count - r->results_before;
  if (ran_well && came < wanted) live_run_report(r, "%zu results of %zu came", came, wanted);
  if (ran_well && o->perftest && r->passed < 3) live_run_report(r, "%u of 3 other programs ran well beside the rings", r->passed);
}

static int write_json(FILE *file, const void *report) { return live_report_json(file, report); }
static int write_page(FILE *file, const void *report) { return live_report_page(file, report); }

static int tell(struct live *l) {
  struct live_run *r = &l->run;
  const bool jobs = l->options->attach == NULL && !l->options->shell;
  if (jobs && bench_mismatches(live_net_bench(r->net)) == 0) check_hosts(r);
  const struct live_report report = {.run = r,
                                     .mismatches = r->mismatches + bench_finish(live_net_bench(r->net)),
                                     .seconds = clock_seconds() - l->start,
                                     .again = l->life.again,
                                     .history = l->history};
  live_report_print(stdout, &report);
  const int code = outputs_write(&l->life.outputs, write_json, write_page, &report);
  if (code != 0) return code;
  return report.mismatches == 0 ? 0 : COMMAND_FAILED;
}

static int run(struct live *l) {
  if (l->options->tree != NULL) return life_finish(&l->life, live_tree_run(&l->run, l->start));
  int code = open_all(l);
  if (code == 0) code = live_run_all(&l->run);
  if (code != 0 || stop_asked() != 0) return COMMAND_UNUSABLE;
  code = tell(l);
  live_run_stop(&l->run);
  live_net_close(l->run.net);   // finishes the waves, too
  l->run.net = NULL;
  return life_finish(&l->life, code);
}

int live_command(int argc, char **argv) {
  struct live_options options;
  int code = live_parse(argc, argv, &options);
  if (code != 0) return code;
  struct live *l = calloc(1, sizeof *l);
  if (l == NULL) return live_refuse("out of memory");
  *l = (struct live){.options = &options,
                     .start = clock_seconds(),
                     .life.outputs = {.out = options.out, .json = options.json, .report = options.report, .wave = options.wave}};
  l->run.options = &options;
  l->run.life = &l->life;
  for (unsigned host = 0; host < LIVE_MAX_HOSTS; host++) l->run.guests[host].console = l->run.guests[host].network = -1;
  life_begin(&l->life, "weir live", argc, argv, options.seed_given ? NULL : &options.seed);
  code = run(l);
  live_run_stop(&l->run);
  live_net_close(l->run.net);
  history_free(l->history);
  code = life_end(&l->life, code);
  free(l);
  return code;
}
