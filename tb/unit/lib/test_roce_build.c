// The builder and the parser of RoCEv2 frames are inverse to each other, for all opcodes, lengths and pads.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wire/bytes.h"
#include "wire/roce.h"

enum { ROOM = 70000 };

/// RC data packets, as the InfiniBand specification lists them (9.2): extension headers and place in the message.
struct data_opcode {
  uint8_t opcode;
  size_t reth, imm;
  bool starts;
};

static const struct data_opcode data_opcodes[] = {
    {0x00, 0, 0, true},    // SEND first
    {0x01, 0, 0, false},   // middle
    {0x02, 0, 0, false},   // last
    {0x03, 0, 4, false},   // last with immediate
    {0x04, 0, 0, true},    // only
    {0x05, 0, 4, true},    // only with immediate
    {0x06, 16, 0, true},   // WRITE first
    {0x07, 0, 0, false},   // middle
    {0x08, 0, 0, false},   // last
    {0x09, 0, 4, false},   // last with immediate
    {0x0A, 16, 0, true},   // only
    {0x0B, 16, 4, true},   // only with immediate
    {0x16, 0, 4, false},   // SEND last with invalidate
    {0x17, 0, 4, true},    // only with invalidate
};

enum { DATA_OPCODES = sizeof data_opcodes / sizeof data_opcodes[0] };

static const struct ina_header some_ina = {0x1234, 5, 0x12, 0x6789ABCD, 0xEF01, 0x2345};

static struct roce_build some_build(uint8_t opcode) {
  struct roce_build b = {.src_mac = {2, 0, 0, 0, 0, 1},
                         .dst_mac = {2, 0, 0, 0, 0, 2},
                         .vlan_pcp = 0x8,
                         .ip_id = 0xABCD,
                         .udp_src = 0xC001,
                         .udp_checksum = 0x5566,
                         .traffic_class = 0xA9,
                         .ttl = 0x3F,
                         .opcode = opcode,
                         .solicited = true,
                         .ack_request = true,
                         .pkey = 0x8001,
                         .psn = 0xFEDCBA,
                         .pad_fill = 0x77};
  for (uint8_t i = 0; i < 16; i++) {
    b.key.src[i] = i < 4 ? 10 + i : 0;
    b.key.dst[i] = i < 4 ? 20 + i : 0;
    b.reth[i] = 0xB0 + i;
  }
  memcpy(b.imm, "imm.", 4);
  b.key.qpn = 0x123456;
  return b;
}

/// Parses what was built and compares everything that the parser tells.
static void round_trip(const struct roce_build *b, const struct data_opcode *op) {
  static uint8_t frame[ROOM];
  size_t len = roce_build(b, frame, sizeof frame);
  assert_int_not_equal(len, 0);
  struct roce_packet p;
  roce_parse(frame, len, &p);
  size_t ip = 14 + (b->vlan ? 4u : 0u), udp = ip + (b->key.v6 ? 40u : 20u), pad = (4 - b->payload_len % 4) % 4;
  assert_int_equal(p.class, ROCE_CANDIDATE);
  assert_int_equal(p.vlan, b->vlan);
  assert_int_equal(p.ip, ip);
  assert_int_equal(p.udp, udp);
  assert_int_equal(p.bth, udp + 8);
  assert_int_equal(p.ip_end, len);
  assert_int_equal(p.opcode, b->opcode);
  assert_true(conn_key_equal(&p.key, &b->key));
  assert_int_equal(p.psn, b->psn);
  assert_int_equal(p.ack_request, b->ack_request);
  assert_int_equal(p.pad, pad);
  assert_int_equal(p.starts, op->starts);
  assert_false(p.length_bad);
  bool tagged = op->starts && b->ina != NULL;
  assert_int_equal(p.tagged, tagged);
  size_t ext = udp + 8 + 12, ina = ext + op->reth + op->imm;
  assert_int_equal(p.header, ina + (tagged ? 16u : 0u));
  assert_int_equal(p.header + p.tensor + pad + 4, len);
  assert_int_equal(p.tensor, b->payload_len + (b->ina != NULL && !tagged ? 16u : 0u));
  if (tagged) {
    uint8_t header[INA_BYTES];
    ina_put(header, &p.ina);
    assert_memory_equal(header, frame + ina, INA_BYTES);
    ina_put(header, b->ina);
    assert_memory_equal(header, frame + ina, INA_BYTES);
  }
  if (op->reth != 0) assert_memory_equal(frame + ext, b->reth, 16);
  if (op->imm != 0) assert_memory_equal(frame + ext + op->reth, b->imm, 4);
  if (b->payload_len != 0) assert_memory_equal(frame + len - 4 - pad - b->payload_len, b->payload, b->payload_len);
  for (size_t i = 0; i < pad; i++) assert_int_equal(frame[len - 4 - pad + i], b->pad_fill);
}

