/// The network of a gather: nodes in racks, a ToR a rack, spines between them, and cables with a rate and a delay.
///
/// Time is in cycles of one clock for all. No packet is lost unless that is asked for: what does not fit waits, in buffers that push back or, if
/// they have no bound, in front of cables. Nodes and switches are
/// parts of a world (sim/engine/world): each is on one of the processes that share it, and all functions but gather_fabric_owns are about those of
/// this process. All processes must call those that make, step and balance alike.
#ifndef WEIR_SIM_GATHER_FABRIC_H
#define WEIR_SIM_GATHER_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hosts/gather/gather_node.h"
#include "hosts/gather/gather_switch.h"
#include "sim/engine/world/world.h"

/// Sees each packet that a node receives, in cycle `now`.
typedef void gather_tap_fn(void *user, uint64_t now, uint32_t node, const struct gather_packet *p);

struct gather_fabric_options {
  struct gather_topology topology;
  double gbps, mhz;        ///< of a cable, of the clock
  uint64_t cable_delay;    ///< cycles
  uint64_t switch_delay;   ///< cycles
  bool plain_tors;         ///< ToRs forward only
  uint32_t beat;           ///< bytes that a middle pipe of a model takes in a cycle; 0: as many as there are
  bool cache_uplinks;      ///< ToRs cache only what comes from other racks
  bool scatter;            ///< among processes: anything to any, instead of neighbouring racks to one
  uint64_t lose;           ///< this one of the packets that this process sends is lost; 1 is the first, 0: none
  uint64_t hold;           ///< this one comes `held_for` cycles late
  uint64_t held_for;
  double
      faults;   ///< share of the packets, on any cable either way, of which each is lost, comes twice, or late, as `fault_seed` has it
  uint64_t fault_seed;
  uint32_t dies;   ///< this node sends and takes nothing any more from `dies_at` on; UINT32_MAX: none
  uint64_t dies_at;
  uint32_t
      stops;   ///< this node's receiver takes nothing from `stops_at` on, for `stops_for` cycles or, if 0, ever; UINT32_MAX: none
  uint64_t stops_at, stops_for;
  uint32_t downs;   ///< links that go down one after the other from `down_at` on, each for `down_for` cycles
  uint64_t down_at, down_for;
  size_t buffers;         ///< bytes that an end of a cable keeps of each class; 0: no bound, and nothing pushes back
  bool one_class;         ///< reads and responses share them: what two classes are for
  uint64_t pause_limit;   ///< cycles that a packet waits for a receiver that takes nothing before it is thrown away; 0: for ever
  struct gather_node_options node;       ///< `nic.element` is left to the fabric
  uint32_t devices;                      ///< the first so many nodes have NICs as `node.make` says; the others models
  struct gather_pipe_options pipe;       ///< of each middle pipe
  gather_switch_fn *tor;                 ///< makes the ToRs; NULL: models. Spines are models always
  struct gather_device_options device;   ///< of ToRs that are Verilated
  gather_tap_fn *tap;                    ///< or NULL
  void *user;
};

/// Cables by where they lead from and to.
enum gather_leg { GATHER_FROM_NODES, GATHER_TO_NODES, GATHER_UP, GATHER_DOWN, GATHER_LEGS };

struct gather_fabric_counts {
  uint64_t packets, bytes;   ///< on all cables, each cable counted; bytes of whole frames with FCS
  uint64_t header_bytes;     ///< of these, all that is no property
  uint64_t prs;              ///< PRs in these packets
  uint64_t lost, held, doubled;
  uint64_t unheard;                ///< came to a node that had died
  uint64_t cut;                    ///< of `lost`, those on links that were down
  uint64_t stopped;                ///< thrown away for a receiver that took nothing
  uint64_t most_backlog;           ///< most cycles that a packet waited for a cable
  uint64_t busiest[GATHER_LEGS];   ///< bytes of the cable of a leg that took most, gaps between frames too
  uint64_t used[GATHER_LEGS];      ///< cables of a leg that took some
  struct gather_switch_counts tors;
};

/// What a node has got, by its own cable.
struct gather_received {
  uint64_t packets, bytes, property_bytes, prs;
};

struct gather_fabric;
/// `memories` are of the nodes, and outlive it; those of other processes' nodes are not used. NULL if a device cannot be made.
struct gather_fabric *gather_fabric_new(const struct gather_fabric_options *options, struct gather_memory *memories);
void gather_fabric_free(struct gather_fabric *f);

/// As gather_node_begin, now. Again only when the node is done.
void gather_fabric_begin(struct gather_fabric *f, uint32_t node, const uint32_t *idx, size_t count, size_t batch);
/// True if this process has a node, a ToR (its number behind all nodes) or a spine (behind these).
bool gather_fabric_owns(const struct gather_fabric *f, uint32_t element);
/// A node that takes nothing now.
bool gather_fabric_deaf(const struct gather_fabric *f, uint32_t node);
/// A node that has died by now.
bool gather_fabric_dead(const struct gather_fabric *f, uint32_t node);
/// NULL if it is another process's.
const struct gather_node *gather_fabric_node(const struct gather_fabric *f, uint32_t node);
/// All that the switches have cached becomes invalid; properties are of `generation` and of `len` bytes from now on. All nodes are done; packets of
/// the generation before may be under way.
void gather_fabric_invalidate(struct gather_fabric *f, uint16_t generation, uint32_t len);
/// Goes on for a while, not beyond cycle `until`. False if nothing will ever happen any more; then it is as late in all processes.
bool gather_fabric_step(struct gather_fabric *f, uint64_t until);
/// Whether the last step has come to its `until`; the same in all processes, and now it is that cycle in all of them.
bool gather_fabric_paused(const struct gather_fabric *f);
/// Events and their hash.
const struct world *gather_fabric_world(const struct gather_fabric *f);
uint64_t gather_fabric_now(const struct gather_fabric *f);
/// What went wrong first in a NIC or switch that can tell, in words; NULL if nothing did.
const char *gather_fabric_fault(const struct gather_fabric *f);
/// True if no packet is under way anywhere, and no switch of this process has lost, doubled or kept a PR.
bool gather_fabric_balanced(const struct gather_fabric *f);
struct gather_fabric_counts gather_fabric_counts(const struct gather_fabric *f);
struct gather_received gather_fabric_received(const struct gather_fabric *f, uint32_t node);
/// Its reads that its rack's ToR looked up, and of these the hits. Zero if another process or a device has the ToR.
struct gather_asked gather_fabric_asked(const struct gather_fabric *f, uint32_t node);

/// Cycles that it takes at least: cables and switches, without the time its bytes take.
uint64_t gather_zero_load(const struct gather_fabric_options *o, uint32_t from, uint32_t to);
/// Bytes of a frame on a cable, with FCS, of `len` bytes from the concatenation header on.
static inline uint64_t gather_frame_bytes(size_t len) { return (len + 3) / 4 * 4 + GATHER_CABLE_BYTES; }

#endif
