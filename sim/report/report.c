#include "sim/report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int compare_u32(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/// The smallest value that at least `percent` percent of all do not exceed.
static uint32_t nearest_rank(const uint32_t *sorted, size_t count, size_t percent) {
  return sorted[(count * percent + 99) / 100 - 1];
}

struct report_latency report_latencies(const uint32_t *values, size_t count) {
  if (count == 0) return (struct report_latency){0};
  uint32_t *sorted = need(malloc(count * sizeof *sorted));
  memcpy(sorted, values, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare_u32);
  const struct report_latency latency = {
      .count = count,
      .min = sorted[0],
      .p50 = nearest_rank(sorted, count, 50),
      .p99 = nearest_rank(sorted, count, 99),
      .max = sorted[count - 1],
  };
  free(sorted);
  return latency;
}

void report_setting(FILE *file, const struct drive_config *config, uint64_t seed) {
  fprintf(file, "configuration %s: %u ports, %u slots of %u bytes; seed %" PRIu64 "\n", config->name, config->ports,
          config->slots, config->slot_bytes, seed);
}

void report_line(FILE *file, const char *name, uint64_t value, const char *remark) {
  fprintf(file, "%-22s %12" PRIu64 "%s%s\n", name, value, *remark ? "  " : "", remark);
}

void report_some(FILE *file, const char *name, uint64_t value, const char *remark) {
  if (value > 0) report_line(file, name, value, remark);
}

json_t *report_drops_json(const uint64_t fates[FATE_COUNT]) {
  json_t *object = json_object();
  for (int f = FATE_FIRST_DROP; f < FATE_COUNT; f++) {
    report_put(object, fate_name((enum fate)f), fates[f]);
  }
  return object;
}

/// A run without results has no latency: null, because 0 would be a very good one.
void report_put(json_t *object, const char *name, uint64_t value) {
  json_object_set_new(object, name, json_integer((json_int_t)value));
}

json_t *report_latency_json(const struct report_latency *l) {
  if (l->count == 0) return json_pack("{s:n, s:n, s:n, s:n}", "min", "p50", "p99", "max");
  return json_pack("{s:I, s:I, s:I, s:I}", "min", (json_int_t)l->min, "p50", (json_int_t)l->p50, "p99", (json_int_t)l->p99, "max",
                   (json_int_t)l->max);
}

void report_failed_text(char *text, size_t size, uint64_t mismatches) {
  snprintf(text, size, "FAILED: %" PRIu64 " mismatch%s", mismatches, mismatches == 1 ? "" : "es");
}

void report_failed(FILE *file, uint64_t mismatches, const char *rest) {
  char text[64];
  report_failed_text(text, sizeof text, mismatches);
  fprintf(file, "%s%s", text, rest);
}