static void all_shapes_come_back(void **state) {
  (void)state;
  uint8_t payload[100];
  for (size_t i = 0; i < sizeof payload; i++) payload[i] = (uint8_t)(3 * i + 1);
  for (size_t o = 0; o < DATA_OPCODES; o++)
    for (unsigned shape = 0; shape < 8; shape++)
      for (size_t len = 0; len <= sizeof payload; len++) {
        struct roce_build b = some_build(data_opcodes[o].opcode);
        b.vlan = (shape & 1) != 0;
        if (b.vlan && len % 2) b.key.vlan = 0x9A5;
        b.key.v6 = (shape & 2) != 0;
        b.ina = (shape & 4) != 0 ? &some_ina : NULL;
        b.payload = payload;
        b.payload_len = len;
        if (b.key.v6) memset(b.key.dst + 4, 0xD5, 12);
        round_trip(&b, &data_opcodes[o]);
      }
}

static void opcodes_are_sorted(void **state) {
  (void)state;
  uint8_t frame[256];
  for (unsigned opcode = 0; opcode < 256; opcode++) {
    struct roce_build b = some_build((uint8_t)opcode);
    struct roce_packet p;
    roce_parse(frame, roce_build(&b, frame, sizeof frame), &p);
    bool data = false;
    for (size_t o = 0; o < DATA_OPCODES; o++) data = data || data_opcodes[o].opcode == opcode;
    assert_int_equal(p.class, data ? ROCE_CANDIDATE : ROCE_CONTROL);
  }
}

static void headers_stand_where_they_should(void **state) {
  (void)state;
  uint8_t frame[128];
  struct roce_build b = some_build(ROCE_SEND_ONLY);
  b.key.vlan = 0x123;
  assert_int_equal(roce_build(&b, frame, sizeof frame), 18 + 20 + 8 + 12 + 4);
  const uint8_t want[] = {2,    0,    0,    0,    0,    2,  2,    0,    0,    0,    0,    1,    0x81, 0x00, 0x81,
                          0x23, 0x08, 0x00, 0x45, 0xA9, 0,  44,   0xAB, 0xCD, 0x40, 0,    0x3F, 17,   0,    0,
                          10,   11,   12,   13,   20,   21, 22,   23,   0xC0, 0x01, 0x12, 0xB7, 0,    24,   0x55,
                          0x66, 0x04, 0x80, 0x80, 0x01, 0,  0x12, 0x34, 0x56, 0x80, 0xFE, 0xDC, 0xBA};
  uint32_t sum = 0;   // a header with its checksum sums to ones
  for (size_t i = 18; i < 38; i += 2) sum += get_be16(frame + i);
  assert_int_equal((sum & 0xFFFF) + (sum >> 16), 0xFFFF);
  frame[28] = frame[29] = 0;
  assert_memory_equal(frame, want, sizeof want);
  b.solicited = b.ack_request = false;
  b.migreq = true;
  assert_int_not_equal(roce_build(&b, frame, sizeof frame), 0);
  assert_int_equal(frame[47], 0x40);
  assert_int_equal(frame[54], 0);
}

static void size_is_respected(void **state) {
  (void)state;
  struct roce_build b = some_build(ROCE_WRITE_ONLY_IMM);
  b.key.v6 = b.vlan = true;
  b.ina = &some_ina;
  uint8_t *frame = malloc(ROOM);
  assert_non_null(frame);
  size_t len = roce_build(&b, frame, ROOM);
  assert_int_equal(len, ROCE_MAX_HEADER + 4);
  for (size_t size = 0; size < len; size++) {
    uint8_t *exact = malloc(size);   // ASan sees a byte too far
    assert_int_equal(roce_build(&b, exact, size), 0);
    free(exact);
  }
  assert_int_equal(roce_build(&b, frame, len), len);
  // The IP length has 16 bits.
  uint8_t *payload = calloc(1, ROOM);
  assert_non_null(payload);
  b = some_build(ROCE_SEND_ONLY);
  b.payload = payload;
  b.payload_len = 65532 - 20 - 8 - 12 - 4;
  assert_int_equal(roce_build(&b, frame, ROOM), 14 + 65532);
  round_trip(&b, &data_opcodes[4]);
  b.payload_len++;
  assert_int_equal(roce_build(&b, frame, ROOM), 0);
  free(payload);
  free(frame);
}

