/// Keys of flows as the RTL has them.
#ifndef WEIR_UNIT_FLOW_KEY_H
#define WEIR_UNIT_FLOW_KEY_H

#include <stdint.h>

#include "drive/bits.h"
#include "model/uplink/uplink_hash.h"
#include "structs/uplink_route_pkg.h"

enum { KEY_WORDS = (uplink_key_t__BITS + 31) / 32 };

/// The bits of an uplink_key_t, lowest word first.
static inline void flow_key_words(const struct uplink_key *key, uint32_t words[KEY_WORDS]) {
  for (unsigned w = 0; w < KEY_WORDS; w++) words[w] = 0;
  bits_put(words, uplink_key_t__src__AT, 64, key->src[1]);
  bits_put(words, uplink_key_t__src__AT + 64, 64, key->src[0]);
  bits_put(words, uplink_key_t__dst__AT, 64, key->dst[1]);
  bits_put(words, uplink_key_t__dst__AT + 64, 64, key->dst[0]);
  bits_put(words, FIELD(uplink_key_t, sport), key->sport);
  bits_put(words, FIELD(uplink_key_t, dport), key->dport);
  bits_put(words, FIELD(uplink_key_t, proto), key->proto);
  bits_put(words, FIELD(uplink_key_t, qpn), key->qpn);
}

#endif
