/// The command line of the protocol check.
#ifndef WEIR_PROTOCOL_OPTIONS_H
#define WEIR_PROTOCOL_OPTIONS_H

#include <stdbool.h>

#include "formal/protocol/rules.h"

struct check_request {
  struct rules rules;
  unsigned most;   ///< states
  bool csv;
  const char *capture;   ///< NULL for none
};

/// Reads the command line. Ends the program with code 2 and a line on stderr if it is wrong, with code 0 after --help.
struct check_request options_read(int argc, char **argv);

#endif
