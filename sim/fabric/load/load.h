/// What the hosts of a fabric do: collectives among ranks, or flows. Each message carries a number in place of its contents, and what comes out is compared
/// with what must: a collective to which a message was lost, came twice or went astray ends with a wrong number.
#ifndef WEIR_SIM_LOAD_H
#define WEIR_SIM_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/fabric/host/nic.h"
#include "sim/fabric/net/reducer.h"

enum load_kind {
  LOAD_PERMUTATION,       ///< each rank sends to one other, drawn
  LOAD_INCAST,            ///< ranks 1 to `senders` send to rank 0
  LOAD_ALL_TO_ALL,        ///< each rank sends a part to every other
  LOAD_MATRIX,            ///< flows of a file
  LOAD_CAPTURE,           ///< messages that somebody recorded
  LOAD_ALL_REDUCE,        ///< ring
  LOAD_ALL_REDUCE_TREE,   ///< binary tree, up and down
  LOAD_RABENSEIFNER,      ///< all-reduce by recursive halving and doubling
  LOAD_NETREDUCE,         ///< all-reduce in switches, inside hosts' connections (NetReduce)
  LOAD_NODES,             ///< all-reduce through nodes that end connections (SHARP)
  LOAD_REDUCE_SCATTER,    ///< ring
  LOAD_ALL_GATHER,        ///< ring
  LOAD_MASTER_RING,       ///< all-reduce of machines: to the first rank of each, a ring of these, back (NetReduce 3.4: Tencent's)
  LOAD_PARALLEL_RING,     ///< all-reduce of machines: as many rings as a machine has ranks
  LOAD_PARALLEL_NETREDUCE,   ///< the same with sums in the switch above the machines
  LOAD_GATHER                ///< each rank reads properties that others have (NetSparse; sim/fabric/device/gather.h)
};

/// Where ranks sit.
enum placement {
  PLACEMENT_LINEAR,   ///< rank r at host r
  PLACEMENT_RANDOM,
  PLACEMENT_SPREAD,   ///< neighbours in different racks, one rack after the other
  PLACEMENT_HALF      ///< the first half of each rack only
};

struct load_options {
  enum load_kind kind;
  enum placement placement;
  uint64_t bytes;     ///< of a rank's vector; of a flow
  uint64_t message;   ///< bytes of a message, at most
  uint32_t ranks;     ///< 0: as many as there is place for
  uint32_t senders;
  const char *file;      ///< of LOAD_MATRIX: lines SRC,DST,BYTES[,START_US]; of LOAD_CAPTURE
  uint32_t window;       ///< of LOAD_NETREDUCE: messages that a rank is ahead of the results that it has
  uint64_t prepare_ps;   ///< from when a rank of a collective has data until it can send it
  uint64_t stagger_ps;   ///< flows begin within this time, drawn
  uint64_t seed;
};

struct load_flow {
  uint32_t src, dst;   ///< ranks
  uint64_t bytes, start_ps;
  uint64_t left;           ///< messages that are not here; known to the receiver's process
  uint64_t sum, done_ps;   ///< of the numbers that came; 0: not done
};

/// A message that a rank is preparing.
struct load_message {
  uint64_t ready_ps, bytes, value;
  uint32_t to, tag;
};

/// A rank's part in a collective.
struct load_rank {
  uint64_t left;      ///< messages or slices of the result that it still needs
  uint64_t done_ps;   ///< 0: not done
  uint64_t *sums;     ///< what has come together, by slice (tree) or step (halving and doubling)
  uint32_t *counts;
  uint32_t step;                ///< of halving and doubling; else slices that it has begun
  uint32_t ahead;               ///< of these, handed to the interface and not acknowledged (trees)
  uint64_t held, most_held;     ///< slices of which some but not all are here; at most (trees)
  uint64_t value, input;        ///< the number that it sends next; what it was when its stage began (machines)
  uint64_t unsent;              ///< bytes that are not acknowledged (machines)
  uint32_t posted;              ///< messages to be summed in switches
  struct load_message *posts;   ///< those from post_first on wait until they are ready
  size_t post_room, post_first, post_count;
};

/// Tags of a second load begin here.
#define LOAD_BACKGROUND UINT32_C(0x80000000)

