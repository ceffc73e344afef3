// The fates in C, in the hardware's package and in the register description are one list.
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wire/fate.h"

/// A source file as text, read from the project's root, where tests run. The caller frees it.
static char *source(const char *path) {
  FILE *f = fopen(path, "r");
  if (f == NULL) fail_msg("cannot read %s; tests run in the project's root", path);
  char *text = calloc(1, 1u << 20);
  assert_non_null(text);
  size_t n = fread(text, 1, (1u << 20) - 1, f);
  assert_true(n > 0 && n < (1u << 20) - 1);
  fclose(f);
  return text;
}

/// "FateBadIcrc" as counters spell it: "bad_icrc".
static void snake(const char *camel, char *out, size_t size) {
  size_t n = 0;
  for (const char *c = camel + strlen("Fate"); isalnum((unsigned char)*c) && n + 2 < size; c++) {
    if (isupper((unsigned char)*c) && n != 0) out[n++] = '_';
    out[n++] = (char)tolower((unsigned char)*c);
  }
  out[n] = '\0';
}

static void names_are_complete(void **state) {
  (void)state;
  for (unsigned f = 0; f < FATE_COUNT; f++) {
    const char *name = fate_name((enum fate)f);
    assert_non_null(name);
    assert_true(name[0] != '\0' && name[0] != '?');
    const char *meaning = fate_meaning((enum fate)f);
    assert_non_null(meaning);
    assert_true(strlen(meaning) > 20 && meaning[strlen(meaning) - 1] == '.');
    for (unsigned other = 0; other < f; other++) {
      assert_string_not_equal(name, fate_name((enum fate)other));
      assert_string_not_equal(meaning, fate_meaning((enum fate)other));
    }
  }
  assert_string_equal(fate_name(FATE_COUNT), "?");
  assert_string_equal(fate_meaning(FATE_COUNT), "");
  assert_int_equal(FATE_FIRST_DROP, FATE_DUPLICATE + 1);
}

static void hardware_counts_the_same(void **state) {
  (void)state;
  char *text = source("rtl/roce/roce_pkg.sv");
  char *end = strstr(text, "} fate_e;");
  assert_non_null(end);
  unsigned seen = 0;
  const char *number = strstr(end, "NumFates = ");
  assert_non_null(number);
  // The last one is counted behind the others, by devices with corrected memories alone.
  assert_int_equal(FATE_MEMORY_ERROR, FATE_COUNT - 1);
  assert_int_equal(strtoul(number + strlen("NumFates = "), NULL, 10), FATE_MEMORY_ERROR);
  *end = '\0';
  char *body = NULL;   // the enum that ends there
  for (char *at = text; (at = strstr(at, "typedef enum")) != NULL; at++) body = at;
  assert_non_null(body);
  for (const char *at = strchr(body, '{'); (at = strstr(at, "Fate")) != NULL; at++) {
    char name[64], entry[64];
    unsigned value;
    if (sscanf(at, "%63[A-Za-z0-9] = 5'd%u", entry, &value) != 2) fail_msg("not an entry of fate_e: %.40s", at);
    snake(entry, name, sizeof name);
    assert_int_equal(value, seen);
    assert_string_equal(name, fate_name((enum fate)value));
    seen++;
  }
  assert_int_equal(seen, FATE_COUNT);
  free(text);
}

static void register_description_counts_the_same(void **state) {
  (void)state;
  char *text = source("rtl/csr/weir_csr.rdl");
  char *list = strstr(text, "What is counted. 0 passed");
  assert_non_null(list);
  char *end = strstr(list, "frames received");
  assert_non_null(end);
  for (char *c = list; c < end; c++)
    if (*c == '\n') *c = ' ';
  for (unsigned f = 0; f < FATE_MEMORY_ERROR; f++) {
    char entry[64];
    snprintf(entry, sizeof entry, " %u %s", f, fate_name((enum fate)f));
    char *at = strstr(list, entry);
    if (at == NULL || at > end) fail_msg("COUNTER_SELECT.which does not say \"%s\"", entry + 1);
    char after = at[strlen(entry)];
    assert_true(after == ',' || after == ';');
  }
  // What is no fate comes behind them.
  assert_int_equal(strtoul(end - 3, NULL, 10), FATE_MEMORY_ERROR);
  assert_non_null(strstr(end, fate_name(FATE_MEMORY_ERROR)));
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_complete), cmocka_unit_test(hardware_counts_the_same),
                                     cmocka_unit_test(register_description_counts_the_same)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
