#include <stdlib.h>
#include <string.h>

#include "oracle/witness_state.h"

// A column is excused from giving results only if
// - packets of different lengths or types are in it: whichever the device took first stands;
// - a packet of it is of a connection that is contested or roaming (witness_state.h);
// - the window was ignored: a message 2N newer began, or N newer gave results, before it had given all of its own; or it is
//   2N newer than such a message; or one N older or newer began before either had given a result.
//
// The first two are to be seen in what came in. In an open loop a result that a broken device kept back looks like the third; so that one is
// told apart: if it began with a column that never got all its packets, this is a gap in what came in, and the device cannot be blamed.

enum { FORGET_AT = 4096 };

static size_t hash(uint64_t a, uint64_t b) { return (a * 0x9E3779B97F4A7C15u ^ b * 0xC2B2AE3D27D4EB4Fu) >> 40 & (BUCKETS - 1); }

static struct witness_column **bucket_at(struct witness *w, unsigned ring, uint32_t msgid, unsigned offset) {
  return &w->columns[hash(msgid, (uint64_t)ring << 16 | offset)];
}

static struct witness_column *column_find(struct witness *w, unsigned ring, uint32_t msgid, unsigned offset) {
  struct witness_column *c = *bucket_at(w, ring, msgid, offset);
  while (c != NULL && (c->ring != ring || c->msgid != msgid || c->offset != offset)) c = c->next;
  return c;
}

static struct witness_column *column_of(struct witness *w, unsigned ring, uint32_t msgid, unsigned offset) {
  struct witness_column **bucket = bucket_at(w, ring, msgid, offset), *c = column_find(w, ring, msgid, offset);
  if (c != NULL) return c;
  c = need(calloc(1, sizeof *c + w->rings[ring].is.workers * sizeof c->shares[0]));
  c->ring = ring;
  c->msgid = msgid;
  c->offset = offset;
  c->next = *bucket;
  *bucket = c;
  c->next_open = w->open;
  w->open = c;
  return c;
}

static struct witness_psn **psn_at(struct witness *w, const struct witness_conn *c, uint32_t psn) {
  struct witness_psn **at = &w->sent[hash((uintptr_t)c, psn)];
  while (*at != NULL && ((*at)->conn != c || (*at)->psn != psn)) at = &(*at)->next;
  return at;
}

struct witness_psn *witness_psn_of(struct witness *w, const struct witness_conn *c, uint32_t psn, bool make) {
  struct witness_psn **at = psn_at(w, c, psn);
  if (*at != NULL || !make) return *at;
  *at = need(calloc(1, sizeof **at));
  (*at)->conn = c;
  (*at)->psn = psn;
  return *at;
}

// --- packets in ---

static struct witness_column **slot_of(const struct witness *w, unsigned ring, uint32_t msgid, unsigned offset) {
  const struct witness_ring *r = &w->rings[ring].is;
  return &w->rings[ring].slots[(size_t)(msgid % (2 * r->window)) * r->stride + offset];
}

static bool full(const struct witness *w, const struct witness_column *col) {
  return col->present == w->rings[col->ring].is.workers;
}

static bool finished(const struct witness *w, const struct witness_column *col) {
  return col->given == w->rings[col->ring].is.workers;
}

// A message N newer has begun: in a whole record of hosts that keep their window every packet of this column was in before.
static bool overtaken(const struct witness *w, const struct witness_column *col) {
  const struct watched_ring *ring = &w->rings[col->ring];
  return witness_newer(ring->newest, col->msgid + ring->is.window - 1);
}

// It lacks a rank of which nothing was seen yet: the record begins in the middle.
static bool lacks_unseen(const struct witness *w, const struct witness_column *col) {
  const struct watched_ring *ring = &w->rings[col->ring];
  for (unsigned r = 0; r < ring->is.workers; r++)
    if (col->shares[r].rows == NULL && (ring->holders[r] == NULL || !ring->holders[r]->begun)) return true;
  return false;
}

