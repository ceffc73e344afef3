// The deep FIFO against the queue twin: one cycle from in to out if it was empty, two at most, then one
// entry a cycle, whatever stalled before.
// DUT: prim_fifo_ram -GDepth=8
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "drive/dut.h"
#include "unit/prim/queue_twin.h"

static void keeps_order_and_time(void **state) {
  (void)state;
  struct dut *d = dut_new();
  dut_reset(d);
  queue_check(d, &(struct queue_promise){.tag = "", .places = 8, .latency = 2, .soonest = 1, .counts = true});
  dut_free(d);
}

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(keeps_order_and_time)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
