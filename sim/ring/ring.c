// `weir ring`: hosts all-reduce tensors through the device, in closed loop.
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "drive/config.h"
#include "sim/cli/command.h"
#include "sim/engine/cluster/cluster.h"
#include "sim/cli/life.h"
#include "sim/engine/cluster/pilot.h"
#include "sim/engine/fit.h"
#include "sim/ring/ring_options.h"
#include "sim/ring/ring_report.h"

/// All that a run owns.
struct ring_command {
  struct ring_options *options;
  struct life life;
  struct cluster *cluster;
  double rtt_us, seconds;
  double plain_us;   ///< of a ring all-reduce without devices; 0: not asked for
};

static int choose_config(struct ring_options *o) {
  struct cluster_options *c = &o->cluster;
  if (c->topology != NULL) return 0;
  const unsigned window = fit_window(c->window);
  struct drive_ring rings[JOBS_MOST];
  for (unsigned r = 0; r < c->jobs.count; r++)
    rings[r] = (struct drive_ring){.learn = true, .workers = c->jobs.list[r].ranks, .window = window, .stride = c->msglen};
  uint64_t needs[FIT_NEEDS];
  fit_rings(rings, c->jobs.count, needs);
  // A packet that carries no INA header is tensor throughout.
  needs[FIT_SLOT_BYTES] = c->msglen > 1 ? c->mtu : c->mtu - INA_BYTES;
  size_t count;
  const struct drive_config *configs = drive_configs(&count);
  struct file_error error;
  c->config = fit_choose(configs, count, o->config, needs, NULL, &error);
  if (c->config == NULL) return ring_refuse("%s", error.text);
  if (c->pause_to_ps == 0 || c->pause_port < c->config->ports) return 0;
  return ring_refuse("--pause-port %u: configuration %s has ports 0 to %u", c->pause_port, c->config->name, c->config->ports - 1);
}

static void tell_reached(struct ring_command *r) {
  size_t done = 0, all = 0;
  cluster_results(r->cluster, &done, &all);
  life_reached(&r->life, "%zu of %zu result messages, %.3f ms simulated", done, all, (double)cluster_now(r->cluster) / 1e9);
}

/// Lets a run go on to its end.
static void go(struct ring_command *r) {
  while (cluster_step(r->cluster))
    if (life_due(&r->life)) tell_reached(r);
  if (stop_asked() != 0) tell_reached(r);
  life_quiet(&r->life);
}

/// Measures the round trip of one packet, or makes the cables so long that it is what was asked for. 0, or an exit code.
static int set_rtt(struct ring_command *r) {
  struct ring_options *o = r->options;
  char error[256];
  if (o->rtt_us > 0) {
    r->rtt_us = o->rtt_us;
    if (pilot_set_cables(&o->cluster, o->rtt_us, error, sizeof error) == 0) return 0;
    return ring_refuse("--rtt %g: %s", o->rtt_us, error);
  }
  r->rtt_us = pilot_round_trip(&o->cluster, error, sizeof error);
  return r->rtt_us >= 0 ? 0 : ring_refuse("%s", error);
}

static int open_files(struct ring_command *r) {
  struct cluster_options *c = &r->options->cluster;
  const int code = outputs_open(&r->life.outputs, c->jobs.hosts);
  if (code != 0) return code;
  c->writer = r->life.outputs.writer;
  c->wave = outputs_wave(&r->life.outputs);
  if (r->life.outputs.report == NULL) return 0;
  c->history = history_new();
  return c->history != NULL ? 0 : ring_refuse("out of memory");
}

static int write_json(FILE *file, const void *report) { return ring_report_json(file, report); }
static int write_page(FILE *file, const void *report) { return ring_report_page(file, report); }

/// Says what came of it, and writes the summary and the page.
static int tell(struct ring_command *r, size_t mismatches) {
  const struct ring_report report = {.options = r->options,
                                     .cluster = r->cluster,
                                     .rtt_us = r->rtt_us,
                                     .seconds = r->seconds,
                                     .plain_us = r->plain_us,
                                     .mismatches = mismatches,
                                     .again = r->life.again};
  ring_report_print(stdout, &report);
  const int code = outputs_write(&r->life.outputs, write_json, write_page, &report);
  if (code != 0) return code;
  return mismatches == 0 ? 0 : COMMAND_FAILED;
}

static int run(struct ring_command *r) {
  char error[256];
  int code = choose_config(r->options);
  if (code == 0) code = set_rtt(r);
  if (code == 0) code = open_files(r);
  if (code != 0) return code;
  r->cluster = cluster_open(&r->options->cluster, error, sizeof error);
  if (r->cluster == NULL) return ring_refuse("%s", error);
  const double start = clock_seconds();
  go(r);
  if (stop_asked() != 0) return COMMAND_UNUSABLE;
  r->seconds = clock_seconds() - start;
  const size_t mismatches = cluster_finish(r->cluster);
  if (r->options->plain_ring) r->plain_us = pilot_plain_ring(&r->options->cluster, error, sizeof error);
  code = r->plain_us < 0 ? ring_refuse("%s", error) : tell(r, mismatches);
  cluster_close(r->cluster);   // finishes the waves, too
  r->cluster = NULL;
  return life_finish(&r->life, code);
}

int ring_command(int argc, char **argv) {
  struct ring_options options;
  int code = ring_parse(argc, argv, &options);
  if (code != 0) return code;
  struct ring_command r = {
      .options = &options,
      .life.outputs = {.out = options.out, .json = options.json, .report = options.report, .wave = options.wave}};
  life_begin(&r.life, "weir ring", argc, argv, options.seed_given ? NULL : &options.cluster.seed);
  code = run(&r);
  cluster_close(r.cluster);
  history_free(options.cluster.history);
  return life_end(&r.life, code);
}
