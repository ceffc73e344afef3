/// What happens at a port over time, in steps that become longer as the run does: always as many of them, so that any run fits a picture.
#ifndef WEIR_SIM_PORT_LINE_H
#define WEIR_SIM_PORT_LINE_H

#include <stdint.h>

enum { PORT_LINE_STEPS = 64 };

/// Sums of a step; `deepest` is the most.
struct port_step {
  uint64_t bytes, marked, dropped;   ///< sent, with a mark among them (packets); came in and found no room (packets)
  uint64_t paused_ps;                ///< time for which the other end has stopped this one
  uint64_t deepest;                  ///< bytes queued
};

struct port_line {
  uint64_t width;   ///< of a step, ps
  struct port_step steps[PORT_LINE_STEPS];
};

/// NULL for who keeps none. The caller frees it.
struct port_line *port_line_new(void);
/// The step of a time.
struct port_step *port_line_at(struct port_line *l, uint64_t time_ps);
/// The port was stopped from one time to another.
void port_line_paused(struct port_line *l, uint64_t from_ps, uint64_t to_ps);
/// Makes steps at least so wide.
void port_line_widen(struct port_line *l, uint64_t width_ps);

#endif
