/// The command line of the search of locked trees: `protocol locking ..`.
#ifndef WEIR_PROTOCOL_LOCKING_OPTIONS_H
#define WEIR_PROTOCOL_LOCKING_OPTIONS_H

#include "formal/protocol/locking/rules.h"

struct locking_request {
  struct locking_rules rules;
  unsigned most;   ///< states
  bool csv;
};

/// Reads the command line. Ends the program with code 2 and a line on stderr if it is wrong, with code 0 after --help.
struct locking_request locking_options(int argc, char **argv);

#endif
