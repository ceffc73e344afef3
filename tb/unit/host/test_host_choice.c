// What decides how a communicator works before any host is asked: measured times and the environment.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "host/coll/choice.h"
#include "host/coll/environment.h"
#include "unit/host/net/fake_verbs.h"   // what coll.h stands on is not called

static const struct backend backends[] = {{.name = "aggregator"}, {.name = "tree"}, {.name = "ring of hosts"}};

static void the_fastest_is_chosen(void **state) {
  struct choice c = {.count = 3, .us = {{9, 4, 5}, {7, 7, 8}, {100, 90, 80}}};
  char text[CHOICE_TEXT];
  (void)state;
  choice_make(&c);
  assert_int_equal(choice_of(&c, 256), 1);
  assert_int_equal(choice_of(&c, 8192), 0);   // the first of those that are as fast
  assert_int_equal(choice_of(&c, 262144), 2);
  choice_text(&c, backends, 300, text);
  assert_string_equal(text, "the tree: 4 us for 256 bytes, aggregator 9, ring of hosts 5");
  c.count = 1;
  assert_int_equal(choice_of(&c, 256), 0);
  choice_text(&c, backends, 300, text);
  assert_string_equal(text, "the aggregator: no other may be used");
}

/// A tensor is of the measured size that is nearest to it, as a ratio; the borders are geometric means.
static void sizes_have_borders(void **state) {
  static const struct {
    size_t bytes;
    unsigned class;
  } cases[] = {{0, 0}, {256, 0}, {1448, 0}, {1449, 1}, {8192, 1}, {46340, 1}, {46341, 2}, {262144, 2}, {SIZE_MAX / 2, 2}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) assert_int_equal(choice_class(cases[i].bytes), cases[i].class);
}

static void the_environment_wins(void **state) {
  struct weir_coll_config k = weir_coll_defaults();
  char error[160];
  (void)state;
  k.address = "10.0.0.1";
  assert_int_equal(environment_read(&k, error, sizeof error), 0);
  assert_int_equal(k.window, 2);
  setenv("WEIR_WINDOW", "5", 1);
  setenv("WEIR_RING", "513", 1);
  setenv("WEIR_JOB", "18446744073709551615", 1);
  setenv("WEIR_GID_INDEX", "3", 1);
  setenv("WEIR_TRAFFIC_CLASS", "104", 1);
  setenv("WEIR_SERVICE_LEVEL", "3", 1);
  setenv("WEIR_CONTROL_TRAFFIC_CLASS", "184", 1);
  setenv("WEIR_ADDRESS", "10.0.0.9", 1);
  setenv("WEIR_BACKENDS", "tree,ring", 1);
  setenv("WEIR_VERB", "send", 1);
  assert_int_equal(environment_read(&k, error, sizeof error), 0);
  assert_int_equal(k.window, 5);
  assert_int_equal(k.ring, 513);
  assert_true(k.job == UINT64_MAX);
  assert_int_equal(k.gid_index, 3);
  assert_int_equal(k.traffic_class, 104);
  assert_int_equal(k.service_level, 3);
  assert_int_equal(k.msglen, 0);
  assert_int_equal(k.control_traffic_class, 184);
  assert_int_equal(k.control_service_level, -1);
  assert_string_equal(k.address, "10.0.0.9");
  assert_int_equal(k.backends, WEIR_COLL_TREE | WEIR_COLL_RING);
  assert_int_equal(k.verb, WEIR_COLL_SEND);
  // A host below a tree's node is told the same of its device.
  struct weir_tree_config t = weir_tree_defaults();
  assert_int_equal(environment_read_tree(&t, error, sizeof error), 0);
  assert_int_equal(t.gid_index, 3);
  assert_int_equal(t.traffic_class, 104);
  assert_int_equal(t.service_level, 3);
  assert_int_equal(t.control_traffic_class, 184);
  assert_int_equal(t.mtu, 1024);
  assert_string_equal(t.address, "10.0.0.9");
  setenv("WEIR_PORT", "256", 1);
  assert_int_equal(environment_read_tree(&t, error, sizeof error), -EINVAL);
  assert_string_equal(error, "WEIR_PORT=256: no number up to 255");
  unsetenv("WEIR_PORT");
}

/// Each is named, with what it says.
static void what_the_environment_cannot_say(void **state) {
  static const char *const wrong[][2] = {{"WEIR_WINDOW", "65"},      {"WEIR_WINDOW", "-1"},         {"WEIR_MTU", "1024x"},
                                         {"WEIR_PORT", ""},          {"WEIR_BACKENDS", "aggregat"}, {"WEIR_BACKENDS", ""},
                                         {"WEIR_BACKENDS", "tree,"}, {"WEIR_VERB", "read"},         {"WEIR_SERVICE_LEVEL", "8"},
                                         {"WEIR_RINGS", "9"}};
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct weir_coll_config k = weir_coll_defaults();
    char error[160] = "", begins[80];
    setenv(wrong[i][0], wrong[i][1], 1);
    assert_int_equal(environment_read(&k, error, sizeof error), -EINVAL);
    snprintf(begins, sizeof begins, "%s=%s: ", wrong[i][0], wrong[i][1]);
    assert_int_equal(strncmp(error, begins, strlen(begins)), 0);
    unsetenv(wrong[i][0]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_fastest_is_chosen), cmocka_unit_test(sizes_have_borders),
      cmocka_unit_test(what_the_environment_cannot_say),
      cmocka_unit_test(the_environment_wins),   // last: it leaves variables behind
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
