// Captures are loaded whole, each frame with its port; what the snap length cut is left out.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/engine/trace.h"
#include "unit/lib/capture_file.h"

static const uint8_t sample[64] = {0xFF, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

static struct trace loaded(const char *path, size_t limit) {
  struct trace t;
  struct file_error e = {""};
  if (trace_load(path, limit, &t, &e) != 0) fail_msg("%s", e.text);
  return t;
}

/// Writes `f` and loads it.
static struct trace load_file(void **state, const struct capture_file *f, size_t limit) {
  const char *path = capture_dir_path(state, "x");
  capture_file_save(f, path, false);
  return loaded(path, limit);
}

/// A frame whose first byte tells it apart and whose source address ends with `source`.
static const uint8_t *frame_of(uint8_t mark, uint8_t source) {
  static uint8_t frame[sizeof sample];
  memcpy(frame, sample, sizeof frame);
  frame[0] = mark;
  frame[11] = source;
  return frame;
}

static void interfaces_are_ports(void **state) {
  struct capture_file *f = capture_file_new(false);
  capture_file_section(f);
  for (unsigned i = 0; i < 4; i++) capture_file_interface(f, 1, 0, 9, 0);
  // Three frames, of which the second is cut; interface 3 stays idle. All have one source.
  capture_file_enhanced(f, 2, 7, frame_of(1, 1), 60, 60);
  capture_file_enhanced(f, 0, 8, frame_of(2, 1), 60, 61);
  capture_file_enhanced(f, 1, 9, frame_of(3, 1), 20, 20);
  struct trace t = load_file(state, f, 0);
  assert_int_equal(t.count, 2);
  assert_int_equal(t.cut, 1);
  assert_int_equal(t.ports, 3);
  assert_int_equal(t.cables, 4);
  assert_false(t.split_by_mac);
  assert_string_equal(t.path, capture_dir_path(state, "x"));
  assert_int_equal(t.frames[0].len, 60);
  assert_int_equal(t.frames[0].port, 2);
  assert_int_equal(t.frames[0].ns, 7);
  assert_int_equal(t.frames[0].number, 1);
  assert_memory_equal(t.frames[0].data, frame_of(1, 1), 60);
  assert_int_equal(t.frames[1].len, 20);
  assert_int_equal(t.frames[1].port, 1);
  assert_int_equal(t.frames[1].number, 3);
  assert_memory_equal(t.frames[1].data, frame_of(3, 1), 20);
  trace_free(&t);
  trace_free(&t);   // harmless
}

static void two_interfaces_are_not_split(void **state) {
  struct capture_file *f = capture_file_new(false);
  capture_file_section(f);
  for (unsigned i = 0; i < 2; i++) capture_file_interface(f, 1, 0, 9, 0);
  for (uint8_t i = 0; i < 4; i++) capture_file_enhanced(f, i & 1, 7, frame_of(i, i), 60, 60);
  struct trace t = load_file(state, f, 0);
  assert_false(t.split_by_mac);
  assert_int_equal(t.ports, 2);
  for (size_t i = 0; i < 4; i++) assert_int_equal(t.frames[i].port, i & 1);
  trace_free(&t);
}

static void one_interface_is_split_by_source(void **state) {
  struct capture_file *f = capture_file_new(true);
  capture_file_pcap(f, 0xA1B2C3D4, 1);
  const uint8_t sources[] = {9, 4, 9, 200, 4};
  capture_file_record(f, 1, 0, frame_of(0, 77), 13, 13);   // no whole Ethernet header
  for (uint8_t i = 0; i < sizeof sources; i++) capture_file_record(f, 1, 0, frame_of(i, sources[i]), 60, 60);
  capture_file_record(f, 1, 0, frame_of(0, 99), 60, 70);   // cut: its source gets no port
  capture_file_record(f, 1, 0, frame_of(0, 200), 14, 14);
  capture_file_record(f, 1, 0, frame_of(0, 200), 0, 0);
  struct trace t = load_file(state, f, 0);
  const unsigned ports[] = {0, 0, 1, 0, 2, 1, 2, 0};
  assert_true(t.split_by_mac);
  assert_int_equal(t.count, 8);
  assert_int_equal(t.ports, 3);
  assert_int_equal(t.cables, 3);
  assert_int_equal(t.cut, 1);
  for (size_t i = 0; i < t.count; i++) assert_int_equal(t.frames[i].port, ports[i]);
  trace_free(&t);
}

static void limits(void **state) {
  struct capture_file *f = capture_file_new(false);
  capture_file_pcap(f, 0xA1B2C3D4, 1);
  capture_file_record(f, 1, 0, frame_of(0, 0), 60, 61);
  for (uint8_t i = 1; i < 5; i++) capture_file_record(f, 1, 0, frame_of(i, i), 60, 60);
  struct trace t = load_file(state, f, 3);
  assert_int_equal(t.count + t.cut, 3);
  assert_int_equal(t.frames[1].data[0], 2);
  assert_int_equal(t.ports, 2);
  trace_free(&t);
  t = load_file(state, f, 5);
  assert_int_equal(t.count, 4);
  trace_free(&t);
}

/// Only what is behind the limit is broken.
static void broken_files(void **state) {
  struct capture_file *f = capture_file_new(false);
  capture_file_pcap(f, 0xA1B2C3D4, 1);
  capture_file_record(f, 1, 0, frame_of(1, 1), 60, 60);
  capture_file_record(f, 1, 0, frame_of(2, 1), 60, 60);
  f->len -= 10;
  struct trace t = load_file(state, f, 1);
  assert_int_equal(t.count, 1);
  trace_free(&t);
  struct file_error e = {""};
  assert_int_equal(trace_load(capture_dir_path(state, "x"), 0, &t, &e), -1);
  assert_non_null(strstr(e.text, "/x: frame 2: "));
  assert_null(t.frames);
  assert_int_equal(trace_load(capture_dir_path(state, "missing"), 0, &t, &e), -1);
  assert_non_null(strstr(e.text, "/missing: "));
}

static void empty_file(void **state) {
  struct capture_file *f = capture_file_new(false);
  capture_file_pcap(f, 0xA1B2C3D4, 1);
  struct trace t = load_file(state, f, 0);
  assert_int_equal(t.count, 0);
  assert_int_equal(t.ports, 0);
  trace_free(&t);
}

/// The arena moves as it grows; frames must be whole behind it.
static void many_frames(void **state) {
  struct capture_file *f = capture_file_new(false);
  static uint8_t frame[700];
  capture_file_pcap(f, 0xA1B2C3D4, 1);
  for (unsigned i = 0; i < 2500; i++) {
    memset(frame, (int)(i % 251), sizeof frame);
    capture_file_record(f, 1, 0, frame, 100 + i % 600, 100 + i % 600);
  }
  struct trace t = load_file(state, f, 0);
  assert_int_equal(t.count, 2500);
  assert_int_equal(t.ports, 251);
  for (unsigned i = 0; i < 2500; i++) {
    assert_int_equal(t.frames[i].len, 100 + i % 600);
    assert_int_equal(t.frames[i].port, i % 251);
    for (size_t k = 0; k < t.frames[i].len; k++) assert_int_equal(t.frames[i].data[k], i % 251);
  }
  trace_free(&t);
}

static void real_capture(void **state) {
  (void)state;
  struct trace t = loaded("sim/captures/ring6-paper.in.pcapng.gz", 0);
  assert_int_equal(t.count, 4325);
  assert_int_equal(t.ports, 6);
  assert_false(t.split_by_mac);
  trace_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(interfaces_are_ports, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(two_interfaces_are_not_split, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(one_interface_is_split_by_source, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(limits, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(broken_files, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(empty_file, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(many_frames, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test(real_capture),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
