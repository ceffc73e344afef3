// Files that appear complete or not at all.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/target.h"

/// A folder of its own for each test, which is the working directory meanwhile.
static int enter(void **state) {
  char *folder = strdup("/tmp/test_target.XXXXXX");
  *state = folder;
  return folder == NULL || mkdtemp(folder) == NULL || chdir(folder) != 0 ? -1 : 0;
}

static int leave(void **state) {
  DIR *d = opendir(".");
  if (d == NULL) return -1;
  for (struct dirent *e; (e = readdir(d)) != NULL;) {
    if (unlink(e->d_name) != 0) rmdir(e->d_name);
  }
  closedir(d);
  int result = chdir("/") != 0 || rmdir(*state) != 0 ? -1 : 0;
  free(*state);
  return result;
}

static void put(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static void holds(const char *path, const char *expected) {
  char text[64] = "";
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  if (fgets(text, sizeof text, f) == NULL) text[0] = 0;
  fclose(f);
  assert_string_equal(text, expected);
}

static size_t files_here(void) {
  size_t count = 0;
  DIR *d = opendir(".");
  assert_non_null(d);
  for (struct dirent *e; (e = readdir(d)) != NULL;) count += e->d_name[0] != '.';
  closedir(d);
  return count;
}

static struct target *open_good(const char *path) {
  char error[256] = "";
  struct target *t = target_open(path, true, error, sizeof error);
  if (t == NULL) fail_msg("%s", error);
  return t;
}

static void close_good(struct target *t, bool keep) {
  char error[256] = "";
  if (target_close(t, keep, error, sizeof error) != 0) fail_msg("%s", error);
}

static void appears_at_the_end(void **state) {
  (void)state;
  struct target *t = open_good("new");
  assert_int_not_equal(access("new", F_OK), 0);
  put(target_temporary(t), "all of it");
  assert_int_not_equal(access("new", F_OK), 0);
  close_good(t, true);
  holds("new", "all of it");
  assert_int_equal(files_here(), 1);
}

static void thrown_away_leaves_what_was(void **state) {
  (void)state;
  put("old", "as it was");
  struct target *first = open_good("old"), *second = open_good("other");
  put(target_temporary(first), "half");
  holds("old", "as it was");
  close_good(first, false);
  close_good(second, false);
  holds("old", "as it was");
  assert_int_equal(files_here(), 1);
}

static void replaces_what_a_link_points_to(void **state) {
  (void)state;
  put("real", "old");
  assert_int_equal(symlink("real", "link"), 0);
  struct target *t = open_good("link");
  put(target_temporary(t), "new");
  close_good(t, true);
  holds("real", "new");
  struct stat s;
  assert_int_equal(lstat("link", &s), 0);
  assert_true(S_ISLNK(s.st_mode));
  assert_int_equal(files_here(), 2);
}

/// The line names the file and says `why`.
static void refused(const char *path, bool must_seek, const char *why) {
  char error[256] = "", expected[256];
  snprintf(expected, sizeof expected, "%s: cannot write: %s", path, why);
  assert_null(target_open(path, must_seek, error, sizeof error));
  assert_string_equal(error, expected);
}

static void refuses_what_cannot_be_written(void **state) {
  (void)state;
  assert_int_equal(mkdir("folder", 0777), 0);
  put("file", "");
  refused("folder", false, "Is a directory");
  refused("no/file", false, "No such file or directory");
  refused("file/file", false, "Not a directory");
  refused("/dev/null", true, "is no regular file");
  refused("", false, "No such file or directory");
  assert_int_equal(files_here(), 2);
}

static void what_is_no_file_is_written_directly(void **state) {
  (void)state;
  char error[256];
  struct target *t = target_open("/dev/null", false, error, sizeof error);
  assert_non_null(t);
  assert_string_equal(target_temporary(t), "/dev/null");
  close_good(t, false);
  assert_int_equal(access("/dev/null", F_OK), 0);
}

/// The name was taken by a folder meanwhile.
static void a_late_failure_leaves_nothing(void **state) {
  (void)state;
  char error[256] = "";
  struct target *t = open_good("name");
  assert_int_equal(mkdir("name", 0777), 0);
  put("name/inside", "");
  assert_int_equal(target_close(t, true, error, sizeof error), -1);
  assert_non_null(strstr(error, "name: cannot write: "));
  assert_int_equal(files_here(), 1);
  unlink("name/inside");
}

/// The last one cannot get its name: the others have not got theirs either, and what was there is there still.
static void all_or_none(void **state) {
  (void)state;
  char error[256] = "";
  put("old", "as it was");
  struct target *const targets[] = {open_good("new"), NULL, open_good("old"), open_good("name")};
  for (size_t i = 0; i < 4; i++)
    if (targets[i] != NULL) put(target_temporary(targets[i]), "written");
  assert_int_equal(mkdir("name", 0777), 0);
  assert_int_equal(target_close_all(targets, 4, true, error, sizeof error), -1);
  assert_string_equal(error, "name: cannot write: Is a directory");
  holds("old", "as it was");
  assert_int_not_equal(access("new", F_OK), 0);
  assert_int_equal(files_here(), 2);
}

static void all_together(void **state) {
  (void)state;
  char error[256] = "";
  put("old", "as it was");
  struct target *const targets[] = {open_good("new"), open_good("old")};
  for (size_t i = 0; i < 2; i++) put(target_temporary(targets[i]), "written");
  assert_int_equal(target_close_all(targets, 2, true, error, sizeof error), 0);
  holds("old", "written");
  holds("new", "written");
  assert_int_equal(files_here(), 2);
}

static void one_file_by_many_names(void **state) {
  (void)state;
  assert_int_equal(mkdir("folder", 0777), 0);
  put("file", "");
  assert_int_equal(symlink("file", "link"), 0);
  assert_true(target_same("file", "file"));
  assert_true(target_same("file", "./folder/../file"));
  assert_true(target_same("file", "link"));
  assert_false(target_same("file", "folder"));
  assert_false(target_same("file", "none"));
  assert_false(target_same("none", "file"));
  assert_true(target_same("none", "folder/../none"));
  assert_false(target_same("none", "folder/none"));
  assert_false(target_same("none", "never"));
  assert_false(target_same("no/none", "nor/none"));
}

int main(void) {
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter, leave)
  const struct CMUnitTest tests[] = {
      IN_FOLDER(appears_at_the_end),
      IN_FOLDER(thrown_away_leaves_what_was),
      IN_FOLDER(replaces_what_a_link_points_to),
      IN_FOLDER(refuses_what_cannot_be_written),
      IN_FOLDER(what_is_no_file_is_written_directly),
      IN_FOLDER(a_late_failure_leaves_nothing),
      IN_FOLDER(all_or_none),
      IN_FOLDER(all_together),
      IN_FOLDER(one_file_by_many_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
