#include "sim/engine/pace.h"

#include <string.h>

#include "hosts/link.h"

/// A shorter frame is padded on the wire; without FCS.
enum { SHORTEST_FRAME = 60 };

bool pace_parse(const char *text, enum pace_kind *kind) {
  static const char *const names[] = {[PACE_ASAP] = "asap", [PACE_LINE] = "line", [PACE_RECORDED] = "recorded"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(text, names[i]) != 0) continue;
    *kind = (enum pace_kind)i;
    return true;
  }
  return false;
}

void pace_init(struct pace *p, enum pace_kind kind, uint64_t cycle, uint64_t first_ns) {
  *p = (struct pace){.kind = kind, .start = cycle, .first_ns = first_ns};
}

uint64_t pace_earliest(const struct pace *p, const struct trace_frame *frame) {
  switch (p->kind) {
    case PACE_LINE: return (p->free_at[frame->port] + PACE_BYTES - 1) / PACE_BYTES;
    case PACE_RECORDED:
      // Time stamps need not be in order; order is that of the file.
      return frame->ns < p->first_ns ? 0 : p->start + (frame->ns - p->first_ns) / PACE_NS;
    default: return 0;
  }
}

void pace_started(struct pace *p, const struct trace_frame *frame, uint64_t cycle) {
  uint64_t *free_at = &p->free_at[frame->port];
  // A line that was idle gathers no credit beyond the fraction of a cycle that a start had to be rounded up by.
  if ((*free_at + PACE_BYTES - 1) / PACE_BYTES < cycle) *free_at = cycle * PACE_BYTES;
  *free_at += (frame->len < SHORTEST_FRAME ? SHORTEST_FRAME : frame->len) + LINK_OVERHEAD;
}

void pace_skip(struct pace *p, uint64_t cycles) { p->start -= cycles; }
