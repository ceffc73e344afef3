// Plans: rings get regions that do not overlap, the smallest configuration with room is taken, and what is missing is named.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/replay/plan.h"
#include "unit/lib/capture_file.h"

static const struct drive_config table[] = {
    {"small", .ports = 2, .ranks = 2, .slot_bytes = 256, .slots = 32, .rings = 1, .conns = 4, .max_window = 2},
    {"large", .ports = 4, .ranks = 4, .slot_bytes = 1024, .slots = 256, .rings = 4, .conns = 8, .max_window = 8},
};
enum { CONFIGS = sizeof table / sizeof *table };

/// A ring with room in the small configuration.
static struct survey_ring ring_of(uint16_t id) {
  return (struct survey_ring){.id = id, .workers = 2, .msglen = 4, .connections = 2, .tensor_bytes = 256, .usable = true};
}

static int plan_of(unsigned ports, struct survey_ring *rings, size_t count, const struct plan_options *options, struct plan *plan,
                   struct file_error *e) {
  char path[] = "a.pcap";
  const struct trace t = {.ports = ports, .path = path};
  const struct survey s = {.rings = rings, .ring_count = count};
  *e = (struct file_error){""};
  return plan_make_from(table, CONFIGS, &t, &s, options, plan, e);
}

static struct plan planned(unsigned ports, struct survey_ring *rings, size_t count, const struct plan_options *options) {
  struct plan plan;
  struct file_error e;
  if (plan_of(ports, rings, count, options, &plan, &e) != 0) fail_msg("%s", e.text);
  return plan;
}

static void refused(unsigned ports, struct survey_ring *rings, size_t count, const struct plan_options *options,
                    const char *text) {
  struct plan plan;
  struct file_error e;
  assert_int_equal(plan_of(ports, rings, count, options, &plan, &e), -1);
  assert_string_equal(e.text, text);
  assert_null(plan.rings);
}

static const struct plan_options window2 = {.window = 2};

static void rings_of_the_capture(void **state) {
  (void)state;
  struct survey_ring rings[] = {ring_of(7), ring_of(8), ring_of(9)};
  rings[1].usable = false;
  strcpy(rings[1].note, "1 of 2 ranks send, rank 1 does not");
  rings[2].workers = 3;
  rings[2].msglen = 10;
  struct plan plan = planned(3, rings, 3, &window2);
  assert_ptr_equal(plan.config, &table[1]);
  assert_int_equal(plan.ring_count, 2);
  assert_int_equal(plan.conn_count, 0);
  const struct drive_ring *r = plan.rings;
  assert_true(r[0].enable && r[0].learn && r[0].id == 7 && r[0].workers == 2 && r[0].window == 2 && r[0].stride == 4);
  assert_true(r[1].enable && r[1].learn && r[1].id == 9 && r[1].workers == 3 && r[1].window == 2 && r[1].stride == 10);
  assert_int_equal(r[0].base, 0);
  assert_int_equal(r[1].base, 16);
  assert_string_equal(plan.notes, "ring 8 is left alone: 1 of 2 ranks send, rank 1 does not\n");
  plan_free(&plan);
  plan_free(&plan);   // harmless
}

static void smallest_that_fits(void **state) {
  (void)state;
  struct survey_ring ring = ring_of(7);
  ring.msglen = 8;   // 2 * 2 * 8: all slots
  struct plan plan = planned(2, &ring, 1, &window2);
  assert_ptr_equal(plan.config, &table[0]);
  assert_string_equal(plan.notes, "");
  plan_free(&plan);
  plan = planned(2, &ring, 1, &(struct plan_options){.window = 2, .config = "large"});
  assert_ptr_equal(plan.config, &table[1]);
  plan_free(&plan);
  plan = planned(0, NULL, 0, &window2);
  assert_ptr_equal(plan.config, &table[0]);
  assert_int_equal(plan.ring_count, 0);
  plan_free(&plan);
}

