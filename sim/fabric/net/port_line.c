#include "sim/fabric/net/port_line.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { FIRST_WIDTH = 10000 };

struct port_line *port_line_new(void) {
  struct port_line *l = need(calloc(1, sizeof *l));
  l->width = FIRST_WIDTH;
  return l;
}

static void join(struct port_step *into, const struct port_step *a, const struct port_step *b) {
  *into = (struct port_step){.bytes = a->bytes + b->bytes,
                             .marked = a->marked + b->marked,
                             .dropped = a->dropped + b->dropped,
                             .paused_ps = a->paused_ps + b->paused_ps,
                             .deepest = a->deepest > b->deepest ? a->deepest : b->deepest};
}

static void fold(struct port_line *l) {
  enum { HALF = PORT_LINE_STEPS / 2 };
  for (unsigned i = 0; i < HALF; i++) join(&l->steps[i], &l->steps[2 * i], &l->steps[2 * i + 1]);
  memset(l->steps + HALF, 0, HALF * sizeof *l->steps);
  l->width *= 2;
}

struct port_step *port_line_at(struct port_line *l, uint64_t time) {
  while (time / l->width >= PORT_LINE_STEPS) fold(l);
  return &l->steps[time / l->width];
}

void port_line_paused(struct port_line *l, uint64_t from, uint64_t to) {
  port_line_at(l, to);
  while (from < to) {
    const uint64_t end = (from / l->width + 1) * l->width, until = end < to ? end : to;
    port_line_at(l, from)->paused_ps += until - from;
    from = until;
  }
}

void port_line_widen(struct port_line *l, uint64_t width) {
  while (l->width < width) fold(l);
}
