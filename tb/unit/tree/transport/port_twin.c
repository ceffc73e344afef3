#include "unit/tree/transport/port_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/bits.h"
#include "structs/rc_pkg.h"
#include "structs/rc_port_pkg.h"
#include "wire/tree_cast.h"

static void must_leave(struct port_bench *b, const uint8_t *frame, size_t len) {
  assert_true(len > 0);
  port_push(b->due, &b->due_count, port_copy(frame, len));
}

/// Packets of the device's user that have arrived, as the device knows.
unsigned port_acknowledged(const struct conn *c) {
  return c->posted - (PORT_ROOM - (unsigned)rc_requester_room(rc_end_requester(c->twin)));
}

/// A packet that is multicast, too, in front of the first time that it leaves.
static void must_cast(struct port_bench *b, unsigned i, const struct packet *p) {
  static uint8_t frame[FRAME];
  struct conn *c = &b->conns[i];
  struct tree_cast from = {.v6 = c->config.out.v6,
                           .vlan = c->config.out.vlan,
                           .udp_source = c->config.udp_source,
                           .qpn = c->config.in.qpn,
                           .psn = c->casts++,
                           .tree = CAST_GROUP};
  memcpy(from.mac, c->config.local_mac, sizeof from.mac);
  memcpy(from.ip, c->config.out.src, sizeof from.ip);
  must_leave(b, frame, tree_cast_build(&from, p->data, p->len, frame, sizeof frame));
  b->due[b->due_count - 1].casts = true;
  b->counts.casts++;
}

/// What became of a packet is what the twin makes of it.
static void decided(struct port_bench *b, struct conn *c, const struct told *t, unsigned fate) {
  struct rc_responder *r = rc_end_responder(c->twin);
  const struct rc_respond_counts was = rc_responder_counts(r);
  struct roce_packet p;
  const bool closed = rc_responder_fault(r) != RC_GOOD;
  roce_parse(t->frame.bytes, t->frame.len, &p);
  rc_responder_data(r, dut_cycle(b->d), t->frame.bytes, &p);
  const struct rc_respond_counts is = rc_responder_counts(r);
  assert_int_equal(fate, closed                           ? RcClosed
                         : is.packets > was.packets       ? RcTaken
                         : is.duplicates > was.duplicates ? RcDuplicate
                         : is.skipped > was.skipped       ? RcGap
                         : is.no_room > was.no_room       ? RcNoRoom
                                                          : RcInvalid);
  b->counts.fates[fate]++;
}

/// What a connection says that it does, done by its twin: what leaves comes before what is posted or has come, that before what was read.
void port_follow(struct port_bench *b, unsigned i, const uint32_t *events) {
  static uint8_t frame[FRAME];
  struct conn *c = &b->conns[i];
  const size_t at = (size_t)i * rc_conn_events_t__BITS;
  const uint64_t now = dut_cycle(b->d), next = (b->us + 1) * US;
  if (c->twin == NULL) return;
  struct rc_requester *request = rc_end_requester(c->twin);
  struct rc_responder *respond = rc_end_responder(c->twin);
  const bool acks = bits_get(events, at + FIELD(rc_conn_events_t, acked)),
             sends = bits_get(events, at + FIELD(rc_conn_events_t, request__sent));
  // Two ACK packets in a row while data wait: they could wait for ever.
  for (unsigned k = 0; k < PORT_CONNS; k++) assert_false(acks && b->after_ack && b->conns[k].ready_for > LATE);
  if (acks || sends) b->after_ack = acks;
  if (acks) must_leave(b, frame, rc_responder_next(respond, now, frame, sizeof frame));
  if (sends) {
    const unsigned number = port_acknowledged(c) + (unsigned)rc_requester_outstanding(request);
    const bool repeated = bits_get(events, at + FIELD(rc_conn_events_t, request__repeated));
    if (!repeated && c->out[number % KEPT].cast) must_cast(b, i, &c->out[number % KEPT]);
    must_leave(b, frame, rc_requester_next(request, next, frame, sizeof frame));
    b->due[b->due_count - 1].conn = i;
    if (repeated) b->due[b->due_count - 1].repeats = number + 1;
  }
  if (c->posts && rc_requester_room(request) > 0 && c->cleared != now) {
    const struct packet *p = &c->out[c->posted++ % KEPT];
    rc_requester_post(request,
                      &(struct rc_packet){.verb = RC_SEND, .first = p->first, .last = p->last, .data = p->data, .len = p->len});
  }
  const struct told *t = &b->told[DECIDED];
  const bool mine = t->frame.bytes != NULL && t->conn == i && c->cleared < t->cycle;
  if (mine && t->kind == ANSWER) {
    struct roce_packet p;
    roce_parse(t->frame.bytes, t->frame.len, &p);
    rc_requester_answer(request, next, p.psn, t->frame.bytes[p.bth + 12]);
  }
  if (bits_get(events, at + FIELD(rc_conn_events_t, request__timeout))) rc_requester_tick(request, next);
  const bool decides = bits_get(events, at + FIELD(rc_conn_events_t, decided));
  if (c->cleared < now) assert_int_equal(decides, mine && t->kind == DATA);
  if (mine && t->kind == DATA) decided(b, c, t, (unsigned)bits_get(events, at + FIELD(rc_conn_events_t, fate)));
  c->ready_for = rc_requester_ready(request, b->us * US) ? c->ready_for + 1 : 0;
  if (bits_get(events, at + FIELD(rc_conn_events_t, gone))) rc_responder_take(respond, now);
}

/// A frame that came in is told of: as what it is.
void port_told_of(struct port_bench *b, uint32_t events, const uint32_t *conns) {
  free(b->told[DECIDED].frame.bytes);
  memmove(b->told + 1, b->told, DECIDED * sizeof *b->told);
  b->told[0] = (struct told){0};
  if (!bits_get(&events, FIELD(rc_port_events_t, came))) return;
  struct told *t = &b->told[0];
  t->frame = port_pop(b->going, &b->going_count);
  t->cycle = dut_cycle(b->d);
  t->kind = port_kind_of(b, &t->frame, &t->conn);
  assert_int_equal(bits_get(&events, FIELD(rc_port_events_t, frame_error)), t->kind == ERROR);
  assert_int_equal(bits_get(&events, FIELD(rc_port_events_t, bad_icrc)), t->kind == BAD);
  assert_int_equal(bits_get(&events, FIELD(rc_port_events_t, stray)), t->kind == STRAY);
  for (unsigned i = 0; i < CONNS; i++)
    assert_int_equal(bits_get(conns, (size_t)i * rc_conn_events_t__BITS + FIELD(rc_conn_events_t, answered)),
                     t->kind == ANSWER && t->conn == i);
  b->counts.frames_in++;
  b->counts.errors += t->kind == ERROR;
  b->counts.bad_icrcs += t->kind == BAD;
  b->counts.strays += t->kind == STRAY;
  b->counts.data_in += t->kind == DATA;
  b->counts.answers_in += t->kind == ANSWER;
}
