/// What a capture knows of cause and effect: a rank sends message m when result m - N has come (NetReduce 3.2), so a replay that
/// is faster than the hosts were must not let the one overtake the other. Without that a newer message would take the slot of a
/// column whose results are still due.
///
/// Of most other frames at different ports, what the device makes of the one does not depend on the other: neither of frames that it
/// passes or drops for what they are, nor of the first packets of each rank in a column. The rest keep their turn in the capture.
#ifndef WEIR_SIM_ORDER_H
#define WEIR_SIM_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drive/config.h"
#include "sim/engine/trace.h"

/// Whom a frame may not overtake, and who may not overtake it. Frames of one port always keep their order.
enum order_turn {
  ORDER_PORT,     ///< nobody at another port
  ORDER_BEGINS,   ///< it begins a connection: others that do, for the device has room for so many
  ORDER_ALL   ///< anybody: it repeats or contradicts another packet, is late or early in its ring, claims another one's rank, comes
              ///< by another port than its connection did before, or tells the switch around the device where its sender is
};

/// For each frame of a trace, how many frames from the first on must have had all their effect, results included, before it may
/// start: 0 for most; `after[i]` is at most i. And whose turn is in the way, an enum order_turn.
struct order {
  uint32_t *after;
  uint8_t *turn;
};

/// Looks at frames and rings only. `any_icrc`: the device does not look at ICRCs. The caller frees it with order_free. Aborts if the
/// host runs out of memory.
void order_make(const struct trace *trace, const struct drive_ring *rings, size_t ring_count, bool any_icrc, struct order *out);
void order_free(struct order *order);

#endif
