/// What came of a run of `weir live --tree`, for people and for programs.
#ifndef WEIR_SIM_LIVE_TREE_REPORT_H
#define WEIR_SIM_LIVE_TREE_REPORT_H

#include <stdio.h>

#include "sim/live/live_run.h"
#include "sim/live/tree/live_tree_net.h"

struct live_tree_report {
  const struct live_run *run;
  const struct live_tree_net *net;
  double seconds;
  const char *again;
};

void live_tree_report_print(FILE *file, const struct live_tree_report *report);
/// `report` is a struct live_tree_report. 0, or -1 if the file could not be written.
int live_tree_report_json(FILE *file, const void *report);

#endif
