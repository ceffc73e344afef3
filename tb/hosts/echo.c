#include "hosts/echo.h"

#include <stdlib.h>
#include <string.h>

struct echo {
  size_t room, bytes;
  size_t count, oldest, next;   // `next` counts from the oldest one
  size_t *lens;
  uint8_t *frames;
};

struct echo *echo_new(size_t frames, size_t bytes) {
  struct echo *e = calloc(1, sizeof *e);
  if (e == NULL) return NULL;
  *e = (struct echo){.room = frames, .bytes = bytes, .lens = calloc(frames, sizeof *e->lens), .frames = malloc(frames * bytes)};
  if (e->lens != NULL && e->frames != NULL) return e;
  echo_free(e);
  return NULL;
}

void echo_free(struct echo *e) {
  if (e == NULL) return;
  free(e->lens);
  free(e->frames);
  free(e);
}

void echo_note(struct echo *e, const uint8_t *frame, size_t len) {
  if (len > e->bytes) return;
  const size_t at = (e->oldest + e->count) % e->room;
  memcpy(e->frames + at * e->bytes, frame, len);
  e->lens[at] = len;
  if (e->count < e->room) {
    e->count++;
    return;
  }
  e->oldest = (e->oldest + 1) % e->room;
  if (e->next > 0) e->next--;   // goes on where it was
}

size_t echo_next(struct echo *e, uint8_t *frame, size_t size) {
  if (e->count == 0) return 0;
  if (e->next >= e->count) e->next = 0;
  const size_t at = (e->oldest + e->next++) % e->room;
  if (e->lens[at] > size) return 0;
  memcpy(frame, e->frames + at * e->bytes, e->lens[at]);
  return e->lens[at];
}
