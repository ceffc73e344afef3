// `weir bench`: takes the standing measurements, and says which of them miss their targets.
#include "sim/bench/measure.h"

#include <argp.h>
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "model/model.h"
#include "sim/cli/command.h"
#include "sim/cli/target.h"
#include "sim/cli/usage.h"

enum { FAILED = 1, MAX_PATTERNS = 32, LINE_BYTES = 512 };

// --------------------------------------------------------------------------------------------- what is measured

#define ASKS "device: a port asks about one packet at a time"
#define NARROW "device: without wide lanes a row of 16-bit elements every other cycle"
#define RATE(name, device, workers, payload, type, count, slower)                                                                \
  {                                                                                                                              \
    .figures = "payload_gbps_per_port_" name, .run = measure_rate, .config = device, .hosts = workers, .mtu = payload,           \
    .kind = type, .window = 2, .messages = count, .otherwise = slower                                                            \
  }
#define WINDOW(n, rtt, device)                                                                                                   \
  {                                                                                                                              \
    .figures = "window_util_n" #n "_rtt" #rtt, .run = measure_window, .config = device, .hosts = 6, .mtu = 1024, .window = n,    \
    .rtt_us = rtt, .messages = 24                                                                                                \
  }

static const struct measurement list[] = {
    {.figures = "payload_gbps_per_port_1k packets_per_port_1k input_stall_cycles_1k drops_1k latency_full_rate_p50_cycles "
                "latency_full_rate_p99_cycles latency_full_rate_max_cycles",
     .run = measure_line_rate,
     .config = "paper6",
     .hosts = 6,
     .mtu = 1024,
     .window = 2,
     .messages = 589},
    {.figures = "payload_gbps_per_host_1k latency_line_rate_p50_cycles latency_line_rate_p99_cycles latency_line_rate_max_cycles",
     .run = measure_host_rate,
     .config = "paper6",
     .hosts = 6,
     .mtu = 1024,
     .window = 2,
     .messages = 24},
    RATE("256", "paper6", 6, 256, INA_FP32, 24, ASKS),
    RATE("512", "paper6", 6, 512, INA_FP32, 24, ASKS),
    RATE("2k", "wide8", 6, 2048, INA_FP32, 16, NULL),
    RATE("4k", "wide8", 6, 4096, INA_FP32, 16, NULL),
    RATE("h2", "paper6", 2, 1024, INA_FP32, 24, NULL),
    RATE("h3", "paper6", 3, 1024, INA_FP32, 24, NULL),
    RATE("h4", "paper6", 4, 1024, INA_FP32, 24, NULL),
    RATE("h5", "paper6", 5, 1024, INA_FP32, 24, NULL),
    RATE("h6", "paper6", 6, 1024, INA_FP32, 24, NULL),
    RATE("h7", "wide8", 7, 1024, INA_FP32, 16, NULL),
    RATE("h8", "wide8", 8, 1024, INA_FP32, 16, NULL),
    RATE("fp32", "wide8", 6, 1024, INA_FP32, 16, NULL),
    RATE("fp16", "wide8", 6, 1024, INA_FP16, 16, NULL),
    RATE("bf16", "wide8", 6, 1024, INA_BF16, 16, NULL),
    RATE("int32", "wide8", 6, 1024, INA_INT32, 16, NULL),
    RATE("fp16_paper6", "paper6", 6, 1024, INA_FP16, 16, NARROW),
    RATE("bf16_paper6", "paper6", 6, 1024, INA_BF16, 16, NARROW),
    RATE("int32_paper6", "paper6", 6, 1024, INA_INT32, 16, NULL),
    {.figures = "storm_goodput_ratio",
     .run = measure_storm,
     .config = "paper6",
     .hosts = 6,
     .mtu = 1024,
     .window = 2,
     .messages = 10},
    {.figures = "latency_idle_cycles latency_idle_learned_cycles",
     .run = measure_idle_latency,
     .config = "paper6",
     .hosts = 6,
     .mtu = 1024,
     .window = 2},
    {.figures = "small_frames_mpps_per_port small_frames_line_rate", .run = measure_small_frames, .config = "paper6", .hosts = 6},
    WINDOW(1, 5.7, "paper6"),
    WINDOW(2, 5.7, "paper6"),
    WINDOW(3, 5.7, "wide8"),
    WINDOW(1, 6.3, "paper6"),
    WINDOW(2, 6.3, "paper6"),
    WINDOW(3, 6.3, "wide8"),
    WINDOW(1, 15.04, "paper6"),
    WINDOW(2, 15.04, "paper6"),
    WINDOW(3, 15.04, "wide8"),
    WINDOW(1, 22, "paper6"),
    WINDOW(2, 22, "paper6"),
    WINDOW(3, 22, "wide8"),
    WINDOW(1, 50, "paper6"),
    WINDOW(2, 50, "paper6"),
    WINDOW(3, 50, "wide8"),
    {.figures = "sim_frames_per_second sim_cycles_per_second bench_share", .run = measure_speed, .config = "paper6"},
};
enum { MEASUREMENTS = sizeof list / sizeof *list };

