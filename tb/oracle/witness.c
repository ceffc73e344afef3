#include "oracle/witness.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/witness_state.h"

void *witness_need(void *p) {
  if (p == NULL) abort();
  return p;
}

bool msgid_newer(uint32_t a, uint32_t b) { return a != b && a - b < 0x80000000u; }

void witness_fault(struct witness *w, const char *format, ...) {
  if (w->faults < WITNESS_TEXTS) {
    va_list args;
    va_start(args, format);
    vsnprintf(w->texts[w->faults], WITNESS_TEXT_BYTES, format, args);
    va_end(args);
  }
  w->faults++;
}

size_t witness_faults(const struct witness *w) { return w->faults; }

const char *witness_text(const struct witness *w, size_t index) {
  return index < w->faults && index < WITNESS_TEXTS ? w->texts[index] : NULL;
}

struct witness_counts witness_counts(const struct witness *w) {
  return w->counts;
}

struct witness *witness_new(const struct model_limits *limits, const struct model_ring *rings, size_t count) {
  struct witness *w = witness_need(calloc(1, sizeof *w));
  w->limits = *limits;
  w->scratch = witness_need(malloc(limits->slot_bytes + 1));
  w->ports = witness_need(calloc(limits->ports + 1, sizeof *w->ports));
  for (unsigned p = 0; p < limits->ports; p++) w->ports[p].tail = &w->ports[p].head;
  w->rings = witness_need(calloc(count + 1, sizeof *w->rings));
  w->ring_count = count;
  for (size_t r = 0; r < count; r++) {
    assert(rings[r].workers <= WITNESS_RANKS);
    w->rings[r].is = rings[r];
    w->rings[r].holders = witness_need(calloc(rings[r].workers, sizeof(struct conn *)));
    w->rings[r].slots = witness_need(calloc((size_t)2 * rings[r].window * rings[r].stride, sizeof(struct column *)));
  }
  return w;
}

void witness_free(struct witness *w) {
  if (w == NULL) return;
  columns_free(w);
  conns_free(w);
  for (unsigned p = 0; p < w->limits.ports; p++)
    while (w->ports[p].head != NULL) {
      struct passing *f = w->ports[p].head;
      w->ports[p].head = f->next;
      free(f);
    }
  for (size_t r = 0; r < w->ring_count; r++) {
    free(w->rings[r].holders);
    free(w->rings[r].slots);
  }
  free(w->rings);
  free(w->ports);
  free(w->scratch);
  free(w);
}

// --- frames in ---

static void expect_passed(struct witness *w, unsigned port, const struct conn *c, const uint8_t *frame, size_t len) {
  struct passing *f = witness_need(malloc(sizeof *f + len));
  f->next = NULL;
  f->conn = c;
  f->number = w->ports[port].in;
  f->len = len;
  if (len != 0) memcpy(f->data, frame, len);
  *w->ports[port].tail = f;
  w->ports[port].tail = &f->next;
}

static struct packet *keep(unsigned port, const struct roce_packet *p, const uint8_t *frame) {
  struct packet *k = witness_need(calloc(1, sizeof *k + p->ip_end));
  k->at = *p;
  k->port = port;
  memcpy(k->data, frame, p->ip_end);
  return k;
}

static struct ring *ring_named(struct witness *w, uint16_t id) {
  for (size_t r = 0; r < w->ring_count; r++)
    if (w->rings[r].is.id == id) return &w->rings[r];
  return NULL;
}

static bool header_valid(const struct model_ring *ring, const struct ina_header *ina) {
  return ina->rank < ring->workers && ina->msglen > 0 && ina->msglen <= ring->stride && ina->workers == ring->workers &&
         ina_element_size(ina->kind) != 0;
}

// Another port's first packet may have overtaken packets that seemed to belong to no message.
static void place_loose(struct witness *w, struct conn *c) {
  for (struct packet **at = &c->loose; *at != NULL;) {
    struct packet *k = *at;
    const struct message *m = conn_message(w, c, k->at.psn);
    if (m == NULL) {
      at = &k->next;
      continue;
    }
    *at = k->next;
    column_put(w, c, k, m->msgid, (k->at.psn - m->psn) & 0xFFFFFF, m->kind);
  }
}

static void tagged_in(struct witness *w, unsigned port, struct conn *c, const struct roce_packet *p, const uint8_t *frame) {
  struct ring *ring = ring_named(w, p->ina.ring);
  if (ring == NULL || !header_valid(&ring->is, &p->ina)) return;
  if (!conn_claim(w, c, (unsigned)(ring - w->rings), p->ina.rank, port)) return;
  // What one port's order forbids may have been right in the order of two.
  if (!conn_enter(w, c, p) && !c->roaming) return;
  column_put(w, c, keep(port, p, frame), p->ina.msgid, 0, p->ina.kind);
  if (c->roaming) place_loose(w, c);
}

