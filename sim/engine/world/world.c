#include "sim/engine/world/world.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/engine/world/heap.h"
#include "sim/engine/world/ranks.h"

enum { THING_BITS = 20 };

struct part {
  const struct world_acts *acts;
  void *self;
  uint32_t timers, first_timer;   // the number of its timer 0 among all of the world
  unsigned rank;
  uint64_t hash;
};

struct world_way {
  uint32_t to, port;
  uint64_t delay;
  struct packet_ring packets;   // under way
};

struct timer {
  uint64_t due;
  uint32_t part, number;
};

// What another process is to be told: one packet on a cable that ends there. Its frame's bytes, `bytes` of them, are behind it.
struct parcel {
  uint32_t cable, bytes;
  struct world_packet packet;
};

// What is in front of the parcels that one process has for another: what all have to agree on before the next turn.
struct letterhead {
  uint64_t first;    // the earliest event that its sender knows of, or has sent to anybody
  uint64_t enough;   // 1: it has done as much as it was asked to
};

// A letterhead, and parcels one behind the other, each from a multiple of its alignment.
struct outbox {
  unsigned char *parcels;
  size_t bytes, room;
};

struct world {
  struct part *parts;
  struct world_way *cables;
  struct timer *timers;
  size_t part_count, part_room, cable_count, cable_room, timer_count, timer_room;
  struct heap heap;   // time above, the number of a cable or (behind those) a timer below
  uint64_t now, horizon, lookahead, events, turns;
  bool beyond;
  struct outbox *outboxes;   // one a process
  uint64_t posted;           // the earliest time in them
};

struct world_packet *packet_ring_put(struct packet_ring *r) {
  if (r->count == r->room) {
    const uint32_t room = r->room > 0 ? 2 * r->room : 4;
    struct world_packet *packets = need(malloc(room * sizeof *packets));
    for (uint32_t i = 0; i < r->count; i++) packets[i] = r->packets[(r->first + i) & (r->room - 1)];
    free(r->packets);
    r->packets = packets;
    r->room = room;
    r->first = 0;
  }
  return &r->packets[(r->first + r->count++) & (r->room - 1)];
}

void packet_ring_free(struct packet_ring *r) { free(r->packets); }

struct world_frame *world_frame_new(const uint8_t *bytes, size_t len) {
  struct world_frame *f = need(malloc(sizeof *f + len));
  f->len = len;
  memcpy(f->data, bytes, len);
  return f;
}

static void clear(struct outbox *o) {
  _Static_assert(sizeof(struct letterhead) % _Alignof(struct parcel) == 0, "parcels are behind it");
  o->parcels = need_room(o->parcels, &o->room, sizeof(struct letterhead), 1);
  o->bytes = sizeof(struct letterhead);
}

struct world *world_new(void) {
  struct world *w = need(calloc(1, sizeof *w));
  w->lookahead = WORLD_END;
  w->outboxes = need(calloc(ranks_count(), sizeof *w->outboxes));
  for (unsigned r = 0; r < ranks_count(); r++) clear(&w->outboxes[r]);
  w->posted = WORLD_END;
  return w;
}

void world_free(struct world *w) {
  if (w == NULL) return;
  for (size_t c = 0; c < w->cable_count; c++) {
    struct packet_ring *under_way = &w->cables[c].packets;
    for (; under_way->count > 0; packet_ring_drop(under_way)) free(packet_ring_first(under_way)->frame);
    packet_ring_free(under_way);
  }
  for (unsigned r = 0; r < ranks_count(); r++) free(w->outboxes[r].parcels);
  free(w->outboxes);
  free(w->parts);
  free(w->cables);
  free(w->timers);
  free(w->heap.keys);
  free(w);
}

uint32_t world_part(struct world *w, const struct world_acts *acts, void *self, uint32_t timers, unsigned rank) {
  w->parts = need_room(w->parts, &w->part_room, w->part_count + 1, sizeof *w->parts);
  const uint32_t number = (uint32_t)w->part_count++;
  w->parts[number] = (struct part){
      .acts = acts, .self = self, .timers = timers, .first_timer = (uint32_t)w->timer_count, .rank = rank, .hash = number};
  w->timers = need_room(w->timers, &w->timer_room, w->timer_count + timers, sizeof *w->timers);
  for (uint32_t t = 0; t < timers; t++)
    w->timers[w->timer_count++] = (struct timer){.due = WORLD_NEVER, .part = number, .number = t};
  return number;
}

uint32_t world_cable(struct world *w, uint32_t from, uint32_t to, uint32_t port, uint64_t delay_ps) {
  w->cables = need_room(w->cables, &w->cable_room, w->cable_count + 1, sizeof *w->cables);
  w->cables[w->cable_count] = (struct world_way){.to = to, .port = port, .delay = delay_ps};
  if (w->parts[from].rank != w->parts[to].rank && delay_ps < w->lookahead) w->lookahead = delay_ps;
  return (uint32_t)w->cable_count++;
}

