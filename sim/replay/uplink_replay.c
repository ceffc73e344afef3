#include "sim/replay/uplink_replay.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#include "base/rng.h"
#include "base/stop.h"
#include "drive/uplink/uplink_drive.h"
#include "sim/cli/command.h"
#include "sim/cli/life.h"
#include "sim/engine/pace.h"
#include "sim/engine/trace.h"
#include "sim/report/report.h"
#include "wire/capture.h"

/// Cycles without any movement after which the device is empty, or hangs; ports that can be ready.
enum { QUIET_CYCLES = 4000, QUIET_STALLED = 100000, MOST_PORTS = 32 };

struct uplink_replay {
  const struct replay_options *options;
  struct life life;
  struct trace trace;
  const struct uplink_config *config;
  struct uplink_drive *drive;
  uint64_t frames_in, frames_out, drops[UPLINK_PORT_COUNTERS];
  uint64_t ways[UPLINK_WAYS + 1], out[MOST_PORTS], cycles, mismatches;
  const char *text;
};

static void out(void *user, unsigned port, const uint8_t *frame, size_t len) {
  struct uplink_replay *r = user;
  r->frames_out++;
  r->out[port]++;
  if (r->life.outputs.writer != NULL)
    capture_writer_put(r->life.outputs.writer, port, r->trace.frames[0].ns + uplink_drive_cycles(r->drive) * PACE_NS, frame, len);
}

/// A cycle, with outputs held back as asked for.
static bool tick(struct uplink_replay *r, struct rng *rng) {
  uint32_t ready = 0;
  for (unsigned p = 0; p < r->config->down + r->config->up; p++) ready |= (uint32_t)(rng_uniform(rng) >= r->options->stall) << p;
  return uplink_drive_tick(r->drive, ready);
}

/// Each frame goes up by the down port of its number, and one like it comes down by an uplink in turn, as from the leaf at the other end.
/// Half way a link goes down, where that is asked for.
static void feed(struct uplink_replay *r) {
  const struct uplink_config *c = r->config;
  struct rng rng = rng_for(r->options->seed, 1);
  uint64_t still = 0;
  for (size_t i = 0; i < r->trace.count && stop_asked() == 0; i++) {
    const struct trace_frame *frame = &r->trace.frames[i];
    if (frame->len == 0) continue;
    if (r->options->cut && i == r->trace.count / 2) uplink_drive_links(r->drive, ~UINT32_C(1));
    const unsigned ports[] = {frame->port % c->down, c->down + (unsigned)(i % c->up)};
    for (unsigned n = 0; n < 2; n++) {
      while (uplink_drive_offered(r->drive, ports[n])) tick(r, &rng);
      uplink_drive_offer(r->drive, ports[n], frame->data, frame->len);
      r->frames_in++;
    }
    if (life_due(&r->life)) life_reached(&r->life, "%zu of %zu frames", i, r->trace.count);
  }
  // A cycle of stalls in which nothing moves is not the end.
  const uint64_t quiet = r->options->stall > 0 ? QUIET_STALLED : QUIET_CYCLES;
  while (still < quiet && stop_asked() == 0) {
    still = tick(r, &rng) ? 0 : still + 1;
    if (still > QUIET_CYCLES && uplink_device_inside(uplink_drive_model(r->drive)) == 0) break;
  }
  r->cycles = uplink_drive_cycles(r->drive);
  life_quiet(&r->life);
}

static void count(struct uplink_replay *r) {
  uplink_drive_finish(r->drive);
  for (unsigned p = 0; p < r->config->down + r->config->up; p++)
    for (unsigned c = 0; c < UPLINK_PORT_COUNTERS; c++) r->drops[c] += uplink_drive_port_count(r->drive, p, c);
  for (unsigned s = 0; s < r->config->down * UPLINK_QUEUES; s++)
    for (unsigned w = 0; w <= UPLINK_WAYS; w++)
      r->ways[w] += uplink_drive_way_count(r->drive, s / UPLINK_QUEUES, s % UPLINK_QUEUES, w);
  r->text = uplink_drive_text(r->drive, &r->mismatches);
  if (r->mismatches == 0 && r->frames_out == 0) {
    r->mismatches = 1;
    r->text = "nothing left the device, so nothing was compared";
  }
}

/// Names of what is dropped, and where it is counted.
static const struct drop {
  const char *name;
  int port, way;   ///< counter of a port, or of a way; -1
} drops[] = {{"room", UPLINK_DROP_ROOM, -1},   {"long", UPLINK_DROP_LONG, -1},      {"bad", UPLINK_DROP_BAD, -1},
             {"storm", UPLINK_DROP_STORM, -1}, {"link_down", UPLINK_DROP_LINK, -1}, {"no_uplink", -1, UPLINK_NONE},
             {"port_died", -1, UPLINK_WAYS}};
enum { DROPS = sizeof drops / sizeof *drops };

static uint64_t dropped(const struct uplink_replay *r, size_t i) {
  return drops[i].port >= 0 ? r->drops[drops[i].port] : r->ways[drops[i].way];
}

