/// The options of a command as a table, and all that follows from it: reading the command line, --help, the manual
/// page, completion in a shell, and --options-json, from which the tests make what must be refused
/// (sim/test/test_options.py).
#ifndef WEIR_SIM_OPTIONS_H
#define WEIR_SIM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum option_kind {
  OPTION_END,       ///< behind the last one
  OPTION_GROUP,     ///< a heading: `help`
  OPTION_FLAG,      ///< has no value; bool
  OPTION_WHOLE,     ///< unsigned integer of any width
  OPTION_BYTES,     ///< the same; K and M may follow
  OPTION_NUMBER,    ///< double
  OPTION_CHOICE,    ///< one of `names`: its index, an unsigned integer or enum
  OPTION_CHOICES,   ///< may be given several times: a bit of an unsigned integer for each
  OPTION_CONFIG,    ///< const char *: a configuration of the aggregator
  OPTION_TEXT,      ///< const char *
  OPTION_TEXTS,     ///< struct option_texts: may be given several times
  OPTION_INPUT,     ///< const char *: a file that is read
  OPTION_OUTPUT,    ///< const char *: a file that is written
};

/// An option, or an argument that is none. What points anywhere in the user's struct is made by the macros below.
struct command_option {
  const char *name;   ///< without its dashes
  enum option_kind kind;
  const char *argument;       ///< not an option but an argument of the command: what messages call it, "the capture"
  bool required;              ///< of an argument
  const char *value;          ///< what --help calls the value; NULL: `names`
  const char *unit;           ///< of the value, in words that follow "must be"; NULL: none
  const char *help;           ///< begins with a capital, ends without a full stop
  const char *standard;       ///< the value if the option is not given, as it would be typed. NULL: what the struct holds before
  const char *absent;         ///< in that case: what --help says happens without it, NULL for nothing
  uint64_t low, high;         ///< OPTION_WHOLE, OPTION_BYTES
  bool powers;                ///< of these, only 0 and powers of two
  double least, most;         ///< OPTION_NUMBER
  bool below;                 ///< less than `most`
  const char *const *names;   ///< ends with NULL
  bool off;                   ///< OPTION_FLAG: stores false
  const char *wrong;          ///< OPTION_TEXT, OPTION_TEXTS, OPTION_INPUT: a value that must be refused, for tests
  size_t at, size;            ///< where the value goes
  size_t given;               ///< where a bool goes that says whether it was given; 0: nowhere
};

enum { OPTION_TEXTS_MOST = 32 };
struct option_texts {
  const char *texts[OPTION_TEXTS_MOST];
  size_t count;
};

/// In an entry: the member of `type` that the value goes to, and one (not its first) that says whether there was one.
#define OPTION_AT(type, member) .at = offsetof(type, member), .size = sizeof(((type *)0)->member)
#define OPTION_GIVEN(type, member) .given = offsetof(type, member)
/// The same with the range of a whole number. Does not compile if the member cannot hold it.
#define OPTION_RANGE(type, member, from, to)                                                                                     \
  .low = (from),                                                                                                                 \
  .high = (to) + 0 * sizeof(char[(uint64_t)(to) <= UINT64_MAX >> (64 - 8 * sizeof(((type *)0)->member)) ? 1 : -1]),              \
  OPTION_AT(type, member)

/// A command as its user sees it.
struct command_line {
  const char *name;      ///< as users type it: "weir ring"; of a program of its own, one word
  const char *purpose;   ///< one line, goes on from the name
  const char *about;     ///< more, in sentences
  const char *example;   ///< options of a run worth trying, behind the name
  const char *exits;     ///< exit codes
  const struct command_option *options;
};

/// What follows `weir` in the name: "ring".
const char *options_word(const struct command_line *command);

/// Exit codes of all commands.
enum { COMMAND_PASSED = 0, COMMAND_FAILED = 1, COMMAND_UNUSABLE = 2 };

/// Reads a command line into `to`, the struct that the table speaks of: first what the table says of options that are
/// not given, then each value, checked; at last, that no file is named twice. `argv` is permuted, and what is read
/// points into it. 0, or COMMAND_UNUSABLE after one line on stderr. --help, and --options-json for tests, end the
/// program.
int options_parse(const struct command_line *command, int argc, char **argv, void *to);

/// What may be given, in words that follow "must be", into `text`. Returns `text`.
const char *options_allowed(const struct command_option *o, char *text, size_t size);
/// The table as --help has it, as a section of the manual page (troff), and as JSON.
void options_help(FILE *file, const struct command_line *command);
void options_manual(FILE *file, const struct command_line *command);
void options_json(FILE *file, const struct command_line *command);

#endif
