// Frames of several sources to one port: whole, each source's in order, none without room in its queue, none kept waiting by a queue that is full,
// and everybody in turn.
// DUT: uplink_merge
// DUT: uplink_merge -GNumSources=3 -GNumQueues=1 -GDepth=32 -GMaxBeats=9
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/rng.h"
#include "drive/bits.h"
#include "drive/dut.h"

enum { SOURCES = 8, QUEUES = 2, BEAT_BITS = 512, DATA_WORDS = SOURCES * BEAT_BITS / 32, CYCLES = 30000 };

/// A source's frames: their beats are numbered through, and say whose they are.
struct source {
  bool shown;
  unsigned left;   ///< beats of the frame that is shown or has begun
  bool begun;
  uint32_t next;     ///< beat
  uint32_t out;      ///< beat that is to leave next
  unsigned waited;   ///< frames of others that began while it was shown and its queue had room
};

struct bench {
  struct dut *d;
  struct rng rng;
  unsigned sources, queues, depth, longest;
  struct source at[SOURCES];
  unsigned level[QUEUES];
  int from;                                ///< whose frame is leaving; -1: nobody's
  unsigned drains[QUEUES], shows, holes;   ///< percent a cycle
  unsigned long frames[SOURCES], beats;
  unsigned most_waited;
};

static struct bench start(uint64_t seed) {
  struct bench b = {.d = dut_new(), .rng = rng_for(seed, 3), .from = -1};
  b.sources = (unsigned)dut_width(b.d, "in_valid_i");
  b.queues = b.sources == 8 ? 2 : 1;
  b.depth = b.sources == 8 ? 256 : 32;
  b.longest = b.sources == 8 ? 144 : 9;
  dut_reset(b.d);
  return b;
}

/// What leaves is the next beat of a source, and of the frame that has begun, if one has; it finds room.
static void leaves(struct bench *b) {
  if (!dut_get(b->d, "out_valid_o")) return;
  uint32_t words[BEAT_BITS / 32];
  dut_get_words(b->d, "out_data_o", words, BEAT_BITS / 32);
  const unsigned s = words[0] >> 24;
  assert_true(s < b->sources);
  assert_true(b->from < 0 || b->from == (int)s);
  assert_int_equal(words[0] & 0xFFFFFF, b->at[s].out & 0xFFFFFF);
  assert_int_equal(words[BEAT_BITS / 32 - 1], ~words[0]);
  assert_int_equal(dut_get(b->d, "out_prio_o"), s);
  b->at[s].out++;
  const bool last = dut_get(b->d, "out_last_o");
  b->from = last ? -1 : (int)s;
  b->frames[s] += last;
  b->beats++;
  assert_true(b->level[s % b->queues] < b->depth);
  b->level[s % b->queues]++;
}