static int write_json(FILE *file, const void *report) {
  const struct uplink_replay *r = report;
  json_t *by_drop = json_object(), *by_way = json_object(), *by_port = json_array();
  for (size_t i = 0; i < DROPS; i++) json_object_set_new(by_drop, drops[i].name, json_integer((json_int_t)dropped(r, i)));
  for (unsigned w = 0; w < UPLINK_WAYS; w++)
    json_object_set_new(by_way, uplink_way_names[w], json_integer((json_int_t)r->ways[w]));
  for (unsigned p = 0; p < r->config->down + r->config->up; p++)
    json_array_append_new(by_port, json_integer((json_int_t)r->out[p]));
  json_t *object =
      json_pack("{s:s, s:I, s:I, s:o, s:o, s:o, s:I, s:I, s:I}", "device", "uplink", "frames_in", (json_int_t)r->frames_in,
                "frames_out", (json_int_t)r->frames_out, "out_by_port", by_port, "ways", by_way, "drops", by_drop, "control",
                (json_int_t)(r->drops[UPLINK_RX_PAUSE] + r->drops[UPLINK_RX_CONTROL]), "cycles", (json_int_t)r->cycles,
                "mismatches", (json_int_t)r->mismatches);
  if (object == NULL) return -1;
  int result = json_dumpf(object, file, JSON_INDENT(2));
  if (result == 0 && fputc('\n', file) == EOF) result = -1;
  json_decref(object);
  return result;
}

static void print(FILE *file, const struct uplink_replay *r) {
  const struct uplink_config *c = r->config;
  fprintf(file, "seed %" PRIu64 "; configuration %s: %u down ports, %u uplinks\n", r->options->seed, c->name, c->down, c->up);
  fprintf(file, "%" PRIu64 " frames in, half of them up and half down; %" PRIu64 " out in %" PRIu64 " cycles\n", r->frames_in,
          r->frames_out, r->cycles);
  fprintf(file, "by uplink:");
  for (unsigned u = 0; u < c->up; u++) fprintf(file, " %" PRIu64, r->out[c->down + u]);
  fprintf(file, "\nways:");
  for (unsigned w = 0; w < UPLINK_WAYS; w++)
    if (r->ways[w] > 0) fprintf(file, " %s %" PRIu64, uplink_way_names[w], r->ways[w]);
  fprintf(file, "\ndropped:");
  uint64_t any = 0;
  for (size_t i = 0; i < DROPS; i++) {
    if (dropped(r, i) > 0) fprintf(file, " %s %" PRIu64, drops[i].name, dropped(r, i));
    any += dropped(r, i);
  }
  fprintf(file, any > 0 ? "\n" : " none\n");
  if (r->mismatches == 0) {
    fprintf(file, "OK: every frame left by the port that the model says, byte for byte and in order; counters add up\n");
  } else {
    report_failed(file, r->mismatches, "\n");
    fprintf(file, "  %s\nrepeat it with: %s\n", r->text, r->life.again);
  }
}

static int run(struct uplink_replay *r) {
  const struct replay_options *o = r->options;
  struct file_error error;
  if (trace_load(o->input, o->limit, &r->trace, &error) != 0) return replay_refuse("%s", error.text);
  if (r->trace.count == 0) return replay_refuse("%s: holds no frame", o->input);
  const int code = outputs_open(&r->life.outputs, r->config->down + r->config->up);
  if (code != 0) return code;
  r->drive = uplink_drive_open(r->config, o->seed, outputs_wave(&r->life.outputs), out, r);
  if (r->drive == NULL) return replay_refuse("no device");
  const struct uplink_settings settings = {.seed = (uint32_t)o->seed,
                                           .with_qp = true,
                                           .flowlets = o->flowlets > 0,
                                           .interval = o->flowlets > 0 ? (uint32_t)o->flowlets : 8};
  const struct uplink_pauses pauses = uplink_drive_pauses();
  if (uplink_drive_set(r->drive, &settings, &pauses) != UPLINK_DONE)
    return replay_refuse("the device refuses flowlets of less than 8 cycles, or of 2^30 and more");
  feed(r);
  if (stop_asked() != 0) return COMMAND_UNUSABLE;
  count(r);
  print(stdout, r);
  const int written = outputs_write(&r->life.outputs, write_json, NULL, r);
  uplink_drive_close(r->drive);   // finishes the waves, too
  r->drive = NULL;
  return life_finish(&r->life, written != 0 ? written : r->mismatches == 0 ? 0 : COMMAND_FAILED);
}

int uplink_replay(int argc, char **argv, const struct replay_options *options) {
  if (options->plan.config != NULL || options->plan.rings_file != NULL || options->report != NULL || options->pace != PACE_ASAP)
    return replay_refuse("--device uplink goes without --config, --rings, --report and --pace");
  struct uplink_replay replay = {.options = options,
                                 .config = uplink_config_first(),
                                 .life.outputs = {.out = options->out, .json = options->json, .wave = options->wave}};
  life_begin(&replay.life, "weir replay", argc, argv, options->seed_given ? NULL : &options->seed);
  const int code = run(&replay);
  uplink_drive_close(replay.drive);
  trace_free(&replay.trace);
  return life_end(&replay.life, code);
}
