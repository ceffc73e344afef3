// What a replay tells: percentiles, the summary for programs, the verdict.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "sim/replay/replay_report.h"

static void percentiles_are_nearest_rank(void **state) {
  (void)state;
  uint32_t values[200];
  for (uint32_t i = 0; i < 200; i++) values[i] = 200 - i;
  struct report_latency l = report_latencies(values, 200);
  assert_int_equal(l.count, 200);
  assert_int_equal(l.min, 1);
  assert_int_equal(l.p50, 100);
  assert_int_equal(l.p99, 198);
  assert_int_equal(l.max, 200);
  assert_int_equal(values[0], 200);   // not sorted in place
  l = report_latencies(values, 1);
  assert_true(l.min == 200 && l.p50 == 200 && l.p99 == 200 && l.max == 200);
  l = report_latencies(values + 197, 3);
  assert_true(l.min == 1 && l.p50 == 2 && l.p99 == 3 && l.max == 3);
  assert_int_equal(report_latencies(NULL, 0).count, 0);
}

static const struct drive_config config = {
    .name = "some", .ports = 4, .ranks = 4, .slot_bytes = 256, .slots = 64, .rings = 2, .conns = 8, .max_window = 2};

/// A report with a different number in every field.
static struct replay_report sample(const struct plan *plan) {
  struct replay_report r = {.plan = plan,
                            .seed = 42,
                            .frames_in = 1001,
                            .frames_out = 1002,
                            .results = 1003,
                            .cycles = 1004,
                            .seconds = 0.5,
                            .bench_share = 0.25,
                            .latency = {.count = 7, .min = 11, .p50 = 12, .p99 = 13, .max = 14},
                            .again = "weir replay 'my file' --seed 42"};
  for (int f = 0; f < FATE_COUNT; f++) r.fates[f] = (uint64_t)(100 + f);
  return r;
}

/// What `print` writes. Freed by the caller.
static char *written(void (*print)(FILE *file, const struct replay_report *r), const struct replay_report *r) {
  char *text;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  assert_non_null(f);
  print(f, r);
  fclose(f);
  return text;
}

static void print_json(FILE *file, const struct replay_report *r) { assert_int_equal(replay_report_json(file, r), 0); }

static void number_is(const json_t *object, const char *key, long long expected) {
  const json_t *value = json_object_get(object, key);
  if (!json_is_integer(value)) fail_msg("%s is no integer", key);
  assert_int_equal(json_integer_value(value), expected);
}

static void summary_has_these_keys_and_no_others(void **state) {
  (void)state;
  const struct plan plan = {.config = &config, .notes = ""};
  struct replay_report r = sample(&plan);
  r.mismatches = 5;
  char *text = written(print_json, &r);
  json_t *object = json_loads(text, 0, NULL);
  assert_non_null(object);
  assert_int_equal(json_object_size(object), 12);
  number_is(object, "frames_in", 1001);
  number_is(object, "frames_out", 1002);
  number_is(object, "results", 1003);
  number_is(object, "cycles", 1004);
  assert_int_equal(json_object_size(json_object_get(object, "undecided")), 4);
  number_is(object, "passed", 100 + FATE_PASSED);
  number_is(object, "duplicates", 100 + FATE_DUPLICATE);
  number_is(object, "mismatches", 5);
  assert_true(json_number_value(json_object_get(object, "frames_per_second")) == 2002);
  assert_true(json_number_value(json_object_get(object, "bench_share")) == 0.25);
  const json_t *latency = json_object_get(object, "latency_cycles");
  assert_int_equal(json_object_size(latency), 4);
  number_is(latency, "min", 11);
  number_is(latency, "p50", 12);
  number_is(latency, "p99", 13);
  number_is(latency, "max", 14);
  const json_t *drops = json_object_get(object, "drops");
  assert_int_equal(json_object_size(drops), FATE_COUNT - FATE_FIRST_DROP);
  for (int f = FATE_FIRST_DROP; f < FATE_COUNT; f++) number_is(drops, fate_name((enum fate)f), 100 + f);
  json_decref(object);
  free(text);
}

static void no_result_has_no_latency(void **state) {
  (void)state;
  const struct plan plan = {.config = &config, .notes = ""};
  struct replay_report r = sample(&plan);
  r.latency = (struct report_latency){0};
  r.seconds = 0;
  char *text = written(print_json, &r);
  json_t *object = json_loads(text, 0, NULL);
  assert_true(json_is_null(json_object_get(json_object_get(object, "latency_cycles"), "p99")));
  assert_true(json_number_value(json_object_get(object, "frames_per_second")) == 0);
  json_decref(object);
  free(text);
}

/// True if `text` has a line that is `line`.
static bool has_line(const char *text, const char *line) {
  const size_t len = strlen(line);
  for (const char *at = text; (at = strstr(at, line)) != NULL; at++) {
    if ((at == text || at[-1] == '\n') && at[len] == '\n') return true;
  }
  return false;
}

static void verdict_when_all_is_right(void **state) {
  (void)state;
  struct drive_ring ring = {.enable = true, .learn = true, .id = 9, .workers = 3, .window = 2, .stride = 5, .base = 8};
  char notes[] = "ring 4 is left alone: rank 1 never sends\n";
  const struct plan plan = {.config = &config, .rings = &ring, .ring_count = 1, .notes = notes};
  struct replay_report r = sample(&plan);
  r.fates[FATE_STALE] = 0;
  char *text = written(replay_report_print, &r);
  assert_true(has_line(text, "OK: every packet that left is right"));
  assert_true(has_line(text, "configuration some: 4 ports, 64 slots of 256 bytes; seed 42"));
  assert_true(has_line(text, "ring 9: 3 workers, MsgLen up to 5, window 2, slots 8 to 27"));
  assert_true(has_line(text, "ring 4 is left alone: rank 1 never sends"));
  assert_true(has_line(text, "    bad_icrc                  105"));
  assert_null(strstr(text, "stale"));
  assert_true(has_line(text, "  ns at 250 MHz                44       48       52       56"));
  assert_null(strstr(text, "FAILED"));
  assert_null(strstr(text, r.again));
  free(text);
}

static void verdict_when_something_is_wrong(void **state) {
  (void)state;
  const struct plan plan = {.config = &config, .notes = ""};
  const char *texts[] = {"port 2: frame 7: PSN 5, expected 6", "port 3: a frame too many"};
  struct replay_report r = sample(&plan);
  r.mismatches = 12;
  r.texts = texts;
  r.text_count = 2;
  char *text = written(replay_report_print, &r);
  assert_true(has_line(text, "FAILED: 12 mismatches"));
  assert_true(has_line(text, "  port 2: frame 7: PSN 5, expected 6"));
  assert_true(has_line(text, "  port 3: a frame too many"));
  assert_true(has_line(text, "  and 10 more"));
  assert_true(has_line(text, "repeat it with: weir replay 'my file' --seed 42"));
  assert_null(strstr(text, "OK:"));
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(percentiles_are_nearest_rank),    cmocka_unit_test(summary_has_these_keys_and_no_others),
      cmocka_unit_test(no_result_has_no_latency),        cmocka_unit_test(verdict_when_all_is_right),
      cmocka_unit_test(verdict_when_something_is_wrong),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
