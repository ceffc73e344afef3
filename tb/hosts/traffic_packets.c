#include "hosts/traffic_state.h"

#include <string.h>

#include "wire/bytes.h"

void traffic_style(struct rng *rng, struct roce_build *b) {
  memset(b, 0, sizeof *b);
  rng_fill(rng, b->src_mac, sizeof b->src_mac);
  rng_fill(rng, b->dst_mac, sizeof b->dst_mac);
  b->vlan = rng_percent(rng, 30);
  b->vlan_pcp = (uint8_t)rng_below(rng, 16);
  if (b->vlan && rng_percent(rng, 80)) b->key.vlan = (uint16_t)rng_below(rng, 4096);
  b->key.v6 = rng_percent(rng, 40);
  rng_fill(rng, b->key.src, b->key.v6 ? 16 : 4);
  rng_fill(rng, b->key.dst, b->key.v6 ? 16 : 4);
  b->key.qpn = rng_below(rng, 1u << 24);
  b->ip_id = (uint16_t)rng_next(rng);
  b->udp_src = (uint16_t)(0xC000 | rng_next(rng));
  b->udp_checksum = rng_percent(rng, 50) ? (uint16_t)rng_next(rng) : 0;
  b->traffic_class = (uint8_t)rng_next(rng);
  b->ttl = (uint8_t)rng_from(rng, 1, 255);
  b->migreq = rng_percent(rng, 50);
  b->pkey = (uint16_t)rng_next(rng);
  b->pad_fill = rng_percent(rng, 30) ? (uint8_t)rng_next(rng) : 0;
}

// --- tensors ---

static uint32_t any(struct rng *rng, const uint32_t *values, size_t count) { return values[rng_below(rng, (unsigned)count)]; }
#define ANY(rng, table) any(rng, table, sizeof(table) / sizeof(table)[0])

/// Zeros, ones, the edges of the range, subnormals, infinities, quiet and signalling NaN.
static uint32_t special(struct rng *rng, uint8_t type) {
  static const uint32_t fp32[] = {0,          0x80000000, 0x3F800000, 0xBF800000, 0x7F7FFFFF, 0xFF7FFFFF,
                                  0x00800000, 0x007FFFFF, 0x00000001, 0x80000001, 0x7F800000, 0xFF800000,
                                  0x7FC00000, 0x7F800001, 0xFFC12345, 0x33800000, 0x34000000, 0x4B800000};
  static const uint32_t fp16[] = {0,      0x8000, 0x3C00, 0xBC00, 0x7BFF, 0xFBFF, 0x0400, 0x03FF,
                                  0x0001, 0x8001, 0x7C00, 0xFC00, 0x7E00, 0x7C01, 0x1000, 0x6800};
  static const uint32_t bf16[] = {0,      0x8000, 0x3F80, 0xBF80, 0x7F7F, 0xFF7F, 0x0080, 0x007F,
                                  0x0001, 0x8001, 0x7F80, 0xFF80, 0x7FC0, 0x7F81, 0x3B80, 0x4380};
  static const uint32_t int32[] = {0, 1, 0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0x80000001};
  switch (type) {
    case INA_FP32: return ANY(rng, fp32);
    case INA_FP16: return ANY(rng, fp16);
    case INA_BF16: return ANY(rng, bf16);
    default: return ANY(rng, int32);
  }
}

/// Numbers of nearly one size, with few bits set: their sums are rounded, and often lie halfway.
static uint32_t near(struct rng *rng, uint8_t type) {
  uint32_t low = rng_percent(rng, 50) ? rng_below(rng, 4) : (uint32_t)rng_next(rng);
  uint32_t sign = rng_below(rng, 2), exponent = rng_below(rng, 3);
  switch (type) {
    case INA_FP32: return sign << 31 | (126 + exponent * 12) << 23 | (low & 0x7FFFFF);
    case INA_FP16: return sign << 15 | (14 + exponent * 5) << 10 | (low & 0x3FF);
    case INA_BF16: return sign << 15 | (126 + exponent * 4) << 7 | (low & 0x7F);
    default: return low;
  }
}

