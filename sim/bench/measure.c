// `weir bench`: takes the standing measurements, and says which of them miss their targets.
#include "sim/bench/measure.h"

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
#include "sim/cli/life.h"
#include "sim/cli/options.h"
#include "sim/cli/usage.h"

// --------------------------------------------------------------------------------------------- what is measured

#define TURNS "device: slot state has a turn for each decision of a column, its takes and its free"
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
    RATE("256", "paper6", 6, 256, INA_FP32, 24, TURNS),
    RATE("512", "paper6", 6, 512, INA_FP32, 24, NULL),
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
    {.figures = "isolation_ratio",
     .run = measure_isolation,
     .config = "paper6",
     .hosts = 3,
     .mtu = 1024,
     .window = 2,
     .messages = 36},
    {.figures = "flush_disturb_ratio",
     .run = measure_flushes,
     .config = "paper6",
     .hosts = 3,
     .mtu = 1024,
     .window = 2,
     .messages = 80},
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
    {.figures = "tree_bandwidth_ratio_1k", .run = measure_tree, .hosts = 8, .mtu = 1024, .messages = 2048},
    {.figures = "tree_bandwidth_ratio_4k", .run = measure_tree, .hosts = 8, .mtu = 4096, .messages = 512},
    {.figures = "tree_latency_row_cycles tree_latency_1k_cycles tree_latency_barrier_cycles tree_latency_64_cycles",
     .run = measure_tree_idle,
     .hosts = 8},
    {.figures = "fabric_packets_per_second fabric_two_rank_ratio", .run = measure_fabric},
    {.figures = "uplink_cycles_per_frame", .run = measure_uplink},
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
  life_reached(m->life, "%s: %zu of %zu", m->now, done, of);
}

// --------------------------------------------------------------------------------------------- the command line

struct options {
  const char *csv;
  struct option_texts only;
  bool show_list, seed_given;
  struct measure measure;
};

#define FIELD(member) OPTION_AT(struct options, member)

static const struct command_option options[] = {
    {"csv", OPTION_OUTPUT, .value = "FILE", .help = "Write the figures as CSV: name, value, unit, bound_by", FIELD(csv)},
    {"only", OPTION_TEXTS, .value = "NAME", .help = "Take this figure only, or those that match, as in 'window_*'",
     .wrong = "latency_of_light", FIELD(only)},
    {"list", OPTION_FLAG, .help = "Show the names of all figures", FIELD(show_list)},
    {"quick", OPTION_FLAG, .help = "A fraction of the packets: for a look, not for the record", FIELD(measure.quick)},
    {"capture", OPTION_INPUT, .value = "FILE", .help = "What the speed is measured with",
     .standard = "sim/captures/ring6-paper.in.pcapng.gz", .wrong = "/nowhere.pcap", FIELD(measure.capture)},
    {"seed", OPTION_WHOLE, .value = "S", .help = "Seed of all random choices", .standard = "1",
     OPTION_RANGE(struct options, measure.seed, 0, UINT64_MAX), OPTION_GIVEN(struct options, seed_given)},
    {0},
};

const struct command_line measure_command_line = {
    .name = "weir bench",
    .purpose = "takes the standing measurements: rate, latency, window, speed",
    .about = "That is the device at line rate with hosts in closed loop, its latency, the smallest frames, what a window makes "
             "of a round trip, what one job notices of another, "
             "and the speed of the simulation. All that leaves the device is checked meanwhile. Each figure is shown with what "
             "bounds it, and "
             "with its target if it has one. Rates and latencies are those of the device at 250 MHz and the same on every "
             "machine; sim_* and "
             "bench_share are this machine's. All of it takes some minutes.",
    .example = "--quick --only 'latency_*' --only 'small_*'",
    .exits = "0 all targets are met, 1 one is missed or a check failed, 2 bad usage.",
    .options = options,
};

static bool chosen(const struct options *o, const char *name) {
  for (size_t i = 0; i < o->only.count; i++)
    if (fnmatch(o->only.texts[i], name, 0) == 0) return true;
  return o->only.count == 0;
}

static bool any_chosen(const struct options *o, const struct measurement *what) {
  const char *names = what->figures;
  char name[FIGURE_NAME_BYTES];
  while (next_name(&names, name))
    if (chosen(o, name)) return true;
  return false;
}

/// A pattern that no figure matches is a mistake.
static int check_patterns(const struct options *o) {
  for (size_t i = 0; i < o->only.count; i++) {
    const struct options alone = {.only = {.texts = {o->only.texts[i]}, .count = 1}};
    size_t m = 0;
    while (m < MEASUREMENTS && !any_chosen(&alone, &list[m])) m++;
    if (m == MEASUREMENTS)
      return usage_refuse("weir bench", "--only %s: no such figure; see weir bench --list", o->only.texts[i]);
  }
  return 0;
}

/// The speed needs a capture that is there.
static int check_capture(const struct options *o) {
  for (size_t i = 0; i < MEASUREMENTS; i++) {
    if (list[i].run != measure_speed || !any_chosen(o, &list[i]) || access(o->measure.capture, R_OK) == 0) continue;
    return usage_refuse("weir bench", "--capture %s: %s", o->measure.capture, strerror(errno));
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
  life_quiet(m->life);
  if (!good) {
    usage_refuse("weir bench", "%s: %s", name, m->error);
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
    if (result < 0) return COMMAND_FAILED;
    missed += result;
  }
  if (missed > 0)
    printf("FAILED: %d target%s missed\n", missed, missed == 1 ? "" : "s");
  else
    printf("OK: no target missed\n");
  return missed > 0 ? COMMAND_FAILED : 0;
}

/// The same into the file that was asked for, if one was. It is kept also if a target was missed.
static int run(struct options *o) {
  struct life *l = o->measure.life;
  int code = outputs_open(&l->outputs, 0);
  if (code != 0) return code;
  const char *path = outputs_csv(&l->outputs);
  FILE *csv = path != NULL ? fopen(path, "w") : NULL;
  if (path == NULL || csv != NULL) code = take_all(o, csv);
  if (path != NULL && (csv == NULL || ferror(csv) || fclose(csv) != 0))
    code = usage_refuse("weir bench", "%s: cannot write: %s", o->csv, strerror(errno));
  return stop_asked() != 0 ? COMMAND_UNUSABLE : life_finish(l, code);
}

int measure_command(int argc, char **argv) {
  struct options o = {0};
  int code = options_parse(&measure_command_line, argc, argv, &o);
  if (code == 0 && o.show_list) {
    print_list();
    return 0;
  }
  if (code == 0) code = check_patterns(&o);
  if (code == 0) code = check_capture(&o);
  if (code != 0) return code;
  struct life life = {.outputs = {.csv = o.csv}};
  life_begin(&life, "weir bench", argc, argv, o.seed_given ? NULL : &o.measure.seed);
  o.measure.life = &life;
  code = run(&o);
  free(o.measure.figures);
  return life_end(&life, code);
}
