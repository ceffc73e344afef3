#include "oracle/witness_read.h"

#include <string.h>
#include <zlib.h>

#include "base/crc.h"

enum { MAC_PAIR = 12, TAG_8021Q = 0x8100, TYPE_IPV4 = 0x0800, TYPE_IPV6 = 0x86DD, PROTOCOL_UDP = 17, PORT = 4791 };
enum { UDP_BYTES = 8, BTH_BYTES = 12, ICRC_BYTES = 4, INA_HEADER = 16, INA_WORD = 0x4E657452 };

bool witness_key_equal(const struct witness_key *a, const struct witness_key *b) {
  return a->vlan == b->vlan && a->v6 == b->v6 && a->qp == b->qp && memcmp(a->source, b->source, 16) == 0 &&
         memcmp(a->destination, b->destination, 16) == 0;
}

static uint32_t be24(const uint8_t *p) { return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2]; }

static uint32_t be32(const uint8_t *p) { return (uint32_t)p[0] << 24 | be24(p + 1); }

// --- layers, from the outside in ---

/// Where the network header and what it carries are.
struct layers {
  bool v6, tag;
  uint16_t vlan;
  size_t network, udp, end;
};

/// True if a frame is RoCEv2 with room for BTH and ICRC.
static bool peel(const uint8_t *frame, size_t len, struct layers *out) {
  size_t type = MAC_PAIR;
  if (len < type + 2) return false;
  const bool tag = witness_be16(frame + type) == TAG_8021Q;
  if (tag) type += 4;
  const size_t network = type + 2;
  if (len < network) return false;
  const uint16_t vlan = tag ? witness_be16(frame + MAC_PAIR + 2) % 4096 : 0;   // what is above is its priority
  const uint8_t *n = frame + network;
  size_t carried;   // bytes of the IP payload
  switch (witness_be16(frame + type)) {
    case TYPE_IPV4:
      if (len - network < 20 || n[0] != 0x45 || n[9] != PROTOCOL_UDP) return false;
      if (((n[6] & 0x3F) | n[7]) != 0) return false;   // more fragments, or not the first one
      if (witness_be16(n + 2) < 20) return false;
      *out = (struct layers){false, tag, vlan, network, network + 20, 0};
      carried = witness_be16(n + 2) - 20u;
      break;
    case TYPE_IPV6:
      if (len - network < 40 || n[0] >> 4 != 6 || n[6] != PROTOCOL_UDP) return false;
      *out = (struct layers){true, tag, vlan, network, network + 40, 0};
      carried = witness_be16(n + 4);
      break;
    default: return false;
  }
  if (carried < UDP_BYTES + BTH_BYTES + ICRC_BYTES || carried > len - out->udp) return false;
  out->end = out->udp + carried;
  return witness_be16(frame + out->udp + 2) == PORT;
}

/// Annex A17.3.3: CRC-32 over eight bytes of ones and everything from the IP header to the pad, where what a router may change counts as ones.
static bool icrc_good(const uint8_t *frame, const struct layers *l) {
  // Bytes of the packet that count as ones: from its IP header on, then of UDP and BTH.
  static const uint8_t changes4[] = {1, 8, 10, 11, 20 + 6, 20 + 7, 20 + 8 + 4};
  static const uint8_t changes6[] = {1, 2, 3, 7, 40 + 6, 40 + 7, 40 + 8 + 4};
  const uint8_t *changes = l->v6 ? changes6 : changes4;
  const size_t count = l->v6 ? sizeof changes6 : sizeof changes4;
  const uint8_t *packet = frame + l->network, *icrc = frame + l->end - ICRC_BYTES;
  const size_t covered = (size_t)(icrc - packet);
  static const uint8_t ones[8] = {255, 255, 255, 255, 255, 255, 255, 255};
  uLong crc = crc32(0, ones, sizeof ones);
  size_t at = 0;
  if (l->v6) {   // the version counts, the upper half of the traffic class does not
    const uint8_t first = packet[0] | 0x0F;
    crc = crc32(crc, &first, 1);
    at = 1;
  }
  for (size_t i = 0; i < count; i++) {
    crc = crc32(crc, packet + at, (uInt)(changes[i] - at));
    crc = crc32(crc, ones, 1);
    at = changes[i] + 1u;
  }
  crc = crc_more((uint32_t)crc, packet + at, covered - at);
  return crc == ((uLong)icrc[3] << 24 | (uLong)icrc[2] << 16 | (uLong)icrc[1] << 8 | icrc[0]);
}

