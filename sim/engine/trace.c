#include "sim/engine/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"

enum { ETHERNET_HEADER = 14 };

/// What there is memory for while a trace grows.
struct room {
  size_t frames, bytes, used;   // used: bytes
};

static bool append(struct trace *t, struct room *room, const struct capture_frame *frame) {
  struct trace_frame *frames = try_room(t->frames, &room->frames, t->count + 1, sizeof *frames);
  if (frames == NULL) return false;
  t->frames = frames;
  uint8_t *bytes = try_room(t->bytes, &room->bytes, room->used + frame->len, 1);
  if (bytes == NULL) return false;
  t->bytes = bytes;
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
static int read_frames(struct capture *c, const char *path, size_t limit, struct trace *t, struct file_error *error) {
  struct room room = {0};
  struct capture_frame frame;
  while (limit == 0 || t->count + t->cut < limit) {
    int got = capture_next(c, &frame, error);
    if (got <= 0) return got;
    if (frame.len < frame.wire_len) {
      t->cut++;
    } else if (!append(t, &room, &frame)) {
      char where[40];
      snprintf(where, sizeof where, "frame %llu", (unsigned long long)frame.number);
      file_error_put(error, path, where, "no memory left for a capture of this size (--limit reads a part of it)");
      return -1;
    }
  }
  return 0;
}

int trace_load(const char *path, size_t limit, struct trace *trace, struct file_error *error) {
  *trace = (struct trace){0};
  struct capture *c = capture_open(path, error);
  if (c == NULL) return -1;
  int result = read_frames(c, path, limit, trace, error);
  const unsigned interfaces = capture_interfaces(c);
  trace->split_by_mac = interfaces <= 1;
  capture_close(c);
  trace->path = strdup(path);
  if (result == 0 && trace->path == NULL) {
    file_error_put(error, path, NULL, "out of memory");
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
