#include "hosts/gather/gather_nic.h"

#include <stdlib.h>
#include <string.h>

#include "model/gather_merge.h"

/// Bytes of an index in a list, of a unit's buffer of indexes, of a line of the filter; lines that units ask for ahead.
enum { INDEX_BYTES = 8, BUFFER_BYTES = 4096, LINE_BYTES = 64, LINES_AHEAD = 64 };

struct unit {
  struct gather_rig *rig;
  const uint32_t *idx;   // NULL: it has no gather
  size_t count;
  uint64_t begins;   // when its command is there; GATHER_NEVER from then on
  uint64_t wake;     // when it is to be stepped, whatever else happens
};

/// A packet whose PRs are taken one by one.
struct open {
  struct gather_packet *packet;
  struct gather_header h;
  uint32_t at;
};

/// A way to a memory, by its bandwidth: what is asked for ahead hides how long it takes.
struct memory_bus {
  double byte_cycles, ahead;   // `ahead`: cycles that what is under way may take
  double free_at;
};

static void bus_take(struct memory_bus *b, uint64_t now, double bytes) {
  b->free_at = (b->free_at > (double)now ? b->free_at : (double)now) + bytes * b->byte_cycles;
}

/// The cycle from which on more may be asked for.
static uint64_t bus_ready(const struct memory_bus *b) {
  return b->free_at > b->ahead ? (uint64_t)(b->free_at - b->ahead + 0.999) : 0;
}

struct nic {
  struct gather_nic_options o;
  struct gather_memory *memory;
  struct gather_nic_calls calls;
  struct unit *units;
  struct gather_request *tx;   // reads, circular
  uint32_t tx_first, tx_count, turn;
  struct gather_fifo reads, responses;
  struct open read, response;
  struct memory_bus from_host, to_host, filter;
  bool read_next;             // whose turn it is at the concatenator
  bool at_work, wants_room;   // a unit is at work since the last step, or waits for room for a read
  uint64_t stepped, wake;     // the last step, and the first of the units' times
  struct gather_concat *concat;
  struct gather_merge *merge;        // NULL: each unit asks for itself
  struct gather_merge_who *copies;   // room for one of each unit
  struct gather_nic_counts counts;
};

static uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void packet_out(void *user, const uint8_t *data, size_t len) {
  struct nic *n = user;
  n->calls.send(n->calls.fabric, n->o.element, 0, gather_packet_new(data, len, n->o.element));
}

// --- units ---

static void begin(void *self, uint64_t now, uint32_t unit, const uint32_t *idx, size_t count) {
  struct nic *n = self;
  struct unit *u = &n->units[unit];
  u->idx = idx;
  u->count = count;
  u->begins = u->wake = now + n->o.begin_delay;
  if (u->wake < n->wake) n->wake = u->wake;
}

/// Whether what a unit waits for has come.
static bool may_go_on(const struct nic *n, struct unit *u, uint64_t now) {
  const uint64_t ready = later(bus_ready(&n->from_host), bus_ready(&n->filter));
  if (ready > now && u->begins == GATHER_NEVER && gather_rig_at_work(u->rig)) {
    u->wake = ready;
    return false;
  }
  return u->wake <= now || (n->tx_count < n->o.tx_depth && gather_rig_stall(u->rig) == GATHER_RIG_ROOM);
}

/// Whether a unit's read is sent, and not another's that is under way will do for it.
static bool is_sent(struct nic *n, const struct gather_request *r) {
  struct gather_merge_who leader;
  if (n->merge == NULL) return true;
  const bool lives = gather_merge_leader(n->merge, r->pr.idx, &leader) && gather_rig_runs(n->units[leader.unit].rig, leader.id);
  const struct gather_merge_who who = {r->pr.tid, r->pr.id};
  const bool waits = gather_merge_ask(n->merge, who, r->generation, r->pr.idx, lives) == GATHER_MERGE_WAITS;
  n->counts.merged += waits;
  return !waits;
}

