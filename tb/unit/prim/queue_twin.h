/// The twin of every valid/ready queue of rtl/prim: a list of entries with the cycles in which they were taken.
#ifndef WEIR_UNIT_QUEUE_TWIN_H
#define WEIR_UNIT_QUEUE_TWIN_H

#include <stdbool.h>

#include "drive/dut.h"

/// What a queue promises. `tag` is behind the names of its ports: "[2]" for the third of an array of queues, else "".
struct queue_promise {
  const char *tag;
  unsigned places;    ///< takes while fewer entries are inside
  unsigned latency;   ///< cycles after which an entry is shown when nothing is in front of it
  unsigned soonest;   ///< it may be shown after so many, and is if the queue was empty; 0: as `latency`
  bool counts;        ///< it has a port count_o
};

/// Runs the queue with all mixes of gaps and stalls (none, random, long) and holds every port to the twin in every cycle:
/// in_ready_o, out_valid_o, out_o, count_o. So an entry that is lost, twice, late, early or out of turn fails the running
/// test. Ends each run with the queue empty. The module has been reset, and its input in_valid_i is low.
void queue_check(struct dut *d, const struct queue_promise *promise);

#endif
