// Captures are read as what they say: orders of bytes, units of time, sections, interfaces.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/lib/capture_file.h"
#include "wire/bytes.h"
#include "wire/capture.h"

#define SECOND 1000000000u
static const uint8_t frame_bytes[] = "\x02\x00\x00\x00\x00\x01\x02\x00\x00\x00\x00\x02\x88\xb5 payload";

/// Writes `f` to a file and opens it; it must be a capture.
static struct capture *opened(void **state, const struct capture_file *f) {
  struct file_error e = {""};
  const char *path = capture_dir_path(state, "x");
  capture_file_save(f, path, false);
  struct capture *c = capture_open(path, &e);
  if (c == NULL) fail_msg("%s", e.text);
  return c;
}

static struct capture_frame next(struct capture *c) {
  struct capture_frame frame = {0};
  struct file_error e = {""};
  if (capture_next(c, &frame, &e) != 1) fail_msg("no frame: %s", e.text);
  return frame;
}

static void ends(struct capture *c) {
  struct capture_frame frame;
  struct file_error e = {""};
  if (capture_next(c, &frame, &e) != 0) fail_msg("not at the end: %s", e.text);
  capture_close(c);
}

static void is_sample(const struct capture_frame *frame) {
  assert_int_equal(frame->len, sizeof frame_bytes);
  assert_memory_equal(frame->data, frame_bytes, sizeof frame_bytes);
}

static void pcap_in_both_orders_and_units(void **state) {
  for (unsigned i = 0; i < 4; i++) {
    struct capture_file *f = capture_file_new(i & 1);
    bool nano = i & 2;
    // FCS length 2 words, and "known": no part of the link type.
    capture_file_pcap(f, nano ? 0xA1B23C4D : 0xA1B2C3D4, 0x24000001);
    capture_file_record(f, 1700000000, 999999, frame_bytes, sizeof frame_bytes, 9000);
    capture_file_record(f, UINT32_MAX, UINT32_MAX, frame_bytes, 0, 0);
    struct capture *c = opened(state, f);
    assert_int_equal(capture_interfaces(c), 1);
    struct capture_frame frame = next(c);
    is_sample(&frame);
    assert_int_equal(frame.wire_len, 9000);
    assert_int_equal(frame.interface, 0);
    assert_int_equal(frame.number, 1);
    assert_int_equal(frame.ns, 1700000000ull * SECOND + 999999u * (nano ? 1u : 1000u));
    frame = next(c);
    assert_int_equal(frame.len, 0);
    assert_int_equal(frame.number, 2);
    assert_int_equal(frame.ns, (uint64_t)UINT32_MAX * SECOND + (uint64_t)UINT32_MAX * (nano ? 1u : 1000u));
    ends(c);
  }
}

static void pcapng_blocks(void **state) {
  for (unsigned big = 0; big < 2; big++) {
    struct capture_file *f = capture_file_new(big);
    capture_file_section(f);
    capture_file_block(f, 0x0BAD, frame_bytes, 3);
    capture_file_interface(f, 1, 8, -1, 0);
    capture_file_interface(f, 1, 0, 9, 0);
    capture_file_enhanced(f, 1, 5000000000, frame_bytes, sizeof frame_bytes, 100);
    capture_file_simple(f, frame_bytes, 8, sizeof frame_bytes);   // cut by interface 0's snap length
    capture_file_block(f, 5, frame_bytes, sizeof frame_bytes);
    capture_file_old(f, 1, 7, frame_bytes, sizeof frame_bytes, 4);
    struct capture *c = opened(state, f);
    struct capture_frame frame = next(c);
    is_sample(&frame);
    assert_int_equal(frame.interface, 1);
    assert_int_equal(frame.wire_len, 100);
    assert_int_equal(frame.ns, 5000000000);
    assert_int_equal(capture_interfaces(c), 2);
    frame = next(c);
    assert_int_equal(frame.interface, 0);
    assert_int_equal(frame.len, 8);
    assert_int_equal(frame.wire_len, sizeof frame_bytes);
    assert_memory_equal(frame.data, frame_bytes, 8);
    assert_int_equal(frame.ns, 0);
    frame = next(c);
    is_sample(&frame);
    assert_int_equal(frame.wire_len, sizeof frame_bytes);   // never less than what was captured
    assert_int_equal(frame.interface, 1);
    assert_int_equal(frame.ns, 7);
    assert_int_equal(frame.number, 3);
    ends(c);
  }
}