/// A unit takes an index, or several: they came from the host, and bits of the filter from the NIC's memory.
static void step_unit(struct nic *n, uint64_t now, uint32_t which) {
  struct unit *u = &n->units[which];
  const uint64_t busy = gather_rig_counts(u->rig)->busy, lines = n->memory->lines;
  if (u->begins <= now) {
    gather_rig_begin(u->rig, now, u->idx, u->count);
    u->begins = GATHER_NEVER;
  }
  struct gather_request *slot = &n->tx[(n->tx_first + n->tx_count) % n->o.tx_depth];
  if (gather_rig_step(u->rig, now, n->tx_count < n->o.tx_depth, slot)) n->tx_count += is_sent(n, slot);
  bus_take(&n->from_host, now, (double)(INDEX_BYTES * (gather_rig_counts(u->rig)->busy - busy)));
  bus_take(&n->filter, now, (double)(LINE_BYTES * (n->memory->lines - lines)));
  const enum gather_rig_state state = gather_rig_state(u->rig);
  u->wake = gather_rig_next(u->rig);
  if (state != GATHER_RIG_DONE && state != GATHER_RIG_FAILED) return;
  u->idx = NULL;
  n->calls.ended(n->calls.host, now, which, state == GATHER_RIG_DONE);
}

/// Steps those units that can do something. One that is stalled costs nothing until what it waits for comes.
static void step_units(struct nic *n, uint64_t now) {
  // Another one begins each cycle, or low numbers would have all the room there is.
  n->turn = (n->turn + 1) % n->o.units;
  n->at_work = n->wants_room = false;
  n->wake = GATHER_NEVER;
  for (uint32_t i = 0; i < n->o.units; i++) {
    const uint32_t which = (n->turn + i) % n->o.units;
    struct unit *u = &n->units[which];
    if (u->idx == NULL) continue;
    if (may_go_on(n, u, now)) step_unit(n, now, which);
    n->at_work = n->at_work || gather_rig_at_work(u->rig);
    n->wants_room = n->wants_room || gather_rig_stall(u->rig) == GATHER_RIG_ROOM;
    if (u->wake < n->wake) n->wake = u->wake;
  }
}

// --- what comes in ---

static void receive(void *self, uint64_t now, unsigned port, struct gather_packet *p) {
  struct nic *n = self;
  struct gather_header h;
  (void)port;
  if (gather_check(p->data, p->len, &h) != GATHER_GOOD || h.dest != n->o.element ||
      (h.generation == n->memory->generation && h.len != n->memory->len)) {
    n->counts.strays++;
    free(p);
    return;
  }
  const bool read = h.type == GATHER_READ;
  p->at = now + (read ? n->o.read_delay : n->o.write_delay);
  gather_fifo_put(read ? &n->reads : &n->responses, p);
}

/// The PR that is next and ready, or false.
static bool next_pr(const struct nic *n, struct open *o, struct gather_fifo *f, uint64_t now, struct gather_request *out) {
  if (o->packet == NULL) {
    if (f->first == NULL || f->first->at > now) return false;
    o->packet = gather_fifo_take(f);
    o->at = 0;
    gather_check(o->packet->data, o->packet->len, &o->h);
    if (n->calls.taken != NULL) n->calls.taken(n->calls.fabric, n->o.element, 0, gather_class_of(o->h.type), o->packet->len);
  }
  gather_get_pr(o->packet->data, &o->h, o->at, out);
  return true;
}

/// That PR is done with.
static void pass_pr(struct open *o) {
  if (++o->at < o->h.count) return;
  free(o->packet);
  o->packet = NULL;
}

/// A response has come: a unit that it was for, or that waits for just this property, looks again.
static void wake_unit(struct unit *u, uint64_t now) {
  if (u->idx == NULL || u->begins != GATHER_NEVER) return;
  u->wake = gather_rig_stall(u->rig) != GATHER_RIG_FLOWS ? now : gather_rig_next(u->rig);
}

