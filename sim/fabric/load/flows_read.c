#include "sim/fabric/load/flows_read.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

// The next field of a line, without spaces around it; an empty one if there is none.
static const char *field(char **rest) {
  static char none[] = "";
  char *text = strsep(rest, ",");
  if (text == NULL) return none;
  text += strspn(text, " \t");
  for (size_t n = strlen(text); n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'); n--) text[n - 1] = '\0';
  return text;
}

static bool microseconds(const char *text, double *us) {
  char *end;
  if (strspn(text, "0123456789.e+-") != strlen(text)) return false;
  *us = strtod(text, &end);
  return end != text && *end == '\0' && *us >= 0 && *us <= 1e7;
}

static bool read_line(char *line, uint32_t ranks, flow_put *put, void *whom) {
  uint64_t src, dst, bytes;
  double us = 0;
  char *rest = line;
  if (!text_whole(field(&rest), 0, ranks - 1, &src) || !text_whole(field(&rest), 0, ranks - 1, &dst) || src == dst ||
      !text_whole(field(&rest), 1, UINT64_C(1) << 40, &bytes))
    return false;
  if (rest != NULL && !microseconds(field(&rest), &us)) return false;
  if (rest != NULL) return false;
  put(whom, (uint32_t)src, (uint32_t)dst, bytes, (uint64_t)(us * 1e6));
  return true;
}

int flows_read(const char *path, uint32_t ranks, flow_put *put, void *whom, char *error, size_t size) {
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    snprintf(error, size, "%s: %s", path, strerror(errno));
    return -1;
  }
  char *line = NULL;
  size_t room = 0, found = 0;
  ssize_t len;
  int code = 0;
  for (unsigned number = 1; code == 0 && (len = getline(&line, &room, file)) >= 0; number++) {
    while (len > 0 && (line[len - 1] == '\n' || line[len - 1] == '\r')) line[--len] = '\0';
    if (line[0] == '#' || len == 0) continue;
    // What is behind a NUL would not be looked at.
    if (strlen(line) != (size_t)len || !read_line(line, ranks, put, whom)) {
      snprintf(error, size, "%s:%u: must be SRC,DST,BYTES or SRC,DST,BYTES,START_US, with ranks 0 to %u that differ", path,
               number, ranks - 1);
      code = -1;
    }
    found++;
  }
  if (code == 0 && ferror(file)) {
    snprintf(error, size, "%s: %s", path, strerror(errno));
    code = -1;
  }
  if (code == 0 && found == 0) {
    snprintf(error, size, "%s: no flows", path);
    code = -1;
  }
  free(line);
  fclose(file);
  return code;
}
