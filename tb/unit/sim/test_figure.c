// A figure meets its target as it is shown, and is told to people and programs as it is.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#include <cmocka.h>

#include "sim/cli/figure.h"

static struct figure figure_of(double value, int decimals, double low, double high) {
  return (struct figure){.name = "rate",
                         .value = value,
                         .decimals = decimals,
                         .unit = "Gb/s",
                         .bound_by = "wire: 3, or 4",
                         .low = low,
                         .high = high};
}

static bool good(double value, int decimals, double low, double high) {
  const struct figure f = figure_of(value, decimals, low, high);
  return figure_good(&f);
}

static void targets_are_met_as_shown(void **state) {
  (void)state;
  assert_true(good(64, 0, -INFINITY, 64));
  assert_true(good(64.4, 0, -INFINITY, 64));
  assert_false(good(64.6, 0, -INFINITY, 64));
  assert_false(good(65, 0, -INFINITY, 64));
  assert_true(good(92.576, 2, 92.58, INFINITY));
  assert_false(good(92.574, 2, 92.58, INFINITY));
  assert_true(good(1e9, 1, -INFINITY, INFINITY));
  assert_true(good(70.5, 1, 69.1, 71.9));
  assert_false(good(69.0, 1, 69.1, 71.9));
  assert_false(good(72.0, 1, 69.1, 71.9));
  assert_false(good(NAN, 1, 0, INFINITY));
}

static char *written(void (*write)(FILE *, const struct figure *), const struct figure *f) {
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  assert_non_null(file);
  write(file, f);
  fclose(file);
  return text;
}

static void rows_have_four_columns(void **state) {
  (void)state;
  const struct figure f = figure_of(92.576, 2, 92.58, INFINITY);
  char *row = written(figure_csv, &f);
  assert_string_equal(row, "rate,92.58,Gb/s,\"wire: 3, or 4\"\n");
  free(row);
}

static void a_miss_is_told(void **state) {
  (void)state;
  struct figure f = figure_of(92.576, 2, 92.58, INFINITY);
  char *line = written(figure_print, &f);
  assert_non_null(strstr(line, " ok "));
  assert_non_null(strstr(line, "at least 92.58"));
  free(line);
  f.value = 90;
  line = written(figure_print, &f);
  assert_non_null(strstr(line, " MISS "));
  free(line);
  f.low = -INFINITY;
  line = written(figure_print, &f);
  assert_null(strstr(line, "MISS"));
  assert_null(strstr(line, " ok "));
  free(line);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(targets_are_met_as_shown),
      cmocka_unit_test(rows_have_four_columns),
      cmocka_unit_test(a_miss_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
