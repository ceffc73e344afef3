#include "sim/cli/usage.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "sim/cli/options.h"

/// Of a longer refusal its beginning and its end are shown: what was given stands first, and the reason last.
enum { SHOWN_FIRST = 200, SHOWN_LAST = 300 };

/// Text that somebody gave may have lines, or be meant for a terminal.
static void put_plain(const char *text, size_t len) {
  for (size_t i = 0; i < len; i++) fputc((unsigned char)text[i] < ' ' || text[i] == 0x7F ? '?' : text[i], stderr);
}

int usage_refuse(const char *command, const char *format, ...) {
  va_list arguments;
  char *text;
  if (stop_asked() != 0) return COMMAND_UNUSABLE;
  va_start(arguments, format);
  const bool made = vasprintf(&text, format, arguments) >= 0;
  va_end(arguments);
  const char *said = made ? text : "out of memory";
  const size_t len = strlen(said);
  fprintf(stderr, "%s: ", command);
  if (len <= SHOWN_FIRST + SHOWN_LAST) {
    put_plain(said, len);
  } else {
    put_plain(said, SHOWN_FIRST);
    fputs(" .. ", stderr);
    put_plain(said + len - SHOWN_LAST, SHOWN_LAST);
  }
  fputc('\n', stderr);
  if (made) free(text);
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
