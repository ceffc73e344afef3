// What a device may be without: C, the hardware's package and the register have one list, and what follows from it.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rtl/csr/weir_csr.h"
#include "wire/feature.h"

static void hardware_has_the_same(void **state) {
  (void)state;
  FILE *f = fopen("rtl/roce/roce_pkg.sv", "r");
  assert_non_null(f);
  char line[200], name[64];
  unsigned seen = 0, bit;
  while (fgets(line, sizeof line, f) != NULL) {
    if (sscanf(line, " localparam int unsigned Without%63[A-Za-z0-9] = %u;", name, &bit) == 2) {
      // "IcrcCheck" is "icrc_check".
      char snake[80] = "";
      for (size_t i = 0, n = 0; name[i] != '\0'; i++) {
        if (name[i] < 'a' && name[i] > '9' && i != 0) snake[n++] = '_';
        snake[n++] = name[i] > '9' ? (char)(name[i] | 0x20) : name[i];
      }
      assert_int_equal(bit, seen);
      assert_string_equal(snake, feature_name((enum feature)bit));
      seen++;
    } else if (sscanf(line, " localparam int unsigned NumWithout = %u;", &bit) == 1) {
      assert_int_equal(bit, FEATURE_COUNT);
    }
  }
  fclose(f);
  assert_int_equal(seen, FEATURE_COUNT);
  assert_string_equal(feature_name(FEATURE_COUNT), "?");
}

static void register_has_the_same(void **state) {
  (void)state;
  assert_int_equal(WEIR_CSR__CAP_WITHOUT__ICRC_CHECK_bp, FEATURE_ICRC_CHECK);
  assert_int_equal(WEIR_CSR__CAP_WITHOUT__IPV6_bp, FEATURE_IPV6);
  assert_int_equal(WEIR_CSR__CAP_WITHOUT__VLAN_bp, FEATURE_VLAN);
  assert_int_equal(WEIR_CSR__CAP_WITHOUT__FP32_bp, FEATURE_FP32);
  assert_int_equal(WEIR_CSR__CAP_WITHOUT__FP16_bp, FEATURE_FP16);
  assert_int_equal(WEIR_CSR__CAP_WITHOUT__BF16_bp, FEATURE_BF16);
  assert_int_equal(WEIR_CSR__CAP_WITHOUT__INT32_bp, FEATURE_INT32);
  assert_int_equal(WEIR_CSR__CAP_WITHOUT__MIN_MAX_bp, FEATURE_MIN_MAX);
  assert_int_equal(WEIR_CSR__CAP_WITHOUT__LEARNING_bp, FEATURE_LEARNING);
  assert_int_equal(WEIR_CSR__CAP_WITHOUT__WIDE_COUNTERS_bp, FEATURE_WIDE_COUNTERS);
  assert_int_equal(WEIR_CSR__CAP_WITHOUT__OBSERVATION_bp, FEATURE_OBSERVATION);
}

static void reduces_what_is_left(void **state) {
  (void)state;
  for (unsigned kind = 0; kind < 256; kind++) {
    const bool code = kind % 16 <= INA_INT32 && kind / 16 <= INA_MAX;
    assert_int_equal(feature_reduces(0, (uint8_t)kind), code);
    for (unsigned type = INA_FP32; type <= INA_INT32; type++)
      assert_int_equal(feature_reduces(1u << (FEATURE_FP32 + type), (uint8_t)kind), code && kind % 16 != type);
    assert_int_equal(feature_reduces(1u << FEATURE_MIN_MAX, (uint8_t)kind), code && kind / 16 == INA_SUM);
  }
}

static void reads_what_is_left(void **state) {
  (void)state;
  const struct conn_key v4 = {.qpn = 1}, v6 = {.v6 = true}, tagged = {.vlan = 7};
  const unsigned no_v6 = 1u << FEATURE_IPV6, no_vlan = 1u << FEATURE_VLAN;
  assert_true(feature_reads(no_v6 | no_vlan, &v4, false));
  assert_false(feature_reads(no_v6, &v6, false));
  assert_true(feature_reads(no_vlan, &v6, false));
  assert_false(feature_reads(no_vlan, &tagged, true));
  assert_true(feature_reads(no_v6, &tagged, true));
  assert_false(feature_reads(no_vlan, &v4, true));   // a tag that names no VLAN
  assert_true(feature_reads(0, &v6, true));
}

static void tells_names(void **state) {
  (void)state;
  char text[64];
  feature_names(0, text, sizeof text);
  assert_string_equal(text, "");
  feature_names(1u << FEATURE_IPV6 | 1u << FEATURE_INT32, text, sizeof text);
  assert_string_equal(text, "ipv6, int32");
  char small[8];
  feature_names(~0u, small, sizeof small);
  assert_string_equal(small, "icrc_ch");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(hardware_has_the_same), cmocka_unit_test(register_has_the_same),
                                     cmocka_unit_test(reduces_what_is_left), cmocka_unit_test(reads_what_is_left),
                                     cmocka_unit_test(tells_names)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
