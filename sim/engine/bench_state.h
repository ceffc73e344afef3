/// What bench*.c know of a bench. Private to them.
#ifndef WEIR_SIM_BENCH_STATE_H
#define WEIR_SIM_BENCH_STATE_H

#include "base/aside.h"
#include "base/map.h"
#include "sim/engine/bench.h"

enum { GROUPS = 2 };   ///< bench_send_of

/// A frame that went in.
struct sent {
  bool candidate;   // the device will report a decision
  uint8_t group;
  uint32_t psn, len;
  uint64_t last_cycle;
};

/// Frames of one port, oldest first; those in front of `next` have been decided. The first `gone` that were sent are not kept any more.
struct port {
  struct sent *sent;
  size_t count, size, next;
  uint64_t gone;
  uint64_t tags;                          // frames that were ever sent
  struct scoreboard_counts before, all;   // until the latest restart, and altogether
};

struct bench {
  struct drive *drive;
  struct bench_memories memories;
  const struct drive_config *config;
  struct scoreboard *scoreboard;
  struct refinement *refinement;
  struct witness *witness;
  struct bench_options options;
  struct port *ports;
  struct map complete;   // (ring, MsgID, offset) -> 1 + cycle in which the packet that completed it was in
  struct map waiting;    // (connection, PSN) -> its column's key in `complete`, 0 once its first result was measured
  uint32_t *latencies;
  size_t latency_count, latency_size;
  uint64_t fates[GROUPS][FATE_COUNT];
  uint8_t ranks[DRIVE_MOST_CONNS];   // of each connection, by its latest accepted packet
  uint64_t moved;                    // last cycle with a sign of life
  bool failed;                       // an assertion of the device; it is not clocked any more
  uint64_t aged;                     // connections retired because of their age
  uint32_t down, cut;   // ports whose link is down; those of which the frame that leaves next may be the end of a cut one
  unsigned ending;      // the ring that is disabled when its flush ends; `resetting`: each is. Else UINT_MAX
  bool resetting, draining, forced;   // forced: a flush has ended the wait of a drain
  struct aside *aside;                // does the checks (bench_aside); NULL: who clocks the device does
  bool waiting_here;                  // it does so while it waits for the device, too
};

/// What a bench does about everything that its device says.
struct drive_calls bench_calls(struct bench *b);
/// Checks a frame that goes in, what the device says of one, and one that comes out (`marked`: as lost); or hands it to the thread that does.
void bench_check_sent(struct bench *b, unsigned group, unsigned port, const uint8_t *frame, size_t len, bool error);
void bench_check_state(struct bench *b, const struct drive_state_event *e);
void bench_check_result(struct bench *b, const struct drive_result_event *e);
void bench_check_out(struct bench *b, unsigned port, const uint8_t *frame, size_t len, uint64_t first, uint64_t last,
                     bool marked);
void bench_check_in(struct bench *b, unsigned port, uint64_t tag, uint64_t first, uint64_t last);
/// Waits until all of that is checked. Who looks at model, witness or history then sees, and may change, what they are now.
void bench_checked(const struct bench *b);
/// A ring is closed for a flush: if it is one that ends a drain, nothing is owed any more.
void bench_ring_closes(struct bench *b);
/// What was counted so far is kept beside what model and device count from a restart on.
void bench_keep_counts(struct bench *b);

#endif
