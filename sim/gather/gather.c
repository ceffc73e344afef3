// `weir gather`: nodes multiply a sparse matrix with a dense one and fetch what they need through the network.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "sim/cli/command.h"
#include "sim/gather/gather_devices.h"
#include "sim/gather/gather_options.h"
#include "sim/gather/gather_report.h"
#include "sim/gather/gather_run.h"
#include "sim/cli/life.h"
#include "sim/engine/world/ranks.h"

/// All that a run owns.
struct gather_command {
  struct gather_options *options;
  struct life life;
  struct matrix matrix;
  struct gather_run *gather;
};

static int get_matrix(struct gather_command *r) {
  const struct gather_options *o = r->options;
  struct file_error error;
  if (o->file != NULL) return matrix_read(o->file, &r->matrix, &error) == 0 ? 0 : gather_refuse("%s", error.text);
  struct matrix_made made = o->made;
  made.seed = o->run.seed;
  return matrix_generate(&made, &r->matrix) == 0 ? 0 : gather_refuse("out of memory");
}

static int open_files(struct gather_command *r) {
  struct gather_run_options *o = &r->options->run;
  const int code = outputs_open(&r->life.outputs, o->fabric.topology.nodes);
  o->writer = r->life.outputs.writer;
  gather_set_wave(r->options, outputs_wave(&r->life.outputs));
  return code;
}

static void tell_reached(struct gather_command *r) {
  const struct gather_fabric_options *f = &r->options->run.fabric;
  life_reached(&r->life, "%" PRIu32 " nodes to be done, %.3f ms simulated", gather_run_left(r->gather),
               (double)gather_run_now(r->gather) / f->mhz / 1000);
}

/// Lets a run go on to its end.
static void go(struct gather_command *r) {
  while (gather_run_step(r->gather))
    if (life_due(&r->life)) tell_reached(r);
  if (stop_asked() != 0) tell_reached(r);
  life_quiet(&r->life);
}

static int write_json(FILE *file, const void *report) { return gather_report_json(file, report); }
static int write_page(FILE *file, const void *report) { return gather_report_page(file, report); }

static int tell(struct gather_command *r, double seconds) {
  const struct gather_report report = {.options = r->options,
                                       .matrix = &r->matrix,
                                       .result = gather_run_finish(r->gather),
                                       .seconds = seconds,
                                       .again = r->life.again};
  if (ranks_own() == 0) gather_report_print(stdout, &report);
  const int code = outputs_write(&r->life.outputs, write_json, write_page, &report);
  if (code != 0) return code;
  return report.result->mismatches.count == 0 ? 0 : COMMAND_FAILED;
}

static int run(struct gather_command *r) {
  char error[256];
  struct gather_run_options *o = &r->options->run;
  int code = get_matrix(r);
  if (code == 0 && o->iterations > 1 && (r->matrix.rows != r->matrix.columns || r->matrix.imaginary != NULL))
    code = gather_refuse("--iterations %" PRIu32 ": Y is no X of this matrix; it must be square, and not complex", o->iterations);
  // Only the first process has files.
  if (code == 0) code = open_files(r);
  if (ranks_least(code == 0 ? 1 : 0) == 0) return COMMAND_UNUSABLE;
  o->matrix = &r->matrix;
  r->gather = gather_run_open(o, error, sizeof error);
  if (r->gather == NULL) return gather_refuse("%s", error);
  const double start = clock_seconds();
  go(r);
  if (ranks_least(stop_asked() != 0 ? 0 : 1) == 0) return COMMAND_UNUSABLE;
  code = tell(r, clock_seconds() - start);
  gather_run_close(r->gather);   // finishes the waves, too
  r->gather = NULL;
  return life_finish(&r->life, code);
}

int gather_command(int argc, char **argv) {
  struct gather_options options;
  int code = gather_options_parse(argc, argv, &options);
  if (code != 0) return code;
  struct gather_command r = {.options = &options,
                             .life.outputs = {.out = options.out,
                                              .json = ranks_own() == 0 ? options.json : NULL,
                                              .report = ranks_own() == 0 ? options.report : NULL,
                                              .wave = options.wave}};
  life_begin(&r.life, "weir gather", argc, argv, options.seed_given ? NULL : &options.run.seed);
  code = run(&r);
  gather_run_close(r.gather);
  matrix_free(&r.matrix);
  return life_end(&r.life, code);
}
