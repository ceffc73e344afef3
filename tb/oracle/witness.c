#include "oracle/witness.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/witness_state.h"

bool witness_newer(uint32_t a, uint32_t b) { return a != b && a - b < 0x80000000u; }

void witness_fault(struct witness *w, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  findings_addv(&w->faults, format, arguments);
  va_end(arguments);
}

size_t witness_faults(const struct witness *w) { return w->faults.count; }

const char *witness_text(const struct witness *w, size_t index) { return findings_text(&w->faults, index); }

const char *witness_excuse_name(enum witness_excuse excuse) {
  static const char *const names[WITNESS_EXCUSES] = {"contradiction", "ports", "gap", "window"};
  return excuse < WITNESS_EXCUSES ? names[excuse] : "?";
}

size_t witness_excused(const struct witness_counts *c) {
  size_t sum = 0;
  for (int e = 0; e < WITNESS_EXCUSES; e++) sum += c->excused[e];
  return sum;
}

struct witness_counts witness_counts(const struct witness *w) {
  return w->counts;
}

struct witness *witness_new(const struct witness_limits *limits, const struct witness_ring *rings, size_t count) {
  struct witness *w = need(calloc(1, sizeof *w));
  w->limits = *limits;
  w->scratch = need(malloc(limits->slot_bytes + 1));
  w->ports = need(calloc(limits->ports + 1, sizeof *w->ports));
  for (unsigned p = 0; p < limits->ports; p++) w->ports[p].tail = &w->ports[p].head;
  w->rings = need(calloc(count + 1, sizeof *w->rings));
  w->ring_count = count;
  for (size_t r = 0; r < count; r++) {
    assert(rings[r].workers <= WITNESS_RANKS);
    w->rings[r].is = rings[r];
    w->rings[r].holders = need(calloc(rings[r].workers, sizeof(struct witness_conn *)));
    w->rings[r].slots = need(calloc((size_t)2 * rings[r].window * rings[r].stride, sizeof(struct witness_column *)));
  }
  return w;
}

