// Parser, ICRC and builder of RoCEv2 frames: against frames of real hosts, against each other, and against bad bytes.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/lib/real_frames.h"
#include "wire/bytes.h"
#include "wire/roce.h"

enum { ROOM = 2048 };

struct frame {
  uint8_t data[ROOM];
  size_t len;
};

static struct frame of_hex(const char *text) {
  struct frame f = {.len = strlen(text) / 2};
  assert_true(f.len <= ROOM);
  for (size_t i = 0; i < f.len; i++) {
    unsigned byte;
    assert_int_equal(sscanf(text + 2 * i, "%2x", &byte), 1);
    f.data[i] = (uint8_t)byte;
  }
  return f;
}

/// Parses a copy that has not one byte more than the frame, so that a look behind its end does not stay hidden.
static struct roce_packet parse(const uint8_t *data, size_t len) {
  uint8_t *copy = malloc(len);
  assert_true(copy != NULL || len == 0);
  if (len != 0) memcpy(copy, data, len);
  struct roce_packet p;
  memset(&p, 0xA5, sizeof p);
  roce_parse(copy, len, &p);
  free(copy);
  return p;
}

static enum roce_class class_of(const struct frame *f) { return parse(f->data, f->len).class; }

/// Puts a good ICRC at the end of the IP length.
static void seal(struct frame *f) {
  struct roce_packet at;
  assert_true(roce_locate(f->data, f->len, &at));
  icrc_put(f->data, &at);
}

static struct frame with_vlan(const struct frame *f) {
  struct frame v = {.len = f->len + 4};
  memcpy(v.data, f->data, 12);
  memcpy(v.data + 12, "\x81\x00\x6F\xFF", 4);
  memcpy(v.data + 16, f->data + 12, f->len - 12);
  return v;
}

// --- frames of real hosts ---

static void real_data_packet(void **state) {
  (void)state;
  struct frame f = of_hex(real_write_first);
  struct roce_packet p = parse(f.data, f.len);
  assert_int_equal(p.class, ROCE_CANDIDATE);
  assert_false(p.vlan);
  assert_int_equal(p.ip, 14);
  assert_int_equal(p.udp, 34);
  assert_int_equal(p.bth, 42);
  assert_int_equal(p.ip_end, f.len);
  assert_int_equal(p.opcode, ROCE_WRITE_FIRST);
  assert_false(p.key.v6);
  assert_int_equal(get_be24(p.key.src), 0x0A0000);
  assert_int_equal(p.key.qpn, 18);
  assert_int_equal(p.psn, 17203);
  assert_true(p.starts && p.tagged && !p.length_bad);
  assert_int_equal(p.ina.ring, 1);
  assert_int_equal(p.ina.rank, 3);
  assert_int_equal(p.ina.kind, INA_FP32);
  assert_int_equal(p.ina.msgid, 0);
  assert_int_equal(p.ina.msglen, 32);
  assert_int_equal(p.ina.workers, 4);
  assert_int_equal(p.header, 42 + 12 + 16 + 16);
  assert_int_equal(p.tensor, 1024 - 16);
  assert_int_equal(p.pad, 0);
}

static void real_acks(void **state) {
  (void)state;
  struct frame v4 = of_hex(real_ack), v6 = of_hex(real_ack_v6);
  struct roce_packet p = parse(v4.data, v4.len);
  assert_int_equal(p.class, ROCE_CONTROL);
  assert_int_equal(p.opcode, ROCE_ACK);
  assert_int_equal(p.psn, 4127);
  const struct conn_key key4 = {.src = {10, 0, 0, 2}, .dst = {10, 0, 0, 1}, .qpn = 17};
  assert_true(conn_key_equal(&p.key, &key4));
  p = parse(v6.data, v6.len);
  assert_int_equal(p.class, ROCE_CONTROL);
  struct conn_key key6 = {.v6 = true,
                          .src = {0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0x50, 0x54, 0, 0xFF, 0xFE, 0, 0, 3},
                          .dst = {0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0x50, 0x54, 0, 0xFF, 0xFE, 0, 0, 2},
                          .qpn = 17};
  assert_true(conn_key_equal(&p.key, &key6));
}

