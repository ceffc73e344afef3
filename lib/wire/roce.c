#include "wire/roce.h"

#include <string.h>

#include "base/crc.h"
#include "wire/bytes.h"

enum { ETH = 14, VLAN = 4, IPV4 = 20, IPV6 = 40, UDP = 8, BTH = 12, RETH = 16, IMM = 4, ICRC = 4, VID = 0xFFF };

bool conn_key_equal(const struct conn_key *a, const struct conn_key *b) {
  return a->vlan == b->vlan && a->v6 == b->v6 && a->qpn == b->qpn && memcmp(a->src, b->src, sizeof a->src) == 0 &&
         memcmp(a->dst, b->dst, sizeof a->dst) == 0;
}

uint64_t conn_key_hash(const struct conn_key *key) {
  const uint8_t tail[] = {(uint8_t)(key->qpn >> 16), (uint8_t)(key->qpn >> 8), (uint8_t)key->qpn, key->v6,
                          (uint8_t)(key->vlan >> 8), (uint8_t)key->vlan};
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  for (size_t i = 0; i < 16; i++) hash = (hash ^ key->src[i]) * UINT64_C(0x100000001B3);
  for (size_t i = 0; i < 16; i++) hash = (hash ^ key->dst[i]) * UINT64_C(0x100000001B3);
  for (size_t i = 0; i < sizeof tail; i++) hash = (hash ^ tail[i]) * UINT64_C(0x100000001B3);
  return hash;
}

const char *const ina_types[] = {"fp32", "fp16", "bf16", "int32", NULL};
const char *const ina_ops[] = {"sum", "min", "max", NULL};

size_t ina_element_size(uint8_t kind) {
  if (kind >> 4 > INA_MAX) return 0;
  switch (kind & 15) {
    case INA_FP32:
    case INA_INT32: return 4;
    case INA_FP16:
    case INA_BF16: return 2;
    default: return 0;
  }
}

void ina_put(uint8_t out[INA_BYTES], const struct ina_header *ina) {
  put_be32(out, INA_TAG);
  put_be16(out + 4, ina->ring);
  out[6] = ina->rank;
  out[7] = ina->kind;
  put_be32(out + 8, ina->msgid);
  put_be16(out + 12, ina->msglen);
  put_be16(out + 14, ina->workers);
}

void ina_get(const uint8_t in[INA_BYTES], struct ina_header *ina) {
  ina->ring = get_be16(in + 4);
  ina->rank = in[6];
  ina->kind = in[7];
  ina->msgid = get_be32(in + 8);
  ina->msglen = get_be16(in + 12);
  ina->workers = get_be16(in + 14);
}

// --- parse ---

/// Finds a plain IPv4 or IPv6 header that carries UDP; sets vlan, ip, udp, ip_end and the key's addresses.
static bool locate_udp(const uint8_t *frame, size_t len, struct roce_packet *out) {
  if (len < ETH) return false;
  out->vlan = get_be16(frame + 12) == 0x8100;
  out->ip = ETH + (out->vlan ? VLAN : 0);
  if (len < out->ip) return false;
  uint16_t ethertype = get_be16(frame + out->ip - 2);
  const uint8_t *ip = frame + out->ip;
  memset(&out->key, 0, sizeof out->key);
  if (out->vlan) out->key.vlan = get_be16(frame + ETH) & VID;
  if (ethertype == 0x0800) {
    if (len < out->ip + IPV4 || ip[0] != 0x45 || ip[9] != 17) return false;
    if ((get_be16(ip + 6) & 0x3FFF) != 0) return false;   // MF or an offset: a fragment
    memcpy(out->key.src, ip + 12, 4);
    memcpy(out->key.dst, ip + 16, 4);
    out->udp = out->ip + IPV4;
    out->ip_end = out->ip + get_be16(ip + 2);
    return true;
  }
  if (ethertype != 0x86DD || len < out->ip + IPV6 || ip[0] >> 4 != 6 || ip[6] != 17) return false;
  out->key.v6 = true;
  memcpy(out->key.src, ip + 8, 16);
  memcpy(out->key.dst, ip + 24, 16);
  out->udp = out->ip + IPV6;
  out->ip_end = out->udp + get_be16(ip + 4);
  return true;
}

bool roce_locate(const uint8_t *frame, size_t len, struct roce_packet *out) {
  if (!locate_udp(frame, len, out)) return false;
  out->bth = out->udp + UDP;
  return out->ip_end <= len && out->ip_end >= out->bth + BTH + ICRC && get_be16(frame + out->udp + 2) == ROCE_UDP_PORT;
}

