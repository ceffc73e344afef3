// The witness's reading of headers beside that of lib/wire, which was written by others from the same page: any frame must mean the same to both.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "oracle/witness_read.h"
#include "wire/bytes.h"
#include "wire/roce.h"

enum { ROOM = 600, FRAMES = 40000 };

static size_t draw_frame(struct rng *rng, uint8_t *frame) {
  static const uint8_t odd[] = {0x0C, 0x11, 0x14, 0x16, 0x17, 0x18, 0x64, 0x81};
  uint8_t payload[300];
  struct ina_header ina = {.ring = (uint16_t)rng_next(rng),
                           .rank = (uint8_t)rng_next(rng),
                           .kind = (uint8_t)rng_next(rng),
                           .msgid = (uint32_t)rng_next(rng),
                           .msglen = (uint16_t)rng_next(rng),
                           .workers = (uint16_t)rng_next(rng)};
  struct roce_build b = {.vlan = rng_percent(rng, 30),
                         .vlan_pcp = (uint8_t)rng_below(rng, 16),
                         .udp_src = (uint16_t)rng_next(rng),
                         .udp_checksum = (uint16_t)rng_next(rng),
                         .traffic_class = (uint8_t)rng_next(rng),
                         .ttl = (uint8_t)rng_next(rng),
                         .opcode = (uint8_t)(rng_percent(rng, 80) ? rng_below(rng, 12) : odd[rng_below(rng, sizeof odd)]),
                         .pkey = (uint16_t)rng_next(rng),
                         .psn = (uint32_t)rng_next(rng) & 0xFFFFFF,
                         .ina = rng_percent(rng, 50) ? &ina : NULL,
                         .payload = payload,
                         .payload_len = rng_below(rng, rng_percent(rng, 30) ? 8 : sizeof payload)};
  if (b.vlan && rng_percent(rng, 70)) b.key.vlan = (uint16_t)rng_below(rng, 4096);
  b.key.v6 = rng_percent(rng, 40);
  b.key.qpn = (uint32_t)rng_next(rng) & 0xFFFFFF;
  rng_fill(rng, b.key.src, b.key.v6 ? 16 : 4);
  rng_fill(rng, b.key.dst, b.key.v6 ? 16 : 4);
  rng_fill(rng, payload, sizeof payload);
  return roce_build(&b, frame, ROOM);
}

/// A byte of the headers, or the length, is another one; the ICRC may be made to fit.
static size_t spoil(struct rng *rng, uint8_t *frame, size_t len) {
  struct roce_packet p;
  const unsigned changes = rng_below(rng, 3);
  for (unsigned i = 0; i < changes; i++) frame[rng_below(rng, 80)] ^= (uint8_t)(1u << rng_below(rng, 8));
  if (rng_percent(rng, 10)) len -= rng_below(rng, (unsigned)len);
  if (rng_percent(rng, 10)) len += rng_below(rng, ROOM - (unsigned)len);
  if (rng_percent(rng, 70) && roce_locate(frame, len, &p)) icrc_put(frame, &p);
  return len;
}

static void same_key(const struct conn_key *a, const struct witness_key *b) {
  assert_int_equal(a->vlan, b->vlan);
  assert_int_equal(a->v6, b->v6);
  assert_int_equal(a->qpn, b->qp);
  assert_memory_equal(a->src, b->source, 16);
  assert_memory_equal(a->dst, b->destination, 16);
}

static void any_frame_means_the_same(void **state) {
  (void)state;
  struct rng rng = rng_for(1, 0);
  unsigned seen[3] = {0}, tagged = 0, malformed = 0;
  for (unsigned i = 0; i < FRAMES; i++) {
    uint8_t frame[ROOM] = {0};
    struct roce_packet p;
    struct witness_reading r;
    size_t len = draw_frame(&rng, frame);
    if (i % 3 != 0) len = spoil(&rng, frame, len);
    roce_parse(frame, len, &p);
    witness_read(frame, len, &r);
    const enum witness_sort sort = p.class == ROCE_CANDIDATE  ? WITNESS_DATA
                                   : p.class == ROCE_BAD_ICRC ? WITNESS_BAD_ICRC
                                                              : WITNESS_OTHER;
    assert_int_equal(r.sort, sort);
    seen[sort]++;
    if (sort != WITNESS_DATA) continue;
    same_key(&p.key, &r.conn);
    assert_int_equal(r.psn, p.psn);
    assert_int_equal(r.udp, p.udp);
    assert_int_equal(r.bth, p.bth);
    assert_int_equal(r.end, p.ip_end);
    assert_int_equal(r.opens, p.starts);
    assert_int_equal(r.malformed, p.length_bad);
    malformed += r.malformed;
    if (r.malformed) continue;
    assert_int_equal(r.tagged, p.tagged);
    assert_int_equal(r.body, p.header);
    assert_int_equal(r.tensor, p.tensor);
    tagged += r.tagged;
    if (!r.tagged) continue;
    assert_int_equal(r.tag.ring, p.ina.ring);
    assert_int_equal(r.tag.rank, p.ina.rank);
    assert_int_equal(r.tag.kind, p.ina.kind);
    assert_int_equal(r.tag.msgid, p.ina.msgid);
    assert_int_equal(r.tag.msglen, p.ina.msglen);
    assert_int_equal(r.tag.workers, p.ina.workers);
  }
  for (unsigned s = 0; s < 3; s++) assert_true(seen[s] > FRAMES / 20);
  assert_true(tagged > FRAMES / 20 && malformed > 5);
}

static void elements(void **state) {
  (void)state;
  for (unsigned kind = 0; kind < 256; kind++)
    assert_int_equal(witness_element_size((uint8_t)kind), ina_element_size((uint8_t)kind));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(any_frame_means_the_same), cmocka_unit_test(elements)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