static void check_window(struct witness *w, struct witness_column *col) {
  const unsigned window = w->rings[col->ring].is.window;
  struct witness_column **slot = slot_of(w, col->ring, col->msgid, col->offset);
  if (*slot == NULL) *slot = col;
  struct witness_column *other = *slot;
  bool newer = witness_newer(col->msgid, other->msgid);
  // Whichever of the two came in first, the older one may hold the slot against the newer one.
  if (other != col && !finished(w, newer ? other : col)) other->out_of_window = col->out_of_window = true;
  if (newer) {
    col->follows = true;
    col->before = other->msgid;
    *slot = col;
  }
  // Of two that are N apart, one whose packets are all there, or on their way, keeps the other one out until its first results leave. One that lacks
  // some is over when the other begins, and if the older one has more to come it may do the same.
  struct witness_column *beside = *slot_of(w, col->ring, col->msgid + window, col->offset);
  if (beside != NULL && beside->given == 0) {
    const bool newer_beside = !witness_newer(col->msgid, beside->msgid);
    struct witness_column *newer_one = newer_beside ? beside : col;
    beside->out_of_window = col->out_of_window = true;
    newer_one->follows = true;
    newer_one->before = newer_beside ? col->msgid : beside->msgid;
    if (!newer_beside && !full(w, beside)) beside->begun_unseen |= lacks_unseen(w, beside);
  }
  // Results of the message N after it may be on their way, and their first one frees the slot.
  const struct witness_column *next = *slot_of(w, col->ring, col->msgid + window, col->offset);
  if (next != NULL && witness_newer(next->msgid, col->msgid) && full(w, next)) col->out_of_window = true;
}

static bool same_tensor(const struct witness_packet *a, const struct witness_packet *b) {
  return a->kind == b->kind && a->at.tensor == b->at.tensor &&
         memcmp(a->data + a->at.body, b->data + b->at.body, a->at.tensor) == 0;
}

static void add_row(struct witness_column *col, unsigned rank, struct witness_packet *k) {
  struct witness_share *share = &col->shares[rank];
  if (share->rows == NULL) col->present++;
  for (const struct witness_packet *row = share->rows; row != NULL; row = row->next_row)
    if (same_tensor(row, k)) return;
  k->next_row = share->rows;
  share->rows = k;
}

/// True if the connection has sent a newer packet than this one already.
static bool is_repeat(struct witness_conn *c, uint32_t psn) {
  const bool older = c->begun && ((psn - c->newest) & 0xFFFFFF) >= 0x800000;
  if (!older) c->newest = psn;
  c->begun = true;
  return older;
}

static bool length_fits(const struct witness *w, const struct witness_packet *k) {
  return !k->at.malformed && k->at.tensor <= w->limits.slot_bytes && k->at.tensor % witness_element_size(k->kind) == 0;
}

void witness_column_put(struct witness *w, struct witness_conn *c, struct witness_packet *k, uint32_t msgid, unsigned offset,
                        uint8_t kind) {
  k->kind = kind;
  if (!length_fits(w, k)) {   // dropped
    free(k);
    return;
  }
  struct watched_ring *ring = &w->rings[c->ring];
  struct witness_column *col = k->column = column_of(w, c->ring, msgid, offset);
  if (!ring->begun || witness_newer(msgid, ring->newest)) ring->newest = msgid;
  ring->begun = true;
  if (col->present == 0) {
    col->kind = kind;
    col->len = k->at.tensor;
  }
  if (c->contested || c->roaming) col->ports = true;
  if (kind != col->kind || k->at.tensor != col->len) col->contradicts = true;
  check_window(w, col);
  if (is_repeat(c, k->at.psn) && col->shares[c->rank].rows == NULL && overtaken(w, col)) col->by_repeat = true;
  add_row(col, c->rank, k);

  struct witness_psn *s = witness_psn_of(w, c, k->at.psn, true);
  k->next = s->packets;
  s->packets = k;
  s->copies++;
}

// --- results out ---