// --- opcodes ---

/// What follows the BTH of SEND and WRITE: bytes of extension headers (docs/wire.md), or -1 for another opcode.
struct form {
  int8_t extension;
  bool opens;
};

static struct form form_of(uint8_t opcode) {
  enum { RETH = 16, IMMEDIATE = 4 };
  static const struct form forms[] = {
      {0, true},            // SEND first
      {0, false},           // middle
      {0, false},           // last
      {IMMEDIATE, false},   // last with immediate
      {0, true},            // only
      {IMMEDIATE, true},    // only with immediate
      {RETH, true},         // WRITE first
      {0, false},         {0, false}, {IMMEDIATE, false}, {RETH, true}, {RETH + IMMEDIATE, true},
  };
  if (opcode < sizeof forms / sizeof *forms) return forms[opcode];
  if (opcode == 0x16) return (struct form){IMMEDIATE, false};   // SEND last with invalidate
  if (opcode == 0x17) return (struct form){IMMEDIATE, true};    // only with invalidate
  return (struct form){-1, false};
}

static void read_tag(const uint8_t *p, struct witness_tag *tag) {
  *tag = (struct witness_tag){.ring = witness_be16(p + 4),
                              .rank = p[6],
                              .kind = p[7],
                              .msgid = be32(p + 8),
                              .msglen = witness_be16(p + 12),
                              .workers = witness_be16(p + 14)};
}

static void read_frame(const uint8_t *frame, size_t len, bool any_icrc, struct witness_reading *out) {
  struct layers l;
  *out = (struct witness_reading){.sort = WITNESS_OTHER};
  if (!peel(frame, len, &l)) return;
  if ((l.end - l.udp) % 4 != 0 || !(any_icrc || icrc_good(frame, &l))) {
    out->sort = WITNESS_BAD_ICRC;
    return;
  }
  const uint8_t *bth = frame + l.udp + UDP_BYTES;
  const struct form form = form_of(bth[0]);
  const bool plain = witness_be16(frame + l.udp + 4) == l.end - l.udp && (bth[1] & 0x0F) == 0;   // UDP length; transport version
  if (form.extension < 0 || !plain) return;

  const uint8_t *n = frame + l.network;
  out->sort = WITNESS_DATA;
  out->conn.vlan = l.vlan;
  out->behind_tag = l.tag;
  out->conn.v6 = l.v6;
  memcpy(out->conn.source, n + (l.v6 ? 8 : 12), l.v6 ? 16 : 4);
  memcpy(out->conn.destination, n + (l.v6 ? 24 : 16), l.v6 ? 16 : 4);
  out->conn.qp = be24(bth + 5);
  out->psn = be24(bth + 9);
  out->udp = l.udp;
  out->bth = l.udp + UDP_BYTES;
  out->end = l.end;
  out->opens = form.opens;
  out->body = out->bth + BTH_BYTES + (size_t)form.extension;

  const size_t pad = bth[1] >> 4 & 3, last = l.end - ICRC_BYTES;
  out->malformed = out->body + pad > last;
  if (out->malformed) return;
  out->tensor = last - pad - out->body;
  out->tagged = out->opens && out->tensor >= INA_HEADER && be32(frame + out->body) == INA_WORD;
  if (!out->tagged) return;
  read_tag(frame + out->body, &out->tag);
  out->body += INA_HEADER;
  out->tensor -= INA_HEADER;
}

void witness_read(const uint8_t *frame, size_t len, struct witness_reading *out) { read_frame(frame, len, false, out); }

void witness_read_any_icrc(const uint8_t *frame, size_t len, struct witness_reading *out) { read_frame(frame, len, true, out); }

size_t witness_element_size(uint8_t kind) {
  static const uint8_t sizes[] = {4, 2, 2, 4};   // FP32, FP16, BF16, INT32
  const unsigned type = kind & 15u, operation = kind >> 4;
  return type < sizeof sizes && operation <= 2 ? sizes[type] : 0;
}
