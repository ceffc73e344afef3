#include "unit/tree/transport/port_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "wire/rc.h"

struct frame port_copy(const uint8_t *bytes, size_t len) {
  struct frame f = {.bytes = need(malloc(len)), .len = len};
  memcpy(f.bytes, bytes, len);
  return f;
}

void port_push(struct frame *queue, unsigned *count, struct frame f) {
  assert_true(*count < QUEUE);
  queue[(*count)++] = f;
}

struct frame port_pop(struct frame *queue, unsigned *count) {
  const struct frame f = queue[0];
  assert_true(*count > 0);
  memmove(queue, queue + 1, --*count * sizeof *queue);
  return f;
}

// --- the cable, to the device ---

static void rebuilt(struct frame *f) {
  struct roce_packet p;
  if (roce_locate(f->bytes, f->len, &p)) icrc_put(f->bytes, &p);
}

/// Something else in place of a frame of a connection: another queue pair, address, opcode, version, or length of UDP, with a right ICRC.
static void lead_astray(struct frame *f) {
  struct roce_packet p;
  if (!roce_locate(f->bytes, f->len, &p)) return;
  switch (port_below(7)) {
    case 0: f->bytes[p.bth + 5 + port_below(3)] ^= (uint8_t)(1 + port_below(255)); break;
    case 1: f->bytes[p.udp - 1 - port_below(8)] ^= (uint8_t)(1 + port_below(255)); break;
    case 2: f->bytes[p.bth] = (uint8_t)(ROCE_READ_REQUEST + port_below(10)); break;
    case 3: f->bytes[p.bth + 1] ^= (uint8_t)(1 + port_below(15)); break;
    case 4: f->bytes[p.udp + 5] ^= 4; break;
    case 5: f->bytes[12] ^= (uint8_t)port_below(256); break;
    default:
      if (p.vlan) f->bytes[15] ^= (uint8_t)(1 + port_below(255));
      break;
  }
  rebuilt(f);
}

/// A packet of an opcode that no packet here has; its connection ends.
static void end_connection(struct frame *f) {
  struct roce_packet p;
  roce_parse(f->bytes, f->len, &p);
  if (p.class != ROCE_CANDIDATE) return;
  f->bytes[p.bth] = ROCE_SEND_LAST_INV;
  rebuilt(f);
}

void port_onto_cable(struct port_bench *b, struct frame f) {
  const unsigned each = b->pace.mistakes;
  const unsigned draw = port_below(1000);
  if (b->in_count + 3 > QUEUE || draw < each) {
    free(f.bytes);
    return;
  }
  if (draw < 2 * each) port_push(b->in, &b->in_count, port_copy(f.bytes, f.len));
  if (draw >= 2 * each && draw < 3 * each) f.bytes[14 + port_below((unsigned)f.len - 14)] ^= (uint8_t)(1u << port_below(8));
  if (draw >= 3 * each && draw < 4 * each) lead_astray(&f);
  if (draw >= 9 * each && draw < 9 * each + each / 8) end_connection(&f);
  if (draw >= 4 * each && draw < 5 * each) f.error = true;
  if (draw >= 5 * each && draw < 6 * each) f.holes = 1 + port_below(3);
  if (draw >= 6 * each && draw < 7 * each && b->held.bytes == NULL) {
    b->held = f;
    return;
  }
  port_push(b->in, &b->in_count, f);
  if (b->held.bytes != NULL) {
    port_push(b->in, &b->in_count, b->held);
    b->held.bytes = NULL;
  }
  if (draw >= 7 * each && draw < 8 * each) {
    uint8_t junk[200];
    for (unsigned i = 0; i < sizeof junk; i++) junk[i] = (uint8_t)rand();
    port_push(b->in, &b->in_count, port_copy(junk, 60 + port_below(140)));
  }
  if (draw >= 8 * each && draw < 8 * each + each / 4) {
    // Longer than lengths are: all its beats but the first are its payload's.
    uint8_t *bytes = need(calloc(1, LONG_FRAME));
    memcpy(bytes, f.bytes, f.len);
    port_push(b->in, &b->in_count, port_copy(bytes, LONG_FRAME));
    free(bytes);
  }
}

enum kind port_kind_of(const struct port_bench *b, const struct frame *f, unsigned *conn) {
  struct roce_packet p;
  if (f->error || f->holes != 0 || f->len > 255 * ROW) return ERROR;
  roce_parse(f->bytes, f->len, &p);
  if (p.class == ROCE_BAD_ICRC) return BAD;
  if (p.class == ROCE_OTHER) return STRAY;
  for (*conn = 0; *conn < CONNS; ++*conn) {
    const struct conn *c = &b->conns[*conn];
    if (!c->open || c->cleared >= f->began || !conn_key_equal(&p.key, &c->config.in)) continue;
    if (p.class == ROCE_CANDIDATE) return DATA;
    return p.opcode == ROCE_ACK && p.bth + 12 + AETH_BYTES + 4 <= p.ip_end ? ANSWER : STRAY;
  }
  return STRAY;
}

