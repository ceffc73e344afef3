#include "model/uplink/uplink_device.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/uplink/uplink_flow.h"
#include "model/uplink/uplink_key.h"

const char *const uplink_way_names[UPLINK_WAYS] = {"hash", "override", "goes_on", "first", "gap", "dead", "moved", "none"};

struct uplink_frame {
  size_t len, beats;   ///< beats: that have left its queue
  unsigned queue, way;
  int to;   ///< of all ports; -1: dropped
  uint64_t number;
  struct uplink_read read;
  uint8_t bytes[];
};

/// Frames, oldest first.
struct uplink_line {
  struct uplink_frame **at;
  size_t first, count, room;
};

/// Loads and links as they were when a cycle began.
struct seen {
  struct uplink_load load;
  uint32_t up;
};
enum { SEEN = 8 };   // more than the tournament of ports has levels

struct uplink_device {
  struct uplink_shape shape;
  struct uplink_settings settings;
  unsigned ports, levels;
  struct uplink_override override[UPLINK_MOST_OVERRIDES];
  struct uplink_flowlet *place;   ///< of each queue of a down port
  struct uplink_order *conns[UPLINK_ALL_PORTS][UPLINK_QUEUES];
  struct uplink_line coming[UPLINK_ALL_PORTS];
  struct uplink_line undecided[UPLINK_ALL_PORTS][UPLINK_QUEUES], leaving[UPLINK_ALL_PORTS][UPLINK_QUEUES];
  struct uplink_line held[UPLINK_ALL_PORTS][UPLINK_QUEUES];
  uint64_t now, numbers;
  bool begun;
  struct uplink_load load;
  uint32_t live;      ///< links by which is decided
  uint64_t settled;   ///< when they were last those that are up
  uint32_t sent;      ///< in this cycle, a bit for each uplink
  uint32_t counted;   ///< in the one before: loads are a cycle late
  struct seen seen[SEEN];
  struct uplink_counts counts;
  char text[300];
};

// --- lines ---

static void put(struct uplink_line *l, struct uplink_frame *f) {
  if (l->first > 64 && l->first * 2 > l->count) {
    memmove(l->at, l->at + l->first, (l->count - l->first) * sizeof(struct uplink_frame *));
    l->count -= l->first;
    l->first = 0;
  }
  l->at = need_room(l->at, &l->room, l->count + 1, sizeof *l->at);
  l->at[l->count++] = f;
}

static struct uplink_frame *head(const struct uplink_line *l) { return l->first < l->count ? l->at[l->first] : NULL; }
static struct uplink_frame *take(struct uplink_line *l) { return l->first < l->count ? l->at[l->first++] : NULL; }

static void empty(struct uplink_line *l) {
  for (struct uplink_frame *f; (f = take(l)) != NULL;) free(f);
  free(l->at);
}

__attribute__((format(printf, 2, 3))) static void wrong(struct uplink_device *d, const char *format, ...) {
  if (d->counts.mismatches++ > 0) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(d->text, sizeof d->text, format, arguments);
  va_end(arguments);
}

// --- the device ---

struct uplink_device *uplink_device_new(const struct uplink_shape *shape) {
  struct uplink_device *d = calloc(1, sizeof *d);
  if (d == NULL) return NULL;
  d->shape = *shape;
  d->ports = shape->down + shape->up;
  while (1u << d->levels < shape->up) d->levels++;
  d->place = calloc((size_t)shape->down * UPLINK_QUEUES * shape->places, sizeof *d->place);
  if (d->place == NULL) {
    free(d);
    return NULL;
  }
  for (unsigned p = 0; p < shape->down; p++)
    for (unsigned q = 0; q < UPLINK_QUEUES; q++) d->conns[p][q] = uplink_order_new(shape->conn_sets, shape->conn_ways);
  return d;
}

void uplink_device_free(struct uplink_device *d) {
  if (d == NULL) return;
  for (unsigned p = 0; p < d->ports; p++) {
    empty(&d->coming[p]);
    for (unsigned q = 0; q < UPLINK_QUEUES; q++) {
      // A frame that has been decided on is in `leaving` alone.
      if (d->conns[p][q] != NULL) uplink_order_free(d->conns[p][q]);
      empty(&d->undecided[p][q]);
      empty(&d->leaving[p][q]);
      empty(&d->held[p][q]);
    }
  }
  free(d->place);
  free(d);
}

void uplink_device_set(struct uplink_device *d, const struct uplink_settings *settings) { d->settings = *settings; }

void uplink_device_override(struct uplink_device *d, unsigned index, const struct uplink_override *entry) {
  d->override[index] = *entry;
}