/// One step beyond each parameter of the small configuration.
static void each_parameter(void **state) {
  (void)state;
  const struct plan_options small = {.window = 2, .config = "small"};
#define SMALL "a.pcap: small is too small, raise in rtl/top/configs.csv: "
  struct survey_ring rings[] = {ring_of(7), ring_of(8)};
  refused(3, rings, 1, &small, SMALL "NumPorts 2 to 3");
  rings[0].workers = 3;
  refused(2, rings, 1, &small, SMALL "NumRanks 2 to 3");
  rings[0] = ring_of(7);
  rings[0].tensor_bytes = 1023;
  refused(2, rings, 1, &small, SMALL "SlotBytes 256 to 1024");
  rings[0] = ring_of(7);
  rings[0].msglen = 9;
  refused(2, rings, 1, &small, SMALL "NumSlots 32 to 36");
  refused(2, rings, 2, &small, SMALL "NumSlots 32 to 52, NumRings 1 to 2");
  rings[0] = ring_of(7);
  refused(2, rings, 2, &small, SMALL "NumRings 1 to 2");
  refused(2, rings, 1, &(struct plan_options){.window = 4, .config = "small"}, SMALL "MaxWindow 2 to 4");
  rings[0].workers = 5;
  refused(2, rings, 1, &small, SMALL "NumRanks 2 to 5, NumConns 4 to 5");
}

static void none_fits(void **state) {
  (void)state;
  struct survey_ring ring = ring_of(7);
  ring.msglen = 65535;
  refused(20, &ring, 1, &window2,
          "a.pcap: large is too small, raise in rtl/top/configs.csv: NumPorts 4 to 20 (limit 16), NumSlots 256 to 262140 (limit "
          "16384)");
  refused(2, &ring, 1, &(struct plan_options){.window = 2, .config = "huge"},
          "no configuration \"huge\"; there are small, large");
}

static void long_paths(void **state) {
  (void)state;
  char path[1000];
  memset(path, 'd', sizeof path);
  strcpy(path + 900, "/last.pcap");
  const struct trace t = {.ports = 5, .path = path};
  const struct survey s = {0};
  struct plan plan;
  struct file_error e;
  assert_int_equal(plan_make_from(table, CONFIGS, &t, &s, &window2, &plan, &e), -1);
  assert_memory_equal(e.text, "...ddd", 6);
  assert_non_null(strstr(e.text, "d/last.pcap: large is too small, raise in rtl/top/configs.csv: NumPorts 4 to 5"));
}

static void windows(void **state) {
  (void)state;
  struct survey_ring ring = ring_of(7);
  const unsigned bad[] = {0, 65536};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[100];
    snprintf(text, sizeof text, "window %u: must be 1 to 32768", bad[i]);
    refused(2, &ring, 1, &(struct plan_options){.window = bad[i]}, text);
  }
  struct plan plan = planned(2, &ring, 1, &(struct plan_options){.window = 1});
  assert_int_equal(plan.rings[0].window, 1);
  plan_free(&plan);
  plan = planned(2, &ring, 1, &(struct plan_options){.window = 3});   // the device's is the next power of two
  assert_int_equal(plan.rings[0].window, 4);
  plan_free(&plan);
}

static void write_file(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  assert_true(fputs(text, f) >= 0);
  assert_int_equal(fclose(f), 0);
}

