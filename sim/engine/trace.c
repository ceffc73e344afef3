#include "sim/engine/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "wire/capture_error.h"

enum { ETHERNET_HEADER = 14, FIRST_FRAMES = 1024, FIRST_BYTES = 1 << 20 };

/// What there is memory for while a trace grows.
struct room {
  size_t frames, bytes, used;   // used: bytes
};

/// Doubles `*array` until it holds `needed` elements. False if there is no memory; the array is as it was then.
static bool grow(void **array, size_t *room, size_t first, size_t needed, size_t element) {
  size_t larger = *room ? *room : first;
  while (larger < needed) larger *= 2;
  if (larger == *room) return true;
  void *moved = realloc(*array, larger * element);
  if (moved == NULL) return false;
  *array = moved;
  *room = larger;
  return true;
}

static bool append(struct trace *t, struct room *room, const struct capture_frame *frame) {
  void *frames = t->frames, *bytes = t->bytes;
  bool ok = grow(&frames, &room->frames, FIRST_FRAMES, t->count + 1, sizeof *t->frames) &&
            grow(&bytes, &room->bytes, FIRST_BYTES, room->used + frame->len, 1);
  t->frames = frames;
  t->bytes = bytes;
  if (!ok) return false;
  if (frame->len != 0) memcpy(t->bytes + room->used, frame->data, frame->len);
  room->used += frame->len;
  t->frames[t->count++] =
      (struct trace_frame){.len = frame->len, .port = frame->interface, .ns = frame->ns, .number = frame->number};
  return true;
}

/// Frames could not point into `bytes` while it still moved.
static void point(struct trace *t) {
  const uint8_t *at = t->bytes;
  for (size_t i = 0; i < t->count; i++) {
    t->frames[i].data = at;
    at += t->frames[i].len;
  }
}

static void split_by_mac(struct trace *t) {
  struct map ports = {0};
  unsigned next = 0;
  for (size_t i = 0; i < t->count; i++) {
    struct trace_frame *f = &t->frames[i];
    if (f->len < ETHERNET_HEADER) continue;
    uint64_t mac = 0;
    for (int k = 6; k < 12; k++) mac = mac << 8 | f->data[k];
    bool fresh;
    uint64_t *port = map_at(&ports, mac, &fresh);
    if (fresh) *port = next++;
    f->port = (unsigned)*port;
  }
  map_free(&ports);
}

/// Reads frames into `t`: 0, or -1 and `error`.
static int read_frames(struct capture *c, const char *path, size_t limit, struct trace *t, struct capture_error *error) {
  struct room room = {0};
  struct capture_frame frame;
  while (limit == 0 || t->count + t->cut < limit) {
    int got = capture_next(c, &frame, error);
    if (got <= 0) return got;
    if (frame.len < frame.wire_len) {
      t->cut++;
    } else if (!append(t, &room, &frame)) {
      char where[40];
      snprintf(where, sizeof where, "frame %llu: ", (unsigned long long)frame.number);
      capture_error_put(error, path, where, "no memory left for a capture of this size (--limit reads a part of it)");
      return -1;
    }
  }
  return 0;
}

int trace_load(const char *path, size_t limit, struct trace *trace, struct capture_error *error) {
  *trace = (struct trace){0};
  struct capture *c = capture_open(path, error);
  if (c == NULL) return -1;
  int result = read_frames(c, path, limit, trace, error);
  const unsigned interfaces = capture_interfaces(c);
  trace->split_by_mac = interfaces <= 1;
  capture_close(c);
  trace->path = strdup(path);
  if (result == 0 && trace->path == NULL) {
    capture_error_put(error, path, "", "out of memory");
    result = -1;
  }
  if (result != 0) {
    trace_free(trace);
    return -1;
  }
  point(trace);
  if (trace->split_by_mac) split_by_mac(trace);
  for (size_t i = 0; i < trace->count; i++) {
    if (trace->frames[i].port >= trace->ports) trace->ports = trace->frames[i].port + 1;
  }
  trace->cables = interfaces > trace->ports ? interfaces : trace->ports;
  return 0;
}

void trace_free(struct trace *trace) {
  free(trace->frames);
  free(trace->bytes);
  free(trace->path);
  *trace = (struct trace){0};
}