static void cycle(struct bench *b) {
  uint32_t data[DATA_WORDS] = {0}, valid = 0, last = 0, prio = 0;
  for (unsigned s = 0; s < b->sources; s++) {
    struct source *o = &b->at[s];
    if (o->left == 0 && rng_percent(&b->rng, b->shows))
      o->left = rng_below(&b->rng, 3) ? 1 + rng_below(&b->rng, 3) : 1 + rng_below(&b->rng, b->longest);
    // What was shown and has not begun may be withdrawn; inside a frame a beat may be late, and then stays.
    if (o->begun)
      o->shown |= !rng_percent(&b->rng, b->holes);
    else
      o->shown = o->left > 0 && !rng_percent(&b->rng, b->holes);
    if (!o->shown) continue;
    const uint32_t word = s << 24 | (o->next & 0xFFFFFF);
    data[s * BEAT_BITS / 32] = word;
    data[(s + 1) * BEAT_BITS / 32 - 1] = ~word;
    valid |= 1u << s;
    last |= (uint32_t)(o->left == 1) << s;
    prio |= s << (3 * s);
  }
  dut_set(b->d, "in_valid_i", valid);
  dut_set(b->d, "in_last_i", last);
  dut_set(b->d, "in_prio_i", prio);
  dut_set_words(b->d, "in_data_i", data, b->sources * BEAT_BITS / 32);
  uint32_t level = 0;
  const unsigned width = b->depth == 256 ? 9 : 6;
  for (unsigned q = 0; q < b->queues; q++) level |= b->level[q] << (width * q);
  dut_set(b->d, "level_i", level);
  // The queue of what is shown behind has room; the device says so itself where it has not (a_room).
  dut_set(b->d, "out_ready_i", 1);
  dut_eval(b->d);
  leaves(b);
  const uint32_t ready = (uint32_t)dut_get(b->d, "in_ready_o"), taken = valid & ready;
  assert_int_equal(taken & (taken - 1), 0);
  assert_int_equal(dut_get(b->d, "taken_o"), taken != 0);
  for (unsigned s = 0; s < b->sources; s++) {
    struct source *o = &b->at[s];
    const bool room = b->level[s % b->queues] + b->longest + 8 < b->depth;
    if ((taken >> s & 1) == 0) {
      const bool other_begins = taken != 0 && !b->at[__builtin_ctz(taken)].begun;
      o->waited = o->shown && !o->begun && room ? o->waited + other_begins : 0;
      if (o->waited > b->most_waited) b->most_waited = o->waited;
      continue;
    }
    o->waited = 0;
    o->begun = --o->left > 0;
    o->shown = false;
    o->next++;
  }
  dut_tick(b->d);
  for (unsigned q = 0; q < b->queues; q++) b->level[q] -= b->level[q] > 0 && rng_percent(&b->rng, b->drains[q]);
}

static void drain(struct bench *b) {
  b->shows = b->holes = 0;
  b->drains[0] = b->drains[1] = 100;
  for (unsigned i = 0; i < 4000; i++) cycle(b);
  for (unsigned s = 0; s < b->sources; s++) {
    assert_int_equal(b->at[s].left, 0);
    assert_int_equal(b->at[s].out, b->at[s].next);
  }
  dut_free(b->d);
}

static void whole_and_in_turn(void **state) {
  (void)state;
  static const unsigned loads[][4] = {{100, 100, 100, 0}, {100, 40, 100, 0}, {60, 90, 30, 20}, {20, 20, 80, 50}};
  for (unsigned n = 0; n < sizeof loads / sizeof *loads; n++) {
    struct bench b = start(n);
    b.drains[0] = loads[n][0];
    b.drains[1] = loads[n][1];
    b.shows = loads[n][2];
    b.holes = loads[n][3];
    for (unsigned i = 0; i < CYCLES; i++) cycle(&b);
    for (unsigned s = 0; s < b.sources; s++) assert_true(b.frames[s] > 5);
    // Who always asks waits for each other once, and for whose turn was next when it began to. One that withdraws loses its turn.
    if (b.holes == 0) assert_in_range(b.most_waited, 1, b.sources);
    // Nothing is lost between two frames.
    if (n == 0) assert_true(b.beats > CYCLES - 10);
    drain(&b);
  }
}

/// A queue that nobody empties: what is for it does not begin, and what is for the other one goes on.
static void a_full_queue(void **state) {
  (void)state;
  struct bench b = start(9);
  b.shows = 100;
  b.drains[b.queues - 1] = 100;
  if (b.queues == 1) b.drains[0] = 0;
  for (unsigned i = 0; i < CYCLES; i++) cycle(&b);
  assert_true(b.level[0] <= b.depth);
  if (b.queues == 2) assert_true(b.beats > CYCLES * 9 / 10);
  if (b.queues == 1) assert_in_range(b.beats, b.depth - b.longest - 8, b.depth);
  drain(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(whole_and_in_turn), cmocka_unit_test(a_full_queue)};
  return cmocka_run_group_tests_name("uplink_merge", tests, NULL, NULL);
}
