#include "model/gather_concat.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { NO_ENTRY = -1 };

/// A concatenation queue. `data` is there while it is not empty.
struct concat_queue {
  uint8_t *data;   // room for a header and the PRs behind it
  size_t used;     // bytes of PRs
  uint32_t count, len;
  uint16_t generation;
  int64_t entry;   // its place in the expiry queue
};

struct expiry_entry {
  uint32_t queue;
  uint64_t time;
  bool live;
};

struct gather_concat {
  struct gather_concat_options o;
  gather_packet_fn *packet;
  void *user;
  size_t budget;   // bytes of PRs in a packet
  struct concat_queue *queues;
  struct expiry_entry *entries;   // circular
  uint32_t first, waiting;
  uint64_t looked;   // the head was looked at in all cycles before this one
  uint64_t held;
  uint32_t pieces_used;
  struct gather_concat_counts counts;
};

struct gather_concat *gather_concat_new(const struct gather_concat_options *options, gather_packet_fn *packet, void *user) {
  struct gather_concat *c = calloc(1, sizeof *c);
  if (c == NULL) return NULL;
  *c = (struct gather_concat){.o = *options, .packet = packet, .user = user};
  c->budget = options->mtu - options->upper - GATHER_CONCAT_BYTES;
  c->queues = calloc(2 * (size_t)options->nodes, sizeof *c->queues);
  c->entries = calloc(options->expiry_depth, sizeof *c->entries);
  if (c->queues != NULL && c->entries != NULL) return c;
  gather_concat_free(c);
  return NULL;
}

void gather_concat_free(struct gather_concat *c) {
  if (c == NULL) return;
  for (uint32_t q = 0; c->queues != NULL && q < 2 * c->o.nodes; q++) free(c->queues[q].data);
  free(c->queues);
  free(c->entries);
  free(c);
}

static uint32_t pieces_of(size_t bytes) { return (uint32_t)((bytes + GATHER_PIECE_BYTES - 1) / GATHER_PIECE_BYTES); }

static struct expiry_entry *entry_at(const struct gather_concat *c, uint32_t i) {
  return &c->entries[(c->first + i) % c->o.expiry_depth];
}

/// Sends what a queue holds. Its entry, if it is still in the expiry queue, is dead.
static void send(struct gather_concat *c, uint32_t index) {
  struct concat_queue *q = &c->queues[index];
  const bool response = index >= c->o.nodes;
  gather_put_header(q->data, &(struct gather_header){.type = response ? GATHER_RESPONSE : GATHER_READ,
                                                     .dest = response ? index - c->o.nodes : index,
                                                     .generation = q->generation,
                                                     .len = (uint16_t)q->len,
                                                     .count = q->count});
  if (q->entry != NO_ENTRY) c->entries[q->entry].live = false;
  c->packet(c->user, q->data, GATHER_CONCAT_BYTES + q->used);
  c->counts.packets++;
  c->held -= q->count;
  c->pieces_used -= c->o.virtual_queues ? pieces_of(q->used) : 0;
  free(q->data);
  *q = (struct concat_queue){.entry = NO_ENTRY};
}

/// Makes room in the pool by the queue that would leave next.
static void send_oldest(struct gather_concat *c) {
  for (uint32_t i = 0; i < c->waiting; i++) {
    const struct expiry_entry *e = entry_at(c, i);
    if (!e->live) continue;
    c->counts.pool_flushes++;
    send(c, e->queue);
    return;
  }
}

/// Puts an empty queue to work. False if the expiry queue is full.
static bool begin(struct gather_concat *c, uint32_t index, uint64_t now, const struct gather_request *r) {
  struct concat_queue *q = &c->queues[index];
  if (c->waiting == c->o.expiry_depth) return false;
  q->data = need(malloc(GATHER_CONCAT_BYTES + c->budget));
  // Entries in order of time follow from one delay for all.
  struct expiry_entry *e = entry_at(c, c->waiting++);
  *e = (struct expiry_entry){.queue = index, .time = now + c->o.delay, .live = true};
  q->entry = e - c->entries;
  q->len = r->len;
  q->generation = r->generation;
  if (c->waiting > c->counts.most_entries) c->counts.most_entries = c->waiting;
  return true;
}

enum gather_push gather_concat_push(struct gather_concat *c, uint64_t now, const struct gather_request *r) {
  const uint32_t index = r->dest + (r->type == GATHER_RESPONSE ? c->o.nodes : 0);
  const size_t size = gather_pr_size(r->type, r->len);
  struct concat_queue *q = &c->queues[index];
  if (now > 0) gather_concat_tick(c, now - 1);
  if (q->count > 0 && (q->len != r->len || q->generation != r->generation)) {
    c->counts.other_len++;
    send(c, index);
  }
  if (c->o.virtual_queues) {
    const uint32_t more = pieces_of(q->used + size) - pieces_of(q->used);
    if (c->pieces_used + more > c->o.pieces) {
      c->counts.waits_pool++;
      send_oldest(c);
      return GATHER_WAIT_POOL;
    }
  }
  if (q->count == 0 && !begin(c, index, now, r)) {
    c->counts.waits_expiry++;
    return GATHER_WAIT_EXPIRY;
  }
  if (c->o.virtual_queues) {
    c->pieces_used += pieces_of(q->used + size) - pieces_of(q->used);
    if (c->pieces_used > c->counts.most_pieces) c->counts.most_pieces = c->pieces_used;
  }
  gather_put_pr(q->data + GATHER_CONCAT_BYTES + q->used, r);
  q->used += size;
  q->count++;
  c->held++;
  c->counts.prs++;
  if (c->o.alone || q->used + size > c->budget) {
    c->counts.full++;
    send(c, index);
  }
  return GATHER_TAKEN;
}

void gather_concat_tick(struct gather_concat *c, uint64_t now) {
  for (; c->looked <= now && c->waiting > 0; c->looked++) {
    struct expiry_entry *e = entry_at(c, 0);
    if (e->live && e->time > now) break;
    if (e->live && e->time > c->looked) c->looked = e->time;
    if (e->live) {
      const uint64_t late = c->looked - e->time;
      if (late > c->counts.latest) c->counts.latest = late;
      c->counts.expired++;
      send(c, e->queue);
    }
    c->first = (c->first + 1) % c->o.expiry_depth;
    c->waiting--;
  }
  if (c->looked <= now) c->looked = now + 1;
}

uint64_t gather_concat_next(const struct gather_concat *c) {
  if (c->waiting == 0) return GATHER_NEVER;
  const struct expiry_entry *e = entry_at(c, 0);
  return e->live && e->time > c->looked ? e->time : c->looked;
}

uint64_t gather_concat_held(const struct gather_concat *c) { return c->held; }
uint32_t gather_concat_free_pieces(const struct gather_concat *c) { return c->o.pieces - c->pieces_used; }
const struct gather_concat_counts *gather_concat_counts(const struct gather_concat *c) { return &c->counts; }

void gather_concat_add(struct gather_concat_counts *sum, const struct gather_concat_counts *more) {
  sum->prs += more->prs;
  sum->packets += more->packets;
  sum->full += more->full;
  sum->expired += more->expired;
  sum->other_len += more->other_len;
  sum->pool_flushes += more->pool_flushes;
  sum->waits_expiry += more->waits_expiry;
  sum->waits_pool += more->waits_pool;
  if (more->latest > sum->latest) sum->latest = more->latest;
  if (more->most_pieces > sum->most_pieces) sum->most_pieces = more->most_pieces;
  if (more->most_entries > sum->most_entries) sum->most_entries = more->most_entries;
}
