/// What came of a run of `weir live`, for people, for programs, and as a page.
#ifndef WEIR_SIM_LIVE_REPORT_H
#define WEIR_SIM_LIVE_REPORT_H

#include <stdio.h>

#include "sim/engine/history.h"
#include "sim/live/live_run.h"

struct live_report {
  const struct live_run *run;
  size_t mismatches;   ///< of the run and of the device together
  double seconds;
  const char *again;
  const struct history *history;   ///< for the page
};

void live_report_print(FILE *file, const struct live_report *report);
/// 0, or -1 if the file could not be written.
int live_report_json(FILE *file, const struct live_report *report);
int live_report_page(FILE *file, const struct live_report *report);

#endif