struct workload {
  const struct load_options *options;
  const struct net *net;
  struct world *world;
  struct fabric_nic *nics;
  uint32_t tag_base;             ///< 0, or LOAD_BACKGROUND
  uint32_t ranks, actors;        ///< actors: ranks, and behind them nodes
  uint32_t *host_of, *rank_of;   ///< of actors; rank_of: NET_NOWHERE for hosts without one
  struct load_rank *rank;
  struct load_flow *flows;   ///< by their sender, then by their start
  size_t flow_count, flow_room;
  size_t *first_flow;                                        ///< of each rank, and one behind the last
  size_t *next_flow;                                         ///< the one to begin next
  uint32_t *parent, *children, *first_child, *child_count;   ///< of trees, by actor; NET_NOWHERE: the root
  uint64_t slices, chunk;                                    ///< messages of a chunk; bytes of a chunk
  uint32_t rings;                                            ///< of NetReduce: 1, or as many as a machine has ranks
  uint64_t total;                                            ///< sum of all ranks' numbers
  uint64_t wrong;                                            ///< results that are not what they must be
  bool elsewhere;   ///< devices do it (sim/fabric/device): no rank begins, and who does it says when ranks are done
};

/// Deals ranks out to hosts, and prepares what they do. 0, or -1 and a line in `error`; load_free is due in both cases.
int load_make(struct workload *l, const struct load_options *o, const struct net *net, char *error, size_t size);
void load_free(struct workload *l);
/// What interfaces tell two loads: `loads[0]`, and `loads[1]`, which is flows and whose tags begin at LOAD_BACKGROUND.
struct nic_user load_user(struct workload loads[2]);
/// All hosts of this process begin, at time 0. Interfaces are by host.
void load_begin(struct workload *l, struct world *world, struct fabric_nic *nics);
/// Ranks and flows of this process that are not done.
uint64_t load_open(const struct workload *l);
/// What a switch does for it, if anything: the caller's (reducer.h).
struct reducer *load_reducer(const struct workload *l, const struct nic_options *nic, uint32_t number);
/// Whether what it does is made of flows.
static inline bool load_flows(enum load_kind kind) { return kind <= LOAD_CAPTURE; }

// --- parts of it, for load*.c ---

/// The number that a rank contributes.
uint64_t load_own(const struct workload *l, uint32_t rank);
/// A rank has data and sends it as soon as it is prepared.
void load_send(struct workload *l, uint32_t from, uint32_t to, uint64_t bytes, uint32_t tag, uint64_t value);
/// The same at once, however long ranks take to prepare it.
void load_post(struct workload *l, uint32_t from, uint32_t to, uint64_t bytes, uint32_t tag, uint64_t value);
/// A rank's timer is due: what is ready goes to its interface (load_prepare.c).
void load_prepared(struct workload *l, uint32_t rank);
/// Slice `slice` of a chunk has so many bytes.
uint64_t load_slice(const struct workload *l, uint64_t slice);
/// A rank has one more piece of its result, and it is this.
void load_take(struct workload *l, uint32_t rank, uint64_t value, uint64_t wanted);

/// load_collectives.c
int collective_make(struct workload *l, char *error, size_t size);
void collective_begin(struct workload *l, uint32_t rank);
void collective_received(struct workload *l, uint32_t rank, uint32_t tag, uint64_t value);
/// load_tree.c
int tree_make(struct workload *l, char *error, size_t size);
void tree_begin(struct workload *l, uint32_t actor);
void tree_received(struct workload *l, uint32_t actor, uint32_t tag, uint64_t value);
void tree_sent(struct workload *l, uint32_t actor, uint32_t tag, uint64_t bytes);
/// load_netreduce.c
int netreduce_make(struct workload *l, char *error, size_t size);
void netreduce_begin(struct workload *l, uint32_t rank);
void netreduce_received(struct workload *l, uint32_t rank, uint32_t tag, uint64_t value);
/// One more result is here: the next message may go.
void netreduce_next(struct workload *l, uint32_t rank);
/// load_machines.c
int machines_make(struct workload *l, char *error, size_t size);
void machines_begin(struct workload *l, uint32_t rank);
void machines_received(struct workload *l, uint32_t rank, uint32_t tag, uint64_t value);
void machines_sent(struct workload *l, uint32_t rank, uint32_t tag, uint64_t bytes);
/// load_flows.c
/// One more flow, before load_make is over.
void flows_put(struct workload *l, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t start_ps);
/// load_capture.c
int flows_of_capture(struct workload *l, char *error, size_t size);
int flows_make(struct workload *l, char *error, size_t size);
void flows_begin(struct workload *l, uint32_t rank);
void flows_received(struct workload *l, uint32_t rank, uint32_t tag, uint64_t value);

#endif
