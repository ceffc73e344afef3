#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#include "base/text.h"

enum { LEAST_PATH = 40 };

void file_error_putv(struct file_error *error, const char *path, const char *where, const char *format, va_list arguments) {
  char what[sizeof error->text - LEAST_PATH];
  size_t used = 0;
  if (where != NULL && *where != 0) {
    used = (size_t)snprintf(what, sizeof what, "%s: ", where);
    if (used >= sizeof what) used = sizeof what - 1;
  }
  vsnprintf(what + used, sizeof what - used, format, arguments);
  text_make_printable(what);
  const size_t len = path != NULL ? strlen(path) : 0, most = sizeof error->text - strlen(what) - sizeof "...: ";
  const bool cut = len > most;
  snprintf(error->text, sizeof error->text, "%s%s%s%s", cut ? "..." : "", len > 0 ? path + (cut ? len - most : 0) : "",
           len > 0 ? ": " : "", what);
}

void file_error_put(struct file_error *error, const char *path, const char *where, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  file_error_putv(error, path, where, format, arguments);
  va_end(arguments);
}

int failure_set(struct failure *f, int code, const char *format, ...) {
  if (f->code != 0) return f->code;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(f->text, sizeof f->text, format, arguments);
  va_end(arguments);
  return f->code = code;
}