static void count_result(struct witness *w, struct witness_psn *s, struct witness_column *col) {
  struct watched_ring *ring = &w->rings[col->ring];
  w->counts.results++;
  s->results++;
  if (col->shares[s->conn->rank].results++ == 0) col->given++;
  struct witness_column *before = *slot_of(w, col->ring, col->msgid - ring->is.window, col->offset);
  if (before != NULL && witness_newer(col->msgid, before->msgid) && !finished(w, before)) before->out_of_window = true;
}

const char *witness_column_explain(struct witness *w, unsigned port, const uint8_t *frame, size_t len,
                                   const struct witness_reading *p) {
  if (p->sort == WITNESS_BAD_ICRC) return "its ICRC is wrong";
  if (p->sort != WITNESS_DATA) return "no such frame is due, and it is no result";
  const struct witness_conn *c = witness_conn_find(w, &p->conn);
  struct witness_psn *s = c == NULL ? NULL : witness_psn_of(w, c, p->psn, false);
  const char *why = NULL;
  for (const struct witness_packet *k = s == NULL ? NULL : s->packets; k != NULL; k = k->next) {
    if (k->port != port) continue;
    const char *headers = witness_headers_differ(w, k, frame, len);
    const char *differs = headers != NULL ? headers : witness_sum_differs(w, k, frame + k->at.body);
    if (differs == NULL) {
      if (s->results >= s->copies) return "result: one more than packets came in";
      count_result(w, s, k->column);
      return NULL;
    }
    // It most likely stands for a packet with its headers, or else for the newest one.
    if (why == NULL || headers == NULL) why = differs;
  }
  return why != NULL ? why : "no gradient with its connection and PSN came in on this port";
}

static bool among(const struct witness_packet *k, unsigned port, const uint8_t *frame, size_t len) {
  while (k != NULL && (k->port != port || len < k->at.end || memcmp(k->data, frame, k->at.end) != 0)) k = k->next;
  return k != NULL;
}

bool witness_column_passes_contested(struct witness *w, unsigned port, const uint8_t *frame, size_t len,
                                     const struct witness_reading *p) {
  const struct witness_conn *c = p->sort == WITNESS_DATA && !p->tagged ? witness_conn_find(w, &p->conn) : NULL;
  if (c == NULL || !c->contested) return false;
  const struct witness_psn *s = witness_psn_of(w, c, p->psn, false);
  return among(c->loose, port, frame, len) || (s != NULL && among(s->packets, port, frame, len));
}

// --- the device is quiet ---

// The connection may have become contested after its packet came in.
static bool contested(const struct witness *w, const struct witness_column *col) {
  for (unsigned r = 0; r < w->rings[col->ring].is.workers; r++) {
    const struct witness_conn *holder = w->rings[col->ring].holders[r];
    if (holder != NULL && holder->contested) return true;
  }
  return false;
}

// True if the column, or one whose place it wanted, lacks packets that must have been sent: others went on without them.
static bool behind_a_gap(struct witness *w, const struct witness_column *col) {
  if (col->begun_unseen) return true;
  while (col != NULL) {
    if (col->by_repeat || (!full(w, col) && overtaken(w, col))) return true;
    col = col->out_of_window && col->follows ? column_find(w, col->ring, col->before, col->offset) : NULL;
  }
  return false;
}

// Why results may be missing; WITNESS_EXCUSES if they may not.
static enum witness_excuse excuse_of(struct witness *w, const struct witness_column *col) {
  if (col->contradicts) return WITNESS_CONTRADICTION;
  if (col->ports || contested(w, col)) return WITNESS_PORTS;
  if (!col->out_of_window) return WITNESS_EXCUSES;
  return behind_a_gap(w, col) ? WITNESS_GAP : WITNESS_WINDOW;
}

static void judge(struct witness *w, struct witness_column *col) {
  const struct witness_ring *ring = &w->rings[col->ring].is;
  col->closed = true;
  w->closed++;
  if (finished(w, col)) {
    w->counts.complete++;
    return;
  }
  const enum witness_excuse excuse = excuse_of(w, col);
  if (excuse != WITNESS_EXCUSES) {
    w->counts.excused[excuse]++;
    return;
  }
  for (unsigned r = 0; r < ring->workers; r++)
    if (col->shares[r].results == 0)
      witness_fault(w, "ring %u, MsgID %u, offset %u: every rank has sent its packet, but rank %u got no result", ring->id,
                    col->msgid, col->offset, r);
}

