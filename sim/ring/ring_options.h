/// What the user asked `weir ring` for.
#ifndef WEIR_SIM_RING_OPTIONS_H
#define WEIR_SIM_RING_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/engine/cluster/cluster.h"
#include "sim/engine/tree/topology.h"
#include "sim/cli/options.h"
#include "sim/cli/usage.h"

struct ring_options {
  struct cluster_options cluster;   ///< `config` and `writer` are left to the caller, `cable_ps` too if `rtt_us` is given
  const char *out, *json, *report, *wave, *config;
  double rtt_us;   ///< 0: not given
  bool seed_given, hosts_given, rings_given;
  unsigned hosts, rings;   ///< what --jobs does not say otherwise
  const char *jobs;        ///< of --jobs, NULL: every host is in every ring, rank = host
  struct job standard;     ///< what a job has that does not say it
  const char *tree;        ///< of --topology, NULL: one device
  bool devices_given;
  unsigned type, op;           ///< of `standard`
  unsigned hops;               ///< on which `faults` happen, a bit each; 0: all
  struct link_faults faults;   ///< of each of these
  const char *pause_port;      ///< of --pause-port, NULL: none
  unsigned epoch;
  double timeout_us, ack_delay_us, rnr, reboot_us, down_us;   ///< what the cluster has in other units
  bool plain_ring;            ///< the same tensor by a ring all-reduce that no device helps, for its time
  struct topology topology;   ///< what `tree` names; the cluster's points to it
};

extern const struct command_line ring_command_line;

/// Says in one line on stderr why the program cannot do it. COMMAND_UNUSABLE.
#define ring_refuse(...) usage_refuse("weir ring", __VA_ARGS__)

/// Reads the command line and checks every value, as options_parse has it, and what must fit together.
int ring_parse(int argc, char **argv, struct ring_options *options);

const char *ring_verb_name(enum rc_verb verb);

#endif
