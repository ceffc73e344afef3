#include "sim/fabric/device/gradient.h"

#include <string.h>

#include "hosts/link.h"
#include "wire/bytes.h"
#include "wire/rc.h"

enum { ELEMENT = 4, PIECES = 4 };

uint32_t gradient_packets(const struct workload *l, const struct nic_options *nic) {
  return (uint32_t)((l->options->message + nic->mtu - 1) / nic->mtu);
}

const char *gradient_refusal(const struct workload *l, const struct nic_options *nic) {
  if (l->options->bytes % 64 != 0 || l->options->message % 64 != 0) return "--size and --message must be multiples of 64";
  if (l->slices * gradient_packets(l, nic) > PSN_MASK) return "a vector has up to 16777215 packets";
  return NULL;
}

static uint64_t factor(uint32_t psn) { return 2 * (uint64_t)psn + 1; }

// Of an odd number, modulo 2^64: each step doubles the bits that are right.
static uint64_t inverse(uint64_t odd) {
  uint64_t x = odd;
  for (unsigned i = 0; i < 5; i++) x *= 2 - odd * x;
  return x;
}

static uint8_t rank_of(const struct workload *l, uint32_t host) { return (uint8_t)l->rank_of[host]; }

size_t gradient_frame(const struct workload *l, const struct nic_options *nic, const struct world_packet *p,
                      uint8_t frame[TAP_FRAME]) {
  const uint64_t slice = load_slice(l, p->tag), value = p->value * factor(p->psn);
  const struct ina_header ina = {.ring = GRADIENT_RING,
                                 .rank = rank_of(l, p->src),
                                 .kind = INA_INT32,
                                 .msgid = p->tag,
                                 .msglen = (uint16_t)((slice + nic->mtu - 1) / nic->mtu),
                                 .workers = (uint16_t)l->ranks};
  const bool first = p->flags & PACKET_FIRST;
  uint8_t tensor[TAP_FRAME];
  struct roce_build b;
  tap_headers(p, &b);
  b.payload = tensor;
  b.payload_len = p->payload - (first ? INA_BYTES : 0);
  b.ina = first ? &ina : NULL;
  for (size_t i = 0; i < b.payload_len / ELEMENT; i++) put_le32(tensor + ELEMENT * i, (value >> 16 * (i % PIECES)) & 0xFFFF);
  return roce_build(&b, frame, TAP_FRAME);
}

static bool host_of(const struct workload *l, const uint8_t address[4], uint32_t *host) {
  *host = get_be32(address) - tap_address(0);
  return *host < l->net->hosts && l->rank_of[*host] < l->ranks;
}

// The number that a tensor stands for.
static bool value_of(const uint8_t *tensor, size_t bytes, uint64_t *value) {
  if (bytes < PIECES * ELEMENT) return false;
  *value = 0;
  for (size_t i = 0; i < PIECES; i++) *value += (uint64_t)get_le32(tensor + ELEMENT * i) << 16 * i;
  for (size_t i = PIECES; i < bytes / ELEMENT; i++)
    if (memcmp(tensor + ELEMENT * i, tensor + ELEMENT * (i % PIECES), ELEMENT) != 0) return false;
  return true;
}

bool gradient_read(const struct workload *l, const struct nic_options *nic, const uint8_t *frame, size_t len,
                   struct world_packet *out) {
  struct roce_packet p;
  uint32_t src, dst;
  uint64_t value;
  roce_parse(frame, len, &p);
  if (p.class != ROCE_CANDIDATE || p.length_bad || !host_of(l, p.key.src, &src) || !host_of(l, p.key.dst, &dst) ||
      p.key.qpn < TAP_QPN || !value_of(frame + p.header, p.tensor, &value))
    return false;
  const uint32_t message = p.psn / gradient_packets(l, nic), qp = p.key.qpn - TAP_QPN;
  *out = (struct world_packet){.src = src,
                               .dst = dst,
                               .qp = qp,
                               .psn = p.psn,
                               .flow = nic_flow(nic, src, dst, qp),
                               .payload = (uint16_t)(p.tensor + (p.tagged ? INA_BYTES : 0)),
                               .wire = (uint16_t)(len + LINK_OVERHEAD),
                               .kind = PACKET_DATA,
                               .class = PACKET_BULK,
                               .tag = message,
                               .serial = message,
                               .parts = 1,
                               .value = value * inverse(factor(p.psn))};
  if (p.starts) out->flags |= PACKET_FIRST;
  if (rc_is_last(p.opcode)) out->flags |= PACKET_LAST;
  if (p.ack_request) out->flags |= PACKET_ASKS;
  return true;
}