/// Takes the next name off a list with blanks between; false at its end.
static bool next_name(const char **names, char name[FIGURE_NAME_BYTES]) {
  *names += strspn(*names, " ");
  const size_t length = strcspn(*names, " ");
  snprintf(name, FIGURE_NAME_BYTES, "%.*s", (int)length, *names);
  *names += length;
  return length > 0;
}

// --------------------------------------------------------------------------------------------- figures

struct figure *measure_add(struct measure *m, const char *name, double value, int decimals, const char *unit,
                           const char *bound_by, ...) {
  m->figures = need_room(m->figures, &m->size, m->count + 1, sizeof *m->figures);
  struct figure *f = &m->figures[m->count++];
  *f = (struct figure){.value = value, .decimals = decimals, .unit = unit, .low = -INFINITY, .high = INFINITY};
  snprintf(f->name, sizeof f->name, "%s", name);
  va_list arguments;
  va_start(arguments, bound_by);
  vsnprintf(f->bound_by, sizeof f->bound_by, bound_by, arguments);
  va_end(arguments);
  return f;
}

bool measure_fail(struct measure *m, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(m->error, sizeof m->error, format, arguments);
  va_end(arguments);
  return false;
}

void measure_progress(const struct measure *m, size_t done, size_t of) {
  if (m->progress) fprintf(stderr, "\r%s: %zu of %zu\033[K", m->now, done, of);
}

static void end_progress(const struct measure *m) {
  if (m->progress) fprintf(stderr, "\r\033[K");
}

// --------------------------------------------------------------------------------------------- the command line

struct options {
  const char *csv, *patterns[MAX_PATTERNS];
  size_t pattern_count;
  struct measure measure;
  bool refused;   // and said why
};

enum { OPT_CSV = 256, OPT_ONLY, OPT_LIST, OPT_QUICK, OPT_CAPTURE, OPT_SEED, OPT_HELP };

static const struct argp_option option_list[] = {
    {"csv", OPT_CSV, "FILE", 0, "Write the figures as CSV: name, value, unit, bound_by", 0},
    {"only", OPT_ONLY, "NAME", 0, "Take this figure only, or those that match, as in 'window_*'; may be given several times", 0},
    {"list", OPT_LIST, NULL, 0, "Show the names of all figures", 0},
    {"quick", OPT_QUICK, NULL, 0, "A fraction of the packets: for a look, not for the record", 0},
    {"capture", OPT_CAPTURE, "FILE", 0, "What the speed is measured with (default sim/captures/ring6-paper.in.pcapng.gz)", 0},
    {"seed", OPT_SEED, "S", 0, "Seed of all random choices (default 1)", 0},
    {"help", OPT_HELP, NULL, 0, "Show this help", -1},
    {0},
};

static error_t parse_option(int key, char *value, struct argp_state *state);
static const struct argp parser = {
    .options = option_list,
    .parser = parse_option,
    .doc = "Takes the standing measurements: the device at line rate with hosts in closed loop, its latency, the smallest "
           "frames, what "
           "a window makes of a round trip, and the speed of the simulation. All that leaves the device is checked meanwhile.\v"
           "Each figure is shown with what bounds it, and with its target if it has one. Rates and latencies are those of the "
           "device at "
           "250 MHz and the same on every machine; sim_* and bench_share are this machine's. All of it takes some minutes; a "
           "look at a few is 'weir bench --quick --only latency_* --only small_*'.\n"
           "Exit code: 0 all targets are met, 1 one is missed or a check failed, 2 bad usage.",
};

static bool chosen(const struct options *o, const char *name) {
  for (size_t i = 0; i < o->pattern_count; i++)
    if (fnmatch(o->patterns[i], name, 0) == 0) return true;
  return o->pattern_count == 0;
}

static bool any_chosen(const struct options *o, const struct measurement *what) {
  const char *names = what->figures;
  char name[FIGURE_NAME_BYTES];
  while (next_name(&names, name))
    if (chosen(o, name)) return true;
  return false;
}

/// A pattern that no figure matches is a mistake.
static error_t take_pattern(struct options *o, const char *pattern) {
  const struct options alone = {.patterns = {pattern}, .pattern_count = 1};
  if (o->pattern_count == MAX_PATTERNS) return usage_stop(&o->refused, usage_refuse("bench", "--only %s: one too many", pattern));
  o->patterns[o->pattern_count++] = pattern;
  for (size_t i = 0; i < MEASUREMENTS; i++)
    if (any_chosen(&alone, &list[i])) return 0;
  return usage_stop(&o->refused, usage_refuse("bench", "--only %s: no such figure; see weir bench --list", pattern));
}

