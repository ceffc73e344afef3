// `weir tree`: collectives over trees of nodes that end connections.
#include <stdio.h>

#include "base/clock.h"
#include "sim/cli/command.h"
#include "sim/cli/life.h"
#include "sim/tree/tree_options.h"
#include "sim/tree/tree_page.h"
#include "sim/tree/tree_report.h"
#include "sim/tree/tree_sweep.h"
#include "sim/engine/collective/tree_run.h"
#include "sim/engine/world/ranks.h"

/// All that a run owns.
struct tree_command {
  struct tree_options *options;
  struct life life;
  struct tree_run *run;
};

static void tell_reached(struct tree_command *r) {
  life_reached(&r->life, "%.3f ms simulated, %u of %u hosts to be done", (double)tree_run_now(r->run) / 1e9,
               tree_run_open_hosts(r->run), r->options->topology.hosts);
}

/// Lets a run go on to its end. All processes stop when one is asked to: false then.
static bool go(struct tree_command *r) {
  while (tree_run_step(r->run))
    if (life_due(&r->life)) tell_reached(r);
  if (stop_asked() != 0) tell_reached(r);
  life_quiet(&r->life);
  return ranks_least(stop_asked() != 0 ? 0 : 1) == 1;
}

static int write_json(FILE *file, const void *report) { return tree_run_json(file, report); }
static int write_page(FILE *file, const void *report) { return tree_page(file, report); }
static int write_sweep_json(FILE *file, const void *sweep) { return tree_sweep_json(file, sweep); }
static int write_sweep_page(FILE *file, const void *sweep) { return tree_page_sweep(file, sweep); }

/// Runs what the options say now. False after a line on stderr, or if a signal came.
static bool run_once(struct tree_command *r, struct tree_report_of *report) {
  char error[300];
  r->run = tree_run_open(&r->options->run, error, sizeof error);
  if (r->run == NULL) {
    tree_refuse("%s", error);
    return false;
  }
  const double start = clock_seconds();
  if (!go(r)) return false;
  *report = (struct tree_report_of){.options = r->options,
                                    .run = r->run,
                                    .result = tree_run_finish(r->run),
                                    .seconds = clock_seconds() - start,
                                    .again = r->life.again};
  return true;
}

static int run_sizes(struct tree_command *r) {
  struct tree_sweep sweep = {.options = r->options, .again = r->life.again};
  for (uint32_t size = r->options->run.jobs.size * r->options->run.jobs.parts; size > 0;
       size = tree_options_next(r->options, size)) {
    struct tree_report_of report;
    if (tree_options_resize(r->options, size) != 0 || !run_once(r, &report)) return COMMAND_UNUSABLE;
    tree_sweep_add(&sweep, stdout, &report);
    tree_run_close(r->run);
    r->run = NULL;
  }
  tree_sweep_end(stdout, &sweep);
  const int code = outputs_write(&r->life.outputs, write_sweep_json, write_sweep_page, &sweep);
  return code == 0 && sweep.mismatches > 0 ? COMMAND_FAILED : code;
}

static int run(struct tree_command *r) {
  const struct topology *t = &r->options->topology;
  // Only the first process has files.
  int code = outputs_open(&r->life.outputs, t->hosts + t->count - 1);
  if (ranks_least(code == 0 ? 1 : 0) == 0) return COMMAND_UNUSABLE;
  if (r->options->size_to > 0) return life_finish(&r->life, run_sizes(r));
  r->options->run.network.writer = r->life.outputs.writer;
  struct tree_report_of report;
  if (!run_once(r, &report)) return COMMAND_UNUSABLE;
  if (ranks_own() == 0) tree_run_report(stdout, &report);
  code = outputs_write(&r->life.outputs, write_json, write_page, &report);
  if (code == 0 && report.result->findings.count > 0) code = COMMAND_FAILED;
  return life_finish(&r->life, code);
}

int tree_command(int argc, char **argv) {
  struct tree_options options;
  int code = tree_options_parse(argc, argv, &options);
  if (code != 0) return code;
  struct tree_command r = {.options = &options,
                           .life.outputs = {.out = options.out,
                                            .json = ranks_own() == 0 ? options.json : NULL,
                                            .report = options.report}};
  life_begin(&r.life, "weir tree", argc, argv, options.seed_given ? NULL : &options.run.network.seed);
  code = run(&r);
  tree_run_close(r.run);
  return life_end(&r.life, code);
}
