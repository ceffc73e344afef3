// Memory of both latencies against an array: old data when reading what is being written, outputs that hold.
// DUT: ram_latencies
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "drive/dut.h"

enum { WIDTH = 37, DEPTH = 12, CYCLES = 40000 };

static uint64_t word(void) { return ((uint64_t)rand() << 20 ^ (uint64_t)rand()) & ((UINT64_C(1) << WIDTH) - 1); }

static void behaves_as_an_array(void **state) {
  (void)state;
  struct dut *d = dut_new();
  uint64_t memory[DEPTH];
  for (unsigned a = 0; a < DEPTH; a++) {
    memory[a] = word();
    dut_set(d, "we_i", 1);
    dut_set(d, "waddr_i", a);
    dut_set(d, "wdata_i", memory[a]);
    dut_tick(d);
  }

  uint64_t one = 0, two = 0;   // what the outputs show
  bool one_known = false, one_read = false, two_known = false;
  unsigned collisions = 0, holds = 0;
  for (unsigned cycle = 0; cycle < CYCLES; cycle++) {
    bool we = rand() % 2, re = rand() % 3 != 0;
    unsigned waddr = (unsigned)rand() % DEPTH, raddr = rand() % 4 ? (unsigned)rand() % DEPTH : waddr;
    uint64_t data = word();
    dut_set(d, "we_i", we);
    dut_set(d, "waddr_i", waddr);
    dut_set(d, "wdata_i", data);
    dut_set(d, "re_i", re);
    dut_set(d, "raddr_i", raddr);
    dut_tick(d);

    // The output register takes what the first stage showed, in the cycle after a read.
    if (one_read) {
      two = one;
      two_known = true;
    }
    one_read = re;
    if (re) {
      one = memory[raddr];
      one_known = true;
    }
    if (we) memory[waddr] = data;
    collisions += we && re && waddr == raddr;
    holds += !re;
    if (one_known) assert_int_equal(dut_get(d, "rdata1_o"), one);
    if (two_known) assert_int_equal(dut_get(d, "rdata2_o"), two);
  }
  assert_true(collisions > CYCLES / 20 && holds > CYCLES / 20);
  dut_free(d);
}

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(behaves_as_an_array)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
