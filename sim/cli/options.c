#include "sim/cli/options.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/target.h"
#include "base/text.h"
#include "drive/config.h"
#include "sim/cli/usage.h"

enum { MOST = 64, FIRST_KEY = 256, KEY_HELP = FIRST_KEY + MOST, KEY_JSON, ALLOWED = 512 };

const char *options_word(const struct command_line *command) {
  const char *space = strchr(command->name, ' ');
  return space != NULL ? space + 1 : command->name;
}

// --- what is allowed ---

/// "a, b or c" of those that are powers of two.
static void list_powers(FILE *f, uint64_t low, uint64_t high) {
  for (uint64_t n = low; n <= high; n *= 2) fprintf(f, "%s%" PRIu64, n == low ? "" : n * 2 > high ? " or " : ", ", n);
}

static void allowed_whole(FILE *f, const struct command_option *o) {
  const uint64_t low = o->low == 0 ? 1 : o->low;
  if (!o->powers)
    fprintf(f, "%s, %" PRIu64 " to %" PRIu64, o->unit != NULL ? o->unit : "a whole number", o->low, o->high);
  else if (o->high / low <= 32 && o->low > 0)
    list_powers(f, low, o->high);
  else
    fprintf(f, "%sa power of two, %" PRIu64 " to %" PRIu64, o->low == 0 ? "0 or " : "", low, o->high);
}

static void allowed_name(FILE *f, const char *const *names) {
  for (size_t i = 0; names[i] != NULL; i++) fprintf(f, "%s%s", i == 0 ? "" : names[i + 1] == NULL ? " or " : ", ", names[i]);
}

static void allowed_config(FILE *f) {
  const struct drive_config *config;
  fprintf(f, "one of ");
  for (size_t i = 0; (config = drive_config_at(i)) != NULL; i++) fprintf(f, "%s%s", i > 0 ? ", " : "", config->name);
}

const char *options_allowed(const struct command_option *o, char *text, size_t size) {
  FILE *f = fmemopen(text, size, "w");
  text[0] = 0;
  if (f == NULL) return text;
  switch (o->kind) {
    case OPTION_WHOLE: allowed_whole(f, o); break;
    case OPTION_BYTES:
      if (o->high % (1 << 20) == 0)
        fprintf(f, "a number of bytes, %" PRIu64 " to %" PRIu64 "M", o->low, o->high >> 20);
      else
        fprintf(f, "a number of bytes, %" PRIu64 " to %" PRIu64, o->low, o->high);
      break;
    case OPTION_NUMBER:
      fprintf(f, "%s, %.9g %s %.9g", o->unit != NULL ? o->unit : "a number", o->least, o->below ? "or more and less than" : "to",
              o->most);
      break;
    case OPTION_CHOICE:
    case OPTION_CHOICES: allowed_name(f, o->names); break;
    case OPTION_CONFIG: allowed_config(f); break;
    default: break;
  }
  fclose(f);
  return text;
}

// --- one value ---

static void *place(void *to, const struct command_option *o) { return (char *)to + o->at; }

static void store_whole(void *to, const struct command_option *o, uint64_t value) {
  switch (o->size) {
    case 1: *(uint8_t *)place(to, o) = (uint8_t)value; break;
    case 2: *(uint16_t *)place(to, o) = (uint16_t)value; break;
    case 4: *(uint32_t *)place(to, o) = (uint32_t)value; break;
    default: *(uint64_t *)place(to, o) = value;
  }
}

static bool take_whole(void *to, const struct command_option *o, const char *text) {
  uint64_t value;
  if (!text_whole(text, o->low, o->high, &value)) return false;
  if (o->powers && (value & (value - 1)) != 0) return false;
  store_whole(to, o, value);
  return true;
}

static bool take_bytes(void *to, const struct command_option *o, const char *text) {
  uint64_t value;
  if (!text_bytes(text, o->low, o->high, &value)) return false;
  store_whole(to, o, value);
  return true;
}

