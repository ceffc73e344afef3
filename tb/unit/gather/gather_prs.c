#include "unit/gather/gather_prs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drive/bits.h"
#include "structs/gather_pkg.h"
#include "wire/bytes.h"
#include "wire/roce.h"

enum { PR_BYTES = 18, CONCAT_BYTES = 14, DETH_BYTES = 8, UD_SEND_ONLY = 0x64 };

unsigned gather_pick(unsigned below) { return (unsigned)rand() % below; }

void gather_property(uint64_t idx, unsigned salt, uint8_t *out, unsigned len) {
  uint64_t x = idx * UINT64_C(0x9E3779B97F4A7C15) + salt * UINT64_C(0xD1B54A32D192ED03) + 1;
  for (unsigned i = 0; i < len; i++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    out[i] = (uint8_t)(x >> 32);
  }
}

void gather_random_pr(struct pr *pr, bool response, unsigned nodes, unsigned len) {
  *pr = (struct pr){.response = response,
                    .src = gather_pick(nodes),
                    .dest = gather_pick(nodes),
                    .tid = (uint16_t)rand(),
                    .idx = (uint64_t)rand() << 33 ^ (uint64_t)rand() << 11 ^ (uint64_t)rand(),
                    .id = (uint32_t)rand() * 2u + (uint32_t)gather_pick(2),
                    .len = len};
  if (response) gather_property(pr->idx, 0, pr->data, len);
}

bool gather_same(const struct pr *a, const struct pr *b) {
  return a->response == b->response && a->src == b->src && a->dest == b->dest && a->tid == b->tid && a->idx == b->idx &&
         a->id == b->id && a->generation == b->generation && a->len == b->len &&
         (!a->response || memcmp(a->data, b->data, a->len) == 0);
}

size_t gather_beats(const struct pr *pr) { return pr->response ? (pr->len + GATHER_BEAT - 1) / GATHER_BEAT : 1; }

void gather_set_beat(struct dut *d, const char *port, const struct pr *pr, size_t beat) {
  uint32_t w[WORDS_OF(pr_beat_t, 1)] = {0};
  uint8_t bytes[GATHER_BEAT];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)rand();
  if (pr->response) {
    size_t left = pr->len - beat * GATHER_BEAT;
    memcpy(bytes, pr->data + beat * GATHER_BEAT, left < GATHER_BEAT ? left : GATHER_BEAT);
  }
  bits_put_bytes(w, FIELD(pr_beat_t, data), bytes);
  bits_put(w, FIELD(pr_beat_t, last), beat + 1 == gather_beats(pr));
  bits_put(w, FIELD(pr_beat_t, first), beat == 0);
  bits_put(w, FIELD(pr_beat_t, pr__len), pr->len);
  bits_put(w, FIELD(pr_beat_t, pr__generation), pr->generation);
  bits_put(w, FIELD(pr_beat_t, pr__id), pr->id);
  bits_put(w, FIELD(pr_beat_t, pr__idx), pr->idx);
  bits_put(w, FIELD(pr_beat_t, pr__tid), pr->tid);
  bits_put(w, FIELD(pr_beat_t, pr__dest), pr->dest);
  bits_put(w, FIELD(pr_beat_t, pr__src), pr->src);
  bits_put(w, FIELD(pr_beat_t, pr__cacheable), pr->cacheable);
  bits_put(w, FIELD(pr_beat_t, pr__response), pr->response);
  dut_set_words(d, port, w, WORDS_OF(pr_beat_t, 1));
}

