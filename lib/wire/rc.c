#include "wire/rc.h"

#include <string.h>

enum { IP_TTL = 64, PKEY_DEFAULT = 0xFFFF, SHORTEST_FRAME = 60 };

uint64_t rnr_timer_ps(unsigned code) {
  // Hundredths of a millisecond: InfiniBand 9.7.5.2.8.
  static const uint32_t hundredths[32] = {65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,   32,
                                          48,    64,   96,   128,  192,  256,   384,   512,   768,   1024, 1536,
                                          2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};
  return hundredths[code & 31] * UINT64_C(10000000);
}

uint8_t rc_opcode(enum rc_verb verb, bool first, bool last) {
  const bool write = verb == RC_WRITE || verb == RC_WRITE_IMM, imm = verb == RC_SEND_IMM || verb == RC_WRITE_IMM;
  if (first && last) return write ? (imm ? ROCE_WRITE_ONLY_IMM : ROCE_WRITE_ONLY) : (imm ? ROCE_SEND_ONLY_IMM : ROCE_SEND_ONLY);
  if (last) return write ? (imm ? ROCE_WRITE_LAST_IMM : ROCE_WRITE_LAST) : (imm ? ROCE_SEND_LAST_IMM : ROCE_SEND_LAST);
  if (first) return write ? ROCE_WRITE_FIRST : ROCE_SEND_FIRST;
  return write ? ROCE_WRITE_MIDDLE : ROCE_SEND_MIDDLE;
}

bool rc_is_last(uint8_t opcode) {
  switch (opcode) {
    case ROCE_SEND_FIRST:
    case ROCE_SEND_MIDDLE:
    case ROCE_WRITE_FIRST:
    case ROCE_WRITE_MIDDLE: return false;
    default: return true;
  }
}

// 1, 2, 3, then in turn 4/3 and 3/2 of the one before.
static const uint16_t credits[AETH_ACK] = {0,    1,    2,    3,    4,    6,     8,     12,    16,   24,   32,
                                           48,   64,   96,   128,  192,  256,   384,   512,   768,  1024, 1536,
                                           2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768};

uint32_t rc_credits(unsigned code) { return credits[code]; }

uint8_t rc_credit_code(uint64_t count) {
  uint8_t code = AETH_ACK - 1;
  while (credits[code] > count) code--;
  return code;
}

size_t rc_build(struct roce_build *b, const uint8_t local_mac[6], const uint8_t peer_mac[6], uint8_t *frame, size_t size) {
  memcpy(b->src_mac, local_mac, sizeof b->src_mac);
  memcpy(b->dst_mac, peer_mac, sizeof b->dst_mac);
  b->ttl = IP_TTL;
  b->pkey = PKEY_DEFAULT;
  b->migreq = true;
  const size_t len = roce_build(b, frame, size);
  if (len == 0 || len >= SHORTEST_FRAME) return len;
  if (size < SHORTEST_FRAME) return 0;
  memset(frame + len, 0, SHORTEST_FRAME - len);
  return SHORTEST_FRAME;
}
