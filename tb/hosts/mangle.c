#include "hosts/mangle.h"

#include <string.h>

#include "wire/bytes.h"
#include "wire/roce.h"

/// Bytes of an 802.1Q tag.
enum { VLAN = 4 };

void mangle_seal(uint8_t *frame, size_t len) {
  struct roce_packet p;
  if (roce_locate(frame, len, &p)) icrc_put(frame, &p);
}

size_t mangle_ethernet(struct rng *rng, uint8_t *frame) {
  static const uint16_t types[] = {0x0806, 0x88CC, 0x8915, 0x8100, 0x88A8, 0x0800, 0x86DD};
  const unsigned len = rng_percent(rng, 40) ? rng_from(rng, 1, 59) : rng_from(rng, 60, MANGLE_ETHERNET);
  rng_fill(rng, frame, MANGLE_ETHERNET);
  put_be16(frame + 12, types[rng_below(rng, sizeof types / sizeof types[0])]);
  return len;
}

size_t mangle_strange(struct rng *rng, uint8_t *frame, size_t len) {
  struct roce_packet p;
  roce_parse(frame, len, &p);
  uint8_t *ip = frame + p.ip;
  const bool v6 = p.key.v6;
  switch (rng_below(rng, 9)) {
    case 0: ip[0] = (uint8_t)(ip[0] + 1); break;                        // IPv4 options; IPv6: only the traffic class
    case 1: ip[0] ^= 0x20; break;                                       // IP version
    case 2: ip[6] |= v6 ? 0x40 : 0x20; break;                           // more fragments; IPv6: another next header
    case 3: ip[v6 ? 6 : 9] = 6; break;                                  // TCP
    case 4: frame[p.udp + 2] ^= 1; break;                               // UDP port
    case 5: frame[p.udp + 5] ^= 4; break;                               // UDP length
    case 6: frame[p.bth + 1] |= (uint8_t)rng_from(rng, 1, 15); break;   // transport version
    case 7:
      if (!v6) ip[7] = 1;   // fragment offset
      break;
    default:
      memmove(frame + 12 + 2 * VLAN, frame + 12, len - 12);
      put_be16(frame + 12, rng_percent(rng, 50) ? 0x88A8 : 0x8100);
      put_be16(frame + 12 + VLAN, 0x8100);
      len += 2 * VLAN;
  }
  mangle_seal(frame, len);
  return len;
}

void mangle_bits(struct rng *rng, uint8_t *frame, size_t len) {
  for (unsigned n = rng_from(rng, 1, 3); n > 0; n--) {
    const unsigned bit = rng_below(rng, 8 * (unsigned)len);
    frame[bit / 8] ^= (uint8_t)(1u << bit % 8);
  }
}

void mangle_icrc(struct rng *rng, uint8_t *frame, size_t len) {
  frame[len - 1 - rng_below(rng, 4)] ^= (uint8_t)rng_from(rng, 1, 255);
}

size_t mangle_cut(struct rng *rng, size_t len) { return rng_from(rng, 1, (unsigned)len - 1); }

uint8_t mangle_control(struct rng *rng) {
  static const uint8_t opcodes[] = {ROCE_READ_REQUEST,
                                    ROCE_READ_RESPONSE_FIRST,
                                    ROCE_READ_RESPONSE_MIDDLE,
                                    ROCE_READ_RESPONSE_LAST,
                                    ROCE_READ_RESPONSE_ONLY,
                                    ROCE_ACK,
                                    ROCE_ATOMIC_ACK,
                                    ROCE_COMPARE_SWAP,
                                    ROCE_FETCH_ADD,
                                    ROCE_CNP,
                                    0x64,
                                    0xC4};
  return opcodes[rng_below(rng, sizeof opcodes)];
}
