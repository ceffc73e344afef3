// How often something was wrong, and the first texts of it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/findings.h"

static void nothing_has_no_text(void **state) {
  (void)state;
  const struct findings f = {0};
  assert_null(findings_text(&f, 0));
}

static void all_are_counted_and_the_first_are_told(void **state) {
  (void)state;
  struct findings f = {0};
  for (int i = 0; i < 3 * FINDINGS_TEXTS; i++) {
    findings_add(&f, "frame %d", i);
    assert_int_equal(f.count, i + 1);
    assert_null(findings_text(&f, f.count));
  }
  assert_string_equal(findings_text(&f, 0), "frame 0");
  assert_string_equal(findings_text(&f, FINDINGS_TEXTS - 1), "frame 7");
  assert_null(findings_text(&f, FINDINGS_TEXTS));
}

static void long_texts_are_cut(void **state) {
  (void)state;
  struct findings f = {0};
  char text[1000];
  memset(text, 'w', sizeof text);
  text[sizeof text - 1] = 0;
  findings_add(&f, "%s", text);
  findings_add(&f, "next");
  assert_int_equal(strlen(findings_text(&f, 0)), FINDINGS_TEXT_BYTES - 1);
  assert_string_equal(findings_text(&f, 1), "next");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_has_no_text),
      cmocka_unit_test(all_are_counted_and_the_first_are_told),
      cmocka_unit_test(long_texts_are_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
