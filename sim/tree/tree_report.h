/// What a run of `weir tree` says: to people, and as JSON.
#ifndef WEIR_SIM_TREE_REPORT_H
#define WEIR_SIM_TREE_REPORT_H

#include <stdio.h>

#include "sim/tree/tree_options.h"

struct tree_report_of {
  const struct tree_options *options;
  const struct tree_run *run;
  const struct tree_result *result;
  double seconds;      ///< that it took
  const char *again;   ///< the command line once more
};

/// Bytes of a vector over the mean time of an operation, in Gb/s.
double tree_report_gbps(const struct tree_report_of *r);
/// Two lines: the tree, and what is done.
void tree_report_setting(FILE *file, const struct tree_report_of *r);
void tree_run_report(FILE *file, const struct tree_report_of *r);
/// 0, or -1 with errno.
int tree_run_json(FILE *file, const struct tree_report_of *r);

#endif
