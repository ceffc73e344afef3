/// The files that a run writes: what hosts receive, a summary, a page, waves, figures. All of them appear, complete, or
/// none (base/target.h).
#ifndef WEIR_SIM_OUTPUTS_H
#define WEIR_SIM_OUTPUTS_H

#include <stdbool.h>
#include <stdio.h>

#include "wire/capture.h"

/// The caller sets the first two lines: the command, for messages, and paths as the user named them, NULL for what
/// nobody asked for.
struct outputs {
  const char *command;
  const char *out, *json, *report, *wave, *csv;
  struct capture_writer *writer;   ///< of `out` while it is open, else NULL
  struct target *json_target, *report_target, *wave_target, *csv_target;
};

/// Writes one form of a report. 0, or -1 with errno.
typedef int outputs_writer(FILE *file, const void *report);

/// Opens all of them, so that nothing can be found wrong with one later; `interfaces` of the capture. 0, or
/// COMMAND_UNUSABLE after one line on stderr; outputs_close is due in both cases.
int outputs_open(struct outputs *o, unsigned interfaces);
/// Where a device is to write its waves until outputs_close; NULL for nowhere.
const char *outputs_wave(const struct outputs *o);
/// Where figures are to be written until then; NULL for nowhere.
const char *outputs_csv(const struct outputs *o);
/// Writes summary and page, as far as they are asked for. 0, or COMMAND_UNUSABLE after one line on stderr.
int outputs_write(const struct outputs *o, outputs_writer *json, outputs_writer *page, const void *report);
/// Gives everything that was written its name, or throws it all away. 0, or COMMAND_UNUSABLE after one line on stderr,
/// and then nothing has got its name. Nothing is open behind it; a second call does nothing.
int outputs_close(struct outputs *o, bool keep);

#endif
