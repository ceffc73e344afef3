// `weir fabric`: a Clos network of hosts and switches.
#include <stdio.h>

#include "base/clock.h"
#include "sim/cli/command.h"
#include "sim/cli/life.h"
#include "sim/cli/usage.h"
#include "sim/engine/world/ranks.h"
#include "sim/fabric/fabric_report.h"

/// All that a run owns.
struct fabric_command {
  struct fabric_options *options;
  struct life life;
  struct fabric_run *run;
};

static int write_json(FILE *file, const void *report) { return fabric_report_json(file, report); }
static int write_page(FILE *file, const void *report) { return fabric_report_page(file, report); }

// How far the run is, and what came of it so far: of this process's hosts.
static void tell_reached(struct fabric_command *c) {
  const struct fabric_so_far s = fabric_run_so_far(c->run);
  const double ms = (double)fabric_run_now(c->run) / 1e9;
  life_reached(&c->life, "%.3f ms simulated, %llu of %llu done; %llu packets delivered, %.1f Gb/s a host", ms,
               (unsigned long long)(s.all - s.left), (unsigned long long)s.all, (unsigned long long)s.packets,
               ms > 0 ? (double)s.bytes * 8 / 1e6 / ms / s.hosts : 0);
}

// Lets a run go on to its end. All processes stop when one is asked to.
static bool go(struct fabric_command *c) {
  while (fabric_run_step(c->run)) {
    if (life_due(&c->life)) tell_reached(c);
    if (ranks_least(stop_asked() != 0 ? 0 : 1) == 0) break;
  }
  if (stop_asked() != 0) tell_reached(c);
  life_quiet(&c->life);
  return ranks_least(stop_asked() != 0 ? 0 : 1) == 1;
}

static int run(struct fabric_command *c) {
  // Only the first process has files.
  const int code_here = outputs_open(&c->life.outputs, 2 * (unsigned)c->options->run.tap_count);
  if (ranks_least(code_here == 0 ? 1 : 0) == 0) return COMMAND_UNUSABLE;
  int code;
  c->options->run.writer = c->life.outputs.writer;
  char error[300];
  const double start = clock_seconds();
  c->run = fabric_run_open(&c->options->run, error, sizeof error);
  if (c->run == NULL) return fabric_refuse("%s", error);
  if (!go(c)) return COMMAND_UNUSABLE;
  const struct fabric_report report = {.options = c->options,
                                       .result = fabric_run_finish(c->run),
                                       .seconds = clock_seconds() - start,
                                       .again = c->life.again};
  if (ranks_own() == 0) fabric_report_text(stdout, &report);
  code = outputs_write(&c->life.outputs, write_json, write_page, &report);
  if (code == 0 && (report.result->findings.count > 0 || report.result->open > 0)) code = COMMAND_FAILED;
  return life_finish(&c->life, code);
}

int fabric_command(int argc, char **argv) {
  struct fabric_options options;
  int code = fabric_options_parse(argc, argv, &options);
  if (code == 0) {
    struct fabric_command c = {.options = &options,
                               .life.outputs = {.out = options.out,
                                                .json = ranks_own() == 0 ? options.json : NULL,
                                                .report = ranks_own() == 0 ? options.report : NULL}};
    life_begin(&c.life, "weir fabric", argc, argv, options.seed_given ? NULL : &options.run.seed);
    code = run(&c);
    fabric_run_close(c.run);
    code = life_end(&c.life, code);
  }
  fabric_options_free(&options);
  return code;
}
