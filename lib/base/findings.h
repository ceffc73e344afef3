/// What a check found wrong: how often, and the texts of the first few.
#ifndef WEIR_BASE_FINDINGS_H
#define WEIR_BASE_FINDINGS_H

#include <stdarg.h>
#include <stddef.h>

enum { FINDINGS_TEXTS = 8, FINDINGS_TEXT_BYTES = 320 };

/// All zero: nothing was found.
struct findings {
  size_t count;
  char texts[FINDINGS_TEXTS][FINDINGS_TEXT_BYTES];
};

/// Counts one more; its text is kept if it is one of the first, cut if it is too long.
void findings_add(struct findings *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// The same with the arguments of a caller.
void findings_addv(struct findings *f, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));
/// A text that was kept, NULL beyond those.
const char *findings_text(const struct findings *f, size_t index);

#endif
