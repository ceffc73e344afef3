#include "model/relay.h"

#include <stdlib.h>
#include <string.h>

#include "model/model_state.h"
#include "model/relay_state.h"

// --- making one ---

/// The only device of its rack: it makes results of its own sums, as model.h has it.
static bool alone(const struct relay_ring *ring) { return ring->leaf && !ring->has_parent; }

static bool ring_fits(const struct relay_ring *ring) {
  if (alone(ring) && ring->ring.workers != ring->total) return false;
  if (ring->has_parent && ring->child >= ring->siblings) return false;
  if (ring->leaf && !ring->ring.learn && (ring->workers == NULL || (ring->has_parent && ring->before == NULL))) return false;
  return ring->leaf ? ring->first + ring->ring.workers <= ring->total : ring->children != NULL;
}

static bool start_model(struct relay *r) {
  struct model_ring *rings = calloc(r->config.ring_count + 1, sizeof *rings);
  if (rings == NULL) return false;
  for (size_t i = 0; i < r->config.ring_count; i++) rings[i] = r->rings[i].ring;
  r->model = model_new(&r->config.limits, rings, r->config.ring_count);
  free(rings);
  if (r->model == NULL) return false;
  for (unsigned i = 0; i < r->config.ring_count; i++) {
    const struct relay_ring *ring = &r->rings[i];
    const struct model_part part = {.first = ring->leaf ? ring->first : 0,
                                    .total = ring->leaf ? ring->total : ring->ring.workers,
                                    .from_devices = !ring->leaf,
                                    .holds = !alone(ring)};
    model_set_part(r->model, i, &part);
    for (unsigned child = 0; relay_registered(ring) && child < ring->ring.workers; child++) {
      const struct conn_key key =
          ring->leaf ? ring->workers[child] : relay_key(ring->ring.id, &ring->children[child], &r->config.self);
      if (model_connect(r->model, i, child, &key) != 0) return false;
    }
  }
  return true;
}

static bool copy_rings(struct relay *r) {
  const struct relay_config *c = &r->config;
  for (size_t i = 0; i < c->ring_count; i++) {
    if (!ring_fits(&c->rings[i])) return false;
    r->rings[i] = c->rings[i];
    if (c->rings[i].before != NULL) {
      r->before[i] = *c->rings[i].before;
      r->rings[i].before = &r->before[i];
    }
    if (c->rings[i].leaf) continue;
    const size_t bytes = c->rings[i].ring.workers * sizeof **r->children;
    r->children[i] = malloc(bytes);
    if (r->children[i] == NULL) return false;
    memcpy(r->children[i], c->rings[i].children, bytes);
    r->rings[i].children = r->children[i];
  }
  return true;
}

struct relay *relay_new(const struct relay_config *config, relay_send_fn *send, void *user) {
  struct relay *r = calloc(1, sizeof *r);
  if (r == NULL) return NULL;
  r->config = *config;
  r->send = send;
  r->user = user;
  r->rings = calloc(config->ring_count + 1, sizeof *r->rings);
  r->children = calloc(config->ring_count + 1, sizeof(struct relay_end *));
  r->before = calloc(config->ring_count + 1, sizeof *r->before);
  r->rows = calloc(config->rows + 1, sizeof *r->rows);
  r->frames = calloc(config->limits.ranks, sizeof *r->frames);
  r->out_size = ROCE_MAX_HEADER + config->limits.slot_bytes + 3 + 4;
  r->out = malloc(r->out_size);
  const bool room =
      r->rings != NULL && r->children != NULL && r->before != NULL && r->rows != NULL && r->frames != NULL && r->out != NULL;
  if (room && copy_rings(r) && start_model(r) && relay_static_rows(r)) return r;
  relay_free(r);
  return NULL;
}

void relay_free(struct relay *r) {
  if (r == NULL) return;
  if (r->rows != NULL) relay_forget_rows(r);
  relay_late_forget(r);
  for (size_t i = 0; r->children != NULL && i < r->config.ring_count; i++) free(r->children[i]);
  model_free(r->model);
  free(r->rings);
  free(r->children);
  free(r->before);
  free(r->rows);
  free(r->frames);
  free(r->out);
  free(r);
}

// --- what leaves ---

/// One packet to the device that the row leads to.
static void send_virtual(struct relay *r, const struct row *row, const struct relay_column *c, bool up) {
  const struct relay_ring *ring = &r->rings[c->ring];
  struct ina_header ina = c->ina;
  ina.ring = ring->ring.id;
  ina.rank = (uint8_t)(up ? ring->child : row->receiver);
  ina.workers = (uint16_t)(up ? ring->siblings : ring->ring.workers);
  const size_t len = relay_packet(&r->config.self, &row->end, &ina, c->offset, c->tensor, c->len, r->out, r->out_size);
  if (len == 0) abort();   // a tensor is no longer than a slot
  r->send(r->user, row->port, r->out, len);
  if (up)
    r->counts.up++;
  else
    r->counts.down++;
}

