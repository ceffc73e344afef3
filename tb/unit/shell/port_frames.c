#include "unit/shell/port_frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

unsigned frame_queue(unsigned prio) { return prio == 3; }

static struct frame *frame_new(size_t len) {
  struct frame *f = need(calloc(1, sizeof *f + len));
  f->len = len;
  return f;
}

struct frame *frame_draw(struct rng *rng, size_t len, unsigned prio) {
  struct frame *f = frame_new(len);
  rng_fill(rng, f->bytes, len);
  f->bytes[0] = 2;   // no MAC control
  f->prio = UNTAGGED;
  if (len >= 15) {
    f->bytes[12] = f->bytes[13] = 0;
    if (prio != UNTAGGED) {
      f->bytes[12] = prio & 1 ? 0x81 : 0x88;
      f->bytes[13] = prio & 1 ? 0x00 : 0xA8;
      f->bytes[14] = (uint8_t)(prio << 5 | rng_below(rng, 32));
      f->prio = prio;
    }
  }
  f->id = rng_below(rng, 16) << 1 | frame_queue(f->prio);
  f->user = rng_below(rng, 8) << 1;
  return f;
}

struct frame *frame_pause(struct rng *rng, unsigned enable, const unsigned quanta[PRIOS], bool classic) {
  static const uint8_t head[] = {0x01, 0x80, 0xC2, 0, 0, 0x01, 2, 2, 2, 2, 2, 2, 0x88, 0x08};
  // Also longer ones than 60 bytes, whose verdict comes in another beat.
  struct frame *f = frame_new(rng_percent(rng, 80) ? MIN_WIRE : rng_from(rng, MIN_WIRE, 130));
  memcpy(f->bytes, head, sizeof head);
  f->bytes[14] = classic ? 0 : 1;
  f->bytes[15] = 1;
  if (classic) {
    f->bytes[16] = (uint8_t)(quanta[0] >> 8);
    f->bytes[17] = (uint8_t)quanta[0];
  } else {
    f->bytes[17] = (uint8_t)enable;
    for (unsigned p = 0; p < PRIOS; p++) {
      f->bytes[18 + 2 * p] = (uint8_t)(quanta[p] >> 8);
      f->bytes[19 + 2 * p] = (uint8_t)quanta[p];
    }
  }
  f->control = true;
  return f;
}

void frame_list_put(struct frame_list *l, struct frame *f) {
  l->at = need_room(l->at, &l->room, l->count + 1, sizeof *l->at);
  l->at[l->count++] = f;
}

struct frame *frame_list_head(struct frame_list *l) {
  return l->head < l->count ? l->at[l->head] : NULL;
}

void frame_list_free(struct frame_list *l) {
  for (size_t i = 0; i < l->count; i++) free(l->at[i]);
  free(l->at);
  *l = (struct frame_list){0};
}

struct frame *frame_list_take(struct frame_list *l) {
  struct frame *f = frame_list_head(l);
  if (f) l->at[l->head++] = NULL;
  return f;
}
