// Headers that a device below a parent sends and never received: every shape of frame, against the frames of lib/wire; and records that pass.
// DUT: relay_write -GNumPorts=3 -GNumRings=2 -GMaxWindow=2
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/dut.h"
#include "drive/bits.h"
#include "structs/agg_pkg.h"
#include "structs/relay_pkg.h"
#include "structs/roce_pkg.h"
#include "wire/bytes.h"
#include "wire/relay.h"
#include "wire/roce.h"

enum { PORTS = 3, WORDS = 8, WORD = 16, RECORD = WORDS * WORD, META = 114, RECORDS = 3000, KEPT = 2 * 2 * 2 * 2 };
enum what { NONE, UP, NOTE, RESULT };

static const uint16_t ring_ids[] = {7, 0xABCD};
static const struct relay_end self = {.mac = {2, 1, 2, 3, 4, 5}, .ip = {10, 1, 0, 9}};
// A packet of CARRIES bytes to the second parent has words of its IPv4 header that add up to 0x1FFFF: the carry makes another one.
enum { CARRIES = 64 };
static const struct relay_end parents[] = {{.mac = {2, 9, 8, 7, 6, 5}, .ip = {10, 1, 0, 1}},
                                           {.mac = {6, 6, 6, 6, 6, 6}, .ip = {192, 168, 0x6F, 0xC0}}};
enum { CHILD = 3, SIBLINGS = 5, FIRST = 4, TOTAL = 12, RANK = 6, EPOCH = 0x5D };

/// A record, and what must come out on its port.
struct record {
  enum what what;
  unsigned port, mask, ring, kept;
  uint32_t edit[WORDS_OF(relay_edit_t, 1)];
  uint8_t in[PORTS][RECORD], out[RECORD], notified[RECORD];
  size_t hdr_len, tensor_len;
  uint32_t psn;
  bool vlan, v6;
  size_t marked[2];   // bytes of `out` that are the epoch; 0: none
};

static uint64_t any(void) { return (uint64_t)rand() << 40 ^ (uint64_t)rand() << 20 ^ (uint64_t)rand(); }

static void put_record(uint8_t *record, const uint8_t *frame, size_t hdr_len, const struct roce_build *b, uint32_t psn) {
  uint32_t meta[WORDS_OF(hdr_meta_t, 1)] = {0};
  for (size_t i = 0; i < RECORD; i++) record[i] = (uint8_t)rand();
  memcpy(record, frame, hdr_len);
  bits_put(meta, FIELD(hdr_meta_t, pad_bytes), any() & 0xFFFF);
  bits_put(meta, FIELD(hdr_meta_t, psn), psn);
  bits_put(meta, FIELD(hdr_meta_t, tensor_len), any() & 0x3FFF);
  bits_put(meta, FIELD(hdr_meta_t, hdr_len), hdr_len);
  bits_put(meta, FIELD(hdr_meta_t, has_pad), any() & 1);
  bits_put(meta, FIELD(hdr_meta_t, mark), b->ina != NULL || roce_has_imm(b->opcode));
  bits_put(meta, FIELD(hdr_meta_t, v6), b->key.v6);
  bits_put(meta, FIELD(hdr_meta_t, vlan), b->vlan);
  for (unsigned i = 0; i < RECORD - META; i++) record[META + i] = (uint8_t)(meta[i / 4] >> 8 * (i % 4));
}

/// Any sender's packet of a message: first, middle or last by `at` (0, 1, 2), of one packet only with `only`.
static struct roce_build packet(bool write, bool imm, unsigned at, bool only) {
  struct roce_build b = {.vlan = rand() % 2,
                         .vlan_pcp = (uint8_t)(rand() & 15),
                         .udp_src = (uint16_t)rand(),
                         .ttl = (uint8_t)(1 + rand() % 255)};
  b.key.v6 = rand() % 2;
  b.key.qpn = (uint32_t)rand() & 0xFFFFFF;
  for (unsigned i = 0; i < (b.key.v6 ? 16u : 4u); i++) {
    b.key.src[i] = (uint8_t)rand();
    b.key.dst[i] = (uint8_t)rand();
  }
  for (unsigned i = 0; i < 6; i++) {
    b.src_mac[i] = (uint8_t)rand();
    b.dst_mac[i] = (uint8_t)rand();
  }
  for (unsigned i = 0; i < sizeof b.reth; i++) b.reth[i] = (uint8_t)rand();
  for (unsigned i = 0; i < sizeof b.imm; i++) b.imm[i] = (uint8_t)rand();
  b.pkey = (uint16_t)rand();
  b.migreq = rand() % 2;
  b.solicited = rand() % 2;
  b.ack_request = rand() % 2;
  b.psn = (uint32_t)rand() & 0xFFFFFF;
  if (only)
    b.opcode = write ? (imm ? ROCE_WRITE_ONLY_IMM : ROCE_WRITE_ONLY) : (imm ? ROCE_SEND_ONLY_IMM : ROCE_SEND_ONLY);
  else if (at == 0)
    b.opcode = write ? ROCE_WRITE_FIRST : ROCE_SEND_FIRST;
  else if (at == 1)
    b.opcode = write ? ROCE_WRITE_MIDDLE : ROCE_SEND_MIDDLE;
  else
    b.opcode = write ? (imm ? ROCE_WRITE_LAST_IMM : ROCE_WRITE_LAST) : (imm ? ROCE_SEND_LAST_IMM : ROCE_SEND_LAST);
  return b;
}

