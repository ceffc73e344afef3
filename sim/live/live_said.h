/// What a guest says on its console: lines that begin with "@weir" (host/guest_init.sh, host/perf.c). Nothing in them is trusted.
#ifndef WEIR_SIM_LIVE_SAID_H
#define WEIR_SIM_LIVE_SAID_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LIVE_LINE = 1024 };

/// A line of a console as it comes, byte by byte.
struct live_line {
  char text[LIVE_LINE];   ///< what came so far, cut off if it is longer
  size_t used;
  char last[LIVE_LINE];   ///< the last line that was whole and not empty, to be shown; a panic stays
};
/// Takes a byte. True if it has ended a line, which is in `text` until the next one comes.
bool live_line_add(struct live_line *line, char c);

enum live_saying {
  LIVE_SAID_NOTHING,      ///< a line that is not for us
  LIVE_SAID_UP,           ///< it has booted; `text` is its kernel's version
  LIVE_SAID_EXIT,         ///< a command is done, with `code`
  LIVE_SAID_RESULT,       ///< one size is done: `result`
  LIVE_SAID_COUNTERS,     ///< `counters` of the driver, an object
  LIVE_SAID_PASSED,       ///< a program that is not ours ran well
  LIVE_SAID_ALLREDUCE,    ///< somebody at its console wants one, with the options in `text`
  LIVE_SAID_ENDS,         ///< its ends of the connections with a tree: `ends`
  LIVE_SAID_DONE,         ///< its program has had all answers, and waits until it may leave
  LIVE_SAID_ERROR,        ///< what its program complains of is `text`
  LIVE_SAID_UNREADABLE,   ///< one of those, but not as it has to be; the line is `text`
};

/// One size on one host and ring, as weir_perf told it.
struct live_result {
  unsigned host, ring;   ///< the host is for the caller to set
  size_t bytes, wrong;
  double us;
  bool device;           ///< the device reduced, not the hosts
  uint64_t multicasts;   ///< so many answers of nodes came by multicast first
};

/// A host's ends of its two connections with the node above (host/weir/tree.h).
struct live_ends {
  uint32_t low_qpn, low_psn, sat_qpn, sat_psn;
};

struct live_said {
  enum live_saying what;
  int code;   ///< 0 to 255
  struct live_result result;
  struct live_ends ends;
  json_t *counters;       ///< a reference of the caller's
  char text[LIVE_LINE];   ///< what is no printable ASCII is '?'
};

/// Reads a line of a console.
void live_said_read(const char *line, struct live_said *said);

#endif
