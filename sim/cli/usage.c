#include "sim/cli/usage.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "sim/cli/options.h"

int usage_refuse(const char *command, const char *format, ...) {
  va_list arguments;
  if (stop_asked() != 0) return COMMAND_UNUSABLE;
  va_start(arguments, format);
  fprintf(stderr, "%s: ", command);
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  va_end(arguments);
  return COMMAND_UNUSABLE;
}

bool usage_number(const char *text, double *value) {
  char *end;
  if (strspn(text, "0123456789.eE+-") != strlen(text)) return false;
  *value = strtod(text, &end);
  return end != text && *end == 0 && isfinite(*value);
}

void usage_put_word(FILE *file, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=-+:,@%";
  if (*word != 0 && strspn(word, plain) == strlen(word)) {
    fputs(word, file);
    return;
  }
  fputc('\'', file);
  for (; *word != 0; word++) *word == '\'' ? fputs("'\\''", file) : fputc(*word, file);
  fputc('\'', file);
}

char *usage_again(const char *command, int argc, char **argv, const uint64_t *seed) {
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  if (f == NULL) return NULL;
  const char *word = strchr(command, ' ');
  fprintf(f, "%s%s", program_invocation_name, word != NULL ? word : "");
  for (int i = 1; i < argc; i++) {
    fputc(' ', f);
    usage_put_word(f, argv[i]);
  }
  if (seed != NULL) fprintf(f, " --seed %" PRIu64, *seed);
  fclose(f);
  return text;
}
