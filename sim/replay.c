// `weir replay`: a capture through the Verilated device, checked against the golden model and the witness.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/bench.h"
#include "sim/command.h"
#include "sim/feed.h"
#include "sim/order.h"
#include "sim/plan.h"
#include "sim/replay_options.h"
#include "sim/report.h"
#include "sim/survey.h"
#include "sim/target.h"
#include "sim/trace.h"

/// Exit code: a check failed.
enum { FAILED = 1 };
/// Cycles without any movement that say that the device hangs.
#define HANG_CYCLES 100000

/// All that a replay owns.
struct replay {
  const struct replay_options *options;
  const char *again;
  struct trace trace;
  struct survey survey;
  struct plan plan;
  struct order order;
  struct target *json, *page, *wave;
  struct history *history;   // for the page
  struct bench *bench;
  struct feed feed;
};

/// Opens what the run writes, so that nothing can be found wrong with it later.
static int open_targets(struct replay *r) {
  const struct replay_options *o = r->options;
  struct capture_error error;
  if (o->out != NULL) {
    r->feed.writer = capture_writer_open(o->out, r->plan.config->ports, &error);
    if (r->feed.writer == NULL) return replay_refuse("%s", error.text);
  }
  if (o->json != NULL) {
    r->json = target_open(o->json, false, error.text, sizeof error.text);
    if (r->json == NULL) return replay_refuse("%s", error.text);
  }
  if (o->report != NULL) {
    r->page = target_open(o->report, false, error.text, sizeof error.text);
    if (r->page == NULL) return replay_refuse("%s", error.text);
    r->history = history_new();
    if (r->history == NULL) return replay_refuse("out of memory");
  }
  if (o->wave != NULL) {
    r->wave = target_open(o->wave, true, error.text, sizeof error.text);
    if (r->wave == NULL) return replay_refuse("%s", error.text);
  }
  return 0;
}

/// Gives everything that was written its name, or throws it away. 0, or an exit code.
static int close_targets(struct replay *r, bool keep) {
  int code = 0;
  struct capture_error error;
  if (r->feed.writer != NULL && capture_writer_close(r->feed.writer, keep, &error) != 0) code = replay_refuse("%s", error.text);
  if (r->json != NULL && target_close(r->json, keep, error.text, sizeof error.text) != 0) code = replay_refuse("%s", error.text);
  if (r->page != NULL && target_close(r->page, keep, error.text, sizeof error.text) != 0) code = replay_refuse("%s", error.text);
  if (r->wave != NULL && target_close(r->wave, keep, error.text, sizeof error.text) != 0) code = replay_refuse("%s", error.text);
  r->feed.writer = NULL;
  r->json = r->page = r->wave = NULL;
  return code;
}

/// Reads the capture and decides how the device is to be set up.
static int prepare(struct replay *r) {
  const struct replay_options *o = r->options;
  struct capture_error error;
  if (trace_load(o->input, o->limit, &r->trace, &error) != 0) return replay_refuse("%s", error.text);
  if (r->trace.count == 0) {
    return replay_refuse("%s: holds no frame%s", o->input, r->trace.cut > 0 ? " that the snap length did not cut" : "");
  }
  survey_make(&r->trace, &r->survey);
  if (plan_make(&r->trace, &r->survey, &o->plan, &r->plan, &error) != 0) return replay_refuse("%s", error.text);
  return 0;
}

static int open_device(struct replay *r) {
  const struct replay_options *o = r->options;
  char error[256];
  const struct bench_options bench = {
      .drive = {.config = r->plan.config->name,
                .wave = r->wave != NULL ? target_temporary(r->wave) : NULL,
                .seed = o->seed,
                .stall = o->stall},
      .rings = r->plan.rings,
      .ring_count = r->plan.ring_count,
      .history = r->history,
      .user = &r->feed,
      .out = feed_out,
  };
  order_make(&r->trace, r->plan.rings, r->plan.ring_count, &r->order);
  r->feed.trace = &r->trace;
  r->feed.order = &r->order;
  r->feed.pace = o->pace;
  // Waiting for an output that is hardly ever ready is no hang.
  r->feed.limit = (uint64_t)(HANG_CYCLES / (1 - o->stall));
  r->feed.progress = isatty(STDERR_FILENO) == 1;
  r->feed.fabric = mac_switch_new(r->plan.config->ports);
  if (r->feed.fabric == NULL) return replay_refuse("out of memory");
  r->bench = bench_open(&bench, error, sizeof error);
  if (r->bench == NULL) return replay_refuse("%s", error);
  for (size_t i = 0; i < r->plan.conn_count; i++) {
    const struct plan_conn *c = &r->plan.conns[i];
    if (bench_connect(r->bench, (unsigned)i, &c->key, c->ring, c->rank) != 0) {
      return replay_refuse("connection %zu of ring %u, rank %u: the device refuses it", i + 1, r->plan.rings[c->ring].id,
                           c->rank);
    }
  }
  bench_warm_up(r->bench);
  return 0;
}

