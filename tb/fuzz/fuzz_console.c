// Any bytes on the console of a guest: lines are put together as they come, and what is read in them is within its bounds.
#include <string.h>

#include "fuzz/fuzz.h"
#include "sim/live/live_said.h"

static void check(const char *line) {
  struct live_said s;
  fuzz_must(strlen(line) < LIVE_LINE, "a line has its bounds");
  live_said_read(line, &s);
  fuzz_must(s.what == LIVE_SAID_NOTHING || strncmp(line, "@weir ", 6) == 0, "what does not begin with the mark is nothing");
  fuzz_must((s.what == LIVE_SAID_COUNTERS) == (s.counters != NULL), "counters are there");
  fuzz_must(s.code >= 0 && s.code <= 255, "an exit code has 8 bits");
  fuzz_must(s.result.us >= 0 && s.result.ring <= 0xFFFF, "a result is one");
  fuzz_must(strlen(s.text) < LIVE_LINE, "a text has its bounds");
  if (*s.text != 0) fuzz_is_text(s.text);
  json_decref(s.counters);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct live_line line;
  memset(&line, 0, sizeof line);
  for (size_t i = 0; i < size; i++) {
    if (!live_line_add(&line, (char)data[i])) continue;
    check(line.text);
    if (*line.last != 0) fuzz_is_text(line.last);
  }
  return 0;
}
