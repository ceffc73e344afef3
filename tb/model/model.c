#include "model/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// A message a connection is known to have sent.
struct message {
  bool valid;
  uint32_t msgid, psn0;
  uint16_t msglen;
  uint8_t kind;
};

struct connection {
  struct conn_key key;
  unsigned ring, rank;
  struct message *history;   // 2N of them, NULL where the entry is free
};

// What one rank left in a column: the headers of its latest packet and the tensor of its first one.
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

// A decided packet whose bytes are not in place yet.
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
  size_t ring_count;
  struct column **columns;   // of each ring, 2N * stride
  struct connection *conns;
  struct pending *ports;
  uint8_t *out;
  size_t out_stride;
};

// Serial-number order of MsgIDs: true if `a` is older than `b`.
static bool older(uint32_t a, uint32_t b) { return ((a - b) & 0x80000000u) != 0; }

// The host has run out of memory: nothing sensible can be compared any more.
static void *need(void *p) {
  if (p == NULL) abort();
  return p;
}

static size_t columns_of(const struct model_ring *ring) { return (size_t)2 * ring->window * ring->stride; }

static struct column *column_at(struct model *m, unsigned ring, uint32_t msgid, unsigned offset) {
  const struct model_ring *r = &m->rings[ring];
  return &m->columns[ring][(size_t)(msgid % (2 * r->window)) * r->stride + offset];
}

static bool ring_fits(const struct model_limits *limits, const struct model_ring *ring) {
  bool power_of_two = ring->window != 0 && (ring->window & (ring->window - 1)) == 0;
  return power_of_two && ring->stride != 0 && ring->workers != 0 && ring->workers <= limits->ranks;
}

struct model *model_new(const struct model_limits *limits, const struct model_ring *rings, size_t count) {
  if (limits->ranks == 0 || limits->ranks > 32 || limits->ports == 0) return NULL;
  for (size_t i = 0; i < count; i++)
    if (!ring_fits(limits, &rings[i])) return NULL;

  struct model *m = calloc(1, sizeof *m);
  if (m == NULL) return NULL;
  m->limits = *limits;
  m->rings = calloc(count + 1, sizeof *m->rings);
  m->columns = calloc(count + 1, sizeof *m->columns);
  m->conns = calloc(limits->conns + 1, sizeof *m->conns);
  m->ports = calloc(limits->ports, sizeof *m->ports);
  m->out_stride = ROCE_MAX_HEADER + limits->slot_bytes + 3 + 4;
  m->out = calloc(limits->ranks, m->out_stride);
  bool good = m->rings != NULL && m->columns != NULL && m->conns != NULL && m->ports != NULL && m->out != NULL;
  for (size_t i = 0; good && i < count; i++) {
    size_t n = columns_of(&rings[i]);
    m->rings[i] = rings[i];
    m->columns[i] = calloc(n, sizeof *m->columns[i]);
    struct share *shares = calloc(n * rings[i].workers, sizeof *shares);
    good = m->columns[i] != NULL && shares != NULL;
    m->ring_count = i + 1;
    if (!good) {
      free(m->columns[i]);
      free(shares);
      m->ring_count = i;
      break;
    }
    for (size_t c = 0; c < n; c++) m->columns[i][c].shares = shares + c * rings[i].workers;
  }
  for (unsigned p = 0; good && p < limits->ports; p++) m->ports[p].tail = &m->ports[p].head;
  if (!good) {
    model_free(m);
    return NULL;
  }
  return m;
}

void model_free(struct model *m) {
  if (m == NULL) return;
  for (size_t i = 0; i < m->ring_count; i++) {
    struct share *shares = m->columns[i][0].shares;
    for (size_t s = 0; s < columns_of(&m->rings[i]) * m->rings[i].workers; s++) free(shares[s].tensor);
    free(shares);
    free(m->columns[i]);
  }
  if (m->conns != NULL)
    for (unsigned c = 0; c < m->limits.conns; c++) free(m->conns[c].history);
  if (m->ports != NULL)
    for (unsigned p = 0; p < m->limits.ports; p++)
      for (struct packet *next, *k = m->ports[p].head; k != NULL; k = next) {
        next = k->next;
        free(k);
      }
  free(m->ports);
  free(m->conns);
  free(m->columns);
  free(m->rings);
  free(m->out);
  free(m);
}

