#include "sim/engine/history.h"

#include <stdlib.h>
#include <string.h>

/// A column and how many ranks it still owes a first result.
struct slot_life {
  struct history_column column;
  unsigned owed;
};

/// A slot of a ring. A result may still be on its way to its port when the slot is given to the next column.
struct history_slot {
  enum slot_state { EMPTY, UNFINISHED, COMPLETE } state;
  struct slot_life now, before;
};

struct history {
  struct history_view view;
  struct drive_ring *rings;
  size_t *first;   // of each ring: its first slot here
  struct history_slot *slots;
  struct history_bucket buckets[HISTORY_BUCKETS];
  uint64_t latencies[HISTORY_LATENCIES];
  uint64_t origin;    // cycle of the device at which time begins
  uint32_t held[3];   // slots in each state
  uint64_t counted;   // time up to which buckets know of slots
};

// ------------------------------------------------------------------------------------------------ opening and closing

struct history *history_new(void) {
  struct history *h = calloc(1, sizeof *h);
  if (h == NULL) return NULL;
  h->view.buckets = h->buckets;
  h->view.bucket_width = HISTORY_FIRST_WIDTH;
  h->view.latencies = h->latencies;
  h->view.latency_width = 1;
  return h;
}

void history_free(struct history *h) {
  if (h == NULL) return;
  free(h->rings);
  free(h->first);
  free(h->slots);
  free(h);
}

const struct history_view *history_view(const struct history *h) { return &h->view; }

bool history_set_up(struct history *h, const struct drive_config *config, const struct drive_ring *rings, size_t count) {
  h->view.config = config;
  if (count == 0) return true;
  h->rings = calloc(count, sizeof *h->rings);
  h->first = calloc(count, sizeof *h->first);
  for (size_t i = 0; i < count && h->first != NULL; i++) {
    h->first[i] = h->view.slots;
    h->view.slots += (size_t)2 * rings[i].window * rings[i].stride;
  }
  h->slots = calloc(h->view.slots, sizeof *h->slots);
  if (h->rings == NULL || h->first == NULL || h->slots == NULL) return false;
  memcpy(h->rings, rings, count * sizeof *rings);
  h->held[EMPTY] = (uint32_t)h->view.slots;
  h->view.rings = h->rings;
  h->view.ring_count = count;
  return true;
}

// ------------------------------------------------------------------------------------------------ time

static void merge_buckets(struct history *h) {
  for (size_t i = 0; i < HISTORY_BUCKETS / 2; i++) {
    struct history_bucket sum = h->buckets[2 * i];
    const struct history_bucket *other = &h->buckets[2 * i + 1];
    for (unsigned p = 0; p < HISTORY_PORTS; p++) {
      sum.in[p] += other->in[p];
      sum.out[p] += other->out[p];
    }
    sum.unfinished += other->unfinished;
    sum.complete += other->complete;
    if (other->peak > sum.peak) sum.peak = other->peak;
    h->buckets[i] = sum;
  }
  memset(h->buckets + HISTORY_BUCKETS / 2, 0, sizeof h->buckets / 2);
  h->view.bucket_width *= 2;
}

/// The time of a cycle of the device; there is a bucket for it.
static uint64_t time_of(struct history *h, uint64_t cycle) {
  const uint64_t time = (cycle > h->origin ? cycle - h->origin : 0) + h->view.skipped;
  while (time / h->view.bucket_width >= HISTORY_BUCKETS) merge_buckets(h);
  if (time >= h->view.end) {
    h->view.end = time + 1;
    h->view.bucket_count = (size_t)(time / h->view.bucket_width) + 1;
  }
  return time;
}

void history_begin(struct history *h, uint64_t cycle) { h->origin = cycle; }

void history_skip(struct history *h, uint64_t cycles) { h->view.skipped += cycles; }

/// Where the bucket that holds `time` ends, but no later than `limit`.
static uint64_t bucket_end(const struct history *h, uint64_t time, uint64_t limit) {
  const uint64_t end = (time / h->view.bucket_width + 1) * h->view.bucket_width;
  return end < limit ? end : limit;
}

// ------------------------------------------------------------------------------------------------ frames

