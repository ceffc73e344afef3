/// What a capture knows of cause and effect: a rank sends message m when result m - N has come (NetReduce 3.2), so a replay that
/// is faster than the hosts were must not let the one overtake the other. Without that a newer message would take the slot of a
/// column whose results are still due.
#ifndef WEIR_SIM_ORDER_H
#define WEIR_SIM_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "drive/config.h"
#include "sim/engine/trace.h"

/// For each frame of a trace, how many frames from the first on must have had all their effect, results included, before it may
/// start: 0 for most. `after[i]` is at most i.
struct order {
  uint32_t *after;
};

/// Looks at frames and rings only. The caller frees it with order_free. Aborts if the host runs out of memory.
void order_make(const struct trace *trace, const struct drive_ring *rings, size_t ring_count, struct order *out);
void order_free(struct order *order);

#endif
