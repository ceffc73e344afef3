/// `weir replay --device uplink`: a capture through the Verilated uplink device, in lock step with its golden model.
#ifndef WEIR_SIM_UPLINK_REPLAY_H
#define WEIR_SIM_UPLINK_REPLAY_H

#include "sim/replay/replay_options.h"

/// Runs it as `argc` and `argv`, which were read into `options`, ask. Returns the exit code.
int uplink_replay(int argc, char **argv, const struct replay_options *options);

#endif
