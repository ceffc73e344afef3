#include "sim/fabric/net/tap.h"

#include <string.h>

#include "wire/bytes.h"
#include "wire/rc.h"

enum { DSCP_BULK = 26, DSCP_URGENT = 48, ECN_CAPABLE = 2, ECN_MARKED = 3, PRIORITY_BULK = 3 };

uint32_t tap_address(uint32_t h) { return 10u << 24 | (h + 1); }

static void put_mac(uint8_t mac[6], uint32_t host) {
  mac[0] = 2;
  mac[1] = 0;
  put_be32(mac + 2, tap_address(host));
}

// 802.1Qbb: a time for each priority, of which one is named; 0 lets it go on.
static size_t pause_frame(const struct world_packet *p, uint8_t frame[TAP_FRAME]) {
  static const uint8_t head[] = {0x01, 0x80, 0xC2, 0,    0,    0x01, 0x02, 0, 0,
                                 0,    0,    0,    0x88, 0x08, 0x01, 0x01, 0, 1 << PRIORITY_BULK};
  memset(frame, 0, 60);
  memcpy(frame, head, sizeof head);
  if (p->kind == PACKET_PAUSE) put_be16(frame + sizeof head + 2 * PRIORITY_BULK, 0xFFFF);
  return 60;
}

static uint8_t opcode_of(const struct world_packet *p) {
  switch (p->kind) {
    case PACKET_ACK:
    case PACKET_NAK: return ROCE_ACK;
    case PACKET_CNP: return ROCE_CNP;
    case PACKET_CTS: return ROCE_SEND_ONLY;
    default: return rc_opcode(RC_WRITE_IMM, p->flags & PACKET_FIRST, p->flags & PACKET_LAST);
  }
}

// What is behind the headers that the opcode asks for; its bytes.
static size_t fill(const struct world_packet *p, uint8_t payload[TAP_FRAME]) {
  uint8_t number[8];
  put_be32(number, (uint32_t)(p->value >> 32));
  put_be32(number + 4, (uint32_t)p->value);
  if (p->kind == PACKET_ACK || p->kind == PACKET_NAK) {
    put_be32(payload, (p->kind == PACKET_NAK ? (uint32_t)AETH_NAK_SEQUENCE : (uint32_t)AETH_ACK) << 24);
    return AETH_BYTES;
  }
  const size_t len = p->kind == PACKET_CNP ? 16 : p->kind == PACKET_CTS ? 8 : p->payload;
  for (size_t i = 0; i < len; i++) payload[i] = p->kind == PACKET_CNP ? 0 : number[i % 8];
  return len;
}

void tap_headers(const struct world_packet *p, struct roce_build *b) {
  const bool answers = p->kind == PACKET_ACK || p->kind == PACKET_NAK || p->kind == PACKET_CNP;
  *b = (struct roce_build){.udp_src = (uint16_t)(0xC000 | (p->flow & 0x3FFF)),
                           .opcode = opcode_of(p),
                           .ack_request = p->flags & PACKET_ASKS,
                           .psn = p->kind == PACKET_ACK ? (p->psn - 1) & PSN_MASK : p->psn & PSN_MASK};
  put_mac(b->src_mac, p->src);
  put_mac(b->dst_mac, p->dst);
  put_be32(b->key.src, tap_address(p->src));
  put_be32(b->key.dst, tap_address(p->dst));
  // A queue pair has one number at both ends; it answers to the requester's.
  b->key.qpn = (answers ? 0x100 : TAP_QPN) + p->qp;
  b->ttl = 64;
  b->pkey = 0xFFFF;
  b->traffic_class = (uint8_t)((p->class == PACKET_URGENT ? DSCP_URGENT : DSCP_BULK) << 2 |
                               (p->flags & PACKET_MARKED ? ECN_MARKED : ECN_CAPABLE));
  put_be32(b->reth + 12, p->payload);
  put_be32(b->imm, p->tag);
}

size_t tap_frame(const struct world_packet *p, uint8_t frame[TAP_FRAME]) {
  uint8_t payload[TAP_FRAME];
  struct roce_build b;
  if (p->frame != NULL) memcpy(frame, p->frame->data, p->frame->len);
  if (p->frame != NULL) return p->frame->len;
  if (p->kind == PACKET_PAUSE || p->kind == PACKET_RESUME) return pause_frame(p, frame);
  tap_headers(p, &b);
  b.payload = payload;
  b.payload_len = fill(p, payload);
  return roce_build(&b, frame, TAP_FRAME);
}

void tap_put(const struct tap *t, uint64_t time_ps, const struct world_packet *packet) {
  uint8_t frame[TAP_FRAME];
  capture_writer_put(t->writer, t->interface, time_ps / 1000, frame, tap_frame(packet, frame));
}