uint32_t icrc_compute(const uint8_t *frame, const struct roce_packet *at) {
  // Eight bytes of ones for the LRH, then the headers with the fields that a router may change set to ones.
  uint8_t head[8 + IPV6 + UDP + BTH];
  size_t header = at->bth + BTH - at->ip;
  memset(head, 0xFF, 8);
  uint8_t *ip = head + 8, *udp = ip + (at->udp - at->ip), *bth = udp + UDP;
  memcpy(ip, frame + at->ip, header);
  if (at->udp - at->ip == IPV6) {
    ip[0] |= 0x0F;
    memset(ip + 1, 0xFF, 3);
    ip[7] = 0xFF;
  } else {
    ip[1] = ip[8] = ip[10] = ip[11] = 0xFF;
  }
  udp[6] = udp[7] = 0xFF;
  bth[4] = 0xFF;
  return crc_more(crc_more(0, head, 8 + header), frame + at->ip + header, at->ip_end - ICRC - at->ip - header);
}

void icrc_put(uint8_t *frame, const struct roce_packet *at) { put_le32(frame + at->ip_end - ICRC, icrc_compute(frame, at)); }

/// Bytes of extension headers between BTH and payload of a data packet; -1 if the opcode is no SEND or WRITE of RC.
static int extension(uint8_t opcode) {
  switch (opcode) {
    case ROCE_SEND_FIRST:
    case ROCE_SEND_MIDDLE:
    case ROCE_SEND_LAST:
    case ROCE_SEND_ONLY:
    case ROCE_WRITE_MIDDLE:
    case ROCE_WRITE_LAST: return 0;
    case ROCE_SEND_LAST_IMM:
    case ROCE_SEND_ONLY_IMM:
    case ROCE_SEND_LAST_INV:
    case ROCE_SEND_ONLY_INV:
    case ROCE_WRITE_LAST_IMM: return IMM;
    case ROCE_WRITE_FIRST:
    case ROCE_WRITE_ONLY: return RETH;
    case ROCE_WRITE_ONLY_IMM: return RETH + IMM;
    default: return -1;
  }
}

bool roce_is_first(uint8_t opcode) {
  switch (opcode) {
    case ROCE_SEND_FIRST:
    case ROCE_SEND_ONLY:
    case ROCE_SEND_ONLY_IMM:
    case ROCE_SEND_ONLY_INV:
    case ROCE_WRITE_FIRST:
    case ROCE_WRITE_ONLY:
    case ROCE_WRITE_ONLY_IMM: return true;
    default: return false;
  }
}

/// Splits a candidate's bytes behind BTH into extension headers, INA header, tensor and pad.
static void split(const uint8_t *frame, size_t ext, struct roce_packet *out) {
  size_t end = out->ip_end - ICRC;
  out->header = out->bth + BTH + ext;
  out->starts = roce_is_first(out->opcode);
  if (out->header + out->pad > end) {
    out->length_bad = true;
    return;
  }
  out->tensor = end - out->header - out->pad;
  out->tagged = out->starts && out->tensor >= INA_BYTES && get_be32(frame + out->header) == INA_TAG;
  if (!out->tagged) return;
  ina_get(frame + out->header, &out->ina);
  out->header += INA_BYTES;
  out->tensor -= INA_BYTES;
}

/// `any_icrc`: whatever stands there is right.
static void parse(const uint8_t *frame, size_t len, bool any_icrc, struct roce_packet *out) {
  memset(out, 0, sizeof *out);
  if (!roce_locate(frame, len, out)) {
    memset(out, 0, sizeof *out);
    return;
  }
  const uint8_t *bth = frame + out->bth;
  out->opcode = bth[0];
  out->pad = bth[1] >> 4 & 3;
  out->key.qpn = get_be24(bth + 5);
  out->ack_request = bth[8] >> 7;
  out->psn = get_be24(bth + 9);
  if ((out->ip_end - out->udp) % 4 != 0 || (!any_icrc && get_le32(frame + out->ip_end - ICRC) != icrc_compute(frame, out))) {
    out->class = ROCE_BAD_ICRC;
    return;
  }
  int ext = extension(out->opcode);
  if (get_be16(frame + out->udp + 4) != out->ip_end - out->udp || (bth[1] & 15) != 0) {
    out->class = ROCE_OTHER;
  } else if (ext < 0) {
    out->class = ROCE_CONTROL;
  } else {
    out->class = ROCE_CANDIDATE;
    split(frame, (size_t)ext, out);
  }
}

void roce_parse(const uint8_t *frame, size_t len, struct roce_packet *out) { parse(frame, len, false, out); }

void roce_parse_any_icrc(const uint8_t *frame, size_t len, struct roce_packet *out) { parse(frame, len, true, out); }

// --- build ---

uint16_t roce_ip_checksum(const uint8_t *ip) {
  uint32_t sum = 0;
  for (size_t i = 0; i < IPV4; i += 2) sum += get_be16(ip + i);
  while (sum >> 16) sum = (sum & 0xFFFF) + (sum >> 16);
  return (uint16_t)~sum;
}

