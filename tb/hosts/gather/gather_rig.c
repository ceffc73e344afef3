#include "hosts/gather/gather_rig.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/gather_concat.h"

/// Columns whose bits are in one line of the NIC's memory.
enum { LINE_BITS = 512 };

bool gather_memory_init(struct gather_memory *m, const struct gather_partition *columns, uint32_t node, uint32_t len) {
  *m = (struct gather_memory){.columns = *columns, .node = node, .len = len, .first = gather_first(columns, node)};
  m->own = gather_first(columns, node + 1) - m->first;
  m->properties = calloc(m->own + 1, len);
  m->filter = calloc(columns->count / 8 + 1, 1);
  m->touched = calloc(columns->count / LINE_BITS / 8 + 1, 1);
  if (m->properties != NULL && m->filter != NULL && m->touched != NULL) return true;
  gather_memory_free(m);
  return false;
}

void gather_memory_free(struct gather_memory *m) {
  free(m->properties);
  free(m->filter);
  free(m->fetched);
  free(m->touched);
  map_free(&m->places);
  m->properties = m->filter = m->fetched = m->touched = NULL;
  m->fetched_room = 0;
}

uint8_t *gather_memory_place(struct gather_memory *m, uint64_t idx) {
  bool fresh;
  uint64_t *place = map_at(&m->places, idx, &fresh);
  if (fresh) {
    *place = m->places.used - 1;
    m->fetched = need_room(m->fetched, &m->fetched_room, m->places.used, m->len);
    memset(m->fetched + *place * m->len, 0, m->len);
  }
  return m->fetched + *place * m->len;
}

static bool here(const struct gather_memory *m, uint64_t idx) { return m->filter[idx / 8] >> idx % 8 & 1; }

/// The NIC has the line with the bit of a column.
static void touch(struct gather_memory *m, uint64_t idx) {
  uint8_t *lines = &m->touched[idx / LINE_BITS / 8];
  const uint8_t bit = (uint8_t)(1 << idx / LINE_BITS % 8);
  m->lines += (*lines & bit) == 0;
  *lines |= bit;
}

void gather_memory_mark(struct gather_memory *m, uint64_t idx) {
  touch(m, idx);
  m->filter[idx / 8] |= (uint8_t)(1 << idx % 8);
  if (m->check != NULL) m->check(m->user, m->node, idx);
}

bool gather_memory_kept(const struct gather_memory *m, const uint32_t *idx, size_t count) {
  bool good = true;
  for (size_t i = 0; i < count; i++) {
    if (gather_memory_owns(m, idx[i])) continue;
    good = good && here(m, idx[i]);
    if (m->check != NULL) m->check(m->user, m->node, idx[i]);
  }
  return good;
}

size_t gather_memory_missing(const struct gather_memory *m, const uint32_t *idx, size_t count) {
  size_t i = 0;
  while (i < count && (gather_memory_owns(m, idx[i]) || here(m, idx[i]))) i++;
  return i;
}

/// An entry of the table of pending requests. In hardware a CAM; here found by a hash, chained.
struct pending_request {
  bool used;
  uint64_t idx;
  uint32_t next;   // of its chain, or of those free; NONE ends it
};

enum { BUCKETS = 1024 };
static const uint32_t NONE = UINT32_MAX;

struct gather_rig {
  struct gather_rig_options o;
  struct gather_memory *memory;
  enum gather_rig_state state;
  const uint32_t *idx;
  size_t count, at;
  uint64_t began;
  uint64_t stepped, resumes;   // the last step; when the next index is taken if nothing is in its way
  enum gather_rig_stall stall;
  uint32_t epoch;   // of the operation; a response of another one is late
  struct pending_request *table;
  uint32_t chains[BUCKETS], free, used;
  struct gather_rig_counts counts;
};

static void clear_table(struct gather_rig *r) {
  for (uint32_t i = 0; i < BUCKETS; i++) r->chains[i] = NONE;
  for (uint32_t i = 0; i < r->o.pending; i++) r->table[i] = (struct pending_request){.next = i + 1 < r->o.pending ? i + 1 : NONE};
  r->free = 0;
  r->used = 0;
}

