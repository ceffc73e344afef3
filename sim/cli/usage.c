#include "sim/cli/usage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "drive/config.h"
#include "sim/cli/command.h"
#include "sim/cli/target.h"

int usage_refuse(const char *command, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "weir %s: ", command);
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  va_end(arguments);
  return COMMAND_UNUSABLE;
}

error_t usage_stop(bool *refused, int code) {
  (void)code;
  *refused = true;
  return EINVAL;
}

error_t usage_misread(const char *command, const struct argp_state *state, bool *refused) {
  if (!*refused) {
    usage_refuse(command, "%s: unknown option, or without its value; see weir %s --help", state->argv[state->next - 1], command);
  }
  *refused = true;
  return 0;
}

bool usage_whole(const char *text, uint64_t low, uint64_t high, uint64_t *value) { return text_whole(text, low, high, value); }

bool usage_number(const char *text, double low, double high, double *value) {
  char *end;
  if (strspn(text, "0123456789.eE+-") != strlen(text)) return false;
  *value = strtod(text, &end);
  return end != text && *end == 0 && *value >= low && *value < high;
}

int usage_named(const char *value, const char *const *names) {
  for (int i = 0; names[i] != NULL; i++)
    if (strcmp(value, names[i]) == 0) return i;
  return -1;
}

const char *usage_names(const char *const *names, char *text, size_t size) {
  size_t used = 0;
  text[0] = 0;
  for (size_t i = 0; names[i] != NULL && used < size; i++) {
    const char *between = i == 0 ? "" : names[i + 1] == NULL ? " or " : ", ";
    used += (size_t)snprintf(text + used, size - used, "%s%s", between, names[i]);
  }
  return text;
}

error_t usage_take_whole(const char *command, const struct usage_whole_option *option, const char *value, uint64_t *number,
                         bool *refused) {
  if (usage_whole(value, option->low, option->high, number)) return 0;
  return usage_stop(refused, usage_refuse(command, "--%s %s: must be a whole number, %" PRIu64 " to %" PRIu64, option->name,
                                          value, option->low, option->high));
}

error_t usage_take_number(const char *command, const struct usage_number_option *option, const char *value, double *number,
                          bool *refused) {
  if (usage_number(value, option->low, option->high, number)) return 0;
  return usage_stop(refused, usage_refuse(command, "--%s %s: must be %s", option->name, value, option->what));
}

error_t usage_take_name(const char *command, const char *option, const char *value, const char *const *names, int *index,
                        bool *refused) {
  char text[128];
  *index = usage_named(value, names);
  if (*index >= 0) return 0;
  return usage_stop(refused, usage_refuse(command, "--%s %s: must be %s", option, value, usage_names(names, text, sizeof text)));
}

bool usage_known_config(const char *name) { return drive_config_named(name) != NULL; }

const char *usage_config_names(char *text, size_t size) {
  size_t count, used = 0;
  const struct drive_config *configs = drive_configs(&count);
  text[0] = 0;
  for (size_t i = 0; i < count && used < size; i++) {
    used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "", configs[i].name);
  }
  return text;
}

error_t usage_take_config(const char *command, const char *value, const char **name, bool *refused) {
  char names[256];
  *name = value;
  if (usage_known_config(value)) return 0;
  return usage_stop(refused, usage_refuse(command, "--config %s: no such configuration; there are %s", value,
                                          usage_config_names(names, sizeof names)));
}

error_t usage_take_mtu(const char *command, const char *value, unsigned *mtu, bool *refused) {
  uint64_t number;
  if (!usage_whole(value, 256, 4096, &number) || (number & (number - 1)) != 0)
    return usage_stop(refused, usage_refuse(command, "--mtu %s: must be 256, 512, 1024, 2048 or 4096", value));
  *mtu = (unsigned)number;
  return 0;
}

int usage_check_files(const char *command, const struct usage_file *files, size_t count, size_t read) {
  for (size_t i = read; i < count; i++) {
    if (files[i].path != NULL && *files[i].path == 0) return usage_refuse(command, "%s '': names no file", files[i].option);
    for (size_t k = 0; k < i && files[i].path != NULL; k++) {
      if (files[k].path == NULL || !target_same(files[i].path, files[k].path)) continue;
      return usage_refuse(command, "%s %s: is the file of %s", files[i].option, files[i].path, files[k].option);
    }
  }
  return 0;
}

char *usage_again(const char *command, int argc, char **argv, const uint64_t *seed) {
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  if (f == NULL) return NULL;
  fprintf(f, "%s %s", program_invocation_name, command);
  for (int i = 1; i < argc; i++) {
    const char *word = argv[i];
    if (*word != 0 && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=-+:,@%") == strlen(word)) {
      fprintf(f, " %s", word);
      continue;
    }
    fputs(" '", f);
    for (; *word != 0; word++) *word == '\'' ? fputs("'\\''", f) : fputc(*word, f);
    fputc('\'', f);
  }
  if (seed != NULL) fprintf(f, " --seed %" PRIu64, *seed);
  fclose(f);
  return text;
}
