#include <stdlib.h>
#include <string.h>

#include "oracle/witness_state.h"

static size_t bucket_of(const struct witness_key *key) {
  uint32_t h = key->qp;
  for (size_t i = 0; i < 16; i++) h = (h ^ key->source[i] ^ (uint32_t)key->destination[i] << 8) * 0x9E3779B1u;
  return h >> 16 & (CONN_BUCKETS - 1);
}

struct witness_conn *witness_conn_find(struct witness *w, const struct witness_key *key) {
  struct witness_conn *c = w->conns[bucket_of(key)];
  while (c != NULL && !witness_key_equal(&c->key, key)) c = c->next;
  return c;
}

struct witness_conn *witness_conn_of(struct witness *w, const struct witness_key *key) {
  struct witness_conn *c = witness_conn_find(w, key);
  if (c != NULL) return c;
  c = need(calloc(1, sizeof *c));
  c->key = *key;
  c->port = ANY_PORT;
  struct witness_conn **bucket = &w->conns[bucket_of(key)];
  c->next = *bucket;
  *bucket = c;
  return c;
}

void witness_conn_seen(struct witness_conn *c, unsigned port) {
  if (c->port != ANY_PORT && c->port != port) c->roaming = true;
  c->port = port;
}

// A connection that was learned on one port may come too late for a packet on another.
static bool learned_before(const struct witness_conn *c, unsigned port) {
  return c->learned_at == ANY_PORT || c->learned_at == port;
}

bool witness_conn_surely_known(const struct witness_conn *c, unsigned port) {
  return c->known && !c->contested && learned_before(c, port);
}

static void become(struct witness *w, struct witness_conn *c, unsigned ring, unsigned rank, unsigned port) {
  c->known = true;
  c->ring = ring;
  c->rank = rank;
  c->learned_at = port;
  struct witness_conn **holder = &w->rings[ring].holders[rank];
  if (*holder != NULL) return;
  *holder = c;
  if (!c->retired) w->known++;
  c->retired = false;
}

void witness_connect(struct witness *w, unsigned ring, unsigned rank, const struct witness_key *key) {
  if (ring >= w->ring_count || rank >= w->rings[ring].is.workers) {
    witness_fault(w, "connection registered for ring %u rank %u, which does not exist", ring, rank);
    return;
  }
  struct witness_conn *c = witness_conn_of(w, key);
  c->registered = true;
  become(w, c, ring, rank, ANY_PORT);
}

// No entry is free. If all entries were surely taken before, the packet is dropped; else nobody can say who came too late.
static bool contest_table(struct witness *w, struct witness_conn *c, unsigned port) {
  bool contested = false;
  for (size_t b = 0; b < CONN_BUCKETS; b++)
    for (struct witness_conn *other = w->conns[b]; other != NULL; other = other->next)
      if (other->known && (other->contested || !learned_before(other, port))) other->contested = contested = true;
  c->contested |= contested;
  return contested;
}

static bool learn(struct witness *w, struct witness_conn *c, unsigned ring, unsigned rank, unsigned port) {
  struct witness_conn *holder = w->rings[ring].holders[rank];
  if (!w->rings[ring].is.learn) return false;
  if (holder != NULL) {
    if (!holder->contested && learned_before(holder, port)) return false;
    holder->contested = c->contested = true;
  } else if (!c->retired && w->known >= w->limits.conns && !contest_table(w, c, port)) {
    if (!w->unsure) return false;
    c->contested = true;
  }
  become(w, c, ring, rank, port);
  return true;
}

bool witness_conn_claim(struct witness *w, struct witness_conn *c, unsigned ring, unsigned rank, unsigned port) {
  if (!c->known) return learn(w, c, ring, rank, port);
  if (c->ring == ring && c->rank == rank) return true;
  // Of two claims on two ports either may come first.
  if (!learned_before(c, port)) c->contested = true;
  return false;
}

// --- messages ---

