// Gather packets: bytes as docs/wire.md has them, what is refused, and the arithmetic of NetSparse.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "wire/gather.h"
#include "wire/roce.h"

enum { MTU = 1500, PAPER_UPPER = 50 };

static const struct gather_ends ends = {
    .src_mac = {2, 0, 0, 0, 0, 1}, .dst_mac = {2, 0, 0, 0, 0, 2}, .src_ip = {10, 0, 0, 1}, .dst_ip = {10, 0, 0, 2}, .psn = 7};

/// A packet of `count` PRs with random contents; returns its bytes from the concatenation header on.
static size_t packet(uint8_t *out, enum gather_type type, uint32_t len, uint32_t count, uint64_t seed) {
  struct rng d = {seed};
  uint8_t property[512];
  const struct gather_header h = {.type = (uint16_t)type, .dest = 9, .generation = 0xFEDC, .len = (uint16_t)len, .count = count};
  size_t at = GATHER_CONCAT_BYTES;
  gather_put_header(out, &h);
  for (uint32_t i = 0; i < count; i++) {
    rng_fill(&d, property, sizeof property);
    const struct gather_request r = {.type = type,
                                     .generation = 0xFEDC,
                                     .len = len,
                                     .pr = {(uint32_t)rng_next(&d), (uint16_t)rng_next(&d), rng_next(&d), (uint32_t)rng_next(&d)},
                                     .property = property};
    gather_put_pr(out + at, &r);
    at += gather_pr_size(type, len);
  }
  return at;
}

static void bytes_are_those_of_the_document(void **state) {
  (void)state;
  static const uint8_t wanted[] = {0, 2, 0, 0, 1, 4,  0xAB, 0xCD, 0, 4, 0,    0,    0,    1,   // concatenation
                                   0, 0, 0, 3, 0, 17, 0,    0,    0, 1, 0x23, 0x45, 0x67, 0x89, 0xDE, 0xAD, 0xBE, 0xEF,   // PR
                                   1, 2, 3, 4};   // property
  static const uint8_t property[] = {1, 2, 3, 4};
  uint8_t out[sizeof wanted];
  gather_put_header(out,
                    &(struct gather_header){.type = GATHER_RESPONSE, .dest = 260, .generation = 0xABCD, .len = 4, .count = 1});
  gather_put_pr(out + GATHER_CONCAT_BYTES, &(struct gather_request){.type = GATHER_RESPONSE,
                                                                    .len = 4,
                                                                    .pr = {3, 17, UINT64_C(0x123456789), 0xDEADBEEF},
                                                                    .property = property});
  assert_memory_equal(out, wanted, sizeof wanted);
}

static void frames_come_back(void **state) {
  (void)state;
  static const uint32_t lens[] = {4, 12, 64, 512};
  for (int t = GATHER_READ; t <= GATHER_RESPONSE; t++) {
    for (size_t l = 0; l < 4; l++) {
      const uint32_t most = gather_capacity((enum gather_type)t, lens[l], MTU, GATHER_UPPER_BYTES);
      for (uint32_t n = 1; n <= most; n++) {
        uint8_t data[MTU], frame[MTU + 14];
        const size_t len = packet(data, (enum gather_type)t, lens[l], n, n);
        // An IP packet of at most MTU bytes is a frame of at most 14 more.
        const size_t size = gather_build(&ends, data, len, frame, sizeof frame);
        assert_true(size >= len + GATHER_CABLE_BYTES - 4);
        const uint8_t *back;
        size_t back_len;
        struct gather_header h;
        assert_int_equal(gather_parse(frame, size, &back, &back_len, &h), GATHER_GOOD);
        assert_int_equal(back_len, len);
        assert_memory_equal(back, data, len);
        assert_int_equal(h.count, n);
        // Taken apart and put together again, PR by PR.
        uint8_t again[MTU];
        gather_put_header(again, &h);
        for (uint32_t i = 0; i < n; i++) {
          struct gather_request r;
          gather_get_pr(back, &h, i, &r);
          gather_put_pr(again + GATHER_CONCAT_BYTES + i * gather_pr_size(r.type, r.len), &r);
        }
        assert_memory_equal(again, data, len);
        frame[size - 9] ^= 1;
        assert_int_equal(gather_parse(frame, size, &back, &back_len, &h), GATHER_FOREIGN);
      }
    }
  }
}

