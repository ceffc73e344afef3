// What is written is read back, by the byte; a target is there whole or not at all.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "unit/lib/capture_file.h"
#include "wire/capture.h"

/// Frame `i` of a test: every length from 0 on, bytes that differ. Returns its length.
static size_t sample(unsigned i, uint8_t data[4096]) {
  size_t len = i % 1600;
  for (size_t b = 0; b < len; b++) data[b] = (uint8_t)((i + 1) * 2654435761u >> b % 24);
  return len;
}

static uint64_t time_of(unsigned i) { return 1700000000000000000u * (i % 11) + i; }

static void read_back(const char *path, unsigned interfaces, unsigned frames) {
  struct file_error e = {""};
  struct capture_frame frame;
  struct capture *c = capture_open(path, &e);
  if (c == NULL) fail_msg("%s", e.text);
  for (unsigned i = 0; i < frames; i++) {
    uint8_t data[4096];
    if (capture_next(c, &frame, &e) != 1) fail_msg("frame %u: %s", i + 1, e.text);
    size_t len = sample(i, data);
    assert_int_equal(frame.len, len);
    assert_int_equal(frame.wire_len, len);
    assert_memory_equal(frame.data, data, len);
    assert_int_equal(frame.interface, i % interfaces);
    assert_int_equal(frame.ns, time_of(i));
    assert_int_equal(frame.number, i + 1);
  }
  assert_int_equal(capture_next(c, &frame, &e), 0);
  assert_int_equal(capture_interfaces(c), interfaces);
  capture_close(c);
}

static struct capture_writer *opened(const char *path, unsigned interfaces) {
  struct file_error e = {""};
  struct capture_writer *w = capture_writer_open(path, interfaces, &e);
  if (w == NULL) fail_msg("%s", e.text);
  return w;
}

static void put_samples(struct capture_writer *w, unsigned interfaces, unsigned frames) {
  uint8_t data[4096];
  for (unsigned i = 0; i < frames; i++) {
    size_t len = sample(i, data);
    capture_writer_put(w, i % interfaces, time_of(i), data, len);
  }
}

static void closes(struct capture_writer *w, bool keep) {
  struct file_error e = {""};
  if (capture_writer_close(w, keep, &e) != 0) fail_msg("%s", e.text);
}

/// Closing must fail, and with `what` behind the path.
static void close_fails(struct capture_writer *w, bool keep, const char *path, const char *what) {
  struct file_error e = {""};
  char expected[256];
  snprintf(expected, sizeof expected, "%s: %s", path, what);
  assert_int_equal(capture_writer_close(w, keep, &e), -1);
  assert_string_equal(e.text, expected);
}

static void open_fails(const char *path, const char *what) {
  struct file_error e = {""};
  char expected[256];
  snprintf(expected, sizeof expected, "%s: %s", path, what);
  assert_null(capture_writer_open(path, 1, &e));
  assert_string_equal(e.text, expected);
}

static bool is_gzip(const char *path) {
  uint8_t magic[2] = {0};
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  assert_int_equal(fread(magic, 1, 2, f), 2);
  fclose(f);
  return magic[0] == 0x1F && magic[1] == 0x8B;
}

static void round_trip(void **state) {
  const char *names[] = {"a.pcapng", "a.pcapng.gz", "a.gzip"};
  for (unsigned i = 0; i < 3; i++) {
    const char *path = capture_dir_path(state, names[i]);
    struct capture_writer *w = opened(path, 12);   // ports of one and of two digits
    put_samples(w, 12, 3000);
    assert_int_not_equal(access(path, F_OK), 0);
    closes(w, true);
    assert_int_equal(is_gzip(path), i == 1);
    read_back(path, 12, 3000);
    assert_int_equal(capture_dir_entries(state), i + 1);
  }
}

static void nothing_in_it(void **state) {
  const char *path = capture_dir_path(state, "a.pcapng");
  closes(opened(path, 0), true);
  struct file_error e = {""};
  struct capture_frame frame;
  struct capture *c = capture_open(path, &e);
  assert_non_null(c);
  assert_int_equal(capture_next(c, &frame, &e), 0);
  assert_int_equal(capture_interfaces(c), 0);
  capture_close(c);
}

/// The bytes themselves, so that reader and writer cannot agree on what nobody else does.
static void bytes_as_specified(void **state) {
  const char *path = capture_dir_path(state, "a.pcapng");
  struct capture_writer *w = opened(path, 1);
  capture_writer_put(w, 0, 0x0102030405060708, (const uint8_t *)"frame", 5);
  closes(w, true);
  static const uint8_t expected[] = "\x0a\x0d\x0d\x0a\x1c\0\0\0\x4d\x3c\x2b\x1a\1\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\x1c\0\0\0"
                                    "\1\0\0\0\x2c\0\0\0\1\0\0\0\0\0\4\0\2\0\6\0port 0\0\0\x09\0\1\0\x09\0\0\0\0\0\0\0\x2c\0\0\0"
                                    "\6\0\0\0\x28\0\0\0\0\0\0\0\4\3\2\1\x08\7\6\5\5\0\0\0\5\0\0\0frame\0\0\0\x28\0\0";
  uint8_t bytes[sizeof expected + 1];
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  assert_int_equal(fread(bytes, 1, sizeof bytes, f), sizeof expected);   // the last zero is the string's own
  fclose(f);
  assert_memory_equal(bytes, expected, sizeof expected);
}

