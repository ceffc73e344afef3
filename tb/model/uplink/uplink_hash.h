/// Which uplink a flow takes: the hash of a leaf's ECMP, over the five-tuple and, where asked for, the destination queue pair
/// (E-ECMP; Meta RoCE 4.1.1, 4.2.2). Pure functions: the C twin of rtl/fabric/uplink_hash.sv and uplink_choose.sv, and what simulated switches use.
///
/// A hash has two halves. The digest says which flow it is: linear, without a seed, the same in every switch, so a simulator computes it
/// once a flow. The mix makes a hash of it for one switch, by its seed. A linear hash (CRC) with a seed would not do: another seed only
/// exchanges the numbers of the ports, and flows that one layer sends together the next one sends together too (polarisation).
#ifndef WEIR_MODEL_UPLINK_HASH_H
#define WEIR_MODEL_UPLINK_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Uplinks of a device, at most.
#define UPLINK_MAX_PORTS 16

/// What names a flow, numbers in host order. IPv4 addresses are mapped into IPv6 ones (::ffff:a.b.c.d, RFC 4291). What a packet does not
/// have is 0: ports, if it is neither UDP nor TCP or is a fragment; the queue pair, if it is not RoCEv2.
struct uplink_key {
  uint64_t src[2], dst[2];   ///< addresses, high half first
  uint16_t sport, dport;
  uint8_t proto;   ///< IP's protocol, IPv6's next header
  uint32_t qpn;    ///< destination queue pair, 24 bits
};

/// The two halves of an IPv4 address.
static inline uint64_t uplink_mapped(uint32_t v4) { return UINT64_C(0xFFFF00000000) | v4; }

/// A step of Marsaglia's xorshift64: linear over GF(2), and its powers run through all 2^64 - 1 states, so that a step a word makes of
/// words what a CRC of 64 bits would, without a table.
static inline uint64_t uplink_step(uint64_t x) {
  x ^= x << 13;
  x ^= x >> 7;
  return x ^ x << 17;
}

/// Which flow it is, in 64 bits. Flows that differ in one word only always differ in it.
static inline uint64_t uplink_digest(const struct uplink_key *key, bool with_qp) {
  uint64_t last =
      (uint64_t)key->sport << 48 | (uint64_t)key->dport << 32 | (uint64_t)key->proto << 24 | (with_qp ? key->qpn & 0xFFFFFF : 0);
  uint64_t d = uplink_step(key->src[0]);
  d = uplink_step(d ^ key->src[1]);
  d = uplink_step(d ^ key->dst[0]);
  d = uplink_step(d ^ key->dst[1]);
  return uplink_step(d ^ last);
}

/// Rounds of the mix; a bit has reached all others after nine.
#define UPLINK_ROUNDS 16

/// A switch's hash of a flow: a Feistel network with the round function of SIMON (Beaulieu et al., 2013), keyed with the seed. It is not
/// linear, and a round is one LUT deep. Any two seeds do, small ones too. (No protection from who chooses his ports on purpose.)
static inline uint32_t uplink_mix(uint64_t digest, uint32_t seed) {
  uint32_t l = (uint32_t)(digest >> 32), r = (uint32_t)digest;
  for (unsigned i = 0; i < UPLINK_ROUNDS; i++) {
    unsigned turn = 5 * i % 32;
    uint32_t key = (turn == 0 ? seed : seed << turn | seed >> (32 - turn)) ^ UINT32_C(0x9E3779B9) * (i + 1);
    uint32_t next = r ^ ((l << 1 | l >> 31) & (l << 8 | l >> 24)) ^ (l << 2 | l >> 30) ^ key;
    r = l;
    l = next;
  }
  return l;
}

/// Both: the hash of a flow in the switch with this seed.
static inline uint32_t uplink_hash(const struct uplink_key *key, uint32_t seed, bool with_qp) {
  return uplink_mix(uplink_digest(key, with_qp), seed);
}

/// The port that a hash names, of `ports`, 1 to 16, of which bit p of `live` says that it can be used; -1: none can. The high half of the
/// hash names one of all ports; only where that is dead does the low half name one of those that live. So a link that goes down moves no
/// flow but its own, and those evenly.
static inline int uplink_choose(uint32_t hash, uint32_t live, unsigned ports) {
  live &= (UINT32_C(1) << ports) - 1;
  if (live == 0) return -1;
  unsigned first = (hash >> 16) * ports >> 16;
  if (live >> first & 1) return (int)first;
  unsigned nth = (hash & 0xFFFF) * (unsigned)__builtin_popcount(live) >> 16;
  while (nth-- > 0) live &= live - 1;
  return __builtin_ctz(live);
}

#endif
