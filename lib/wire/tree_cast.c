#include "wire/tree_cast.h"

#include <string.h>

#include "wire/bytes.h"
#include "wire/rc.h"

enum { BTH = 12, DETH = 8, ICRC = 4, MOST = 4096 };

void tree_cast_address(uint16_t tree, bool v6, uint8_t ip[16], uint8_t mac[6]) {
  const uint8_t four[4] = {239, 87, (uint8_t)(tree >> 8), (uint8_t)tree};
  memset(ip, 0, 16);
  if (v6) {
    const uint8_t last[4] = {0x57, 0x65, (uint8_t)(tree >> 8), (uint8_t)tree};
    ip[0] = 0xFF;
    ip[1] = 0x15;
    memcpy(ip + 12, last, sizeof last);
    mac[0] = mac[1] = 0x33;
    memcpy(mac + 2, last, sizeof last);
    return;
  }
  const uint8_t head[3] = {0x01, 0x00, 0x5E};
  memcpy(ip, four, sizeof four);
  memcpy(mac, head, sizeof head);
  memcpy(mac + 3, four + 1, 3);   // of 239.87 the lowest 23 bits are all of it
}

size_t tree_cast_build(const struct tree_cast *from, const uint8_t *message, size_t len, uint8_t *frame, size_t size) {
  // The DETH goes first into what is built for payload.
  uint8_t payload[DETH + MOST], mac[6];
  if (len > MOST) return 0;
  put_be32(payload, TREE_CAST_QKEY);
  put_be32(payload + 4, from->qpn);
  memcpy(payload + DETH, message, len);
  struct roce_build b = {.key = {.v6 = from->v6, .vlan = from->vlan, .qpn = TREE_CAST_QPN},
                         .udp_src = from->udp_source,
                         .opcode = ROCE_UD_SEND_ONLY,
                         .psn = from->psn & PSN_MASK,
                         .payload = payload,
                         .payload_len = DETH + len};
  memcpy(b.key.src, from->ip, sizeof b.key.src);
  tree_cast_address(from->tree, from->v6, b.key.dst, mac);
  return rc_build(&b, from->mac, mac, frame, size);
}

const uint8_t *tree_cast_read(const uint8_t *frame, const struct roce_packet *p, uint16_t tree, const struct conn_key *from,
                              size_t *len) {
  struct conn_key to = {.v6 = from->v6, .vlan = from->vlan, .qpn = TREE_CAST_QPN};
  uint8_t mac[6];
  const size_t start = p->bth + BTH, end = p->ip_end - ICRC - p->pad;
  if (p->class != ROCE_CONTROL || p->opcode != ROCE_UD_SEND_ONLY || start + DETH > end) return NULL;
  memcpy(to.src, from->src, sizeof to.src);
  tree_cast_address(tree, from->v6, to.dst, mac);
  if (!conn_key_equal(&p->key, &to) || get_be32(frame + start) != TREE_CAST_QKEY || get_be24(frame + start + 5) != from->qpn)
    return NULL;
  *len = end - start - DETH;
  return frame + start + DETH;
}