static void send_result(struct relay *r, const struct row *row, const struct relay_column *c) {
  const size_t len = relay_result(r, row, c);
  if (len == 0) {
    r->counts.no_template++;
    return;
  }
  r->send(r->user, row->port, r->out, len);
  r->counts.results++;
}

/// One packet for each row whose key is `from`. Returns how many.
static size_t translate(struct relay *r, bool multicast, const struct conn_key *from, const struct relay_column *c) {
  const bool up = !multicast && r->rings[c->ring].has_parent;
  size_t rows = 0;
  for (size_t i = 0; i < r->row_count; i++) {
    const struct row *row = &r->rows[i];
    if (row->is.multicast != multicast || row->is.ring != c->ring || !conn_key_equal(&row->is.from, from)) continue;
    rows++;
    if (row->templates != NULL)
      send_result(r, row, c);
    else
      send_virtual(r, row, c, up);
  }
  r->counts.no_row += rows == 0;
  return rows;
}

// --- up: contributions of children ---

/// All columns of `mask` are taken; the sum goes where the connection that asked for it leads.
static void column_leaves(struct relay *r, const struct model_verdict *v, uint32_t mask, const struct conn_key *from) {
  const int count = model_take(r->model, v->ring, v->msgid, v->offset, mask, r->frames);
  if (count <= 0) return;
  struct roce_packet p;
  roce_parse(r->frames[0].data, r->frames[0].len, &p);
  const struct relay_column c = {.ring = v->ring,
                                 .offset = v->offset,
                                 .ina = {.kind = v->kind, .msgid = v->msgid, .msglen = v->msglen},
                                 .tensor = r->frames[0].data + p.header,
                                 .len = p.tensor};
  if (!r->rings[v->ring].has_parent) model_pass(r->model, v->ring, v->msgid, v->offset);
  translate(r, false, from, &c);
}

/// A source leaf tells the destination leaf of its connection whose packets it will write.
static void notify(struct relay *r, const uint8_t *frame, const struct roce_packet *p, const struct model_verdict *v) {
  const struct relay_ring *ring = &r->rings[v->ring];
  if (!relay_notes(p->opcode)) return;
  const unsigned rank = ring->first + v->rank, next = (rank + 1) % ring->total;
  struct ina_header ina = {.ring = ring->ring.id,
                           .rank = (uint8_t)rank,
                           .kind = v->kind,
                           .msgid = v->msgid,
                           .msglen = v->msglen,
                           .workers = (uint16_t)ring->total};
  if (next - ring->first < ring->ring.workers) {   // it ends at a worker of this leaf
    relay_take_note(r, v->ring, frame, p, &ina);
    return;
  }
  ina.workers = (uint16_t)(ring->total | (unsigned)r->epoch << 8);
  const size_t len = relay_note(frame, p, &ina, r->out);
  // The last of several packets has its mark at the end of its headers; the INA header's is the first one's.
  if (r->epoch != 0 && !p->starts && roce_has_imm(p->opcode)) {
    struct roce_packet note;
    if (roce_locate(r->out, len, &note)) {
      r->out[p->header - 4 + 2] = r->epoch;
      icrc_put(r->out, &note);
    }
  }
  // In front of this column's packet to the parent, on the same cable: so it is there before the result.
  r->send(r->user, ring->parent.port, r->out, len);
  r->counts.notes_out++;
}

/// A child repeats its packet of a column. If that is complete it goes on once more, to all, and is the answer to the next repeat of each
/// other child too: they mostly repeat for the same reason. Whoever still lacks something repeats again.
static void repeat(struct relay *r, const struct model_verdict *v, const struct conn_key *from) {
  const uint32_t bit = 1u << v->rank;
  if (!model_complete(r->model, v->ring, v->msgid, v->offset)) return;
  struct column *c = column_find(r->model, v->ring, v->msgid, v->offset);
  if ((c->answered & bit) != 0) {
    c->answered &= ~bit;
    r->counts.merged++;
    model_take(r->model, v->ring, v->msgid, v->offset, bit, r->frames);
    return;
  }
  c->answered = everyone_of(&r->rings[v->ring].ring) & ~bit;
  r->counts.again++;
  column_leaves(r, v, bit, from);
}

/// Results of a device alone, to the workers of `mask`, each with its own headers. Whoever repeats gets his once more, and nobody else.
static void results_leave(struct relay *r, const struct model_verdict *v, uint32_t mask) {
  const int count = model_take(r->model, v->ring, v->msgid, v->offset, mask, r->frames);
  for (int i = 0; i < count; i++) r->send(r->user, r->frames[i].port, r->frames[i].data, r->frames[i].len);
  r->counts.results += count > 0 ? (uint64_t)count : 0;
}

static void contribution_alone(struct relay *r, unsigned port, const struct model_verdict *v) {
  bool unexpected;
  const bool completes = model_commit(r->model, port, &unexpected);
  r->counts.completed += completes;
  if (completes)
    results_leave(r, v, everyone_of(&r->rings[v->ring].ring));
  else if (v->fate == FATE_DUPLICATE && model_complete(r->model, v->ring, v->msgid, v->offset))
    results_leave(r, v, 1u << v->rank);
}