static void free_column(struct witness *w, struct witness_column *col) {
  struct witness_column **slot = slot_of(w, col->ring, col->msgid, col->offset);
  if (*slot == col) *slot = NULL;
  if (col->closed) w->closed--;
  free(col->proven);
  free(col);
}

// In a quiet device, nothing more can come of what is long behind the window.
static bool outlived(const struct witness *w, const struct witness_column *col) {
  const struct watched_ring *ring = &w->rings[col->ring];
  return col->closed && witness_newer(ring->newest, col->msgid + 4 * ring->is.window);
}

static bool all_columns(const struct witness *w, const struct witness_column *col) {
  (void)w;
  (void)col;
  return true;
}

// Forgets columns of a ring, and their packets.
static void forget(struct witness *w, unsigned ring, bool (*chosen)(const struct witness *w, const struct witness_column *col)) {
  for (size_t b = 0; b < BUCKETS; b++)
    for (struct witness_psn **s = &w->sent[b]; *s != NULL;) {
      for (struct witness_packet **k = &(*s)->packets; *k != NULL;) {
        struct witness_packet *packet = *k;
        if (packet->column->ring != ring || !chosen(w, packet->column)) {
          k = &packet->next;
          continue;
        }
        *k = packet->next;
        free(packet);
      }
      struct witness_psn *empty = *s;
      // What its sender means by a packet that is not in yet stands, unless that is long ago.
      const bool waits = empty->meant && !witness_newer(w->rings[empty->meaning.ring].newest,
                                                        empty->meaning.msgid + 4 * w->rings[empty->meaning.ring].is.window);
      if (empty->packets != NULL || (waits && !w->ending)) {
        s = &empty->next;
        continue;
      }
      *s = empty->next;
      free(empty);
    }
  for (struct witness_column **c = &w->open; *c != NULL;)
    if ((*c)->ring == ring && chosen(w, *c))
      *c = (*c)->next_open;
    else
      c = &(*c)->next_open;
  for (size_t b = 0; b < BUCKETS; b++)
    for (struct witness_column **c = &w->columns[b]; *c != NULL;) {
      struct witness_column *col = *c;
      if (col->ring != ring || !chosen(w, col)) {
        c = &col->next;
        continue;
      }
      *c = col->next;
      free_column(w, col);
    }
}

void witness_columns_settle_ring(struct witness *w, unsigned ring) {
  for (struct witness_column **c = &w->open; *c != NULL;) {
    struct witness_column *col = *c;
    if (col->ring != ring || !full(w, col)) {
      c = &col->next_open;
      continue;
    }
    *c = col->next_open;
    judge(w, col);
  }
}

void witness_columns_settle(struct witness *w) {
  for (unsigned r = 0; r < w->ring_count; r++) witness_columns_settle_ring(w, r);
  if (w->closed < FORGET_AT) return;
  for (unsigned r = 0; r < w->ring_count; r++) forget(w, r, outlived);
}

size_t witness_columns_open(const struct witness *w) {
  size_t count = 0;
  for (const struct witness_column *c = w->open; c != NULL; c = c->next_open) count++;
  return count;
}

void witness_columns_flush(struct witness *w, unsigned ring) {
  // What is still under way is of connections that are gone.
  for (size_t b = 0; b < BUCKETS; b++)
    for (struct witness_psn *s = w->sent[b]; s != NULL; s = s->next)
      if (s->meant && s->meaning.ring == ring) s->meant = false;
  forget(w, ring, all_columns);
  w->rings[ring].begun = false;
}

void witness_columns_free(struct witness *w) {
  w->ending = true;
  for (unsigned r = 0; r < w->ring_count; r++) forget(w, r, all_columns);
}
