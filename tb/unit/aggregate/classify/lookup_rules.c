#include "unit/aggregate/classify/lookup_rules.h"

#include <stddef.h>
#include <string.h>

static struct lookup_conn *find_key(struct lookup_rules *t, unsigned key) {
  for (unsigned c = 0; c < LOOKUP_CONNS; c++)
    if (t->conns[c].used && t->conns[c].key == key) return &t->conns[c];
  return NULL;
}

/// The table is two buckets, one in each half: a new connection goes to the emptier one, the left one if they are alike.
static struct lookup_conn *place_of(struct lookup_rules *t) {
  const unsigned left = !t->conns[0].used + !t->conns[1].used, right = !t->conns[2].used + !t->conns[3].used;
  struct lookup_conn *bucket = &t->conns[right > left ? 2 : 0];
  return !left && !right ? NULL : bucket[0].used ? &bucket[1] : bucket;
}

static bool claimed(const struct lookup_rules *t, unsigned ring, unsigned rank) {
  for (unsigned c = 0; c < LOOKUP_CONNS; c++)
    if (t->conns[c].used && !t->conns[c].retired && t->conns[c].ring == ring && t->conns[c].rank == rank) return true;
  return false;
}

static bool is_known(const struct lookup_rules *t, const struct lookup_conn *c) {
  return c && !c->retired && t->rings[c->ring].enable;
}

/// Of a packet that is no ring's. Port 1 is not open.
static enum fate stranger(const struct lookup_rules *t, const struct lookup_conn *conn, unsigned port,
                          const struct lookup_request *q) {
  if (conn) return FATE_RETIRED;
  bool drop = false;
  for (unsigned g = 0; g < LOOKUP_RINGS; g++) drop |= q->has_ina && t->rings[g].drop && t->rings[g].id == q->ring_id;
  return port == 1 || drop ? FATE_CLOSED : FATE_PASSED;
}

static enum fate look_up_start(struct lookup_rules *t, const struct lookup_request *q, unsigned port, struct lookup_conn **conn) {
  const bool known = is_known(t, *conn);
  unsigned g = 0;
  while (g < LOOKUP_RINGS && !(t->rings[g].enable && t->rings[g].id == q->ring_id)) g++;
  if (g == LOOKUP_RINGS) return known ? FATE_BAD_HEADER : stranger(t, *conn, port, q);
  const struct lookup_ring *ring = &t->rings[g];
  if (q->rank >= ring->workers || !q->msglen || q->msglen > ring->stride || q->workers != ring->workers) return FATE_BAD_HEADER;
  if ((q->kind & 15) > 3 || q->kind >> 4 > 2) return FATE_BAD_HEADER;
  if (known && ((*conn)->ring != g || (*conn)->rank != q->rank)) return FATE_BAD_HEADER;
  if (known) return FATE_STORED;
  if (*conn && !((*conn)->retired && ring->learn)) return FATE_RETIRED;
  if (!ring->learn) return FATE_UNREGISTERED;
  if (claimed(t, g, q->rank)) return FATE_RANK_CONFLICT;
  if (!*conn && !place_of(t)) return FATE_TABLE_FULL;
  t->revived += *conn != NULL;
  if (!*conn) *conn = place_of(t);
  **conn = (struct lookup_conn){.used = true, .learned = true, .key = q->key, .ring = g, .rank = q->rank};
  return FATE_STORED;
}

struct lookup_answer lookup_rules_ask(struct lookup_rules *t, const struct lookup_request *q, unsigned port) {
  struct lookup_answer a = {.fate = FATE_STORED, .tensor = q->tensor};
  struct lookup_conn *conn = find_key(t, q->key);
  const bool known = is_known(t, conn);
  const struct lookup_message *found = NULL;
  uint32_t psn = q->psn;
  if (q->has_ina) {
    a.fate = look_up_start(t, q, port, &conn);
    if (a.fate != FATE_STORED) return a;
    if (t->rings[conn->ring].columns) psn = 0;
    struct lookup_message *m = &conn->history[q->msgid & ((2u << t->rings[conn->ring].window_log2) - 1)];
    const uint32_t ahead = q->msgid - m->msgid;
    if (m->valid && ahead >= 0x80000000u) {
      a.fate = FATE_STALE;
    } else if (m->valid && !ahead && (m->psn0 != psn || m->msglen != q->msglen || m->kind != q->kind)) {
      a.fate = FATE_PSN_CONFLICT;
    } else {
      *m = (struct lookup_message){.valid = true, .msgid = q->msgid, .psn0 = psn, .msglen = q->msglen, .kind = q->kind};
      found = m;
    }
  } else if (!known) {
    a.fate = stranger(t, conn, port, q);
    return a;
  } else if (q->starts) {
    a.fate = FATE_BAD_HEADER;
  } else {
    if (t->rings[conn->ring].columns) psn = 0;
    for (unsigned i = 0; i < LOOKUP_HISTORY; i++) {
      const struct lookup_message *m = &conn->history[i];
      if (!m->valid || ((psn - m->psn0) & 0xffffff) >= m->msglen) continue;
      if (!found || (m->msgid - found->msgid) < 0x80000000u) found = m;
    }
    if (!found) a.fate = FATE_UNKNOWN_MESSAGE;
  }
  if (a.fate != FATE_STORED) return a;
  const struct lookup_ring *ring = &t->rings[conn->ring];
  const unsigned window = 1u << ring->window_log2;
  const unsigned size = (found->kind & 15) == 1 || (found->kind & 15) == 2 ? 2 : 4;
  a.conn = (unsigned)(conn - t->conns);
  a.ring = conn->ring;
  a.rank = conn->rank;
  a.msgid = found->msgid;
  a.kind = found->kind;
  a.offset = q->has_ina ? q->psn - psn : (psn - found->psn0) & 0xffffff;
  a.slot = ring->base + 2 * (a.msgid % window * ring->stride + a.offset) + a.msgid / window % 2;
  if (q->len_bad || q->tensor % size || q->tensor > LOOKUP_SLOT_BYTES) a.fate = FATE_BAD_LENGTH;
  return a;
}

void lookup_rules_flush(struct lookup_rules *t, unsigned ring, bool release) {
  for (unsigned c = 0; c < LOOKUP_CONNS; c++) {
    if (!t->conns[c].used || t->conns[c].ring != ring) continue;
    if (t->conns[c].learned) t->conns[c].retired = true;
    if (release) t->conns[c].used = t->conns[c].retired = false;
    memset(t->conns[c].history, 0, sizeof t->conns[c].history);
  }
}

bool lookup_rules_act(struct lookup_rules *t, enum lookup_act act, const struct lookup_conn *wish, uint64_t *index) {
  struct lookup_conn *is = act == LOOKUP_REGISTER ? place_of(t) : *index < LOOKUP_CONNS ? &t->conns[*index] : NULL;
  if (is == NULL) return false;
  if (act == LOOKUP_REGISTER && (claimed(t, wish->ring, wish->rank) || find_key(t, wish->key))) return false;
  if (act == LOOKUP_RETIRE && (!is->used || is->retired)) return false;
  if (act == LOOKUP_RELEASE && (!is->used || !is->retired)) return false;
  *index = (uint64_t)(is - t->conns);
  if (act == LOOKUP_REGISTER) *is = *wish;
  is->retired = act == LOOKUP_RETIRE;
  if (act == LOOKUP_RETIRE) memset(is->history, 0, sizeof is->history);
  if (act == LOOKUP_RELEASE) is->used = false;
  return true;
}
