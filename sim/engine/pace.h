/// When a frame of a capture may start at its port, counted in cycles.
#ifndef WEIR_SIM_PACE_H
#define WEIR_SIM_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/engine/trace.h"

enum pace_kind {
  PACE_ASAP,      ///< as soon as the port has taken the frame before it
  PACE_LINE,      ///< and no port faster than 100 Gb/s
  PACE_RECORDED   ///< and not before its time stamp
};

/// Nanoseconds of a cycle: 250 MHz.
#define PACE_NS 4u
/// Bytes that a 100 Gb/s port carries in a cycle.
#define PACE_BYTES 50u

struct pace {
  enum pace_kind kind;
  uint64_t start;         ///< cycle of the first time stamp; moves on when a wait is skipped
  uint64_t first_ns;      ///< first time stamp
  uint64_t free_at[64];   ///< for each port, when the line is free again, in fiftieths of a cycle
};

/// "asap", "line" or "recorded". False if it is none of these.
bool pace_parse(const char *text, enum pace_kind *kind);
/// The first frame's time is `cycle`.
void pace_init(struct pace *p, enum pace_kind kind, uint64_t cycle, uint64_t first_ns);
/// First cycle in which a frame may start.
uint64_t pace_earliest(const struct pace *p, const struct trace_frame *frame);
/// The frame starts in `cycle`, not before the earliest.
void pace_started(struct pace *p, const struct trace_frame *frame, uint64_t cycle);
/// The time stamps that come are `cycles` cycles earlier than they were.
void pace_skip(struct pace *p, uint64_t cycles);

#endif