void uplink_device_in(struct uplink_device *d, unsigned port, const uint8_t *frame, size_t len) {
  uint8_t enable;
  uint16_t quanta[UPLINK_PRIOS];
  bool control = false;
  uplink_pause_read(frame, len, &enable, quanta, &control);
  if (control) {
    d->counts.control++;
    return;
  }
  const size_t whole = len < UPLINK_SHORTEST ? UPLINK_SHORTEST : len;
  struct uplink_frame *f = need(calloc(1, sizeof *f + whole));
  f->len = len;
  f->number = ++d->numbers;
  memcpy(f->bytes, frame, len);
  uplink_read(frame, len, &f->read);
  f->queue = f->read.priority == UPLINK_OWN_PRIORITY;
  put(&d->coming[port], f);
}

void uplink_device_fate(struct uplink_device *d, unsigned port, bool taken) {
  struct uplink_frame *f = take(&d->coming[port]);
  if (f == NULL) {
    wrong(d, "cycle %" PRIu64 ", port %u: the fate of a frame that nobody sent", d->now, port);
  } else if (!taken) {
    d->counts.no_room++;
    free(f);
  } else {
    d->counts.taken++;
    if (port < d->shape.down) {
      put(&d->undecided[port][f->queue], f);
    } else {
      f->to = (int)((port - d->shape.down) % d->shape.down);
      put(&d->leaving[port][f->queue], f);
    }
  }
}

void uplink_device_cycle(struct uplink_device *d, uint32_t up, uint32_t live) {
  if (d->begun) {
    uplink_load_until(&d->load, d->now, UPLINK_LOAD_PERIOD);
    for (unsigned u = 0; u < d->shape.up; u++)
      if (d->counted >> u & 1) uplink_load_add(&d->load, u, 1);
    d->now++;
  }
  d->begun = true;
  d->counted = d->sent;
  d->sent = 0;
  d->seen[d->now % SEEN] = (struct seen){d->load, up};
  d->live = live;
  if (live == up) {
    d->settled = d->now;
  } else if (d->now - d->settled > UPLINK_SETTLES) {
    wrong(d, "cycle %" PRIu64 ": frames are decided on by links 0x%x, and 0x%x are up", d->now, live, up);
    d->settled = d->now;
  }
}

void uplink_device_decides(struct uplink_device *d, unsigned port, unsigned queue) {
  struct uplink_frame *f = take(&d->undecided[port][queue]);
  if (f == NULL) {
    wrong(d, "cycle %" PRIu64 ", port %u, queue %u: a decision without a frame", d->now, port, queue);
    return;
  }
  if (f->read.roce && uplink_has_order(f->read.opcode))
    d->counts.order[uplink_order_step(d->conns[port][queue], &f->read.key, f->read.opcode, f->read.psn)]++;
  const struct seen *seen = &d->seen[(d->now - d->levels) % SEEN];
  const uint32_t all = (UINT32_C(1) << d->shape.up) - 1, live = d->live & all;
  const uint32_t hash = uplink_hash(&f->read.key, d->settings.seed, d->settings.with_qp);
  const int over = uplink_overridden(d->override, d->shape.overrides, &f->read.key, live);
  const int hashed = uplink_choose(hash, live, d->shape.up);
  int to = hashed;
  f->way = UPLINK_NONE;
  if (live == 0) {
    to = -1;
  } else if (over >= 0) {
    to = over;
    f->way = UPLINK_OVERRIDE;
  } else if (d->settings.flowlets) {
    static const unsigned ways[] = {[UPLINK_GOES_ON] = UPLINK_WAY_GOES_ON,
                                    [UPLINK_FIRST] = UPLINK_WAY_FIRST,
                                    [UPLINK_GAP] = UPLINK_WAY_GAP,
                                    [UPLINK_DEAD] = UPLINK_WAY_DEAD};
    struct uplink_flowlet *place = &d->place[(size_t)(port * UPLINK_QUEUES + queue) * d->shape.places + hash % d->shape.places];
    enum uplink_flowlet_why why;
    const int least = uplink_load_least(&seen->load, live, d->shape.up);
    to = (int)uplink_flowlet_step(place, d->now, d->settings.interval, live, (unsigned)least, &why);
    f->way = ways[why];
  } else {
    f->way = UPLINK_HASH;
  }
  f->to = to < 0 ? -1 : to + (int)d->shape.down;
  put(&d->leaving[port][queue], f);
}

