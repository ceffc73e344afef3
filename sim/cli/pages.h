/// What is made from the option tables of all commands together.
#ifndef WEIR_SIM_PAGES_H
#define WEIR_SIM_PAGES_H

#include <stddef.h>
#include <stdio.h>

#include "sim/cli/options.h"

/// `weir --help`.
void pages_help(FILE *file, const struct command_line *const lines[], size_t count);
/// The manual page weir(1), in troff.
void pages_manual(FILE *file, const struct command_line *const lines[], size_t count, const char *version);
/// Completion of words for bash.
void pages_completion(FILE *file, const struct command_line *const lines[], size_t count);

#endif
