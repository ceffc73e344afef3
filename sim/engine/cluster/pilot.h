/// The round trip of hosts around the device, and cables that make it as long as it is to be.
#ifndef WEIR_SIM_PILOT_H
#define WEIR_SIM_PILOT_H

#include <stddef.h>

#include "sim/engine/cluster/cluster.h"

/// How long one packet takes from its start at a host to its result at the next host, on an otherwise idle network without faults
/// and with a device that knows the connections; microseconds. A negative value and one line in `error` if it does not come
/// through.
double pilot_round_trip(const struct cluster_options *options, char *error, size_t size);

/// Makes the cables so long that this is `rtt_us`. 0, or -1 and one line in `error` if it takes longer with cables of no length.
int pilot_set_cables(struct cluster_options *options, double rtt_us, char *error, size_t size);

/// How long a ring all-reduce of the same tensor takes on the same cables without any device: scatter and gather in 2 (P - 1) steps, each
/// message passed on as soon as it is here, by hosts that add in no time; without faults, microseconds. Only with a topology. A negative value
/// and one line in `error` if it does not come to its end.
double pilot_plain_ring(const struct cluster_options *options, char *error, size_t size);

#endif
