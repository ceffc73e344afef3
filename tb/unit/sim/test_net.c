// Shapes of fabrics and ways through them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/fabric/net/net.h"
#include "sim/fabric/net/routes.h"

static const struct net_speeds speeds = {.host = 100, .leaf = 200, .spine = 400, .delay_ps = {1000, 2000, 3000}};

static void make(struct net *n, const char *text) {
  char error[200] = "";
  assert_int_equal(net_read(n, text, &speeds, error, sizeof error), 0);
}

static void refused(const char *text, const char *word) {
  struct net n;
  char error[300] = "";
  assert_int_equal(net_read(&n, text, &speeds, error, sizeof error), -1);
  if (strstr(error, word) == NULL) fail_msg("%s: %s", text, error);
  net_free(&n);
}

static uint32_t other(const struct net *n, uint32_t end, uint32_t port) {
  const struct net_cable *c = &n->cables[n->at[end][port]];
  return c->ends[c->ends[0] == end];
}

static void test_leaf_and_spine(void **state) {
  (void)state;
  struct net n;
  make(&n, "clos:3x4x2");
  assert_int_equal(n.hosts, 12);
  assert_int_equal(n.switches, 6);
  assert_int_equal(n.cable_count, 12 + 8);
  for (uint32_t h = 0; h < 12; h++) {
    assert_int_equal(n.leaf[h], h / 3);
    assert_int_equal(n.slice[h], h % 3);
    assert_true(n.cables[n.at[h][0]].gbps == 100);
  }
  struct routes r = {0};
  routes_make(&r, &n, NULL);
  // Upwards over both spines, downwards one way.
  const uint32_t *up = &r.ports[r.groups[0 * r.leaves + 3]], *down = &r.ports[r.groups[4 * r.leaves + 3]];
  assert_int_equal(up[0], 2);
  assert_int_equal(other(&n, 12, up[1]), 12 + 4);
  assert_int_equal(other(&n, 12, up[2]), 12 + 5);
  assert_int_equal(down[0], 1);
  assert_int_equal(other(&n, 12 + 4, down[1]), 12 + 3);
  uint32_t circle[8];
  assert_int_equal(routes_circle(&r, &n, NULL, circle, 8), 0);
  routes_free(&r);
  net_free(&n);
}

static void test_three_tiers(void **state) {
  (void)state;
  struct net n;
  make(&n, "clos:4x4x4,8x4");   // a fat tree of 8-port switches
  assert_int_equal(n.hosts, 128);
  assert_int_equal(n.switches, 8 * 8 + 16);
  for (uint32_t s = 0; s < n.switches; s++) assert_int_equal(n.port_count[n.hosts + s], 8);
  struct routes r = {0};
  routes_make(&r, &n, NULL);
  uint32_t hops = 0, at = n.leaf[0];
  for (; at != n.leaf[127]; hops++) at = other(&n, n.hosts + at, r.ports[r.groups[at * r.leaves + n.leaf[127]] + 1]) - n.hosts;
  assert_int_equal(hops, 4);
  routes_free(&r);
  net_free(&n);
}

static void test_around_a_cut(void **state) {
  (void)state;
  struct net n;
  make(&n, "clos:1x2x2");
  struct routes r = {0};
  bool cut[6] = {false};
  cut[n.at[2 + 0][1]] = true;   // leaf 0 to spine 2
  routes_make(&r, &n, cut);
  assert_int_equal(r.ports[r.groups[0 * r.leaves + 1]], 1);
  assert_int_equal(other(&n, 2, r.ports[r.groups[0 * r.leaves + 1] + 1]), 2 + 3);
  // From leaf 1 only the other spine is as near, too.
  assert_int_equal(r.ports[r.groups[1 * r.leaves + 0]], 1);
  assert_int_equal(other(&n, 3, r.ports[r.groups[1 * r.leaves + 0] + 1]), 2 + 3);
  routes_free(&r);
  net_free(&n);
}