/// Draws one.
static void draw(struct record *r) {
  static const uint8_t tensor[4096];
  uint8_t frame[4600], want[4600];
  struct roce_packet p;
  memset(r, 0, sizeof *r);
  r->what = (enum what)(rand() % 4);
  r->port = (unsigned)rand() % PORTS;
  r->mask = ((unsigned)rand() & 7u) | 1u << r->port;
  r->ring = (unsigned)rand() % 2;
  r->kept = (unsigned)rand() % KEPT;
  r->tensor_len = rand() % 16 ? ((size_t)rand() % 1025) * 2 : CARRIES;
  for (unsigned port = 0; port < PORTS; port++)
    for (unsigned i = 0; i < RECORD; i++) r->in[port][i] = (uint8_t)rand();
  memcpy(r->out, r->in[r->port], RECORD);

  const bool write = rand() % 2, imm = rand() % 2, only = rand() % 4 == 0;
  const unsigned at = only ? 0 : (unsigned)rand() % 3;
  const unsigned msglen = only ? 1 : 3 + (unsigned)rand() % 100;
  const unsigned offset = at == 0 ? 0 : at == 2 ? msglen - 1 : 1 + (unsigned)rand() % (msglen - 2);
  const struct ina_header ina = {ring_ids[r->ring], RANK, 2, (uint32_t)any(), (uint16_t)msglen, TOTAL};
  size_t want_len = 0;
  if (r->what == UP) {
    const struct ina_header up = {ina.ring, CHILD, ina.kind, ina.msgid, ina.msglen, SIBLINGS};
    want_len = relay_packet(&self, &parents[r->ring], &up, offset, tensor, r->tensor_len, want, sizeof want);
    r->psn = offset;
  } else if (r->what == NOTE) {
    struct roce_build b = packet(write, imm, at == 1 ? 2 : at, only);
    const unsigned place = at == 1 ? msglen - 1 : offset;
    b.ina = place == 0 ? &ina : NULL;
    b.payload = tensor;
    b.payload_len = 64;
    roce_parse(frame, roce_build(&b, frame, sizeof frame), &p);
    put_record(r->in[r->port], frame, p.header, &b, b.psn);
    want_len = relay_note(frame, &p, &ina, want);
    // In Workers of the notification, and in the last packet's immediate value.
    const size_t note = p.header - (b.ina != NULL ? INA_BYTES : 0);
    r->marked[0] = note + 14;
    r->marked[1] = place == 0 || !roce_has_imm(b.opcode) ? 0 : note - 2;
    bits_put(r->edit, FIELD(relay_edit_t, offset), place);
    r->psn = b.psn;
    r->tensor_len = 0;
  } else if (r->what == RESULT) {
    // The notification of the first or the last packet came, and was kept.
    struct roce_build b = packet(write, imm, at == 2 ? 2 : 0, only);
    b.ina = at == 2 ? NULL : &ina;
    b.payload = tensor;
    b.payload_len = 64;
    roce_parse(frame, roce_build(&b, frame, sizeof frame), &p);
    uint8_t note[200];
    const size_t plain = p.header - (b.ina != NULL ? INA_BYTES : 0);
    relay_note(frame, &p, &ina, note);
    put_record(r->notified, note, plain + INA_BYTES, &b, b.psn);
    r->psn = (b.psn + 5) & 0xFFFFFF;
    b.psn = r->psn;
    b.payload_len = r->tensor_len;
    if (at == 1) {
      b.ina = NULL;
      b.opcode = write ? ROCE_WRITE_MIDDLE : ROCE_SEND_MIDDLE;
      b.ack_request = false;
    }
    want_len = roce_build(&b, want, sizeof want);
  }
  const unsigned place = r->what == NOTE && at == 1 ? msglen - 1 : offset;
  bits_put(r->edit, FIELD(relay_edit_t, kept), r->kept);
  bits_put(r->edit, FIELD(relay_edit_t, last), r->what == RESULT && at == 2);
  bits_put(r->edit, FIELD(relay_edit_t, psn), r->psn);
  bits_put(r->edit, FIELD(relay_edit_t, tensor_len), r->tensor_len);
  bits_put(r->edit, FIELD(relay_edit_t, kind), ina.kind);
  bits_put(r->edit, FIELD(relay_edit_t, offset), place);
  bits_put(r->edit, FIELD(relay_edit_t, msglen), msglen);
  bits_put(r->edit, FIELD(relay_edit_t, msgid), ina.msgid);
  bits_put(r->edit, FIELD(relay_edit_t, rank), RANK);
  bits_put(r->edit, FIELD(relay_edit_t, ring), r->ring);
  bits_put(r->edit, FIELD(relay_edit_t, port), r->port);
  bits_put(r->edit, FIELD(relay_edit_t, what), r->what);
  if (r->what == NONE) return;
  roce_parse(want, want_len, &p);
  assert_int_equal(p.class, ROCE_CANDIDATE);
  r->hdr_len = r->what == NOTE ? p.header + INA_BYTES - (p.tagged ? INA_BYTES : 0) : p.header;
  r->v6 = p.key.v6;
  r->vlan = get_be16(want + 12) == 0x8100;
  memcpy(r->out, want, r->hdr_len);
  for (unsigned i = 0; i < 2; i++)
    if (r->marked[i] != 0) r->out[r->marked[i]] = EPOCH;
}