static void thrown_away(void **state) {
  const char *path = capture_dir_path(state, "a.pcapng");
  struct capture_writer *w = opened(path, 1);
  put_samples(w, 1, 100);
  assert_int_equal(capture_dir_entries(state), 1);
  closes(w, false);
  assert_int_equal(capture_dir_entries(state), 0);
}

static void old_file_stays_until_the_end(void **state) {
  char path[300], link[300];
  snprintf(path, sizeof path, "%s", capture_dir_path(state, "a.pcapng"));
  snprintf(link, sizeof link, "%s", capture_dir_path(state, "link.pcapng"));
  struct capture_writer *w = opened(path, 2);
  put_samples(w, 2, 10);
  closes(w, true);
  assert_int_equal(symlink(path, link), 0);
  struct capture_writer *one = opened(link, 3), *two = opened(path, 4);   // both at a time
  put_samples(one, 3, 20);
  put_samples(two, 4, 30);
  read_back(path, 2, 10);
  closes(two, false);
  read_back(path, 2, 10);
  closes(one, true);
  read_back(path, 3, 20);
  struct stat there;
  assert_int_equal(lstat(link, &there), 0);
  assert_true(S_ISLNK(there.st_mode));
  assert_int_equal(capture_dir_entries(state), 2);
}

static void bad_frames(void **state) {
  const char *path = capture_dir_path(state, "a.pcapng");
  struct capture_writer *w = opened(path, 4);
  put_samples(w, 4, 2);
  capture_writer_put(w, 4, 0, NULL, 0);
  capture_writer_put(w, 5, 0, NULL, 0);   // the first error counts
  close_fails(w, true, path, "frame 3: interface 4 of 4");
  w = opened(path, 4);
  uint8_t *large = calloc(1, 262145);
  capture_writer_put(w, 0, 0, large, 262145);
  close_fails(w, false, path, "frame 1: 262145 bytes, a frame has 262144 at most");
  assert_int_equal(capture_dir_entries(state), 0);
  w = opened(path, 4);
  capture_writer_put(w, 0, 0, large, 262144);
  closes(w, true);
  free(large);
}

static void no_place(void **state) {
  open_fails("/nowhere/at/all.pcapng", "cannot write: No such file or directory");
  open_fails(*state, "cannot write: Is a directory");
  open_fails("/proc/x.pcapng.gz", "cannot write: No such file or directory");
  if (geteuid() != 0) {   // root may write anywhere
    const char *path = capture_dir_path(state, "a.pcapng");
    closes(opened(path, 1), true);
    assert_int_equal(chmod(path, 0444), 0);
    open_fails(path, "cannot write: Permission denied");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(chmod(*state, 0555), 0);
    open_fails(path, "cannot write: Permission denied");
    assert_int_equal(chmod(*state, 0755), 0);
  }
  assert_int_equal(capture_dir_entries(state), 0);
}

/// A file system that is full, for the plain and the compressed; what was there before stays.
static void no_room(void **state) {
  for (unsigned i = 0; i < 4; i++) {
    bool gz = i & 1;
    char path[300];
    snprintf(path, sizeof path, "%s", capture_dir_path(state, gz ? "a.pcapng.gz" : "a.pcapng"));
    closes(opened(path, 2), true);
    struct rlimit before, tight;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    tight = before;
    tight.rlim_cur = 1000;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    struct capture_writer *w = opened(path, 5);
    put_samples(w, 5, i & 2 ? 3000 : 100);   // fails while they are put, or only when the buffer is flushed
    struct file_error e = {""};
    int result = capture_writer_close(w, true, &e);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(result, -1);
    char expected[400];
    snprintf(expected, sizeof expected, "%s: cannot write: File too large", path);
    assert_string_equal(e.text, expected);
    read_back(path, 2, 0);
    assert_int_equal(capture_dir_entries(state), i == 0 ? 1 : 2);
  }
}

/// Pipes and devices are written, not replaced. A pipe of the test's own, because a fault here replaces what it is given.
static void pipes(void **state) {
  char path[300], copy[300];
  snprintf(path, sizeof path, "%s", capture_dir_path(state, "pipe.pcapng.gz"));
  snprintf(copy, sizeof copy, "%s", capture_dir_path(state, "copy.pcapng.gz"));
  assert_int_equal(mkfifo(path, 0600), 0);
  int reader = open(path, O_RDONLY | O_NONBLOCK);
  assert_true(reader >= 0);
  struct capture_writer *w = opened(path, 2);
  put_samples(w, 2, 50);
  closes(w, true);
  static uint8_t bytes[65536];   // what a pipe holds
  ssize_t len = read(reader, bytes, sizeof bytes);
  assert_true(len > 0);
  FILE *file = fopen(copy, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, (size_t)len, file), len);
  fclose(file);
  read_back(copy, 2, 50);
  struct stat there;
  assert_int_equal(stat(path, &there), 0);
  assert_true(S_ISFIFO(there.st_mode));
  closes(opened(path, 2), false);   // nor is it removed

  void (*handler)(int) = signal(SIGPIPE, SIG_IGN);
  w = opened(path, 2);
  put_samples(w, 2, 50);
  close(reader);
  close_fails(w, true, path, "cannot write: Broken pipe");
  signal(SIGPIPE, handler);
  assert_int_equal(capture_dir_entries(state), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(round_trip, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(nothing_in_it, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(bytes_as_specified, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(thrown_away, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(old_file_stays_until_the_end, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(bad_frames, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(no_place, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(no_room, capture_dir_enter, capture_dir_leave),
      cmocka_unit_test_setup_teardown(pipes, capture_dir_enter, capture_dir_leave),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