/// Writes a report into its file. 0, or an exit code.
static int save(const struct target *target, const char *path, int (*write)(FILE *, const struct report *),
                const struct report *report) {
  if (target == NULL) return 0;
  FILE *file = fopen(target_temporary(target), "w");
  int result = file == NULL ? -1 : write(file, report);
  if (file != NULL && fclose(file) != 0) result = -1;
  return result == 0 ? 0 : replay_refuse("%s: cannot write: %s", path, strerror(errno));
}

/// Says what came of it, and writes the summary and the page.
static int tell(struct replay *r, bool complete) {
  const char *texts[8];
  const struct drive_time time = drive_time(bench_drive(r->bench));
  struct report report = {
      .plan = &r->plan,
      .seed = r->options->seed,
      .frames_in = r->feed.frames_in,
      .frames_cut = r->trace.cut + r->feed.empty,
      .frames_out = r->feed.frames_out,
      .unforwarded = r->feed.unforwarded,
      .cycles = r->feed.last_cycle - r->feed.first_cycle,
      .seconds = r->feed.seconds,
      .bench_share = time.all > 0 ? 1 - time.device / time.all : 0,
      .mismatches = bench_mismatches(r->bench),
      .texts = texts,
      .again = r->again,
      .history = r->history,
      .input = r->options->input,
  };
  while (report.text_count < sizeof texts / sizeof *texts) {
    const char *text = bench_text(r->bench, report.text_count);
    if (text == NULL) break;
    texts[report.text_count++] = text;
  }
  if (!complete && report.mismatches == 0) {
    report.mismatches = report.text_count = 1;
    texts[0] = "the device stopped taking frames";
  }
  for (unsigned port = 0; port < r->plan.config->ports; port++) {
    const struct scoreboard_counts *counts = bench_counts(r->bench, port);
    report.results += counts->tx_result;
    for (int f = 0; f < FATE_COUNT; f++) report.fates[f] += counts->fates[f];
  }
  report.given_up = bench_given_up(r->bench);
  size_t count;
  const uint32_t *latencies = bench_latencies(r->bench, &count);
  report.latency = report_latencies(latencies, count);
  report_print(stdout, &report);
  int code = save(r->json, r->options->json, report_json, &report);
  if (code == 0) code = save(r->page, r->options->report, report_page, &report);
  if (code != 0) return code;
  return report.mismatches == 0 ? 0 : FAILED;
}

static void release(struct replay *r) {
  close_targets(r, false);
  if (r->bench != NULL) bench_close(r->bench);
  history_free(r->history);
  mac_switch_free(r->feed.fabric);
  order_free(&r->order);
  plan_free(&r->plan);
  survey_free(&r->survey);
  trace_free(&r->trace);
}

/// Signals that end the program wait until the run is in a state in which files can be thrown away.
static void hold_signals(sigset_t *before) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  sigprocmask(SIG_BLOCK, &set, before);
}

static int run(struct replay *r) {
  int code = prepare(r);
  if (code == 0) code = open_targets(r);
  if (code == 0) code = open_device(r);
  if (code != 0) return code;
  const bool complete = feed_run(&r->feed, r->bench);
  if (r->feed.signal != 0) return replay_refuse("interrupted; nothing is written");
  bench_finish(r->bench);
  code = tell(r, complete);
  bench_close(r->bench);   // finishes the waves, too
  r->bench = NULL;
  const int closed = close_targets(r, code != COMMAND_UNUSABLE);
  return closed != 0 ? closed : code;
}

int replay_command(int argc, char **argv) {
  struct replay_options options;
  int code = replay_parse(argc, argv, &options);
  if (code != 0) return code;
  char *again = usage_again("replay", argc, argv, options.seed_given ? NULL : &options.seed);
  struct replay replay = {.options = &options, .again = again};
  sigset_t before;
  hold_signals(&before);
  code = run(&replay);
  release(&replay);
  free(again);
  if (replay.feed.signal != 0) raise(replay.feed.signal);   // is delivered with the next line
  sigprocmask(SIG_SETMASK, &before, NULL);
  return code;
}
