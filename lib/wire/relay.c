#include "wire/relay.h"

#include <string.h>

#include "wire/bytes.h"

enum { QPN = 0x570000, TTL = 64, UDP_SOURCE = 0xD000 };

struct conn_key relay_key(uint16_t ring, const struct relay_end *from, const struct relay_end *to) {
  struct conn_key key = {.qpn = QPN | ring};
  memcpy(key.src, from->ip, 4);
  memcpy(key.dst, to->ip, 4);
  return key;
}

bool relay_is_virtual(const struct conn_key *key) { return key->qpn >> 16 == QPN >> 16; }

size_t relay_packet(const struct relay_end *from, const struct relay_end *to, const struct ina_header *ina, unsigned offset,
                    const uint8_t *tensor, size_t len, uint8_t *out, size_t size) {
  struct roce_build b = {
      .key = relay_key(ina->ring, from, to),
      .udp_src = UDP_SOURCE,
      .ttl = TTL,
      .opcode = ROCE_SEND_ONLY,
      .migreq = true,
      .pkey = 0xFFFF,
      .psn = offset,
      .ina = ina,
      .payload = tensor,
      .payload_len = len,
  };
  memcpy(b.src_mac, from->mac, 6);
  memcpy(b.dst_mac, to->mac, 6);
  return roce_build(&b, out, size);
}

bool relay_notes(uint8_t opcode) { return opcode != ROCE_SEND_MIDDLE && opcode != ROCE_WRITE_MIDDLE; }

size_t relay_note(const uint8_t *frame, const struct roce_packet *p, const struct ina_header *ina, uint8_t *out) {
  const size_t header = p->header - (p->tagged ? INA_BYTES : 0);
  memcpy(out, frame, header);
  ina_put(out + header, ina);
  put_be32(out + header, RELAY_NOTE_TAG);
  return roce_refit(out, header, INA_BYTES);
}

bool relay_is_note(const uint8_t *frame, const struct roce_packet *p, struct ina_header *ina) {
  if (p->class != ROCE_CANDIDATE || p->length_bad || p->tagged || p->tensor != INA_BYTES || !relay_notes(p->opcode)) return false;
  if (get_be32(frame + p->header) != RELAY_NOTE_TAG) return false;
  ina_get(frame + p->header, ina);
  return true;
}
