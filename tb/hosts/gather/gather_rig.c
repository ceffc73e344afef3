#include "hosts/gather/gather_rig.h"

#include <stdlib.h>
#include <string.h>

#include "model/gather_concat.h"

bool gather_memory_init(struct gather_memory *m, const struct gather_partition *columns, uint32_t node, uint32_t len) {
  *m = (struct gather_memory){.columns = *columns, .node = node, .len = len};
  m->properties = calloc(columns->count, len);
  m->filter = calloc(columns->count / 8 + 1, 1);
  if (m->properties != NULL && m->filter != NULL) return true;
  gather_memory_free(m);
  return false;
}

void gather_memory_free(struct gather_memory *m) {
  free(m->properties);
  free(m->filter);
  m->properties = m->filter = NULL;
}

static bool here(const struct gather_memory *m, uint64_t idx) { return m->filter[idx / 8] >> idx % 8 & 1; }

void gather_memory_mark(struct gather_memory *m, uint64_t idx) {
  m->filter[idx / 8] |= (uint8_t)(1 << idx % 8);
  if (m->check != NULL) m->check(m->user, m->node, idx);
}

bool gather_memory_kept(const struct gather_memory *m, const uint32_t *idx, size_t count) {
  bool good = true;
  for (size_t i = 0; i < count; i++) {
    if (gather_owner(&m->columns, idx[i]) == m->node) continue;
    good = good && here(m, idx[i]);
    if (m->check != NULL) m->check(m->user, m->node, idx[i]);
  }
  return good;
}

size_t gather_memory_missing(const struct gather_memory *m, const uint32_t *idx, size_t count) {
  size_t i = 0;
  while (i < count && (gather_owner(&m->columns, idx[i]) == m->node || here(m, idx[i]))) i++;
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
  r->state = GATHER_RIG_FAILED;
}

/// Takes the next index. True if it makes a read.
static bool take(struct gather_rig *r, bool room, struct gather_request *out) {
  const uint64_t idx = r->idx[r->at];
  struct gather_rig_counts *c = &r->counts;
  const uint32_t owner = gather_owner(&r->memory->columns, idx);
  const bool local = owner == r->memory->node;
  const bool coalesced = !local && r->o.coalesce && is_pending(r, idx);
  const bool filtered = !local && !coalesced && r->o.filter && here(r->memory, idx);
  const bool reads = !local && !coalesced && !filtered;
  if (reads && r->used == r->o.pending) {
    c->stalls_pending++;
    return false;
  }
  if (reads && !room) {
    c->stalls_tx++;
    return false;
  }
  r->at++;
  c->busy++;
  c->local += local;
  c->wanted += !local;
  c->coalesced += coalesced;
  c->filtered += filtered;
  c->sent += reads;
  if (!reads) return false;
  *out = (struct gather_request){
      .type = GATHER_READ,
      .dest = owner,
      .generation = r->memory->generation,
      .len = r->memory->len,
      .pr = {.src = r->memory->node, .tid = r->o.tid, .idx = idx, .id = r->epoch << 16 | remember(r, idx)},
  };
  return true;
}

bool gather_rig_step(struct gather_rig *r, uint64_t now, bool room, struct gather_request *out) {
  bool made = false;
  if (r->state != GATHER_RIG_BUSY && r->state != GATHER_RIG_WAITS) return false;
  if (r->o.watchdog > 0 && now - r->began >= r->o.watchdog) {
    fail(r);
    return false;
  }
  if (r->at < r->count) made = take(r, room, out);
  if (r->at == r->count) r->state = r->used > 0 ? GATHER_RIG_WAITS : GATHER_RIG_DONE;
  r->counts.done += r->state == GATHER_RIG_DONE;
  return made;
}

// --- responses ---

void gather_rig_response(struct gather_rig *r, const struct gather_request *response) {
  const uint32_t e = response->pr.id & 0xFFFF;
  const bool mine =
      response->pr.id >> 16 == r->epoch && e < r->o.pending && r->table[e].used && r->table[e].idx == response->pr.idx;
  if (!mine || response->len != r->memory->len || response->generation != r->memory->generation) {
    r->counts.late++;
    return;
  }
  memcpy(gather_memory_at(r->memory, response->pr.idx), response->property, response->len);
  r->counts.doubled += here(r->memory, response->pr.idx);
  r->counts.written++;
  gather_memory_mark(r->memory, response->pr.idx);
  forget(r, e);
}

enum gather_rig_state gather_rig_state(struct gather_rig *r) {
  const enum gather_rig_state state = r->state;
  if (state == GATHER_RIG_DONE || state == GATHER_RIG_FAILED) r->state = GATHER_RIG_IDLE;
  return state;
}

uint64_t gather_rig_next(const struct gather_rig *r) {
  if (r->state == GATHER_RIG_BUSY || (r->state == GATHER_RIG_WAITS && r->used == 0)) return 0;
  return r->state == GATHER_RIG_WAITS && r->o.watchdog > 0 ? r->began + r->o.watchdog : GATHER_NEVER;
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
