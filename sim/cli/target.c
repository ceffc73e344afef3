#include "sim/cli/target.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct target {
  char *path;        // as the user named it
  char *final;       // what is renamed to: `path`, or what it links to; NULL if written directly
  char *temporary;   // what is written; NULL if that is `path`
};

static void release(struct target *t) {
  free(t->path);
  free(t->final);
  free(t->temporary);
  free(t);
}

/// Makes the empty file beside the final one. False, and errno, on failure. One left there by a run that was killed stays.
static bool make_temporary(struct target *t) {
  const size_t size = strlen(t->final) + 48;
  char *name = malloc(size);
  if (name == NULL) return false;
  for (unsigned n = 0; n < 1000; n++) {
    snprintf(name, size, "%s.%ld-%u.part", t->final, (long)getpid(), n);
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) {
      close(fd);
      t->temporary = name;
      return true;
    }
    if (errno != EEXIST) break;
  }
  free(name);
  return false;
}

/// Decides how the target is written. NULL, or what is wrong.
static const char *prepare(struct target *t, bool must_seek) {
  struct stat there;
  errno = 0;
  if (stat(t->path, &there) != 0) {
    if (errno == ENOENT && *t->path != 0) t->final = strdup(t->path);
  } else if (S_ISDIR(there.st_mode)) {
    errno = EISDIR;
  } else if (!S_ISREG(there.st_mode)) {
    if (must_seek) return "is no regular file";
    return access(t->path, W_OK) == 0 ? NULL : strerror(errno);
  } else if (access(t->path, W_OK) == 0) {   // renaming asks nobody whether the file may be written
    t->final = realpath(t->path, NULL);
  }
  if (t->final == NULL || !make_temporary(t)) return errno != 0 ? strerror(errno) : "out of memory";
  return NULL;
}

struct target *target_open(const char *path, bool must_seek, char *error, size_t size) {
  struct target *t = calloc(1, sizeof *t);
  const char *wrong = "out of memory";
  if (t != NULL) t->path = strdup(path);
  if (t != NULL && t->path != NULL) wrong = prepare(t, must_seek);
  if (wrong == NULL) return t;
  snprintf(error, size, "%s: cannot write: %s", path, wrong);
  if (t != NULL) release(t);
  return NULL;
}

const char *target_temporary(const struct target *t) { return t->temporary != NULL ? t->temporary : t->path; }

int target_close(struct target *t, bool keep, char *error, size_t size) {
  int result = 0;
  if (t->temporary != NULL) {
    if (keep && rename(t->temporary, t->final) != 0) {
      snprintf(error, size, "%s: cannot write: %s", t->path, strerror(errno));
      result = -1;
    }
    if (!keep || result != 0) unlink(t->temporary);
  }
  release(t);
  return result;
}

/// Device and inode of the folder a path lies in. False if there is none.
static bool folder_of(const char *path, struct stat *folder) {
  char *copy = strdup(path);
  if (copy == NULL) return false;
  bool found = stat(dirname(copy), folder) == 0;
  free(copy);
  return found;
}

static const char *name_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

bool target_same(const char *a, const char *b) {
  struct stat first, second;
  const bool a_there = stat(a, &first) == 0, b_there = stat(b, &second) == 0;
  if (a_there != b_there) return false;
  if (!a_there && (strcmp(name_of(a), name_of(b)) != 0 || !folder_of(a, &first) || !folder_of(b, &second))) return false;
  return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}