/// Units and offsets, to the edges of what 64 bits of nanoseconds hold.
static void time_stamps(void **state) {
  const struct {
    int tsresol;   // -1: not told
    int64_t offset;
    uint64_t ticks, ns;
  } cases[] = {
      {-1, 0, 1700000000123456, 1700000000123456000},
      {0, 0, 3, 3ull * SECOND},
      {3, 0, 1700000000123, 1700000000123000000},
      {9, 0, UINT64_MAX, UINT64_MAX},
      {12, 0, 1999, 1},
      {8, 0, 5, 50},
      {7, 0, 5, 500},
      {9 + 19, 0, UINT64_MAX, 1},
      {9 + 20, 0, UINT64_MAX, 0},
      {127, 0, UINT64_MAX, 0},
      {0x80 | 10, 0, 512, SECOND / 2},
      {0x80, 0, 2, 2ull * SECOND},
      {0x80 | 32, 0, UINT64_MAX, 4294967295999999999},
      {0x80 | 127, 0, UINT64_MAX, 0},
      {0x80 | 93, 0, UINT64_MAX, 1},
      {0, 0, UINT64_MAX, UINT64_MAX},
      {6, 0, UINT64_MAX, UINT64_MAX},
      {6, 100, 1, 100ull * SECOND + 1000},
      {6, -1, 2000000, SECOND},
      {6, -1, 999999, 0},
      {9, INT64_MIN, UINT64_MAX, 0},
      {9, INT64_MAX, UINT64_MAX, UINT64_MAX},
      {0, -5, UINT64_MAX, UINT64_MAX},
      {9, 18446744073, 709551615, UINT64_MAX},
  };
  for (unsigned i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
    struct capture_file *f = capture_file_new(i & 1);
    capture_file_section(f);
    capture_file_interface(f, 1, 0, cases[i / 2].tsresol, cases[i / 2].offset);
    capture_file_enhanced(f, 0, cases[i / 2].ticks, frame_bytes, sizeof frame_bytes, sizeof frame_bytes);
    struct capture *c = opened(state, f);
    struct capture_frame frame = next(c);
    if (frame.ns != cases[i / 2].ns)
      fail_msg("case %u: %llu, not %llu ns", i / 2, (unsigned long long)frame.ns, (unsigned long long)cases[i / 2].ns);
    ends(c);
  }
}

static void sections_number_their_own_interfaces(void **state) {
  struct capture_file *f = capture_file_new(false);
  for (unsigned section = 0; section < 3; section++) {
    f->big = section == 1;
    capture_file_section(f);
    for (unsigned i = 0; i < 4 - section; i++) capture_file_interface(f, 1, 0, section == 1 ? 9 : 6, 0);
    capture_file_enhanced(f, 1, 1, frame_bytes, sizeof frame_bytes, sizeof frame_bytes);
  }
  capture_file_enhanced(f, 2, 1, frame_bytes, sizeof frame_bytes, sizeof frame_bytes);   // known to other sections only
  struct capture *c = opened(state, f);
  for (unsigned section = 0; section < 3; section++) {
    struct capture_frame frame = next(c);
    assert_int_equal(frame.interface, 1);
    assert_int_equal(frame.ns, section == 1 ? 1 : 1000);
    assert_int_equal(frame.number, section + 1);
    assert_int_equal(capture_interfaces(c), 4);
  }
  capture_close(c);
  capture_file_breaks(state, f, 3, "frame 4: interface 2 is not described in front of it");
}

/// What is longer than any frame is read past where it is not needed, and refused where it is.
static void long_blocks(void **state) {
  static uint8_t much[400000];
  struct capture_file *f = capture_file_new(false);
  capture_file_section(f);
  capture_file_block(f, 77, much, sizeof much);
  capture_file_interface(f, 1, 0, 9, 0);
  memcpy(much + 20, frame_bytes, sizeof frame_bytes);
  put_le32(much + 12, sizeof frame_bytes);
  capture_file_block(f, 6, much, sizeof much);   // 400 kB of options behind the frame
  struct capture *c = opened(state, f);
  struct capture_frame frame = next(c);
  is_sample(&frame);
  ends(c);
  capture_file_enhanced(f, 0, 1, much, 262144, 262144);
  capture_file_enhanced(f, 0, 1, much, 262145, 262145);
  capture_file_breaks(state, f, 2, "frame 3: 262145 bytes, a frame has 262144 at most");
}

/// A capture of real hosts: 895 frames on four ports, from a hot plug of their links on.
static void real_capture(void **state) {
  (void)state;
  struct file_error e = {""};
  struct capture *c = capture_open("sim/captures/ring4.in.pcapng.gz", &e);
  if (c == NULL) fail_msg("%s; tests run in the project's root", e.text);
  struct capture_frame frame;
  uint64_t last = 0, ports[4] = {0};
  int got;
  while ((got = capture_next(c, &frame, &e)) == 1) {
    assert_true(frame.interface < 4 && frame.ns >= last && frame.len >= 14 && frame.len == frame.wire_len);
    last = frame.ns;
    ports[frame.interface]++;
  }
  if (got != 0) fail_msg("%s", e.text);
  assert_int_equal(ports[0] + ports[1] + ports[2] + ports[3], 895);
  for (unsigned p = 0; p < 4; p++) assert_true(ports[p] > 192);   // 768 data frames, from all alike
  assert_int_equal(capture_interfaces(c), 4);
  capture_close(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(pcap_in_both_orders_and_units, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(pcapng_blocks, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(time_stamps, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(sections_number_their_own_interfaces, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(long_blocks, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(real_capture, capture_dir_enter, capture_dir_leave),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