/// What was parsed, built again, is the frame to its last byte.
static void real_frames_can_be_built(void **state) {
  (void)state;
  const char *const texts[] = {real_write_first, real_ack, real_ack_v6};
  for (size_t i = 0; i < 3; i++) {
    struct frame f = of_hex(texts[i]), again;
    struct roce_packet p = parse(f.data, f.len);
    const uint8_t *ip = f.data + p.ip, *bth = f.data + p.bth;
    size_t payload = p.class == ROCE_CANDIDATE ? p.header : p.bth + 12;
    struct roce_build b = {.key = p.key,
                           .ip_id = p.key.v6 ? 0 : get_be16(ip + 4),
                           .udp_src = get_be16(f.data + p.udp),
                           .traffic_class = (uint8_t)(p.key.v6 ? get_be16(ip) >> 4 : ip[1]),
                           .ttl = ip[p.key.v6 ? 7 : 8],
                           .opcode = p.opcode,
                           .pkey = get_be16(bth + 2),
                           .psn = p.psn,
                           .ack_request = p.ack_request,
                           .migreq = (bth[1] & 0x40) != 0,
                           .solicited = (bth[1] & 0x80) != 0,
                           .ina = p.tagged ? &p.ina : NULL,
                           .payload = f.data + payload,
                           .payload_len = f.len - 4 - payload};
    memcpy(b.dst_mac, f.data, 6);
    memcpy(b.src_mac, f.data + 6, 6);
    memcpy(b.reth, bth + 12, 16);
    again.len = roce_build(&b, again.data, sizeof again.data);
    assert_int_equal(again.len, f.len);
    assert_memory_equal(again.data, f.data, f.len);
  }
}

// --- ICRC ---

/// False for bits that a router may change, and for what lies outside of the IP packet (IBA annex A17).
static bool covered(const struct roce_packet *at, size_t byte, unsigned bit) {
  if (byte < at->ip || byte >= at->ip_end) return false;
  size_t ip = byte - at->ip;
  if (at->key.v6 && (ip == 1 || ip == 2 || ip == 3 || ip == 7 || (ip == 0 && bit < 4))) return false;
  if (!at->key.v6 && (ip == 1 || ip == 8 || ip == 10 || ip == 11)) return false;
  if (byte == at->udp + 6 || byte == at->udp + 7) return false;
  return byte != at->bth + 4;
}

static void flip_every_bit(struct frame f) {
  struct roce_packet right = parse(f.data, f.len), at;
  assert_int_not_equal(right.class, ROCE_OTHER);
  assert_int_not_equal(right.class, ROCE_BAD_ICRC);
  for (size_t byte = 0; byte < f.len; byte++)
    for (unsigned bit = 0; bit < 8; bit++) {
      f.data[byte] ^= (uint8_t)(1u << bit);
      bool good = get_le32(f.data + right.ip_end - 4) == icrc_compute(f.data, &right);
      if (good == covered(&right, byte, bit)) fail_msg("bit %u of byte %zu: the ICRC is %s", bit, byte, good ? "good" : "bad");
      // What is no RoCEv2 any more passes, whatever its last bytes.
      enum roce_class want = !roce_locate(f.data, f.len, &at) ? ROCE_OTHER : good ? right.class : ROCE_BAD_ICRC;
      if (class_of(&f) != want) fail_msg("bit %u of byte %zu: class %d, expected %d", bit, byte, (int)class_of(&f), (int)want);
      f.data[byte] ^= (uint8_t)(1u << bit);
    }
}

static void icrc_covers_what_it_should(void **state) {
  (void)state;
  struct frame data = of_hex(real_write_first), ack = of_hex(real_ack), ack_v6 = of_hex(real_ack_v6);
  struct frame tagged = with_vlan(&ack), tagged_v6 = with_vlan(&ack_v6), trailing = ack;
  trailing.len += 7;
  flip_every_bit(data);
  flip_every_bit(ack);
  flip_every_bit(ack_v6);
  flip_every_bit(tagged);
  flip_every_bit(tagged_v6);
  flip_every_bit(trailing);
}

static void length_is_a_multiple_of_four(void **state) {
  (void)state;
  for (unsigned more = 1; more <= 8; more++) {
    struct frame f = of_hex(real_ack);
    f.len += more;
    put_be16(f.data + 16, (uint16_t)(get_be16(f.data + 16) + more));
    put_be16(f.data + 38, (uint16_t)(get_be16(f.data + 38) + more));
    seal(&f);
    assert_int_equal(class_of(&f), more % 4 == 0 ? ROCE_CONTROL : ROCE_BAD_ICRC);
  }
}

// --- what is RoCEv2 ---

