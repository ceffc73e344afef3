/// What a closed-loop run came to, for people and for programs.
#ifndef WEIR_SIM_RING_REPORT_H
#define WEIR_SIM_RING_REPORT_H

#include <stddef.h>
#include <stdio.h>

#include "sim/engine/cluster/cluster.h"
#include "sim/report/report.h"
#include "sim/ring/ring_options.h"

struct ring_report {
  const struct ring_options *options;
  struct cluster *cluster;   ///< after cluster_finish
  double rtt_us;             ///< of one packet on an idle network; 0: not measured
  double plain_us;           ///< time of a ring all-reduce without devices; 0: not measured
  double seconds;            ///< that the run took on this machine
  size_t mismatches;
  const char *again;   ///< command that repeats the run
};

/// A table and a verdict.
void ring_report_print(FILE *file, const struct ring_report *report);
/// The same as one JSON object. 0, or -1 if the file could not be written.
int ring_report_json(FILE *file, const struct ring_report *report);
/// The page of sim/report/page.h, if the cluster had a history. 0, or -1 if the file could not be written.
int ring_report_page(FILE *file, const struct ring_report *report);

#endif
