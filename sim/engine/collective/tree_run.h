/// One run of collectives over aggregation trees, and all that is looked at in it.
#ifndef WEIR_SIM_TREE_RUN_H
#define WEIR_SIM_TREE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/findings.h"
#include "sim/engine/collective/tree_jobs.h"
#include "sim/engine/collective/tree_net.h"

struct tree_run_options {
  struct tree_net_options network;   ///< `watch` and `moved` are the run's
  struct tree_jobs_options jobs;
};

/// Sums over all connections, but for the first line.
struct tree_totals {
  uint64_t most_up, most_down;   ///< bytes of payload that the busiest cable carried, each counted once
  uint64_t up, down;             ///< the same, of all
  uint64_t packets, repeats, limited, timeouts, naks, rnrs, duplicates;
  uint64_t lost, doubled, overtaken, damaged;   ///< by cables
  uint64_t hostile;                             ///< frames of somebody else
  uint64_t flipped, corrected,
      spoilt;               ///< bits of devices' memories; cycles with reads in which they were corrected, and were not
  uint64_t casts, copies;   ///< results that hosts took from a multicast, and reliable copies of them
};

struct tree_result {
  struct tree_jobs_result jobs;
  struct tree_node_counts nodes;   ///< summed
  struct tree_totals totals;
  uint64_t longest_ps;             ///< the longest operation of a host
  uint64_t silence_ps, bound_ps;   ///< the longest time in which nothing of one moved at its host; what that may not exceed
  unsigned devices;                ///< nodes that are RTL
  uint64_t devices_compared;       ///< messages and streaming packets that left these, each as the model's
  uint64_t devices_cycles;         ///< that they were clocked
  uint64_t cables_checked;         ///< directions whose messages and bytes are what they must be
  uint64_t denied;                 ///< answers "denied" to what is not a host's operation, or not any more
  bool faulty;                     ///< a host or a cable was taken away: verdicts other than ok are right
  uint64_t events, hash;           ///< of the world (sim/engine/world/world.h)
  struct findings findings;        ///< checks that failed
};

struct tree_run;

/// NULL and a line in `error` if a device cannot be built or set up. The options must outlive it. The processes of a run (sim/engine/world/ranks.h)
/// share it: all call these functions alike.
struct tree_run *tree_run_open(const struct tree_run_options *options, char *error, size_t size);
void tree_run_close(struct tree_run *r);
/// Goes on for a while. False when all hosts have ended and all is quiet, or nothing will ever happen, or a signal asks any process to stop
/// (base/stop.h).
bool tree_run_step(struct tree_run *r);
/// Its hosts and nodes, which a carrier's parts are to know.
struct tree_net *tree_run_net(const struct tree_run *r);
uint64_t tree_run_now(const struct tree_run *r);
/// Of this process.
unsigned tree_run_open_hosts(const struct tree_run *r);
/// Compares, and sums up, over all processes. The result is owned by the run.
const struct tree_result *tree_run_finish(struct tree_run *r);
const struct tree_jobs_host *tree_run_host(const struct tree_run *r, unsigned host);

/// Bytes of messages that a direction of a cable carried, each once, as this process saw it.
uint64_t tree_run_cable(const struct tree_run *r, size_t cable, bool up);

#endif
