/// What the user asked `weir replay` for.
#ifndef WEIR_SIM_REPLAY_OPTIONS_H
#define WEIR_SIM_REPLAY_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/engine/pace.h"
#include "sim/replay/plan.h"
#include "sim/cli/options.h"
#include "sim/cli/usage.h"

enum replay_device { REPLAY_AGGREGATOR, REPLAY_UPLINK };

struct replay_options {
  const char *input, *out, *json, *report, *wave;
  struct plan_options plan;
  enum pace_kind pace;
  double stall;   ///< probability, 0 to 0.999
  uint64_t seed;
  size_t limit;   ///< frames; 0 for all
  bool seed_given;
  enum replay_device device;
  uint64_t flowlets;   ///< cycles, 0: each flow by its hash
  bool cut;
};

extern const struct command_line replay_command_line;

/// Says in one line on stderr why the program cannot do it. COMMAND_UNUSABLE.
#define replay_refuse(...) usage_refuse("weir replay", __VA_ARGS__)

/// Reads the command line and checks every value, as options_parse has it.
int replay_parse(int argc, char **argv, struct replay_options *options);

#endif