void traffic_values(struct rng *rng, uint8_t kind, uint8_t *out, size_t len) {
  const uint8_t type = kind & 15;
  const size_t size = ina_element_size(kind) == 2 ? 2 : 4;
  const unsigned specials = rng_percent(rng, 50) ? 0 : 25, plain = rng_percent(rng, 30) ? 0 : 80;
  size_t at = 0;
  for (; at + size <= len; at += size) {
    uint32_t value = (uint32_t)rng_next(rng);
    if (rng_percent(rng, plain)) value = near(rng, type);
    if (rng_percent(rng, specials)) value = special(rng, type);
    if (size == 4)
      put_le32(out + at, value);
    else
      put_le16(out + at, (uint16_t)value);
  }
  rng_fill(rng, out + at, len - at);
}

// --- packets ---

/// The last packet of a message may carry immediate data or, with SEND, an R_Key to invalidate.
static uint8_t opcode_of(struct rng *rng, bool send, bool first, bool last) {
  const unsigned kind = rng_below(rng, send ? 3 : 2);
  if (first && last) {
    if (!send) return kind == 0 ? ROCE_WRITE_ONLY : ROCE_WRITE_ONLY_IMM;
    return kind == 0 ? ROCE_SEND_ONLY : kind == 1 ? ROCE_SEND_ONLY_IMM : ROCE_SEND_ONLY_INV;
  }
  if (first) return send ? ROCE_SEND_FIRST : ROCE_WRITE_FIRST;
  if (!last) return send ? ROCE_SEND_MIDDLE : ROCE_WRITE_MIDDLE;
  if (!send) return kind == 0 ? ROCE_WRITE_LAST : ROCE_WRITE_LAST_IMM;
  return kind == 0 ? ROCE_SEND_LAST : kind == 1 ? ROCE_SEND_LAST_IMM : ROCE_SEND_LAST_INV;
}

uint32_t traffic_psn(const struct traffic *t, const struct traffic_sender *s, unsigned index) {
  return (s->psn0 + index - s->overlap * t->plans[s->ring].message_of[index]) & 0xFFFFFF;
}

void traffic_packet_of(const struct traffic *t, const struct traffic_sender *s, unsigned index, struct traffic_packet *out) {
  const struct traffic_ring *ring = &t->plans[s->ring];
  const unsigned message = ring->message_of[index];
  const bool first = index == ring->starts[message], last = index + 1 == ring->starts[message + 1];
  struct rng rng = rng_for(s->seed, index);   // a retransmission is the same packet
  struct roce_build *b = &out->build;
  *b = s->style;
  b->opcode = opcode_of(&rng, s->send, first, last);
  b->psn = traffic_psn(t, s, index);
  b->ip_id = (uint16_t)(b->ip_id + index);
  b->solicited = last;
  b->ack_request = last || rng_percent(&rng, 20);
  rng_fill(&rng, b->reth, sizeof b->reth);
  rng_fill(&rng, b->imm, sizeof b->imm);
  uint8_t kind = ring->kinds[message];
  if (message == s->odd_message) kind = (uint8_t)((kind & 0xF0) | ((kind + 1) & 3));
  out->ina = (struct ina_header){.ring = ring->is->id,
                                 .rank = (uint8_t)s->rank,
                                 .kind = kind,
                                 .msgid = ring->msgid0 + message,
                                 .msglen = (uint16_t)(ring->starts[message + 1] - ring->starts[message]),
                                 .workers = (uint16_t)ring->is->workers};
  b->ina = first ? &out->ina : NULL;
  b->payload = out->payload;
  b->payload_len = ring->lengths[index];
  traffic_values(&rng, kind, out->payload, b->payload_len);
}