// --- connections ---

static struct connection *find_connection(struct model *m, const struct conn_key *key) {
  for (unsigned c = 0; c < m->limits.conns; c++)
    if (m->conns[c].history != NULL && conn_key_equal(&m->conns[c].key, key)) return &m->conns[c];
  return NULL;
}

static bool rank_taken(const struct model *m, unsigned ring, unsigned rank) {
  for (unsigned c = 0; c < m->limits.conns; c++)
    if (m->conns[c].history != NULL && m->conns[c].ring == ring && m->conns[c].rank == rank) return true;
  return false;
}

// NULL if the table is full.
static struct connection *add_connection(struct model *m, unsigned ring, unsigned rank, const struct conn_key *key) {
  for (unsigned c = 0; c < m->limits.conns; c++) {
    struct connection *conn = &m->conns[c];
    if (conn->history != NULL) continue;
    conn->history = need(calloc(2 * m->rings[ring].window, sizeof *conn->history));
    conn->key = *key;
    conn->ring = ring;
    conn->rank = rank;
    return conn;
  }
  return NULL;
}

int model_connect(struct model *m, unsigned ring, unsigned rank, const struct conn_key *key) {
  if (ring >= m->ring_count || rank >= m->rings[ring].workers) return -EINVAL;
  if (rank_taken(m, ring, rank) || find_connection(m, key) != NULL) return -EINVAL;
  return add_connection(m, ring, rank, key) == NULL ? -EINVAL : 0;
}

static void empty_column(struct column *c) {
  c->accepted = c->stored = c->owed = 0;
  c->taken = false;
  c->life++;
}

void model_flush(struct model *m, unsigned ring) {
  if (ring >= m->ring_count) return;
  for (size_t i = 0; i < columns_of(&m->rings[ring]); i++) {
    m->columns[ring][i].valid = false;
    empty_column(&m->columns[ring][i]);
  }
  for (unsigned c = 0; c < m->limits.conns; c++) {
    if (m->conns[c].history == NULL || m->conns[c].ring != ring) continue;
    free(m->conns[c].history);
    m->conns[c].history = NULL;
  }
}

// --- decision ---

// What the look-up finds out about a candidate. `fate` is FATE_STORED where the column has to decide.
struct found {
  enum fate fate;
  unsigned ring, rank, offset;
  uint32_t msgid;
  uint8_t kind;
};

static struct found only(enum fate fate) { return (struct found){.fate = fate}; }

static struct found look_up_tagged(struct model *m, const struct roce_packet *p, struct connection *conn) {
  const struct ina_header *ina = &p->ina;
  size_t ring = 0;
  while (ring < m->ring_count && m->rings[ring].id != ina->ring) ring++;
  if (ring == m->ring_count) return only(conn != NULL ? FATE_BAD_HEADER : FATE_PASSED);

  const struct model_ring *r = &m->rings[ring];
  if (ina->rank >= r->workers || ina->msglen == 0 || ina->msglen > r->stride || ina->workers != r->workers ||
      ina_element_size(ina->kind) == 0)
    return only(FATE_BAD_HEADER);
  if (conn != NULL && (conn->ring != ring || conn->rank != ina->rank)) return only(FATE_BAD_HEADER);
  if (conn == NULL) {
    if (!r->learn) return only(FATE_UNREGISTERED);
    if (rank_taken(m, (unsigned)ring, ina->rank)) return only(FATE_RANK_CONFLICT);
    conn = add_connection(m, (unsigned)ring, ina->rank, &p->key);
    if (conn == NULL) return only(FATE_TABLE_FULL);
  }

  struct message *entry = &conn->history[ina->msgid % (2 * r->window)];
  if (entry->valid && older(ina->msgid, entry->msgid)) return only(FATE_STALE);
  if (entry->valid && entry->msgid == ina->msgid &&
      (entry->psn0 != p->psn || entry->msglen != ina->msglen || entry->kind != ina->kind))
    return only(FATE_PSN_CONFLICT);
  *entry = (struct message){true, ina->msgid, p->psn, ina->msglen, ina->kind};
  return (struct found){FATE_STORED, (unsigned)ring, ina->rank, 0, ina->msgid, ina->kind};
}

