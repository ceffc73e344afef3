#include <stdlib.h>
#include <string.h>

#include "oracle/witness_state.h"
#include "wire/bytes.h"

// A column is excused from giving results only if
// - packets of different lengths or types are in it: whichever the device took first stands;
// - a packet of it is of a connection that is contested or roaming (witness_state.h);
// - the window was ignored: a message 2N newer began, or N newer gave results, before it had given all of its own; or it is
//   2N newer than such a message.

// In an open loop a result that a broken device kept back looks like such a window; that is why excuses are counted.

enum { MAX_TRIES = 64, FORGET_AT = 4096 };

static size_t hash(uint64_t a, uint64_t b) { return (a * 0x9E3779B97F4A7C15u ^ b * 0xC2B2AE3D27D4EB4Fu) >> 40 & (BUCKETS - 1); }

static struct column *column_of(struct witness *w, unsigned ring, uint32_t msgid, unsigned offset) {
  struct column **bucket = &w->columns[hash(msgid, (uint64_t)ring << 16 | offset)];
  for (struct column *c = *bucket; c != NULL; c = c->next)
    if (c->ring == ring && c->msgid == msgid && c->offset == offset) return c;
  struct column *c = witness_need(calloc(1, sizeof *c + w->rings[ring].is.workers * sizeof c->shares[0]));
  c->ring = ring;
  c->msgid = msgid;
  c->offset = offset;
  c->next = *bucket;
  *bucket = c;
  c->next_open = w->open;
  w->open = c;
  return c;
}

static struct sent **sent_at(struct witness *w, const struct conn *c, uint32_t psn) {
  struct sent **at = &w->sent[hash((uintptr_t)c, psn)];
  while (*at != NULL && ((*at)->conn != c || (*at)->psn != psn)) at = &(*at)->next;
  return at;
}

// --- packets in ---

static struct column **slot_of(const struct witness *w, unsigned ring, uint32_t msgid, unsigned offset) {
  const struct model_ring *r = &w->rings[ring].is;
  return &w->rings[ring].slots[(size_t)(msgid % (2 * r->window)) * r->stride + offset];
}

static bool finished(const struct witness *w, const struct column *col) { return col->given == w->rings[col->ring].is.workers; }

static void check_window(struct witness *w, struct column *col) {
  struct column **slot = slot_of(w, col->ring, col->msgid, col->offset);
  if (*slot == NULL) *slot = col;
  struct column *other = *slot;
  bool newer = msgid_newer(col->msgid, other->msgid);
  // Whichever of the two came in first, the older one may hold the slot against the newer one.
  if (other != col && !finished(w, newer ? other : col)) other->excused = col->excused = true;
  if (newer) *slot = col;
  // Results of the message N after it may be on their way, and their first one frees the slot.
  unsigned window = w->rings[col->ring].is.window;
  const struct column *next = *slot_of(w, col->ring, col->msgid + window, col->offset);
  if (next != NULL && msgid_newer(next->msgid, col->msgid) && next->present == w->rings[col->ring].is.workers)
    col->excused = true;
}

static bool same_tensor(const struct packet *a, const struct packet *b) {
  return a->kind == b->kind && a->at.tensor == b->at.tensor &&
         memcmp(a->data + a->at.header, b->data + b->at.header, a->at.tensor) == 0;
}

static void add_row(struct column *col, unsigned rank, struct packet *k) {
  struct share *share = &col->shares[rank];
  if (share->rows == NULL) col->present++;
  for (const struct packet *row = share->rows; row != NULL; row = row->next_row)
    if (same_tensor(row, k)) return;
  k->next_row = share->rows;
  share->rows = k;
}

static bool length_fits(const struct witness *w, const struct packet *k) {
  return !k->at.length_bad && k->at.tensor <= w->limits.slot_bytes && k->at.tensor % ina_element_size(k->kind) == 0;
}

void column_put(struct witness *w, struct conn *c, struct packet *k, uint32_t msgid, unsigned offset, uint8_t kind) {
  k->kind = kind;
  if (!length_fits(w, k)) {   // dropped
    free(k);
    return;
  }
  struct ring *ring = &w->rings[c->ring];
  struct column *col = k->column = column_of(w, c->ring, msgid, offset);
  if (!ring->begun || msgid_newer(msgid, ring->newest)) ring->newest = msgid;
  ring->begun = true;
  if (col->present == 0) {
    col->kind = kind;
    col->len = k->at.tensor;
  }
  if (c->contested || c->roaming || kind != col->kind || k->at.tensor != col->len) col->excused = true;
  check_window(w, col);
  add_row(col, c->rank, k);

  struct sent **s = sent_at(w, c, k->at.psn);
  if (*s == NULL) {
    *s = witness_need(calloc(1, sizeof **s));
    (*s)->conn = c;
    (*s)->psn = k->at.psn;
  }
  k->next = (*s)->packets;
  (*s)->packets = k;
  (*s)->copies++;
}

