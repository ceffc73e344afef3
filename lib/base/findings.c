#include "base/findings.h"

#include <stdio.h>

void findings_addv(struct findings *f, const char *format, va_list arguments) {
  if (f->count < FINDINGS_TEXTS) vsnprintf(f->texts[f->count], FINDINGS_TEXT_BYTES, format, arguments);
  f->count++;
}

void findings_add(struct findings *f, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  findings_addv(f, format, arguments);
  va_end(arguments);
}

const char *findings_text(const struct findings *f, size_t index) {
  return index < f->count && index < FINDINGS_TEXTS ? f->texts[index] : NULL;
}
