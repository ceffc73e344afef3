// `weir gather`: nodes multiply a sparse matrix with a dense one and fetch what they need through the network.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "sim/cli/command.h"
#include "sim/cli/outputs.h"
#include "sim/gather/gather_devices.h"
#include "sim/gather/gather_options.h"
#include "sim/gather/gather_report.h"
#include "sim/gather/gather_run.h"

enum { FAILED = 1, STEPS_A_LOOK = 4096 };

/// All that a run owns.
struct run {
  struct gather_options *options;
  const char *again;
  struct matrix matrix;
  struct outputs outputs;
  struct gather_run *gather;
};

static int get_matrix(struct run *r) {
  const struct gather_options *o = r->options;
  struct file_error error;
  if (o->file != NULL) return matrix_read(o->file, &r->matrix, &error) == 0 ? 0 : gather_refuse("%s", error.text);
  return matrix_generate(o->kind, o->rows, o->degree, o->run.seed, &r->matrix) == 0 ? 0 : gather_refuse("out of memory");
}

static int open_files(struct run *r) {
  struct gather_run_options *o = &r->options->run;
  const int code = outputs_open(&r->outputs, o->fabric.topology.nodes);
  o->writer = r->outputs.writer;
  gather_set_wave(r->options, outputs_wave(&r->outputs));
  return code;
}

/// Lets a run go on to its end. A line on a terminal tells how far it is.
static void go(struct gather_run *g, uint32_t nodes, double mhz, bool progress) {
  uint64_t steps = 0;
  time_t shown = 0;
  while (gather_run_step(g)) {
    if (!progress || ++steps % STEPS_A_LOOK != 0 || time(NULL) == shown) continue;
    shown = time(NULL);
    fprintf(stderr, "\r%" PRIu32 " of %" PRIu32 " nodes done, %.3f ms simulated \033[K", gather_run_done(g), nodes,
            (double)gather_run_now(g) / mhz / 1000);
  }
  if (shown != 0) fprintf(stderr, "\r\033[K");
}

static int write_json(FILE *file, const void *report) { return gather_report_json(file, report); }
static int write_page(FILE *file, const void *report) { return gather_report_page(file, report); }

static int tell(struct run *r, double seconds) {
  const struct gather_report report = {
      .options = r->options, .matrix = &r->matrix, .result = gather_run_finish(r->gather), .seconds = seconds, .again = r->again};
  gather_report_print(stdout, &report);
  const int code = outputs_write(&r->outputs, write_json, write_page, &report);
  if (code != 0) return code;
  return report.result->mismatches.count == 0 ? 0 : FAILED;
}

static int run(struct run *r) {
  char error[256];
  struct gather_run_options *o = &r->options->run;
  int code = get_matrix(r);
  if (code == 0) code = open_files(r);
  if (code != 0) return code;
  o->matrix = &r->matrix;
  r->gather = gather_run_open(o, error, sizeof error);
  if (r->gather == NULL) return gather_refuse("%s", error);
  const double start = clock_seconds();
  go(r->gather, o->fabric.topology.nodes, o->fabric.mhz, isatty(STDERR_FILENO) == 1);
  code = tell(r, clock_seconds() - start);
  gather_run_close(r->gather);   // finishes the waves, too
  r->gather = NULL;
  const int closed = outputs_close(&r->outputs, code != COMMAND_UNUSABLE);
  return closed != 0 ? closed : code;
}

int gather_command(int argc, char **argv) {
  struct gather_options options;
  int code = gather_options_parse(argc, argv, &options);
  if (code != 0) return code;
  char *again = usage_again("gather", argc, argv, options.seed_given ? NULL : &options.run.seed);
  struct run r = {
      .options = &options,
      .again = again,
      .outputs = {.command = "gather", .out = options.out, .json = options.json, .report = options.report, .wave = options.wave}};
  code = run(&r);
  outputs_close(&r.outputs, false);
  gather_run_close(r.gather);
  matrix_free(&r.matrix);
  free(again);
  return code;
}