static struct found look_up(struct model *m, const struct roce_packet *p) {
  struct connection *conn = find_connection(m, &p->key);
  if (p->tagged) return look_up_tagged(m, p, conn);
  if (conn == NULL) return only(FATE_PASSED);
  if (p->starts) return only(FATE_BAD_HEADER);

  const struct message *best = NULL;
  for (unsigned i = 0; i < 2 * m->rings[conn->ring].window; i++) {
    const struct message *entry = &conn->history[i];
    if (!entry->valid || ((p->psn - entry->psn0) & 0xFFFFFFu) >= entry->msglen) continue;
    if (best == NULL || older(best->msgid, entry->msgid)) best = entry;
  }
  if (best == NULL) return only(FATE_UNKNOWN_MESSAGE);
  unsigned offset = (unsigned)((p->psn - best->psn0) & 0xFFFFFFu);
  return (struct found){FATE_STORED, conn->ring, conn->rank, offset, best->msgid, best->kind};
}

// The column's decision; `c` is changed only if the packet is stored.
static enum fate decide(struct column *c, const struct found *f, size_t length, uint32_t everyone) {
  if (!c->valid || older(c->tag, f->msgid)) {
    if (c->valid && c->accepted != 0 && c->stored != everyone) return FATE_WINDOW_VIOLATION;
    c->valid = true;
    c->tag = f->msgid;
    empty_column(c);
  }
  if (c->tag != f->msgid) return FATE_STALE;
  if (c->accepted == 0) {
    c->kind = f->kind;
    c->length = length;
  } else if (c->kind != f->kind) {
    return FATE_TYPE_MISMATCH;
  } else if (c->length != length) {
    return FATE_LENGTH_MISMATCH;
  }
  uint32_t bit = 1u << f->rank;
  if ((c->accepted & bit) != 0) return FATE_DUPLICATE;
  c->accepted |= bit;
  return FATE_STORED;
}

static uint32_t everyone_of(const struct model_ring *ring) {
  return ring->workers == 32 ? UINT32_MAX : (1u << ring->workers) - 1u;
}

static enum fate port_fate(const struct model *m, const uint8_t *frame, size_t len, bool error, struct roce_packet *p) {
  if (error) return FATE_FRAME_ERROR;
  if (len > m->limits.max_frame_bytes) return FATE_OVERSIZE;
  roce_parse(frame, len, p);
  return p->class == ROCE_BAD_ICRC ? FATE_BAD_ICRC : FATE_PASSED;
}

void model_rx(struct model *m, unsigned port, const uint8_t *frame, size_t len, bool error, struct model_verdict *out) {
  struct roce_packet p;
  *out = (struct model_verdict){.fate = port_fate(m, frame, len, error, &p)};
  if (out->fate != FATE_PASSED || p.class != ROCE_CANDIDATE) return;
  out->candidate = true;

  struct found f = look_up(m, &p);
  out->fate = f.fate;
  if (f.fate != FATE_STORED) return;
  if (p.length_bad || p.tensor > m->limits.slot_bytes || p.tensor % ina_element_size(f.kind) != 0) {
    out->fate = FATE_BAD_LENGTH;
    return;
  }

  const struct model_ring *ring = &m->rings[f.ring];
  struct column *c = column_at(m, f.ring, f.msgid, f.offset);
  out->by_slot = true;
  out->ring = f.ring;
  out->rank = f.rank;
  out->offset = f.offset;
  out->msgid = f.msgid;
  out->fate = decide(c, &f, p.tensor, everyone_of(ring));
  if (out->fate != FATE_STORED && out->fate != FATE_DUPLICATE) return;
  out->completes = out->fate == FATE_STORED && c->accepted == everyone_of(ring);

  struct packet *k = need(malloc(sizeof *k + len));
  *k = (struct packet){NULL, f.ring, f.rank, f.offset, f.msgid, c->life, out->fate == FATE_STORED, p};
  memcpy(k->frame, frame, len);
  *m->ports[port].tail = k;
  m->ports[port].tail = &k->next;
}