/// A file of rings: those and no others, each with its window, learning only where no connections are given.
static void rings_of_a_file(void **state) {
  const char *path = capture_dir_path(state, "rings.json");
  const struct plan_options options = {.rings_file = path, .window = 0};
  write_file(path, "[{\"ring\":9,\"workers\":2,\"msglen\":3,\"window\":4},"
                   " {\"ring\":7,\"workers\":3,\"msglen\":5,\"window\":8,\"connections\":["
                   "   {\"src\":\"10.0.0.1\",\"dst\":\"10.0.0.2\",\"qpn\":18,\"rank\":2},"
                   "   {\"src\":\"10.0.0.3\",\"dst\":\"10.0.0.2\",\"qpn\":19,\"rank\":0}]}]");
  struct survey_ring rings[] = {ring_of(7), ring_of(8)};
  rings[0].usable = false;   // the user knows better
  rings[0].tensor_bytes = 700;
  rings[1].tensor_bytes = 9000;   // of no concern
  struct plan plan = planned(2, rings, 2, &options);
  assert_ptr_equal(plan.config, &table[1]);
  const struct drive_ring *r = plan.rings;
  assert_int_equal(plan.ring_count, 2);
  assert_true(r[0].enable && r[0].learn && r[0].id == 9 && r[0].workers == 2 && r[0].window == 4 && r[0].stride == 3);
  assert_true(r[1].enable && !r[1].learn && r[1].id == 7 && r[1].workers == 3 && r[1].window == 8 && r[1].stride == 5);
  assert_int_equal(r[0].base, 0);
  assert_int_equal(r[1].base, 24);
  const struct conn_key key = {.src = {10, 0, 0, 3}, .dst = {10, 0, 0, 2}, .qpn = 19};
  assert_int_equal(plan.conn_count, 2);
  assert_true(conn_key_equal(&plan.conns[1].key, &key));
  assert_int_equal(plan.conns[0].ring, 1);
  assert_int_equal(plan.conns[0].rank, 2);
  assert_int_equal(plan.conns[1].ring, 1);
  assert_int_equal(plan.conns[1].rank, 0);
  char notes[1000];
  snprintf(notes, sizeof notes,
           "ring 7 cannot complete a column: %s names 2 of its 3 connections\nring 8 is left alone: %s does not name it\n", path,
           path);
  assert_string_equal(plan.notes, notes);
  plan_free(&plan);

  // The needs of the same: two connections to learn, two registered.
  refused(2, rings, 2, &(struct plan_options){.rings_file = path, .config = "small"},
          SMALL "NumRanks 2 to 3, SlotBytes 256 to 1024, NumSlots 32 to 104, NumRings 1 to 2, MaxWindow 2 to 8");
  struct plan none;
  struct file_error e;
  write_file(path, "[7]");
  assert_int_equal(plan_of(2, rings, 2, &options, &none, &e), -1);
  assert_non_null(strstr(e.text, "rings.json: ring [0]: must be an object"));
}

/// Connections that are named take an entry each, as those that are learned do.
static void conns_of_a_file(void **state) {
  const char *path = capture_dir_path(state, "rings.json");
  write_file(path, "[{\"ring\":1,\"workers\":2,\"msglen\":1,\"window\":1,\"connections\":["
                   "{\"src\":\"10.0.0.1\",\"dst\":\"10.0.0.2\",\"qpn\":1,\"rank\":0},"
                   "{\"src\":\"10.0.0.2\",\"dst\":\"10.0.0.1\",\"qpn\":1,\"rank\":1}]},"
                   "{\"ring\":2,\"workers\":2,\"msglen\":1,\"window\":1},{\"ring\":3,\"workers\":1,\"msglen\":1,\"window\":1}]");
  refused(2, NULL, 0, &(struct plan_options){.rings_file = path, .config = "small"}, SMALL "NumRings 1 to 3, NumConns 4 to 5");
}

/// The program's own configurations: captures of real hosts fit the second, and the first is what they say it is.
static void real_captures(void **state) {
  (void)state;
  static const char *const names[] = {"ring4", "ring6-paper", "ring4-send-int32"};
  const size_t slots[] = {128, 680, 68};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[100];
    struct trace t;
    struct survey s;
    struct plan plan;
    struct file_error e = {""};
    snprintf(path, sizeof path, "sim/captures/%s.in.pcapng.gz", names[i]);
    if (trace_load(path, 0, &t, &e) != 0) fail_msg("%s", e.text);
    survey_make(&t, &s);
    if (plan_make(&t, &s, &window2, &plan, &e) != 0) fail_msg("%s", e.text);
    assert_string_equal(plan.config->name, "paper6");
    const struct drive_ring *last = &plan.rings[plan.ring_count - 1];
    assert_int_equal(last->base + 2 * last->window * last->stride, slots[i]);
    plan_free(&plan);
    survey_free(&s);
    trace_free(&t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rings_of_the_capture),
      cmocka_unit_test(smallest_that_fits),
      cmocka_unit_test(each_parameter),
      cmocka_unit_test(none_fits),
      cmocka_unit_test(long_paths),
      cmocka_unit_test(windows),
      cmocka_unit_test_setup_teardown(rings_of_a_file, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(conns_of_a_file, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test(real_captures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
