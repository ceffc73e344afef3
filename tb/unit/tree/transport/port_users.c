#include "unit/tree/transport/port_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/bits.h"
#include "structs/rc_pkg.h"
#include "wire/bytes.h"

// --- the neighbour ---

/// A packet of a message, of any length that it can have.
static void draw_packet(struct packet *p, unsigned *left, unsigned mtu, bool empty, bool whole) {
  p->first = *left == 0;
  if (p->first) *left = 1 + port_below(6);
  p->last = --*left == 0;
  p->len = !p->last ? mtu : port_below(3) == 0 ? mtu : port_below(3) == 0 ? 1 + port_below(70) : 1 + port_below(mtu);
  if (whole || p->len > mtu) p->len = mtu;
  if (empty && !whole && p->first && p->last && port_below(4) == 0) p->len = 0;
  for (unsigned i = 0; i < p->len; i++) p->data[i] = (uint8_t)rand();
  // Payload that looks like another system's header is payload.
  if (p->first && p->len >= INA_BYTES && port_below(4) == 0) put_be32(p->data, INA_TAG);
}

void port_neighbour(struct port_bench *b, struct conn *c, unsigned posts) {
  static uint8_t frame[FRAME];
  const uint64_t now = b->us * US;
  struct rc_requester *request = rc_end_requester(c->peer);
  struct rc_responder *respond = rc_end_responder(c->peer);
  if (((posts & PORT_PEER) != 0 || c->left_in > 0) && rc_requester_room(request) > 0 && port_chance(b->pace.peer) &&
      c->peer_posted - c->read_at < KEPT - 2) {
    struct packet *p = &c->in[c->peer_posted++ % KEPT];
    if (c->left_in == 0) {
      c->write = rand() % 2;
      c->imm = rand() % 2;
    }
    draw_packet(p, &c->left_in, c->config.mtu, true, b->pace.whole);
    const struct rc_packet packet = {.verb = c->write ? (c->imm ? RC_WRITE_IMM : RC_WRITE)
                                             : c->imm ? RC_SEND_IMM
                                                      : RC_SEND,
                                     .first = p->first,
                                     .last = p->last,
                                     .imm = (uint32_t)rand(),
                                     .data = p->data,
                                     .len = p->len};
    rc_requester_post(request, &packet);
  }
  const struct rc_packet *first = rc_responder_first(respond);
  if (first != NULL && port_chance(b->pace.peer)) {
    const struct packet *p = &c->out[c->peer_took++ % KEPT];
    assert_int_equal(first->len, p->len);
    assert_int_equal(first->first, p->first);
    assert_int_equal(first->last, p->last);
    assert_memory_equal(first->data, p->data, p->len);
    rc_responder_take(respond, now);
    b->counts.packets_out++;
  }
  if (rc_end_deadline(c->peer, now) <= now) rc_end_tick(c->peer, now);
  if (rc_end_fault(c->peer) != RC_GOOD && !rc_end_ready(c->peer, now)) return;
  if (b->in_count < 4 && port_chance(b->pace.peer)) {
    const size_t len = rc_end_next(c->peer, now, frame, sizeof frame);
    if (len > 0) port_onto_cable(b, port_copy(frame, len));
  }
}

// --- the device's user ---

/// Offers the next row of a packet, or begins one.
static void offer_row(struct port_bench *b, struct conn *c, bool room, unsigned posts, uint32_t *words, size_t at, bool *cast) {
  c->posts = false;
  *cast = rand() % 2;   // of no meaning but with a packet's first row
  if (c->stale > 0 && c->cleared != dut_cycle(b->d) && port_chance(b->pace.rows)) {
    bits_put(words, at + FIELD(rc_row_t, valid), 1);
    bits_put(words, at + FIELD(rc_row_t, stop), --c->stale == 0);
    return;
  }
  if (c->twin == NULL || c->stale > 0) return;
  struct packet *p = &c->out[c->posted % KEPT];
  // Who has not heard yet that the connection failed goes on; nothing is taken.
  const bool begins = room || rc_requester_fault(rc_end_requester(c->twin)) != RC_GOOD;
  if (c->rows == 0 && ((posts & PORT_DEVICE) != 0 || c->left_out > 0) && begins && port_chance(b->pace.rows) &&
      c->posted - c->peer_took < KEPT - 2) {
    draw_packet(p, &c->left_out, c->config.mtu, false, b->pace.whole);
    p->cast = !b->pace.whole && p->first && p->last && port_chance(50);
    c->rows = (p->len + ROW - 1) / ROW;
    c->row = 0;
  }
  if (c->rows == 0 || !port_chance(b->pace.rows)) return;
  uint8_t row[ROW];
  const unsigned done = c->row * ROW, left = p->len - done;
  for (unsigned i = 0; i < ROW; i++) row[i] = i < left ? p->data[done + i] : (uint8_t)rand();
  c->posts = c->row + 1 == c->rows;
  bits_put(words, at + FIELD(rc_row_t, valid), 1);
  bits_put(words, at + FIELD(rc_row_t, start), c->row == 0);
  bits_put(words, at + FIELD(rc_row_t, stop), c->posts);
  bits_put(words, at + FIELD(rc_row_t, first), p->first);
  bits_put(words, at + FIELD(rc_row_t, last), p->last);
  bits_put(words, at + FIELD(rc_row_t, len), p->len);
  bits_put_bytes(words, at + FIELD(rc_row_t, row), row);
  if (c->row == 0) *cast = p->cast;
  if (c->posts && b->counts.posted == 0) b->counts.posted = dut_cycle(b->d);
  c->row++;
  if (c->posts) c->rows = 0;
}

