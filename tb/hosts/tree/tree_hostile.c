#include "hosts/tree/tree_hostile.h"

#include <string.h>

#include "hosts/mangle.h"
#include "wire/bytes.h"
#include "wire/roce.h"

// Of a BTH: queue pair and PSN.
enum { QPN_AT = 5, PSN_AT = 9, PSN_MASK = 0xFFFFFF, FAR = 1000, FURTHEST = 1 << 22 };

static void move_psn(struct rng *rng, uint8_t *bth, bool ahead) {
  const uint32_t by = rng_from(rng, FAR, FURTHEST);
  put_be24(bth + PSN_AT, (get_be24(bth + PSN_AT) + (ahead ? by : (PSN_MASK + 1 - by))) & PSN_MASK);
}

/// Another source, of the same kind: the receiver has no such connection.
static void move_source(struct rng *rng, uint8_t *frame, const struct roce_packet *p) {
  uint8_t *ip = frame + p->ip;
  ip[p->key.v6 ? 8 + rng_below(rng, 16) : 12 + rng_below(rng, 4)] ^= (uint8_t)rng_from(rng, 1, 255);
  if (p->key.v6) return;
  put_be16(ip + 10, 0);
  put_be16(ip + 10, roce_ip_checksum(ip));
}

size_t tree_hostile_next(struct rng *rng, const uint8_t *frame, size_t len, uint8_t *out) {
  struct roce_packet p;
  memcpy(out, frame, len);
  roce_parse(out, len, &p);
  if (p.class == ROCE_OTHER) return mangle_ethernet(rng, out);   // the cable has damaged it
  uint8_t *bth = out + p.bth, *payload = bth + 12;
  const size_t bytes = p.ip_end - 4 - (p.bth + 12);
  switch (rng_below(rng, 10)) {
    case 0: mangle_icrc(rng, out, len); return len;
    case 1: mangle_bits(rng, out, len); return len;
    case 2: return mangle_cut(rng, len);
    case 3: return mangle_ethernet(rng, out);
    case 4: return mangle_strange(rng, out, len);
    case 5: put_be24(bth + QPN_AT, get_be24(bth + QPN_AT) ^ rng_from(rng, 1, 0xFFFFFF)); break;
    case 6: move_source(rng, out, &p); break;
    case 7:   // an old packet with other contents
      move_psn(rng, bth, false);
      rng_fill(rng, payload, bytes);
      break;
    case 8:   // one of the future, or an ACK of it
      move_psn(rng, bth, true);
      break;
    default:   // what no end of ours speaks
      bth[0] = mangle_control(rng);
      move_psn(rng, bth, rng_percent(rng, 50));
  }
  mangle_seal(out, len);
  return len;
}
