#include "unit/gradient.h"

#include <string.h>

#include "wire/bytes.h"

static uint8_t write_opcode(unsigned offset, unsigned msglen) {
  if (offset == 0) return msglen == 1 ? ROCE_WRITE_ONLY : ROCE_WRITE_FIRST;
  return offset + 1 == msglen ? ROCE_WRITE_LAST : ROCE_WRITE_MIDDLE;
}

struct gradient gradient_of(const struct ina_header *ina, unsigned offset) {
  struct gradient g = {.ina = *ina, .offset = offset, .len = 8};
  g.psn0 = 0x1000u * (ina->rank + 1u) + ina->msgid * ina->msglen;
  g.build = (struct roce_build){
      .src_mac = {2, 0, 0, 0, (uint8_t)ina->ring, ina->rank},
      .dst_mac = {2, 0, 0, 0, (uint8_t)ina->ring, 0xFF},
      .ip_id = (uint16_t)(ina->msgid * ina->msglen + offset),
      .udp_src = 49152,
      .udp_checksum = 0x1234,
      .ttl = 64,
      .opcode = write_opcode(offset, ina->msglen),
      .pkey = 0xFFFF,
      .reth = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, ina->rank},
      .key = {.src = {10, 0, (uint8_t)ina->ring, ina->rank}, .dst = {10, 0, (uint8_t)ina->ring, 0xFF}, .qpn = 0x100u + ina->rank},
  };
  float values[2] = {1.0f, (float)ina->rank + 1.0f};
  for (size_t i = 0; i < 2; i++) {
    uint32_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    put_le32(g.tensor + 4 * i, bits);
  }
  return g;
}

size_t gradient_frame(const struct gradient *g, uint8_t out[GRADIENT_ROOM]) {
  struct roce_build b = g->build;
  bool starts = b.opcode == ROCE_SEND_FIRST || b.opcode == ROCE_SEND_ONLY || b.opcode == ROCE_SEND_ONLY_IMM ||
                b.opcode == ROCE_SEND_ONLY_INV || b.opcode == ROCE_WRITE_FIRST || b.opcode == ROCE_WRITE_ONLY ||
                b.opcode == ROCE_WRITE_ONLY_IMM;
  b.ina = starts ? &g->ina : NULL;
  b.psn = (g->psn0 + g->offset) & 0xFFFFFF;
  b.payload = g->tensor;
  b.payload_len = g->len;
  return roce_build(&b, out, GRADIENT_ROOM);
}
