// The table of options for people and for programs: --help, a section of the manual page, JSON.
#include "sim/cli/options.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 100, COLUMN = 28, TEXT = 1024 };

// --- what is said of one option ---

/// How the value is called: "H", "sum|min|max", or nothing.
static const char *value_name(const struct command_option *o, char text[TEXT]) {
  size_t used = 0;
  text[0] = 0;
  if (o->value != NULL) snprintf(text, TEXT, "%s", o->value);
  for (size_t i = 0; o->value == NULL && o->names != NULL && o->names[i] != NULL; i++)
    used += (size_t)snprintf(text + used, TEXT - used, "%s%s", i > 0 ? "|" : "", o->names[i]);
  return text;
}

/// The sentence, and in brackets what is allowed and what happens without it.
static const char *sentence(const struct command_option *o, char text[TEXT]) {
  char allowed[TEXT] = "";
  const bool ranged = o->kind == OPTION_WHOLE || o->kind == OPTION_BYTES || o->kind == OPTION_NUMBER;
  const bool several = o->kind == OPTION_CHOICES || o->kind == OPTION_TEXTS;
  const char *otherwise = o->standard != NULL && o->kind != OPTION_INPUT ? o->standard
                          : o->absent != NULL                            ? o->absent
                                                                         : o->standard;
  if (ranged || o->kind == OPTION_CONFIG) options_allowed(o, allowed, sizeof allowed);
  const char *range = allowed;
  if (o->kind == OPTION_WHOLE && o->unit == NULL && !o->powers) range += sizeof "a whole number, " - 1;
  const char *parts[] = {range, several ? "may be given several times" : "", otherwise != NULL ? "default" : ""};
  size_t used = (size_t)snprintf(text, TEXT, "%s", o->help), said = 0;
  for (size_t i = 0; i < 3 && used < TEXT; i++) {
    if (*parts[i] == 0) continue;
    used += (size_t)snprintf(text + used, TEXT - used, "%s%s", said++ == 0 ? " (" : "; ", parts[i]);
    if (i == 2) used += (size_t)snprintf(text + used, TEXT - used, " %s", otherwise);
  }
  if (said > 0 && used < TEXT) snprintf(text + used, TEXT - used, ")");
  return text;
}

// --- --help ---

/// Words from `column` on, in lines of WIDTH; those behind the first begin at `indent`.
static void fill(FILE *file, const char *text, size_t column, size_t indent) {
  while (*text != 0) {
    const size_t word = strcspn(text, " ");
    if (column > indent && column + 1 + word > WIDTH) {
      fprintf(file, "\n%*s", (int)indent, "");
      column = indent;
    } else if (column > indent) {
      fputc(' ', file);
      column++;
    }
    fprintf(file, "%.*s", (int)word, text);
    column += word;
    text += word + strspn(text + word, " ");
  }
  fputc('\n', file);
}

static void help_option(FILE *file, const struct command_option *o) {
  char value[TEXT], text[TEXT];
  value_name(o, value);
  int width = fprintf(file, "  %s%s%s", o->argument != NULL ? "" : "--", o->argument != NULL ? "" : o->name,
                      *value != 0 && o->argument == NULL ? " " : "");
  const int name = width;
  // A choice of many goes on below itself.
  for (const char *at = value; *at != 0;) {
    const size_t word = strcspn(at, "|"), piece = word + (at[word] == '|');
    if (width > name && (size_t)width + piece > WIDTH) width = fprintf(file, "\n%*s", name, "") - 1;
    width += fprintf(file, "%.*s", (int)piece, at);
    at += piece;
  }
  if (width >= COLUMN - 1) fputc('\n', file);
  fprintf(file, "%*s", width >= COLUMN - 1 ? COLUMN : COLUMN - width, "");
  fill(file, sentence(o, text), COLUMN, COLUMN);
}

static const struct command_option *argument_of(const struct command_line *c) {
  for (const struct command_option *o = c->options; o->kind != OPTION_END; o++)
    if (o->argument != NULL) return o;
  return NULL;
}

/// " [OPTION..] IN", or what there is of it.
static const char *synopsis(const struct command_line *c, char text[TEXT]) {
  const struct command_option *a = argument_of(c);
  snprintf(text, TEXT, " [OPTION..]%s%s%s",
           a == NULL     ? ""
           : a->required ? " "
                         : " [",
           a == NULL ? "" : a->value, a == NULL || a->required ? "" : "]");
  return text;
}

void options_help(FILE *file, const struct command_line *c) {
  char text[TEXT];
  fprintf(file, "%s %s.\n\nUsage:   %s%s\nExample: %s %s\n\n", c->name, c->purpose, c->name, synopsis(c, text), c->name,
          c->example);
  fill(file, c->about, 0, 0);
  const struct command_option *o = c->options;
  if (o->kind != OPTION_GROUP) fputc('\n', file);
  for (; o->kind != OPTION_END; o++) {
    if (o->kind == OPTION_GROUP)
      fprintf(file, "\n%s:\n", o->help);
    else
      help_option(file, o);
  }
  fprintf(file, "\n  --help%*sShow this help\n\nExit code: ", COLUMN - 8, "");
  fill(file, c->exits, 11, 11);
}

