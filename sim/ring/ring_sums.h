/// What all hosts, rings and ports of a run came to together, and each job by itself.
#ifndef WEIR_SIM_RING_SUMS_H
#define WEIR_SIM_RING_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "sim/report/report.h"
#include "sim/ring/ring_report.h"
#include "wire/fate.h"

/// Sums over all hosts, rings and ports.
struct ring_sums {
  uint64_t elapsed_ps;   ///< until the last result was in and acknowledged
  double goodput[2];     ///< Gb/s of reduced tensor a host: of the slowest and the fastest
  unsigned hosts;        ///< that are in a ring
  size_t done, seats;
  struct requester_counts sent;
  struct responder_counts received;
  uint64_t frames_in, results, passed, fates[FATE_COUNT];
  struct report_latency latency;
  struct fabric_counts fabric;
};

struct ring_sums ring_sum_up(const struct ring_report *report);

/// One job.
struct ring_job {
  size_t done;        ///< of its ranks
  uint64_t done_ps;   ///< when the last of these was
  double goodput;     ///< Gb/s of reduced tensor a host, of the slowest; 0 if a rank is not done
  struct requester_counts sent;
  struct responder_counts received;
};
struct ring_job ring_job_of(const struct ring_report *report, unsigned ring);

#endif
