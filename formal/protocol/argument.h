/// Values on the command lines of the protocol checks.
#ifndef WEIR_PROTOCOL_ARGUMENT_H
#define WEIR_PROTOCOL_ARGUMENT_H

#include <argp.h>

/// A whole number, 0 to 100000000. Ends the program with code 2 and a line on stderr if it is none.
unsigned argument_number(const char *text, struct argp_state *state);
/// The index of a name in a list that ends with NULL. Ends the program likewise if it is none of them.
unsigned argument_choice(const char *const names[], const char *text, struct argp_state *state);
/// Ends the program likewise for rules that cannot be; NULL: they can.
void argument_fault(const char *fault);

#endif