static void malformed_ones_are_named(void **state) {
  (void)state;
  uint8_t data[MTU], frame[MTU + 100];
  struct gather_header h;
  const uint8_t *back;
  size_t back_len;
  const size_t len = packet(data, GATHER_RESPONSE, 4, 3, 1);
  assert_int_equal(gather_check(data, len, &h), GATHER_GOOD);
  for (size_t n = 0; n < GATHER_CONCAT_BYTES; n++) assert_int_equal(gather_check(data, n, &h), GATHER_SHORT);
  for (size_t n = GATHER_CONCAT_BYTES; n < len; n++) assert_int_equal(gather_check(data, n, &h), GATHER_LENGTH);
  assert_int_equal(gather_check(data, len + 1, &h), GATHER_LENGTH);
  data[1] = 3;
  assert_int_equal(gather_check(data, len, &h), GATHER_UNKNOWN_TYPE);
  data[1] = 0;
  assert_int_equal(gather_check(data, len, &h), GATHER_UNKNOWN_TYPE);
  data[1] = GATHER_READ;
  assert_int_equal(gather_check(data, len, &h), GATHER_LENGTH);
  data[1] = GATHER_RESPONSE;
  data[13] = 0;
  assert_int_equal(gather_check(data, len, &h), GATHER_EMPTY);
  data[13] = 3;
  memset(data + 6, 0xFF, 4);   // properties of 4 GiB
  assert_int_equal(gather_check(data, len, &h), GATHER_LENGTH);
  data[9] = 0xFB;   // with its header a PR's length is 13 in 32 bits
  data[13] = 1;
  assert_int_equal(gather_check(data, GATHER_CONCAT_BYTES + 13, &h), GATHER_LENGTH);
  data[13] = 3;
  // No UD: the same bytes behind an RC opcode, and no room for a DETH.
  size_t size = gather_build(&ends, data, 0, frame, sizeof frame);
  assert_int_equal(gather_parse(frame, size, &back, &back_len, &h), GATHER_SHORT);
  const struct roce_build rc = {.opcode = ROCE_SEND_ONLY, .payload = data, .payload_len = len};
  size = roce_build(&rc, frame, sizeof frame);
  assert_int_equal(gather_parse(frame, size, &back, &back_len, &h), GATHER_FOREIGN);
  assert_int_equal(gather_build(&ends, data, len, frame, 100), 0);
}

/// NetSparse 6.1 and Table 5: a packet of 1500 bytes with 50 of upper layers. The real headers leave room for as many.
static void a_packet_holds_as_many_as_published(void **state) {
  (void)state;
  static const struct { uint32_t k, responses; } rows[] = {{1, 65}, {16, 17}, {128, 2}, {256, 1}};
  static const size_t uppers[] = {PAPER_UPPER, GATHER_UPPER_BYTES};
  for (size_t u = 0; u < 2; u++) {
    for (size_t i = 0; i < 4; i++) {
      assert_int_equal(gather_capacity(GATHER_READ, 4 * rows[i].k, MTU, uppers[u]), 79);
      assert_int_equal(gather_capacity(GATHER_RESPONSE, 4 * rows[i].k, MTU, uppers[u]), rows[i].responses);
    }
  }
  assert_int_equal(gather_capacity(GATHER_READ, 4, 60, PAPER_UPPER), 0);
}

/// NetSparse Table 3, to the digit, for K = 1, 2, 4, .. 256.
static void header_shares_are_the_published_ones(void **state) {
  (void)state;
  static const int tenths[] = {976, 952, 909, 833, 714, 556, 385, 238, 135};
  for (unsigned i = 0; i < 9; i++) {
    const double percent = 100 * gather_header_share(PAPER_UPPER, 12, 4u << i);
    assert_int_equal((int)(percent * 10 + 0.5), tenths[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bytes_are_those_of_the_document),
      cmocka_unit_test(frames_come_back),
      cmocka_unit_test(malformed_ones_are_named),
      cmocka_unit_test(a_packet_holds_as_many_as_published),
      cmocka_unit_test(header_shares_are_the_published_ones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
