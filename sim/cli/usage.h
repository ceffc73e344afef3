/// What commands share when they read their command lines: refusals, numbers, the line that repeats a run.
#ifndef WEIR_SIM_USAGE_H
#define WEIR_SIM_USAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/// Says in one line on stderr why `command`, named as struct command_line has it, cannot do it; nothing if a signal is
/// why (base/stop.h), which life_end tells. Returns COMMAND_UNUSABLE.
int usage_refuse(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// A finite decimal number.
bool usage_number(const char *text, double *value);

/// A word as a shell takes it.
void usage_put_word(FILE *file, const char *word);
/// The command line once more, fit for a shell, and with ` --seed N` behind it unless `seed` is NULL. The caller frees
/// it. NULL if out of memory.
char *usage_again(const char *command, int argc, char **argv, const uint64_t *seed);

#endif
