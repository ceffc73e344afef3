/// What a replay found, for people and for programs.
#ifndef WEIR_SIM_REPORT_H
#define WEIR_SIM_REPORT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/report/history.h"
#include "sim/report/undecided.h"
#include "sim/replay/plan.h"
#include "wire/fate.h"

/// Latencies in cycles; all zero if `count` is.
struct report_latency {
  size_t count;
  uint32_t min, p50, p99, max;
};

struct report {
  const struct plan *plan;
  uint64_t seed;
  uint64_t frames_in;     ///< that went into the device
  uint64_t frames_cut;    ///< left out because the capture does not hold all of their bytes
  uint64_t frames_out;    ///< that left the device, before the switch copies any
  uint64_t results;       ///< of these, reduced ones
  uint64_t unforwarded;   ///< of these, without Ethernet header
  struct undecided undecided;
  uint64_t fates[FATE_COUNT];      ///< of the frames in
  uint64_t cycles;                 ///< from the first frame until nothing moved any more
  double seconds;                  ///< that this took on the host
  double bench_share;              ///< of `seconds`: outside of the Verilated device
  struct report_latency latency;   ///< last beat in of what completes a column, to first beat out of its first results
  size_t mismatches;
  const char *const *texts;   ///< of the first mismatches
  size_t text_count;
  const char *again;               ///< command that repeats the run
  const char *input;               ///< capture, for the page
  const struct history *history;   ///< finished, for the page
};

/// Minimum, median, 99th percentile (nearest rank) and maximum. `values` is not changed. Aborts if out of memory.
struct report_latency report_latencies(const uint32_t *values, size_t count);

/// Its four figures as an object. A run without results has no latency: null, because 0 would be a very good one.
json_t *report_latency_json(const struct report_latency *latency);
/// How many frames were dropped, by reason.
json_t *report_drops_json(const uint64_t fates[FATE_COUNT]);

/// The first line of a run on a Verilated device.
void report_setting(FILE *file, const struct drive_config *config, uint64_t seed);
/// A line of a table: a name, a count, and a remark that may be empty. The second one only if there is something to count.
void report_line(FILE *file, const char *name, uint64_t value, const char *remark);
void report_some(FILE *file, const char *name, uint64_t value, const char *remark);

/// A table and a verdict.
void report_print(FILE *file, const struct report *report);
/// The keys of DESIGN 6, as one JSON object. 0, or -1 if the file could not be written.
int report_json(FILE *file, const struct report *report);
/// The page of sim/report/page.h, with the same verdict and numbers. 0, or -1 if the file could not be written.
int report_page(FILE *file, const struct report *report);

#endif
