// `weir replay`: a capture through the Verilated device, checked against the golden model and the witness.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/engine/bench.h"
#include "sim/cli/command.h"
#include "sim/replay/feed.h"
#include "sim/replay/order.h"
#include "sim/cli/life.h"
#include "sim/replay/plan.h"
#include "sim/replay/replay_options.h"
#include "sim/replay/replay_report.h"
#include "sim/replay/survey.h"
#include "sim/replay/uplink_replay.h"
#include "sim/engine/trace.h"

/// Cycles without any movement that say that the device hangs.
#define HANG_CYCLES 100000

/// All that a replay owns.
struct replay {
  const struct replay_options *options;
  struct life life;
  struct trace trace;
  struct survey survey;
  struct plan plan;
  struct order order;
  struct history *history;   // for the page
  struct bench *bench;
  struct feed feed;
};

/// Ports of the switch: those of the capture. Others of the device have nobody behind them, so nothing is flooded to them.
static unsigned cables(const struct replay *r) {
  const unsigned ports = r->plan.config->ports;
  return r->trace.cables < ports ? r->trace.cables : ports;
}

static int open_outputs(struct replay *r) {
  const int code = outputs_open(&r->life.outputs, cables(r));
  if (code != 0) return code;
  r->feed.writer = r->life.outputs.writer;
  if (r->life.outputs.report == NULL) return 0;
  r->history = history_new();
  return r->history != NULL ? 0 : replay_refuse("out of memory");
}

/// Reads the capture and decides how the device is to be set up.
static int prepare(struct replay *r) {
  const struct replay_options *o = r->options;
  struct file_error error;
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
      .drive = {.config = r->plan.config->name, .wave = outputs_wave(&r->life.outputs), .seed = o->seed, .stall = o->stall},
      .rings = r->plan.rings,
      .ring_count = r->plan.ring_count,
      .input = UNDECIDED_RECORDED,
      .history = r->history,
      .user = &r->feed,
      .out = feed_out,
  };
  order_make(&r->trace, r->plan.rings, r->plan.ring_count, feature_lacks(r->plan.config->without, FEATURE_ICRC_CHECK), &r->order);
  r->feed.trace = &r->trace;
  r->feed.order = &r->order;
  r->feed.pace = o->pace;
  // 10^8 at most, as far as --stall goes: waiting for an output that is hardly ever ready is no hang.
  r->feed.limit = (uint64_t)(HANG_CYCLES / (1 - o->stall));
  r->feed.life = &r->life;
  r->feed.fabric = mac_switch_new(cables(r));
  if (r->feed.fabric == NULL) return replay_refuse("out of memory");
  r->bench = bench_open(&bench, error, sizeof error);
  if (r->bench == NULL) return replay_refuse("%s", error);
  for (size_t i = 0; i < r->plan.conn_count; i++) {
    const struct plan_conn *c = &r->plan.conns[i];
    if (bench_connect(r->bench, &c->key, c->ring, c->rank) != 0) {
      return replay_refuse("connection %zu of ring %u, rank %u: the device refuses it", i + 1, r->plan.rings[c->ring].id,
                           c->rank);
    }
  }
  bench_warm_up(r->bench);
  return 0;
}

static int write_json(FILE *file, const void *report) { return replay_report_json(file, report); }
static int write_page(FILE *file, const void *report) { return replay_report_page(file, report); }

/// Says what came of it, and writes the summary and the page.
static int tell(struct replay *r, bool complete) {
  const char *texts[8];
  const struct drive_time time = drive_time(bench_drive(r->bench));
  struct replay_report report = {
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
      .again = r->life.again,
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
  report.undecided = bench_undecided(r->bench);
  size_t count;
  const uint32_t *latencies = bench_latencies(r->bench, &count);
  report.latency = report_latencies(latencies, count);
  replay_report_print(stdout, &report);
  const int code = outputs_write(&r->life.outputs, write_json, write_page, &report);
  if (code != 0) return code;
  return report.mismatches == 0 ? 0 : COMMAND_FAILED;
}

static void release(struct replay *r) {
  if (r->bench != NULL) bench_close(r->bench);
  history_free(r->history);
  mac_switch_free(r->feed.fabric);
  order_free(&r->order);
  plan_free(&r->plan);
  survey_free(&r->survey);
  trace_free(&r->trace);
}

static int run(struct replay *r) {
  int code = prepare(r);
  if (code == 0) code = open_outputs(r);
  if (code == 0) code = open_device(r);
  if (code != 0) return code;
  const bool complete = feed_run(&r->feed, r->bench);
  if (stop_asked() != 0) return COMMAND_UNUSABLE;
  bench_finish(r->bench);
  code = tell(r, complete);
  bench_close(r->bench);   // finishes the waves, too
  r->bench = NULL;
  return life_finish(&r->life, code);
}

int replay_command(int argc, char **argv) {
  struct replay_options options;
  int code = replay_parse(argc, argv, &options);
  if (code != 0) return code;
  if (options.device == REPLAY_UPLINK) return uplink_replay(argc, argv, &options);
  struct replay replay = {
      .options = &options,
      .life.outputs = {.out = options.out, .json = options.json, .report = options.report, .wave = options.wave}};
  life_begin(&replay.life, "weir replay", argc, argv, options.seed_given ? NULL : &options.seed);
  code = run(&replay);
  release(&replay);
  return life_end(&replay.life, code);
}