// --- results out ---

static const char *headers_differ(const struct packet *k, const uint8_t *frame, size_t len) {
  const struct roce_packet *at = &k->at;
  size_t pad = at->header + at->tensor;
  if (len != at->ip_end) return "result: its length is not that of the packet";
  if (memcmp(frame, k->data, at->udp + 6) != 0) return "result: Ethernet, IP or UDP header differs from the packet's";
  if (get_be16(frame + at->udp + 6) != 0) return "result: UDP checksum is not zero";
  if (memcmp(frame + at->bth, k->data + at->bth, at->header - at->bth) != 0)
    return "result: BTH, extension or INA header differs from the packet's";
  if (memcmp(frame + pad, k->data + pad, at->ip_end - 4 - pad) != 0) return "result: pad differs from the packet's";
  return NULL;
}

// A search over one packet of every rank, for the sum that came out.
struct search {
  struct witness *w;
  const struct column *col;
  const uint8_t *tensor;
  size_t len;
  uint8_t kind;
  const uint8_t *rows[WITNESS_RANKS];
};

static bool eligible(const struct search *s, const struct packet *row) {
  return row->at.tensor == s->len && row->kind == s->kind;
}

static bool sum_found(struct search *s, unsigned rank) {
  unsigned workers = s->w->rings[s->col->ring].is.workers;
  if (rank == workers) {
    witness_reduce(s->kind, s->rows, workers, s->len, s->w->scratch);
    return memcmp(s->w->scratch, s->tensor, s->len) == 0;
  }
  for (const struct packet *row = s->col->shares[rank].rows; row != NULL; row = row->next_row) {
    if (!eligible(s, row)) continue;
    s->rows[rank] = row->data + row->at.header;
    if (sum_found(s, rank + 1)) return true;
  }
  return false;
}

// How many sums there are to try, at most MAX_TRIES + 1.
static size_t possible_sums(const struct search *s) {
  size_t product = 1;
  for (unsigned r = 0; r < s->w->rings[s->col->ring].is.workers; r++) {
    size_t rows = 0;
    for (const struct packet *row = s->col->shares[r].rows; row != NULL; row = row->next_row) rows += eligible(s, row);
    product *= rows;
    if (product > MAX_TRIES) product = MAX_TRIES + 1;
  }
  return product;
}

static const char *sum_differs(struct witness *w, const struct packet *k, const uint8_t *tensor) {
  struct column *col = k->column;
  size_t len = k->at.tensor;
  if (col->proven != NULL && col->proven_len == len && memcmp(col->proven, tensor, len) == 0) return NULL;
  struct search s = {.w = w, .col = col, .tensor = tensor, .len = len, .kind = k->kind};
  size_t tries = possible_sums(&s);
  if (tries == 0) return "result: not every rank has sent its packet of this column";
  if (tries > MAX_TRIES) return NULL;   // so many contradicting packets that most anything may be right
  if (!sum_found(&s, 0)) return "result: the tensor is not the reduction over the ranks' packets";
  free(col->proven);
  col->proven = witness_need(malloc(len + 1));
  col->proven_len = len;
  memcpy(col->proven, tensor, len);
  return NULL;
}

static void count_result(struct witness *w, struct sent *s, struct column *col) {
  struct ring *ring = &w->rings[col->ring];
  w->counts.results++;
  s->results++;
  if (col->shares[s->conn->rank].results++ == 0) col->given++;
  struct column *before = *slot_of(w, col->ring, col->msgid - ring->is.window, col->offset);
  if (before != NULL && msgid_newer(col->msgid, before->msgid) && !finished(w, before)) before->excused = true;
}

