// The arbiter against a search from the last winner on, and its promise that nobody waits for more than the others once.
// DUT: prim_arb_rr -GN=1
// DUT: prim_arb_rr -GN=2
// DUT: prim_arb_rr -GN=5
// DUT: prim_arb_rr -GN=16
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "drive/dut.h"

enum { MAX = 16, CYCLES = 30000 };

/// Who wins: the first requester behind `last`, with a wrap.
static unsigned winner(uint64_t requests, unsigned last, unsigned n) {
  unsigned who = last;
  do who = (who + 1) % n;
  while (!(requests >> who & 1));
  return who;
}

/// Runs with requesters that begin to ask one time in `busy` cycles and do not stop before they are served.
static void run(struct dut *d, unsigned busy, unsigned *served) {
  unsigned n = (unsigned)dut_width(d, "req_i"), last = n - 1, waited[MAX] = {0};
  uint64_t asking = 0;
  dut_set(d, "req_i", 0);
  dut_reset(d);
  for (unsigned cycle = 0; cycle < CYCLES; cycle++) {
    for (unsigned i = 0; i < n; i++) asking |= (uint64_t)(rand() % (int)busy == 0) << i;
    bool advance = rand() % 3 != 0;
    dut_set(d, "req_i", asking);
    dut_set(d, "advance_i", advance);
    dut_eval(d);
    assert_int_equal(dut_get(d, "valid_o"), asking != 0);
    if (asking) {
      unsigned who = winner(asking, last, n);
      assert_int_equal(dut_get(d, "idx_o"), who);
      assert_int_equal(dut_get(d, "gnt_o"), UINT64_C(1) << who);
      if (advance) {
        for (unsigned i = 0; i < n; i++) waited[i] += (unsigned)(asking >> i & 1);
        assert_true(waited[who] <= n);
        waited[who] = 0;
        asking &= ~(UINT64_C(1) << who);
        last = who;
        ++*served;
      }
    } else {
      assert_int_equal(dut_get(d, "gnt_o"), 0);
    }
    dut_tick(d);
  }
}

static void serves_in_turn(void **state) {
  (void)state;
  struct dut *d = dut_new();
  unsigned served = 0;
  static const unsigned busy[] = {1, 2, 8, 60};
  for (unsigned i = 0; i < 4; i++) run(d, busy[i], &served);
  assert_true(served > CYCLES);
  dut_free(d);
}

/// Requests that come and go as they like, which the turn must survive.
static void follows_any_requests(void **state) {
  (void)state;
  struct dut *d = dut_new();
  unsigned n = (unsigned)dut_width(d, "req_i"), last = n - 1;
  dut_reset(d);
  for (unsigned cycle = 0; cycle < CYCLES; cycle++) {
    uint64_t requests = (uint64_t)rand() % (UINT64_C(1) << n);
    bool advance = rand() % 2;
    dut_set(d, "req_i", requests);
    dut_set(d, "advance_i", advance);
    dut_eval(d);
    unsigned who = requests ? winner(requests, last, n) : 0;
    assert_int_equal(dut_get(d, "gnt_o"), requests ? UINT64_C(1) << who : 0);
    if (requests && advance) last = who;
    dut_tick(d);
  }
  dut_free(d);
}

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(serves_in_turn), cmocka_unit_test(follows_any_requests)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