static void contribution(struct relay *r, unsigned port, const uint8_t *frame, const struct roce_packet *p,
                         const struct model_verdict *v) {
  const struct relay_ring *ring = &r->rings[v->ring];
  if (ring->leaf) {
    const struct conn_key up = relay_key(ring->ring.id, &r->config.self, &ring->parent);
    struct row *row = relay_add_row(r, false, v->ring, &p->key, &up);
    if (row != NULL) {
      row->port = ring->parent.port;
      row->end = ring->parent;
    }
    notify(r, frame, p, v);
  }
  bool unexpected;
  const bool completes = model_commit(r->model, port, &unexpected);
  if (completes) {
    r->counts.completed++;
    column_leaves(r, v, everyone_of(&ring->ring), &p->key);
  } else if (v->fate == FATE_DUPLICATE) {
    repeat(r, v, &p->key);
  }
}

// --- down: results of the parent ---

/// True if a packet is on the connection from the parent of a ring.
static bool of_parent(const struct relay *r, const struct roce_packet *p, unsigned *index) {
  for (*index = 0; *index < r->config.ring_count; ++*index) {
    const struct relay_ring *ring = &r->rings[*index];
    if (!ring->has_parent) continue;
    const struct conn_key key = relay_key(ring->ring.id, &ring->parent, &r->config.self);
    if (conn_key_equal(&key, &p->key)) return true;
  }
  return false;
}

static void from_parent(struct relay *r, unsigned index, const uint8_t *frame, const struct roce_packet *p) {
  const struct relay_ring *ring = &r->rings[index];
  const size_t size = p->tagged ? ina_element_size(p->ina.kind) : 0;
  if (!p->tagged || p->length_bad || p->ina.ring != ring->ring.id || p->ina.msglen > ring->ring.stride ||
      p->psn >= p->ina.msglen || size == 0 || p->tensor % size != 0 || p->tensor > r->config.limits.slot_bytes) {
    r->counts.bad_parent++;
    return;
  }
  r->counts.parents++;
  if (model_complete(r->model, index, p->ina.msgid, p->psn)) column_find(r->model, index, p->ina.msgid, p->psn)->returned = true;
  const struct relay_column c = {.ring = index, .offset = p->psn, .ina = p->ina, .tensor = frame + p->header, .len = p->tensor};
  model_pass(r->model, index, p->ina.msgid, p->psn);
  translate(r, true, &p->key, &c);
  relay_late_result(r, &c);
}

// --- the way in ---

static bool ring_of_note(const struct relay *r, const struct ina_header *ina, unsigned *index) {
  for (*index = 0; *index < r->config.ring_count; ++*index)
    if (r->rings[*index].ring.id == ina->ring) return r->rings[*index].leaf;
  return false;
}

void relay_rx(struct relay *r, unsigned port, const uint8_t *frame, size_t len, bool error) {
  struct roce_packet p;
  struct ina_header ina;
  unsigned index;
  const enum fate at_port = model_port_fate(r->model, frame, len, error, &p);
  const bool candidate = at_port == FATE_PASSED && p.class == ROCE_CANDIDATE;
  if (candidate && of_parent(r, &p, &index)) {
    from_parent(r, index, frame, &p);
    return;
  }
  if (candidate && find_connection(r->model, &p.key) == NULL && relay_is_note(frame, &p, &ina) && ring_of_note(r, &ina, &index)) {
    relay_take_note(r, index, frame, &p, &ina);
    return;
  }
  struct model_verdict v;
  model_rx(r->model, port, frame, len, error, &v);
  r->counts.fates[v.fate]++;
  if (v.fate == FATE_PASSED) r->send(r->user, port, frame, len);
  if (v.fate != FATE_STORED && v.fate != FATE_DUPLICATE) return;
  if (alone(&r->rings[v.ring]))
    contribution_alone(r, port, &v);
  else
    contribution(r, port, frame, &p, &v);
}

// --- looking at it ---

const struct relay_row *relay_row_at(const struct relay *r, size_t index) {
  return index < r->row_count ? &r->rows[index].is : NULL;
}

const struct relay_counts *relay_counts(const struct relay *r) { return &r->counts; }

bool relay_waiting(const struct relay *r, unsigned ring, struct model_waiting *out) { return model_waiting(r->model, ring, out); }

uint32_t relay_behind(const struct relay *r, unsigned ring, bool *parent) {
  const uint32_t everyone = everyone_of(&r->rings[ring].ring);
  *parent = false;
  for (unsigned offset = 0; r->rings[ring].has_parent && offset < r->rings[ring].ring.stride; offset++) {
    const struct columns *all = &r->model->columns[ring][offset];
    for (unsigned i = 0; i < all->count; i++) *parent |= all->at[i].stored == everyone && !all->at[i].returned;
  }
  return model_behind(r->model, ring);
}

void relay_set_epoch(struct relay *r, uint8_t epoch) {
  r->epoch = epoch;
  model_set_epoch(r->model, epoch);
}

void relay_flush(struct relay *r) {
  model_restart(r->model);
  relay_forget_rows(r);
  relay_late_forget(r);
  relay_static_rows(r);   // there was room for them
}