// --- the manual page ---

/// Text that troff must not read as its own.
static void troff(FILE *file, const char *text) {
  if (*text == '.' || *text == '\'') fputs("\\&", file);
  for (; *text != 0; text++) {
    if (*text == '\\')
      fputs("\\e", file);
    else if (*text == '-')
      fputs("\\-", file);
    else
      fputc(*text, file);
  }
}

void options_manual(FILE *file, const struct command_line *c) {
  char text[TEXT];
  fprintf(file, ".SS \"%s", c->name);
  troff(file, synopsis(c, text));
  fprintf(file, "\"\n.B %s\n", c->name);
  troff(file, c->purpose);
  fputs(".\n", file);
  troff(file, c->about);
  fputs("\n.PP\nExample:\n.EX\n", file);
  troff(file, c->name);
  fputc(' ', file);
  troff(file, c->example);
  fputs("\n.EE\n", file);
  for (const struct command_option *o = c->options; o->kind != OPTION_END; o++) {
    if (o->kind == OPTION_GROUP) {
      fputs(".PP\n\\fI", file);
      troff(file, o->help);
      fputs("\\fR\n", file);
      continue;
    }
    fputs(".TP\n\\fB", file);
    if (o->argument == NULL) {
      fputs("\\-\\-", file);
      troff(file, o->name);
    }
    fputs("\\fR \\fI", file);
    troff(file, value_name(o, text));
    fputs("\\fR\n", file);
    troff(file, sentence(o, text));
    fputs(".\n", file);
  }
  fputs(".PP\nExit code: ", file);
  troff(file, c->exits);
  fputs("\n", file);
}

// --- JSON ---

static const char *const kinds[] = {
    [OPTION_FLAG] = "flag",     [OPTION_WHOLE] = "whole",    [OPTION_BYTES] = "bytes",   [OPTION_NUMBER] = "number",
    [OPTION_CHOICE] = "choice", [OPTION_CHOICES] = "choice", [OPTION_CONFIG] = "config", [OPTION_TEXT] = "text",
    [OPTION_TEXTS] = "text",    [OPTION_INPUT] = "input",    [OPTION_OUTPUT] = "output"};

static void put_text(json_t *object, const char *key, const char *text) {
  if (text != NULL) json_object_set_new(object, key, json_string(text));
}

/// Whole numbers as text, because JSON's have 63 bits.
static void put_whole(json_t *object, const char *key, uint64_t value) {
  char text[24];
  snprintf(text, sizeof text, "%llu", (unsigned long long)value);
  put_text(object, key, text);
}

static json_t *entry(const struct command_option *o, const char *group) {
  char text[TEXT];
  json_t *e = json_object();
  put_text(e, o->argument != NULL ? "argument" : "name", o->argument != NULL ? o->argument : o->name);
  put_text(e, "kind", kinds[o->kind]);
  put_text(e, "group", group);
  put_text(e, "help", o->help);
  put_text(e, "unit", o->unit);
  put_text(e, "default", o->standard);
  put_text(e, "without", o->absent);
  put_text(e, "wrong", o->wrong);
  if (o->kind != OPTION_FLAG) put_text(e, "value", value_name(o, text));
  if (*options_allowed(o, text, sizeof text) != 0) put_text(e, "allowed", text);
  json_object_set_new(e, "repeated", json_boolean(o->kind == OPTION_CHOICES || o->kind == OPTION_TEXTS));
  if (o->argument != NULL) json_object_set_new(e, "required", json_boolean(o->required));
  if (o->kind == OPTION_WHOLE || o->kind == OPTION_BYTES) {
    put_whole(e, "min", o->low);
    put_whole(e, "max", o->high);
    json_object_set_new(e, "powers", json_boolean(o->powers));
  }
  if (o->kind == OPTION_NUMBER) {
    json_object_set_new(e, "min", json_real(o->least));
    json_object_set_new(e, "max", json_real(o->most));
    json_object_set_new(e, "below", json_boolean(o->below));
  }
  if (o->names == NULL) return e;
  json_t *names = json_array();
  for (size_t i = 0; o->names[i] != NULL; i++) json_array_append_new(names, json_string(o->names[i]));
  json_object_set_new(e, "names", names);
  return e;
}

void options_json(FILE *file, const struct command_line *c) {
  json_t *list = json_array();
  const char *group = NULL;
  for (const struct command_option *o = c->options; o->kind != OPTION_END; o++) {
    if (o->kind == OPTION_GROUP)
      group = o->help;
    else
      json_array_append_new(list, entry(o, group));
  }
  json_t *root = json_object();
  put_text(root, "command", options_word(c));
  put_text(root, "purpose", c->purpose);
  put_text(root, "example", c->example);
  json_object_set_new(root, "options", list);
  json_dumpf(root, file, JSON_INDENT(1));
  fputc('\n', file);
  json_decref(root);
}