bool world_ready(struct world *w) { return w->cable_count + w->timer_count <= WORLD_THINGS; }

bool world_owns(const struct world *w, uint32_t part) { return w->parts[part].rank == ranks_own(); }
uint64_t world_now(const struct world *w) { return w->now; }
uint64_t world_events(const struct world *w) { return w->events; }
uint64_t world_turns(const struct world *w) { return w->turns; }

static uint64_t mixed(uint64_t x) {
  x ^= x >> 32;
  x *= UINT64_C(0xD6E8FEB86659FD93);
  return x ^ x >> 32;
}

uint64_t world_hash(const struct world *w) {
  uint64_t sum = 0;
  for (size_t p = 0; p < w->part_count; p++)
    if (world_owns(w, (uint32_t)p)) sum += mixed(w->parts[p].hash);
  return sum;
}

static void put_event(struct world *w, uint64_t time, size_t thing) {
  if (time < WORLD_END) heap_put(&w->heap, time << THING_BITS | thing);
}

// The packet is under way to a part of this process.
static void take_in(struct world *w, uint32_t cable, uint64_t time, const struct world_packet *packet) {
  struct world_way *c = &w->cables[cable];
  struct world_packet *place = packet_ring_put(&c->packets);
  *place = *packet;
  place->time = time;
  if (c->packets.count == 1) put_event(w, time, cable);
}

static size_t parcel_size(size_t bytes) {
  return sizeof(struct parcel) + (bytes + _Alignof(struct parcel) - 1) / _Alignof(struct parcel) * _Alignof(struct parcel);
}

// The packet is to go to another process; its frame's bytes are copied, and the frame is no more.
static void post(struct outbox *o, uint32_t cable, uint64_t time, const struct world_packet *packet) {
  struct world_frame *frame = packet->frame;
  const size_t bytes = frame != NULL ? frame->len : 0, size = parcel_size(bytes);
  o->parcels = need_room(o->parcels, &o->room, o->bytes + size, 1);
  struct parcel *parcel = (struct parcel *)(void *)(o->parcels + o->bytes);
  *parcel = (struct parcel){.cable = cable, .bytes = (uint32_t)bytes, .packet = *packet};
  parcel->packet.time = time;
  if (bytes > 0) memcpy(parcel + 1, frame->data, bytes);
  o->bytes += size;
  free(frame);
}

// The packets of `in_bytes` bytes that came from another process.
static void unpack(struct world *w, const unsigned char *in, size_t in_bytes) {
  for (size_t at = sizeof(struct letterhead); at < in_bytes;) {
    const struct parcel *parcel = (const struct parcel *)(const void *)(in + at);
    struct world_packet packet = parcel->packet;
    if (packet.frame != NULL) packet.frame = world_frame_new((const uint8_t *)(parcel + 1), parcel->bytes);
    take_in(w, parcel->cable, packet.time, &packet);
    at += parcel_size(parcel->bytes);
  }
}

void world_send(struct world *w, uint32_t cable, uint64_t time, const struct world_packet *packet) {
  const struct world_way *c = &w->cables[cable];
  const unsigned rank = w->parts[c->to].rank;
  if (rank == ranks_own()) {
    take_in(w, cable, time + c->delay, packet);
    return;
  }
  if (time + c->delay < w->posted) w->posted = time + c->delay;
  post(&w->outboxes[rank], cable, time + c->delay, packet);
}

void world_wake(struct world *w, uint32_t part, uint32_t timer, uint64_t time) {
  const uint32_t number = w->parts[part].first_timer + timer;
  struct timer *t = &w->timers[number];
  if (time >= t->due) return;
  t->due = time;
  put_event(w, time, w->cable_count + number);
}

void world_set(struct world *w, uint32_t part, uint32_t timer, uint64_t time) {
  const uint32_t number = w->parts[part].first_timer + timer;
  if (time == w->timers[number].due) return;
  w->timers[number].due = time;
  put_event(w, time, w->cable_count + number);
}

static void note(struct world *w, struct part *p, uint64_t what) {
  p->hash = (p->hash ^ w->now) * UINT64_C(0x9E3779B97F4A7C15) + what;
  w->events++;
}

static uint64_t folded(uint64_t hash, uint64_t word) {
  hash ^= word;
  return (hash << 29 | hash >> 35) * UINT64_C(0x9E3779B97F4A7C15);
}

