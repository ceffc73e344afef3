/// What the reports of several commands have: lines of a table, latencies, drops, the verdict of a run that failed.
#ifndef WEIR_SIM_REPORT_H
#define WEIR_SIM_REPORT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "drive/config.h"
#include "wire/fate.h"

/// Latencies in cycles; all zero if `count` is.
struct report_latency {
  size_t count;
  uint32_t min, p50, p99, max;
};

/// Minimum, median, 99th percentile (nearest rank) and maximum. `values` is not changed. Aborts if out of memory.
struct report_latency report_latencies(const uint32_t *values, size_t count);

/// A count, as a member of an object.
void report_put(json_t *object, const char *name, uint64_t value);
/// Its four figures as an object. A run without results has no latency: null, because 0 would be a very good one.
json_t *report_latency_json(const struct report_latency *latency);
/// How many frames were dropped, by reason.
json_t *report_drops_json(const uint64_t fates[FATE_COUNT]);

/// The first line of a run on a Verilated device.
void report_setting(FILE *file, const struct drive_config *config, uint64_t seed);
/// A line of a table: a name, a count, and a remark that may be empty. The second one only if there is something to count.
void report_line(FILE *file, const char *name, uint64_t value, const char *remark);
void report_some(FILE *file, const char *name, uint64_t value, const char *remark);

/// The verdict of a run with so many mismatches, as text; and on `file`, with `rest` behind it.
void report_failed_text(char *text, size_t size, uint64_t mismatches);
void report_failed(FILE *file, uint64_t mismatches, const char *rest);

#endif
