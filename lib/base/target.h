/// Files that are to appear complete or not at all, several of them together: each grows under a name of its own beside
/// the one asked for, and is renamed.
#ifndef WEIR_BASE_TARGET_H
#define WEIR_BASE_TARGET_H

#include <stdbool.h>
#include <stddef.h>

struct target;

/// Proves that `path` can be written, by making the file it grows in. What is no regular file (a pipe, /dev/stdout) is
/// written directly, or refused if `must_seek`. NULL and one line in `error` (size bytes) on failure.
struct target *target_open(const char *path, bool must_seek, char *error, size_t size);
/// What is to be opened and written instead of `path`. Owned by the target.
const char *target_temporary(const struct target *t);
/// Ends `count` targets, whose files are written and closed: once all are safe on the disk, all get their names; or all
/// vanish if not `keep`. 0, or -1 and one line in `error`: then none got its name, and what had it before has it still.
/// Nothing is left behind in any case. Entries that are NULL are skipped.
int target_close_all(struct target *const targets[], size_t count, bool keep, char *error, size_t size);
/// The same for one.
int target_close(struct target *t, bool keep, char *error, size_t size);
/// Removes what all open targets grow in, because the program ends now. May be called in a signal handler.
void target_remove_all(void);

/// True if two paths name one file, which need not exist.
bool target_same(const char *a, const char *b);

#endif