struct gather_rig *gather_rig_new(const struct gather_rig_options *options, struct gather_memory *memory) {
  struct gather_rig *r = calloc(1, sizeof *r);
  if (r == NULL) return NULL;
  r->o = *options;
  r->memory = memory;
  r->table = calloc(options->pending, sizeof *r->table);
  if (r->table == NULL) {
    free(r);
    return NULL;
  }
  clear_table(r);
  return r;
}

void gather_rig_free(struct gather_rig *r) {
  if (r == NULL) return;
  free(r->table);
  free(r);
}

void gather_rig_begin(struct gather_rig *r, uint64_t now, const uint32_t *idx, size_t count) {
  r->state = GATHER_RIG_BUSY;
  r->idx = idx;
  r->count = count;
  r->at = 0;
  r->began = now;
  r->resumes = 0;
  r->stall = GATHER_RIG_FLOWS;
  r->epoch = (r->epoch + 1) & 0xFFFF;
}

// --- requests ---

static bool is_pending(const struct gather_rig *r, uint64_t idx) {
  for (uint32_t e = r->chains[idx % BUCKETS]; e != NONE; e = r->table[e].next)
    if (r->table[e].idx == idx) return true;
  return false;
}

/// Takes a free entry for an index; there is one.
static uint32_t remember(struct gather_rig *r, uint64_t idx) {
  const uint32_t e = r->free;
  r->free = r->table[e].next;
  r->table[e] = (struct pending_request){.used = true, .idx = idx, .next = r->chains[idx % BUCKETS]};
  r->chains[idx % BUCKETS] = e;
  r->used++;
  return e;
}

static void forget(struct gather_rig *r, uint32_t e) {
  uint32_t *link = &r->chains[r->table[e].idx % BUCKETS];
  while (*link != e) link = &r->table[*link].next;
  *link = r->table[e].next;
  r->table[e] = (struct pending_request){.next = r->free};
  r->free = e;
  r->used--;
}

/// Ends an operation that took too long. What it brought stays: it is right, and batches that have ended well may count on it.
static void fail(struct gather_rig *r) {
  clear_table(r);
  r->epoch = (r->epoch + 1) & 0xFFFF;
  r->counts.failures++;
  r->stall = GATHER_RIG_FLOWS;
  r->state = GATHER_RIG_FAILED;
}

/// Indexes from the next one on, a local one, that are the node's own and are taken one a cycle whatever happens meanwhile; not the last one of all,
/// with which the unit's state changes.
static size_t locals(const struct gather_rig *r, uint64_t now) {
  size_t most = r->count - 1 - r->at, n = 1;
  if (r->o.watchdog > 0 && r->began + r->o.watchdog - now < most) most = r->began + r->o.watchdog - now;
  while (n < most && gather_memory_owns(r->memory, r->idx[r->at + n])) n++;
  return n;
}

/// Another cycle, or several, in which nothing is taken.
static void stay(struct gather_rig *r, enum gather_rig_stall stall, uint64_t cycles) {
  r->stall = stall;
  *(stall == GATHER_RIG_TABLE ? &r->counts.stalls_pending : &r->counts.stalls_tx) += cycles;
}

/// Takes the next index. True if it makes a read.
static bool take(struct gather_rig *r, uint64_t now, bool room, struct gather_request *out) {
  const uint64_t idx = r->idx[r->at];
  struct gather_rig_counts *c = &r->counts;
  const bool local = gather_memory_owns(r->memory, idx);
  if (!local) touch(r->memory, idx);
  const bool coalesced = !local && r->o.coalesce && is_pending(r, idx);
  const bool filtered = !local && !coalesced && r->o.filter && here(r->memory, idx);
  const bool reads = !local && !coalesced && !filtered;
  if (reads && (r->used == r->o.pending || !room)) {
    stay(r, r->used == r->o.pending ? GATHER_RIG_TABLE : GATHER_RIG_ROOM, 1);
    return false;
  }
  const size_t taken = local ? locals(r, now) : 1;
  r->stall = GATHER_RIG_FLOWS;
  r->resumes = now + taken;
  r->at += taken;
  c->busy += taken;
  c->local += local ? taken : 0;
  c->wanted += !local;
  c->coalesced += coalesced;
  c->filtered += filtered;
  c->sent += reads;
  if (!reads) return false;
  *out = (struct gather_request){
      .type = GATHER_READ,
      .dest = gather_owner(&r->memory->columns, idx),
      .generation = r->memory->generation,
      .len = r->memory->len,
      .pr = {.src = r->memory->node, .tid = r->o.tid, .idx = idx, .id = r->epoch << 16 | remember(r, idx)},
  };
  return true;
}

