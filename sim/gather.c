// `weir gather`: nodes multiply a sparse matrix with a dense one and fetch what they need through the network.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/command.h"
#include "sim/gather_options.h"
#include "sim/gather_report.h"
#include "sim/gather_run.h"
#include "sim/target.h"

enum { FAILED = 1, STEPS_A_LOOK = 4096 };

/// All that a run owns.
struct run {
  struct gather_options *options;
  const char *again;
  struct matrix matrix;
  struct target *json, *page, *wave;
  struct gather_run *gather;
};

static int get_matrix(struct run *r) {
  const struct gather_options *o = r->options;
  struct matrix_error error;
  if (o->file != NULL) return matrix_read(o->file, &r->matrix, &error) == 0 ? 0 : gather_refuse("%s", error.text);
  return matrix_generate(o->kind, o->rows, o->degree, o->run.seed, &r->matrix) == 0 ? 0 : gather_refuse("out of memory");
}

static int open_files(struct run *r) {
  struct gather_options *o = r->options;
  struct capture_error error;
  if (o->out != NULL) {
    o->run.writer = capture_writer_open(o->out, o->run.fabric.topology.nodes, &error);
    if (o->run.writer == NULL) return gather_refuse("%s", error.text);
  }
  if (o->json != NULL && (r->json = target_open(o->json, false, error.text, sizeof error.text)) == NULL)
    return gather_refuse("%s", error.text);
  if (o->report != NULL && (r->page = target_open(o->report, false, error.text, sizeof error.text)) == NULL)
    return gather_refuse("%s", error.text);
  if (o->wave != NULL && (r->wave = target_open(o->wave, true, error.text, sizeof error.text)) == NULL)
    return gather_refuse("%s", error.text);
  if (r->wave != NULL) o->run.fabric.device.wave = target_temporary(r->wave);
  return 0;
}

static int close_files(struct run *r, bool keep) {
  int code = 0;
  struct capture_error error;
  struct capture_writer *writer = r->options->run.writer;
  if (writer != NULL && capture_writer_close(writer, keep, &error) != 0) code = gather_refuse("%s", error.text);
  if (r->json != NULL && target_close(r->json, keep, error.text, sizeof error.text) != 0) code = gather_refuse("%s", error.text);
  if (r->page != NULL && target_close(r->page, keep, error.text, sizeof error.text) != 0) code = gather_refuse("%s", error.text);
  if (r->wave != NULL && target_close(r->wave, keep, error.text, sizeof error.text) != 0) code = gather_refuse("%s", error.text);
  r->options->run.writer = NULL;
  r->json = r->page = r->wave = NULL;
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

/// Writes a report into its file. 0, or an exit code.
static int save(const struct target *target, const char *path, int (*write)(FILE *, const struct gather_report *),
                const struct gather_report *report) {
  if (target == NULL) return 0;
  FILE *file = fopen(target_temporary(target), "w");
  int result = file == NULL ? -1 : write(file, report);
  if (file != NULL && fclose(file) != 0) result = -1;
  return result == 0 ? 0 : gather_refuse("%s: cannot write: %s", path, strerror(errno));
}

static int tell(struct run *r, double seconds) {
  const struct gather_report report = {
      .options = r->options, .matrix = &r->matrix, .result = gather_run_finish(r->gather), .seconds = seconds, .again = r->again};
  gather_report_print(stdout, &report);
  int code = save(r->json, r->options->json, gather_report_json, &report);
  if (code == 0) code = save(r->page, r->options->report, gather_report_page, &report);
  if (code != 0) return code;
  return report.result->mismatches == 0 ? 0 : FAILED;
}

static double clock_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
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
  const int closed = close_files(r, code != COMMAND_UNUSABLE);
  return closed != 0 ? closed : code;
}

int gather_command(int argc, char **argv) {
  struct gather_options options;
  int code = gather_options_parse(argc, argv, &options);
  if (code != 0) return code;
  char *again = usage_again("gather", argc, argv, options.seed_given ? NULL : &options.run.seed);
  struct run r = {.options = &options, .again = again};
  code = run(&r);
  close_files(&r, false);
  gather_run_close(r.gather);
  matrix_free(&r.matrix);
  free(again);
  return code;
}