/// A response, or a copy of it, comes to its unit.
static void hand_over(struct nic *n, uint64_t now, const struct gather_request *r, bool copy) {
  bus_take(&n->to_host, now, r->len);
  gather_rig_response(n->units[r->pr.tid].rig, r, copy);
  for (uint32_t u = 0; u < n->o.units; u++)
    if (u == r->pr.tid || gather_rig_waits_at(n->units[u].rig, r->pr.idx)) wake_unit(&n->units[u], now);
}

/// Copies for those units that wait for another one's read. They take no turn of their own in the way of responses.
static void copy(struct nic *n, uint64_t now, struct gather_request r) {
  if (n->merge == NULL) return;
  const size_t count = gather_merge_answer(n->merge, r.pr.tid, r.generation, r.pr.idx, n->copies);
  for (size_t i = 0; i < count; i++) {
    r.pr.tid = (uint16_t)n->copies[i].unit;
    r.pr.id = n->copies[i].id;
    hand_over(n, now, &r, true);
  }
  n->counts.copied += count;
}

static void step_response(struct nic *n, uint64_t now) {
  struct gather_request r;
  if (bus_ready(&n->to_host) > now || !next_pr(n, &n->response, &n->responses, now, &r)) return;
  const uint64_t lines = n->memory->lines;
  if (r.pr.src == n->o.element && r.pr.tid < n->o.units && r.pr.idx < n->memory->columns.count) {
    hand_over(n, now, &r, false);
    copy(n, now, r);
  } else {
    n->counts.strays++;
  }
  bus_take(&n->filter, now, (double)(LINE_BYTES * (n->memory->lines - lines)));
  pass_pr(&n->response);
}

// --- what goes out ---

/// Whether another PR of a class may be made; it may end a packet.
static bool room_for(const struct nic *n, enum gather_class class) {
  return n->calls.room == NULL || n->calls.room(n->calls.fabric, n->o.element, 0, class);
}

/// Answers the read that is next. False if there is none or it must wait.
static bool serve(struct nic *n, uint64_t now) {
  struct gather_request r;
  if (bus_ready(&n->from_host) > now || !room_for(n, GATHER_BRINGS) || !next_pr(n, &n->read, &n->reads, now, &r)) return false;
  // Its requester has long had that property from another try, and memory has another one now.
  if (r.generation != n->memory->generation) {
    n->counts.older++;
    pass_pr(&n->read);
    return false;
  }
  if (r.pr.idx >= n->memory->columns.count || gather_owner(&n->memory->columns, r.pr.idx) != n->o.element ||
      r.pr.src >= n->memory->columns.nodes) {
    n->counts.strays++;
    pass_pr(&n->read);
    return false;
  }
  r.type = GATHER_RESPONSE;
  r.dest = r.pr.src;
  r.property = gather_memory_at(n->memory, r.pr.idx);
  if (gather_concat_push(n->concat, now, &r) != GATHER_TAKEN) return true;   // offered: that was this cycle's PR
  bus_take(&n->from_host, now, r.len);
  n->counts.served++;
  pass_pr(&n->read);
  return true;
}

static bool ask(struct nic *n, uint64_t now) {
  if (n->tx_count == 0 || !room_for(n, GATHER_ASKS)) return false;
  if (gather_concat_push(n->concat, now, &n->tx[n->tx_first]) != GATHER_TAKEN) return true;
  n->tx_first = (n->tx_first + 1) % n->o.tx_depth;
  n->tx_count--;
  return true;
}

static void step(void *self, uint64_t now) {
  struct nic *n = self;
  // Turns go on in cycles without a step, too, in which units were stalled or took what is their node's.
  const uint64_t idle = n->at_work && now > n->stepped + 1 ? now - n->stepped - 1 : 0;
  n->turn = (uint32_t)((n->turn + idle) % n->o.units);
  n->read_next = n->read_next != (idle % 2 == 1);
  n->stepped = now;
  step_response(n, now);
  step_units(n, now);
  const bool first = n->read_next ? ask(n, now) : serve(n, now);
  if (!first) (void)(n->read_next ? serve(n, now) : ask(n, now));
  n->read_next = !n->read_next;
  gather_concat_tick(n->concat, now);
}

