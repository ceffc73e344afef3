// Files of rings: what is right is read as it stands, and every mistake is told in one line that says where.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/replay/rings.h"
#include "unit/lib/capture_file.h"

/// Writes a file of rings and returns its path.
static const char *file_of(void **state, const char *text) {
  const char *path = capture_dir_path(state, "rings.json");
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  assert_true(fputs(text, f) >= 0);
  assert_int_equal(fclose(f), 0);
  return path;
}

static void refused(void **state, const char *text, const char *what) {
  const char *path = file_of(state, text);
  struct rings rings;
  struct file_error e = {""};
  if (rings_load(path, &rings, &e) == 0) fail_msg("taken: %s", text);
  assert_null(rings.list);
  const size_t len = strlen(path);
  assert_memory_equal(e.text, path, len);
  assert_string_equal(e.text + len, what);
}

static void good_files(void **state) {
  struct rings rings;
  struct file_error e = {""};
  const char *path = file_of(state, "[{\"ring\":65535,\"workers\":1,\"msglen\":65535,\"window\":32768},"
                                    " {\"window\":1,\"msglen\":1,\"workers\":256,\"ring\":0,\"connections\":["
                                    "{\"src\":\"10.0.0.1\",\"dst\":\"10.0.0.2\",\"qpn\":18,\"rank\":255},"
                                    "{\"src\":\"fe80::1\",\"dst\":\"fe80::2\",\"qpn\":16777215,\"rank\":0}]},"
                                    " {\"ring\":3,\"workers\":2,\"msglen\":7,\"window\":4,\"connections\":[]},"
                                    " {\"ring\":4,\"workers\":2,\"msglen\":7,\"window\":4,\"connections\":["
                                    "{\"src\":\"10.0.0.1\",\"dst\":\"10.0.0.2\",\"qpn\":19,\"rank\":0},"
                                    "{\"src\":\"10.0.0.1\",\"dst\":\"10.0.0.2\",\"qpn\":19,\"rank\":1,\"vlan\":4094}]}]");
  if (rings_load(path, &rings, &e) != 0) fail_msg("%s", e.text);
  assert_int_equal(rings.count, 4);
  const struct named_ring *r = rings.list;
  assert_true(r[0].id == 65535 && r[0].workers == 1 && r[0].msglen == 65535 && r[0].window == 32768);
  assert_true(r[0].learn && !r[1].learn && !r[2].learn);
  assert_true(r[1].id == 0 && r[1].workers == 256 && r[1].msglen == 1 && r[1].window == 1);
  assert_int_equal(r[1].conn_count, 2);
  assert_int_equal(r[2].conn_count, 0);
  const struct conn_key v4 = {.src = {10, 0, 0, 1}, .dst = {10, 0, 0, 2}, .qpn = 18};
  const struct conn_key v6 = {.v6 = true, .src = {0xFE, 0x80, [15] = 1}, .dst = {0xFE, 0x80, [15] = 2}, .qpn = 0xFFFFFF};
  assert_true(conn_key_equal(&r[1].conns[0].key, &v4));
  assert_true(conn_key_equal(&r[1].conns[1].key, &v6));
  const struct conn_key in_vlan = {.vlan = 4094, .src = {10, 0, 0, 1}, .dst = {10, 0, 0, 2}, .qpn = 19};
  assert_int_equal(r[3].conn_count, 2);
  assert_true(conn_key_equal(&r[3].conns[1].key, &in_vlan));
  assert_int_equal(r[1].conns[0].rank, 255);
  assert_int_equal(r[1].conns[1].rank, 0);
  rings_free(&rings);
  assert_int_equal(rings_load(file_of(state, "[]"), &rings, &e), 0);
  assert_int_equal(rings.count, 0);
  rings_free(&rings);
}

static void no_json(void **state) {
  struct rings rings;
  struct file_error e = {""};
  const char *path = capture_dir_path(state, "missing.json");
  char line[400];
  snprintf(line, sizeof line, "%s: No such file or directory", path);
  assert_int_equal(rings_load(path, &rings, &e), -1);
  assert_string_equal(e.text, line);
  snprintf(line, sizeof line, "%s: Is a directory", capture_dir_path(state, ""));
  assert_int_equal(rings_load(capture_dir_path(state, ""), &rings, &e), -1);
  assert_string_equal(e.text, line);
  refused(state, "", ": empty file");
  refused(state, " ", ": line 1, column 1: '[' or '{' expected near end of file");
  refused(state, "[{\"ring\":1,\n \"ring\":2}]", ": line 2, column 7: duplicate object key near '\"ring\"'");
  refused(state, "[{\"a\\u001b[2J\":1}]", ": ring [0]: unknown key \"a?[2J\"");
  refused(state, "[] []", ": line 1, column 4: end of file expected near '['");
  refused(state, "{}", ": must be an array of rings [{..}, ..]");
}

#define RING "{\"ring\":1,\"workers\":4,\"msglen\":24,\"window\":2}"