/// The packet that is shown is the next one of the peer's. True if the user claims it.
static bool sees_oldest(struct port_bench *b, struct conn *c, const uint32_t *words, size_t at) {
  uint8_t head[HEAD];
  if (!bits_get(words, at + FIELD(rc_packet_t, valid)) || c->cleared == dut_cycle(b->d)) return false;
  assert_true(c->open && c->claims < c->peer_posted);
  if (b->counts.shown == 0) b->counts.shown = dut_cycle(b->d);
  const struct packet *p = &c->in[c->claims % KEPT];
  assert_int_equal(bits_get(words, at + FIELD(rc_packet_t, first)), p->first);
  assert_int_equal(bits_get(words, at + FIELD(rc_packet_t, last)), p->last);
  assert_int_equal(bits_get(words, at + FIELD(rc_packet_t, len)), p->len);
  bits_get_bytes(words, at + FIELD(rc_packet_t, head), head);
  assert_memory_equal(head, p->data, p->len < HEAD ? p->len : HEAD);
  return port_chance(b->pace.claims);
}

static unsigned rows_of(const struct conn *c, unsigned number) {
  return c->dropped[number % KEPT] ? 0 : (c->in[number % KEPT].len + ROW - 1) / ROW;
}

static bool reads_row(struct port_bench *b, struct conn *c) {
  while (c->read_at < c->claims && c->read_row == rows_of(c, c->read_at)) {
    c->read_at++;
    c->read_row = 0;
  }
  memmove(c->reads + 1, c->reads, READ * sizeof *c->reads);
  c->reads[0] = (struct read){0};
  if (c->read_at == c->claims || !port_chance(b->pace.reads)) return false;
  const struct packet *p = &c->in[c->read_at % KEPT];
  const unsigned done = c->read_row * ROW, left = p->len - done;
  c->reads[0] = (struct read){.row = p->data + done, .bytes = left < ROW ? left : ROW};
  c->read_row++;
  return true;
}

void port_use(struct port_bench *b, unsigned posts) {
  uint32_t rows[WORDS_OF(rc_row_t, CONNS)] = {0}, oldest[WORDS_OF(rc_packet_t, CONNS)];
  unsigned claims = 0, drops = 0, reads = 0, casts = 0;
  const unsigned room = (unsigned)dut_get(b->d, "room_o");
  dut_get_words(b->d, "oldest_o", oldest, WORDS_OF(rc_packet_t, CONNS));
  for (unsigned i = 0; i < CONNS; i++) {
    struct conn *c = &b->conns[i];
    bool cast;
    offer_row(b, c, room >> i & 1, posts, rows, (size_t)i * rc_row_t__BITS, &cast);
    casts |= (unsigned)cast << i;
    if (reads_row(b, c)) reads |= 1u << i;
    if (!sees_oldest(b, c, oldest, (size_t)i * rc_packet_t__BITS)) continue;
    const bool drop = port_chance(20);
    c->dropped[c->claims++ % KEPT] = drop;
    claims |= 1u << i;
    drops |= (unsigned)drop << i;
    b->counts.packets_in++;
    b->counts.dropped += drop;
  }
  dut_set(b->d, "claim_i", claims);
  dut_set(b->d, "claim_drop_i", drops);
  dut_set(b->d, "row_re_i", reads);
  dut_set_words(b->d, "send_row_i", rows, WORDS_OF(rc_row_t, CONNS));
  dut_set(b->d, "send_cast_i", casts);
}

void port_check_rows(struct port_bench *b) {
  uint32_t words[CONNS * ROW / 4];
  dut_get_words(b->d, "row_o", words, CONNS * ROW / 4);
  for (unsigned i = 0; i < CONNS; i++) {
    const struct read *r = &b->conns[i].reads[READ];
    if (r->row == NULL) continue;
    assert_memory_equal((const uint8_t *)words + i * ROW, r->row, r->bytes);
    b->counts.rows_read++;
  }
}
