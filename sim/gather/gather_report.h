/// What a gather came to, for people and for programs.
#ifndef WEIR_SIM_GATHER_REPORT_H
#define WEIR_SIM_GATHER_REPORT_H

#include <stdio.h>

#include "sim/gather/gather_options.h"
#include "sim/gather/gather_run.h"

struct gather_report {
  const struct gather_options *options;
  const struct matrix *matrix;
  const struct gather_result *result;
  double seconds;      ///< that it took on this machine
  const char *again;   ///< command that repeats the run
};

/// Ratios that people compare. 0 if there is nothing to divide by.
struct gather_ratios {
  double prs_per_packet;   ///< of packets that nodes received
  double hit_rate;
  double filter_rate;                  ///< filtered and coalesced, of all that was wanted
  double header_share;                 ///< of all bytes on cables
  double goodput;                      ///< properties that the tail node received, of what its cable carries in the time
  double utilisation;                  ///< all that the tail node received, likewise
  double less_than_su, less_than_sa;   ///< times less on all cables
  double tail_less_than_su;            ///< times less into the tail node (NetSparse Table 7)
  double last_filter_rate, last_prs_per_packet, last_hit_rate, last_goodput, last_utilisation, last_less_than_su,
      last_less_than_software;   ///< the same of the node that is the last to have all; its look-ups are those in its own rack
  double asked_hit_rate;         ///< of look-ups in racks of those who ask
  double speedup_su;             ///< time of all-to-all at line rate without headers, over that of this run
  double redundant_su, redundant_sa;   ///< properties sent too many, for each that is needed (NetSparse Table 1)
};
struct gather_ratios gather_report_ratios(const struct gather_report *report);

/// A table and a verdict.
void gather_report_print(FILE *file, const struct gather_report *report);
/// One JSON object. 0, or -1 if the file could not be written.
int gather_report_json(FILE *file, const struct gather_report *report);
/// A page with pictures. 0, or -1 if the file could not be written.
int gather_report_page(FILE *file, const struct gather_report *report);

#endif