static void bad_rings(void **state) {
  refused(state, "[" RING ",7]", ": ring [1]: must be an object {..}");
  refused(state, "[{\"ring\":1,\"workers\":4,\"window\":2}]", ": ring [0]: \"msglen\" is missing");
  refused(state, "[{\"ring\":1,\"workers\":4,\"msglen\":24,\"window\":2,\"learn\":true}]", ": ring [0]: unknown key \"learn\"");
  refused(state, "[{\"ring\":\"1\",\"workers\":4,\"msglen\":24,\"window\":2}]", ": ring [0]: \"ring\" must be a whole number");
  refused(state, "[{\"ring\":1,\"workers\":4.0,\"msglen\":24,\"window\":2}]", ": ring [0]: \"workers\" must be a whole number");
  refused(state, "[{\"ring\":65536,\"workers\":4,\"msglen\":24,\"window\":2}]",
          ": ring [0]: \"ring\" is 65536, must be 0 to 65535");
  refused(state, "[{\"ring\":-1,\"workers\":4,\"msglen\":24,\"window\":2}]", ": ring [0]: \"ring\" is -1, must be 0 to 65535");
  refused(state, "[{\"ring\":1,\"workers\":0,\"msglen\":24,\"window\":2}]", ": ring [0]: \"workers\" is 0, must be 1 to 256");
  refused(state, "[{\"ring\":1,\"workers\":257,\"msglen\":24,\"window\":2}]", ": ring [0]: \"workers\" is 257, must be 1 to 256");
  refused(state, "[{\"ring\":1,\"workers\":4,\"msglen\":0,\"window\":2}]", ": ring [0]: \"msglen\" is 0, must be 1 to 65535");
  refused(state, "[{\"ring\":1,\"workers\":4,\"msglen\":24,\"window\":65536}]",
          ": ring [0]: \"window\" is 65536, must be 1 to 32768");
  refused(state, "[" RING "," RING "]", ": ring [1]: RingID 1 is that of ring [0] already");
  refused(state, "[{\"ring\":1,\"workers\":4,\"msglen\":24,\"window\":2,\"connections\":{}}]",
          ": ring [0]: \"connections\" must be an array [..]");
}

/// A file with one connection of ring 2 in front of those in `conns`.
static void refused_conns(void **state, const char *conns, const char *what) {
  char text[1000], line[300];
  snprintf(text, sizeof text,
           "[{\"ring\":2,\"workers\":2,\"msglen\":1,\"window\":1,"
           "\"connections\":[{\"src\":\"10.0.0.1\",\"dst\":\"10.0.0.2\",\"qpn\":18,\"rank\":0}]},"
           "{\"ring\":1,\"workers\":4,\"msglen\":24,\"window\":2,\"connections\":[%s]}]",
           conns);
  snprintf(line, sizeof line, ": ring [1], connection %s", what);
  refused(state, text, line);
}

static void bad_connections(void **state) {
  refused(state,
          "[{\"ring\":1,\"workers\":4,\"msglen\":24,\"window\":2,\"connections\":["
          "{\"src\":\"10.0.0.1\",\"dst\":\"10.0.0.2\",\"qpn\":18,\"rank\":0}]},7]",
          ": ring [1]: must be an object {..}");
  refused_conns(state, "1", "[0]: must be an object {..}");
  refused_conns(state, "{\"src\":\"1.2.3.4\",\"dst\":\"1.2.3.5\",\"qpn\":18}", "[0]: \"rank\" is missing");
  refused_conns(state, "{\"src\":\"1.2.3.4\",\"dst\":\"1.2.3.5\",\"qpn\":18,\"rank\":0,\"port\":1}", "[0]: unknown key \"port\"");
  refused_conns(state, "{\"src\":\"1.2.3.256\",\"dst\":\"1.2.3.5\",\"qpn\":18,\"rank\":0}",
                "[0]: \"src\": \"1.2.3.256\" is no IPv4 or IPv6 address");
  refused_conns(state, "{\"src\":\"1.2.3.4\",\"dst\":7,\"qpn\":18,\"rank\":0}",
                "[0]: \"dst\" must be a string with an IP address");
  refused_conns(state, "{\"src\":\"1.2.3.4\",\"dst\":\"fe80::1\",\"qpn\":18,\"rank\":0}",
                "[0]: \"src\" and \"dst\" must both be IPv4 or both IPv6");
  refused_conns(state, "{\"src\":\"1.2.3.4\",\"dst\":\"1.2.3.5\",\"qpn\":16777216,\"rank\":0}",
                "[0]: \"qpn\" is 16777216, must be 0 to 16777215");
  refused_conns(state, "{\"src\":\"1.2.3.4\",\"dst\":\"1.2.3.5\",\"qpn\":18,\"rank\":4}", "[0]: \"rank\" is 4, must be 0 to 3");
  refused_conns(state, "{\"src\":\"10.0.0.1\",\"dst\":\"10.0.0.2\",\"qpn\":18,\"rank\":3}",
                "[0]: the same connection as ring [0], connection [0]");
  refused_conns(state,
                "{\"src\":\"1.2.3.4\",\"dst\":\"1.2.3.5\",\"qpn\":18,\"rank\":3},"
                "{\"src\":\"1.2.3.4\",\"dst\":\"1.2.3.5\",\"qpn\":19,\"rank\":3}",
                "[1]: rank 3 is that of connection [0] already");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(good_files, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(no_json, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(bad_rings, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(bad_connections, capture_dir_enter, capture_dir_leave),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
