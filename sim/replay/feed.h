/// Feeds a capture into the device at a pace, and what leaves the device through the commodity switch into a capture.
#ifndef WEIR_SIM_FEED_H
#define WEIR_SIM_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/cli/life.h"
#include "sim/engine/bench.h"
#include "sim/replay/order.h"
#include "sim/engine/pace.h"
#include "hosts/mac_switch.h"
#include "sim/engine/trace.h"
#include "wire/capture.h"

/// What goes on during a run. The caller fills the first part; the rest starts as zero.
struct feed {
  const struct trace *trace;
  const struct order *order;   ///< of the same trace
  enum pace_kind pace;
  uint64_t limit;                  ///< cycles without any movement after which a run has failed
  struct mac_switch *fabric;       ///< around the device
  struct capture_writer *writer;   ///< of what each host receives, or NULL
  struct life *life;               ///< is told how far it is

  uint64_t frames_in, frames_out, unforwarded, empty;
  uint64_t first_cycle, last_cycle;   ///< of the first frame, and of the end
  double seconds;                     ///< on the host, from the first to the last cycle
  uint64_t moved;                     ///< cycle in which a frame last started or left
  size_t over;                        ///< so many frames from the first on have had all their effect
};

/// bench_options.out for a struct feed as user: a frame left the device.
void feed_out(void *user, unsigned port, const uint8_t *frame, size_t len, uint64_t first_cycle, uint64_t last_cycle);

/// Sends all frames and waits until the device is quiet. Frames start in the order of the capture, with PACE_ASAP over all ports
/// only where it may matter (order.h), and none overtakes a result that its sender had to wait for. Returns true
/// if everything went in; otherwise the device hangs (what bench_settle reports) or a signal asks to stop.
bool feed_run(struct feed *feed, struct bench *bench);

#endif