static void add_frame(struct history *h, struct history_traffic *sum, unsigned port, bool in, size_t bytes, uint64_t first,
                      uint64_t last) {
  const uint64_t from = time_of(h, first), to = time_of(h, last) + 1;
  uint64_t done = 0;
  sum->frames++;
  sum->bytes += bytes;
  for (uint64_t at = from; at < to;) {
    struct history_bucket *b = &h->buckets[at / h->view.bucket_width];
    at = bucket_end(h, at, to);
    const uint64_t sofar = bytes * (at - from) / (to - from);
    *(in ? &b->in[port] : &b->out[port]) += sofar - done;
    done = sofar;
  }
}

void history_in(struct history *h, unsigned port, size_t bytes, uint64_t first, uint64_t last) {
  add_frame(h, &h->view.in[port], port, true, bytes, first, last);
}

void history_out(struct history *h, unsigned port, size_t bytes, uint64_t first, uint64_t last) {
  add_frame(h, &h->view.out[port], port, false, bytes, first, last);
}

// ------------------------------------------------------------------------------------------------ slots

/// Buckets learn how the slots were until `time`.
static void count_slots(struct history *h, uint64_t time) {
  while (h->counted < time) {
    struct history_bucket *b = &h->buckets[h->counted / h->view.bucket_width];
    const uint64_t end = bucket_end(h, h->counted, time);
    b->unfinished += h->held[UNFINISHED] * (end - h->counted);
    b->complete += h->held[COMPLETE] * (end - h->counted);
    if (h->held[UNFINISHED] > b->peak) b->peak = h->held[UNFINISHED];
    h->counted = end;
  }
}

static void set_state(struct history *h, struct history_slot *s, enum slot_state state, uint64_t time) {
  count_slots(h, time);
  h->held[s->state]--;
  h->held[state]++;
  s->state = state;
}

/// NULL for what is no column of a ring; a device that is wrong may name any.
static struct history_slot *slot_at(struct history *h, unsigned ring, uint32_t msgid, unsigned offset) {
  if (ring >= h->view.ring_count || offset >= h->rings[ring].stride) return NULL;
  const struct drive_ring *r = &h->rings[ring];
  return &h->slots[h->first[ring] + (size_t)(msgid % (2 * r->window)) * r->stride + offset];
}

// ------------------------------------------------------------------------------------------------ lives

static void begin_life(struct history *h, struct history_slot *s, const struct scoreboard_event *e, uint64_t time) {
  if (s->now.owed > 0) s->before = s->now;
  set_state(h, s, UNFINISHED, time);
  s->now.owed = h->rings[e->ring].workers;
  struct history_column *c = &s->now.column;
  *c = (struct history_column){.ring = e->ring, .msgid = e->msgid, .offset = e->offset, .begun = time};
  c->completed = c->ended = HISTORY_NEVER;
  for (unsigned r = 0; r < HISTORY_RANKS; r++)
    c->shares[r] = (struct history_share){HISTORY_NEVER, HISTORY_NEVER, HISTORY_NEVER, HISTORY_NEVER};
}

/// Puts a column into a sorted list of at most `room`, in front of those with a smaller `key`.
static void keep(struct history_column *list, size_t *count, size_t room, const struct history_column *column,
                 uint64_t (*key)(const struct history_column *)) {
  size_t at = *count;
  while (at > 0 && key(&list[at - 1]) < key(column)) at--;
  if (at == room) return;
  if (*count < room) ++*count;
  memmove(list + at + 1, list + at, (*count - 1 - at) * sizeof *list);
  list[at] = *column;
}

static uint64_t duration(const struct history_column *c) { return c->ended - c->begun; }
static uint64_t age(const struct history_column *c) { return HISTORY_NEVER - c->begun; }

static void on_decide(struct history *h, struct history_slot *s, const struct scoreboard_event *e, uint64_t time,
                      uint64_t cycle) {
  if (e->fate != FATE_STORED && e->fate != FATE_DUPLICATE) return;
  const bool same = s->state != EMPTY && s->now.column.msgid == e->msgid;
  if (e->fate == FATE_DUPLICATE) {
    if (same) s->now.column.repeats++;
    return;
  }
  if (!same) begin_life(h, s, e, time);
  s->now.column.shares[e->rank].decided = time;
  s->now.column.shares[e->rank].clock = cycle;
}

