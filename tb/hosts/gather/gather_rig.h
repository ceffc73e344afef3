/// A RIG unit in client mode: gathers the properties of a batch of nonzeros (NetSparse 5).
///
/// Of each index, one a cycle: is a request of it under way (coalesced), or is its property here already (filtered)? If neither,
/// a read is made and remembered in the table of pending requests. A response is written to memory, then the filter's bit is set,
/// then the entry is freed, so that a set bit always means that the property is in memory.
#ifndef WEIR_HOSTS_GATHER_RIG_H
#define WEIR_HOSTS_GATHER_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "wire/gather.h"

/// How columns and rows are dealt out: contiguous blocks, as even as can be (1-D).
struct gather_partition {
  uint64_t count;   ///< below 2^32
  uint32_t nodes;
};
/// First index of a node; node `nodes` begins at the end.
static inline uint64_t gather_first(const struct gather_partition *p, uint32_t node) { return p->count * node / p->nodes; }
/// The destination solver: who has this index.
static inline uint32_t gather_owner(const struct gather_partition *p, uint64_t idx) {
  return (uint32_t)(((idx + 1) * p->nodes - 1) / p->count);
}

/// Memory of a node, and the filter. As host memory it has a place for the property of each column; room is taken for those of the node's own
/// columns and those that are written.
struct gather_memory {
  struct gather_partition columns;
  uint32_t node, len;   ///< `len`: bytes of a property
  uint16_t
      generation;   ///< of the operand whose properties these are; another one is asked for, and served, from the moment it changes
  uint64_t first, own;   ///< the node's columns
  uint8_t *properties;   ///< of these
  uint8_t *fetched;      ///< those of other nodes, as they come
  struct map places;     ///< of a column, its place in `fetched`
  size_t fetched_room;   ///< properties
  uint8_t
      *filter;   ///< a bit a column: gathered. A bit that is set promises that the property is here, until the generation ends
  uint8_t *touched;   ///< a bit for each 64 bytes of the filter: they have been in the NIC since the generation began
  uint64_t lines;     ///< so many of them
  /// Is to look whether the property of a column of another node is here and right; NULL: nobody looks.
  void (*check)(void *user, uint32_t node, uint64_t idx);
  void *user;
};
/// All properties and `filter` are zero. False if out of memory.
bool gather_memory_init(struct gather_memory *m, const struct gather_partition *columns, uint32_t node, uint32_t len);
void gather_memory_free(struct gather_memory *m);
/// Whether a column is the node's own.
static inline bool gather_memory_owns(const struct gather_memory *m, uint64_t idx) { return idx - m->first < m->own; }
/// Where the property of another node's column is, from now on. Valid until the next call for another column. Ends the program if out of memory.
uint8_t *gather_memory_place(struct gather_memory *m, uint64_t idx);
/// Where the property of a column is; of another node's as gather_memory_place.
static inline uint8_t *gather_memory_at(struct gather_memory *m, uint64_t idx) {
  return gather_memory_owns(m, idx) ? m->properties + (idx - m->first) * m->len : gather_memory_place(m, idx);
}

/// Sets the bit of a property that has been written, and has it checked.
void gather_memory_mark(struct gather_memory *m, uint64_t idx);
/// True if the bits of all these columns are set, but of the node's own. Has the properties checked.
bool gather_memory_kept(const struct gather_memory *m, const uint32_t *idx, size_t count);
/// The first of these columns that is another node's and whose bit is not set: its place, or `count`.
size_t gather_memory_missing(const struct gather_memory *m, const uint32_t *idx, size_t count);

struct gather_rig_options {
  uint16_t tid;
  uint32_t pending;   ///< entries of the table, 1 to 65536
  bool filter, coalesce;
  uint64_t watchdog;   ///< cycles that an operation may take; 0: no watchdog
};

struct gather_rig_counts {
  uint64_t local;   ///< indexes whose property the node itself has
  uint64_t wanted, filtered, coalesced, sent;
  uint64_t stalls_pending, stalls_tx;   ///< cycles
  uint64_t busy;                        ///< cycles in which an index was taken
  uint64_t written, doubled;            ///< responses; `doubled`: another unit had fetched it meanwhile
  uint64_t late;                        ///< responses that nobody waited for: dropped
  uint64_t failures;                    ///< operations ended by the watchdog
  uint64_t done;                        ///< operations that ended well
};

enum gather_rig_state { GATHER_RIG_IDLE, GATHER_RIG_BUSY, GATHER_RIG_WAITS, GATHER_RIG_DONE, GATHER_RIG_FAILED };

struct gather_rig;
/// `memory` must outlive it. NULL if out of memory.
struct gather_rig *gather_rig_new(const struct gather_rig_options *options, struct gather_memory *memory);
void gather_rig_free(struct gather_rig *r);

/// Starts an operation in cycle `now`: the properties of these columns. `idx` must stay until it ended. The unit is idle.
void gather_rig_begin(struct gather_rig *r, uint64_t now, const uint32_t *idx, size_t count);
/// One cycle: takes an index unless something is full. True if `out` is a read to be sent; `room`: there is room for one. Cycles without
/// a step count as what the one before them was: a stall, or one of several of the node's own indexes, which are taken together.
bool gather_rig_step(struct gather_rig *r, uint64_t now, bool room, struct gather_request *out);
/// A response whose property has come as far as host memory; `copy`: it is a copy of what another unit has asked for.
void gather_rig_response(struct gather_rig *r, const struct gather_request *response, bool copy);
/// Whether the operation that a request of this ID was made for is still under way.
bool gather_rig_runs(const struct gather_rig *r, uint32_t id);
/// What it does after the last step. GATHER_RIG_DONE and _FAILED are told once: it is idle from then on. After a failure the
/// whole batch is to be gathered again; what it has brought, the filter knows.
enum gather_rig_state gather_rig_state(struct gather_rig *r);
/// What it waits for in front of its next index.
enum gather_rig_stall { GATHER_RIG_FLOWS, GATHER_RIG_TABLE, GATHER_RIG_ROOM };
enum gather_rig_stall gather_rig_stall(const struct gather_rig *r);
/// Whether it waits in front of this index: it goes on if that has come by another unit.
bool gather_rig_waits_at(const struct gather_rig *r, uint64_t idx);
/// An index may be taken, or one that waits might be.
bool gather_rig_at_work(const struct gather_rig *r);
/// The next cycle in which it wants to be stepped if no response comes and it is not stalled, or what it waits for does not come; 0: the next one
/// there is, GATHER_NEVER: none.
uint64_t gather_rig_next(const struct gather_rig *r);
const struct gather_rig_counts *gather_rig_counts(const struct gather_rig *r);
void gather_rig_add(struct gather_rig_counts *sum, const struct gather_rig_counts *more);

#endif