bool gather_get_beat(struct dut *d, const char *port, struct pr *pr, size_t beat) {
  uint32_t w[WORDS_OF(pr_beat_t, 1)];
  assert_int_equal(dut_width(d, port), pr_beat_t__BITS);
  dut_get_words(d, port, w, WORDS_OF(pr_beat_t, 1));
  struct pr now = {.response = bits_get(w, FIELD(pr_beat_t, pr__response)) != 0,
                   .cacheable = bits_get(w, FIELD(pr_beat_t, pr__cacheable)) != 0,
                   .src = (uint32_t)bits_get(w, FIELD(pr_beat_t, pr__src)),
                   .dest = (uint32_t)bits_get(w, FIELD(pr_beat_t, pr__dest)),
                   .tid = (uint16_t)bits_get(w, FIELD(pr_beat_t, pr__tid)),
                   .idx = bits_get(w, FIELD(pr_beat_t, pr__idx)),
                   .id = (uint32_t)bits_get(w, FIELD(pr_beat_t, pr__id)),
                   .generation = (uint16_t)bits_get(w, FIELD(pr_beat_t, pr__generation)),
                   .len = (unsigned)bits_get(w, FIELD(pr_beat_t, pr__len))};
  assert_int_equal(bits_get(w, FIELD(pr_beat_t, first)), beat == 0);
  assert_true(now.len > 0 && now.len <= GATHER_MAX_LEN);
  if (beat) {
    memcpy(now.data, pr->data, sizeof now.data);
    assert_true(gather_same(&now, pr));
  }
  if (now.response) {
    size_t at = beat * GATHER_BEAT;
    uint8_t bytes[GATHER_BEAT];
    assert_true(at < now.len);
    bits_get_bytes(w, FIELD(pr_beat_t, data), bytes);
    memcpy(now.data + at, bytes, now.len - at < GATHER_BEAT ? now.len - at : GATHER_BEAT);
  }
  *pr = now;
  bool last = bits_get(w, FIELD(pr_beat_t, last)) != 0;
  assert_int_equal(last, beat + 1 == gather_beats(&now));
  return last;
}

static size_t pr_bytes(const struct pr *pr) { return PR_BYTES + (pr->response ? pr->len : 0); }

size_t pr_packet(const struct pr *prs, size_t count, uint8_t *frame) {
  static uint8_t payload[GATHER_FRAME_ROOM];
  uint8_t *p = payload;
  memset(p, 0, DETH_BYTES);
  put_be32(p, 0x11111111);
  p += DETH_BYTES;
  put_be16(p, prs->response ? 2 : 1);
  put_be32(p + 2, prs->dest);
  put_be16(p + 6, prs->generation);
  put_be16(p + 8, (uint16_t)prs->len);
  put_be32(p + 10, (uint32_t)count);
  p += CONCAT_BYTES;
  for (size_t i = 0; i < count; i++) {
    put_be32(p, prs[i].src);
    put_be16(p + 4, prs[i].tid);
    put_be32(p + 6, (uint32_t)(prs[i].idx >> 32));
    put_be32(p + 10, (uint32_t)prs[i].idx);
    put_be32(p + 14, prs[i].id);
    if (prs[i].response) memcpy(p + PR_BYTES, prs[i].data, prs[i].len);
    p += pr_bytes(&prs[i]);
  }
  struct roce_build b = {.opcode = UD_SEND_ONLY,
                         .ttl = 64,
                         .udp_src = 0xC000,
                         .pkey = 0xFFFF,
                         .payload = payload,
                         .payload_len = (size_t)(p - payload)};
  b.key.qpn = 0x1234;
  return roce_build(&b, frame, GATHER_FRAME_ROOM);
}

size_t pr_unpack(const uint8_t *frame, size_t len, struct pr *prs) {
  struct roce_packet at;
  roce_parse(frame, len, &at);
  assert_int_equal(at.class, ROCE_CONTROL);   // good ICRC, and not for RC
  assert_false(at.vlan || at.key.v6);
  assert_int_equal(at.opcode, UD_SEND_ONLY);
  assert_int_equal(at.ip_end, len);
  const uint8_t *p = frame + GATHER_UPPER;
  bool response = get_be16(p) == 2;
  assert_true(response || get_be16(p) == 1);
  uint32_t dest = get_be32(p + 2), prop = get_be16(p + 8);
  const uint16_t generation = get_be16(p + 6);
  size_t count = get_be32(p + 10), bytes = PR_BYTES + (response ? prop : 0);
  assert_true(count >= 1 && count <= GATHER_MAX_PRS);
  unsigned pad = frame[43] >> 4 & 3;
  assert_int_equal(GATHER_PRS_AT + count * bytes + pad + 4, len);
  for (size_t i = 0; i < count; i++) {
    p = frame + GATHER_PRS_AT + i * bytes;
    prs[i] = (struct pr){.response = response,
                         .src = get_be32(p),
                         .dest = dest,
                         .tid = get_be16(p + 4),
                         .idx = (uint64_t)get_be32(p + 6) << 32 | get_be32(p + 10),
                         .id = get_be32(p + 14),
                         .generation = generation,
                         .len = prop};
    if (response) memcpy(prs[i].data, p + PR_BYTES, prop);
  }
  return count;
}
