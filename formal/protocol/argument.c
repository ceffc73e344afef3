#include "formal/protocol/argument.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned argument_number(const char *text, struct argp_state *state) {
  char *end;
  const unsigned long value = strtoul(text, &end, 10);
  if (*text < '0' || *text > '9' || *end != '\0' || value > 100000000)
    argp_failure(state, 2, 0, "%s: not a number of use here", text);
  return (unsigned)value;
}

unsigned argument_choice(const char *const names[], const char *text, struct argp_state *state) {
  for (unsigned i = 0; names[i] != NULL; i++) {
    if (strcmp(names[i], text) == 0) return i;
  }
  argp_failure(state, 2, 0, "%s: no such rule, see --help", text);
  return 0;
}

void argument_fault(const char *fault) {
  if (fault == NULL) return;
  fprintf(stderr, "protocol: %s\n", fault);
  exit(2);
}
