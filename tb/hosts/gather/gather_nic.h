/// The NIC of a node as its host and the network have it, whoever plays it: the model of this file, or a device
/// (NetSparse Figure 4).
///
/// RIG units gather what the host commands, a server answers reads of other nodes from memory, and all that leaves is
/// concatenated: one PR a cycle, responses and reads in turn.
#ifndef WEIR_HOSTS_GATHER_NIC_H
#define WEIR_HOSTS_GATHER_NIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hosts/gather/gather_element.h"
#include "hosts/gather/gather_rig.h"

/// For a device that is Verilated.
struct gather_device_options {
  uint64_t seed;      ///< of the state that it has before its reset
  const char *wave;   ///< FST file for its signals, of the first one that there is, or NULL
};

struct gather_nic_options {
  uint32_t element;                ///< its number in the network, and as a node
  uint32_t units;                  ///< RIG units in client mode, 1 to 65535
  uint32_t tx_depth;               ///< reads that wait for the concatenator
  uint32_t merge;                  ///< properties under way that units may share a read of, power of two; 0: none
  uint64_t read_delay;             ///< cycles from a read's arrival until its property is there
  uint64_t write_delay;            ///< from a response's arrival until its property is in host memory
  uint64_t begin_delay;            ///< from the host's command until the first index is in the unit
  uint64_t pause_limit;            ///< that a device waits for a network that takes nothing; the model leaves it to the cable
  double byte_cycles;              ///< that a byte takes on the cable; the model leaves it to the cable
  double pcie_cycles;              ///< that a byte takes between NIC and host, each way; 0: none. The model's only
  double filter_cycles;            ///< that a byte of the filter takes from the NIC's memory; 0: none. The model's only
  struct gather_rig_options rig;   ///< `tid` is left to the NIC
  struct gather_concat_options concat;
  struct gather_device_options device;
};

struct gather_nic_counts {
  struct gather_rig_counts rig;   ///< of all units
  struct gather_concat_counts concat;
  uint64_t served;       ///< reads answered
  uint64_t merged;       ///< reads of units that were not sent, as another unit had asked for the same
  uint64_t copied;       ///< copies of responses for these
  uint64_t older;        ///< reads of another generation than that of the properties here: dropped
  uint64_t strays;       ///< PRs that are not for this node or of no unit of it, packets that are malformed
  uint64_t paused;       ///< cycles in which a device wanted no reads
  uint64_t thrown;       ///< packets that a device has thrown away because the network took nothing
  size_t most_waiting;   ///< packets received that waited at a time
  uint64_t clocked;      ///< cycles that a device was simulated for; 0 for a model
};

/// To whom a NIC is connected.
struct gather_nic_calls {
  gather_send_fn *send;
  void *fabric;
  /// The gather of a unit has ended, well or by its watchdog; a new one may be given to the unit at once.
  void (*ended)(void *host, uint64_t now, uint32_t unit, bool good);
  void *host;
  gather_room_fn *room;     ///< NULL: there is room always
  gather_taken_fn *taken;   ///< NULL: nobody wants to know
};

struct gather_nic {
  struct gather_element element;   ///< its `self` is what the others get
  void (*free)(void *self);
  /// The host commands a gather in cycle `now`: the properties of these columns. `idx` must stay until it ended; the unit has none.
  void (*begin)(void *self, uint64_t now, uint32_t unit, const uint32_t *idx, size_t count);
  /// What went wrong first, in words; NULL if nothing did. Asked when nothing is under way. May be NULL: a model has nothing to say.
  const char *(*fault)(void *self);
  /// Asked when nothing is under way, or of a model at any time.
  struct gather_nic_counts (*counts)(void *self);
};

/// Makes a NIC. `memory` must outlive it. False if it cannot be made.
typedef bool gather_nic_fn(const struct gather_nic_options *options, struct gather_memory *memory,
                           const struct gather_nic_calls *calls, struct gather_nic *out);
/// The model; false if out of memory.
bool gather_nic_model(const struct gather_nic_options *options, struct gather_memory *memory,
                      const struct gather_nic_calls *calls, struct gather_nic *out);

#endif
