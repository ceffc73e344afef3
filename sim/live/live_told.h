/// What guests of `weir live` told of their jobs and of their drivers, for people and for programs.
#ifndef WEIR_SIM_LIVE_TOLD_H
#define WEIR_SIM_LIVE_TOLD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/live/live_hosts.h"
#include "sim/live/live_run.h"

/// The line of what guests are.
void live_told_guests(FILE *file, const struct live_run *run);
/// Seconds until the last of the others knew that a host was killed.
double live_told_longest(const struct live_run *run);
/// What was wrong, a line each.
void live_told_faults(FILE *file, const struct live_run *run);
/// One line a size and ring; times are those of the slowest host.
void live_told_results(FILE *file, const struct live_run *run);
void live_told_drivers(FILE *file, const struct live_run *run, const struct live_net_counts *counts);
json_t *live_told_results_json(const struct live_run *run);
json_t *live_told_hosts_json(const struct live_run *run, const struct live_net_counts *counts);

/// RoCEv2 frames that a host was given and that its driver did not take: it counts what it takes, not what it refuses, for a wrong ICRC before
/// all. Negative for more than there were.
int64_t live_told_refused(const struct live_run *run, const struct live_net_counts *counts, unsigned host);
/// Whether a counter of the driver says that something went wrong which loss on the way does not explain.
bool live_told_is_error(const char *counter);

#endif
