/// What the golden model remembers; shared by model.c and model_rings.c only.
#ifndef WEIR_MODEL_MODEL_STATE_H
#define WEIR_MODEL_MODEL_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "model/model.h"
#include "wire/roce.h"

/// A message a connection is known to have sent.
struct message {
  bool valid;
  uint32_t msgid, psn0;
  uint16_t msglen;
  uint8_t kind;
};

struct connection {
  struct conn_key key;
  unsigned ring, rank;
  bool learned;
  struct message *history;   // 2N of them, NULL where the entry is free
};

/// What one rank left in a column: the headers of its latest packet and the tensor of its first one.
struct share {
  unsigned port;
  uint32_t psn;
  uint8_t header[ROCE_MAX_HEADER];
  size_t header_len;
  uint8_t pad[3];
  size_t pad_len;
  uint8_t *tensor;   // slot_bytes, allocated when first needed
};

struct column {
  bool valid;
  uint32_t tag;
  uint8_t kind;
  size_t length;
  uint32_t accepted, stored, owed;
  uint64_t life;          // counts how often the column was emptied: a late commit must not fall into another one's bytes
  bool taken;             // a result has been taken, so the message N before has been freed
  struct share *shares;   // one a rank
};

/// A decided packet whose bytes are not in place yet.
struct packet {
  struct packet *next;
  unsigned ring, rank, offset;
  uint32_t msgid;
  uint64_t life;   // of its column
  bool first;
  struct roce_packet parsed;
  uint8_t frame[];
};

struct pending {
  struct packet *head, **tail;
};

struct model {
  struct model_limits limits;
  struct model_ring *rings;
  struct model_part *parts;   // one a ring; `total` 0: it is whole
  size_t ring_count;
  struct column **columns;   // of each ring, 2N * stride
  struct connection *conns;
  struct pending *ports;
  size_t given_up;   // columns that were complete and lost their slot with first results due
  uint8_t *out;
  size_t out_stride;
};

/// Serial-number order of MsgIDs: true if `a` is older than `b`.
static inline bool older(uint32_t a, uint32_t b) { return ((a - b) & 0x80000000u) != 0; }

/// The host has run out of memory: nothing sensible can be compared any more.
static inline void *need(void *p) {
  if (p == NULL) abort();
  return p;
}

static inline size_t columns_of(const struct model_ring *ring) { return (size_t)2 * ring->window * ring->stride; }

static inline struct column *column_at(struct model *m, unsigned ring, uint32_t msgid, unsigned offset) {
  const struct model_ring *r = &m->rings[ring];
  return &m->columns[ring][(size_t)(msgid % (2 * r->window)) * r->stride + offset];
}

static inline uint32_t everyone_of(const struct model_ring *ring) {
  return ring->workers == 32 ? UINT32_MAX : (1u << ring->workers) - 1u;
}

/// First results of a complete column that loses its slot will never leave; its hosts did not keep to their window.
static inline void note_given_up(struct model *m, const struct column *c, uint32_t everyone) {
  if (c->valid && c->stored == everyone && !c->taken && c->owed != 0) m->given_up++;
}

/// A column as the next message finds it, which keeps the tag.
static inline void empty_column(struct column *c) {
  c->accepted = c->stored = c->owed = 0;
  c->taken = false;
  c->life++;
}

/// The known connection with this key, or NULL.
struct connection *find_connection(struct model *m, const struct conn_key *key);
/// True if a known connection speaks for the rank.
bool rank_taken(const struct model *m, unsigned ring, unsigned rank);
/// NULL if the table is full.
struct connection *add_connection(struct model *m, unsigned ring, unsigned rank, const struct conn_key *key, bool learned);

#endif