/// Offers a beat of the frame under way, or none.
bool port_offer_beat(struct port_bench *b) {
  uint32_t words[ROW / 4];
  const bool valid = b->in_count > 0 && port_chance(b->pace.beats);
  dut_set(b->d, "s_axis_tvalid", valid);
  if (!valid) return false;
  const struct frame *f = &b->in[0];
  const size_t left = f->len - b->in_at, bytes = left < ROW ? left : ROW;
  uint64_t keep = bytes == 64 ? UINT64_MAX : (UINT64_C(1) << bytes) - 1;
  if (f->holes == 1) keep &= ~UINT64_C(1);
  if (f->holes == 2) keep &= ~(UINT64_C(1) << 20);
  if (f->holes == 3 && f->len > ROW) keep >>= b->in_at == 0;
  if (f->holes == 3 && f->len <= ROW) keep = 0;
  for (unsigned i = 0; i < ROW / 4; i++) words[i] = (uint32_t)rand() << 3;
  memcpy(words, f->bytes + b->in_at, bytes);
  dut_set_words(b->d, "s_axis_tdata", words, ROW / 4);
  dut_set(b->d, "s_axis_tkeep", keep);
  dut_set(b->d, "s_axis_tlast", bytes == left);
  dut_set(b->d, "s_axis_tuser", f->error && (bytes == left || rand() % 2));
  return true;
}

void port_beat_taken(struct port_bench *b) {
  struct frame *f = &b->in[0];
  if (b->in_at == 0) f->began = dut_cycle(b->d);
  b->in_at += ROW;
  b->counts.beats_in++;
  if (b->in_at < f->len) return;
  if (b->counts.came == 0) b->counts.came = dut_cycle(b->d);
  b->in_at = 0;
  port_push(b->going, &b->going_count, port_pop(b->in, &b->in_count));
}

// --- the cable, from the device ---

static void to_neighbour(struct port_bench *b) {
  struct roce_packet p;
  const unsigned draw = port_below(1000), each = b->pace.mistakes;
  if (draw < each) return;
  if (draw >= 3 * each && draw < 4 * each) b->out[14 + port_below((unsigned)b->out_len - 14)] ^= (uint8_t)(1u << port_below(8));
  roce_parse(b->out, b->out_len, &p);
  for (unsigned c = 0; c < CONNS; c++) {
    if (b->conns[c].peer == NULL || !rc_end_is(b->conns[c].peer, &p)) continue;
    rc_end_receive(b->conns[c].peer, b->us * US, b->out, &p);
    if (draw >= 2 * each && draw < 3 * each) rc_end_receive(b->conns[c].peer, b->us * US, b->out, &p);
  }
}

void port_beat_leaves(struct port_bench *b) {
  uint32_t words[ROW / 4];
  const uint64_t keep = dut_get(b->d, "m_axis_tkeep");
  unsigned bytes = 0;
  while (bytes < ROW && keep >> bytes & 1) bytes++;
  assert_true(bytes > 0 && keep == (bytes == ROW ? UINT64_MAX : (UINT64_C(1) << bytes) - 1));
  if (b->counts.left == 0) b->counts.left = dut_cycle(b->d);
  const bool last = dut_get(b->d, "m_axis_tlast");
  assert_true(last || bytes == ROW);
  assert_true(b->out_len + bytes <= FRAME);
  dut_get_words(b->d, "m_axis_tdata", words, ROW / 4);
  memcpy(b->out + b->out_len, words, bytes);
  b->out_len += bytes;
  b->counts.beats_out++;
  if (!last) return;
  struct frame due = port_pop(b->due, &b->due_count);
  assert_int_equal(b->out_len, due.len);
  const struct conn *c = &b->conns[due.conn];
  if (due.repeats > 0 && c->twin != NULL && due.repeats <= port_acknowledged(c) && memcmp(b->out, due.bytes, due.len) != 0) {
    // Its place has been given away while it left: headers are its own, and nobody looks at the rest.
    struct roce_packet p;
    roce_parse(b->out, b->out_len, &p);
    assert_int_equal(p.class, ROCE_CANDIDATE);
    assert_memory_equal(b->out, due.bytes, p.bth + 12);
    b->counts.given_away++;
  } else {
    assert_memory_equal(b->out, due.bytes, due.len);
  }
  free(due.bytes);
  b->counts.frames_out++;
  to_neighbour(b);
  b->out_len = 0;
}
