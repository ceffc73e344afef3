#include "model/uplink/uplink_key.h"

#include <string.h>

#include "wire/bytes.h"
#include "wire/roce.h"

enum { TYPE_TAG = 0x8100, TYPE_V4 = 0x0800, TYPE_V6 = 0x86DD, TCP = 6, UDP = 17 };
/// Ethernet, 802.1Q, IPv6, UDP, BTH.
enum { MOST = 18 + 40 + 8 + 12 };

static uint64_t be48(const uint8_t *b) { return (uint64_t)get_be16(b) << 32 | get_be32(b + 2); }

/// Ports of UDP and TCP, and what RoCEv2 has behind them.
static void read_transport(const uint8_t *udp, struct uplink_read *out) {
  if (out->key.proto != UDP && out->key.proto != TCP) return;
  out->key.sport = get_be16(udp);
  out->key.dport = get_be16(udp + 2);
  out->roce = out->key.proto == UDP && out->key.dport == ROCE_UDP_PORT;
  if (!out->roce) return;
  out->opcode = udp[8];
  out->key.qpn = get_be24(udp + 13);
  out->psn = get_be24(udp + 17);
}

void uplink_read(const uint8_t *frame, size_t len, struct uplink_read *out) {
  uint8_t head[MOST] = {0};
  memcpy(head, frame, len < MOST ? len : MOST);
  *out = (struct uplink_read){0};
  const bool tagged = get_be16(head + 12) == TYPE_TAG;
  const uint8_t *ip = head + (tagged ? 18 : 14);
  const uint16_t type = get_be16(ip - 2);
  struct uplink_key *key = &out->key;
  uint8_t class = 0;
  if (type == TYPE_V4 && ip[0] >> 4 == 4) {
    class = ip[1];
    key->src[1] = uplink_mapped(get_be32(ip + 12));
    key->dst[1] = uplink_mapped(get_be32(ip + 16));
    key->proto = ip[9];
    if ((ip[0] & 15) == 5 && (get_be16(ip + 6) & 0x3FFF) == 0) read_transport(ip + 20, out);
  } else if (type == TYPE_V6 && ip[0] >> 4 == 6) {
    class = (uint8_t)(ip[0] << 4 | ip[1] >> 4);
    for (size_t h = 0; h < 2; h++) {
      key->src[h] = get_be64(ip + 8 + 8 * h);
      key->dst[h] = get_be64(ip + 24 + 8 * h);
    }
    key->proto = ip[6];
    read_transport(ip + 40, out);
  } else {
    key->dst[1] = be48(head);
    key->src[1] = be48(head + 6);
    key->dport = type;
  }
  out->priority = tagged ? head[14] >> 5 : class >> 5;
}