static void check(const struct record *r, const uint8_t *got) {
  if (r->what == NONE) {
    assert_memory_equal(got, r->in[r->port], RECORD);
    return;
  }
  assert_memory_equal(got, r->out, r->hdr_len);
  uint32_t meta[WORDS_OF(hdr_meta_t, 1)] = {0};
  for (unsigned i = 0; i < RECORD - META; i++) meta[i / 4] |= (uint32_t)got[META + i] << 8 * (i % 4);
  assert_int_equal(bits_get(meta, FIELD(hdr_meta_t, pad_bytes)), 0);
  assert_int_equal(bits_get(meta, FIELD(hdr_meta_t, psn)), r->psn);
  assert_int_equal(bits_get(meta, FIELD(hdr_meta_t, tensor_len)), r->tensor_len);
  assert_int_equal(bits_get(meta, FIELD(hdr_meta_t, hdr_len)), r->hdr_len);
  assert_int_equal(bits_get(meta, FIELD(hdr_meta_t, has_pad)), r->tensor_len % 4 != 0);
  assert_int_equal(bits_get(meta, FIELD(hdr_meta_t, mark)), 0);   // no egress marks it once more
  assert_int_equal(bits_get(meta, FIELD(hdr_meta_t, v6)), r->v6);
  assert_int_equal(bits_get(meta, FIELD(hdr_meta_t, vlan)), r->vlan);
}

static uint64_t mac_number(const uint8_t *mac) { return (uint64_t)get_be16(mac) << 32 | get_be32(mac + 2); }

static void set_registers(struct dut *d) {
  uint32_t rings[WORDS_OF(ring_t, 2)] = {0}, relays[WORDS_OF(relay_ring_t, 2)] = {0}, own[WORDS_OF(relay_self_t, 1)] = {0};
  for (unsigned i = 0; i < 2; i++) {
    const size_t ring = i * ring_t__BITS, relay = i * relay_ring_t__BITS;
    bits_put(rings, ring + FIELD(ring_t, id), ring_ids[i]);
    bits_put(rings, ring + FIELD(ring_t, enable), 1);
    bits_put(relays, relay + FIELD(relay_ring_t, total), TOTAL);
    bits_put(relays, relay + FIELD(relay_ring_t, first), FIRST);
    bits_put(relays, relay + FIELD(relay_ring_t, siblings), SIBLINGS);
    bits_put(relays, relay + FIELD(relay_ring_t, child), CHILD);
    bits_put(relays, relay + FIELD(relay_ring_t, parent_ip), get_be32(parents[i].ip));
    bits_put(relays, relay + FIELD(relay_ring_t, parent_mac), mac_number(parents[i].mac));
  }
  bits_put(own, FIELD(relay_self_t, ip), get_be32(self.ip));
  bits_put(own, FIELD(relay_self_t, mac), mac_number(self.mac));
  assert_int_equal(dut_width(d, "rings_i"), 2 * ring_t__BITS);
  assert_int_equal(dut_width(d, "relays_i"), 2 * relay_ring_t__BITS);
  dut_set_words(d, "rings_i", rings, WORDS_OF(ring_t, 2));
  dut_set_words(d, "relays_i", relays, WORDS_OF(relay_ring_t, 2));
  dut_set_words(d, "self_i", own, WORDS_OF(relay_self_t, 1));
}