static void other_frames_pass(void **state) {
  (void)state;
  const struct {
    bool v6;
    size_t byte;
    uint8_t value;
  } changes[] = {
      {false, 12, 0x81},   // EtherType 0x8100: a tag, and then no IP
      {false, 13, 0x06},   // ARP
      {false, 14, 0x55},   // version 5
      {false, 14, 0x46},   // options
      {false, 20, 0x20},   // more fragments
      {false, 20, 0x1F},   // a fragment's offset
      {false, 21, 0x01},
      {false, 23, 6},                 // TCP
      {false, 37, 0xB6},              // another port
      {false, 17, 20 + 8 + 12 + 3},   // no room for an ICRC
      {false, 17, 19},                // shorter than its own header
      {false, 17, 49},                // longer than the frame
      {false, 16, 0xFF},
      {true, 12, 0x08},
      {true, 14, 0x46},
      {true, 20, 6},
      {true, 20, 44},   // a fragment header
      {true, 57, 0xB6},
      {true, 19, 8 + 12 + 3},
      {true, 19, 29},
      {true, 19, 0},
  };
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
    struct frame f = of_hex(changes[i].v6 ? real_ack_v6 : real_ack), plain = f;
    f.data[changes[i].byte] = changes[i].value;
    if (class_of(&f) != ROCE_OTHER) fail_msg("change %zu: not taken for another frame", i);
    struct frame tagged = with_vlan(&f);
    if (class_of(&tagged) != ROCE_OTHER) fail_msg("change %zu behind a VLAN tag: not taken for another frame", i);
    tagged = with_vlan(&plain);
    assert_int_equal(class_of(&tagged), ROCE_CONTROL);
    tagged = with_vlan(&tagged);
    assert_int_equal(class_of(&tagged), ROCE_OTHER);
  }
  // "Don't fragment" and the reserved bit are no fragment.
  struct frame f = of_hex(real_ack);
  f.data[20] = 0xC0;
  seal(&f);
  assert_int_equal(class_of(&f), ROCE_CONTROL);
  // The smallest RoCEv2 packet: BTH and ICRC.
  put_be16(f.data + 16, 20 + 8 + 12 + 4);
  put_be16(f.data + 38, 8 + 12 + 4);
  seal(&f);
  assert_int_equal(class_of(&f), ROCE_CONTROL);
}

static void strange_but_whole_frames_pass(void **state) {
  (void)state;
  struct frame f = of_hex(real_write_first);
  put_be16(f.data + 38, (uint16_t)(get_be16(f.data + 38) - 4));   // UDP length
  assert_int_equal(class_of(&f), ROCE_BAD_ICRC);
  seal(&f);
  assert_int_equal(class_of(&f), ROCE_OTHER);
  for (unsigned version = 1; version < 16; version++) {
    f = of_hex(real_write_first);
    f.data[43] |= (uint8_t)version;
    seal(&f);
    assert_int_equal(class_of(&f), ROCE_OTHER);
  }
}

static void cut_anywhere(void **state) {
  (void)state;
  struct frame frames[5] = {of_hex(real_write_first), of_hex(real_ack), of_hex(real_ack_v6)};
  frames[3] = with_vlan(&frames[0]);
  frames[4] = with_vlan(&frames[2]);
  for (size_t i = 0; i < 5; i++) {
    enum roce_class whole = class_of(&frames[i]);
    for (size_t len = 0; len < frames[i].len; len++) assert_int_equal(parse(frames[i].data, len).class, ROCE_OTHER);
    // Bytes behind the IP length belong to nothing.
    for (size_t more = 0; more < 70; more++) {
      struct roce_packet p = parse(frames[i].data, frames[i].len + more);
      assert_int_equal(p.class, whole);
      assert_int_equal(p.ip_end, frames[i].len);
    }
  }
}

/// Nothing that a network can bring may lead the parser astray; ASan and UBSan watch.
static void noise_does_no_harm(void **state) {
  (void)state;
  srand(1);
  const char *const texts[] = {real_write_first, real_ack, real_ack_v6};
  for (int i = 0; i < 30000; i++) {
    struct frame f = of_hex(texts[i % 4 == 0 ? 0 : 1 + i % 2]), v = with_vlan(&f);
    if (rand() % 3 == 0) f = v;
    for (int n = rand() % 4; n >= 0; n--) f.data[(size_t)rand() % (f.len < 70 ? f.len : 70)] = (uint8_t)rand();
    if (rand() % 2) f.len = (size_t)rand() % (f.len + 1);
    struct roce_packet at;
    if (rand() % 2 && roce_locate(f.data, f.len, &at)) icrc_put(f.data, &at);
    struct roce_packet p = parse(f.data, f.len);
    if (p.class != ROCE_CANDIDATE) continue;
    assert_true(p.ip_end <= f.len);
    if (!p.length_bad) assert_int_equal(p.header + p.tensor + p.pad + 4, p.ip_end);
    assert_true(p.length_bad || p.header <= ROCE_MAX_HEADER);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(real_data_packet),
      cmocka_unit_test(real_acks),
      cmocka_unit_test(real_frames_can_be_built),
      cmocka_unit_test(icrc_covers_what_it_should),
      cmocka_unit_test(length_is_a_multiple_of_four),
      cmocka_unit_test(other_frames_pass),
      cmocka_unit_test(strange_but_whole_frames_pass),
      cmocka_unit_test(cut_anywhere),
      cmocka_unit_test(noise_does_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
