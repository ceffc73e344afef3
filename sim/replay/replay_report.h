/// What a replay found, for people and for programs.
#ifndef WEIR_SIM_REPLAY_REPORT_H
#define WEIR_SIM_REPLAY_REPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/engine/history.h"
#include "sim/engine/undecided.h"
#include "sim/replay/plan.h"
#include "sim/report/report.h"
#include "wire/fate.h"

struct replay_report {
  const struct plan *plan;
  uint64_t seed;
  uint64_t frames_in;     ///< that went into the device
  uint64_t frames_cut;    ///< left out because the capture does not hold all of their bytes
  uint64_t frames_out;    ///< that left the device, before the switch copies any
  uint64_t results;       ///< of these, reduced ones
  uint64_t unforwarded;   ///< of these, without Ethernet header
  struct undecided undecided;
  uint64_t fates[FATE_COUNT];      ///< of the frames in
  uint64_t cycles;                 ///< from the first frame until nothing moved any more
  double seconds;                  ///< that this took on the host
  double bench_share;              ///< of `seconds`: outside of the Verilated device; checks with a thread of their own take none
  struct report_latency latency;   ///< last beat in of what completes a column, to first beat out of its first results
  size_t mismatches;
  const char *const *texts;   ///< of the first mismatches
  size_t text_count;
  const char *again;               ///< command that repeats the run
  const char *input;               ///< capture, for the page
  const struct history *history;   ///< finished, for the page
};

/// A table and a verdict.
void replay_report_print(FILE *file, const struct replay_report *report);
/// The summary as one JSON object. 0, or -1 if the file could not be written.
int replay_report_json(FILE *file, const struct replay_report *report);
/// The page of sim/report/page.h, with the same verdict and numbers. 0, or -1 if the file could not be written.
int replay_report_page(FILE *file, const struct replay_report *report);

#endif
