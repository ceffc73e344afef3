#include "unit/prim/queue_twin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { CYCLES = 4000, LONG = 60, MAX_PLACES = 64, NAME = 32 };

enum pace { ALWAYS, RANDOM, RARE, IN_TURNS, PACES };

struct twin {
  uint64_t data[MAX_PLACES];
  unsigned long soonest[MAX_PLACES], latest[MAX_PLACES];   // cycles in which it may be, and must be shown
  unsigned head, inside;
};

struct names {
  char in_valid[NAME], in_ready[NAME], in[NAME], out_valid[NAME], out_ready[NAME], out[NAME], count[NAME];
};

/// Whether a side moves in this cycle. In turns: for LONG cycles, then not for as long, so that a queue fills or runs dry.
static bool moves(enum pace pace, unsigned long cycle) {
  switch (pace) {
    case ALWAYS: return true;
    case RANDOM: return rand() % 2;
    case RARE: return rand() % 5 == 0;
    default: return cycle / LONG % 2;
  }
}

static void name_ports(struct names *n, const char *tag) {
  snprintf(n->in_valid, NAME, "in_valid_i%s", tag);
  snprintf(n->in_ready, NAME, "in_ready_o%s", tag);
  snprintf(n->in, NAME, "in_i%s", tag);
  snprintf(n->out_valid, NAME, "out_valid_o%s", tag);
  snprintf(n->out_ready, NAME, "out_ready_i%s", tag);
  snprintf(n->out, NAME, "out_o%s", tag);
  snprintf(n->count, NAME, "count_o%s", tag);
}

/// One cycle; true if an entry was taken.
static bool step(struct dut *d, const struct queue_promise *promise, const struct names *n, struct twin *t, unsigned long cycle,
                 bool offer, bool accept) {
  size_t width = dut_width(d, n->in);
  uint64_t data = ((uint64_t)rand() << 32 ^ (uint64_t)rand()) & (width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX);
  dut_set(d, n->in_valid, offer);
  dut_set(d, n->in, data);
  dut_set(d, n->out_ready, accept);
  dut_eval(d);
  bool room = t->inside < promise->places;
  const bool may = t->inside && cycle >= t->soonest[t->head], must = t->inside && cycle >= t->latest[t->head];
  const bool shown = may && dut_get(d, n->out_valid);
  assert_int_equal(dut_get(d, n->in_ready), room);
  assert_int_equal(dut_get(d, n->out_valid), shown);
  assert_true(shown || !must);
  if (shown) assert_int_equal(dut_get(d, n->out), t->data[t->head]);
  if (promise->counts) assert_int_equal(dut_get(d, n->count), t->inside);
  const bool empty = t->inside == 0;
  if (shown && accept) {
    t->head = (t->head + 1) % MAX_PLACES;
    t->inside--;
  }
  if (offer && room) {
    unsigned tail = (t->head + t->inside++) % MAX_PLACES;
    t->data[tail] = data;
    t->soonest[tail] = cycle + (promise->soonest != 0 ? promise->soonest : promise->latency);
    t->latest[tail] = empty ? t->soonest[tail] : cycle + promise->latency;
  }
  dut_tick(d);
  return offer && room;
}

void queue_check(struct dut *d, const struct queue_promise *promise) {
  struct names n;
  name_ports(&n, promise->tag);
  assert_true(promise->places < MAX_PLACES);
  unsigned long cycle = 0;
  for (int in = 0; in < PACES; in++) {
    for (int out = 0; out < PACES; out++) {
      struct twin t = {.head = 0};
      unsigned taken = 0;
      for (unsigned i = 0; i < CYCLES; i++, cycle++) {
        taken += step(d, promise, &n, &t, cycle, moves((enum pace)in, cycle), moves((enum pace)out, cycle + LONG / 2));
      }
      for (unsigned i = 0; i < promise->places + promise->latency; i++, cycle++) step(d, promise, &n, &t, cycle, false, true);
      assert_int_equal(t.inside, 0);
      assert_int_equal(dut_get(d, n.out_valid), 0);
      assert_true(taken > CYCLES / 20);
    }
  }
}
