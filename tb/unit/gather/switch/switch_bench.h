/// A bench around gather_switch_sized: frames go in at all ports, and each PR must leave once, as it came or as a response from the cache, at the
/// right port, in a frame with the right addresses and ICRC. It pauses when it is asked to, unless told not to.
#ifndef WEIR_UNIT_GATHER_SWITCH_BENCH_H
#define WEIR_UNIT_GATHER_SWITCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drive/dut.h"
#include "structs/gather_obs_pkg.h"
#include "structs/gather_pkg.h"
#include "unit/gather/gather_prs.h"

enum { MAX_PORTS = 4, MAX_NODES = 16, MAX_FRAMES = 3000, MAX_WANTS = 90000, BENCH_DELAY = 60 };

struct frame {
  uint8_t *data;
  size_t len;
  unsigned fate;
};

struct want {
  struct pr pr;
  unsigned pipe;   ///< of a response: of the port by which it came
  bool done;
};

struct bench {
  struct dut *dut;
  unsigned ports, pipes, nodes;
  struct frame *frames[MAX_PORTS][2];   ///< to be sent, by class; reads and responses overtake each other
  size_t count[MAX_PORTS][2], in[MAX_PORTS][2], in_beat[MAX_PORTS];
  unsigned turn[MAX_PORTS];   ///< class of the frame that goes in, or went in last
  struct want *wants;         ///< PRs that were sent
  size_t wants_count, left;
  uint8_t out[MAX_PORTS][2048];   ///< frames that leave
  size_t out_len[MAX_PORTS];
  uint64_t last_out, turned, frames_out[MAX_PORTS], fates[MAX_PORTS][NumPortCounters];
  uint64_t prs_out[2];                     ///< that left, by class
  uint32_t pauses;                         ///< pause_i: two bits a port, reads in the lower one
  unsigned pauses_randomly;                ///< one in so many of them changes in a cycle; 0: none
  uint32_t stopped;                        ///< ports that take no beat, a bit each
  bool spread;                             ///< reads, and responses in each pipe, leave by different ports
  bool deaf;                               ///< sends while it is asked to pause
  uint64_t thrown_frames[2], thrown_prs;   ///< that the switch has thrown away, by class
};

/// For cmocka: a switch after reset, with its nodes told and its caches cleared; `*state` is the bench.
int switch_bench_setup(void **state);
int switch_bench_teardown(void **state);
/// From now on reads, and responses in each pipe, to a node leave by different ports. Nothing is inside.
void switch_bench_spread(struct bench *b);
/// Settings: cycles that PRs wait, and that a class waits for a receiver.
void switch_bench_settings(struct bench *b, unsigned delay, unsigned pause_limit);

/// A frame that will meet `fate` comes in at `port`, behind those that are there.
void switch_bench_frame(struct bench *b, unsigned port, const uint8_t *data, size_t len, unsigned fate);
/// A packet of `count` PRs (at most what fits) of columns below `columns` to `dest`; its PRs are wanted.
void switch_bench_prs(struct bench *b, unsigned port, bool response, unsigned dest, unsigned len, size_t count, unsigned columns);
/// A random packet from the nodes behind `port`; one in seven is spoiled.
void switch_bench_packet(struct bench *b, unsigned port, bool response, unsigned len, unsigned columns);

/// One cycle. One in `idle` frames does not come, one in `stall` ports does not take; 0: none.
void switch_bench_cycle(struct bench *b, unsigned idle, unsigned stall);
/// Runs until all frames are in and nothing comes out any more, and all PRs have left. Returns the cycles until the last frame was out.
uint64_t switch_bench_run(struct bench *b, unsigned idle, unsigned stall);

uint64_t switch_bench_port(struct bench *b, unsigned port, unsigned which);
uint64_t switch_bench_pipes(struct bench *b, unsigned which);

#endif
