/// The Verilated switch of the sparse gather: frames in and out at its ports, a clock, what its caches tell, its counters.
#ifndef WEIR_DRIVE_GATHER_DEVICE_H
#define WEIR_DRIVE_GATHER_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drive/gather/gather_config.h"
#include "model/gather_lockstep.h"

/// Counters of a port and of a pipe, as rtl/top/weir_gather_switch.sv has them.
enum gather_port_counter {
  GATHER_PORT_RX,
  GATHER_PORT_IN_ERROR,
  GATHER_PORT_OVERSIZE,
  GATHER_PORT_BAD_ICRC,
  GATHER_PORT_TAKEN,
  GATHER_PORT_FOREIGN,
  GATHER_PORT_BAD_TYPE,
  GATHER_PORT_BAD_LENGTH,
  GATHER_PORT_BAD_DEST,
  GATHER_PORT_SENT,
  GATHER_PORT_NO_ROOM_READS,
  GATHER_PORT_NO_ROOM_RESPONSES,
  GATHER_PORT_STOPPED_READS,
  GATHER_PORT_STOPPED_RESPONSES,
  GATHER_PORT_COUNTERS
};
enum gather_pipe_counter {
  GATHER_PIPE_PRS,
  GATHER_PIPE_HITS,
  GATHER_PIPE_INSERTED,
  GATHER_PIPE_EVICTED,
  GATHER_PIPE_FULL,
  GATHER_PIPE_LATE,
  GATHER_PIPE_LENGTH,
  GATHER_PIPE_ROOM,
  GATHER_PIPE_WAITS_STORAGE,
  GATHER_PIPE_WAITS_LEAVING,
  GATHER_PIPE_NOT_TURNED,
  GATHER_PIPE_THROWN_READS,
  GATHER_PIPE_THROWN_RESPONSES,
  GATHER_PIPE_LATEST,
  GATHER_PIPE_COUNTERS
};

/// Called from gather_device_tick.
struct gather_device_calls {
  void *user;
  /// The cache of a pipe has looked something up.
  void (*lookup)(void *user, unsigned pipe, const struct gather_lookup *event);
  /// A frame of a class (0 reads, 1 responses) with so many PRs was thrown away, because its receiver has stopped.
  void (*thrown)(void *user, unsigned class, unsigned prs);
  /// A whole frame has left.
  void (*out)(void *user, unsigned port, const uint8_t *frame, size_t len);
  /// An assertion of the device failed; its own text is on stderr already. Called once.
  void (*failed)(void *user, uint64_t cycle, const char *where);
};

struct gather_device;
/// Opens and resets one. `wave`: FST file, or NULL. NULL if out of memory, or the wave file cannot be written.
struct gather_device *gather_device_open(const struct gather_config *config, uint64_t seed, const char *wave,
                                         const struct gather_device_calls *calls);
void gather_device_close(struct gather_device *d);

/// Cycles that PRs wait for others.
void gather_device_set_delay(struct gather_device *d, unsigned cycles);
/// Cycles that a class waits for a receiver; 0: for ever.
void gather_device_set_pause_limit(struct gather_device *d, uint32_t cycles);
/// The switch's own addresses.
void gather_device_set_own(struct gather_device *d, const uint8_t mac[6], const uint8_t ip[4]);
/// Addresses of a node, and by which port it is reached. Takes a few cycles.
void gather_device_set_node(struct gather_device *d, unsigned node, const uint8_t mac[6], const uint8_t ip[4], unsigned port);
/// Responses in a middle pipe to the node that was told last leave by this port. Takes a few cycles.
void gather_device_set_responses(struct gather_device *d, unsigned node, unsigned pipe, unsigned port);
/// All that is cached becomes invalid; from now on properties of `generation` and of `len` bytes are kept in lines of `mode` bytes if they come
/// by one of `ports` (a bit each). `mode` 0: no cache. Takes a few cycles, in which PRs inside go on: look-ups are told.
void gather_device_set_cache(struct gather_device *d, uint16_t generation, unsigned mode, unsigned len, uint32_t ports);

/// Offers a frame at a port that has none; it is copied. At most GATHER_MAX_FRAME bytes.
void gather_device_offer(struct gather_device *d, unsigned port, const uint8_t *frame, size_t len);
/// True while a frame that was offered is not wholly in.
bool gather_device_offered(const struct gather_device *d, unsigned port);
/// Classes that the switch wants no more of, and those that it is to send no more of: two bits a port, reads in the lower one.
uint32_t gather_device_pauses(const struct gather_device *d);
void gather_device_pause(struct gather_device *d, uint32_t classes);
/// One cycle. Ports of `ready` (a bit each) can take what leaves. True if a beat went in or out.
bool gather_device_tick(struct gather_device *d, uint32_t ready);
uint64_t gather_device_cycles(const struct gather_device *d);

/// Counters. Nothing may be under way.
uint32_t gather_device_port_count(struct gather_device *d, unsigned port, enum gather_port_counter which);
uint32_t gather_device_pipe_count(struct gather_device *d, unsigned pipe, enum gather_pipe_counter which);

#endif
