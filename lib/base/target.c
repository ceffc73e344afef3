#include "base/target.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
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
  char *beside;      // what the writer of waves keeps beside it meanwhile
  enum {
    NOT_YET,
    NEW,
    EXCHANGED,
    REPLACED
  } named;   // has its name; the temporary's is free, or that of what was there, which is gone
};

// --- what must go if the program ends at once ---

// A signal handler can know of no object, so the names are the process's: entries come and go with all signals blocked.
enum { NAMES = 2 * 16 };
static char *volatile names[NAMES];

static void block(sigset_t *before) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, before);
}

/// False if there is no room.
static bool remember(char *name) {
  for (size_t i = 0; i < NAMES; i++) {
    if (names[i] != NULL) continue;
    names[i] = name;
    return true;
  }
  return false;
}

static void forget(const char *name) {
  for (size_t i = 0; i < NAMES; i++)
    if (names[i] == name) names[i] = NULL;
}

void target_remove_all(void) {
  for (size_t i = 0; i < NAMES; i++)
    if (names[i] != NULL) unlink(names[i]);
}

static void release(struct target *t) {
  sigset_t before;
  block(&before);
  if (t->temporary != NULL) forget(t->temporary);
  if (t->beside != NULL) forget(t->beside);
  sigprocmask(SIG_SETMASK, &before, NULL);
  free(t->path);
  free(t->final);
  free(t->temporary);
  free(t->beside);
  free(t);
}

// --- opening ---

/// Makes an empty file of this name, and remembers it and what will be beside it. 0, or errno.
static int make_file(char *name, char *beside) {
  sigset_t before;
  block(&before);
  const int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  int why = fd < 0 ? errno : 0;
  if (fd >= 0) close(fd);
  if (fd >= 0 && (!remember(name) || !remember(beside))) {
    forget(name);
    unlink(name);
    why = EMFILE;
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  return why;
}

/// Makes the file beside the final one. False, and errno, on failure. One left there by a run that was killed stays.
static bool make_temporary(struct target *t) {
  const size_t size = strlen(t->final) + 48;
  char *name = malloc(size);
  t->beside = malloc(size);
  int why = name != NULL && t->beside != NULL ? EEXIST : ENOMEM;
  for (unsigned n = 0; n < 1000 && why == EEXIST; n++) {
    snprintf(name, size, "%s.%ld-%u.part", t->final, (long)getpid(), n);
    snprintf(t->beside, size, "%s.hier", name);
    why = make_file(name, t->beside);
  }
  if (why == 0) {
    t->temporary = name;
    return true;
  }
  free(name);
  errno = why;
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

// --- closing ---

/// Puts what was written on the disk. False, and errno, if it cannot.
static bool flush(const char *path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  const bool good = fd >= 0 && fsync(fd) == 0;
  const int why = errno;
  if (fd >= 0) close(fd);
  errno = why;
  return good;
}

/// Gives the file its name; what had it before gets the temporary's, where the file system can exchange. False, and errno, if it
/// cannot.
static bool give_name(struct target *t) {
  struct stat there;
  const bool is_there = lstat(t->final, &there) == 0;
  if (is_there && S_ISDIR(there.st_mode)) {
    errno = EISDIR;
    return false;
  }
  if (is_there && renameat2(AT_FDCWD, t->temporary, AT_FDCWD, t->final, RENAME_EXCHANGE) == 0) {
    t->named = EXCHANGED;
    return true;
  }
  if (rename(t->temporary, t->final) != 0) return false;
  t->named = is_there ? REPLACED : NEW;
  return true;
}

static void take_name_back(struct target *t) {
  if (t->named == EXCHANGED) renameat2(AT_FDCWD, t->temporary, AT_FDCWD, t->final, RENAME_EXCHANGE);
  if (t->named == NEW) unlink(t->final);
}

/// The new name itself on the disk, as far as the file system can.
static void flush_folder(const struct target *t) {
  char *copy = strdup(t->final);
  if (copy != NULL) flush(dirname(copy));
  free(copy);
}

static int fail(const struct target *t, char *error, size_t size) {
  snprintf(error, size, "%s: cannot write: %s", t->path, strerror(errno));
  return -1;
}

static int flush_all(struct target *const targets[], size_t count, char *error, size_t size) {
  for (size_t i = 0; i < count; i++)
    if (targets[i] != NULL && targets[i]->temporary != NULL && !flush(targets[i]->temporary))
      return fail(targets[i], error, size);
  return 0;
}

/// All get their names, or none.
static int name_all(struct target *const targets[], size_t count, char *error, size_t size) {
  size_t done = 0;
  int result = 0;
  for (; done < count && result == 0; done++) {
    struct target *t = targets[done];
    if (t != NULL && t->temporary != NULL && !give_name(t)) result = fail(t, error, size);
  }
  for (size_t i = 0; i < done; i++) {
    if (targets[i] == NULL || targets[i]->temporary == NULL) continue;
    if (result == 0)
      flush_folder(targets[i]);
    else
      take_name_back(targets[i]);
  }
  return result;
}

int target_close_all(struct target *const targets[], size_t count, bool keep, char *error, size_t size) {
  int result = keep ? flush_all(targets, count, error, size) : 0;
  sigset_t before;
  block(&before);   // or a signal would leave some with their names and some without
  if (keep && result == 0) result = name_all(targets, count, error, size);
  for (size_t i = 0; i < count; i++) {
    if (targets[i] == NULL) continue;
    // That of a new name is gone, or is what was there before.
    if (targets[i]->temporary != NULL) unlink(targets[i]->temporary);
    if (targets[i]->beside != NULL) unlink(targets[i]->beside);
    release(targets[i]);
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  return result;
}

int target_close(struct target *t, bool keep, char *error, size_t size) {
  struct target *const one[] = {t};
  return target_close_all(one, 1, keep, error, size);
}

// --- names ---

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
