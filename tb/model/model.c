#include "model/model.h"

#include <errno.h>
#include <string.h>

#include "model/model_state.h"
#include "wire/reduce.h"

// --- decision ---

// What the look-up finds out about a candidate. `fate` is FATE_STORED where the column has to decide.
struct found {
  enum fate fate;
  bool of_ring;
  unsigned ring, rank, offset;
  uint32_t msgid;
  uint16_t msglen;
  uint8_t kind;
};

static struct found only(enum fate fate) { return (struct found){.fate = fate}; }

/// The same for a packet of a ring; `ring` may be the number of rings: none.
static struct found of(const struct model *m, enum fate fate, size_t ring) {
  return (struct found){.fate = fate, .of_ring = ring < m->ring_count, .ring = (unsigned)ring};
}

// A ring that aggregates.
static bool open_ring(const struct model *m, size_t ring) { return !m->rings_closed[ring] && !m->rings_off[ring]; }

// A connection that is known, and whose ring aggregates.
static bool alive(const struct model *m, const struct connection *conn) {
  return conn != NULL && !conn->retired && open_ring(m, conn->ring);
}

// The first ring that drops what has that RingID; the number of rings if there is none.
static size_t closed_ring(const struct model *m, uint16_t id) {
  size_t ring = 0;
  while (ring < m->ring_count && !((m->rings_closed[ring] || m->rings_drop[ring]) && m->rings[ring].id == id)) ring++;
  return ring;
}

// Of a packet that no ring takes; `ring` is the closed one that its header names. Its receiver may expect just this PSN.
static enum fate stranger(const struct model *m, unsigned port, const struct connection *conn, size_t ring) {
  if (conn != NULL) return FATE_RETIRED;
  return m->ports[port].closed || ring < m->ring_count ? FATE_CLOSED : FATE_PASSED;
}

static struct found look_up_tagged(struct model *m, unsigned port, const struct roce_packet *p, struct connection *conn) {
  const struct ina_header *ina = &p->ina;
  const bool known = alive(m, conn);
  size_t ring = 0;
  while (ring < m->ring_count && (m->rings[ring].id != ina->ring || !open_ring(m, ring))) ring++;
  if (ring == m->ring_count) {
    const size_t closed = closed_ring(m, ina->ring);
    return of(m, known ? FATE_BAD_HEADER : stranger(m, port, conn, closed), closed);
  }

  const struct model_ring *r = &m->rings[ring];
  const struct model_part *part = &m->parts[ring];
  const unsigned rank = ina->rank - part->first, total = part->total != 0 ? part->total : r->workers;
  if (ina->rank < part->first || rank >= r->workers || ina->msglen == 0 || ina->msglen > r->stride || ina->workers != total ||
      !feature_reduces(m->limits.without, ina->kind) || !feature_reads(m->limits.without, &p->key, p->vlan))
    return of(m, FATE_BAD_HEADER, ring);
  if (known && (conn->ring != ring || conn->rank != rank)) return of(m, FATE_BAD_HEADER, ring);
  if (!known) {
    if (conn != NULL && !(conn->retired && r->learn)) return of(m, FATE_RETIRED, ring);
    if (!r->learn) return of(m, FATE_UNREGISTERED, ring);
    if (rank_taken(m, (unsigned)ring, rank)) return of(m, FATE_RANK_CONFLICT, ring);
    if (conn != NULL)
      revive_connection(m, conn, (unsigned)ring, rank);
    else
      conn = add_connection(m, (unsigned)ring, rank, &p->key, true);
    if (conn == NULL) return of(m, FATE_TABLE_FULL, ring);
  }
  if (part->from_devices) {
    if (p->psn >= ina->msglen) return of(m, FATE_BAD_HEADER, ring);
    return (struct found){FATE_STORED, true, (unsigned)ring, rank, p->psn, ina->msgid, ina->msglen, ina->kind};
  }

  struct message *entry = message_turn(m, conn, ina->msgid);
  if (entry != NULL && older(ina->msgid, entry->msgid)) return of(m, FATE_STALE, ring);
  if (entry != NULL && entry->msgid == ina->msgid &&
      (entry->psn0 != p->psn || entry->msglen != ina->msglen || entry->kind != ina->kind))
    return of(m, FATE_PSN_CONFLICT, ring);
  if (entry == NULL) entry = &conn->history[conn->messages++];
  *entry = (struct message){ina->msgid, p->psn, ina->msglen, ina->kind};
  return (struct found){FATE_STORED, true, (unsigned)ring, rank, 0, ina->msgid, ina->msglen, ina->kind};
}

static bool holds(const struct message *entry, uint32_t psn) { return ((psn - entry->psn0) & 0xFFFFFFu) < entry->msglen; }

