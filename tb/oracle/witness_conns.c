#include <stdlib.h>
#include <string.h>

#include "oracle/witness_state.h"

static size_t bucket_of(const struct conn_key *key) {
  uint32_t h = key->qpn;
  for (size_t i = 0; i < 16; i++) h = (h ^ key->src[i] ^ (uint32_t)key->dst[i] << 8) * 0x9E3779B1u;
  return h >> 16 & (CONN_BUCKETS - 1);
}

struct conn *conn_find(struct witness *w, const struct conn_key *key) {
  struct conn *c = w->conns[bucket_of(key)];
  while (c != NULL && !conn_key_equal(&c->key, key)) c = c->next;
  return c;
}

struct conn *conn_of(struct witness *w, const struct conn_key *key) {
  struct conn *c = conn_find(w, key);
  if (c != NULL) return c;
  c = witness_need(calloc(1, sizeof *c));
  c->key = *key;
  c->port = ANY_PORT;
  struct conn **bucket = &w->conns[bucket_of(key)];
  c->next = *bucket;
  *bucket = c;
  return c;
}

void conn_seen(struct conn *c, unsigned port) {
  if (c->port != ANY_PORT && c->port != port) c->roaming = true;
  c->port = port;
}

// A connection that was learned on one port may come too late for a packet on another.
static bool learned_before(const struct conn *c, unsigned port) { return c->learned_at == ANY_PORT || c->learned_at == port; }

bool conn_surely_known(const struct conn *c, unsigned port) { return c->known && !c->contested && learned_before(c, port); }

static void become(struct witness *w, struct conn *c, unsigned ring, unsigned rank, unsigned port) {
  c->known = true;
  c->ring = ring;
  c->rank = rank;
  c->learned_at = port;
  struct conn **holder = &w->rings[ring].holders[rank];
  if (*holder != NULL) return;
  *holder = c;
  w->known++;
}

void witness_connect(struct witness *w, unsigned ring, unsigned rank, const struct conn_key *key) {
  if (ring >= w->ring_count || rank >= w->rings[ring].is.workers) {
    witness_fault(w, "connection registered for ring %u rank %u, which does not exist", ring, rank);
    return;
  }
  struct conn *c = conn_of(w, key);
  c->registered = true;
  become(w, c, ring, rank, ANY_PORT);
}

// No entry is free. If all entries were surely taken before, the packet is dropped; else nobody can say who came too late.
static bool contest_table(struct witness *w, struct conn *c, unsigned port) {
  bool contested = false;
  for (size_t b = 0; b < CONN_BUCKETS; b++)
    for (struct conn *other = w->conns[b]; other != NULL; other = other->next)
      if (other->known && (other->contested || !learned_before(other, port))) other->contested = contested = true;
  c->contested |= contested;
  return contested;
}

static bool learn(struct witness *w, struct conn *c, unsigned ring, unsigned rank, unsigned port) {
  struct conn *holder = w->rings[ring].holders[rank];
  if (!w->rings[ring].is.learn) return false;
  if (holder != NULL) {
    if (!holder->contested && learned_before(holder, port)) return false;
    holder->contested = c->contested = true;
  } else if (w->known >= w->limits.conns && !contest_table(w, c, port)) {
    return false;
  }
  become(w, c, ring, rank, port);
  return true;
}

bool conn_claim(struct witness *w, struct conn *c, unsigned ring, unsigned rank, unsigned port) {
  if (!c->known) return learn(w, c, ring, rank, port);
  if (c->ring == ring && c->rank == rank) return true;
  // Of two claims on two ports either may come first.
  if (!learned_before(c, port)) c->contested = true;
  return false;
}

// --- messages ---

bool conn_enter(const struct witness *w, struct conn *c, const struct roce_packet *p) {
  unsigned history = 2 * w->rings[c->ring].is.window;
  if (c->messages == NULL) c->messages = witness_need(calloc(history, sizeof *c->messages));
  struct message *m = &c->messages[p->ina.msgid % history];
  if (m->valid && m->msgid == p->ina.msgid) return m->psn == p->psn && m->msglen == p->ina.msglen && m->kind == p->ina.kind;
  if (m->valid && msgid_newer(m->msgid, p->ina.msgid)) return false;
  *m = (struct message){true, p->ina.kind, p->ina.msglen, p->ina.msgid, p->psn};
  return true;
}

static bool psn_within(const struct message *m, uint32_t psn) { return m->valid && ((psn - m->psn) & 0xFFFFFF) < m->msglen; }

const struct message *conn_message(const struct witness *w, const struct conn *c, uint32_t psn) {
  if (!c->known || c->messages == NULL) return NULL;
  const struct message *const end = c->messages + 2 * w->rings[c->ring].is.window;
  const struct message *best = NULL;
  for (const struct message *m = c->messages; m < end; m++)
    if (psn_within(m, psn) && (best == NULL || msgid_newer(m->msgid, best->msgid))) best = m;
  // MsgIDs may go round the circle of all numbers: then each has a newer one.
  for (const struct message *m = c->messages; m < end; m++)
    if (psn_within(m, psn) && m != best && !msgid_newer(best->msgid, m->msgid)) return NULL;
  return best;
}

// --- the device is quiet ---

static void drop_loose(struct conn *c) {
  while (c->loose != NULL) {
    struct packet *k = c->loose;
    c->loose = k->next;
    free(k);
  }
}

void conns_settle(struct witness *w) {
  for (size_t b = 0; b < CONN_BUCKETS; b++)
    for (struct conn *c = w->conns[b]; c != NULL; c = c->next) {
      c->port = c->learned_at = ANY_PORT;
      c->roaming = false;
      drop_loose(c);
    }
}

void conns_flush(struct witness *w, unsigned ring) {
  for (size_t b = 0; b < CONN_BUCKETS; b++)
    for (struct conn *c = w->conns[b]; c != NULL; c = c->next) {
      if (!c->known || c->ring != ring) continue;
      free(c->messages);
      c->messages = NULL;
      c->contested = false;
      if (c->registered) continue;
      c->known = false;
      if (w->rings[ring].holders[c->rank] != c) continue;
      w->rings[ring].holders[c->rank] = NULL;
      w->known--;
    }
}

void conns_free(struct witness *w) {
  for (size_t b = 0; b < CONN_BUCKETS; b++)
    while (w->conns[b] != NULL) {
      struct conn *c = w->conns[b];
      w->conns[b] = c->next;
      drop_loose(c);
      free(c->messages);
      free(c);
    }
}
