// When frames of a capture may start: line rate and time stamps.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/engine/pace.h"

static void names(void **state) {
  (void)state;
  enum pace_kind kind = PACE_ASAP;
  assert_true(pace_parse("line", &kind) && kind == PACE_LINE);
  assert_true(pace_parse("recorded", &kind) && kind == PACE_RECORDED);
  assert_true(pace_parse("asap", &kind) && kind == PACE_ASAP);
  assert_false(pace_parse("", &kind));
  assert_false(pace_parse("Line", &kind));
  assert_false(pace_parse("lines", &kind));
  assert_int_equal(kind, PACE_ASAP);
}

static void asap_is_always_now(void **state) {
  (void)state;
  struct pace p;
  const struct trace_frame frame = {.len = 1082, .port = 3, .ns = 5000000};
  pace_init(&p, PACE_ASAP, 1000, 0);
  for (int i = 0; i < 10; i++) {
    assert_true(pace_earliest(&p, &frame) <= 1000);
    pace_started(&p, &frame, 1000);
  }
}

/// Starts `count` frames of `len` bytes as early as a port allows, from cycle `start`. Returns the cycle of the last one.
static uint64_t start_all(struct pace *p, unsigned port, size_t len, unsigned count, uint64_t start) {
  const struct trace_frame frame = {.len = len, .port = port};
  uint64_t cycle = start;
  for (unsigned i = 0; i < count; i++) {
    if (pace_earliest(p, &frame) > cycle) cycle = pace_earliest(p, &frame);
    pace_started(p, &frame, cycle);
  }
  return cycle;
}

static void line_rate_is_exact(void **state) {
  (void)state;
  // Bytes on the wire, with FCS, preamble and gap: a cycle carries 50 of them at 250 MHz. 60 is the shortest frame.
  const size_t lens[] = {1, 59, 60, 64, 126, 1082, 1098, 1501, 9000};
  for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
    struct pace p;
    pace_init(&p, PACE_LINE, 777, 0);
    const uint64_t wire = (lens[i] < 60 ? 60 : lens[i]) + 24;
    const uint64_t last = start_all(&p, 2, lens[i], 10001, 777) - 777;
    assert_int_equal(last, (10000 * wire + 49) / 50);
  }
}

static void ports_do_not_share_a_line(void **state) {
  (void)state;
  struct pace p;
  pace_init(&p, PACE_LINE, 0, 0);
  const uint64_t alone = start_all(&p, 0, 1000, 100, 0);
  assert_int_equal(start_all(&p, 1, 1000, 100, 0), alone);
  const struct trace_frame other = {.len = 1000, .port = 63};
  assert_int_equal(pace_earliest(&p, &other), 0);
}

static void an_idle_line_saves_nothing_up(void **state) {
  (void)state;
  struct pace p;
  pace_init(&p, PACE_LINE, 0, 0);
  start_all(&p, 0, 1000, 5, 0);
  // After a long rest a burst is no faster than any other.
  assert_int_equal(start_all(&p, 0, 1000, 101, 100000), 100000 + 100 * 1024 / 50);
}

static void time_stamps_in_cycles(void **state) {
  (void)state;
  struct pace p;
  const uint64_t first = UINT64_C(1700000000000000123);
  pace_init(&p, PACE_RECORDED, 50, first);
  struct trace_frame frame = {.len = 60, .ns = first};
  assert_int_equal(pace_earliest(&p, &frame), 50);
  frame.ns = first + 4000;
  assert_int_equal(pace_earliest(&p, &frame), 1050);
  // A wait of 300 cycles that nobody clocked.
  pace_skip(&p, 300);
  assert_int_equal(pace_earliest(&p, &frame), 750);
  // Files need not be in order of time.
  frame.ns = first - 1;
  assert_int_equal(pace_earliest(&p, &frame), 0);
  // Skips may be longer than the cycles there were before them.
  pace_skip(&p, 1000000);
  frame.ns = first + 4 * 1000300 + 4000;
  assert_int_equal(pace_earliest(&p, &frame), 1050);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names),
      cmocka_unit_test(asap_is_always_now),
      cmocka_unit_test(line_rate_is_exact),
      cmocka_unit_test(ports_do_not_share_a_line),
      cmocka_unit_test(an_idle_line_saves_nothing_up),
      cmocka_unit_test(time_stamps_in_cycles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
