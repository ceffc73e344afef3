/// Devices of this project beside switches of a fabric: aggregators as leaves and roots of a tree (docs/relay.md), each as golden model or Verilated with its
/// golden model in lock step. What ranks send comes to a device as frames, and so does what devices send each other; what a device writes to a rank is
/// read, and must be the sum over all ranks.
///
/// Beside a switch means: cables between them take no time, and a device that is busy has frames wait in front of it.
#ifndef WEIR_SIM_FABRIC_DEVICE_H
#define WEIR_SIM_FABRIC_DEVICE_H

#include "sim/fabric/load/load.h"
#include "sim/fabric/net/switch.h"

struct fabric_device;

/// All that a device has to know of its fabric.
struct fabric_device_place {
  const struct workload *load;
  const struct nic_options *nic;
  struct fabric_switch *switches;   ///< with the reducers that the load asks for (load_reducer)
  struct world *world;
  uint32_t number;   ///< the switch
  bool rtl;
  uint64_t seed;
};

/// Puts one beside a switch, which owns it from now on. Its own reducer and its neighbours' say who stands where; they are the caller's to remove when all devices
/// are there. NULL and a line in `error` if there is no such device, or it cannot be set up.
struct fabric_device *fabric_device_new(const struct fabric_device_place *place, char *error, size_t size);

/// What it came to; words.
struct fabric_device_counts {
  uint64_t results;    ///< packets written to ranks
  uint64_t wrong;      ///< of these, whose number is not the sum
  uint64_t compared;   ///< frames of an RTL device that were compared with its model's
  uint64_t cycles;     ///< that it was clocked for
  uint64_t most;       ///< frames that waited in front of it at most
};
/// At the end of a run, once: what was wrong first goes into `fault` if it is a Verilated one and anything was, else that is empty.
struct fabric_device_counts fabric_device_finish(struct fabric_device *d, char *fault, size_t size);

#endif
