// A memory of several parts, among them a half one and a rest, is one memory: every word keeps what was written to it.
// DUT: prim_ram_deep -GWidth=16 -GDepth=15 -GPartWords=4
// DUT: prim_ram_deep -GWidth=16 -GDepth=15 -GPartWords=8
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "drive/dut.h"

enum { DEPTH = 15, READS = 20000 };

static void every_word_is_its_own(void **state) {
  (void)state;
  struct dut *d = dut_new();
  uint16_t words[DEPTH];
  dut_set(d, "we_i", 1);
  for (unsigned i = 0; i < DEPTH; i++) {
    words[i] = (uint16_t)rand();
    dut_set(d, "waddr_i", i);
    dut_set(d, "wdata_i", words[i]);
    dut_tick(d);
  }
  int awaited[2] = {-1, -1};   // by the reads of the last two cycles
  for (unsigned n = 0; n < READS; n++) {
    const bool writes = rand() % 4 == 0, reads = rand() % 4 != 0;
    const unsigned written = (unsigned)rand() % DEPTH, read = (unsigned)rand() % DEPTH;
    const uint16_t word = (uint16_t)rand();
    dut_set(d, "we_i", writes);
    dut_set(d, "waddr_i", written);
    dut_set(d, "wdata_i", word);
    dut_set(d, "re_i", reads);
    dut_set(d, "raddr_i", read);
    awaited[1] = awaited[0];
    awaited[0] = reads ? words[read] : -1;
    dut_tick(d);
    if (awaited[1] >= 0) assert_int_equal(dut_get(d, "rdata_o"), awaited[1]);
    if (writes) words[written] = word;
  }
  dut_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_word_is_its_own)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