// The message that holds `psn` and is newer than all others that do. MsgIDs that go round the circle of all numbers have none.
static const struct message *newest_with(const struct connection *conn, uint32_t psn) {
  for (unsigned i = 0; i < conn->messages; i++) {
    const struct message *entry = &conn->history[i];
    bool newest = holds(entry, psn);
    for (unsigned j = 0; j < conn->messages; j++)
      newest = newest && (j == i || !holds(&conn->history[j], psn) || older(conn->history[j].msgid, entry->msgid));
    if (newest) return entry;
  }
  return NULL;
}

static struct found look_up(struct model *m, unsigned port, const struct roce_packet *p) {
  // What the device cannot read is of no connection, also where its key is that of one: VID 0 is none.
  struct connection *conn = feature_reads(m->limits.without, &p->key, p->vlan) ? find_connection(m, &p->key) : NULL;
  if (p->tagged) return look_up_tagged(m, port, p, conn);
  if (conn == NULL) return only(stranger(m, port, conn, m->ring_count));
  if (!alive(m, conn)) return of(m, FATE_RETIRED, conn->ring);
  if (p->starts) return of(m, FATE_BAD_HEADER, conn->ring);

  const struct message *best = newest_with(conn, p->psn);
  if (best == NULL) return of(m, FATE_UNKNOWN_MESSAGE, conn->ring);
  unsigned offset = (unsigned)((p->psn - best->psn0) & 0xFFFFFFu);
  return (struct found){FATE_STORED, true, conn->ring, conn->rank, offset, best->msgid, best->msglen, best->kind};
}

// The column's decision; `*c` is the column. Nothing changes unless the packet is stored, but that its column becomes the awaited one.
static enum fate decide(struct model *m, const struct found *f, size_t length, struct column **c) {
  const uint32_t everyone = everyone_of(&m->rings[f->ring]), bit = 1u << f->rank;
  struct column *turn = column_turn(m, f->ring, f->msgid, f->offset);
  *c = turn;
  if (turn != NULL && turn->lost) return FATE_MEMORY_ERROR;
  const bool newer = turn == NULL || older(turn->msgid, f->msgid);
  if (newer && turn != NULL && turn->accepted != 0 && !turn->over && turn->stored != everyone) return FATE_WINDOW_VIOLATION;
  const bool begins = newer || (turn->msgid == f->msgid && (turn->accepted == 0 || turn->over));
  if (begins && !column_make_room(m, f->ring, f->msgid, f->offset)) return FATE_WINDOW_VIOLATION;
  if (newer) {
    *c = column_next(m, f->ring, f->msgid, f->offset, turn);
  } else if (begins) {
    turn->accepted = turn->stored = 0;
    turn->over = false;
  }
  struct column *column = *c;
  if (column->msgid != f->msgid) return FATE_STALE;
  if (column->accepted == 0) {
    column->kind = f->kind;
    column->length = length;
  } else if (column->kind != f->kind) {
    return FATE_TYPE_MISMATCH;
  } else if (column->length != length) {
    return FATE_LENGTH_MISMATCH;
  }
  if ((column->accepted & bit) != 0) return FATE_DUPLICATE;
  column->accepted |= bit;
  return FATE_STORED;
}

bool model_names_ring(struct model *m, const struct roce_packet *p, unsigned ring) {
  const struct connection *conn = find_connection(m, &p->key);
  return (conn != NULL && conn->ring == ring) || (p->tagged && p->ina.ring == m->rings[ring].id);
}

/// Reads a frame as the device does, which may look at no ICRC.
static void read_frame(const struct model *m, const uint8_t *frame, size_t len, struct roce_packet *p) {
  if (feature_lacks(m->limits.without, FEATURE_ICRC_CHECK))
    roce_parse_any_icrc(frame, len, p);
  else
    roce_parse(frame, len, p);
}

enum fate model_port_fate(const struct model *m, const uint8_t *frame, size_t len, bool error, struct roce_packet *p) {
  if (error) return FATE_FRAME_ERROR;
  if (len > m->limits.max_frame_bytes) return FATE_OVERSIZE;
  read_frame(m, frame, len, p);
  return p->class == ROCE_BAD_ICRC ? FATE_BAD_ICRC : FATE_PASSED;
}

void model_rx(struct model *m, unsigned port, const uint8_t *frame, size_t len, bool error, struct model_verdict *out) {
  struct roce_packet p;
  const enum fate fate = model_port_fate(m, frame, len, error, &p);
  model_decide(m, port, frame, len, fate, &p, out);
}