static void begin(struct uplink_device *d, struct uplink_frame *f, unsigned port, bool dropped, unsigned to, unsigned why) {
  const bool up = port < d->shape.down;
  // Links are looked at a cycle before.
  const bool dead = up && f->to >= 0 && (d->seen[(d->now - 1) % SEEN].up >> ((unsigned)f->to - d->shape.down) & 1) == 0;
  // Who is behind a gap may have been forgotten, and then is the first.
  if (up && f->way == UPLINK_WAY_GAP && why == UPLINK_WAY_FIRST) f->way = why;
  if (up && f->way != UPLINK_NONE && why != f->way)
    wrong(d, "cycle %" PRIu64 ", frame %" PRIu64 " of port %u: decided on by %s, not %s", d->now, f->number, port,
          uplink_way_names[why % UPLINK_WAYS], uplink_way_names[f->way]);
  if (dropped != (f->to < 0 || dead))
    wrong(d, "cycle %" PRIu64 ", frame %" PRIu64 " of port %u: %s", d->now, f->number, port,
          dropped ? "dropped, and its port lives" : "sent to a port that is dead");
  else if (!dropped && (int)to != f->to)
    wrong(d, "cycle %" PRIu64 ", frame %" PRIu64 " of port %u: sent to port %u, not %d (%s)", d->now, f->number, port, to, f->to,
          uplink_way_names[f->way]);
  if (up) d->counts.ways[f->way]++;
  if (dropped && f->way != UPLINK_NONE) d->counts.lost++;
  f->to = dropped ? -1 : (int)to;
}

void uplink_device_beat(struct uplink_device *d, unsigned port, unsigned queue, bool begins, bool dropped, unsigned to,
                        unsigned why) {
  struct uplink_frame *f = head(&d->leaving[port][queue]);
  if (f == NULL) {
    wrong(d, "cycle %" PRIu64 ", port %u, queue %u: a beat without a frame", d->now, port, queue);
    return;
  }
  if (begins != (f->beats == 0))
    wrong(d, "cycle %" PRIu64 ", frame %" PRIu64 " of port %u: beat %zu is%s the first", d->now, f->number, port, f->beats,
          begins ? "" : " not");
  if (f->beats == 0) begin(d, f, port, dropped, to, why);
  f->beats++;
  if (f->to >= 0 && port < d->shape.down) d->sent |= UINT32_C(1) << ((unsigned)f->to - d->shape.down);
  if (f->beats * UPLINK_BEAT < f->len) return;
  take(&d->leaving[port][queue]);
  if (f->to >= 0)
    put(&d->held[f->to][queue], f);
  else
    free(f);
}

void uplink_device_out(struct uplink_device *d, unsigned port, const uint8_t *frame, size_t len) {
  struct uplink_read read;
  uplink_read(frame, len, &read);
  const unsigned queue = read.priority == UPLINK_OWN_PRIORITY;
  uint64_t expected = 0;
  d->counts.out[port]++;
  // What a storm or a dead link has taken away stands in front of it.
  for (struct uplink_line *l = &d->held[port][queue]; head(l) != NULL; d->counts.skipped[port]++) {
    struct uplink_frame *f = take(l);
    const size_t whole = f->len < UPLINK_SHORTEST ? UPLINK_SHORTEST : f->len;
    const bool same = whole == len && memcmp(f->bytes, frame, len) == 0;
    if (expected == 0) expected = f->number;
    free(f);
    if (same) return;
  }
  wrong(d, "cycle %" PRIu64 ", port %u: a frame of %zu bytes that should not leave; expected is frame %" PRIu64, d->now, port,
        len, expected);
}

uint64_t uplink_device_inside(const struct uplink_device *d) {
  uint64_t inside = 0;
  for (unsigned p = 0; p < d->ports; p++) {
    for (unsigned q = 0; q < UPLINK_QUEUES; q++) {
      const struct uplink_line *lines[] = {&d->undecided[p][q], &d->leaving[p][q], &d->held[p][q]};
      for (size_t i = 0; i < 3; i++) inside += lines[i]->count - lines[i]->first;
    }
    inside += d->coming[p].count - d->coming[p].first;
  }
  return inside;
}

void uplink_device_end(struct uplink_device *d) {
  for (unsigned p = 0; p < d->ports; p++) {
    for (unsigned q = 0; q < UPLINK_QUEUES; q++) {
      if (head(&d->undecided[p][q]) != NULL || head(&d->leaving[p][q]) != NULL)
        wrong(d, "port %u, queue %u: a frame that was let in never left", p, q);
      for (struct uplink_frame *f; (f = take(&d->held[p][q])) != NULL; free(f)) d->counts.skipped[p]++;
    }
    if (head(&d->coming[p]) != NULL) wrong(d, "port %u: a frame has no fate", p);
  }
}

const struct uplink_counts *uplink_device_counts(const struct uplink_device *d) { return &d->counts; }
const char *uplink_device_text(const struct uplink_device *d) { return d->counts.mismatches > 0 ? d->text : NULL; }