const char *column_explain(struct witness *w, unsigned port, const uint8_t *frame, size_t len, const struct roce_packet *p) {
  if (p->class == ROCE_BAD_ICRC) return "its ICRC is wrong";
  if (p->class != ROCE_CANDIDATE) return "no such frame is due, and it is no result";
  const struct conn *c = conn_find(w, &p->key);
  struct sent *s = c == NULL ? NULL : *sent_at(w, c, p->psn);
  const char *why = NULL;
  for (const struct packet *k = s == NULL ? NULL : s->packets; k != NULL; k = k->next) {
    if (k->port != port) continue;
    const char *headers = headers_differ(k, frame, len);
    const char *differs = headers != NULL ? headers : sum_differs(w, k, frame + k->at.header);
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

static bool among(const struct packet *k, unsigned port, const uint8_t *frame, size_t len) {
  while (k != NULL && (k->port != port || len < k->at.ip_end || memcmp(k->data, frame, k->at.ip_end) != 0)) k = k->next;
  return k != NULL;
}

bool column_passes_contested(struct witness *w, unsigned port, const uint8_t *frame, size_t len, const struct roce_packet *p) {
  const struct conn *c = p->class == ROCE_CANDIDATE && !p->tagged ? conn_find(w, &p->key) : NULL;
  if (c == NULL || !c->contested) return false;
  const struct sent *s = *sent_at(w, c, p->psn);
  return among(c->loose, port, frame, len) || (s != NULL && among(s->packets, port, frame, len));
}

// --- the device is quiet ---

// The connection may have become contested after its packet came in.
static bool contested(const struct witness *w, const struct column *col) {
  for (unsigned r = 0; r < w->rings[col->ring].is.workers; r++) {
    const struct conn *holder = w->rings[col->ring].holders[r];
    if (holder != NULL && holder->contested) return true;
  }
  return false;
}

static void judge(struct witness *w, struct column *col) {
  const struct model_ring *ring = &w->rings[col->ring].is;
  col->closed = true;
  w->closed++;
  if (finished(w, col)) {
    w->counts.complete++;
    return;
  }
  if (col->excused || contested(w, col)) {
    w->counts.excused++;
    return;
  }
  for (unsigned r = 0; r < ring->workers; r++)
    if (col->shares[r].results == 0)
      witness_fault(w, "ring %u, MsgID %u, offset %u: every rank has sent its packet, but rank %u got no result", ring->id,
                    col->msgid, col->offset, r);
}

static void free_column(struct witness *w, struct column *col) {
  struct column **slot = slot_of(w, col->ring, col->msgid, col->offset);
  if (*slot == col) *slot = NULL;
  if (col->closed) w->closed--;
  free(col->proven);
  free(col);
}

// In a quiet device, nothing more can come of what is long behind the window.
static bool outlived(const struct witness *w, const struct column *col) {
  const struct ring *ring = &w->rings[col->ring];
  return col->closed && msgid_newer(ring->newest, col->msgid + 4 * ring->is.window);
}

static bool all_columns(const struct witness *w, const struct column *col) {
  (void)w;
  (void)col;
  return true;
}

// Forgets columns of a ring, and their packets.
static void forget(struct witness *w, unsigned ring, bool (*chosen)(const struct witness *w, const struct column *col)) {
  for (size_t b = 0; b < BUCKETS; b++)
    for (struct sent **s = &w->sent[b]; *s != NULL;) {
      for (struct packet **k = &(*s)->packets; *k != NULL;) {
        struct packet *packet = *k;
        if (packet->column->ring != ring || !chosen(w, packet->column)) {
          k = &packet->next;
          continue;
        }
        *k = packet->next;
        free(packet);
      }
      struct sent *empty = *s;
      if (empty->packets != NULL) {
        s = &empty->next;
        continue;
      }
      *s = empty->next;
      free(empty);
    }
  for (struct column **c = &w->open; *c != NULL;)
    if ((*c)->ring == ring && chosen(w, *c))
      *c = (*c)->next_open;
    else
      c = &(*c)->next_open;
  for (size_t b = 0; b < BUCKETS; b++)
    for (struct column **c = &w->columns[b]; *c != NULL;) {
      struct column *col = *c;
      if (col->ring != ring || !chosen(w, col)) {
        c = &col->next;
        continue;
      }
      *c = col->next;
      free_column(w, col);
    }
}

void columns_settle(struct witness *w) {
  for (struct column **c = &w->open; *c != NULL;) {
    struct column *col = *c;
    if (col->present != w->rings[col->ring].is.workers) {
      c = &col->next_open;
      continue;
    }
    *c = col->next_open;
    judge(w, col);
  }
  if (w->closed < FORGET_AT) return;
  for (unsigned r = 0; r < w->ring_count; r++) forget(w, r, outlived);
}

void columns_flush(struct witness *w, unsigned ring) {
  forget(w, ring, all_columns);
  w->rings[ring].begun = false;
}

void columns_free(struct witness *w) {
  for (unsigned r = 0; r < w->ring_count; r++) forget(w, r, all_columns);
}
