/// What a run of a fabric comes to: figures that its report is made of.
#ifndef WEIR_SIM_FABRIC_TOTALS_H
#define WEIR_SIM_FABRIC_TOTALS_H

#include "sim/fabric/fabric_options.h"

/// What went over all cables of a kind in one direction. Bytes are those of a cable.
struct fabric_way {
  const char *name, *key;   ///< for people, for programs
  uint64_t cables, packets, bytes, paused_ps, marked;
  uint64_t pauses;            ///< PFC frames by which the receiving ends stopped the sending ones
  uint64_t deepest;           ///< bytes queued in front of one of them at most
  double fullest, emptiest;   ///< bytes of the fullest and of the emptiest cable over the mean of all
};
enum { WAY_HOST_UP, WAY_HOST_DOWN, WAY_UP, WAY_DOWN, WAYS };

/// Times of flows or ranks that are done, ps.
struct fabric_times {
  uint64_t count, least, half, p99, most;
  double mean;
};

void fabric_ways(const struct fabric_options *o, const struct fabric_result *r, struct fabric_way ways[WAYS]);
struct fabric_times fabric_times(const struct fabric_result *r);
/// Bytes of the fullest uplink over the mean, of each leaf's uplinks; the mean over leaves that send anything upwards (RoCE at Meta, 4.1.1).
double fabric_max_mean(const struct fabric_options *o, const struct fabric_result *r);
/// Bytes in the fullest buffer of a leaf, or of another switch, at most.
uint64_t fabric_deepest(const struct fabric_options *o, const struct fabric_result *r, bool leaf);
/// Gb/s of payload that each rank received, on the mean over the time until the last one was done; of an incast, the receiver.
double fabric_goodput(const struct fabric_options *o, const struct fabric_result *r);
/// What part of the time cables of a kind were stopped, on the mean: of the time until all were done, or until nothing happened any more.
double fabric_share(const struct fabric_result *r, uint64_t ps, uint64_t cables);
/// Bytes on the cable that carried most, nodes' own cables aside.
uint64_t fabric_busiest(const struct fabric_options *o, const struct fabric_result *r);
/// Below which delay `share` of all clearances came, us, to a fifth; 0 if there were none.
double fabric_cts_delay(const struct fabric_result *r, double share);
/// Watchdogs that saw a pause too long.
uint64_t fabric_watchdogs(const struct fabric_options *o, const struct fabric_result *r);

#endif