static bool take_number(void *to, const struct command_option *o, const char *text) {
  double value;
  if (!usage_number(text, &value) || value < o->least || value > o->most || (o->below && value >= o->most)) return false;
  *(double *)place(to, o) = value;
  return true;
}

static bool take_name(void *to, const struct command_option *o, const char *text) {
  unsigned index = 0;
  while (o->names[index] != NULL && strcmp(o->names[index], text) != 0) index++;
  if (o->names[index] == NULL) return false;
  if (o->kind == OPTION_CHOICE)
    store_whole(to, o, index);
  else
    *(uint32_t *)place(to, o) |= 1u << index;
  return true;
}

static bool take_text(void *to, const struct command_option *o, const char *text) {
  struct option_texts *several = place(to, o);
  if (o->kind != OPTION_TEXTS) {
    *(const char **)place(to, o) = text;
    return true;
  }
  if (several->count == OPTION_TEXTS_MOST) return false;
  several->texts[several->count++] = text;
  return true;
}

/// False if the text is no value of the option.
static bool take(void *to, const struct command_option *o, const char *text) {
  switch (o->kind) {
    case OPTION_FLAG: *(bool *)place(to, o) = !o->off; return true;
    case OPTION_WHOLE: return take_whole(to, o, text);
    case OPTION_BYTES: return take_bytes(to, o, text);
    case OPTION_NUMBER: return take_number(to, o, text);
    case OPTION_CHOICE:
    case OPTION_CHOICES: return take_name(to, o, text);
    case OPTION_CONFIG: return drive_config_named(text) != NULL && take_text(to, o, text);
    default: return take_text(to, o, text);
  }
}

static int refuse(const char *command, const struct command_option *o, const char *text) {
  char allowed[ALLOWED];
  if (o->kind == OPTION_TEXTS)
    return usage_refuse(command, "--%s %s: one too many, %d at most", o->name, text, OPTION_TEXTS_MOST);
  return usage_refuse(command, "--%s %s: must be %s", o->name, text, options_allowed(o, allowed, sizeof allowed));
}

// --- the line ---

/// What is being read.
struct line {
  const struct command_line *command;
  struct option options[MOST + 3];              // as getopt_long wants them
  const struct command_option *entries[MOST];   // by key
  size_t count;
};

static void list_options(struct line *l) {
  for (const struct command_option *o = l->command->options; o->kind != OPTION_END; o++) {
    if (o->kind == OPTION_GROUP || o->argument != NULL) continue;
    if (l->count == MOST) abort();   // a table of this program
    l->entries[l->count] = o;
    l->options[l->count] = (struct option){.name = o->name,
                                           .has_arg = o->kind == OPTION_FLAG ? no_argument : required_argument,
                                           .val = FIRST_KEY + (int)l->count};
    l->count++;
  }
  l->options[l->count] = (struct option){.name = "help", .val = KEY_HELP};
  l->options[l->count + 1] = (struct option){.name = "options-json", .val = KEY_JSON};
}

/// What the table says of options that are not given.
static void set_standards(const struct command_line *c, void *to) {
  for (const struct command_option *o = c->options; o->kind != OPTION_END; o++)
    if (o->standard != NULL && !take(to, o, o->standard)) abort();   // a table of this program
}

static int take_option(const struct line *l, int key, const char *text, void *to) {
  const struct command_option *o = l->entries[key - FIRST_KEY];
  if (!take(to, o, text)) return refuse(l->command->name, o, text);
  if (o->given != 0) *(bool *)((char *)to + o->given) = true;
  return 0;
}

