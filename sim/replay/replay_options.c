#include "sim/replay/replay_options.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/cli/command.h"
#include "sim/cli/usage.h"

enum {
  OPT_OUT = 256,
  OPT_JSON,
  OPT_REPORT,
  OPT_WAVE,
  OPT_CONFIG,
  OPT_WINDOW,
  OPT_PACE,
  OPT_STALL,
  OPT_SEED,
  OPT_LIMIT,
  OPT_RINGS,
  OPT_HELP
};

static const struct argp_option option_list[] = {
    {"out", OPT_OUT, "FILE", 0, "Write what each host would receive: pcapng, gzipped if FILE ends in .gz; interface = port", 0},
    {"json", OPT_JSON, "FILE", 0, "Write a summary as JSON", 0},
    {"report", OPT_REPORT, "FILE.html", 0, "Write a page with pictures of the run: throughput, latency, slots, drops", 0},
    {"wave", OPT_WAVE, "FILE.fst", 0, "Write all signals for GTKWave", 0},
    {"config", OPT_CONFIG, "NAME", 0, "Configuration of the device (default: the smallest that fits the capture)", 0},
    {"window", OPT_WINDOW, "N", 0, "Messages a host may have outstanding, for rings found in the capture (default 2)", 0},
    {"pace", OPT_PACE, "asap|line|recorded", 0,
     "Frames start as soon as they can, at 100 Gb/s a port at most, or at their time stamps (default asap)", 0},
    {"stall", OPT_STALL, "P", 0, "Probability, each cycle and port, that an output is held back (default 0)", 0},
    {"seed", OPT_SEED, "S", 0, "Seed of all random choices (default 1)", 0},
    {"limit", OPT_LIMIT, "FRAMES", 0, "Replay only the first FRAMES frames", 0},
    {"rings", OPT_RINGS, "FILE", 0, "JSON file that names the rings, instead of those found in the capture", 0},
    {"help", OPT_HELP, NULL, 0, "Show this help", -1},
    {0},
};

static error_t parse_option(int key, char *value, struct argp_state *state);
static const struct argp parser = {
    .options = option_list,
    .parser = parse_option,
    .args_doc = "IN",
    .doc = "Replays the capture IN through the device and checks every packet that leaves it.\v"
           "IN is pcap or pcapng, gzipped or not; interface number = switch port. A capture with one interface is split into "
           "ports by source MAC. Exit code: 0 all checks passed, 1 a check failed, 2 bad usage or bad input.",
};

static error_t parse_number(struct replay_options *o, int key, const char *value) {
  uint64_t number = 0;
  switch (key) {
    case OPT_WINDOW:
      if (!usage_whole(value, 1, 32768, &number)) {
        return usage_stop(&o->refused, replay_refuse("--window %s: must be a whole number, 1 to 32768", value));
      }
      o->plan.window = (unsigned)number;
      return 0;
    case OPT_SEED:
      o->seed_given = true;
      if (usage_whole(value, 0, UINT64_MAX, &o->seed)) return 0;
      return usage_stop(&o->refused, replay_refuse("--seed %s: must be a whole number, 0 to %" PRIu64, value, UINT64_MAX));
    case OPT_LIMIT:
      if (!usage_whole(value, 1, SIZE_MAX, &number)) {
        return usage_stop(&o->refused, replay_refuse("--limit %s: must be a number of frames, 1 at least", value));
      }
      o->limit = (size_t)number;
      return 0;
    default:
      if (usage_number(value, 0, 1, &o->stall)) return 0;
      return usage_stop(&o->refused, replay_refuse("--stall %s: must be a probability, 0 or more and less than 1", value));
  }
}

static error_t parse_option(int key, char *value, struct argp_state *state) {
  struct replay_options *o = state->input;
  switch (key) {
    case OPT_OUT: o->out = value; return 0;
    case OPT_JSON: o->json = value; return 0;
    case OPT_REPORT: o->report = value; return 0;
    case OPT_WAVE: o->wave = value; return 0;
    case OPT_RINGS: o->plan.rings_file = value; return 0;
    case OPT_CONFIG: return usage_take_config("replay", value, &o->plan.config, &o->refused);
    case OPT_PACE:
      if (pace_parse(value, &o->pace)) return 0;
      return usage_stop(&o->refused, replay_refuse("--pace %s: must be asap, line or recorded", value));
    case OPT_WINDOW:
    case OPT_SEED:
    case OPT_LIMIT:
    case OPT_STALL: return parse_number(o, key, value);
    case OPT_HELP: argp_help(&parser, stdout, ARGP_HELP_STD_HELP, "weir replay"); exit(0);
    case ARGP_KEY_ARG:
      if (o->input != NULL)
        return usage_stop(&o->refused, replay_refuse("%s: only one capture can be replayed; the first is %s", value, o->input));
      o->input = value;
      return 0;
    case ARGP_KEY_NO_ARGS: return usage_stop(&o->refused, replay_refuse("no capture named; usage: weir replay [OPTION..] IN"));
    case ARGP_KEY_ERROR: return usage_misread("replay", state, &o->refused);
    default: return ARGP_ERR_UNKNOWN;
  }
}

static int check_files(const struct replay_options *o) {
  const struct usage_file files[] = {{"the capture", o->input}, {"--rings", o->plan.rings_file}, {"--out", o->out},
                                     {"--json", o->json},       {"--report", o->report},         {"--wave", o->wave}};
  return usage_check_files("replay", files, sizeof files / sizeof *files, 2);
}

int replay_parse(int argc, char **argv, struct replay_options *o) {
  *o = (struct replay_options){.seed = 1, .plan.window = 2};
  if (argp_parse(&parser, argc, argv, ARGP_NO_ERRS | ARGP_NO_HELP | ARGP_NO_EXIT, NULL, o) != 0) return COMMAND_UNUSABLE;
  return check_files(o);
}
