// The connection translation table of the golden relay, and the headers that a leaf keeps for the packets it writes.
#include "model/relay_state.h"

#include <stdlib.h>
#include <string.h>

#include "model/model_state.h"
#include "wire/bytes.h"

enum { UDP = 8, BTH = 12, RETH = 16, ACK_REQUEST = 0x80 };

// --- the table ---

struct row *relay_add_row(struct relay *r, bool multicast, unsigned ring, const struct conn_key *from,
                          const struct conn_key *to) {
  for (size_t i = 0; i < r->row_count; i++) {
    const struct relay_row *is = &r->rows[i].is;
    if (is->multicast == multicast && is->ring == ring && conn_key_equal(&is->from, from) && conn_key_equal(&is->to, to))
      return &r->rows[i];
  }
  if (r->row_count == r->config.rows) {
    r->counts.table_full++;
    return NULL;
  }
  struct row *row = &r->rows[r->row_count++];
  *row = (struct row){.is = {multicast, ring, *from, *to}};
  return row;
}

static struct row *to_device(struct relay *r, bool multicast, unsigned ring, const struct conn_key *from,
                             const struct relay_end *end) {
  const struct conn_key to = relay_key(r->rings[ring].ring.id, &r->config.self, end);
  struct row *row = relay_add_row(r, multicast, ring, from, &to);
  if (row == NULL) return NULL;
  row->port = end->port;
  row->end = *end;
  return row;
}

static bool to_child(struct relay *r, bool multicast, unsigned ring, const struct conn_key *from, unsigned child) {
  struct row *row = to_device(r, multicast, ring, from, &r->rings[ring].children[child]);
  if (row != NULL) row->receiver = child;
  return row != NULL;
}

/// A row that leads to the worker `receiver` of a leaf.
static struct row *to_worker(struct relay *r, unsigned index, unsigned receiver, const struct conn_key *conn) {
  const struct relay_ring *ring = &r->rings[index];
  const struct conn_key from = relay_key(ring->ring.id, &ring->parent, &r->config.self);
  struct row *row = relay_add_row(r, true, index, &from, conn);
  if (row == NULL) return NULL;
  row->receiver = receiver;
  row->port = receiver % r->config.limits.ports;
  row->templates = need(calloc(2 * ring->ring.window, sizeof *row->templates));
  return row;
}

bool relay_static_rows(struct relay *r) {
  bool good = true;
  for (unsigned i = 0; i < r->config.ring_count; i++) {
    const struct relay_ring *ring = &r->rings[i];
    if (ring->leaf) {
      const bool elsewhere = !ring->ring.learn && ring->ring.workers < ring->total;
      if (elsewhere) good = to_worker(r, i, 0, ring->before) != NULL && good;
      continue;
    }
    for (unsigned child = 0; child < ring->ring.workers; child++) {
      const struct conn_key from = relay_key(ring->ring.id, &ring->children[child], &r->config.self);
      if (ring->has_parent) {
        good = to_device(r, false, i, &from, &ring->parent) != NULL && good;
      } else {
        for (unsigned to = 0; to < ring->ring.workers; to++) good = to_child(r, false, i, &from, to) && good;
      }
    }
    if (!ring->has_parent) continue;
    const struct conn_key parent = relay_key(ring->ring.id, &ring->parent, &r->config.self);
    for (unsigned to = 0; to < ring->ring.workers; to++) good = to_child(r, true, i, &parent, to) && good;
  }
  return good;
}

void relay_forget_rows(struct relay *r) {
  for (size_t i = 0; i < r->row_count; i++) free(r->rows[i].templates);
  r->row_count = 0;
}

// --- notifications ---

/// The row of the worker `receiver`; one that is new if there is none. NULL if the table is full, or the worker has another connection;
/// or if the ring does not learn and the connection is not registered.
static struct row *row_of_worker(struct relay *r, unsigned index, unsigned receiver, const struct conn_key *conn) {
  for (size_t i = 0; i < r->row_count; i++) {
    struct row *row = &r->rows[i];
    if (row->templates == NULL || row->is.ring != index || row->receiver != receiver) continue;
    return conn_key_equal(&row->is.to, conn) ? row : NULL;
  }
  if (!r->rings[index].ring.learn && find_connection(r->model, conn) == NULL) return NULL;
  return to_worker(r, index, receiver, conn);
}

static void keep(struct relay_header *h, const uint8_t *frame, const struct roce_packet *p) {
  h->valid = true;
  h->opcode = p->opcode;
  h->len = p->header - (p->tagged ? INA_BYTES : 0);
  memcpy(h->bytes, frame, h->len);
}

