/// One run of a fabric: its world, what is in it, and what came of it.
#ifndef WEIR_SIM_FABRIC_RUN_H
#define WEIR_SIM_FABRIC_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/findings.h"
#include "sim/fabric/load/load.h"

enum { FABRIC_TIERS = 3, FABRIC_CIRCLE = 64 };

/// How parts are dealt out to processes.
enum partition {
  PARTITION_RACKS,    ///< neighbouring racks together, other switches in turn
  PARTITION_SCATTER   ///< each part anywhere, drawn
};

struct fabric_run_options {
  const struct net *net;
  struct switch_options tiers[FABRIC_TIERS];   ///< of leaves, spines, and all above
  uint64_t latency_ps;                         ///< of a switch's pipeline
  struct nic_options nic;
  struct load_options load;
  struct load_options background;   ///< a permutation beside it; bytes 0: none
  enum partition partition;
  bool lines;                      ///< what happens at each port over time is kept
  bool one_seed;                   ///< all switches hash alike
  uint64_t seed, limit_ps;         ///< limit_ps: the run ends then, done or not
  double loss;                     ///< probability that a packet is lost on a cable
  struct capture_writer *writer;   ///< of what goes over `taps`, both ways; two interfaces each. NULL: nothing is written
  uint32_t *taps;                  ///< cables
  size_t tap_count;
  uint32_t *cuts;   ///< cables that are cut, all at cut_ps
  size_t cut_count;
  uint64_t cut_ps, converge_ps;   ///< routes are worked out anew so long after the cut
  bool devices;             ///< the switches that sum have devices beside them (device/device.h), or nodes are (device/nodes.h)
  const bool *rtl;          ///< of each switch: its device is a Verilated one
  const bool *rtl_host;     ///< of each host: so is its gather NIC
  const bool *rtl_uplink;   ///< of each leaf: so is its uplink device; NULL: of none
  uint32_t dead_host, storm_host;   ///< NET_NOWHERE: none
  uint32_t off_switch;              ///< that is switched off and on again; NET_NOWHERE: none
  uint64_t dead_ps, storm_from, storm_to, off_from, off_to;
};

/// What is known of all processes' parts when a run is over. Ports are numbered through: those of end e begin at first_port[e].
struct fabric_result {
  uint64_t time_ps;   ///< of the last event
  uint64_t events, hash, turns;
  uint64_t open, wrong;      ///< ranks and flows that are not done; results that are wrong
  uint64_t done_ps;          ///< when the last one was done
  uint64_t rank_bytes;       ///< of payload that hosts, not nodes, received
  struct nic_counts hosts;   ///< sum over all of them
  struct port_counts *ports;
  uint32_t *first_port;
  struct port_line *lines;   ///< of each port, all with steps of one width; NULL: not kept
  uint64_t *times;           ///< of each flow or rank, ps from its start to its end; 0: not done
  size_t time_count;
  uint64_t *deepest;   ///< bytes in each switch's buffer at most
  uint64_t alarms, flowlets;
  uint64_t absorbed, made;   ///< packets that switches summed; that they sent instead
  uint64_t made_waited;      ///< of these, which waited where they were made, for room
  uint64_t state;            ///< bytes of contributions that the switch or node with the most of them had to hold
  uint64_t summed_again;     ///< that had been summed already
  uint64_t device_results, device_compared, device_cycles,
      device_waited;   ///< of devices: packets to ranks; frames that RTL and model agree on; cycles; frames in front of one at most
  uint64_t result_bytes;   ///< of ranks that are hosts of trees or gather: compared with what is computed directly
  uint64_t gather_wanted, gather_packets, gather_hits;   ///< properties of others, packets of them, reads that switches answered
  uint64_t uplink_frames, uplink_dropped;                ///< of uplink devices in RTL: frames that went through, and that did not
  uint64_t dropped, unreachable, watchdog_drops, lost;   ///< lost: on cables
  uint32_t circle
      [FABRIC_CIRCLE];   ///< cables, as routes_circle has them, that waited for each other until watchdogs dropped what they held
  size_t circle_count;   ///< 0: there was no deadlock
  struct findings findings;
};

struct fabric_run;

/// Builds everything. NULL and a line in `error` if it cannot be. The options are the caller's until fabric_run_close.
struct fabric_run *fabric_run_open(const struct fabric_run_options *o, char *error, size_t size);
void fabric_run_close(struct fabric_run *r);
/// Goes on for some events. False once nothing more happens.
bool fabric_run_step(struct fabric_run *r);
uint64_t fabric_run_now(const struct fabric_run *r);
/// Flows or ranks of this process that are not done.
uint64_t fabric_run_left(const struct fabric_run *r);
/// What came of it so far, of this process.
struct fabric_so_far {
  uint64_t all, left;        ///< flows or ranks; those that are not done
  uint64_t packets, bytes;   ///< delivered
  uint32_t hosts;
};
struct fabric_so_far fabric_run_so_far(const struct fabric_run *r);
/// What came of it, once; the same on all processes, owned by the run.
const struct fabric_result *fabric_run_finish(struct fabric_run *r);

/// Places flows as a controller does that knows them all (RoCE at Meta, 4.3): each in turn, the largest first, on the way whose fullest cable
/// is the least full. Switches are by number (te.c).
void te_place(const struct workload *l, const struct nic_options *nic, const struct net *net, const struct routes *routes,
              struct fabric_switch *switches);

#endif
