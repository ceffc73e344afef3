/// What happened in one run, over time and in bounded memory: throughput, slots, latencies, and the lives of the slowest columns.
/// The bench tells it everything while the run goes on; afterwards sim/report/page.h makes pictures of it.
///
/// Times are cycles since history_begin, of 4 ns each; cycles in which the device was not clocked count too.
#ifndef WEIR_SIM_HISTORY_H
#define WEIR_SIM_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drive/config.h"
#include "model/scoreboard.h"

enum {
  HISTORY_PORTS = 16,
  HISTORY_RANKS = 16,
  HISTORY_BUCKETS = 400,         ///< of equal width; when they are full, each two become one of twice the width
  HISTORY_FIRST_WIDTH = 16,      ///< cycles of a bucket in a short run
  HISTORY_LATENCIES = 1 << 16,   ///< bins of the histogram, 1 cycle wide until a longer latency doubles them
  HISTORY_SLOWEST = 10,          ///< columns whose lives are kept
  HISTORY_WAITING = 5            ///< of those that are not over at the end
};
/// A time that never came.
#define HISTORY_NEVER UINT64_MAX

struct history;

/// Frames through one port in one direction.
struct history_traffic {
  uint64_t frames, bytes;   ///< bytes without FCS, preamble and gap
};

/// What happened between two moments.
struct history_bucket {
  uint64_t in[HISTORY_PORTS], out[HISTORY_PORTS];   ///< bytes; a frame's are spread evenly from its first beat to its last
  uint64_t unfinished, complete;                    ///< slots that hold such a column, summed over the bucket's cycles
  uint32_t peak;                                    ///< most unfinished columns at the same time
};

/// What one rank gave to a column and got from it.
struct history_share {
  uint64_t decided;     ///< its packet was accepted
  uint64_t committed;   ///< and in its bank
  uint64_t left;        ///< first beat out of its first result
  uint64_t
      clock;   ///< `decided` as the device counts its cycles, and its waves do: from power-up on, and only while it is clocked
};

/// One column's life.
struct history_column {
  unsigned ring;   ///< index into history_view.rings
  uint32_t msgid;
  unsigned offset;
  uint64_t begun;       ///< first packet accepted
  uint64_t completed;   ///< last packet in its bank
  uint64_t ended;       ///< last rank's `left`
  unsigned repeats;     ///< duplicates that came meanwhile
  struct history_share shares[HISTORY_RANKS];
};

/// All of it, for reading. Owned by the history.
struct history_view {
  const struct drive_config *config;
  const struct drive_ring *rings;
  size_t ring_count;
  uint64_t end;       ///< cycle behind the last event
  uint64_t skipped;   ///< cycles before `end` in which the device was not clocked

  struct history_traffic in[HISTORY_PORTS], out[HISTORY_PORTS];
  const struct history_bucket *buckets;
  size_t bucket_count;     ///< up to `end`
  uint64_t bucket_width;   ///< cycles

  const uint64_t
      *latencies;   ///< HISTORY_LATENCIES bins: results whose latency is i * latency_width cycles or up to width - 1 more
  uint64_t latency_width;
  uint64_t latency_count;              ///< all results measured
  uint32_t latency_min, latency_max;   ///< exact; 0 if nothing was measured

  size_t slots;   ///< of all rings together
  size_t ended;   ///< columns whose every rank has got its result
  /// Longest from `begun` to `ended`, the slowest first; of equal ones the earlier.
  struct history_column slowest[HISTORY_SLOWEST];
  size_t slowest_count;
  /// Columns in a slot that are not over at the end, the oldest first. `waiting_all` counts those without room here, too.
  struct history_column waiting[HISTORY_WAITING];
  size_t waiting_count, waiting_all;
};

/// NULL if out of memory. The caller frees it.
struct history *history_new(void);
void history_free(struct history *h);
const struct history_view *history_view(const struct history *h);
/// Latency that `percent` percent of all results do not exceed (nearest rank), cycles: exact while bins are one cycle wide,
/// otherwise the longest of its bin. 0 if nothing was measured.
uint64_t history_percentile(const struct history_view *view, unsigned percent);

// --- for the bench; cycles are the device's ---

/// Before all else: the device and its rings. `config` stays where it is, `rings` are copied. False if out of memory.
bool history_set_up(struct history *h, const struct drive_config *config, const struct drive_ring *rings, size_t count);
/// Time begins with `cycle`; without this call, with cycle 0.
void history_begin(struct history *h, uint64_t cycle);
/// So many cycles pass in which the device is not clocked. Nothing is on its way.
void history_skip(struct history *h, uint64_t cycles);
/// A frame of `bytes` bytes went in, or out; cycles of its first and its last beat.
void history_in(struct history *h, unsigned port, size_t bytes, uint64_t first, uint64_t last);
void history_out(struct history *h, unsigned port, size_t bytes, uint64_t first, uint64_t last);
/// The device decided, committed or took.
void history_state(struct history *h, const struct scoreboard_event *event, uint64_t cycle);
/// The first result of `rank` of a complete column begins to leave, `latency` cycles after the column's last packet was in.
void history_result(struct history *h, unsigned ring, uint32_t msgid, unsigned offset, unsigned rank, uint64_t cycle,
                    uint32_t latency);
/// A ring's slots are empty.
void history_flush(struct history *h, unsigned ring, uint64_t cycle);
/// The run is over. Nothing may be told afterwards; the view is complete.
void history_finish(struct history *h);

#endif