/// Parses a packet of `opcode` with `bytes` behind the BTH and a pad count of `pad`.
static struct roce_packet with_bytes(uint8_t opcode, const uint8_t *bytes, size_t count, unsigned pad) {
  uint8_t frame[256];
  struct roce_build b = some_build(ROCE_SEND_MIDDLE);
  b.payload = bytes;
  b.payload_len = count;
  size_t len = roce_build(&b, frame, sizeof frame);
  struct roce_packet p;
  assert_true(roce_locate(frame, len, &p));
  frame[p.bth] = opcode;
  frame[p.bth + 1] = (uint8_t)(frame[p.bth + 1] | pad << 4);
  icrc_put(frame, &p);
  roce_parse(frame, len, &p);
  assert_int_equal(p.class, ROCE_CANDIDATE);
  return p;
}

static void short_packets_have_a_bad_length(void **state) {
  (void)state;
  const uint8_t bytes[64] = {0};
  for (size_t o = 0; o < DATA_OPCODES; o++)
    for (size_t count = 0; count <= 32; count += 4)
      for (unsigned pad = 0; pad < 4; pad++) {
        const struct data_opcode *op = &data_opcodes[o];
        struct roce_packet p = with_bytes(op->opcode, bytes, count, pad);
        bool bad = count < op->reth + op->imm + pad;
        assert_int_equal(p.length_bad, bad);
        assert_int_equal(p.starts, op->starts);
        assert_int_equal(p.tensor, bad ? 0 : count - op->reth - op->imm - pad);
        assert_false(p.tagged);
      }
}

static void tag_needs_a_whole_header(void **state) {
  (void)state;
  uint8_t bytes[24];
  ina_put(bytes, &some_ina);
  memset(bytes + INA_BYTES, 0, 8);
  for (size_t o = 0; o < DATA_OPCODES; o++) {
    if (data_opcodes[o].reth + data_opcodes[o].imm != 0) continue;
    uint8_t opcode = data_opcodes[o].opcode;
    bool starts = data_opcodes[o].starts;
    struct roce_packet p = with_bytes(opcode, bytes, 16, 0);
    assert_int_equal(p.tagged, starts);
    assert_int_equal(p.tensor, starts ? 0 : 16);
    assert_false(with_bytes(opcode, bytes, 12, 0).tagged);
    assert_false(with_bytes(opcode, bytes, 16, 1).tagged);   // pad is no payload
    p = with_bytes(opcode, bytes, 20, 3);
    assert_int_equal(p.tagged, starts);
    assert_int_equal(p.tensor, starts ? 1 : 17);
    for (unsigned bit = 0; bit < 32; bit++) {
      bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
      assert_false(with_bytes(opcode, bytes, 24, 0).tagged);
      bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
  }
}

static void kinds_have_sizes(void **state) {
  (void)state;
  for (unsigned kind = 0; kind < 256; kind++) {
    size_t size = (kind & 15) == INA_FP32 || (kind & 15) == INA_INT32 ? 4 : (kind & 15) < 4 ? 2 : 0;
    assert_int_equal(ina_element_size((uint8_t)kind), kind >> 4 <= 2 ? size : 0);
  }
}

static void keys_differ_in_every_field(void **state) {
  (void)state;
  const struct conn_key key = some_build(0).key;
  struct conn_key other = key;
  assert_true(conn_key_equal(&key, &other));
  other.v6 = true;
  assert_false(conn_key_equal(&key, &other));
  other = key;
  other.vlan = 1;
  assert_false(conn_key_equal(&key, &other));
  other = key;
  other.qpn ^= 0x800000;
  assert_false(conn_key_equal(&key, &other));
  for (size_t i = 0; i < 16; i++) {
    other = key;
    other.src[i] ^= 1;
    assert_false(conn_key_equal(&key, &other));
    other = key;
    other.dst[i] ^= 1;
    assert_false(conn_key_equal(&key, &other));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_shapes_come_back),
      cmocka_unit_test(opcodes_are_sorted),
      cmocka_unit_test(headers_stand_where_they_should),
      cmocka_unit_test(size_is_respected),
      cmocka_unit_test(short_packets_have_a_bad_length),
      cmocka_unit_test(tag_needs_a_whole_header),
      cmocka_unit_test(kinds_have_sizes),
      cmocka_unit_test(keys_differ_in_every_field),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
