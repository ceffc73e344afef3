#include "unit/tree/conn_config.h"

#include <stdlib.h>
#include <string.h>

#include "drive/bits.h"
#include "structs/rc_pkg.h"
#include "structs/rc_port_pkg.h"
#include "wire/bytes.h"

static void put_key(uint32_t *words, size_t at, const struct conn_key *key) {
  const size_t vlan = rc_conn_cfg_t__in__vlan__AT - rc_conn_cfg_t__in__AT, v6 = rc_conn_cfg_t__in__v6__AT - rc_conn_cfg_t__in__AT,
               qpn = rc_conn_cfg_t__in__qpn__AT - rc_conn_cfg_t__in__AT, src = rc_conn_cfg_t__in__src__AT - rc_conn_cfg_t__in__AT,
               dst = rc_conn_cfg_t__in__dst__AT - rc_conn_cfg_t__in__AT;
  bits_put(words, at + vlan, rc_conn_cfg_t__in__vlan__BITS, key->vlan);
  bits_put(words, at + v6, rc_conn_cfg_t__in__v6__BITS, key->v6);
  bits_put(words, at + qpn, rc_conn_cfg_t__in__qpn__BITS, key->qpn);
  const unsigned bytes = key->v6 ? 16 : 4;
  for (unsigned i = 0; i < bytes; i++) {
    bits_put(words, at + src + 8 * (bytes - 1 - i), 8, key->src[i]);
    bits_put(words, at + dst + 8 * (bytes - 1 - i), 8, key->dst[i]);
  }
}

static uint64_t mac_of(const uint8_t mac[6]) { return (uint64_t)get_be16(mac) << 32 | get_be32(mac + 2); }

void conn_config_put(uint32_t *words, size_t at, const struct rc_end_config *g) {
  bits_put(words, at + FIELD(rc_conn_cfg_t, local_mac), mac_of(g->local_mac));
  bits_put(words, at + FIELD(rc_conn_cfg_t, peer_mac), mac_of(g->peer_mac));
  put_key(words, at + rc_conn_cfg_t__in__AT, &g->in);
  put_key(words, at + rc_conn_cfg_t__out__AT, &g->out);
  bits_put(words, at + FIELD(rc_conn_cfg_t, udp_source), g->udp_source);
  bits_put(words, at + FIELD(rc_conn_cfg_t, request__psn), g->psn_out);
  unsigned log2 = 0;
  while (1u << log2 < g->request.ack_every) log2++;
  bits_put(words, at + FIELD(rc_conn_cfg_t, request__ack_every_log2), log2);
  bits_put(words, at + FIELD(rc_conn_cfg_t, request__timeout), g->request.timeout_ps / UINT64_C(1000000));
  bits_put(words, at + FIELD(rc_conn_cfg_t, request__retries), g->request.retries);
  bits_put(words, at + FIELD(rc_conn_cfg_t, request__rnr_retries), g->request.rnr_retries);
  bits_put(words, at + FIELD(rc_conn_cfg_t, respond__psn), g->psn_in);
  bits_put(words, at + FIELD(rc_conn_cfg_t, respond__mtu), g->mtu);
  bits_put(words, at + FIELD(rc_conn_cfg_t, respond__coalesce), g->respond.coalesce);
  bits_put(words, at + FIELD(rc_conn_cfg_t, respond__ack_delay), g->respond.ack_delay_ps);
  bits_put(words, at + FIELD(rc_conn_cfg_t, respond__rnr_timer), g->respond.rnr_timer);
  bits_put(words, at + FIELD(rc_conn_cfg_t, respond__no_credits), g->respond.no_credits);
}

struct rc_end_config conn_config_peer(const struct rc_end_config *end) {
  struct rc_end_config peer = *end;
  memcpy(peer.local_mac, end->peer_mac, sizeof peer.local_mac);
  memcpy(peer.peer_mac, end->local_mac, sizeof peer.peer_mac);
  peer.in = end->out;
  peer.out = end->in;
  peer.psn_in = end->psn_out;
  peer.psn_out = end->psn_in;
  return peer;
}

void conn_config_draw(struct rc_end_config *g) {
  for (unsigned i = 0; i < 6; i++) g->local_mac[i] = (uint8_t)rand(), g->peer_mac[i] = (uint8_t)rand();
  for (unsigned i = 0; i < (g->in.v6 ? 16 : 4); i++) g->in.src[i] = (uint8_t)rand(), g->in.dst[i] = (uint8_t)rand();
}

struct conn_key conn_config_back(struct conn_key key) {
  struct conn_key back = key;
  memcpy(back.src, key.dst, sizeof back.src);
  memcpy(back.dst, key.src, sizeof back.dst);
  return back;
}
