// A broken capture gives the frames in front of the damage and then one clear line; lengths in it are not believed.
#include <limits.h>
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

static const uint8_t frame_bytes[] = "\x02\x00\x00\x00\x00\x01\x02\x00\x00\x00\x00\x02\x88\xb5 payload";

static void no_captures(void **state) {
  capture_breaks("/nowhere/x", 0, "cannot open: No such file or directory");
  capture_breaks("/tmp", 0, "cannot read: Is a directory");
  struct capture_file *f = capture_file_new(false);
  capture_file_breaks(state, f, 0, "empty file");
  capture_file_put(f, "\x1f\x8b", 1);
  capture_file_breaks(state, f, 0, "not a capture (pcap or pcapng)");
  f = capture_file_new(false);
  capture_file_put(f, "hello, world, this is text", 26);
  capture_file_breaks(state, f, 0, "not a capture (pcap or pcapng)");
  f = capture_file_new(false);
  capture_file_put(f, "\x0a\x0d\x0d\x0a\x1c\0\0\0........................", 28);
  capture_file_breaks(state, f, 0, "section header without byte order");
  f = capture_file_new(true);
  capture_file_section(f);
  put_be16(f->bytes + 12, 2);
  capture_file_breaks(state, f, 0, "pcapng version 2.0, only 1.x can be read");
  f = capture_file_new(true);
  capture_file_pcap(f, 0xA1B2C3D4, 1);
  put_be16(f->bytes + 6, 3);
  capture_file_breaks(state, f, 0, "pcap version 2.3, only 2.4 can be read");
}

static void other_links(void **state) {
  struct capture_file *f = capture_file_new(false);
  capture_file_pcap(f, 0xA1B2C3D4, 113);
  capture_file_breaks(state, f, 0, "link type 113, only Ethernet (1) can be read");
  f = capture_file_new(true);
  capture_file_section(f);
  capture_file_interface(f, 1, 0, 9, 0);
  capture_file_enhanced(f, 0, 1, frame_bytes, 5, 5);
  capture_file_interface(f, 276, 0, 9, 0);   // harmless until it has a frame
  capture_file_enhanced(f, 0, 1, frame_bytes, 5, 5);
  capture_file_enhanced(f, 1, 1, frame_bytes, 5, 5);
  capture_file_breaks(state, f, 2, "frame 3: interface 1: link type 276, only Ethernet (1) can be read");
}

static void hostile_lengths(void **state) {
  struct capture_file *f = capture_file_new(false);
  capture_file_pcap(f, 0xA1B2C3D4, 1);
  capture_file_record(f, 1, 1, frame_bytes, 4, 4);
  capture_file_record(f, 1, 1, frame_bytes, 4, 4);
  put_le32(f->bytes + 24 + 20 + 8, UINT32_MAX);
  capture_file_breaks(state, f, 1, "frame 2: 4294967295 bytes, a frame has 262144 at most");
  put_le32(f->bytes + 24 + 20 + 8, 262145);
  capture_file_breaks(state, f, 1, "frame 2: 262145 bytes, a frame has 262144 at most");
  put_le32(f->bytes + 24 + 20 + 8, 262144);
  capture_file_breaks(state, f, 1, "frame 2: file ends inside the frame");

  f = capture_file_new(false);
  capture_file_section(f);
  size_t block = f->len;
  capture_file_block(f, 99, frame_bytes, 4);
  const struct {
    uint32_t len;
    const char *what;
  } cases[] = {{0, "0 cannot be the length of a block"},
               {8, "8 cannot be the length of a block"},
               {18, "18 cannot be the length of a block"},
               {12, "a block of 12 bytes ends as one of 2"},
               {UINT32_MAX - 3, "file ends inside a block"}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    put_le32(f->bytes + block + 4, cases[i].len);
    capture_file_breaks(state, f, 0, cases[i].what);
  }
  put_le32(f->bytes + 4, 12);   // no room for the order of bytes
  capture_file_breaks(state, f, 0, "12 cannot be the length of a block");
}

static void hostile_packets(void **state) {
  struct capture_file *f = capture_file_new(true);
  capture_file_section(f);
  size_t start = f->len;
  capture_file_simple(f, frame_bytes, 8, 8);
  capture_file_breaks(state, f, 0, "frame 1: interface 0 is not described in front of it");
  f->len = start;
  capture_file_interface(f, 1, 0, 9, 0);
  size_t block = f->len;
  capture_file_simple(f, frame_bytes, 8, 9);
  capture_file_breaks(state, f, 0, "frame 1: 9 bytes do not fit in its block");
  f->len = block;
  capture_file_enhanced(f, 0, 1, frame_bytes, 8, 8);
  put_be32(f->bytes + block + 20, 9);
  capture_file_breaks(state, f, 0, "frame 1: 9 bytes do not fit in its block");
  for (uint32_t type = 2; type <= 6; type++) {
    f->len = block;
    capture_file_block(f, type, frame_bytes, type == 3 ? 0 : 16);
    if (type != 4 && type != 5) capture_file_breaks(state, f, 0, "frame 1: its block is too short");
  }
  f->len = block;
  capture_file_block(f, 1, frame_bytes, 4);
  capture_file_breaks(state, f, 0, "interface 1: its block is too short");
}

static void hostile_options(void **state) {
  const struct {
    uint32_t code, len;
    const char *what;
  } cases[] = {{9, 2, "interface 0: if_tsresol of 2 bytes, not 1"},
               {14, 4, "interface 0: if_tsoffset of 4 bytes, not 8"},
               {12, 9, "interface 0: option 12 is longer than its block"},
               {12, 65535, "interface 0: option 12 is longer than its block"}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct capture_file *f = capture_file_new(false);
    capture_file_section(f);
    uint8_t body[20] = {1};
    put_le16(body + 8, (uint16_t)cases[i].code);
    put_le16(body + 10, (uint16_t)cases[i].len);
    capture_file_block(f, 1, body, sizeof body);
    capture_file_breaks(state, f, 0, cases[i].what);
  }
}