void model_decide(struct model *m, unsigned port, const uint8_t *frame, size_t len, enum fate at_port,
                  const struct roce_packet *p, struct model_verdict *out) {
  *out = (struct model_verdict){.fate = at_port};
  if (at_port != FATE_PASSED || p->class != ROCE_CANDIDATE) return;
  out->candidate = true;

  struct found f = look_up(m, port, p);
  out->fate = f.fate;
  out->of_ring = f.of_ring;
  out->ring = f.ring;
  if (f.fate != FATE_STORED) return;
  if (p->length_bad || p->tensor > m->limits.slot_bytes || p->tensor % ina_element_size(f.kind) != 0) {
    out->fate = FATE_BAD_LENGTH;
    return;
  }

  struct column *c;
  out->by_slot = true;
  out->rank = f.rank;
  out->offset = f.offset;
  out->msgid = f.msgid;
  out->msglen = f.msglen;
  out->kind = f.kind;
  out->fate = decide(m, &f, p->tensor, &c);
  if (out->fate != FATE_STORED && out->fate != FATE_DUPLICATE) return;
  out->completes = out->fate == FATE_STORED && c->accepted == everyone_of(&m->rings[f.ring]);

  struct packet *k = need(malloc(sizeof *k + len));
  *k = (struct packet){NULL, f.ring, f.rank, f.offset, f.msgid, c->life, out->fate == FATE_STORED, *p};
  memcpy(k->frame, frame, len);
  *m->ports[port].tail = k;
  m->ports[port].tail = &k->next;
}

// --- commit and take ---

/// The high byte of the INA header's Workers, or the third one of an immediate value, which comes last where no INA header does.
static size_t mark_of(const struct roce_packet *p) {
  if (p->tagged) return p->header - INA_BYTES + INA_EPOCH;
  return roce_has_imm(p->opcode) ? p->header - 4 + 2 : 0;
}

static void keep_headers(const struct model *m, struct share *s, unsigned port, const struct packet *k) {
  const struct roce_packet *p = &k->parsed;
  s->port = port;
  s->psn = p->psn;
  s->header_len = p->header;
  s->mark = m->parts[k->ring].from_devices ? 0 : mark_of(p);
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
  struct column *c = column_find(m, k->ring, k->msgid, k->offset);
  if (c != NULL && c->life == k->life) {
    struct share *s = &c->shares[k->rank];
    keep_headers(m, s, port, k);
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

static size_t build_result(const struct model *m, uint8_t *out, const struct share *s, const uint8_t *tensor, size_t length) {
  size_t len = s->header_len;
  memcpy(out, s->header, s->header_len);
  if (s->mark != 0 && m->epoch != 0) out[s->mark] = m->epoch;
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

void model_pass(struct model *m, unsigned ring, uint32_t msgid, unsigned offset) {
  const uint32_t next = msgid + m->rings[ring].window;   // takes turns with the message N before
  struct column *before = column_turn(m, ring, next, offset);
  if (before == NULL || before->lost || !older(before->msgid, next)) return;
  column_next(m, ring, next, offset, before);
}

int model_take(struct model *m, unsigned ring, uint32_t msgid, unsigned offset, uint32_t mask, struct model_frame frames[]) {
  if (ring >= m->ring_count || offset >= m->rings[ring].stride || mask == 0) return -EPROTO;
  const struct model_ring *r = &m->rings[ring];
  struct column *c = column_find(m, ring, msgid, offset);
  if (c == NULL || (mask & ~c->owed) != 0) return -EPROTO;
  c->owed &= ~mask;

  if (!c->taken) {
    c->taken = true;
    if (!m->parts[ring].holds) model_pass(m, ring, msgid, offset);
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
    size_t len = build_result(m, data, s, sum, c->length);
    frames[count++] = (struct model_frame){s->port, i, s->psn, data, len};
  }
  free(sum);
  return count;
}

bool model_complete(struct model *m, unsigned ring, uint32_t msgid, unsigned offset) {
  const struct column *c = column_find(m, ring, msgid, offset);
  return c != NULL && c->stored == everyone_of(&m->rings[ring]);
}

size_t model_rewrite(struct model *m, const struct model_verdict *column, unsigned rank, const uint8_t *tensor, size_t len,
                     const uint8_t **out) {
  if (!model_complete(m, column->ring, column->msgid, column->offset)) return 0;
  const struct column *c = column_find(m, column->ring, column->msgid, column->offset);
  if (c->kind != column->kind || c->length != len) return 0;
  uint8_t *data = m->out + (size_t)rank * m->out_stride;
  *out = data;
  return build_result(m, data, &c->shares[rank], tensor, len);
}

size_t model_owed_of(const struct model *m, unsigned ring) {
  size_t owed = 0;
  for (unsigned offset = 0; offset < m->rings[ring].stride; offset++)
    for (unsigned c = 0; c < m->columns[ring][offset].count; c++)
      for (uint32_t bits = m->columns[ring][offset].at[c].owed; bits != 0; bits &= bits - 1) owed++;
  return owed;
}

size_t model_owed(const struct model *m) {
  size_t owed = 0;
  for (unsigned i = 0; i < m->ring_count; i++) owed += model_owed_of(m, i);
  return owed;
}

size_t model_given_up(const struct model *m) { return m->given_up; }