static void put_ip(uint8_t *ip, const struct roce_build *b, size_t udp_len) {
  if (b->key.v6) {
    ip[0] = (uint8_t)(0x60 | b->traffic_class >> 4);
    ip[1] = (uint8_t)(b->traffic_class << 4);
    put_be16(ip + 4, (uint16_t)udp_len);
    ip[6] = 17;
    ip[7] = b->ttl;
    memcpy(ip + 8, b->key.src, 16);
    memcpy(ip + 24, b->key.dst, 16);
    return;
  }
  ip[0] = 0x45;
  ip[1] = b->traffic_class;
  put_be16(ip + 2, (uint16_t)(IPV4 + udp_len));
  put_be16(ip + 4, b->ip_id);
  ip[6] = 0x40;   // don't fragment
  ip[8] = b->ttl;
  ip[9] = 17;
  memcpy(ip + 12, b->key.src, 4);
  memcpy(ip + 16, b->key.dst, 4);
  put_be16(ip + 10, roce_ip_checksum(ip));
}

size_t roce_build(const struct roce_build *b, uint8_t *out, size_t size) {
  int ext = extension(b->opcode);
  size_t extra = ext < 0 ? 0 : (size_t)ext, ina = b->ina != NULL ? INA_BYTES : 0;
  size_t pad = (4 - (b->payload_len & 3)) & 3;
  size_t udp_len = UDP + BTH + extra + ina + b->payload_len + pad + ICRC;
  const bool tag = b->vlan || b->key.vlan != 0;
  size_t ip = ETH + (tag ? VLAN : 0), udp = ip + (b->key.v6 ? IPV6 : IPV4), len = udp + udp_len;
  if (len > size || udp_len > 65535 - IPV4) return 0;

  memset(out, 0, len);
  memcpy(out, b->dst_mac, 6);
  memcpy(out + 6, b->src_mac, 6);
  if (tag) {
    put_be16(out + 12, 0x8100);
    put_be16(out + 14, (uint16_t)(b->vlan_pcp << 12 | (b->key.vlan & VID)));
  }
  put_be16(out + ip - 2, b->key.v6 ? 0x86DD : 0x0800);
  put_ip(out + ip, b, udp_len);
  put_be16(out + udp, b->udp_src);
  put_be16(out + udp + 2, ROCE_UDP_PORT);
  put_be16(out + udp + 4, (uint16_t)udp_len);
  put_be16(out + udp + 6, b->udp_checksum);

  uint8_t *bth = out + udp + UDP, *p = bth + BTH;
  bth[0] = b->opcode;
  bth[1] = (uint8_t)((b->solicited ? 0x80 : 0) | (b->migreq ? 0x40 : 0) | pad << 4);
  put_be16(bth + 2, b->pkey);
  put_be24(bth + 5, b->key.qpn);
  bth[8] = b->ack_request ? 0x80 : 0;
  put_be24(bth + 9, b->psn);
  if (extra >= RETH) memcpy(p, b->reth, RETH);
  if (extra % RETH != 0) memcpy(p + extra - IMM, b->imm, IMM);
  p += extra;
  if (b->ina != NULL) ina_put(p, b->ina);
  p += ina;
  if (b->payload_len != 0) memcpy(p, b->payload, b->payload_len);
  memset(p + b->payload_len, b->pad_fill, pad);

  struct roce_packet at;
  if (roce_locate(out, len, &at)) icrc_put(out, &at);
  return len;
}

size_t roce_refit(uint8_t *frame, size_t header, size_t payload) {
  const size_t ip = ETH + (get_be16(frame + 12) == 0x8100 ? VLAN : 0), pad = (4 - (payload & 3)) & 3;
  const bool v6 = get_be16(frame + ip - 2) == 0x86DD;
  const size_t udp = ip + (v6 ? IPV6 : IPV4), len = header + payload + pad + ICRC;
  uint8_t *bth = frame + udp + UDP;
  memset(frame + header + payload, 0, pad);
  bth[1] = (uint8_t)((bth[1] & 0xCF) | pad << 4);
  put_be16(frame + udp + 4, (uint16_t)(len - udp));
  put_be16(frame + udp + 6, 0);
  if (v6) {
    put_be16(frame + ip + 4, (uint16_t)(len - udp));
  } else {
    put_be16(frame + ip + 2, (uint16_t)(len - ip));
    put_be16(frame + ip + 10, 0);
    put_be16(frame + ip + 10, roce_ip_checksum(frame + ip));
  }
  struct roce_packet at;
  if (roce_locate(frame, len, &at)) icrc_put(frame, &at);
  return len;
}
