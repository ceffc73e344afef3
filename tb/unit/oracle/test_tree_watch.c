// What is counted of the frames on a cable, and the witness's half rings beside those of the model.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "oracle/tree_watch.h"
#include "oracle/witness.h"
#include "wire/rc.h"
#include "wire/reduce.h"

static void see(struct tree_watch *w, uint8_t opcode, uint32_t qp, uint32_t psn, size_t bytes, bool spoil) {
  static const uint8_t mac[6] = {2}, payload[64];
  uint8_t frame[256];
  struct roce_build b = {.key = {.src = {10, 0, 0, 1}, .dst = {10, 0, 0, 2}, .qpn = qp},
                         .opcode = opcode,
                         .psn = psn & PSN_MASK,
                         .payload = payload,
                         .payload_len = bytes};
  const size_t len = rc_build(&b, mac, mac, frame, sizeof frame);
  assert_true(len > 0);
  if (spoil) frame[50] ^= 1;
  tree_watch_see(w, frame, len);
}

/// Each packet once, by connection; what is sent again, what is missing, and what is none of it.
static void test_counts(void **state) {
  (void)state;
  struct tree_watch w = {0};
  see(&w, ROCE_SEND_FIRST, 5, 0xFFFFFF, 64, false);
  see(&w, ROCE_SEND_ONLY, 6, 100, 10, false);
  see(&w, ROCE_SEND_LAST, 5, 0, 7, false);
  see(&w, ROCE_SEND_FIRST, 5, 0xFFFFFF, 64, false);
  see(&w, ROCE_SEND_LAST, 5, 0, 7, false);
  see(&w, ROCE_SEND_ONLY, 5, 2, 1, false);
  see(&w, ROCE_ACK, 5, 2, 4, false);
  see(&w, ROCE_SEND_ONLY, 5, 3, 1, true);
  assert_int_equal(w.count, 2);
  assert_int_equal(w.unread, 1);
  assert_int_equal(w.others, 1);
  const struct tree_watch_flow *f = &w.flows[0];
  assert_int_equal(f->qp, 5);
  assert_int_equal(f->packets, 3);
  assert_int_equal(f->messages, 2);
  assert_int_equal(f->bytes, 72);
  assert_int_equal(f->repeats, 2);
  assert_int_equal(f->gaps, 1);
  assert_int_equal(w.flows[1].messages, 1);
  assert_int_equal(w.flows[1].bytes, 10);
}

static void test_half_rings(void **state) {
  (void)state;
  enum { LEN = 64 };
  static const uint8_t kinds[] = {0x00, 0x01, 0x02, 0x03, 0x10, 0x11, 0x12, 0x13, 0x20, 0x21, 0x22, 0x23};
  struct rng d = rng_for(3, 4);
  for (unsigned n = 0; n < 4000; n++) {
    const size_t ports = 2 * (size_t)rng_from(&d, 1, 16);
    uint8_t bytes[32][LEN], model[LEN], witness[LEN];
    const uint8_t *rows[32] = {NULL};
    size_t count = 0;
    for (size_t p = 0; p < ports; p++) {
      rng_fill(&d, bytes[p], LEN);
      if (n % 2 == 0)   // numbers of like size, so that each rounding is one that can be seen
        for (size_t i = 0; i < LEN; i += 4) bytes[p][i + 3] = 0x41, bytes[p][i + 1] &= 0x4F;
      if (rng_percent(&d, 60)) rows[p] = bytes[p], count++;
    }
    if (count == 0) continue;
    const uint8_t kind = kinds[rng_below(&d, sizeof kinds)];
    assert_int_equal(half_rings_reduce(kind, rows, ports, LEN, model), 0);
    witness_half_rings(kind, rows, ports, LEN, witness);
    assert_memory_equal(model, witness, LEN);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts), cmocka_unit_test(test_half_rings)};
  cmocka_set_message_output(CM_OUTPUT_TAP);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
