// The small FIFO in several depths, powers of two and others, against the queue twin.
// DUT: fifo_depths
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "drive/dut.h"
#include "unit/prim/queue_twin.h"

static void every_depth(void **state) {
  (void)state;
  static const unsigned depths[] = {1, 2, 3, 5, 8};
  struct dut *d = dut_new();
  dut_reset(d);
  for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
    char tag[8];
    snprintf(tag, sizeof tag, "[%zu]", i);
    queue_check(d, &(struct queue_promise){.tag = tag, .places = depths[i], .latency = 1, .counts = true});
  }
  dut_free(d);
}

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_depth)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
