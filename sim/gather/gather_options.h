/// What the user asked `weir gather` for.
#ifndef WEIR_SIM_GATHER_OPTIONS_H
#define WEIR_SIM_GATHER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drive/gather/gather_config.h"
#include "sim/gather/gather_run.h"
#include "sim/cli/options.h"
#include "sim/cli/usage.h"

struct gather_options {
  struct gather_run_options run;   ///< `matrix` and `writer` are left to the caller
  const char *file;                ///< Matrix Market, or NULL
  bool generate;
  struct matrix_made made;   ///< but for the seed
  const char *out, *json, *report, *wave;
  const struct gather_config *tor;       ///< what ToRs are Verilated as; NULL: models
  const struct gather_nic_config *nic;   ///< and NICs, of as many nodes as the fabric's `devices`
  bool rtl_switch, rtl_nic;
  unsigned rtl, without;   ///< of --rtl and --without
  bool rtl_given;
  unsigned virtual_queues;   ///< 1: NICs and pipes have them
  unsigned cache_uplinks;    ///< 1: responses from other racks only
  unsigned partition;        ///< 1: scatter
  uint32_t pieces, expiry;   ///< of NICs and pipes
  size_t mtu, upper;
  double cable_ns, switch_ns, memory_ns;
  double pcie, filter;   ///< GB/s
  bool seed_given;
  bool dies, deaf;    ///< a node does, a node is
  uint32_t buffers;   ///< KiB
  unsigned classes;
};

/// What of a run is RTL, in words.
static inline const char *gather_options_rtl(const struct gather_options *o) {
  if (o->nic == NULL) return o->tor != NULL ? "ToRs of RTL" : "all models";
  return o->tor != NULL ? "ToRs and NICs of RTL" : "NICs of RTL";
}

extern const struct command_line gather_command_line;

/// Says in one line on stderr why the program cannot do it. COMMAND_UNUSABLE.
#define gather_refuse(...) usage_refuse("weir gather", __VA_ARGS__)

/// Reads the command line and checks every value, as options_parse has it, and what must fit together.
int gather_options_parse(int argc, char **argv, struct gather_options *options);

#endif
