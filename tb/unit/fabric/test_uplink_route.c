// Overrides, loads and flowlets, as pure functions.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "model/uplink/uplink_route.h"

/// Prefixes of every length: all bits in front count, none behind.
static void prefixes(void **state) {
  (void)state;
  for (unsigned length = 0; length <= 128; length++) {
    struct uplink_key key = {.dst = {0x20010DB800000001, 0x1122334455667788}, .sport = 49152};
    struct uplink_override o = {true, 49152, {key.dst[0], key.dst[1]}, (uint8_t)length, 2};
    for (unsigned bit = 0; bit < 128; bit++) {
      key.dst[bit / 64] ^= UINT64_C(1) << (63 - bit % 64);
      assert_int_equal(uplink_override_matches(&o, &key), bit >= length);
      key.dst[bit / 64] ^= UINT64_C(1) << (63 - bit % 64);
    }
    assert_true(uplink_override_matches(&o, &key));
    key.sport++;
    assert_false(uplink_override_matches(&o, &key));
    o.valid = false;
    key.sport--;
    assert_false(uplink_override_matches(&o, &key));
  }
}

/// The first match counts; where its port is dead the default route decides, not the second match.
static void first_match(void **state) {
  (void)state;
  const uint64_t to = uplink_mapped(0x0A000102);
  const struct uplink_override o[] = {{true, 1, {0, to}, 128, 5}, {true, 1, {0, to & ~UINT64_C(255)}, 96 + 24, 6}};
  struct uplink_key key = {.dst = {0, to}, .sport = 1};
  assert_int_equal(uplink_overridden(o, 2, &key, 0xFF), 5);
  assert_int_equal(uplink_overridden(o, 2, &key, 0xFF & ~(1 << 5)), -1);
  key.dst[1]++;
  assert_int_equal(uplink_overridden(o, 2, &key, 0xFF), 6);
  key.dst[1] += 256;
  assert_int_equal(uplink_overridden(o, 2, &key, 0xFF), -1);
}

static void loads(void **state) {
  (void)state;
  struct uplink_load l = {{0}, 0};
  uplink_load_add(&l, 1, 100);
  uplink_load_add(&l, 0, 50);
  assert_int_equal(uplink_load_least(&l, 0x7, 3), 2);
  assert_int_equal(uplink_load_least(&l, 0x3, 3), 0);
  assert_int_equal(uplink_load_least(&l, 0x2, 3), 1);
  assert_int_equal(uplink_load_least(&l, 0x8, 3), -1);
  uplink_load_until(&l, 255, 256);
  assert_int_equal(l.bytes[1], 100);
  uplink_load_until(&l, 256, 256);
  assert_int_equal(l.bytes[1], 87);   // 100 - 13
  uplink_load_until(&l, 256 * 1000000ull, 256);
  assert_int_equal(l.bytes[1], 0);
  uplink_load_add(&l, 1, UPLINK_MOST_LOAD);
  uplink_load_add(&l, 1, 1);
  assert_int_equal(l.bytes[1], UPLINK_MOST_LOAD);
  // 64 bytes each time unit: between 7 and 8 periods' worth, just behind and just before a multiple.
  l = (struct uplink_load){{0}, 0};
  for (uint64_t t = 1; t < 256 * 200; t++) {
    uplink_load_until(&l, t, 256);
    uplink_load_add(&l, 3, 64);
  }
  assert_in_range(l.bytes[3], 256 * 64 * 79 / 10, 256 * 64 * 8);
}

/// The interval itself is no gap, one more is; a dead port is left at once.
static void flowlets(void **state) {
  (void)state;
  struct uplink_flowlet e = {false, 0, 0};
  enum uplink_flowlet_why why;
  assert_int_equal(uplink_flowlet_step(&e, 10, 100, 0xF, 2, &why), 2);
  assert_int_equal(why, UPLINK_FIRST);
  assert_int_equal(uplink_flowlet_step(&e, 110, 100, 0xF, 1, &why), 2);
  assert_int_equal(why, UPLINK_GOES_ON);
  assert_int_equal(uplink_flowlet_step(&e, 211, 100, 0xF, 1, &why), 1);
  assert_int_equal(why, UPLINK_GAP);
  assert_int_equal(uplink_flowlet_step(&e, 211, 100, 0xD, 3, &why), 3);
  assert_int_equal(why, UPLINK_DEAD);
  assert_int_equal(uplink_flowlet_step(&e, UINT64_MAX, UINT64_MAX, 0xF, 0, NULL), 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(prefixes), cmocka_unit_test(first_match), cmocka_unit_test(loads),
                                     cmocka_unit_test(flowlets)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
