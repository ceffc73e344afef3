/// What a run could not decide, by golden model and witness: printed, in the JSON and on the page of each command that has them, and a failure where nothing
/// explains it (docs/protocol.md, "What a run could not decide").
#ifndef WEIR_SIM_UNDECIDED_H
#define WEIR_SIM_UNDECIDED_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "oracle/witness.h"

/// Where what went into the device came from.
enum undecided_input {
  UNDECIDED_SOUND,      ///< from hosts that keep to the rules, over sound cables: everything must be decided
  UNDECIDED_RECORDED,   ///< from hosts or a capture: what can be seen in it to be the fault of what came in is told
  UNDECIDED_FAULTY      ///< faults were injected, or hosts break the rules on purpose: all is told
};

struct undecided {
  uint64_t given_up;   ///< complete columns that gave way to a newer message before any result left
  struct witness_counts witness;
};

/// The sum of two runs, in the first one.
void undecided_add(struct undecided *sum, const struct undecided *more);
/// A count, for people.
struct undecided_row {
  const char *id;   ///< as the JSON has it: letters and _
  char name[40];
  uint64_t value;
  const char *meaning;
};
enum { UNDECIDED_KINDS = WITNESS_EXCUSES + 3 };
/// All counts, also those that are 0, in the order in which they are told.
void undecided_rows(const struct undecided *u, struct undecided_row rows[UNDECIDED_KINDS]);
/// One line for each count that is not 0.
void undecided_print(FILE *file, const struct undecided *u);
/// {"given_up", "excused": {reason: columns}, "untried", "incomplete"}
json_t *undecided_json(const struct undecided *u);
/// True if something is undecided that must not be with such input; then `text` says what.
bool undecided_fails(const struct undecided *u, enum undecided_input input, char *text, size_t size);

#endif