static void test_refused(void **state) {
  (void)state;
  const char *const wrong[][2] = {
      {"clos:", "HxLxS"},
      {"clos:1x2", "HxLxS"},
      {"clos:1x2x3x4", "HxLxS"},
      {"clos:1x2x3,", "HxLxS"},
      {"clos:-1x2x3", "HxLxS"},
      {"clos:0x2x3", "at least one"},
      {"clos:1x2x0", "at least one"},
      {"clos:2x2x2,2x0", "at least one"},
      {"clos:70000x1x1", "more than"},
      {"clos:99999999999999999999x1x1", "more than"},
      {"clos:1x4000x4000", "more than"},
      {"/nowhere/at/all", "No such file or directory"},
      {"/", "Is a directory"},
      {"/dev/null", "empty file"},
      {"{", "line 1"},
      {"{}", "hosts"},
      {"{\"hosts\": 1, \"switches\": []}", "switches"},
      {"{\"hosts\": 1, \"switches\": [0], \"cables\": [[\"h0\", \"s0\", 1, 1]]}", "tier"},
      {"{\"hosts\": 1, \"switches\": [1], \"cables\": []}", "cables"},
      {"{\"hosts\": 1, \"switches\": [1], \"cables\": [[\"h0\", \"s1\", 1, 1]]}", "two ends"},
      {"{\"hosts\": 1, \"switches\": [1], \"cables\": [[\"h0\", \"s0\", 0, 1]]}", "rate"},
      {"{\"hosts\": 1, \"switches\": [1], \"cables\": [[\"h0\", \"s0\", 1, -1]]}", "delay"},
      {"{\"hosts\": 2, \"switches\": [1], \"cables\": [[\"h0\", \"h1\", 1, 1]]}", "two hosts"},
      {"{\"hosts\": 2, \"switches\": [1], \"cables\": [[\"h0\", \"s0\", 1, 1]]}", "host 1 has no cable"},
      {"{\"hosts\": 1, \"switches\": [1, 1], \"cables\": [[\"h0\", \"s0\", 1, 1], [\"h0\", \"s1\", 1, 1]]}", "another cable"},
      {"{\"hosts\": 2, \"switches\": [1, 1], \"cables\": [[\"h0\", \"s0\", 1, 1], [\"h1\", \"s1\", 1, 1]]}", "cannot reach"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) refused(wrong[i][0], wrong[i][1]);
}

// Five switches in a ring, a host each: packets for the second next take one way, and all of them could wait for each other.
static void test_circle(void **state) {
  (void)state;
  static const char ring[] =
      "{\"hosts\": 5, \"switches\": [1, 1, 1, 1, 1], \"cables\": [[\"h0\", \"s0\", 1, 1], [\"h1\", \"s1\", 1, 1], [\"h2\", "
      "\"s2\", 1, 1],"
      "[\"h3\", \"s3\", 1, 1], [\"h4\", \"s4\", 1, 1], [\"s0\", \"s1\", 1, 1], [\"s1\", \"s2\", 1, 1], [\"s2\", \"s3\", 1, 1],"
      "[\"s3\", \"s4\", 1, 1], [\"s4\", \"s0\", 1, 1]]%s}";
  char text[600];
  snprintf(text, sizeof text, ring, "");
  refused(text, "no Clos: 5 cables");
  struct net n;
  snprintf(text, sizeof text, ring, ", \"cyclic\": true");
  make(&n, text);
  struct routes r = {0};
  routes_make(&r, &n, NULL);
  uint32_t circle[8];
  assert_int_equal(routes_circle(&r, &n, NULL, circle, 8), 5);
  for (unsigned i = 0; i < 5; i++) {
    const uint32_t d = circle[i], next = circle[(i + 1) % 5];
    assert_int_equal(n.cables[d & INT32_MAX].ends[1 - (d >> 31)], n.cables[next & INT32_MAX].ends[next >> 31]);
  }
  // Without one of its cables it is none.
  bool only[20];
  memset(only, 1, sizeof only);
  only[2 * (circle[0] & INT32_MAX)] = only[2 * (circle[0] & INT32_MAX) + 1] = false;
  assert_int_equal(routes_circle(&r, &n, only, circle, 8), 0);
  routes_free(&r);
  net_free(&n);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_leaf_and_spine), cmocka_unit_test(test_three_tiers),
                                     cmocka_unit_test(test_around_a_cut), cmocka_unit_test(test_refused),
                                     cmocka_unit_test(test_circle)};
  cmocka_set_message_output(CM_OUTPUT_TAP);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