static void keep(struct dut *d, const struct record *r) {
  for (unsigned row = 0; row < 2; row++) {
    uint32_t write[WORDS_OF(bank_write_t, 1)] = {0};
    for (unsigned i = 0; i < 16; i++) write[i] = get_le32(r->notified + 64 * row + 4 * i);
    bits_put(write, FIELD(bank_write_t, row), row);
    bits_put(write, FIELD(bank_write_t, slot), r->kept);
    bits_put(write, FIELD(bank_write_t, header), 1);
    dut_set_words(d, "kept_i", write, WORDS_OF(bank_write_t, 1));
    dut_set(d, "kept_we_i", 1);
    dut_tick(d);
  }
  dut_set(d, "kept_we_i", 0);
}

struct collector {
  unsigned words;
  uint8_t got[PORTS][RECORD];
};

/// A cycle; true if a record has come out whole.
static bool tick(struct dut *d, struct collector *c, unsigned *mask) {
  dut_tick(d);
  const unsigned we = (unsigned)dut_get(d, "we_o");
  if (we == 0) return false;
  uint32_t words[4 * PORTS];
  dut_get_words(d, "word_o", words, 4 * PORTS);
  const unsigned at = (c->words + WORDS - 1) % WORDS;   // the last word comes first
  for (unsigned port = 0; port < PORTS; port++)
    for (unsigned i = 0; i < 4; i++) put_le32(c->got[port] + WORD * at + 4 * i, words[4 * port + i]);
  *mask = we;
  c->words = (c->words + 1) % WORDS;
  return c->words == 0;
}

static void compare(const struct record *r, const struct collector *c, unsigned mask) {
  assert_int_equal(mask, r->mask);
  for (unsigned port = 0; port < PORTS; port++) {
    if ((mask >> port & 1u) == 0) continue;
    if (port == r->port)
      check(r, c->got[port]);
    else
      assert_memory_equal(c->got[port], r->in[port], RECORD);
  }
}

static void every_header(void **state) {
  (void)state;
  static struct record r[2];   // the one that goes in, and the one before
  struct dut *d = dut_new();
  struct collector c = {0};
  unsigned out = 0, mask, seen[4] = {0};
  set_registers(d);
  dut_reset(d);
  dut_set(d, "epoch_i", EPOCH);
  for (unsigned n = 0; n < RECORDS; n++) {
    struct record *now = &r[n % 2];
    // Of the record before, the headers that were kept must have been read before they are written over.
    for (unsigned i = rand() % 3 ? 0 : (unsigned)rand() % 30; i > 0 || (n > out + 0u && n - out > 1); i -= i > 0) {
      if (tick(d, &c, &mask)) compare(&r[out++ % 2], &c, mask);
    }
    draw(now);
    seen[now->what]++;
    if (now->what == RESULT) {
      while (out < n)
        if (tick(d, &c, &mask)) compare(&r[out++ % 2], &c, mask);
      keep(d, now);
    }
    dut_set_words(d, "edit_i", now->edit, WORDS_OF(relay_edit_t, 1));
    dut_set(d, "edit_valid_i", 1);
    if (tick(d, &c, &mask)) compare(&r[out++ % 2], &c, mask);
    dut_set(d, "edit_valid_i", 0);
    for (unsigned w = 0; w < WORDS; w++) {
      const unsigned at = (w + WORDS - 1) % WORDS;
      uint32_t words[4 * PORTS];
      for (unsigned port = 0; port < PORTS; port++)
        for (unsigned i = 0; i < 4; i++) words[4 * port + i] = get_le32(now->in[port] + WORD * at + 4 * i);
      dut_set_words(d, "word_i", words, 4 * PORTS);
      dut_set(d, "we_i", now->mask);
      if (tick(d, &c, &mask)) compare(&r[out++ % 2], &c, mask);
    }
    dut_set(d, "we_i", 0);
  }
  for (unsigned i = 0; i < 40; i++)
    if (tick(d, &c, &mask)) compare(&r[out++ % 2], &c, mask);
  assert_int_equal(out, RECORDS);
  for (unsigned w = 0; w < 4; w++) assert_true(seen[w] > RECORDS / 8);
  dut_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_header)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
