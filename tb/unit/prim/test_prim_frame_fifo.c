// The frame FIFO against a list: nothing shows before its commit, nothing rolled back ever does, and committed entries come
// two cycles later at most, one a cycle; in the next one, if they are alone.
// DUT: prim_frame_fifo -GDepth=16
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "drive/dut.h"

enum { DEPTH = 16, LATENCY = 2, CYCLES = 8000 };

struct entry {
  uint64_t data;
  unsigned long committed;   // cycle
  bool alone;                // nothing else was inside
};

struct twin {
  struct entry entry[DEPTH];
  unsigned head, inside, open;   // `open`: of these, not committed
};

/// How often (one time in so many cycles, 0 never) entries come and go, and frames end well or badly.
struct mix {
  unsigned in, out, commit, rollback;
};

struct totals {
  unsigned taken, shown, undone, full;
};

static bool once_in(unsigned n) { return n && rand() % (int)n == 0; }

static struct entry *at(struct twin *t, unsigned place) { return &t->entry[(t->head + place) % DEPTH]; }

static void step(struct dut *d, struct twin *t, struct totals *sum, unsigned long cycle, const struct mix *m) {
  bool offer = once_in(m->in), accept = once_in(m->out), commit = once_in(m->commit);
  bool rollback = !commit && once_in(m->rollback);
  uint64_t data = (uint64_t)rand() % 256;
  dut_set(d, "in_valid_i", offer);
  dut_set(d, "in_i", data);
  dut_set(d, "commit_i", commit);
  dut_set(d, "rollback_i", rollback);
  dut_set(d, "out_ready_i", accept);
  dut_eval(d);

  bool room = t->inside < DEPTH;
  const struct entry *first = at(t, 0);
  const bool may = t->inside > t->open && cycle > first->committed;
  const bool must = may && (cycle >= first->committed + LATENCY || first->alone);
  const bool shown = may && dut_get(d, "out_valid_o");
  assert_int_equal(dut_get(d, "in_ready_o"), room);
  assert_int_equal(dut_get(d, "count_o"), t->inside);
  assert_int_equal(dut_get(d, "out_valid_o"), shown);
  assert_true(shown || !must);
  if (shown) assert_int_equal(dut_get(d, "out_o"), at(t, 0)->data);

  if (offer && room) {
    *at(t, t->inside) = (struct entry){.data = data, .alone = t->inside == 0 && commit};
    t->inside++;
    t->open++;
    sum->taken++;
  }
  if (commit) {
    while (t->open) at(t, t->inside - t->open--)->committed = cycle;
  }
  if (rollback) {
    sum->undone += t->open;
    t->inside -= t->open;
    t->open = 0;
  }
  if (shown && accept) {
    t->head = (t->head + 1) % DEPTH;
    t->inside--;
    sum->shown++;
  }
  sum->full += !room;
  dut_tick(d);
}

static void all_mixes(void **state) {
  (void)state;
  struct dut *d = dut_new();
  dut_reset(d);
  static const unsigned paces[] = {1, 2, 6};
  static const struct mix ends[] = {{.commit = 1}, {.commit = 4, .rollback = 8}, {.commit = 20, .rollback = 20}, {.commit = 30}};
  struct totals sum = {0};
  unsigned long cycle = 0;
  for (unsigned i = 0; i < 3; i++) {
    for (unsigned o = 0; o < 3; o++) {
      for (unsigned e = 0; e < sizeof ends / sizeof *ends; e++) {
        struct mix m = ends[e];
        m.in = paces[i];
        m.out = paces[o];
        struct twin t = {.head = 0};
        for (unsigned c = 0; c < CYCLES; c++) step(d, &t, &sum, cycle++, &m);
        step(d, &t, &sum, cycle++, &(struct mix){.rollback = 1});
        for (unsigned c = 0; c < DEPTH + LATENCY; c++) step(d, &t, &sum, cycle++, &(struct mix){.out = 1});
        assert_int_equal(t.inside, 0);
        assert_int_equal(dut_get(d, "out_valid_o"), 0);
        assert_int_equal(dut_get(d, "count_o"), 0);
      }
    }
  }
  assert_int_equal(sum.taken, sum.shown + sum.undone);
  assert_true(sum.undone > CYCLES && sum.shown > CYCLES && sum.full > CYCLES);
  dut_free(d);
}

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_mixes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
