// Counters of corrected memories: each kind by itself, several ports in one cycle, and the place of the last event.
// DUT: weir_memory -GNumPorts=3
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "drive/bits.h"
#include "drive/dut.h"
#include "structs/agg_pkg.h"

enum { PORTS = 3, CORRECTED = 29, BAD = 30, OTHER = 31, VALID = 1 << 25, IS_BAD = 1 << 24, MEMORY = 16 };

static struct dut *fresh(void) {
  struct dut *d = dut_new();
  dut_reset(d);
  return d;
}

static uint64_t counter(struct dut *d, unsigned which, unsigned index) {
  dut_set(d, "which_i", which);
  dut_set(d, "index_i", index);
  dut_tick(d);
  dut_tick(d);
  return dut_get(d, "value_o");
}

/// One event of a bank's memory at a slot, then none.
static void bank(struct dut *d, const char *port, bool corrected, bool bad, unsigned slot) {
  uint32_t words[WORDS_OF(mem_event_t, 1)] = {0};
  uint32_t found[WORDS_OF(ecc_t, 1)] = {0};
  bits_put(found, FIELD(ecc_t, corrected), corrected);
  bits_put(found, FIELD(ecc_t, bad), bad);
  bits_put(words, FIELD(mem_event_t, found), found[0]);
  bits_put(words, FIELD(mem_event_t, at), slot);
  dut_set(d, port, words[0]);
  dut_tick(d);
  dut_set(d, port, 0);
}

/// `ports` with an event, a bit each: corrected or bad.
static void of_ports(struct dut *d, const char *port, unsigned ports, bool bad) {
  uint32_t words[1] = {0}, found[1] = {0};
  bits_put(found, FIELD(ecc_t, corrected), !bad);
  bits_put(found, FIELD(ecc_t, bad), bad);
  for (unsigned p = 0; p < PORTS; p++)
    if (ports >> p & 1) bits_put(words, p * ecc_t__BITS, ecc_t__BITS, found[0]);
  dut_set(d, port, words[0]);
  dut_tick(d);
  dut_set(d, port, 0);
}

static void banks_are_counted_with_their_slot(void **state) {
  (void)state;
  struct dut *d = fresh();
  assert_int_equal(counter(d, OTHER, 0), 0);
  bank(d, "rows_i", true, false, 7);
  assert_int_equal(counter(d, OTHER, 0), VALID | MemRows << MEMORY | 7);
  bank(d, "rows_i", true, true, 9);
  assert_int_equal(counter(d, OTHER, 0), VALID | IS_BAD | MemRows << MEMORY | 9);
  bank(d, "headers_i", false, true, 16383);
  assert_int_equal(counter(d, OTHER, 0), VALID | IS_BAD | MemHeaders << MEMORY | 16383);
  bank(d, "slots_i", true, false, 680);
  assert_int_equal(counter(d, OTHER, 0), VALID | MemSlots << MEMORY | 680);
  bank(d, "slots_i", false, true, 681);
  assert_int_equal(counter(d, OTHER, 0), VALID | IS_BAD | MemSlots << MEMORY | 681);
  assert_int_equal(counter(d, CORRECTED, MemSlots), 1);
  assert_int_equal(counter(d, BAD, MemSlots), 1);
  bank(d, "conns_i", true, false, 1023);
  assert_int_equal(counter(d, OTHER, 0), VALID | MemConns << MEMORY | 1023);
  bank(d, "conns_i", false, true, 5);
  assert_int_equal(counter(d, OTHER, 0), VALID | IS_BAD | MemConns << MEMORY | 5);
  bank(d, "messages_i", false, true, 47);
  assert_int_equal(counter(d, OTHER, 0), VALID | IS_BAD | MemMessages << MEMORY | 47);
  bank(d, "messages_i", true, false, 46);
  assert_int_equal(counter(d, OTHER, 0), VALID | MemMessages << MEMORY | 46);
  for (unsigned m = MemConns; m <= MemMessages; m++) {
    assert_int_equal(counter(d, CORRECTED, m), 1);
    assert_int_equal(counter(d, BAD, m), 1);
  }
  assert_int_equal(counter(d, CORRECTED, MemRows), 2);
  assert_int_equal(counter(d, BAD, MemRows), 1);
  assert_int_equal(counter(d, CORRECTED, MemHeaders), 0);
  assert_int_equal(counter(d, BAD, MemHeaders), 1);
  dut_free(d);
}

static void ports_count_each(void **state) {
  (void)state;
  static const struct {
    const char *port;
    unsigned memory;
  } ports[] = {{"ingress_i", MemIngress}, {"egress_i", MemEgress}, {"pass_i", MemPass}};
  struct dut *d = fresh();
  for (size_t i = 0; i < 3; i++) {
    of_ports(d, ports[i].port, 5, false);
    assert_int_equal(counter(d, OTHER, 0), VALID | ports[i].memory << MEMORY | 2);
    of_ports(d, ports[i].port, 2, true);
    assert_int_equal(counter(d, OTHER, 0), VALID | IS_BAD | ports[i].memory << MEMORY | 1);
  }
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(counter(d, CORRECTED, ports[i].memory), 2);
    assert_int_equal(counter(d, BAD, ports[i].memory), 1);
  }
  dut_free(d);
}

static void results_and_the_line(void **state) {
  (void)state;
  struct dut *d = fresh();
  dut_set(d, "spoiled_i", 7);
  dut_set(d, "dropped_i", 1);
  dut_tick(d);
  assert_int_equal(dut_get(d, "bad_o"), 0);
  dut_set(d, "spoiled_i", 0);
  dut_set(d, "dropped_i", 0);
  dut_tick(d);
  assert_int_equal(counter(d, OTHER, 1), 3);
  assert_int_equal(counter(d, OTHER, 2), 1);
  // The line tells of what cannot be corrected, for a cycle, and of nothing else.
  of_ports(d, "egress_i", 1, false);
  assert_int_equal(dut_get(d, "bad_o"), 0);
  of_ports(d, "egress_i", 1, true);
  assert_int_equal(dut_get(d, "bad_o"), 1);
  dut_tick(d);
  assert_int_equal(dut_get(d, "bad_o"), 0);
  // What is no counter reads 0.
  assert_int_equal(counter(d, CORRECTED, 8), 0);
  assert_int_equal(counter(d, OTHER, 3), 0);
  assert_int_equal(counter(d, 28, 1), 0);
  dut_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(banks_are_counted_with_their_slot),
      cmocka_unit_test(ports_count_each),
      cmocka_unit_test(results_and_the_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
