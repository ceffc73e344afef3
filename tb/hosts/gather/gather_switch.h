/// Switches of a gather: those of a rack (ToR) with middle pipes between ingress and egress, and plain ones (NetSparse 6.2.1).
///
/// Ports are in pipes of four. A response goes through the middle pipe of its ingress pipe, a read through that of its egress
/// pipe: so the two meet, if the way back is the way there.
#ifndef WEIR_HOSTS_GATHER_SWITCH_H
#define WEIR_HOSTS_GATHER_SWITCH_H

#include <stdbool.h>
#include <stdint.h>

#include "hosts/gather/gather_element.h"
#include "hosts/gather/gather_nic.h"
#include "hosts/gather/gather_topology.h"
#include "model/gather_pipe.h"

struct gather_switch_options {
  uint32_t element;   ///< its number in the network
  bool spine;         ///< a port is a rack; else `rack` says whose ToR it is
  uint32_t rack;
  bool plain;   ///< forwards packets as they are; spines are
  uint32_t
      beat;   ///< bytes of packets that a middle pipe takes in a cycle, headers of PRs too; 0: as many as there are, as published
  bool cache_uplinks;   ///< caches only what comes from other racks
  uint64_t latency;     ///< cycles from a packet's arrival until it can leave, or enters its middle pipe
  double byte_cycles;   ///< that a byte takes on a cable; the model leaves it to the cable
  struct gather_topology topology;
  struct gather_pipe_options pipe;
  struct gather_device_options device;
  uint64_t pause_limit;     ///< cycles that a device's packets wait for a receiver that takes nothing; 0: for ever
  gather_room_fn *room;     ///< NULL: there is room always
  gather_taken_fn *taken;   ///< NULL: nobody wants to know
};

struct gather_switch_counts {
  struct gather_cache_counts cache;     ///< of all pipes
  struct gather_concat_counts concat;   ///< of all pipes; `latest` and the `most_` are the highest
  uint64_t forwarded, malformed;        ///< packets
  uint64_t older;        ///< PRs of another generation than the caches': passed on as they are; a device does not count them
  size_t most_waiting;   ///< packets that waited for a pipe at a time
  uint64_t thrown;       ///< packets that a device has thrown away, as their receiver had stopped
  uint64_t not_turned;   ///< reads that were not looked up, for want of room for responses
  uint64_t clocked;      ///< cycles that a device was simulated for; 0 for a model
};

/// Reads of a node of the rack that were looked up, and those that hit.
struct gather_asked {
  uint64_t lookups, hits;
};

/// A switch as the network sees it, whoever plays it: the model of this file, or a device.
struct gather_switch {
  struct gather_element element;   ///< its `self` is what the others get
  void (*free)(void *self);
  /// A new generation begins: the control plane makes all that is cached invalid. Properties are of `len` bytes from now on. What is on its way
  /// may be of the generation before.
  void (*invalidate)(void *self, uint16_t generation, uint32_t len);
  /// True if each PR that came in went out once, and none is held.
  bool (*balanced)(const void *self);
  /// What went wrong first, in words; NULL if nothing did. Asked at the end of a run. May be NULL: a model has nothing to say.
  const char *(*fault)(void *self);
  struct gather_switch_counts (*counts)(const void *self);
  /// Of a ToR: look-ups of a node's reads. NULL: nobody counts them.
  struct gather_asked (*asked)(const void *self, uint32_t node);
};
/// Makes a switch that sends by `send(fabric, ..)`. False if it cannot be made.
typedef bool gather_switch_fn(const struct gather_switch_options *options, gather_send_fn *send, void *fabric,
                              struct gather_switch *out);
/// The model; false if out of memory.
bool gather_switch_model(const struct gather_switch_options *options, gather_send_fn *send, void *fabric,
                         struct gather_switch *out);

#endif
