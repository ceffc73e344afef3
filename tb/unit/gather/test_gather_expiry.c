// Numbers of entries: as many as there is room for, opened as late as four cycles behind the word that there is room; none is given that an entry has still.
// DUT: gather_expiry -GNumQueues=32 -GDepth=16 -GClockW=12
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "drive/dut.h"

enum { DEPTH = 16, QUEUES = 32, LATEST = 4, CYCLES = 20000 };

static void numbers_are_unique(void **state) {
  (void)state;
  struct dut *d = dut_new();
  dut_reset(d);
  bool has[DEPTH] = {false};
  unsigned ready = 0, entries = 0, most = 0, opened = 0;   // `ready`: a bit for each of the last cycles
  for (unsigned cycle = 0; cycle < CYCLES; cycle++) {
    // For a while entries are taken as they come, then none is.
    const bool takes = cycle / 100 % 2;
    dut_set(d, "force_i", takes);
    dut_set(d, "open_valid_i", 0);
    dut_eval(d);
    dut_set(d, "due_ready_i", takes && rand() % 2);
    ready = ready << 1 | (unsigned)dut_get(d, "open_ready_o");
    const bool opens = ready >> LATEST & 1;
    const unsigned id = (unsigned)dut_get(d, "open_id_o");
    dut_set(d, "open_valid_i", opens);
    dut_set(d, "open_queue_i", (unsigned)rand() % QUEUES);
    dut_set(d, "delay_i", 20);
    dut_eval(d);
    if (dut_get(d, "due_taken_o")) {
      const unsigned due = (unsigned)dut_get(d, "due_id_o");
      assert_true(has[due]);
      has[due] = false;
      entries--;
      dut_set(d, "close_valid_i", 1);
      dut_set(d, "close_id_i", due);
    }
    if (opens) {
      assert_false(has[id]);
      has[id] = true;
      entries++, opened++;
      if (entries > most) most = entries;
    }
    dut_tick(d);
    dut_set(d, "close_valid_i", 0);
  }
  assert_true(opened > 1000 && most > 8);
  dut_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_unique)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
