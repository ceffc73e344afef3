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
};

struct conn {
  struct conn_key key;
  struct begun *recent;   // the newest last
  size_t count, room;
};

struct order_work {
  const struct drive_ring *rings;
  size_t ring_count;
  struct conn *conns;
  size_t conn_count, conn_size;
  struct map by_key;   // from a key's hash to 1 + index of a connection; what collides is looked for
  struct map last;     // from ring and MsgID to 1 + index of the message's latest frame
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

/// How many frames must be over before frame `index` may start.
static uint32_t look_at(struct order_work *w, size_t index, const struct roce_packet *p) {
  if (!p->tagged) {
    const struct conn *c = p->starts ? NULL : find(w, &p->key, false);
    const struct begun *m = c != NULL ? message_of(c, p->psn) : NULL;
    if (m != NULL) *last_of(w, m->ring, m->msgid) = index + 1;
    return 0;
  }
  size_t ring = 0;
  while (ring < w->ring_count && w->rings[ring].id != p->ina.ring) ring++;
  if (ring == w->ring_count) return 0;
  const struct begun m = {.psn0 = p->psn, .msgid = p->ina.msgid, .msglen = p->ina.msglen, .ring = (uint16_t)ring};
  remember(find(w, &p->key, true), &m, 2 * (size_t)w->rings[ring].window);
  *last_of(w, ring, m.msgid) = index + 1;
  return (uint32_t)*last_of(w, ring, m.msgid - w->rings[ring].window);
}

void order_make(const struct trace *trace, const struct drive_ring *rings, size_t ring_count, struct order *out) {
  struct order_work w = {.rings = rings, .ring_count = ring_count};
  out->after = need(calloc(trace->count + 1, sizeof *out->after));
  for (size_t i = 0; i < trace->count && ring_count > 0; i++) {
    struct roce_packet p;
    roce_parse(trace->frames[i].data, trace->frames[i].len, &p);
    if (p.class == ROCE_CANDIDATE) out->after[i] = look_at(&w, i, &p);
  }
  for (size_t c = 0; c < w.conn_count; c++) free(w.conns[c].recent);
  free(w.conns);
  map_free(&w.by_key);
  map_free(&w.last);
}

void order_free(struct order *order) {
  free(order->after);
  order->after = NULL;
}