static void on_commit(struct history *h, struct history_slot *s, const struct scoreboard_event *e, uint64_t time) {
  struct history_column *c = &s->now.column;
  if (s->state == EMPTY || c->msgid != e->msgid) return;
  // A duplicate is committed, too.
  if (c->shares[e->rank].committed == HISTORY_NEVER) c->shares[e->rank].committed = time;
  if (!e->completes || s->state != UNFINISHED) return;
  c->completed = time;
  set_state(h, s, COMPLETE, time);
}

/// A result of a column says that nobody waits any more for the one that is N messages older (docs/protocol.md, Slot).
static void on_take(struct history *h, const struct scoreboard_event *e, uint64_t time) {
  const uint32_t next = e->msgid + h->rings[e->ring].window;
  struct history_slot *s = slot_at(h, e->ring, next, e->offset);
  if (s->state != EMPTY && (int32_t)(s->now.column.msgid - next) < 0) set_state(h, s, EMPTY, time);
}

void history_state(struct history *h, const struct scoreboard_event *event, uint64_t cycle) {
  const uint64_t time = time_of(h, cycle);
  struct history_slot *s = slot_at(h, event->ring, event->msgid, event->offset);
  if (s == NULL || event->rank >= HISTORY_RANKS) return;
  switch (event->kind) {
    case SCOREBOARD_DECIDE: on_decide(h, s, event, time, cycle); break;
    case SCOREBOARD_COMMIT: on_commit(h, s, event, time); break;
    case SCOREBOARD_TAKE: on_take(h, event, time); break;
  }
}

static void add_latency(struct history *h, uint32_t latency) {
  struct history_view *v = &h->view;
  while (latency / v->latency_width >= HISTORY_LATENCIES) {
    for (size_t i = 0; i < HISTORY_LATENCIES / 2; i++) h->latencies[i] = h->latencies[2 * i] + h->latencies[2 * i + 1];
    memset(h->latencies + HISTORY_LATENCIES / 2, 0, sizeof h->latencies / 2);
    v->latency_width *= 2;
  }
  h->latencies[latency / v->latency_width]++;
  if (v->latency_count++ == 0) v->latency_min = latency;
  if (latency < v->latency_min) v->latency_min = latency;
  if (latency > v->latency_max) v->latency_max = latency;
}

uint64_t history_percentile(const struct history_view *v, unsigned percent) {
  const uint64_t rank = (v->latency_count * percent + 99) / 100;
  uint64_t sum = 0, bin = 0;
  if (v->latency_count == 0) return 0;
  while ((sum += v->latencies[bin]) < rank) bin++;
  const uint64_t longest = (bin + 1) * v->latency_width - 1;
  return longest < v->latency_max ? longest : v->latency_max;
}

void history_result(struct history *h, unsigned ring, uint32_t msgid, unsigned offset, unsigned rank, uint64_t cycle,
                    uint32_t latency) {
  const uint64_t time = time_of(h, cycle);
  add_latency(h, latency);
  struct history_slot *s = slot_at(h, ring, msgid, offset);
  if (s == NULL || rank >= HISTORY_RANKS) return;
  struct slot_life *l = s->now.column.msgid == msgid ? &s->now : &s->before;
  if (l->owed == 0 || l->column.msgid != msgid) return;
  l->column.shares[rank].left = time;
  if (--l->owed > 0) return;
  l->column.ended = time;
  h->view.ended++;
  keep(h->view.slowest, &h->view.slowest_count, HISTORY_SLOWEST, &l->column, duration);
}

void history_flush(struct history *h, unsigned ring, uint64_t cycle) {
  const uint64_t time = time_of(h, cycle);
  const size_t slots = (size_t)2 * h->rings[ring].window * h->rings[ring].stride;
  for (size_t i = 0; i < slots; i++) {
    struct history_slot *s = &h->slots[h->first[ring] + i];
    set_state(h, s, EMPTY, time);
    s->now.owed = s->before.owed = 0;
  }
}

void history_finish(struct history *h) {
  struct history_view *v = &h->view;
  count_slots(h, v->end);
  for (size_t i = 0; i < v->slots; i++) {
    const struct history_slot *s = &h->slots[i];
    if (s->state == EMPTY || s->now.owed == 0) continue;
    v->waiting_all++;
    keep(v->waiting, &v->waiting_count, HISTORY_WAITING, &s->now.column, age);
  }
}
