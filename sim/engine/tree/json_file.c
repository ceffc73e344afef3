#include "sim/engine/tree/json_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static json_t *refuse(json_error_t *wrong, const char *why) {
  *wrong = (json_error_t){.line = -1, .column = -1};
  snprintf(wrong->text, sizeof wrong->text, "%s", why);
  return NULL;
}

json_t *json_file_read(const char *path, size_t flags, json_error_t *wrong) {
  FILE *file = fopen(path, "r");
  if (file == NULL) return refuse(wrong, strerror(errno));
  // A directory opens, and only reading it fails, which Jansson takes for the end of the text.
  errno = 0;
  const int first = getc(file);
  const int why = errno;
  json_t *json;
  if (first == EOF)
    json = refuse(wrong, ferror(file) ? strerror(why) : "empty file");
  else
    json = ungetc(first, file) == EOF ? refuse(wrong, "cannot be read") : json_loadf(file, flags, wrong);
  fclose(file);
  return json;
}
