/// The options of `weir tree`.
#ifndef WEIR_SIM_TREE_OPTIONS_H
#define WEIR_SIM_TREE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/cli/options.h"
#include "sim/cli/usage.h"
#include "sim/engine/tree/topology.h"
#include "sim/engine/collective/tree_run.h"

struct tree_options {
  struct tree_run_options run;
  const char *shape;     ///< of --topology
  const char *devices;   ///< of --devices
  bool is_device[TOPOLOGY_MAX_NODES];
  struct topology topology;
  unsigned operation, type, reduction, mode, partition;   ///< of their options
  const char *size;
  uint32_t size_to;   ///< largest of several sizes; 0: there is one
  const char *lock;
  const char *kill_host, *kill_link, *lose_memory, *wrong;
  double cable_ns, node_ns, timeout_us, patience_us;
  const char *out, *json, *report;
  bool seed_given, size_given;
};

extern const struct command_line tree_command_line;

/// What --op says.
const char *tree_options_operation(const struct tree_options *options);
/// Says in one line on stderr why the program cannot do it. COMMAND_UNUSABLE.
#define tree_refuse(...) usage_refuse("weir tree", __VA_ARGS__)

/// Reads the command line and checks every value, as options_parse has it, and what must fit together.
int tree_options_parse(int argc, char **argv, struct tree_options *options);

enum { TREE_EVENT = 16 };
/// "WHO@MICROSECONDS": splits it. False if it is none.
bool tree_options_event(const char *text, char who[TREE_EVENT], uint64_t *when_ps);

/// Reads --wrong, when all else is known, and checks whether somebody could notice it. 0, or COMMAND_UNUSABLE after a line on stderr.
int tree_options_check_wrong(struct tree_options *options);

/// Reads --devices into `is_device`, when the topology is known, and checks what devices cannot be. 0, or COMMAND_UNUSABLE after a line on stderr.
int tree_options_check_devices(struct tree_options *options);

/// The size of several behind this one: twice as much, or the largest. 0 behind that.
uint32_t tree_options_next(const struct tree_options *options, uint32_t size);
/// Sets a size, and what follows from it. 0, or COMMAND_UNUSABLE after a line on stderr.
int tree_options_resize(struct tree_options *options, uint32_t size);

#endif
