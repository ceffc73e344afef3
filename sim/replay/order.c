#include "sim/replay/order.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "wire/roce.h"

/// A message as one connection sends it.
struct begun {
  uint32_t psn0, msgid;
  uint16_t msglen;
  uint16_t ring;   // index
  uint8_t rank, kind;
};

/// The MsgIDs of a ring.
struct span {
  bool any;
  uint32_t first, newest;
};

struct conn {
  struct conn_key key;
  unsigned port;          // of its latest frame
  struct begun *recent;   // the newest last
  size_t count, room;
};

struct order_work {
  const struct drive_ring *rings;
  size_t ring_count;
  struct conn *conns;
  size_t conn_count, conn_size;
  struct map by_key;    // from a key's hash to 1 + index of a connection; what collides is looked for
  struct map last;      // from ring and MsgID to 1 + index of the message's latest frame
  struct span *spans;   // of each ring
  struct map columns;   // from ring, MsgID and offset to what was seen of it (alone)
  struct map claims;    // from ring and rank to 1 + index of the connection that claimed it last
  struct map behind;    // from a source MAC to 1 + the port it was last seen at
};

/// The connection with this key; a new one if `add`, else NULL.
static struct conn *find(struct order_work *w, const struct conn_key *key, bool add) {
  for (uint64_t again = 0;; again++) {
    uint64_t *index = map_at(&w->by_key, conn_key_hash(key) + again, NULL);
    if (*index == 0) {
      if (!add) return NULL;
      w->conns = need_room(w->conns, &w->conn_size, w->conn_count + 1, sizeof *w->conns);
      w->conns[w->conn_count] = (struct conn){.key = *key};
      *index = ++w->conn_count;
    }
    struct conn *c = &w->conns[*index - 1];
    if (conn_key_equal(&c->key, key)) return c;
  }
}

static uint64_t *last_of(struct order_work *w, size_t ring, uint32_t msgid) {
  return map_at(&w->last, (uint64_t)ring << 32 | msgid, NULL);
}

/// The device's history: 2N messages a connection. N is that of the ring it speaks of; a connection stays in its ring, but in a capture of nonsense.
static void remember(struct conn *c, const struct begun *m, size_t history) {
  if (c->count >= history) {
    memmove(c->recent, c->recent + (c->count - history + 1), (history - 1) * sizeof *c->recent);
    c->count = history - 1;
  }
  if (c->room < history) {
    c->recent = need(realloc(c->recent, history * sizeof *c->recent));
    c->room = history;
  }
  c->recent[c->count++] = *m;
}

static const struct begun *message_of(const struct conn *c, uint32_t psn) {
  for (size_t i = c->count; i-- > 0;) {
    const struct begun *m = &c->recent[i];
    if (((psn - m->psn0) & 0xFFFFFF) < m->msglen) return m;
  }
  return NULL;
}

/// True if what comes of this packet of `m` is the same whichever of the other packets in the capture the device sees first: it is
/// the first one of its rank in its column, agrees with the others there, and comes before any of a message that may take its slot.
static bool alone(struct order_work *w, const struct begun *m, uint32_t psn, size_t tensor) {
  enum { RANKS = 32 };
  const uint64_t offset = (psn - m->psn0) & 0xFFFF;
  const uint64_t shape = (uint64_t)tensor << 40 | (uint64_t)m->kind << RANKS, rank = m->rank < RANKS ? UINT64_C(1) << m->rank : 0;
  uint64_t *const seen = map_at(&w->columns, (uint64_t)m->ring << 48 | (uint64_t)m->msgid << 16 | offset, NULL);
  const bool good = rank != 0 && (*seen & rank) == 0 && (*seen == 0 || *seen >> RANKS == shape >> RANKS);
  *seen |= rank | (*seen == 0 ? shape : 0);
  const uint32_t older = w->spans[m->ring].newest - m->msgid;
  return good && (older < w->rings[m->ring].window || older > INT32_MAX);
}

/// Takes down that `m` begins. True if it has its place in its ring: N behind another one, or among the first N.
static bool extend(struct order_work *w, const struct begun *m, bool awaited) {
  struct span *s = &w->spans[m->ring];
  if (!s->any) *s = (struct span){.any = true, .first = m->msgid, .newest = m->msgid};
  if (m->msgid - s->newest < INT32_MAX) s->newest = m->msgid;
  return awaited || m->msgid - s->first < w->rings[m->ring].window;
}

