/// The switches of a tree, a cable between each and the one above, and a device beside each: what stands between the hosts of a cluster
/// if one device is not all. Devices are golden models (sim/engine/tree/box.h) or, if it is asked for, the RTL (sim/engine/tree/tree_device.h).
#ifndef WEIR_SIM_RACKS_H
#define WEIR_SIM_RACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hosts/fabric.h"
#include "model/relay.h"
#include "sim/engine/tree/topology.h"

struct racks;

/// Which devices are Verilated ones.
enum racks_rtl { RACKS_NONE, RACKS_ROOT, RACKS_ALL };

struct racks_options {
  const struct topology *topology;
  struct fabric_config fabric;      ///< of each; hosts, ports, places and rates of slow hosts are left to the racks
  unsigned slow;                    ///< a host whose cable has a thousandth of the rate; RACKS_MAX_HOSTS: none
  const struct model_ring *rings;   ///< their `workers` are left to the racks
  size_t ring_count;
  const struct conn_key
      *keys;   ///< of rings that do not learn: each host's connection, ring by ring, in the order of ranks; else NULL
  size_t slot_bytes;
  enum racks_rtl rtl;
  uint8_t epoch;   ///< what each device marks results with; 0: none does
  uint64_t seed;
  void (*host_mac)(unsigned host, uint8_t mac[6]);
};

/// NULL and one line in `error` on failure. The topology must outlive it. The caller frees it.
struct racks *racks_new(const struct racks_options *options, char *error, size_t size);
void racks_free(struct racks *r);

/// Where a host is: its switch, and its place there.
struct fabric *racks_fabric(const struct racks *r, unsigned host, unsigned *place);
/// Moves on what has arrived by `now`: over cables, through switches and devices.
void racks_step(struct racks *r, uint64_t now);
/// Switches a node's device off and on again; it has the next epoch then.
void racks_reboot(struct racks *r, unsigned node);
/// All jobs are over, and nothing is under way: every device's rings are released or flushed, and set up for the next jobs, whose rings and keys
/// these options have. All devices are the RTL. False if one refuses something.
bool racks_next(struct racks *r, const struct racks_options *options, bool release);
/// When the next frame arrives or leaves anywhere, or UINT64_MAX.
uint64_t racks_deadline(const struct racks *r);

/// At the end of a run, before the next ones.
void racks_finish(struct racks *r);
/// What was wrong first with a device that is compared with its model, in words; NULL if nothing was.
const char *racks_fault(const struct racks *r);
/// Frames of such a device that were compared.
uint64_t racks_compared(const struct racks *r);
/// Decisions, commits and takes of such devices, each a step of the protocol's small model.
uint64_t racks_followed(const struct racks *r);

/// Sums over all switches.
struct fabric_counts racks_counts(const struct racks *r);
const struct relay_counts *racks_relay(const struct racks *r, unsigned node);
/// A device that waits for somebody in the ring, from the leaves up: its node, and what it waits for. False if none does.
bool racks_waiting(const struct racks *r, unsigned ring, unsigned *node, struct model_waiting *out);

/// Bytes over the cables of one kind and direction: how many cables, and the least and the most that one of them carried. Without FCS.
struct racks_load {
  unsigned cables;
  uint64_t least, most, frames;   ///< frames: of all
};
struct racks_load racks_load(const struct racks *r, enum fabric_hop hop);

#endif
