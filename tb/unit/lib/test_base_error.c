// The one line about a file, and the first failure of several.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"

static void a_line_names_file_place_and_fault(void **state) {
  (void)state;
  struct file_error e;
  file_error_put(&e, "a.pcap", "frame 7", "%d bytes", 12);
  assert_string_equal(e.text, "a.pcap: frame 7: 12 bytes");
  file_error_put(&e, "a.pcap", NULL, "cut short");
  assert_string_equal(e.text, "a.pcap: cut short");
  file_error_put(&e, NULL, "", "cut short");
  assert_string_equal(e.text, "cut short");
}

static void of_a_long_path_the_end_is_told(void **state) {
  (void)state;
  char path[1001];
  memset(path, 'p', sizeof path);
  memcpy(path + 990, "end.pcap", 9);
  struct file_error e;
  file_error_put(&e, path, "frame 7", "cut short");
  assert_int_equal(strlen(e.text), sizeof e.text - 1);
  assert_memory_equal(e.text, "...p", 4);
  assert_string_equal(e.text + strlen(e.text) - 28, "end.pcap: frame 7: cut short");
}

static void a_long_fault_is_cut_and_the_file_still_told(void **state) {
  (void)state;
  char what[1001], path[301];
  memset(what, 'w', sizeof what);
  memset(path, 'p', sizeof path);
  what[1000] = path[300] = 0;
  struct file_error e;
  file_error_put(&e, path, "line 1", "%s", what);
  assert_true(strlen(e.text) < sizeof e.text);
  assert_non_null(strstr(e.text, "pppp: line 1: wwww"));
  file_error_put(&e, "f", what, "lost");   // also where no room is left for what
  assert_memory_equal(e.text, "f: wwww", 7);
  assert_true(strlen(e.text) < sizeof e.text);
}

static void what_a_terminal_would_obey_is_not_shown(void **state) {
  (void)state;
  struct file_error e;
  file_error_put(&e, "f", NULL, "entry '%s'", "\033[2J\n\xFF");
  assert_string_equal(e.text, "f: entry '?[2J?"
                              "?'");
}

static void the_first_failure_stays(void **state) {
  (void)state;
  struct failure f = {0};
  assert_int_equal(failure_set(&f, -EPROTO, "message %d", 3), -EPROTO);
  assert_int_equal(failure_set(&f, -EIO, "later"), -EPROTO);
  assert_int_equal(f.code, -EPROTO);
  assert_string_equal(f.text, "message 3");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_line_names_file_place_and_fault),
      cmocka_unit_test(of_a_long_path_the_end_is_told),
      cmocka_unit_test(a_long_fault_is_cut_and_the_file_still_told),
      cmocka_unit_test(what_a_terminal_would_obey_is_not_shown),
      cmocka_unit_test(the_first_failure_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