/// Takes down that a frame of `c` came in by `port`. True if the one before it did, too.
static bool stays(struct conn *c, unsigned port) {
  const bool same = c->port == port || c->count == 0;
  c->port = port;
  return same;
}

/// Takes down that a connection claims a rank. True if nobody else has.
static bool claims(struct order_work *w, const struct conn *c, const struct begun *m) {
  uint64_t *claimed = map_at(&w->claims, (uint64_t)m->ring << 8 | m->rank, NULL);
  const uint64_t index = (uint64_t)(c - w->conns) + 1;
  const bool nobody_else = *claimed == 0 || *claimed == index;
  *claimed = index;
  return nobody_else;
}

/// How many frames must be over before frame `index` may start. `*turn` becomes ORDER_BEGINS or ORDER_ALL if it is so.
static uint32_t look_at(struct order_work *w, size_t index, unsigned port, const struct roce_packet *p, uint8_t *turn) {
  if (!p->tagged) {
    struct conn *c = find(w, &p->key, false);
    const struct begun *m = c != NULL && !p->starts ? message_of(c, p->psn) : NULL;
    if (c != NULL && !stays(c, port)) *turn = ORDER_ALL;
    if (m == NULL) return 0;
    *last_of(w, m->ring, m->msgid) = index + 1;
    if (!alone(w, m, p->psn, p->tensor)) *turn = ORDER_ALL;
    return 0;
  }
  size_t ring = 0;
  while (ring < w->ring_count && w->rings[ring].id != p->ina.ring) ring++;
  if (ring == w->ring_count) return 0;
  const struct begun m = {.psn0 = p->psn,
                          .msgid = p->ina.msgid,
                          .msglen = p->ina.msglen,
                          .ring = (uint16_t)ring,
                          .rank = p->ina.rank,
                          .kind = p->ina.kind};
  struct conn *c = find(w, &p->key, true);
  if (c->count == 0) *turn = ORDER_BEGINS;
  const bool same = stays(c, port);
  remember(c, &m, 2 * (size_t)w->rings[ring].window);
  *last_of(w, ring, m.msgid) = index + 1;
  const uint32_t after = (uint32_t)*last_of(w, ring, m.msgid - w->rings[ring].window);
  const bool placed = extend(w, &m, after > 0), first = alone(w, &m, p->psn, p->tensor);
  if (!placed || !same || !first || !claims(w, c, &m)) *turn = ORDER_ALL;
  return after;
}

/// True if the switch around the device learns from this frame where its sender is.
static bool tells_sender(struct order_work *w, const struct trace_frame *frame) {
  enum { SOURCE = 6, ADDRESSES = 12 };
  if (frame->len < ADDRESSES) return false;
  uint64_t mac = 0;
  memcpy(&mac, frame->data + SOURCE, ADDRESSES - SOURCE);
  uint64_t *port = map_at(&w->behind, mac, NULL);
  const bool told = *port != frame->port + 1;
  *port = frame->port + 1;
  return told;
}

void order_make(const struct trace *trace, const struct drive_ring *rings, size_t ring_count, bool any_icrc, struct order *out) {
  struct order_work w = {.rings = rings, .ring_count = ring_count, .spans = need(calloc(ring_count + 1, sizeof *w.spans))};
  out->after = need(calloc(trace->count + 1, sizeof *out->after));
  out->turn = need(calloc(trace->count + 1, sizeof *out->turn));
  for (size_t i = 0; i < trace->count; i++) {
    const struct trace_frame *frame = &trace->frames[i];
    struct roce_packet p;
    if (tells_sender(&w, frame)) out->turn[i] = ORDER_ALL;
    (any_icrc ? roce_parse_any_icrc : roce_parse)(frame->data, frame->len, &p);
    if (p.class == ROCE_CANDIDATE) out->after[i] = look_at(&w, i, frame->port, &p, &out->turn[i]);
  }
  for (size_t c = 0; c < w.conn_count; c++) free(w.conns[c].recent);
  free(w.conns);
  map_free(&w.by_key);
  map_free(&w.last);
  map_free(&w.columns);
  map_free(&w.claims);
  map_free(&w.behind);
  free(w.spans);
}

void order_free(struct order *order) {
  free(order->after);
  free(order->turn);
  *order = (struct order){0};
}