static void untagged_in(struct witness *w, unsigned port, struct conn *c, const struct roce_packet *p, const uint8_t *frame) {
  struct packet *k = keep(port, p, frame);
  const struct message *m = conn_message(w, c, p->psn);
  if (m != NULL) {
    column_put(w, c, k, m->msgid, (p->psn - m->psn) & 0xFFFFFF, m->kind);
    return;
  }
  k->next = c->loose;
  c->loose = k;
}

void witness_in(struct witness *w, unsigned port, const uint8_t *frame, size_t len, bool error) {
  struct roce_packet p;
  if (port >= w->limits.ports) {
    witness_fault(w, "frame into port %u, which does not exist", port);
    return;
  }
  w->ports[port].in++;
  if (error || len > w->limits.max_frame_bytes) return;
  roce_parse(frame, len, &p);
  if (p.class == ROCE_BAD_ICRC) return;
  if (p.class != ROCE_CANDIDATE) {
    expect_passed(w, port, NULL, frame, len);
    return;
  }
  struct conn *c = conn_of(w, &p.key);
  conn_seen(c, port);
  bool of_a_ring = p.tagged && ring_named(w, p.ina.ring) != NULL;
  if (!of_a_ring && !conn_surely_known(c, port)) expect_passed(w, port, c, frame, len);
  if (of_a_ring) tagged_in(w, port, c, &p, frame);
  if (!p.starts) untagged_in(w, port, c, &p, frame);
}

// --- frames out ---

// A SEND or WRITE need not pass if its connection may have become known before it, by way of another port.
static bool must_pass(const struct passing *f, unsigned port) {
  const struct conn *c = f->conn;
  if (c == NULL || !c->known) return true;
  return !c->contested && !c->roaming && c->learned_at == port;
}

static void drop_first(struct witness_port *q) {
  struct passing *f = q->head;
  q->head = f->next;
  if (q->head == NULL) q->tail = &q->head;
  free(f);
}

// Takes frames off the queue up to and including `last` (all if NULL), which is `last_number` of the frames in.
static void take_passed(struct witness *w, unsigned port, const struct passing *last, const char *but) {
  struct witness_port *q = &w->ports[port];
  while (q->head != NULL && q->head != last) {
    if (must_pass(q->head, port))
      witness_fault(w, "port %u, frame in %" PRIu64 " (%zu bytes): was to be passed, but %s", port, q->head->number, q->head->len,
                    but);
    drop_first(q);
  }
  if (last != NULL) drop_first(q);
}

static const struct passing *waiting(const struct witness *w, unsigned port, const uint8_t *frame, size_t len) {
  const struct passing *f = w->ports[port].head;
  while (f != NULL && !(f->len == len && (len == 0 || memcmp(f->data, frame, len) == 0))) f = f->next;
  return f;
}

// A frame that has to leave first still waits.
static bool overtakes(const struct witness *w, unsigned port, const struct passing *f) {
  const struct passing *before = w->ports[port].head;
  while (before != f && !must_pass(before, port)) before = before->next;
  return before != f;
}

void witness_out(struct witness *w, unsigned port, const uint8_t *frame, size_t len) {
  struct roce_packet p;
  if (port >= w->limits.ports) {
    witness_fault(w, "frame out of port %u, which does not exist", port);
    return;
  }
  uint64_t number = ++w->ports[port].out;
  const struct passing *f = waiting(w, port, frame, len);
  roce_parse(frame, len, &p);
  // What would overtake is rather something that looks the same: a result, or a packet whose copy is to be passed later.
  if (f == NULL || overtakes(w, port, f)) {
    const char *why = column_explain(w, port, frame, len, &p);
    if (why == NULL) return;
    if (column_passes_contested(w, port, frame, len, &p)) {
      w->counts.passed++;
      return;
    }
    if (f == NULL) {
      witness_fault(w, "port %u, frame out %" PRIu64 " (%zu bytes): %s", port, number, len, why);
      return;
    }
  }
  w->counts.passed++;
  take_passed(w, port, f, "a later one left before it");
}

// --- the device is quiet ---

void witness_settled(struct witness *w) {
  for (unsigned port = 0; port < w->limits.ports; port++) take_passed(w, port, NULL, "never left");
  columns_settle(w);
  conns_settle(w);
}

void witness_finish(struct witness *w) { witness_settled(w); }

void witness_flush(struct witness *w, unsigned ring) {
  witness_settled(w);
  if (ring >= w->ring_count) return;
  columns_flush(w, ring);
  conns_flush(w, ring);
}

void witness_rename(struct witness *w, unsigned ring, uint16_t id) {
  if (ring < w->ring_count) w->rings[ring].is.id = id;
}
