/// What stands where in a gather on a fabric; part of gather.c and gather_setup.c.
#ifndef WEIR_SIM_FABRIC_GATHER_STATE_H
#define WEIR_SIM_FABRIC_GATHER_STATE_H

#include "hosts/gather/gather_node.h"
#include "hosts/gather/gather_switch.h"
#include "sim/fabric/device/gather.h"

enum {
  CYCLE_PS = 500,   // 2 GHz, as NetSparse has it
  IN_FRONT = 4,     // frames that wait for the cable before a NIC is to make no more
  STEP = 0,         // the timer of a NIC
  BATCH = 64,       // properties of a RIG operation
  SHARED = 4,       // ranks that want a property, on the mean
  // Sizes of NICs, models too (rtl/top/gather_configs.csv), and sets of a cache where no device says how many.
  UNITS = 2,
  PENDING = 64,
  SETS = 64,
  NIC_DELAY = 500,
  SWITCH_DELAY = 125,
  MEMORY = 400   // cycles to host memory, one way
};

/// A node of the gather: a rank.
struct gather_end {
  struct fabric_gather *gather;
  struct gather_node *node;   // NULL: another process has it
  struct gather_element is;
  uint32_t host;
  uint64_t least;   // cycle before which it is not stepped again
  uint32_t *idx;    // properties that it wants
  uint64_t frames;
};

/// The switch of a rack, beside a leaf.
struct rack_switch {
  struct fabric_gather *gather;
  struct gather_switch is;
  uint32_t leaf, last_in;
  uint64_t least;
  uint32_t *port_of;   // its port, of each of the leaf's; UINT32_MAX: none
  uint32_t *leaf_port;
  struct reducer_out out;
  uint64_t frames;
};

struct fabric_gather {
  struct fabric_gather_place place;
  uint32_t *
      host_of;   // of each node; nodes are ranks in the order of racks, the same as ranks where these fill one rack after the other
  struct gather_topology topology;
  struct gather_node_options node;
  struct gather_switch_options tor;
  struct gather_partition columns;
  struct gather_memory *memories;
  struct gather_end *ends;
  struct rack_switch *tors;
  uint32_t len;     // bytes of a property
  uint64_t count;   // that a rank wants
  uint64_t wrong;   // properties that were not what they must be when a host counted on them
};

/// Racks, and what each port of their switches is. False and a line in `error` if the load's ranks and the fabric are none such.
bool gather_shape(struct fabric_gather *g, char *error, size_t size);
/// Sizes and times of NICs and switches, whose `node` and `tor` are to be filled in but for their places. False and a line in `error` if a device cannot
/// have them.
bool gather_set(struct fabric_gather *g, char *error, size_t size);
/// NICs of the gather call these.
bool gather_end_room(void *gather, uint32_t element, unsigned port, enum gather_class class);

#endif
