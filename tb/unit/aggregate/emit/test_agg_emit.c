// Emission against a plain stand-in for everything around it (emit_bench.h).
// DUT: agg_emit -GNumPorts=3 -GNumRanks=4 -GNumRings=4 -GNumSlots=8 -GFifoRows=40 -GHdrFrames=3
// DUT: agg_emit -GNumPorts=3 -GNumRanks=4 -GNumRings=4 -GNumSlots=8 -GFifoRows=40 -GHdrFrames=3 -GWideLanes=1
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "unit/aggregate/emit/emit_bench.h"

static void every_result_is_read_whole(void **state) {
  struct emit_bench *b = emit_open();
  for (unsigned phase = 0; phase < 12; phase++) {
    // In every fourth one there is time between results, so that a take need not wait for a job.
    b->job_chance = phase % 2 ? 100 : phase % 4 ? 1 : 20;
    b->soon_chance = phase % 2 ? 0 : phase % 4 ? 2 : 20;
    b->write_chance = phase % 3 ? 10 : 60;
    b->pop_chance = phase % 4 ? 80 : 30;
    b->gone_chance = 10;
    b->take_chance = phase % 5 ? 100 : 25;
    b->short_chance = phase % 6 < 4 ? 60 : 10;
    for (unsigned i = 0; i < 4000; i++) emit_step(b);
    emit_drain(b);
  }
  printf("done %u (more %u) gone %u blocked %u; jobs %u + %u, without a job %u, left of those %u; lock waits %u; rows %u, kept "
         "%u, headers %u; rows of 16-bit types %s\n",
         b->done, b->more, b->gone, b->blocked, b->firsts, b->agains, b->aheads, b->left, b->waited, b->rows, b->kept, b->frames,
         b->half_rows_adjacent ? "adjacent" : "apart");
  assert_true(b->done > 1000 && b->more > 100 && b->gone > 50 && b->blocked > 100 && b->waited > 1000);
  assert_true(b->firsts > 500 && b->agains > 200 && b->aheads > 50 && b->left > 20);
  // A row of 16-bit elements takes narrow lanes two cycles, wide ones a single one.
  assert_int_equal(b->half_rows_adjacent, *(const bool *)*state);
  emit_close(b);
}

/// Rate of largest results with nothing in the way: at most 17 cycles each, which six ports at full rate need.
static void largest_results_follow_each_other(void **state) {
  (void)state;
  struct emit_bench *b = emit_open();
  b->job_chance = 100;
  for (unsigned i = 0; i < 500; i++) emit_step(b);
  unsigned rows = b->rows, cycles = 4000;
  for (unsigned i = 0; i < cycles; i++) emit_step(b);
  printf("%.2f cycles a result of %u rows\n", (double)cycles * MAX_ROWS / (b->rows - rows), MAX_ROWS);
  assert_true((b->rows - rows) * 17 >= cycles * MAX_ROWS);
  emit_close(b);
}

/// Repetitions wait behind first results, but not for ever.
static void repetitions_get_their_turn(void **state) {
  (void)state;
  struct emit_bench *b = emit_open();
  b->job_chance = 100;
  b->short_chance = 20;
  b->one_repeats = true;
  for (unsigned i = 0; i < 20000; i++) emit_step(b);
  assert_true(b->agains > 20);
  printf("longest wait of a job %u cycles\n", b->longest_wait);
  emit_drain(b);   // a job that never had its turn would have it now
  assert_true(b->longest_wait < SLOTS * 400);
  emit_close(b);
}

/// A port that lets nothing leave stops the rings that need it, and takes nothing from the others: neither takes nor room.
static void a_held_port_stops_its_rings_only(void **state) {
  (void)state;
  unsigned done[2][RINGS];
  for (unsigned held = 0; held < 2; held++) {
    struct emit_bench *b = emit_open();
    b->job_chance = 100;
    b->tenants = true;
    for (unsigned i = 0; i < 2000; i++) emit_step(b);
    b->held = held;   // port 0
    for (unsigned i = 0; i < 1000; i++) emit_step(b);
    memset(b->done_of, 0, sizeof b->done_of);
    memset(b->blocked_of, 0, sizeof b->blocked_of);
    for (unsigned i = 0; i < 8000; i++) emit_step(b);
    memcpy(done[held], b->done_of, sizeof *done);
    printf("port 0 %s: results by ring %u %u %u %u, blocked takes %u %u %u %u\n", held ? "held" : "free", b->done_of[0],
           b->done_of[1], b->done_of[2], b->done_of[3], b->blocked_of[0], b->blocked_of[1], b->blocked_of[2], b->blocked_of[3]);
    // Neither ring that needs the port is asked for again and again.
    if (held) assert_true(b->blocked_of[0] <= 2 && b->blocked_of[3] <= 2);
    b->held = 0;
    emit_close(b);
  }
  assert_true(done[1][0] == 0 && done[1][3] == 0);
  assert_true(done[1][1] >= done[0][1] && done[1][2] >= done[0][2]);
}

/// A ring that needs all ports at once gets its turn, although rings with a port each want all the room that comes free.
static void a_ring_on_all_ports_gets_its_turn(void **state) {
  (void)state;
  struct emit_bench *b = emit_open();
  b->job_chance = 100;
  b->tenants = true;
  b->pop_chance = 20;
  for (unsigned i = 0; i < 40000; i++) emit_step(b);
  printf("results by ring %u %u %u %u, longest wait %u %u %u %u cycles\n", b->done_of[0], b->done_of[1], b->done_of[2],
         b->done_of[3], b->longest_of[0], b->longest_of[1], b->longest_of[2], b->longest_of[3]);
  assert_true(b->longest_of[3] < 8000);
  emit_close(b);
}

int main(int argc, char **argv) {
  bool wide = argc > 0 && strstr(argv[0], "WideLanes_1");   // the program is named after its variant
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(every_result_is_read_whole, &wide),
      cmocka_unit_test(largest_results_follow_each_other),
      cmocka_unit_test(repetitions_get_their_turn),
      cmocka_unit_test(a_held_port_stops_its_rings_only),
      cmocka_unit_test(a_ring_on_all_ports_gets_its_turn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
