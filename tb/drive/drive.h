/// The Verilated device behind C: clock, AXI4-Stream ports, registers, waves, observation port.
#ifndef WEIR_DRIVE_DRIVE_H
#define WEIR_DRIVE_DRIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drive/config.h"

#ifdef __cplusplus
extern "C" {
#endif

struct drive;
struct rng;

/// What the device told of a state decision (obs_state_t of rtl/aggregate/agg_obs_pkg.sv).
struct drive_state_event {
  enum { DRIVE_DECIDE, DRIVE_COMMIT, DRIVE_TAKE } kind;
  unsigned port, conn, ring, rank, offset, fate;
  uint32_t msgid, ranks;
  bool completes;
  bool of_ring, by_slot;   ///< with corrected memories: a packet is of `ring`; FATE_MEMORY_ERROR is because its slot is lost
  uint64_t cycle;
};

/// One result begins to leave (obs_result_t).
struct drive_result_event {
  unsigned port, conn;
  uint32_t psn;
  uint64_t cycle;
  bool dropped;      ///< no result begins: a memory lost the headers of one
  uint32_t number;   ///< if so: which of the port's, from 1, modulo 2^24
};

/// A ring is being flushed (obs_flush_t): it closes, and its connections are retired, or all forgotten (`release`); or it opens again.
struct drive_flush_event {
  unsigned ring;
  bool closed, release;
};

/// Called from drive_step, in the order in which things happened. Any may be NULL.
struct drive_calls {
  void *user;
  void (*state)(void *user, const struct drive_state_event *event);
  void (*result)(void *user, const struct drive_result_event *event);
  /// A memory has lost the record of `slot`; called again for each operation on it until its ring is flushed, and in front of that.
  void (*lost)(void *user, unsigned slot);
  void (*flush)(void *user, const struct drive_flush_event *event);
  /// The connection of a ring's rank is retired because of its age. Decisions on packets that came before may follow.
  void (*aged)(void *user, unsigned ring, unsigned rank);
  /// A frame that would have left `port` is dropped, because its link is down: a result, or one that passes.
  void (*unsent)(void *user, unsigned port, bool result);
  /// A whole frame left `port`; `first_cycle` and `last_cycle` are those of its first and last beat.
  void (*out)(void *user, unsigned port, const uint8_t *frame, size_t len, uint64_t first_cycle, uint64_t last_cycle);
  /// The last beat of the frame that drive_send numbered `tag` went in.
  void (*in)(void *user, unsigned port, uint64_t tag, uint64_t first_cycle, uint64_t last_cycle);
  /// Before each cycle that an access to registers takes (drive_read, drive_write and all that is made of them).
  void (*waiting)(void *user);
  /// An assertion of the device failed; its own text is on stderr already. Called once. NULL ends the program with code 1.
  void (*failed)(void *user, uint64_t cycle, const char *where);
};

struct drive_options {
  const char *config;   ///< name of a configuration
  const char *wave;     ///< FST file, or NULL
  uint64_t seed;
  double stall;     ///< probability, each cycle and port, that an output is not ready
  unsigned flips;   ///< bits expected to flip in 1000 cycles, in corrected memories, from the first frame on
  double idle;      ///< probability, each cycle and port, that an input beat is held back
};

/// Opens and resets a device. NULL and a line in `error` (size bytes) if the configuration or the wave file is wrong.
struct drive *drive_open(const struct drive_options *options, const struct drive_calls *calls, char *error, size_t size);
void drive_close(struct drive *d);

/// Queues a frame (copied) for input port `port`; `tag` comes back through calls->in.
void drive_send(struct drive *d, unsigned port, const uint8_t *frame, size_t len, bool error, uint64_t tag);
/// Frames queued at `port` whose last beat is not in yet.
size_t drive_pending(const struct drive *d, unsigned port);
/// From the next cycle on, output `port` is never ready (true), or as before.
void drive_hold(struct drive *d, unsigned port, bool hold);
/// Of the frame that calls->out is told of: a memory has lost some of it, and it is marked as one in error.
bool drive_marked(const struct drive *d);
/// Bits flipped so far.
uint64_t drive_flipped(const struct drive *d);
/// One clock cycle.
void drive_step(struct drive *d);
uint64_t drive_cycle(const struct drive *d);
/// Cycles in which input `port` was shown a beat and did not take it.
uint64_t drive_stalled(const struct drive *d, unsigned port);
/// Seconds of processor time, from a sample of the cycles: in the Verilated device, and from the start of a cycle to the start of
/// the next one, with all that the caller does in between. Only their quotient means anything.
struct drive_time {
  double device, all;
};
struct drive_time drive_time(const struct drive *d);

/// AXI4-Lite access, any number of cycles. 0, or -EIO if the device answers with an error or not within 1000 cycles.
int drive_read(struct drive *d, uint32_t address, uint32_t *value);
int drive_write(struct drive *d, uint32_t address, uint32_t value);

/// Control plane, through the registers: a ring, a connection of a ring, a flush (waits until it is done), a counter.
int drive_set_ring(struct drive *d, unsigned index, const struct drive_ring *ring);
/// For the next drive_set_ring, of a device for a tree. Until it is called the device is all that it was built for.
int drive_set_relay(struct drive *d, const struct drive_relay *relay);
struct conn_key;
int drive_set_connection(struct drive *d, const struct conn_key *key, unsigned ring, unsigned rank);
/// The connection from another leaf that ends at a leaf's first worker.
int drive_set_row(struct drive *d, const struct conn_key *key, unsigned ring);
int drive_flush_ring(struct drive *d, unsigned index);
int drive_release_ring(struct drive *d, unsigned index);
/// Flushes or releases a ring, and sets it up as `ring`, in one command.
int drive_change_ring(struct drive *d, unsigned index, const struct drive_ring *ring, bool release);
/// Drains a ring, then flushes or releases it. After so many reads of its state without an end a flush ends the wait, and `*forced` is true.
int drive_drain_ring(struct drive *d, unsigned index, bool release, unsigned patience, bool *forced);
/// Releases all rings and forgets what they were.
int drive_soft_reset(struct drive *d);
/// Releases an entry of the connection table; -EINVAL: it is not retired.
int drive_release_entry(struct drive *d, unsigned entry);
/// Entries of the connection table that are in use, and those of them that are retired.
int drive_connections(struct drive *d, unsigned *used, unsigned *retired);
/// How long a ring may wait for a rank, in units of 256 cycles (0: for ever), and rings that wait for longer now, bit R for ring R.
int drive_set_stall_limit(struct drive *d, uint32_t units);
int drive_stalls(struct drive *d, uint32_t *rings);
/// As the register of the ring's shape says.
int drive_ring_enabled(struct drive *d, unsigned ring, bool *enabled);
/// Causes of an interrupt since the last call (IRQ_CAUSE), which it clears.
int drive_take_causes(struct drive *d, uint32_t *causes);
/// Ports that pass what belongs to no ring, bit P for port P. None after reset.
int drive_set_open(struct drive *d, uint32_t ports);
/// How long a learned connection may be idle, in units of 65,536 cycles; 0, as after reset: for ever.
int drive_set_age_limit(struct drive *d, uint32_t units);
/// Ports whose link is down, bit P for port P. None after reset.
int drive_set_down(struct drive *d, uint32_t ports);
/// What results are marked with; 0, as after reset: nothing.
int drive_set_epoch(struct drive *d, uint8_t epoch);
/// The device is switched off and on: it has forgotten all, and frames on their way in and out are lost. Takes some cycles.
void drive_reset(struct drive *d);
/// Counter `which` of `port`: 0 .. FATE_COUNT-1 are fates, then DRIVE_RX, DRIVE_TX_RESULT, DRIVE_TX_PASSED.
/// FATE_MEMORY_ERROR, in the way of DRIVE_RX, is DRIVE_LOST: only of a device with corrected memories, which is in no tree.
enum { DRIVE_RX = 19, DRIVE_TX_RESULT = 20, DRIVE_TX_PASSED = 21, DRIVE_COUNTERS = 22, DRIVE_LOST = 22 };
/// Of a device below a parent, whatever the port.
enum {
  DRIVE_UP = DRIVE_COUNTERS,
  DRIVE_NOTES,
  DRIVE_NOTES_REFUSED,
  DRIVE_BAD_PARENT,
  DRIVE_NO_HEADERS,
  DRIVE_NO_WAY,
  DRIVE_TABLE_FULL
};
/// Of a device with corrected memories; `port` then says of which memory, or what (docs/registers/aggregator.md, COUNTER_SELECT).
enum { DRIVE_CORRECTED = 29, DRIVE_UNCORRECTABLE = 30, DRIVE_MEMORY = 31, DRIVE_MEMORIES = 8 };
/// Frames that a port did not send because its link was down.
enum { DRIVE_UNSENT = 32 };
int drive_counter(struct drive *d, unsigned port, unsigned which, uint64_t *value);

/// The same of a ring: fates of its packets, and DRIVE_TX_RESULT.
int drive_ring_counter(struct drive *d, unsigned ring, unsigned which, uint64_t *value);
/// Among the ranks that a ring waits for: a leaf's parent.
enum { DRIVE_WAITS_PARENT = 1 << 16 };
/// Ranks that a ring waits for (bit R for rank R; DRIVE_WAITS_PARENT), and for how long, in units of 256 cycles. Clocks until the device has
/// looked. 0, or -EIO.
int drive_waits(struct drive *d, unsigned ring, uint32_t *ranks, uint32_t *units);
/// Slots that hold packets.
int drive_columns(struct drive *d, unsigned *columns);

/// One write of anything to some register, or to none; the device may refuse it. Rings below `rings`, connections and open ports are left alone,
/// so nothing of it may be seen in a frame, or stop a port (docs/registers/aggregator.md: what is refused changes nothing).
void drive_abuse(struct drive *d, struct rng *rng, unsigned rings);

#ifdef __cplusplus
}
#endif
#endif