bool witness_conn_enter(const struct witness *w, struct witness_conn *c, const struct witness_reading *p) {
  unsigned history = 2 * w->rings[c->ring].is.window;
  if (c->messages == NULL) c->messages = need(calloc(history, sizeof *c->messages));
  struct witness_message *m = &c->messages[p->tag.msgid % history];
  if (m->valid && m->msgid == p->tag.msgid) return m->psn == p->psn && m->msglen == p->tag.msglen && m->kind == p->tag.kind;
  if (m->valid && witness_newer(m->msgid, p->tag.msgid)) return false;
  *m = (struct witness_message){true, p->tag.kind, p->tag.msglen, p->tag.msgid, p->psn};
  return true;
}

static bool psn_within(const struct witness_message *m, uint32_t psn) {
  return m->valid && ((psn - m->psn) & 0xFFFFFF) < m->msglen;
}

const struct witness_message *witness_conn_message(const struct witness *w, const struct witness_conn *c, uint32_t psn) {
  if (!c->known || c->messages == NULL) return NULL;
  const struct witness_message *const end = c->messages + 2 * w->rings[c->ring].is.window;
  const struct witness_message *best = NULL;
  for (const struct witness_message *m = c->messages; m < end; m++)
    if (psn_within(m, psn) && (best == NULL || witness_newer(m->msgid, best->msgid))) best = m;
  // MsgIDs may go round the circle of all numbers: then each has a newer one.
  for (const struct witness_message *m = c->messages; m < end; m++)
    if (psn_within(m, psn) && m != best && !witness_newer(best->msgid, m->msgid)) return NULL;
  return best;
}

const struct witness_message *witness_conn_begun(const struct witness *w, const struct witness_conn *c, uint32_t msgid) {
  if (!c->known || c->messages == NULL) return NULL;
  const struct witness_message *const end = c->messages + 2 * w->rings[c->ring].is.window;
  for (const struct witness_message *m = c->messages; m < end; m++)
    if (m->valid && m->msgid == msgid) return m;
  return NULL;
}

// --- the device is quiet ---

static void drop_loose(struct witness_conn *c) {
  while (c->loose != NULL) {
    struct witness_packet *k = c->loose;
    c->loose = k->next;
    free(k);
  }
}

void witness_conns_settle(struct witness *w) {
  for (size_t b = 0; b < CONN_BUCKETS; b++)
    for (struct witness_conn *c = w->conns[b]; c != NULL; c = c->next) {
      c->port = c->learned_at = ANY_PORT;
      c->roaming = false;
      drop_loose(c);
    }
}

void witness_conns_flush(struct witness *w, unsigned ring) {
  for (size_t b = 0; b < CONN_BUCKETS; b++)
    for (struct witness_conn *c = w->conns[b]; c != NULL; c = c->next) {
      if (!c->known || c->ring != ring) continue;
      free(c->messages);
      c->messages = NULL;
      const bool surely = !c->contested && w->rings[ring].holders[c->rank] == c;
      c->contested = c->begun = false;
      if (c->registered) continue;
      c->known = false;
      c->retired = surely;   // it keeps its entry
      c->perhaps_retired |= !surely;
      w->unsure |= !surely;
      if (w->rings[ring].holders[c->rank] == c) w->rings[ring].holders[c->rank] = NULL;
    }
}

void witness_conns_release(struct witness *w, unsigned ring) {
  for (size_t b = 0; b < CONN_BUCKETS; b++)
    for (struct witness_conn *c = w->conns[b]; c != NULL; c = c->next) {
      if (c->ring != ring || !(c->retired || c->registered)) continue;
      if (c->registered) w->rings[ring].holders[c->rank] = NULL;
      c->known = c->registered = c->retired = false;
      w->known--;
    }
}

void witness_conns_free(struct witness *w) {
  for (size_t b = 0; b < CONN_BUCKETS; b++)
    while (w->conns[b] != NULL) {
      struct witness_conn *c = w->conns[b];
      w->conns[b] = c->next;
      drop_loose(c);
      free(c->messages);
      free(c);
    }
}
