#include "sim/cli/life.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/target.h"
#include "sim/cli/options.h"
#include "sim/cli/usage.h"

/// Calls between two looks at the clock, and time between two lines.
enum { LOOK_EVERY = 1024 };
#define LINE_NS UINT64_C(250000000)

void life_begin(struct life *l, const char *command, int argc, char **argv, const uint64_t *seed) {
  stop_catch(target_remove_all);
  l->command = l->outputs.command = command;
  l->again = usage_again(command, argc, argv, seed);
  l->terminal = isatty(STDERR_FILENO) == 1;
}

bool life_due(struct life *l) {
  if (!l->terminal || ++l->calls % LOOK_EVERY != 0) return false;
  const uint64_t now = clock_monotonic_ns();
  if (now - l->looked_ns < LINE_NS) return false;
  l->looked_ns = now;
  return true;
}

void life_reached(struct life *l, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(l->reached, sizeof l->reached, format, arguments);
  va_end(arguments);
  if (!l->terminal) return;
  fprintf(stderr, "\r%s \033[K", l->reached);
  l->shown = true;
}

void life_quiet(struct life *l) {
  if (l->shown) fprintf(stderr, "\r\033[K");
  l->shown = false;
}

int life_finish(struct life *l, int code) {
  if (stop_asked() != 0) return code;
  const int closed = outputs_close(&l->outputs, code != COMMAND_UNUSABLE);
  l->finished = true;
  return closed != 0 ? closed : code;
}

int life_end(struct life *l, int code) {
  life_quiet(l);
  outputs_close(&l->outputs, false);
  free(l->again);
  l->again = NULL;
  if (l->finished || stop_asked() == 0) return code;
  fprintf(stderr, "%s: interrupted%s%s; nothing is written\n", l->command, *l->reached != 0 ? " after " : "", l->reached);
  fflush(stdout);
  stop_end();
  return code;
}
