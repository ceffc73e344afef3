/// A whole uplink device between neighbours who send, obey pauses and pause: what arrives is what was sent, in order in each flow; what does
/// not is counted. All asserts are cmocka's.
#ifndef WEIR_UNIT_FABRIC_UPLINK_WORLD_H
#define WEIR_UNIT_FABRIC_UPLINK_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "drive/dut.h"
#include "model/uplink/uplink_flow.h"

enum {
  WORLD_DOWN = 2,
  WORLD_UP = 4,
  WORLD_PORTS = WORLD_DOWN + WORLD_UP,
  WORLD_FLOWS = 32,
  WORLD_BEAT = 64,
  WORLD_MAX_BEATS = 24
};
/// Priorities of flows: even numbers lossy, odd ones lossless, in another queue.
enum { WORLD_LOSSY = 0, WORLD_LOSSLESS = 3 };

/// Who stands at a port.
struct neighbour {
  // What he does, in percent a cycle; may be changed at any time.
  unsigned sends;                 ///< begins a frame, if he may
  unsigned takes;                 ///< a beat
  bool obeys;                     ///< keeps pauses
  unsigned flows;                 ///< of his flows, how many he sends: the first ones
  unsigned only;                  ///< 0: all, 1: only lossless ones, 2: only lossy ones
  uint64_t pause[UPLINK_PRIOS];   ///< until when he is paused
  uint64_t held[UPLINK_PRIOS];    ///< since when he pauses the device, for what begins later; 0: he does not
  // What he is doing.
  uint8_t frame[WORLD_MAX_BEATS * WORLD_BEAT], in[WORLD_MAX_BEATS * WORLD_BEAT + WORLD_BEAT];
  size_t len, sent, got;
  uint8_t ask[UPLINK_PAUSE_BYTES];
  bool asks;                                         ///< a pause frame is to be sent
  uint32_t next[WORLD_FLOWS];                        ///< frames sent of each of his flows
  unsigned long frames, asked, pauses_seen, begun;   ///< sent whole; pause frames of them; got; frames of the device that began
  unsigned long begun_of[UPLINK_PRIOS];
  unsigned late;   ///< of those that began in his latest pause
};

struct world {
  struct dut *d;
  struct rng rng;
  uint64_t now;
  unsigned delay;   ///< of cables, there and back, cycles
  struct neighbour at[WORLD_PORTS];
  uint32_t seen[WORLD_PORTS][WORLD_FLOWS];                              ///< of each sender's flow: the next number that may come
  unsigned long arrived[UPLINK_PRIOS], skipped[UPLINK_PRIOS], jumped;   ///< jumped: numbers that no frame was given
};

/// A device after reset, its links up. `xoff`, `xon`: beats; `ticks`: of the watchdog, 0: none. Ends with world_free.
struct world *world_new(uint64_t seed, unsigned delay, unsigned xoff, unsigned xon, unsigned ticks);
void world_free(struct world *w);
void world_run(struct world *w, uint64_t cycles);
/// The neighbour pauses the priorities of `enable` for as many quanta, 0 to end it.
void world_pause(struct world *w, unsigned port, unsigned enable, unsigned quanta);
/// The neighbour leaves out some numbers of a flow.
void world_jump(struct world *w, unsigned port, unsigned flow, unsigned numbers);
/// Sends no more, lets all leave, and checks that each frame arrived or was counted as dropped.
void world_drain(struct world *w);
/// A port's counter (flow_e).
uint32_t world_count(struct world *w, unsigned port, unsigned which);
uint32_t world_read(struct world *w, size_t address);
void world_write(struct world *w, size_t address, uint32_t value);

#endif
