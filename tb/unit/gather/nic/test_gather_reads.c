// Reads of other nodes that wait for the server: who stops in time when told to loses none, and who does not loses what there is no room for.
// DUT: gather_reads -GNumNodes=16 -GReadQueue=64
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "drive/dut.h"
#include "drive/bits.h"
#include "structs/gather_pkg.h"

enum { QUEUE = 64, COLUMNS = 1000, LEN = 64 };

struct bench {
  struct dut *dut;
  uint64_t came[4000], left[4000];   // indices
  size_t sent, served, dropped;
  bool sent_before;   // in the cycle before
};

static void open_bench(struct bench *b) {
  *b = (struct bench){.dut = dut_new()};
  uint32_t serve[WORDS_OF(serve_t, 1)] = {0};
  bits_put(serve, FIELD(serve_t, stride), 6);
  bits_put(serve, FIELD(serve_t, count), COLUMNS);
  dut_set_words(b->dut, "serve_i", serve, WORDS_OF(serve_t, 1));
  dut_set(b->dut, "generation_i", 7);
  dut_reset(b->dut);
}

/// One cycle, perhaps with a read; the server takes one if `take`. Whether reads are to stop.
static bool cycle(struct bench *b, bool send, bool take) {
  uint32_t w[WORDS_OF(pr_t, 1)] = {0};
  const uint64_t idx = (uint64_t)rand() % COLUMNS;
  bits_put(w, FIELD(pr_t, src), (uint64_t)rand() % 16);
  bits_put(w, FIELD(pr_t, idx), idx);
  bits_put(w, FIELD(pr_t, generation), 7);
  bits_put(w, FIELD(pr_t, len), LEN);
  dut_set(b->dut, "pr_valid_i", send);
  dut_set_words(b->dut, "pr_i", w, WORDS_OF(pr_t, 1));
  dut_set(b->dut, "read_ready_i", take);
  dut_eval(b->dut);
  const bool lost = dut_get(b->dut, "no_room_o") != 0, pause = dut_get(b->dut, "pause_o") != 0;
  // It is told of the read of the cycle before.
  assert_true(!lost || b->sent_before);
  b->sent -= lost;
  b->dropped += lost;
  if (send) b->came[b->sent++] = idx;
  b->sent_before = send;
  if (take && dut_get(b->dut, "read_valid_o")) {
    dut_get_words(b->dut, "read_o", w, WORDS_OF(pr_t, 1));
    b->left[b->served++] = bits_get(w, FIELD(pr_t, idx));
  }
  dut_tick(b->dut);
  return pause;
}

static void close_bench(struct bench *b) {
  for (unsigned i = 0; i < 4 * QUEUE; i++) cycle(b, false, true);
  assert_false(cycle(b, false, true));
  assert_int_equal(b->served, b->sent);
  for (size_t i = 0; i < b->sent; i++) assert_int_equal(b->left[i], b->came[i]);
  dut_free(b->dut);
}

/// What is under way when the network is told to stop finds room: half of the queue, less two cycles for telling.
static void who_stops_in_time_loses_none(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b);
  bool paused[QUEUE / 2 - 2] = {false};
  size_t stops = 0;
  for (unsigned i = 0; i < 3000; i++) {
    bool *const then = &paused[i % (QUEUE / 2 - 2)];   // as it was that long ago
    const bool send = !*then && b.sent < 2000;
    *then = cycle(&b, send, i > 500 && rand() % 3 == 0);
    stops += *then;
  }
  assert_int_equal(b.dropped, 0);
  assert_true(stops > 100 && b.sent > 500);
  close_bench(&b);
}

static void who_does_not_stop_loses_reads(void **state) {
  (void)state;
  struct bench b;
  open_bench(&b);
  bool pause = false;
  for (unsigned i = 0; i < 500; i++) pause = cycle(&b, true, false);
  assert_true(pause && b.dropped > 500 - QUEUE - 8 && b.sent >= QUEUE);
  close_bench(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(who_stops_in_time_loses_none),
                                     cmocka_unit_test(who_does_not_stop_loses_reads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
