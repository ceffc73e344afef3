/// A file that is to appear complete or not at all: it grows under a name of its own beside the one asked for, and is renamed.
#ifndef WEIR_SIM_TARGET_H
#define WEIR_SIM_TARGET_H

#include <stdbool.h>
#include <stddef.h>

struct target;

/// Proves that `path` can be written, by making the file it grows in. What is no regular file (a pipe, /dev/stdout) is
/// written directly, or refused if `must_seek`. NULL and one line in `error` (size bytes) on failure.
struct target *target_open(const char *path, bool must_seek, char *error, size_t size);
/// What is to be opened and written instead of `path`. Owned by the target.
const char *target_temporary(const struct target *t);
/// Ends it: the file gets its name, or vanishes if not `keep`. 0, or -1 and one line in `error`, and nothing is left behind.
int target_close(struct target *t, bool keep, char *error, size_t size);

/// True if two paths name one file, which need not exist.
bool target_same(const char *a, const char *b);

#endif