// Of a frame's bytes and their number. Four chains side by side, as each step of one waits for the step before.
static uint64_t hash_of(const struct world_frame *f) {
  enum { CHAINS = 4 };
  uint64_t words[CHAINS], chains[CHAINS] = {f->len, 1, 2, 3};
  size_t at = 0;
  for (; f->len - at >= sizeof words; at += sizeof words) {
    memcpy(words, f->data + at, sizeof words);
    for (unsigned i = 0; i < CHAINS; i++) chains[i] = folded(chains[i], words[i]);
  }
  memset(words, 0, sizeof words);
  memcpy(words, f->data + at, f->len - at);
  for (unsigned i = 0; i < CHAINS; i++) chains[0] = folded(folded(chains[0], words[i]), chains[i]);
  return mixed(chains[0]);
}

static void do_cable(struct world *w, uint32_t number, uint64_t time) {
  struct world_way *c = &w->cables[number];
  w->now = time;
  const struct world_packet packet = *packet_ring_first(&c->packets);
  packet_ring_drop(&c->packets);
  const uint64_t next = c->packets.count > 0 ? packet_ring_first(&c->packets)->time : WORLD_END;
  if (next < WORLD_END)
    heap_replace(&w->heap, next << THING_BITS | number);
  else
    heap_drop(&w->heap);
  struct part *p = &w->parts[c->to];
  uint64_t what = (uint64_t)packet.psn << 32 ^ (uint64_t)packet.kind << 56 ^ (uint64_t)packet.src << 20 ^ packet.qp ^ number;
  if (packet.frame != NULL) what ^= hash_of(packet.frame) + packet.flags;
  note(w, p, what);
  p->acts->arrive(p->self, c->port, &packet);
}

static void do_timer(struct world *w, size_t number, uint64_t time) {
  heap_drop(&w->heap);
  struct timer *t = &w->timers[number];
  if (t->due != time) return;   // it was set to another time
  w->now = time;
  t->due = WORLD_NEVER;
  struct part *p = &w->parts[t->part];
  note(w, p, number);
  p->acts->wake(p->self, t->number);
}

// All that is due before the horizon.
static void go(struct world *w, uint64_t events) {
  const uint64_t end = events < UINT64_MAX - w->events ? w->events + events : UINT64_MAX;
  while (w->heap.count > 0 && w->events < end) {
    const uint64_t key = w->heap.keys[0], time = key >> THING_BITS;
    if (time >= w->horizon) return;
    const size_t thing = key & (WORLD_THINGS - 1);
    if (thing < w->cable_count)
      do_cable(w, (uint32_t)thing, time);
    else
      do_timer(w, thing - w->cable_count, time);
  }
}

static uint64_t first_time(const struct world *w) { return w->heap.count > 0 ? w->heap.keys[0] >> THING_BITS : WORLD_END; }

// Nobody goes beyond the horizon before what was sent to others is there. The first event anywhere; `*enough`: whether any process has done enough.
static uint64_t exchange(struct world *w, bool *enough) {
  const unsigned ranks = ranks_count();
  const void *out[ranks], *in[ranks];
  size_t bytes[ranks], in_bytes[ranks];
  struct letterhead all = {first_time(w) < w->posted ? first_time(w) : w->posted, *enough};
  for (unsigned r = 0; r < ranks; r++) {
    memcpy(w->outboxes[r].parcels, &all, sizeof all);
    out[r] = w->outboxes[r].parcels;
    bytes[r] = w->outboxes[r].bytes;
    in_bytes[r] = 0;
  }
  ranks_exchange(out, bytes, in, in_bytes);
  for (unsigned r = 0; r < ranks; r++) {
    clear(&w->outboxes[r]);
    if (r == ranks_own()) continue;
    struct letterhead other;
    memcpy(&other, in[r], sizeof other);
    if (other.first < all.first) all.first = other.first;
    all.enough |= other.enough;
    unpack(w, in[r], in_bytes[r]);
  }
  w->posted = WORLD_END;
  w->turns++;
  *enough = all.enough != 0;
  return all.first;
}

bool world_beyond(const struct world *w) { return w->beyond; }

bool world_run(struct world *w, uint64_t until, uint64_t events) {
  const uint64_t start = w->events;
  if (ranks_count() == 1) {
    w->horizon = until < WORLD_END ? until + 1 : WORLD_END;
    go(w, events);
    const bool more = first_time(w) < WORLD_END;
    w->beyond = more && first_time(w) > until;
    return more;
  }
  for (;;) {
    // Also what parts have sent before the first turn. How many turns there are between two calls must be the same for all.
    bool enough = w->events - start >= events;
    const uint64_t first = exchange(w, &enough);
    if (first >= WORLD_END) return false;
    w->beyond = first > until;
    if (w->beyond || enough) return true;
    w->horizon = first + w->lookahead;
    if (w->horizon > until) w->horizon = until + 1;
    go(w, UINT64_MAX);
  }
}
