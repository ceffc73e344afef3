#include "wire/gather.h"

#include <string.h>

#include "wire/bytes.h"
#include "wire/roce.h"

enum { BTH = 12, ICRC = 4 };

void gather_put_header(uint8_t out[GATHER_CONCAT_BYTES], const struct gather_header *h) {
  put_be16(out, h->type);
  put_be32(out + 2, h->dest);
  put_be16(out + 6, h->generation);
  put_be16(out + 8, h->len);
  put_be32(out + 10, h->count);
}

void gather_put_pr(uint8_t *out, const struct gather_request *r) {
  put_be32(out, r->pr.src);
  put_be16(out + 4, r->pr.tid);
  put_be64(out + 6, r->pr.idx);
  put_be32(out + 14, r->pr.id);
  if (r->type == GATHER_RESPONSE && r->len > 0) memcpy(out + GATHER_PR_BYTES, r->property, r->len);
}

const char *gather_fault_text(enum gather_fault fault) {
  static const char *const texts[] = {
      [GATHER_GOOD] = "good",
      [GATHER_FOREIGN] = "no RoCEv2 UD SEND_ONLY with a good ICRC",
      [GATHER_SHORT] = "too short for a concatenation header",
      [GATHER_UNKNOWN_TYPE] = "neither reads nor responses",
      [GATHER_EMPTY] = "no PRs",
      [GATHER_LENGTH] = "count of PRs and length disagree",
  };
  return texts[fault];
}

enum gather_fault gather_check(const uint8_t *data, size_t len, struct gather_header *h) {
  memset(h, 0, sizeof *h);
  if (len < GATHER_CONCAT_BYTES) return GATHER_SHORT;
  *h = (struct gather_header){.type = get_be16(data),
                              .dest = get_be32(data + 2),
                              .generation = get_be16(data + 6),
                              .len = get_be16(data + 8),
                              .count = get_be32(data + 10)};
  if (h->type != GATHER_READ && h->type != GATHER_RESPONSE) return GATHER_UNKNOWN_TYPE;
  if (h->count == 0) return GATHER_EMPTY;
  // Divided, because what a hostile packet says may not fit when multiplied.
  const size_t size = gather_pr_size((enum gather_type)h->type, h->len);
  const size_t body = len - GATHER_CONCAT_BYTES;
  return body / size == h->count && body % size == 0 ? GATHER_GOOD : GATHER_LENGTH;
}

void gather_get_pr(const uint8_t *data, const struct gather_header *h, uint32_t i, struct gather_request *out) {
  const enum gather_type type = (enum gather_type)h->type;
  const uint8_t *p = data + GATHER_CONCAT_BYTES + i * gather_pr_size(type, h->len);
  *out = (struct gather_request){
      .type = type,
      .dest = h->dest,
      .generation = h->generation,
      .len = h->len,
      .pr = {.src = get_be32(p), .tid = get_be16(p + 4), .idx = get_be64(p + 6), .id = get_be32(p + 14)},
      .property = type == GATHER_RESPONSE ? p + GATHER_PR_BYTES : NULL,
  };
}

size_t gather_build(const struct gather_ends *ends, const uint8_t *data, size_t len, uint8_t *out, size_t size) {
  // The DETH goes first into what roce_build takes for payload, which it only copies.
  uint8_t payload[GATHER_MAX_FRAME];
  if (GATHER_DETH_BYTES + len > sizeof payload) return 0;
  put_be32(payload, GATHER_QKEY);
  put_be32(payload + 4, GATHER_QPN);
  memcpy(payload + GATHER_DETH_BYTES, data, len);
  struct roce_build b = {
      .key = {.qpn = GATHER_QPN},
      .udp_src = 0xC000,
      .ttl = 64,
      .opcode = ROCE_UD_SEND_ONLY,
      .pkey = 0xFFFF,
      .psn = ends->psn & 0xFFFFFF,
      .payload = payload,
      .payload_len = GATHER_DETH_BYTES + len,
  };
  memcpy(b.src_mac, ends->src_mac, 6);
  memcpy(b.dst_mac, ends->dst_mac, 6);
  memcpy(b.key.src, ends->src_ip, 4);
  memcpy(b.key.dst, ends->dst_ip, 4);
  return roce_build(&b, out, size);
}

enum gather_fault gather_parse(const uint8_t *frame, size_t frame_len, const uint8_t **data, size_t *len,
                               struct gather_header *h) {
  struct roce_packet p;
  roce_parse(frame, frame_len, &p);
  *data = NULL;
  *len = 0;
  memset(h, 0, sizeof *h);
  if (p.class != ROCE_CONTROL || p.opcode != ROCE_UD_SEND_ONLY) return GATHER_FOREIGN;
  const size_t start = p.bth + BTH + GATHER_DETH_BYTES, end = p.ip_end - ICRC;
  if (start + p.pad > end) return GATHER_SHORT;
  *data = frame + start;
  *len = end - p.pad - start;
  return gather_check(*data, *len, h);
}

uint32_t gather_capacity(enum gather_type type, uint32_t len, size_t mtu, size_t upper) {
  if (mtu < upper + GATHER_CONCAT_BYTES) return 0;
  return (uint32_t)((mtu - upper - GATHER_CONCAT_BYTES) / gather_pr_size(type, len));
}

double gather_header_share(size_t upper, size_t concat, uint32_t len) {
  const double headers = 2.0 * (double)(upper + concat + GATHER_PR_BYTES);
  return headers / (headers + (double)len);
}
