/// A plain stand-in for everything around emission: slot state that answers takes, ports whose started writes keep a slot busy, banks whose
/// words tell where they come from, egresses that are slow. What comes out is checked in each step. All asserts are cmocka's.
#ifndef WEIR_UNIT_EMIT_BENCH_H
#define WEIR_UNIT_EMIT_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "drive/bits.h"
#include "drive/dut.h"
#include "structs/agg_pkg.h"

enum {
  PORTS = 3,
  RANKS = 4,
  SLOTS = 8,
  RINGS = 4,   // slot s is of ring s % RINGS
  MAX_ROWS = 16,
  FIFO_ROWS = 40,
  HDR_FRAMES = 3,
  HDR_WORDS = 8,
  RSP_LATENCY = 5,   // SlotAnswer
  TAKE_GAP = 7,
  READ_LATENCY = 2,
  QUEUE = 256,
  ROW_WORDS = 16,
  WORD_WORDS = 4
};
enum take { TAKE_GONE, TAKE_BLOCKED, TAKE_DONE };

/// A slot as the stand-in for slot state knows it. `version` counts the writes to it.
struct slot {
  bool queued;
  bool told;    // emission was told that a commit may complete its column, or takes it without a job
  bool ahead;   // its take is begun without a job
  unsigned owed, port[RANKS], len, kind, workers, version, pushed_at;
  unsigned write_until;   // a started write of a port keeps the slot busy up to this cycle
};

struct result {
  unsigned slot, rows, kind, workers, ports, version, rank[PORTS];
  bool half;
  bool kept;   // its rows are those of a sum that was kept: no bank is read
};

struct egress {
  unsigned rows, frames, words;    // inside, or on their way
  unsigned row_room, frame_room;   // not reserved
  struct result due[QUEUE];
  unsigned head, tail, word;   // header words still to come, in the order of takes
};

struct read {
  bool row, hdr;
  unsigned slot, row_index, hdr_row, hdr_slot, hdr_version;
};

struct emit_bench {
  struct dut *dut;
  struct slot slot[SLOTS];
  struct egress egress[PORTS];
  struct result due[QUEUE];             // rows still to come
  unsigned head, tail, row;             // of sums, to be read in the banks
  unsigned reduced, reduced_rows;       // of all, to come to the reduction
  struct read read[READ_LATENCY + 1];   // by cycle
  struct {
    bool valid, last;
    const struct result *result;
  } reduce[READ_LATENCY + 1];
  uint32_t rsp[WORDS_OF(taken_t, 1)];
  unsigned rsp_in, take_gap, cycle, last_row_cycle, unlock_by, unlock_slot;
  bool ends;   // with the answer, the job of the take
  // A commit that waits in slot state, of which emission is told; one that entered in the cycle before, and what it did; a job that it
  // brings later.
  bool soon, committed, completes, job_due;
  unsigned soon_slot, soon_left, job_at;
  bool last_half, half_rows_adjacent;
  bool one_repeats;   // slot 0 has repetitions only, all others first results only
  bool tenants;       // ring r < PORTS has port r for itself, the last ring all ports
  unsigned held;      // ports whose egress lets nothing leave
  unsigned job_chance, soon_chance, write_chance, pop_chance, gone_chance, take_chance, short_chance;
  unsigned done, gone, blocked, more, firsts, agains, aheads, left, waited, rows, kept, frames, longest_wait;
  unsigned done_of[RINGS], blocked_of[RINGS], longest_of[RINGS];   // by ring
};

/// A device behind reset; egresses are as fast as they can be, and no job comes.
struct emit_bench *emit_open(void);
/// Drains it first.
void emit_close(struct emit_bench *b);
/// One cycle.
void emit_step(struct emit_bench *b);
/// No more jobs; everything owed leaves, every egress empties.
void emit_drain(struct emit_bench *b);

#endif
