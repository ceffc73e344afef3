// What a guest says: each line is read as it stands, and one that is not as it has to be is no reason to believe half of it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/live/live_said.h"

static struct live_said said(const char *line) {
  struct live_said s;
  live_said_read(line, &s);
  return s;
}

static void good_lines(void **state) {
  (void)state;
  struct live_said s = said("@weir up 6.1.0-13-amd64 rxe0 ");
  assert_true(s.what == LIVE_SAID_UP && strcmp(s.text, "6.1.0-13-amd64") == 0);
  s = said("@weir exit 137");
  assert_true(s.what == LIVE_SAID_EXIT && s.code == 137);
  s = said("@weir result {\"rank\": 0, \"ring\": 2, \"bytes\": 4096, \"us\": 1.5, \"wrong\": 3, \"device\": true}");
  assert_true(s.what == LIVE_SAID_RESULT && s.result.ring == 2 && s.result.bytes == 4096);
  assert_true(s.result.us == 1.5 && s.result.wrong == 3 && s.result.device);
  s = said("@weir counters {\"rcvd_pkts\": 7, \"lifespan\": 10}");
  assert_true(s.what == LIVE_SAID_COUNTERS && json_integer_value(json_object_get(s.counters, "rcvd_pkts")) == 7);
  json_decref(s.counters);
  assert_int_equal(said("@weir passed ib_write_bw").what, LIVE_SAID_PASSED);
  s = said("@weir ends {\"low_qpn\": 17, \"low_psn\": 16777215, \"sat_qpn\": 18, \"sat_psn\": 0}");
  assert_true(s.what == LIVE_SAID_ENDS && s.ends.low_qpn == 17 && s.ends.low_psn == 0xFFFFFF && s.ends.sat_qpn == 18);
  assert_int_equal(said("@weir done").what, LIVE_SAID_DONE);
  s = said("@weir allreduce --op max --from 8");
  assert_true(s.what == LIVE_SAID_ALLREDUCE && strcmp(s.text, "--op max --from 8") == 0);
  s = said("@weir error ring 1: no answer (Connection timed out)");
  assert_true(s.what == LIVE_SAID_ERROR && strcmp(s.text, "ring 1: no answer (Connection timed out)") == 0);
}

/// The options of an all-reduce arrive whole, or not at all: other hosts run what is read here.
static void long_options(void **state) {
  (void)state;
  char line[LIVE_LINE];
  memset(line, 'x', sizeof line);
  memcpy(line, "@weir allreduce ", 16);
  line[LIVE_LINE - 2] = 0;
  struct live_said s = said(line);
  assert_true(s.what == LIVE_SAID_ALLREDUCE && strcmp(s.text, line + 16) == 0);
  line[LIVE_LINE - 2] = 'x';
  line[LIVE_LINE - 1] = 0;
  assert_int_equal(said(line).what, LIVE_SAID_UNREADABLE);
}

static void lines_for_others(void **state) {
  (void)state;
  const char *const lines[] = {"", "@", "@weir", "@weirup 6", "weir up 6", " @weir up 6", "Kernel panic"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) assert_int_equal(said(lines[i]).what, LIVE_SAID_NOTHING);
}

static void unreadable_lines(void **state) {
  (void)state;
  const char *const lines[] = {
      "exit",
      "exit ",
      "exit x",
      "exit 256",
      "exit -1",
      "exit 0 0",
      "exit 99999999999999999999",
      "result",
      "result {}",
      "result [1]",
      "result {\"ring\": -1, \"bytes\": 4096, \"us\": 1.5, \"wrong\": 0, \"device\": true}",
      "result {\"ring\": 1, \"bytes\": 4096, \"us\": 1.5, \"wrong\": -1, \"device\": true}",
      "result {\"ring\": 1, \"bytes\": 4096, \"us\": -1.5, \"wrong\": 0, \"device\": true}",
      "result {\"ring\": 1, \"bytes\": 4096, \"us\": \"1.5\", \"wrong\": 0, \"device\": true}",
      "result {\"ring\": 1, \"bytes\": 4096, \"us\": 1.5, \"wrong\": 0}",
      "result {\"ring\": 1, \"bytes\": 4096, \"us\": 1.5, \"wrong\": 9223372036854775807, \"device\": true}",
      "ends",
      "ends {\"low_qpn\": 17, \"low_psn\": 1, \"sat_qpn\": 18}",
      "ends {\"low_qpn\": 16777216, \"low_psn\": 1, \"sat_qpn\": 18, \"sat_psn\": 0}",
      "counters",
      "counters []",
      "counters {\"a\": -1}",
      "counters {\"a\": \"1\"}",
      "counters {\"a\": 1",
  };
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    char line[LIVE_LINE] = "@weir ";
    strcat(line, lines[i]);
    struct live_said s = said(line);
    // A word alone is no line of ours: it is taken for a complaint.
    if (s.what != (strchr(lines[i], ' ') != NULL ? LIVE_SAID_UNREADABLE : LIVE_SAID_ERROR)) fail_msg("taken: %s", line);
    assert_null(s.counters);
  }
}

/// A guest that writes escape sequences into what we show.
static void what_is_shown_is_text(void **state) {
  (void)state;
  assert_string_equal(said("@weir error a\033[2Jb\t\x80").text, "a?[2Jb??");
  struct live_line line = {.used = 0};
  const char *const bytes = "\033]0;title\a\r\n";
  bool whole = false;
  for (const char *c = bytes; *c != 0; c++) whole = live_line_add(&line, *c);
  assert_true(whole);
  assert_string_equal(line.last, "?]0;title?");
}

static void add(struct live_line *line, const char *text) {
  for (; *text != 0; text++) assert_int_equal(live_line_add(line, *text), *text == '\n');
}

static void lines_from_bytes(void **state) {
  (void)state;
  struct live_line line = {.used = 0};
  add(&line, "one\r\n");
  assert_string_equal(line.text, "one");
  add(&line, "\n");
  assert_string_equal(line.last, "one");
  for (int i = 0; i < 2 * LIVE_LINE; i++) assert_false(live_line_add(&line, 'x'));
  add(&line, "\n");
  assert_int_equal(strlen(line.text), LIVE_LINE - 1);
  add(&line, "Kernel panic - not syncing\n");
  add(&line, "CPU: 0 PID: 1\n");
  assert_string_equal(line.last, "Kernel panic - not syncing");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_lines),       cmocka_unit_test(long_options),          cmocka_unit_test(lines_for_others),
      cmocka_unit_test(unreadable_lines), cmocka_unit_test(what_is_shown_is_text), cmocka_unit_test(lines_from_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
