/// The life of a command that runs for a while: what repeats it, how far it is, signals that end it, and what it
/// writes.
#ifndef WEIR_SIM_LIFE_H
#define WEIR_SIM_LIFE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/stop.h"
#include "sim/cli/outputs.h"

/// The caller sets the paths of `outputs`; all else is set by life_begin.
struct life {
  struct outputs outputs;
  const char *command;
  char *again;   ///< the command line once more, fit for a shell, with the seed
  bool finished, terminal, shown;
  unsigned calls;
  uint64_t looked_ns;
  char reached[160];   ///< how far it is
};

/// From here on a signal only asks (base/stop.h), and nothing is left half-made if the program ends. `seed` is what the
/// run takes if the command line has none, else NULL. life_end is due.
void life_begin(struct life *l, const char *command, int argc, char **argv, const uint64_t *seed);
/// Call it often: true now and then, if there is a terminal that wants to know how far the run is.
bool life_due(struct life *l);
/// How far the run is: a line on a terminal, and what is said if a signal ends it.
void life_reached(struct life *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// Takes the line off the terminal.
void life_quiet(struct life *l);
/// The run is over, with this exit code, and nothing writes any more: outputs get their names, all together, unless it
/// is COMMAND_UNUSABLE or a signal came. Returns the exit code.
int life_finish(struct life *l, int code);
/// Releases what is held. If a signal came before life_finish, says so and how far the run was, and ends the program by
/// that signal; otherwise returns `code`.
int life_end(struct life *l, int code);

#endif