/// What is kept of the message that has the turn of `msgid` (model_state.h); NULL if there is none.
static struct relay_template *template_turn(const struct relay *r, const struct row *row, uint32_t msgid) {
  for (unsigned i = 0; i < row->messages; i++)
    if (take_turns(&r->rings[row->is.ring].ring, row->templates[i].msgid, msgid)) return &row->templates[i];
  return NULL;
}

void relay_take_note(struct relay *r, unsigned index, const uint8_t *frame, const struct roce_packet *p,
                     const struct ina_header *ina) {
  const struct relay_ring *ring = &r->rings[index];
  const unsigned receiver = (ina->rank + 1u) % ring->total - ring->first;
  const bool fits = ring->leaf && (ina->workers & 0xFF) == ring->total && ina->rank < ring->total &&
                    receiver < ring->ring.workers && ina->msglen != 0 && ina->msglen <= ring->ring.stride &&
                    ina_element_size(ina->kind) != 0;
  struct row *row = fits ? row_of_worker(r, index, receiver, &p->key) : NULL;
  if (row == NULL) {
    r->counts.note_refused++;
    return;
  }
  struct relay_template *t = template_turn(r, row, ina->msgid);
  const uint32_t psn0 = p->starts ? p->psn : (p->psn - ina->msglen + 1u) & 0xFFFFFFu;
  const bool same = t != NULL && t->msgid == ina->msgid;
  if (t != NULL &&
      (older(ina->msgid, t->msgid) || (same && (t->psn0 != psn0 || t->ina.msglen != ina->msglen || t->ina.kind != ina->kind)))) {
    r->counts.note_refused++;
    return;
  }
  if (t == NULL) t = &row->templates[row->messages++];
  if (!same) *t = (struct relay_template){.msgid = ina->msgid, .psn0 = psn0, .ina = *ina};
  if (p->starts) t->ina.workers = ina->workers;   // the first packet's mark is of its latest notification, as its headers are
  keep(p->starts ? &t->first : &t->last, frame, p);
  r->counts.notes_in++;
  relay_late_note(r, row, ina->msgid);
}

// --- results ---

/// Headers of a packet between the first and the last one: those of the first one, without what only that has.
static size_t middle(uint8_t *out, const struct relay_template *t) {
  const struct relay_header *h = &t->first;
  const size_t reth = h->opcode >= ROCE_WRITE_FIRST ? RETH : 0, bth = h->len - reth - BTH;
  memcpy(out, h->bytes, h->len - reth);
  out[bth] = reth ? ROCE_WRITE_MIDDLE : ROCE_SEND_MIDDLE;
  out[bth + 8] &= (uint8_t)~ACK_REQUEST;
  return h->len - reth;
}

/// The packet that this leaf has of a sender of its own, with the sum in it.
static size_t own_result(struct relay *r, unsigned sender, const struct relay_column *c) {
  const struct model_verdict column = {.ring = c->ring, .msgid = c->ina.msgid, .offset = c->offset, .kind = c->ina.kind};
  const uint8_t *data = NULL;
  const size_t len = model_rewrite(r->model, &column, sender, c->tensor, c->len, &data);
  if (len > 0) memcpy(r->out, data, len);
  return len;
}

size_t relay_result(struct relay *r, const struct row *row, const struct relay_column *c) {
  const struct relay_ring *ring = &r->rings[c->ring];
  const unsigned sender = (row->receiver + ring->total - 1) % ring->total;   // counted from this leaf's first worker
  if (sender < ring->ring.workers) return own_result(r, sender, c);
  const struct relay_template *t = template_turn(r, row, c->ina.msgid);
  const bool known = t != NULL && t->msgid == c->ina.msgid && t->ina.msglen == c->ina.msglen && t->ina.kind == c->ina.kind;
  const bool last = c->offset + 1u == c->ina.msglen && c->offset > 0;
  if (!known || !(last ? t->last.valid : t->first.valid)) return 0;

  const struct relay_header *h = last ? &t->last : &t->first;
  size_t len = h->len;
  if (c->offset == 0 || last)
    memcpy(r->out, h->bytes, len);
  else
    len = middle(r->out, t);
  const size_t ip = get_be16(r->out + 12) == 0x8100 ? 18 : 14, udp = ip + (row->is.to.v6 ? 40 : 20);
  put_be24(r->out + udp + UDP + 9, (t->psn0 + c->offset) & 0xFFFFFFu);
  size_t payload = c->len;
  if (c->offset == 0) {
    ina_put(r->out + len, &t->ina);
    payload += INA_BYTES;
  }
  memcpy(r->out + len + (payload - c->len), c->tensor, c->len);
  return roce_refit(r->out, len, payload);
}
