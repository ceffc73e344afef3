/// shell_port between a MAC and a core, each with its own clock: frames both ways, in order and whole, or dropped and counted.
#ifndef WEIR_UNIT_SHELL_PORT_BENCH_H
#define WEIR_UNIT_SHELL_PORT_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "drive/dut.h"
#include "unit/shell/port_frames.h"

enum domain { CORE, RX, TX, DOMAINS };
enum event { EVENT_RX_DROP, EVENT_RX_PAUSE, EVENT_RX_CONTROL, EVENT_TX_DROP, EVENT_TX_PAUSE, EVENT_WATCHDOG };

/// A stream into the device: the frame that is being sent, and how far.
struct source {
  struct frame *now;
  size_t sent;
  bool stalled;                         // a beat was shown and not taken, and stays
  struct frame_list todo;               // frames to be sent before any that are made
  struct frame_list expected[QUEUES];   // sent whole, in the order of each queue
};

/// A stream out of the device: the frame that is coming.
struct sink {
  uint8_t bytes[MAX_FRAME + BEAT];
  size_t len;
  unsigned user, id;
  bool within;
  unsigned long frames, skipped;   // seen; sent but not seen
  uint64_t began;                  // when the frame's first beat was shown
  uint64_t least, most;            // picoseconds from a frame's last beat in to its first beat out
};

struct bench {
  struct dut *d;
  struct rng rng;
  uint64_t now, period[DOMAINS], next[DOMAINS], cycles[DOMAINS];   // picoseconds

  // What happens, as chances in percent a cycle; may be changed at any time.
  unsigned rx_gap, core_gap;     // nothing between frames
  unsigned rx_hole, core_hole;   // nothing inside a frame
  unsigned core_ready, tx_ready;
  unsigned shortest, longest;     // bytes of frames that are made
  unsigned errors;                // percent of received frames in error
  unsigned pauses;                // percent of received frames that are pause frames
  unsigned most_quanta;           // that such a frame asks for
  bool rx_makes, core_makes;      // frames are made
  bool obeys;                     // the neighbour keeps the pauses it is asked for
  bool may_lose;                  // frames may vanish: they find no room, or there was a reset
  unsigned slack;                 // frames that may begin after their priority was paused, being on their way
  uint64_t quantum;               // picoseconds
  uint64_t reset_left[DOMAINS];   // cycles that a reset goes on

  struct source rx, core;
  struct sink m, tx;
  uint64_t hold_from[PRIOS], hold_to[PRIOS];   // when frames of a priority must not begin
  unsigned begun_held[PRIOS];
  uint64_t pause_to[PRIOS];   // asked of the neighbour
  unsigned long pauses_seen, pauses_sent, resumes_seen, held;
};

/// A port after its resets. `period`: of the core's, receive and transmit clock, picoseconds.
struct bench *bench_new(uint64_t seed, const uint64_t period[DOMAINS], unsigned rx_quantum_step);
void bench_free(struct bench *b);
/// Runs for so many picoseconds.
void bench_run(struct bench *b, uint64_t picoseconds);
/// Makes no more frames, lets all leave, and checks that nothing is left.
void bench_drain(struct bench *b);
/// Holds a reset for some cycles of its clock. What is on its way in that half is lost.
void bench_reset(struct bench *b, enum domain which, unsigned cycles);
/// Sends a frame behind those that are waiting.
void bench_send(struct source *s, struct frame *f);
/// Events counted so far.
uint64_t bench_count(struct bench *b, enum event event);

#endif
