/// What `weir fabric` says of a run, to people and to programs.
#ifndef WEIR_SIM_FABRIC_REPORT_H
#define WEIR_SIM_FABRIC_REPORT_H

#include <stdio.h>

#include "sim/fabric/fabric_options.h"

struct fabric_report {
  const struct fabric_options *options;
  const struct fabric_result *result;
  double seconds;      ///< of the machine's clock
  const char *again;   ///< command that repeats the run
};

void fabric_report_text(FILE *file, const struct fabric_report *r);
/// 0, or -1 with errno.
int fabric_report_json(FILE *file, const struct fabric_report *r);
int fabric_report_page(FILE *file, const struct fabric_report *r);
/// A part of it (fabric_map.c): the network, drawn, with the load of its cables.
void fabric_report_map(FILE *file, const struct fabric_report *r);

#endif