// --- commit and take ---

static void keep_headers(struct share *s, unsigned port, const struct packet *k) {
  const struct roce_packet *p = &k->parsed;
  s->port = port;
  s->psn = p->psn;
  s->header_len = p->header;
  memcpy(s->header, k->frame, p->header);
  memset(s->header + p->udp + 6, 0, 2);   // the checksum would not fit the new payload
  s->pad_len = p->pad;
  memcpy(s->pad, k->frame + p->header + p->tensor, p->pad);
}

bool model_commit(struct model *m, unsigned port, bool *unexpected) {
  struct packet *k = m->ports[port].head;
  *unexpected = k == NULL;
  if (k == NULL) return false;
  m->ports[port].head = k->next;
  if (k->next == NULL) m->ports[port].tail = &m->ports[port].head;

  bool completes = false;
  uint32_t everyone = everyone_of(&m->rings[k->ring]);
  struct column *c = column_at(m, k->ring, k->msgid, k->offset);
  if (c->life == k->life) {
    struct share *s = &c->shares[k->rank];
    keep_headers(s, port, k);
    if (k->first) {
      if (s->tensor == NULL) s->tensor = need(malloc(m->limits.slot_bytes + 1));
      memcpy(s->tensor, k->frame + k->parsed.header, k->parsed.tensor);
      c->stored |= 1u << k->rank;
      completes = c->stored == everyone;
      if (completes) c->owed = everyone;
    } else if (c->stored == everyone) {
      c->owed |= 1u << k->rank;
    }
  }
  free(k);
  return completes;
}

static size_t build_result(uint8_t *out, const struct share *s, const uint8_t *tensor, size_t length) {
  size_t len = s->header_len;
  memcpy(out, s->header, s->header_len);
  memcpy(out + len, tensor, length);
  len += length;
  memcpy(out + len, s->pad, s->pad_len);
  len += s->pad_len;
  memset(out + len, 0, 4);
  len += 4;
  struct roce_packet at;
  if (roce_locate(out, len, &at)) icrc_put(out, &at);
  return len;
}

int model_take(struct model *m, unsigned ring, uint32_t msgid, unsigned offset, uint32_t mask, struct model_frame frames[]) {
  if (ring >= m->ring_count || offset >= m->rings[ring].stride || mask == 0) return -EPROTO;
  const struct model_ring *r = &m->rings[ring];
  struct column *c = column_at(m, ring, msgid, offset);
  if (!c->valid || c->tag != msgid || (mask & ~c->owed) != 0) return -EPROTO;
  c->owed &= ~mask;

  if (!c->taken) {
    c->taken = true;
    struct column *before = column_at(m, ring, msgid - r->window, offset);
    if (before->valid && older(before->tag, msgid + r->window)) {
      before->tag = msgid + r->window;
      empty_column(before);
    }
  }

  const uint8_t *rows[32];
  uint8_t *sum = need(malloc(m->limits.slot_bytes + 1));
  for (unsigned i = 0; i < r->workers; i++) rows[i] = c->shares[i].tensor;
  if (ina_reduce(c->kind, rows, r->workers, c->length, sum) != 0) abort();   // kind and length were checked at rx
  int count = 0;
  for (unsigned i = 0; i < r->workers; i++) {
    if ((mask >> i & 1u) == 0) continue;
    const struct share *s = &c->shares[i];
    uint8_t *data = m->out + (size_t)i * m->out_stride;
    size_t len = build_result(data, s, sum, c->length);
    frames[count++] = (struct model_frame){s->port, i, s->psn, data, len};
  }
  free(sum);
  return count;
}

size_t model_owed(const struct model *m) {
  size_t owed = 0;
  for (size_t i = 0; i < m->ring_count; i++)
    for (size_t c = 0; c < columns_of(&m->rings[i]); c++)
      for (uint32_t bits = m->columns[i][c].owed; bits != 0; bits &= bits - 1) owed++;
  return owed;
}
