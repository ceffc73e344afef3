// What the golden model makes of packets that need what the device is without (docs/protocol.md).
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"
#include "unit/gradient.h"
#include "unit/model/model_bench.h"

enum { H = 2, RANK = 1 };

/// One learning ring, BENCH_RING, in a device without `without`.
static struct model *device_without(unsigned without) {
  const struct model_limits limits = {
      .ports = 2, .ranks = H, .conns = 4, .slot_bytes = BENCH_SLOT, .max_frame_bytes = BENCH_MAX_FRAME, .without = without};
  const struct model_ring ring = {.id = BENCH_RING, .workers = H, .window = 2, .stride = BENCH_STRIDE, .learn = true};
  struct model *m = model_new(&limits, &ring, 1);
  assert_non_null(m);
  return m;
}

static enum fate decide(struct model *m, const struct gradient *g, unsigned flipped) {
  uint8_t frame[GRADIENT_ROOM];
  const size_t len = gradient_frame(g, frame);
  if (flipped != 0) frame[len - flipped] ^= 1;
  struct model_verdict v;
  model_rx(m, 0, frame, len, false, &v);
  return v.fate;
}

static void any_icrc_is_good(void **state) {
  (void)state;
  const struct gradient g = bench_packet(H, RANK, 0, 0);
  struct model *m = device_without(0);
  assert_int_equal(decide(m, &g, 1), FATE_BAD_ICRC);
  model_free(m);
  m = device_without(1u << FEATURE_ICRC_CHECK);
  assert_int_equal(decide(m, &g, 1), FATE_STORED);      // the ICRC is wrong
  assert_int_equal(decide(m, &g, 5), FATE_DUPLICATE);   // or the tensor
  model_free(m);
}

/// First packets of the ring are refused, and teach nothing; others are an unknown connection's.
static void refuses_strangers(unsigned without, void (*change)(struct gradient *g)) {
  struct model *m = device_without(0);
  struct gradient first = bench_packet(H, RANK, 0, 0), middle = bench_packet(H, RANK, 0, 1), other = first;
  other.ina.ring = 99;
  change(&first);
  change(&middle);
  change(&other);
  assert_int_equal(decide(m, &first, 0), FATE_STORED);   // by a device that has it
  assert_int_equal(decide(m, &middle, 0), FATE_STORED);
  model_free(m);
  m = device_without(without);
  assert_int_equal(decide(m, &first, 0), FATE_BAD_HEADER);
  assert_int_equal(decide(m, &middle, 0), FATE_PASSED);
  assert_int_equal(decide(m, &other, 0), FATE_PASSED);
  model_set_open(m, 0, false);
  assert_int_equal(decide(m, &first, 0), FATE_BAD_HEADER);
  assert_int_equal(decide(m, &middle, 0), FATE_CLOSED);
  assert_int_equal(decide(m, &other, 0), FATE_CLOSED);
  unsigned used, retired;
  model_connections(m, &used, &retired);
  assert_int_equal(used, 0);
  model_free(m);
}

static void over_ipv6(struct gradient *g) { g->build.key.v6 = true; }
static void in_a_vlan(struct gradient *g) { g->build.key.vlan = 7; }

static void ipv6_is_a_stranger(void **state) {
  (void)state;
  refuses_strangers(1u << FEATURE_IPV6, over_ipv6);
}

static void vlan_is_a_stranger(void **state) {
  (void)state;
  refuses_strangers(1u << FEATURE_VLAN, in_a_vlan);
}

static void a_priority_tag_is_no_key(void **state) {
  (void)state;
  struct model *m = device_without(1u << FEATURE_VLAN);
  struct gradient g = bench_packet(H, RANK, 0, 0);
  assert_int_equal(decide(m, &g, 0), FATE_STORED);
  g = bench_packet(H, RANK, 0, 1);
  g.build.vlan = true;   // VID 0: the same key
  assert_int_equal(decide(m, &g, 0), FATE_PASSED);
  g.build.vlan = false;
  assert_int_equal(decide(m, &g, 0), FATE_STORED);
  model_free(m);
}

static void types_and_operations(void **state) {
  (void)state;
  for (unsigned kind = 0; kind < 64; kind++) {
    if (ina_element_size((uint8_t)kind) == 0) continue;
    for (unsigned f = FEATURE_FP32; f <= FEATURE_MIN_MAX; f++) {
      struct model *m = device_without(1u << f);
      struct gradient g = bench_packet(H, RANK, 0, 0);
      g.ina.kind = (uint8_t)kind;
      const bool lacks = f == FEATURE_MIN_MAX ? kind >> 4 != INA_SUM : (kind & 15) == f - FEATURE_FP32;
      assert_int_equal(decide(m, &g, 0), lacks ? FATE_BAD_HEADER : FATE_STORED);
      model_free(m);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(any_icrc_is_good), cmocka_unit_test(ipv6_is_a_stranger),
                                     cmocka_unit_test(vlan_is_a_stranger), cmocka_unit_test(a_priority_tag_is_no_key),
                                     cmocka_unit_test(types_and_operations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