void witness_free(struct witness *w) {
  if (w == NULL) return;
  witness_columns_free(w);
  witness_conns_free(w);
  for (unsigned p = 0; p < w->limits.ports; p++)
    while (w->ports[p].head != NULL) {
      struct witness_passing *f = w->ports[p].head;
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

void witness_epoch(struct witness *w, uint8_t epoch) { w->epoch = epoch; }

// --- frames in ---

static void expect_passed(struct witness *w, unsigned port, const struct witness_conn *c, const uint8_t *frame, size_t len) {
  struct witness_passing *f = need(malloc(sizeof *f + len));
  f->next = NULL;
  f->conn = c;
  f->number = w->ports[port].in;
  f->len = len;
  if (len != 0) memcpy(f->data, frame, len);
  *w->ports[port].tail = f;
  w->ports[port].tail = &f->next;
}

// A frame that goes in, as the device reads it.
static void read_in(const struct witness *w, const uint8_t *frame, size_t len, struct witness_reading *out) {
  if (w->limits.any_icrc)
    witness_read_any_icrc(frame, len, out);
  else
    witness_read(frame, len, out);
}

static struct witness_packet *keep(unsigned port, const struct witness_reading *p, const uint8_t *frame) {
  struct witness_packet *k = need(calloc(1, sizeof *k + p->end));
  k->at = *p;
  k->port = port;
  memcpy(k->data, frame, p->end);
  return k;
}

static struct watched_ring *ring_named(struct witness *w, uint16_t id) {
  for (size_t r = 0; r < w->ring_count; r++)
    if (w->rings[r].is.id == id) return &w->rings[r];
  return NULL;
}

static bool header_valid(const struct witness *w, const struct witness_ring *ring, const struct witness_tag *ina) {
  const unsigned code = 4u * (ina->kind >> 4) + (ina->kind & 15u);
  if (code < 16 && (w->limits.no_kinds >> code & 1u) != 0) return false;
  return ina->rank < ring->workers && ina->msglen > 0 && ina->msglen <= ring->stride && ina->workers == ring->workers &&
         witness_element_size(ina->kind) != 0;
}

// What the sender of a packet said that it means; NULL if it said nothing.
static const struct witness_meaning *meaning_of(struct witness *w, const struct witness_conn *c, uint32_t psn) {
  const struct witness_psn *s = witness_psn_of(w, c, psn, false);
  return s != NULL && s->meant ? &s->meaning : NULL;
}

static void check_meaning(struct witness *w, unsigned port, const struct witness_meaning *means, const struct witness_conn *c,
                          uint32_t msgid, unsigned offset) {
  w->counts.told++;
  if (means->ring == c->ring && means->rank == c->rank && means->msgid == msgid && means->offset == offset) return;
  witness_fault(w,
                "port %u, frame in %" PRIu64 ": its headers say ring %u, rank %u, MsgID %" PRIu32
                ", offset %u; its sender means ring %u, rank %u, MsgID %" PRIu32 ", offset %u",
                port, w->ports[port].in, c->ring, c->rank, msgid, offset, means->ring, means->rank, means->msgid, means->offset);
}

// The message of a packet without INA header; NULL if the device cannot know it.
static const struct witness_message *message_of(struct witness *w, const struct witness_conn *c, uint32_t psn) {
  const struct witness_meaning *means = meaning_of(w, c, psn);
  return means != NULL ? witness_conn_begun(w, c, means->msgid) : witness_conn_message(w, c, psn);
}

// Another port's first packet may have overtaken packets that seemed to belong to no message.
static void place_loose(struct witness *w, struct witness_conn *c) {
  for (struct witness_packet **at = &c->loose; *at != NULL;) {
    struct witness_packet *k = *at;
    const struct witness_message *m = message_of(w, c, k->at.psn);
    if (m == NULL) {
      at = &k->next;
      continue;
    }
    *at = k->next;
    witness_column_put(w, c, k, m->msgid, (k->at.psn - m->psn) & 0xFFFFFF, m->kind);
  }
}

void witness_sent(struct witness *w, const uint8_t *frame, size_t len, const struct witness_meaning *meaning) {
  struct witness_reading p;
  read_in(w, frame, len, &p);
  if (p.sort != WITNESS_DATA || meaning->ring >= w->ring_count) {
    witness_fault(w, "a sender says what it means by a frame that is no gradient of a ring");
    return;
  }
  struct witness_psn *s = witness_psn_of(w, witness_conn_of(w, &p.conn), p.psn, true);
  s->meant = true;
  s->meaning = *meaning;
}

static void tagged_in(struct witness *w, unsigned port, struct witness_conn *c, const struct witness_reading *p,
                      const uint8_t *frame) {
  struct watched_ring *ring = ring_named(w, p->tag.ring);
  if (ring == NULL || !header_valid(w, &ring->is, &p->tag)) return;
  if (!witness_conn_claim(w, c, (unsigned)(ring - w->rings), p->tag.rank, port)) return;
  const struct witness_meaning *means = meaning_of(w, c, p->psn);
  if (means != NULL) check_meaning(w, port, means, c, p->tag.msgid, 0);
  // What one port's order forbids may have been right in the order of two.
  if (!witness_conn_enter(w, c, p) && !c->roaming) return;
  witness_column_put(w, c, keep(port, p, frame), p->tag.msgid, 0, p->tag.kind);
  if (c->roaming) place_loose(w, c);
}

static void untagged_in(struct witness *w, unsigned port, struct witness_conn *c, const struct witness_reading *p,
                        const uint8_t *frame) {
  struct witness_packet *k = keep(port, p, frame);
  const struct witness_meaning *means = meaning_of(w, c, p->psn);
  const struct witness_message *m = message_of(w, c, p->psn);
  if (m != NULL) {
    if (means != NULL) check_meaning(w, port, means, c, m->msgid, (p->psn - m->psn) & 0xFFFFFF);
    witness_column_put(w, c, k, m->msgid, means != NULL ? means->offset : (p->psn - m->psn) & 0xFFFFFF, m->kind);
    return;
  }
  k->next = c->loose;
  c->loose = k;
}

void witness_in(struct witness *w, unsigned port, const uint8_t *frame, size_t len, bool error) {
  struct witness_reading p;
  if (port >= w->limits.ports) {
    witness_fault(w, "frame into port %u, which does not exist", port);
    return;
  }
  w->ports[port].in++;
  if (error || len > w->limits.max_frame_bytes) return;
  read_in(w, frame, len, &p);
  if (p.sort == WITNESS_BAD_ICRC) return;
  if (p.sort != WITNESS_DATA) {
    expect_passed(w, port, NULL, frame, len);
    return;
  }
  if ((p.conn.v6 && w->limits.no_v6) || (p.behind_tag && w->limits.no_vlan)) {
    // Of no connection that the device knows; what begins a message of its rings must not pass.
    if (!p.tagged || ring_named(w, p.tag.ring) == NULL) expect_passed(w, port, NULL, frame, len);
    return;
  }
  struct witness_conn *c = witness_conn_of(w, &p.conn);
  witness_conn_seen(c, port);
  bool of_a_ring = p.tagged && ring_named(w, p.tag.ring) != NULL;
  if (!of_a_ring && !c->retired && !witness_conn_surely_known(c, port)) expect_passed(w, port, c, frame, len);
  if (of_a_ring) tagged_in(w, port, c, &p, frame);
  if (!p.opens) untagged_in(w, port, c, &p, frame);
}

// --- frames out ---

// A SEND or WRITE need not pass if its connection may have become known before it, by way of another port.
static bool must_pass(const struct witness_passing *f, unsigned port) {
  const struct witness_conn *c = f->conn;
  if (c != NULL && c->perhaps_retired) return false;
  if (c == NULL || !c->known) return true;
  return !c->contested && !c->roaming && c->learned_at == port;
}

static void drop_first(struct witness_port *q) {
  struct witness_passing *f = q->head;
  q->head = f->next;
  if (q->head == NULL) q->tail = &q->head;
  free(f);
}

// Takes frames off the queue up to and including `last` (all if NULL), which is `last_number` of the frames in.
static void take_passed(struct witness *w, unsigned port, const struct witness_passing *last, const char *but) {
  struct witness_port *q = &w->ports[port];
  while (q->head != NULL && q->head != last) {
    if (must_pass(q->head, port))
      witness_fault(w, "port %u, frame in %" PRIu64 " (%zu bytes): was to be passed, but %s", port, q->head->number, q->head->len,
                    but);
    drop_first(q);
  }
  if (last != NULL) drop_first(q);
}

static const struct witness_passing *waiting(const struct witness *w, unsigned port, const uint8_t *frame, size_t len) {
  const struct witness_passing *f = w->ports[port].head;
  while (f != NULL && !(f->len == len && (len == 0 || memcmp(f->data, frame, len) == 0))) f = f->next;
  return f;
}

// A frame that has to leave first still waits.
static bool overtakes(const struct witness *w, unsigned port, const struct witness_passing *f) {
  const struct witness_passing *before = w->ports[port].head;
  while (before != f && !must_pass(before, port)) before = before->next;
  return before != f;
}

void witness_out(struct witness *w, unsigned port, const uint8_t *frame, size_t len) {
  struct witness_reading p;
  if (port >= w->limits.ports) {
    witness_fault(w, "frame out of port %u, which does not exist", port);
    return;
  }
  uint64_t number = ++w->ports[port].out;
  const struct witness_passing *f = waiting(w, port, frame, len);
  witness_read(frame, len, &p);
  // What would overtake is rather something that looks the same: a result, or a packet whose copy is to be passed later.
  if (f == NULL || overtakes(w, port, f)) {
    const char *why = witness_column_explain(w, port, frame, len, &p);
    if (why == NULL) return;
    if (witness_column_passes_contested(w, port, frame, len, &p)) {
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
  witness_columns_settle(w);
  witness_conns_settle(w);
}

void witness_finish(struct witness *w) {
  witness_settled(w);
  w->counts.incomplete = witness_columns_open(w);
}

void witness_flush(struct witness *w, unsigned ring) {
  witness_settled(w);
  if (ring >= w->ring_count) return;
  witness_columns_flush(w, ring);
  witness_conns_flush(w, ring);
}

void witness_release(struct witness *w, unsigned ring) {
  witness_flush(w, ring);
  if (ring < w->ring_count) witness_conns_release(w, ring);
}

void witness_flush_beside(struct witness *w, unsigned ring) {
  if (ring >= w->ring_count) return;
  witness_columns_settle_ring(w, ring);
  witness_columns_flush(w, ring);
  witness_conns_flush(w, ring);
}

void witness_rename(struct witness *w, unsigned ring, uint16_t id) {
  if (ring < w->ring_count) w->rings[ring].is.id = id;
}
