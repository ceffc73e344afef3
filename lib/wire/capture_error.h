/// The one line about a capture file that the reader and the writer hand to the user.
#ifndef WEIR_WIRE_CAPTURE_ERROR_H
#define WEIR_WIRE_CAPTURE_ERROR_H

#include <stdio.h>
#include <string.h>

#include "wire/capture.h"

/// Fills `error` with "`path`: `where``what`". Of a long path only the end is told, so that what is wrong still fits.
static inline void capture_error_put(struct capture_error *error, const char *path, const char *where, const char *what) {
  const size_t most = 120;
  size_t len = strlen(path);
  bool cut = len > most;
  snprintf(error->text, sizeof error->text, "%s%s: %s%s", cut ? "..." : "", cut ? path + (len - most) : path, where, what);
}

#endif
