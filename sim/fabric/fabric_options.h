/// The command line of `weir fabric`.
#ifndef WEIR_SIM_FABRIC_OPTIONS_H
#define WEIR_SIM_FABRIC_OPTIONS_H

#include "sim/cli/options.h"
#include "sim/fabric/fabric_run.h"

struct fabric_options {
  const char *shape, *json;
  double host_gbps, inner_gbps, leaf_gbps, spine_gbps, host_ns, leaf_ns, spine_ns, latency_ns, node_ns;
  bool leaf_given, spine_given, message_given;
  unsigned routing, placement, kind, ack_class, cts_class, qp_mode, partition;
  double flowlet_us, watchdog_ms, credit_us, alpha, mark_most;
  bool no_pfc, drain_given, uplink;
  uint64_t leaf_buffer, spine_buffer, leaf_low, leaf_high, spine_low, spine_high;
  double timeout_us, stagger_us, prepare_us, limit_us;
  const char *out, *tap, *report;
  const char *cut, *dead, *storm, *reboot, *rtl;
  bool *rtl_at, *rtl_uplink, *rtl_host;   ///< of each switch, of each host; the run's
  double converge_us;
  struct net net;
  struct fabric_run_options run;
  bool seed_given;
};

/// Reads and checks it all; fabric_options_free is due in each case. 0, or COMMAND_UNUSABLE after one line on stderr.
int fabric_options_parse(int argc, char **argv, struct fabric_options *o);
/// A part of it (fabric_places.c): what names cables, hosts and switches of a network that has been read.
int fabric_options_places(struct fabric_options *o);
void fabric_options_free(struct fabric_options *o);
const char *fabric_options_load(const struct fabric_options *o);
const char *fabric_options_routing(const struct fabric_options *o);

#define fabric_refuse(...) usage_refuse("weir fabric", __VA_ARGS__)

#endif