static uint64_t next_of(const struct open *o, const struct gather_fifo *f, const struct memory_bus *b) {
  return o->packet != NULL ? bus_ready(b) : f->first != NULL ? later(f->first->at, bus_ready(b)) : GATHER_NEVER;
}

static uint64_t next(const void *self) {
  const struct nic *n = self;
  uint64_t at = earlier(gather_concat_next(n->concat), n->tx_count > 0 && room_for(n, GATHER_ASKS) ? 0 : GATHER_NEVER);
  if (room_for(n, GATHER_BRINGS)) at = earlier(at, next_of(&n->read, &n->reads, &n->from_host));
  at = earlier(at, next_of(&n->response, &n->responses, &n->to_host));
  if (n->wants_room && n->tx_count < n->o.tx_depth) return 0;
  return earlier(at, n->wake);
}

// --- for the others ---

static struct gather_nic_counts counts(void *self) {
  const struct nic *n = self;
  struct gather_nic_counts c = n->counts;
  for (uint32_t u = 0; u < n->o.units; u++) gather_rig_add(&c.rig, gather_rig_counts(n->units[u].rig));
  c.concat = *gather_concat_counts(n->concat);
  c.most_waiting = n->reads.most > n->responses.most ? n->reads.most : n->responses.most;
  return c;
}

static void nic_free(void *self) {
  struct nic *n = self;
  for (uint32_t u = 0; n->units != NULL && u < n->o.units; u++) gather_rig_free(n->units[u].rig);
  gather_fifo_empty(&n->reads);
  gather_fifo_empty(&n->responses);
  free(n->read.packet);
  free(n->response.packet);
  gather_concat_free(n->concat);
  gather_merge_free(n->merge);
  free(n->copies);
  free(n->units);
  free(n->tx);
  free(n);
}

bool gather_nic_model(const struct gather_nic_options *options, struct gather_memory *memory,
                      const struct gather_nic_calls *calls, struct gather_nic *out) {
  struct nic *n = calloc(1, sizeof *n);
  if (n == NULL) return false;
  *n = (struct nic){.o = *options, .memory = memory, .calls = *calls, .wake = GATHER_NEVER};
  const double ahead = (double)options->units * BUFFER_BYTES * options->pcie_cycles;
  n->from_host = n->to_host = (struct memory_bus){.byte_cycles = options->pcie_cycles, .ahead = ahead};
  n->filter =
      (struct memory_bus){.byte_cycles = options->filter_cycles, .ahead = LINES_AHEAD * LINE_BYTES * options->filter_cycles};
  n->units = calloc(options->units, sizeof *n->units);
  n->tx = calloc(options->tx_depth, sizeof *n->tx);
  n->concat = gather_concat_new(&options->concat, packet_out, n);
  if (options->merge > 0) {
    n->merge = gather_merge_new(options->merge, options->units);
    n->copies = calloc(options->units, sizeof *n->copies);
  }
  bool good =
      n->units != NULL && n->tx != NULL && n->concat != NULL && (options->merge == 0 || (n->merge != NULL && n->copies != NULL));
  for (uint32_t u = 0; good && u < options->units; u++) {
    struct gather_rig_options rig = options->rig;
    rig.tid = (uint16_t)u;
    n->units[u] = (struct unit){.rig = gather_rig_new(&rig, memory), .begins = GATHER_NEVER, .wake = GATHER_NEVER};
    good = n->units[u].rig != NULL;
  }
  if (!good) {
    nic_free(n);
    return false;
  }
  *out = (struct gather_nic){.element = {.self = n, .receive = receive, .next = next, .step = step, .keeps = true},
                             .free = nic_free,
                             .begin = begin,
                             .counts = counts};
  return true;
}