bool gather_rig_step(struct gather_rig *r, uint64_t now, bool room, struct gather_request *out) {
  bool made = false;
  if (r->state != GATHER_RIG_BUSY && r->state != GATHER_RIG_WAITS) return false;
  if (r->stall != GATHER_RIG_FLOWS && now > r->stepped + 1) stay(r, r->stall, now - r->stepped - 1);
  r->stepped = now;
  if (r->o.watchdog > 0 && now - r->began >= r->o.watchdog) {
    fail(r);
    return false;
  }
  if (now < r->resumes) return false;
  if (r->at < r->count) made = take(r, now, room, out);
  if (r->at == r->count) r->state = r->used > 0 ? GATHER_RIG_WAITS : GATHER_RIG_DONE;
  r->counts.done += r->state == GATHER_RIG_DONE;
  return made;
}

// --- responses ---

bool gather_rig_runs(const struct gather_rig *r, uint32_t id) {
  return (r->state == GATHER_RIG_BUSY || r->state == GATHER_RIG_WAITS) && id >> 16 == r->epoch;
}

void gather_rig_response(struct gather_rig *r, const struct gather_request *response, bool copy) {
  const uint32_t e = response->pr.id & 0xFFFF;
  const bool mine =
      response->pr.id >> 16 == r->epoch && e < r->o.pending && r->table[e].used && r->table[e].idx == response->pr.idx;
  if (!mine || response->len != r->memory->len || response->generation != r->memory->generation) {
    r->counts.late++;
    return;
  }
  memcpy(gather_memory_at(r->memory, response->pr.idx), response->property, response->len);
  r->counts.doubled += !copy && here(r->memory, response->pr.idx);
  r->counts.written++;
  gather_memory_mark(r->memory, response->pr.idx);
  forget(r, e);
}

enum gather_rig_state gather_rig_state(struct gather_rig *r) {
  const enum gather_rig_state state = r->state;
  if (state == GATHER_RIG_DONE || state == GATHER_RIG_FAILED) r->state = GATHER_RIG_IDLE;
  return state;
}

enum gather_rig_stall gather_rig_stall(const struct gather_rig *r) { return r->stall; }

bool gather_rig_waits_at(const struct gather_rig *r, uint64_t idx) {
  return r->stall != GATHER_RIG_FLOWS && r->idx[r->at] == idx;
}

bool gather_rig_at_work(const struct gather_rig *r) { return r->state == GATHER_RIG_BUSY; }

uint64_t gather_rig_next(const struct gather_rig *r) {
  const uint64_t watchdog = r->o.watchdog > 0 ? r->began + r->o.watchdog : GATHER_NEVER;
  if (r->state == GATHER_RIG_BUSY) return r->stall != GATHER_RIG_FLOWS ? watchdog : r->resumes;
  if (r->state == GATHER_RIG_WAITS) return r->used == 0 ? 0 : watchdog;
  return GATHER_NEVER;
}

const struct gather_rig_counts *gather_rig_counts(const struct gather_rig *r) { return &r->counts; }

void gather_rig_add(struct gather_rig_counts *sum, const struct gather_rig_counts *more) {
  sum->local += more->local;
  sum->wanted += more->wanted;
  sum->filtered += more->filtered;
  sum->coalesced += more->coalesced;
  sum->sent += more->sent;
  sum->stalls_pending += more->stalls_pending;
  sum->stalls_tx += more->stalls_tx;
  sum->busy += more->busy;
  sum->written += more->written;
  sum->doubled += more->doubled;
  sum->late += more->late;
  sum->failures += more->failures;
  sum->done += more->done;
}
