/// A run of `weir live`: guests from boot to power-off, the jobs they do, and what they said of them.
#ifndef WEIR_SIM_LIVE_RUN_H
#define WEIR_SIM_LIVE_RUN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/cli/life.h"
#include "sim/live/live_guest.h"
#include "sim/live/live_net.h"
#include "sim/live/live_options.h"
#include "sim/live/live_said.h"
#include "sim/live/live_wires.h"

/// How a host's program ends a job in which the device was restarted or flushed: with the sums; with a result refused, which may have been one rank's numbers;
/// with another error.
enum { LIVE_END_DONE, LIVE_END_REFUSED, LIVE_END_FAILED, LIVE_ENDS };

enum { LIVE_TEXTS = 8, LIVE_TEXT = 240, LIVE_RESULTS = 1024 };

/// An error, so many seconds after what was its cause; in some of them the simulated device was at work.
struct live_lateness {
  double after, busy;
};

/// What is known of a host.
struct live_host {
  unsigned exits;          ///< commands it has finished
  int code;                ///< of the latest
  char error[LIVE_LINE];   ///< what its program said
  unsigned error_of;       ///< exits when it said that
  double failed_after;     ///< seconds from the kill, or the device's restart or flush, to its error; 0: none
  double failed_busy;      ///< of these, seconds in which the simulated device was at work
  json_t *counters;        ///< of the driver
  struct live_ends ends;   ///< of its connections with a tree
  unsigned ends_told;      ///< so often
  unsigned done;           ///< so often its program has said that all its operations are over
};

struct live_run {
  const struct live_options *options;
  struct life *life;   ///< of the command
  struct live_guest guests[LIVE_MAX_HOSTS];
  struct live_host hosts[LIVE_MAX_HOSTS];
  struct live_wires wires;
  struct live_net *net;   ///< the device; NULL: a tree
  struct live_result results[LIVE_RESULTS];
  size_t result_count;
  unsigned passed;        ///< programs that are not ours and ran well
  double boot_s, job_s;   ///< until all guests were up; all jobs
  double broken_at;   ///< seconds (clock_seconds) when a host was killed, or the device restarted or flushed; 0: none of these
  double busy_s, busy_before;   ///< in which the simulated device was at work: so far, and until then
  uint64_t forget_at;           ///< the device is restarted or flushed when it has sent so many results; 0: not in this job
  unsigned restarts, flushes;   ///< done
  struct live_lateness last;    ///< of those jobs, whose error came last
  unsigned ended[LIVE_ENDS];    ///< how hosts' programs ended in those jobs
  size_t results_before;        ///< of result_count: of jobs in which something was broken
  char kernel[64];
  bool over;     ///< the user ended it
  bool speaks;   ///< what guests say is their program's, and shown
  size_t mismatches, text_count;
  char texts[LIVE_TEXTS][LIVE_TEXT];
  const char *accel;
};

/// Notes something wrong.
void live_run_report(struct live_run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// Boots guests. 0, or COMMAND_UNUSABLE after one line on stderr if they cannot be run.
int live_run_boot(struct live_run *r);
/// All of it: boots guests, lets them do their jobs, ends them. What is wrong with a job is noted. 0, or COMMAND_UNUSABLE after one line on
/// stderr if guests cannot be run, or a signal came. live_run_stop is due in both cases.
int live_run_all(struct live_run *r);
/// One round of everything. True if the run may go on: no signal, and the device does as the model has it.
bool live_run_turn(struct live_run *r, bool with_input);
/// So many commands are finished on the first `hosts` hosts.
bool live_run_exited(const struct live_run *r, unsigned hosts, unsigned exits);
/// A guest that ended before anybody asked it to; LIVE_NOBODY if there is none.
unsigned live_run_ended(struct live_run *r);
/// Kills what still runs.
void live_run_stop(struct live_run *r);
/// Seconds within which hosts must have noticed that one is gone: (6 + 1) * 0.54 s by their queue pairs, or 10 s if they waited for it to begin;
/// and some for slow machines. Those in which the simulated device was at work do not count: before each time-out of a queue pair its whole
/// window goes through the device once more, which takes seconds where that is 64 packets of 4096 bytes a host and others use the machine.
enum { LIVE_ERROR_SECONDS = 15 };
/// A host was killed, or the device restarted or flushed.
void live_run_break(struct live_run *r);
/// A host's error came later than that.
bool live_run_late(const struct live_host *h);

#endif
