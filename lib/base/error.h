/// What went wrong, in one line.
#ifndef WEIR_BASE_ERROR_H
#define WEIR_BASE_ERROR_H

#include <stdarg.h>

/// What is wrong with a file: its name, where in it if that is known, what.
struct file_error {
  char text[256];
};

/// Fills `error` with "`path`: `where`: " and the formatted text. `path`, `where`: NULL or "" leaves it out. Of a path too long only the end
/// is told, so that what is wrong still fits; what cannot be shown (it may come from the file) is shown as '?'.
void file_error_put(struct file_error *error, const char *path, const char *where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/// The same with the arguments of a caller.
void file_error_putv(struct file_error *error, const char *path, const char *where, const char *format, va_list arguments)
    __attribute__((format(printf, 4, 0)));

/// The first thing that failed in something that cannot go on after it. All zero: nothing did.
struct failure {
  int code;   ///< -errno
  char text[160];
};

/// Keeps `code` and the text if nothing failed before. Returns the code that is kept.
int failure_set(struct failure *f, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
