/// What commands share when they read their command lines: values, refusals, the line that repeats a run.
#ifndef WEIR_SIM_USAGE_H
#define WEIR_SIM_USAGE_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Says in one line on stderr why `weir COMMAND` cannot do it. Returns COMMAND_UNUSABLE.
int usage_refuse(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// For a parser of argp, whose own messages take two lines. Notes in `refused` that the command line was refused by usage_refuse, whose
/// value is `code`, and ends the parsing by what is returned.
error_t usage_stop(bool *refused, int code);
/// The same where argp itself found something wrong (ARGP_KEY_ERROR): says so, unless a refusal is why.
error_t usage_misread(const char *command, const struct argp_state *state, bool *refused);

/// Decimal digits only, `low` to `high`.
bool usage_whole(const char *text, uint64_t low, uint64_t high, uint64_t *value);
/// A number, `low` or more and less than `high`.
bool usage_number(const char *text, double low, double high, double *value);

/// An option whose value is a whole number, `low` to `high`. Its key is that of argp.
struct usage_whole_option {
  int key;
  const char *name;
  uint64_t low, high;
};
/// An option whose value is a number, `low` or more and less than `high`, which `what` says in words.
struct usage_number_option {
  int key;
  const char *name;
  double low, high;
  const char *what;
};

/// Index of a value in a list of names that ends with NULL; -1 if it is not in it.
int usage_named(const char *value, const char *const *names);
/// All of the list into `text`: "a, b or c". Returns `text`.
const char *usage_names(const char *const *names, char *text, size_t size);

/// Read an option's value; what cannot be one is refused as usage_stop has it. Return 0 or what the parser of argp is to return.
error_t usage_take_whole(const char *command, const struct usage_whole_option *option, const char *value, uint64_t *number,
                         bool *refused);
error_t usage_take_number(const char *command, const struct usage_number_option *option, const char *value, double *number,
                          bool *refused);
error_t usage_take_name(const char *command, const char *option, const char *value, const char *const *names, int *index,
                        bool *refused);

error_t usage_take_config(const char *command, const char *value, const char **name, bool *refused);
/// A path MTU of RDMA: a power of two.
error_t usage_take_mtu(const char *command, const char *value, unsigned *mtu, bool *refused);

bool usage_known_config(const char *name);
/// Names of all configurations into `text`, with commas between. Returns `text`.
const char *usage_config_names(char *text, size_t size);

/// A file that the command line names; `path` NULL if it does not.
struct usage_file {
  const char *option, *path;
};
/// Two names of one file would leave the later one only; what is read must never be written over. The first `read` files are read,
/// the others written. 0, or COMMAND_UNUSABLE after one line on stderr.
int usage_check_files(const char *command, const struct usage_file *files, size_t count, size_t read);

/// The command line once more, fit for a shell, and with ` --seed N` behind it unless `seed` is NULL. The caller frees it. NULL if
/// out of memory.
char *usage_again(const char *command, int argc, char **argv, const uint64_t *seed);

#endif