/// One line for what getopt_long does not understand.
static int refuse_word(const struct line *l, const char *word) {
  const char *command = l->command->name;
  char names[ALLOWED];
  size_t used = 0, count = 0;
  if (optopt >= FIRST_KEY) return usage_refuse(command, "%s: has no value", word);
  if (optopt != 0) return usage_refuse(command, "-%c: unknown option; see %s --help", optopt, command);
  for (size_t i = 0; l->options[i].name != NULL && used < sizeof names; i++) {
    if (strncmp(l->options[i].name, word + 2, strcspn(word + 2, "=")) != 0) continue;
    used += (size_t)snprintf(names + used, sizeof names - used, "%s--%s", count++ > 0 ? ", " : "", l->options[i].name);
  }
  if (count > 1) return usage_refuse(command, "%s: may be %s", word, names);
  return usage_refuse(command, "%s: unknown option; see %s --help", word, command);
}

static void show(void (*print)(FILE *file, const struct command_line *command), const struct command_line *command) {
  print(stdout, command);
  exit(fflush(stdout) == 0 ? 0 : COMMAND_UNUSABLE);
}

static int take_options(struct line *l, int argc, char **argv, void *to) {
  int code = 0;
  opterr = 0;
  optind = 0;   // from the start, also a second time
  while (code == 0) {
    const int key = getopt_long(argc, argv, ":", l->options, NULL);
    if (key == -1) break;
    if (key == KEY_HELP) show(options_help, l->command);
    if (key == KEY_JSON) show(options_json, l->command);
    if (key == ':')
      code = usage_refuse(l->command->name, "%s: its value is missing", argv[optind - 1]);
    else if (key == '?')
      code = refuse_word(l, argv[optind - 1]);
    else
      code = take_option(l, key, optarg, to);
  }
  return code;
}

/// What is no option, from optind on. The table has one argument at most.
static int take_arguments(const struct command_line *c, int argc, char **argv, void *to) {
  const struct command_option *o = c->options;
  while (o->kind != OPTION_END && o->argument == NULL) o++;
  if (optind == argc)
    return o->required ? usage_refuse(c->name, "no %s named; usage: %s [OPTION..] %s", o->argument, c->name, o->value) : 0;
  if (o->kind == OPTION_END) return usage_refuse(c->name, "%s: no argument is expected; see %s --help", argv[optind], c->name);
  if (argc - optind > 1)
    return usage_refuse(c->name, "%s: only one %s is expected; the first is %s", argv[optind + 1], o->argument, argv[optind]);
  take(to, o, argv[optind]);
  return 0;
}

// --- files ---

/// What messages call it.
static const char *called(const struct command_option *o, char text[64]) {
  snprintf(text, 64, o->argument != NULL ? "the %s" : "--%s", o->argument != NULL ? o->argument : o->name);
  return text;
}

static const char *file_of(const struct command_option *o, void *to) {
  return o->kind == OPTION_INPUT || o->kind == OPTION_OUTPUT ? *(const char **)place(to, o) : NULL;
}

/// Two names of one file would leave the later one only, and what is read must never be written over.
static int check_files(const struct command_line *c, void *to) {
  char name[64], other[64];
  for (const struct command_option *o = c->options; o->kind != OPTION_END; o++) {
    const char *path = file_of(o, to);
    if (path == NULL) continue;
    if (*path == 0) return usage_refuse(c->name, "%s '': names no file", called(o, name));
    for (const struct command_option *p = c->options; o->kind == OPTION_OUTPUT && p->kind != OPTION_END; p++) {
      const char *against = file_of(p, to);
      if (against == NULL || (p->kind == OPTION_OUTPUT && p >= o) || !target_same(path, against)) continue;
      return usage_refuse(c->name, "%s %s: is the file of %s", called(o, name), path, called(p, other));
    }
  }
  return 0;
}

int options_parse(const struct command_line *command, int argc, char **argv, void *to) {
  struct line line = {.command = command};
  list_options(&line);
  set_standards(command, to);
  int code = take_options(&line, argc, argv, to);
  if (code == 0) code = take_arguments(command, argc, argv, to);
  return code == 0 ? check_files(command, to) : code;
}