static void hostile_sections(void **state) {
  struct capture_file *f = capture_file_new(false);
  capture_file_block(f, 0x0A0D0D0A, "\x4d\x3c\x2b\x1a\1\0\0\0\0\0\0", 12);
  capture_file_breaks(state, f, 0, "section header is too short");
  static uint8_t body[270000] = {1};
  f = capture_file_new(false);
  capture_file_section(f);
  capture_file_block(f, 1, body, sizeof body);
  capture_file_breaks(state, f, 0, "interface 0: its block has 270000 bytes");
  f = capture_file_new(false);
  capture_file_section(f);
  for (unsigned i = 0; i < 65537; i++) capture_file_block(f, 1, body, 8);
  capture_file_breaks(state, f, 0, "more than 65536 interfaces");
}

/// Where a file may end without being broken, and how many frames it has until there.
struct boundary {
  size_t at;
  unsigned frames;
};

static void check_cut(const char *path, size_t len, const struct boundary *boundaries, unsigned count) {
  unsigned frames = 0, seen = 0;
  bool clean = false;
  for (unsigned i = 0; i < count; i++) {
    if (boundaries[i].at <= len) frames = boundaries[i].frames;
    clean |= boundaries[i].at == len;
  }
  struct file_error e = {""};
  struct capture_frame frame;
  struct capture *c = capture_open(path, &e);
  int got = c == NULL ? -1 : 1;
  while (got == 1 && (got = capture_next(c, &frame, &e)) == 1) {
    assert_memory_equal(frame.data, frame_bytes, sizeof frame_bytes);
    seen++;
  }
  capture_close(c);
  if (got < 0 && (strncmp(e.text, path, strlen(path)) != 0 || strlen(e.text) < strlen(path) + 10))
    fail_msg("cut at %zu: '%s'", len, e.text);
  if (seen != frames || (got == 0) != clean) fail_msg("cut at %zu: %u frames, not %u; %d %s", len, seen, frames, got, e.text);
}

/// Cut at every byte, a file gives the frames that are whole, and then its end or a line that says so.
static void cut_files(void **state) {
  for (unsigned kind = 0; kind < 4; kind++) {
    bool big = kind & 1, ng = kind & 2;
    struct capture_file *f = capture_file_new(big);
    struct boundary b[5];
    unsigned count = 0;
    if (ng) capture_file_section(f);
    if (ng) b[count++] = (struct boundary){f->len, 0};
    if (ng)
      capture_file_interface(f, 1, 0, 9, 0);
    else
      capture_file_pcap(f, 0xA1B2C3D4, 1);
    b[count++] = (struct boundary){f->len, 0};
    for (unsigned i = 1; i <= 3; i++) {
      if (ng)
        capture_file_enhanced(f, 0, 1, frame_bytes, sizeof frame_bytes, 99);
      else
        capture_file_record(f, 1, 1, frame_bytes, sizeof frame_bytes, 99);
      b[count++] = (struct boundary){f->len, i};
    }
    for (; f->len + 1 != 0; f->len--) {
      capture_file_save(f, capture_dir_path(state, "x"), false);
      check_cut(capture_dir_path(state, "x"), f->len, b, count);
    }
  }
}

/// A gzip file that is cut short is never taken for a whole one, however little is missing.
static void cut_gzip(void **state) {
  char path[300];
  snprintf(path, sizeof path, "%s", capture_dir_path(state, "y"));
  struct capture_file *f = capture_file_new(false);
  capture_file_section(f);
  capture_file_interface(f, 1, 0, 9, 0);
  for (unsigned i = 0; i < 3; i++) capture_file_enhanced(f, 0, 1, frame_bytes, sizeof frame_bytes, 99);
  capture_file_save(f, path, true);
  f = capture_file_new(false);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  f->len = fread(f->bytes, 1, sizeof f->bytes, file);
  fclose(file);
  assert_true(f->len > 60);
  const struct boundary whole = {f->len, 3};
  capture_file_save(f, path, false);
  check_cut(path, f->len, &whole, 1);
  f->len--;
  capture_file_breaks(state, f, 3, "after frame 3: gzip data are cut short");
  f->len = 20;
  capture_file_breaks(state, f, 0, "gzip data are cut short");
  for (f->len = whole.at - 1; f->len != 0; f->len--) capture_file_breaks(state, f, UINT_MAX, NULL);
  f->len = whole.at;
  f->bytes[f->len - 8] ^= 1;   // of the check value; zlib hands out nothing of a stretch whose check fails
  capture_file_breaks(state, f, 0, "gzip data are damaged (incorrect data check)");
}

static void long_names(void **state) {
  char name[250];
  memset(name, 'n', sizeof name);
  memcpy(name + sizeof name - 6, ".pcap", 6);
  FILE *file = fopen(capture_dir_path(state, name), "w");
  assert_non_null(file);
  fclose(file);
  struct file_error e = {""};
  assert_null(capture_open(capture_dir_path(state, name), &e));
  assert_memory_equal(e.text, "...nnn", 6);
  assert_non_null(strstr(e.text, "nnn.pcap: empty file"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(no_captures, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(other_links, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(hostile_lengths, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(hostile_packets, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(hostile_sections, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(hostile_options, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(cut_files, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(cut_gzip, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(long_names, capture_dir_enter, capture_dir_leave),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
