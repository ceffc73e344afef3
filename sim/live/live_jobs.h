/// The jobs of a run of `weir live`: what weir_perf is told to do, and what is broken meanwhile.
#ifndef WEIR_SIM_LIVE_JOBS_H
#define WEIR_SIM_LIVE_JOBS_H

#include "sim/live/live_run.h"

/// The options of weir_perf, in at most `size` bytes.
void live_jobs_text(const struct live_options *o, unsigned repeats, char *text, size_t size);
/// All jobs, then what the drivers have counted. What is wrong is noted.
void live_jobs_do(struct live_run *r);

#endif
