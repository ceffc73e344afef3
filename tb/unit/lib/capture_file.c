#include "unit/lib/capture_file.h"

#include <dirent.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "wire/bytes.h"
#include "wire/capture.h"

// ---------------------------------------------------------------------------------------------------------- files

struct capture_file *capture_file_new(bool big) {
  static struct capture_file f;   // two megabytes, too much for a stack
  f.big = big;
  f.len = 0;
  return &f;
}

void capture_file_put(struct capture_file *f, const void *data, size_t len) {
  assert_true(len <= sizeof f->bytes - f->len);
  if (len != 0) memcpy(f->bytes + f->len, data, len);
  f->len += len;
}

void capture_file_put16(struct capture_file *f, uint32_t value) {
  uint8_t b[2];
  (f->big ? put_be16 : put_le16)(b, (uint16_t)value);
  capture_file_put(f, b, sizeof b);
}

void capture_file_put32(struct capture_file *f, uint32_t value) {
  uint8_t b[4];
  (f->big ? put_be32 : put_le32)(b, value);
  capture_file_put(f, b, sizeof b);
}

void capture_file_pcap(struct capture_file *f, uint32_t magic, uint32_t link) {
  capture_file_put32(f, magic);
  capture_file_put16(f, 2);
  capture_file_put16(f, 4);
  capture_file_put32(f, 0);
  capture_file_put32(f, 0);
  capture_file_put32(f, 65535);
  capture_file_put32(f, link);
}

void capture_file_record(struct capture_file *f, uint32_t seconds, uint32_t fraction, const void *data, size_t len,
                         uint32_t wire_len) {
  capture_file_put32(f, seconds);
  capture_file_put32(f, fraction);
  capture_file_put32(f, (uint32_t)len);
  capture_file_put32(f, wire_len);
  capture_file_put(f, data, len);
}

/// A block's beginning; its length is filled in by end_block. Returns where it begins.
static size_t begin_block(struct capture_file *f, uint32_t type) {
  capture_file_put32(f, type);
  capture_file_put32(f, 0);
  return f->len - 8;
}

static void pad(struct capture_file *f) { capture_file_put(f, "\0\0\0", -f->len & 3); }

static void end_block(struct capture_file *f, size_t begin) {
  pad(f);
  uint32_t total = (uint32_t)(f->len + 4 - begin);
  (f->big ? put_be32 : put_le32)(f->bytes + begin + 4, total);
  capture_file_put32(f, total);
}

void capture_file_block(struct capture_file *f, uint32_t type, const void *body, size_t len) {
  size_t begin = begin_block(f, type);
  capture_file_put(f, body, len);
  end_block(f, begin);
}

void capture_file_section(struct capture_file *f) {
  size_t begin = begin_block(f, 0x0A0D0D0A);
  capture_file_put32(f, 0x1A2B3C4D);
  capture_file_put16(f, 1);
  capture_file_put16(f, 0);
  capture_file_put32(f, UINT32_MAX);
  capture_file_put32(f, UINT32_MAX);
  end_block(f, begin);
}

void capture_file_interface(struct capture_file *f, uint32_t link, uint32_t snaplen, int tsresol, int64_t tsoffset) {
  size_t begin = begin_block(f, 1);
  capture_file_put16(f, link);
  capture_file_put16(f, 0);
  capture_file_put32(f, snaplen);
  capture_file_put16(f, 2);
  capture_file_put16(f, 5);
  capture_file_put(f, "swp12", 5);
  pad(f);
  if (tsresol >= 0) {
    capture_file_put16(f, 9);
    capture_file_put16(f, 1);
    capture_file_put(f, &(uint8_t){(uint8_t)tsresol}, 1);
    pad(f);
  }
  if (tsoffset != 0) {
    uint32_t high = (uint32_t)((uint64_t)tsoffset >> 32), low = (uint32_t)tsoffset;
    capture_file_put16(f, 14);
    capture_file_put16(f, 8);
    capture_file_put32(f, f->big ? high : low);
    capture_file_put32(f, f->big ? low : high);
  }
  capture_file_put32(f, 0);
  end_block(f, begin);
}