/// The speed needs a capture that is there.
static int check_capture(const struct options *o) {
  for (size_t i = 0; i < MEASUREMENTS; i++) {
    if (list[i].run != measure_speed || !any_chosen(o, &list[i]) || access(o->measure.capture, R_OK) == 0) continue;
    return usage_refuse("bench", "--capture %s: %s", o->measure.capture, strerror(errno));
  }
  return 0;
}

static void print_list(void) {
  for (size_t i = 0; i < MEASUREMENTS; i++) {
    const char *names = list[i].figures;
    char name[FIGURE_NAME_BYTES];
    while (next_name(&names, name)) printf("%s\n", name);
  }
}

static error_t parse_option(int key, char *value, struct argp_state *state) {
  struct options *o = state->input;
  switch (key) {
    case OPT_CSV: o->csv = value; return 0;
    case OPT_ONLY: return take_pattern(o, value);
    case OPT_LIST: print_list(); exit(0);
    case OPT_QUICK: o->measure.quick = true; return 0;
    case OPT_CAPTURE: o->measure.capture = value; return 0;
    case OPT_SEED:
      if (usage_whole(value, 0, UINT64_MAX, &o->measure.seed)) return 0;
      return usage_stop(&o->refused, usage_refuse("bench", "--seed %s: must be a whole number", value));
    case OPT_HELP: argp_help(&parser, stdout, ARGP_HELP_STD_HELP, "weir bench"); exit(0);
    case ARGP_KEY_ARG:
      return usage_stop(&o->refused, usage_refuse("bench", "%s: no argument is expected; see weir bench --help", value));
    case ARGP_KEY_ERROR: return usage_misread("bench", state, &o->refused);
    default: return ARGP_ERR_UNKNOWN;
  }
}

// --------------------------------------------------------------------------------------------- the run

/// Takes one measurement and shows those of its figures that were asked for. The number of targets missed, or negative.
static int take(struct options *o, const struct measurement *what, FILE *csv) {
  struct measure *m = &o->measure;
  const char *names = what->figures;
  char name[FIGURE_NAME_BYTES];
  int missed = 0;
  next_name(&names, name);
  m->now = name;
  m->count = 0;
  measure_progress(m, 0, 1);
  const bool good = what->run(m, what);
  end_progress(m);
  if (!good) {
    fprintf(stderr, "weir bench: %s: %s\n", name, m->error);
    return -1;
  }
  for (size_t i = 0; i < m->count; i++) {
    const struct figure *f = &m->figures[i];
    if (!chosen(o, f->name)) continue;
    figure_print(stdout, f);
    fflush(stdout);
    if (csv != NULL) figure_csv(csv, f);
    if (!figure_good(f)) missed++;
  }
  return missed;
}

static int take_all(struct options *o, FILE *csv) {
  int missed = 0;
  if (csv != NULL) figure_csv_head(csv);
  for (size_t i = 0; i < MEASUREMENTS; i++) {
    if (!any_chosen(o, &list[i])) continue;
    const int result = take(o, &list[i], csv);
    if (result < 0) return FAILED;
    missed += result;
  }
  if (missed > 0)
    printf("FAILED: %d target%s missed\n", missed, missed == 1 ? "" : "s");
  else
    printf("OK: no target missed\n");
  return missed > 0 ? FAILED : 0;
}

/// The same into the file that was asked for. It is kept also if a target was missed.
static int take_into_file(struct options *o) {
  char error[LINE_BYTES];
  struct target *target = target_open(o->csv, false, error, sizeof error);
  if (target == NULL) return usage_refuse("bench", "%s", error);
  FILE *csv = fopen(target_temporary(target), "w");
  int code = csv != NULL ? take_all(o, csv) : COMMAND_UNUSABLE;
  if (csv == NULL || ferror(csv) || fclose(csv) != 0)
    code = usage_refuse("bench", "%s: cannot write: %s", o->csv, strerror(errno));
  if (target_close(target, code != COMMAND_UNUSABLE, error, sizeof error) != 0) code = usage_refuse("bench", "%s", error);
  return code;
}

int measure_command(int argc, char **argv) {
  struct options o = {
      .measure = {.seed = 1, .capture = "sim/captures/ring6-paper.in.pcapng.gz", .progress = isatty(STDERR_FILENO) == 1}};
  if (argp_parse(&parser, argc, argv, ARGP_NO_ERRS | ARGP_NO_HELP | ARGP_NO_EXIT, NULL, &o) != 0) return COMMAND_UNUSABLE;
  const struct usage_file files[] = {{"--capture", o.measure.capture}, {"--csv", o.csv}};
  int code = usage_check_files("bench", files, 2, 1);
  if (code == 0) code = check_capture(&o);
  if (code == 0) code = o.csv != NULL ? take_into_file(&o) : take_all(&o, NULL);
  free(o.measure.figures);
  return code;
}