static void packet(struct capture_file *f, size_t begin, uint64_t ticks, const void *data, size_t len, uint32_t wire_len) {
  capture_file_put32(f, (uint32_t)(ticks >> 32));
  capture_file_put32(f, (uint32_t)ticks);
  capture_file_put32(f, (uint32_t)len);
  capture_file_put32(f, wire_len);
  capture_file_put(f, data, len);
  end_block(f, begin);
}

void capture_file_enhanced(struct capture_file *f, uint32_t interface, uint64_t ticks, const void *data, size_t len,
                           uint32_t wire_len) {
  size_t begin = begin_block(f, 6);
  capture_file_put32(f, interface);
  packet(f, begin, ticks, data, len, wire_len);
}

void capture_file_old(struct capture_file *f, uint32_t interface, uint64_t ticks, const void *data, size_t len,
                      uint32_t wire_len) {
  size_t begin = begin_block(f, 2);
  capture_file_put16(f, interface);
  capture_file_put16(f, 17);   // drops
  packet(f, begin, ticks, data, len, wire_len);
}

void capture_file_simple(struct capture_file *f, const void *data, size_t len, uint32_t wire_len) {
  size_t begin = begin_block(f, 3);
  capture_file_put32(f, wire_len);
  capture_file_put(f, data, len);
  end_block(f, begin);
}

void capture_file_save(const struct capture_file *f, const char *path, bool gz) {
  remove(path);   // a file that is cut to nothing and written goes to the disc when it is closed, which takes a while
  gzFile file = gzopen(path, gz ? "wb" : "wbT");
  if (file == NULL) fail_msg("cannot write %s", path);
  assert_int_equal(f->len == 0 ? 0 : gzwrite(file, f->bytes, (unsigned)f->len), f->len);
  assert_int_equal(gzclose(file), Z_OK);
}

// ------------------------------------------------------------------------------------------------------ directory

int capture_dir_enter(void **state) {
  char *dir = strdup("/tmp/test_capture.XXXXXX");
  *state = dir;
  return dir == NULL || mkdtemp(dir) == NULL;
}

int capture_dir_leave(void **state) {
  DIR *d = opendir(*state);
  if (d == NULL) return -1;
  for (struct dirent *e; (e = readdir(d)) != NULL;)
    if (e->d_name[0] != '.') remove(capture_dir_path(state, e->d_name));
  closedir(d);
  int result = rmdir(*state);
  free(*state);
  return result;
}

const char *capture_dir_path(void **state, const char *name) {
  static char path[300];
  snprintf(path, sizeof path, "%s/%s", (const char *)*state, name);
  return path;
}

unsigned capture_dir_entries(void **state) {
  unsigned n = 0;
  DIR *d = opendir(*state);
  assert_non_null(d);
  for (struct dirent *e; (e = readdir(d)) != NULL;) n += e->d_name[0] != '.';
  closedir(d);
  return n;
}

// --------------------------------------------------------------------------------------------------------- checks

void capture_breaks(const char *path, unsigned frames, const char *what) {
  struct file_error first = {""}, again = {""};
  struct capture_frame frame;
  struct capture *c = capture_open(path, &first);
  int got = c == NULL ? -1 : 1;
  unsigned seen = 0;
  while (got == 1 && (got = capture_next(c, &frame, &first)) == 1) seen++;
  assert_int_equal(got, -1);
  if (frames != UINT_MAX) assert_int_equal(seen, frames);
  if (what != NULL) {
    char expected[512];
    snprintf(expected, sizeof expected, "%s: %s", path, what);
    assert_string_equal(first.text, expected);
  }
  if (c == NULL) return;
  // A broken file stays broken.
  assert_int_equal(capture_next(c, &frame, &again), -1);
  assert_string_equal(again.text, first.text);
  capture_close(c);
}

void capture_file_breaks(void **state, const struct capture_file *f, unsigned frames, const char *what) {
  const char *path = capture_dir_path(state, "x");
  capture_file_save(f, path, false);
  capture_breaks(path, frames, what);
}
