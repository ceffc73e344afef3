// A RIG unit: what is coalesced, filtered, asked for; when it stalls; what a watchdog and a late response do.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "hosts/gather/gather_rig.h"
#include "model/gather_concat.h"

enum { COLUMNS = 4096, NODES = 4, LEN = 8, MOST = 4096 };

/// A unit of node 1, whose columns are 1024 to 2047, and the network: each read is answered after `latency` cycles.
struct bench {
  struct gather_memory memory;
  struct gather_rig *rig;
  uint64_t now, latency;
  bool room;
  struct {
    uint64_t at;
    struct gather_request r;
  } flying[MOST];
  size_t sent, answered;
  enum gather_rig_state last;
};

static void open_bench(struct bench *b, const struct gather_rig_options *o) {
  memset(b, 0, sizeof *b);
  b->latency = 100;
  b->room = true;
  assert_true(gather_memory_init(&b->memory, &(struct gather_partition){COLUMNS, NODES}, 1, LEN));
  b->rig = gather_rig_new(o, &b->memory);
}

static void close_bench(struct bench *b) {
  gather_rig_free(b->rig);
  gather_memory_free(&b->memory);
}

static void property_of(uint64_t idx, uint8_t out[LEN]) { memset(out, (int)(idx * 7 % 255) + 1, LEN); }

static void answer(struct bench *b, size_t i) {
  uint8_t property[LEN];
  struct gather_request r = b->flying[i].r;
  property_of(r.pr.idx, property);
  r.type = GATHER_RESPONSE;
  r.property = property;
  gather_rig_response(b->rig, &r, false);
}

/// A bit of the filter always means that the property is there.
static void bits_are_true(struct bench *b) {
  for (uint64_t idx = 0; idx < COLUMNS; idx++) {
    uint8_t property[LEN];
    property_of(idx, property);
    if (b->memory.filter[idx / 8] >> idx % 8 & 1) assert_memory_equal(gather_memory_at(&b->memory, idx), property, LEN);
  }
}

/// Runs until the operation ends, or for `most` cycles.
static enum gather_rig_state run(struct bench *b, uint64_t most) {
  for (uint64_t i = 0; i < most; i++, b->now++) {
    struct gather_request out;
    while (b->answered < b->sent && b->flying[b->answered].at <= b->now) answer(b, b->answered++);
    if (gather_rig_step(b->rig, b->now, b->room, &out)) {
      assert_int_equal(out.dest, gather_owner(&b->memory.columns, out.pr.idx));
      b->flying[b->sent].at = b->now + b->latency;
      b->flying[b->sent++].r = out;
    }
    b->last = gather_rig_state(b->rig);
    if (b->last == GATHER_RIG_DONE || b->last == GATHER_RIG_FAILED) return b->last;
  }
  return b->last;
}

static const struct gather_rig_options normal = {.tid = 3, .pending = 256, .filter = true, .coalesce = true, .watchdog = 100000};

static void the_destination_solver_knows_the_blocks(void **state) {
  (void)state;
  static const struct gather_partition some[] = {{4096, 4}, {4097, 4}, {5, 3}, {2, 7}, {1000003, 128}, {UINT32_MAX, 1023}};
  for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
    const struct gather_partition *p = &some[i];
    assert_int_equal(gather_first(p, 0), 0);
    assert_int_equal(gather_first(p, p->nodes), p->count);
    for (uint32_t n = 0; n < p->nodes; n++) {
      const uint64_t from = gather_first(p, n), to = gather_first(p, n + 1);
      assert_true(to - from <= p->count / p->nodes + 1);
      if (from == to) continue;
      assert_int_equal(gather_owner(p, from), n);
      assert_int_equal(gather_owner(p, to - 1), n);
    }
  }
}

static void each_index_has_one_fate(void **state) {
  (void)state;
  // Local, asked for, coalesced while it flies; the second time round it is here: filtered.
  static const uint32_t idx[] = {1024, 5, 5, 6, 2047, 5, 3000};
  struct bench b;
  open_bench(&b, &normal);
  for (unsigned round = 0; round < 2; round++) {
    gather_rig_begin(b.rig, b.now, idx, 7);
    assert_int_equal(run(&b, 1000), GATHER_RIG_DONE);
  }
  const struct gather_rig_counts *c = gather_rig_counts(b.rig);
  assert_true(c->local == 4 && c->wanted == 10 && c->sent == 3 && c->coalesced == 2 && c->filtered == 5);
  assert_true(c->written == 3 && c->done == 2 && c->late == 0 && c->doubled == 0);
  for (unsigned i = 0; i < 7; i++) {
    uint8_t property[LEN];
    property_of(idx[i], property);
    if (idx[i] / 1024 != 1) assert_memory_equal(gather_memory_at(&b.memory, idx[i]), property, LEN);
  }
  bits_are_true(&b);
  close_bench(&b);
}

static void mechanisms_can_be_left_out(void **state) {
  (void)state;
  static const uint32_t idx[] = {5, 5, 6, 5};
  for (unsigned with = 0; with < 4; with++) {
    struct gather_rig_options o = normal;
    o.filter = with & 1;
    o.coalesce = with & 2;
    struct bench b;
    open_bench(&b, &o);
    for (unsigned round = 0; round < 2; round++) {
      gather_rig_begin(b.rig, b.now, idx, 4);
      assert_int_equal(run(&b, 1000), GATHER_RIG_DONE);
    }
    static const uint64_t sent[] = {8, 4, 4, 2};
    assert_int_equal(gather_rig_counts(b.rig)->sent, sent[with]);
    assert_int_equal(gather_rig_counts(b.rig)->written, sent[with]);
    close_bench(&b);
  }
}

/// One index a cycle when nothing is full: 256 requests under way and answers after 200 cycles.
static void an_index_a_cycle(void **state) {
  (void)state;
  static uint32_t idx[2000];
  struct bench b;
  open_bench(&b, &normal);
  b.latency = 200;
  for (uint32_t i = 0; i < 2000; i++) idx[i] = 2048 + i;
  gather_rig_begin(b.rig, 0, idx, 2000);
  assert_int_equal(run(&b, 10000), GATHER_RIG_DONE);
  const struct gather_rig_counts *c = gather_rig_counts(b.rig);
  assert_true(c->stalls_pending == 0 && c->stalls_tx == 0 && c->sent == 2000);
  assert_in_range(b.now, 2000, 2000 + 200 + 2);
  close_bench(&b);
}

static void stalls_have_causes(void **state) {
  (void)state;
  static const uint32_t idx[] = {10, 11, 12, 10, 13};
  struct gather_rig_options o = normal;
  o.pending = 2;
  struct bench b;
  open_bench(&b, &o);
  gather_rig_begin(b.rig, 0, idx, 5);
  assert_int_equal(run(&b, 10), GATHER_RIG_BUSY);
  assert_true(b.sent == 2 && gather_rig_counts(b.rig)->stalls_pending == 8);
  assert_int_equal(run(&b, 1000), GATHER_RIG_DONE);
  assert_int_equal(b.sent, 4);
  assert_int_equal(gather_rig_counts(b.rig)->filtered, 1);   // 10 had come meanwhile
  close_bench(&b);
  open_bench(&b, &normal);
  b.room = false;
  gather_rig_begin(b.rig, 0, idx, 5);
  assert_int_equal(run(&b, 10), GATHER_RIG_BUSY);
  assert_true(b.sent == 0 && gather_rig_counts(b.rig)->stalls_tx == 10);
  b.room = true;
  assert_int_equal(run(&b, 1000), GATHER_RIG_DONE);
  close_bench(&b);
}

/// An answer that never comes: the watchdog ends the operation, once. What was brought stays, with its bits; the
/// answer that comes late is dropped, even when the same index is asked for again.
static void a_lost_packet_ends_the_operation_once(void **state) {
  (void)state;
  static const uint32_t idx[] = {10, 11, 12};
  struct gather_rig_options o = normal;
  o.watchdog = 500;
  struct bench b;
  open_bench(&b, &o);
  gather_rig_begin(b.rig, 0, idx, 3);
  run(&b, 50);
  b.flying[2].at = 700;   // 12 is late
  assert_int_equal(gather_rig_next(b.rig), 500);
  assert_int_equal(run(&b, 550), GATHER_RIG_FAILED);
  assert_int_equal(b.now, 500);
  assert_int_equal(gather_rig_state(b.rig), GATHER_RIG_IDLE);
  assert_int_equal(gather_rig_counts(b.rig)->failures, 1);
  // Another batch may have found these and counts on them.
  assert_int_equal(b.memory.filter[1], 0x0C);
  bits_are_true(&b);
  const size_t late = 2;
  b.answered = 3;
  gather_rig_begin(b.rig, b.now, idx, 3);
  run(&b, 20);
  answer(&b, late);
  assert_int_equal(gather_rig_counts(b.rig)->late, 1);
  assert_int_equal(run(&b, 400), GATHER_RIG_DONE);
  assert_true(gather_rig_counts(b.rig)->failures == 1 && gather_rig_counts(b.rig)->done == 1);
  answer(&b, late);
  answer(&b, 5);   // twice the same
  assert_int_equal(gather_rig_counts(b.rig)->late, 3);
  bits_are_true(&b);
  close_bench(&b);
}

/// A unit that is stepped only when it wants to be, or when what it waits for has come, does the same in the same cycles as one that is stepped in each.
static void waits_cost_no_steps(void **state) {
  (void)state;
  enum { COUNT = 2000 };
  static uint32_t idx[COUNT];
  struct rng d = rng_for(7, 7);
  for (size_t i = 0; i < COUNT; i++) idx[i] = rng_below(&d, 2) == 0 ? 1024 + rng_below(&d, 1024) : rng_below(&d, COLUMNS);
  struct gather_rig_options o = normal;
  o.pending = 4;
  struct bench each, lazy;
  open_bench(&each, &o);
  open_bench(&lazy, &o);
  gather_rig_begin(each.rig, 0, idx, COUNT);
  gather_rig_begin(lazy.rig, 0, idx, COUNT);
  uint64_t steps = 0, now = 0;
  for (bool done = false; !done; now++) {
    each.now = lazy.now = now;
    // Now and then there is no room for a read.
    each.room = lazy.room = now / 37 % 3 != 0;
    const size_t answered = lazy.answered;
    done = run(&each, 1) == GATHER_RIG_DONE;
    while (lazy.answered < lazy.sent && lazy.flying[lazy.answered].at <= lazy.now) answer(&lazy, lazy.answered++);
    const enum gather_rig_stall stall = gather_rig_stall(lazy.rig);
    const bool comes = stall == GATHER_RIG_TABLE ? lazy.answered > answered : stall == GATHER_RIG_ROOM && lazy.room;
    if (!comes && gather_rig_next(lazy.rig) > lazy.now) {
      assert_false(done);
    } else {
      steps++;
      assert_int_equal(run(&lazy, 1) == GATHER_RIG_DONE, done);
    }
  }
  assert_memory_equal(gather_rig_counts(each.rig), gather_rig_counts(lazy.rig), sizeof(struct gather_rig_counts));
  assert_true(gather_rig_counts(lazy.rig)->stalls_pending > 1000 && gather_rig_counts(lazy.rig)->stalls_tx > 100);
  assert_true(steps < now / 4);
  close_bench(&each);
  close_bench(&lazy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_destination_solver_knows_the_blocks),
      cmocka_unit_test(each_index_has_one_fate),
      cmocka_unit_test(mechanisms_can_be_left_out),
      cmocka_unit_test(an_index_a_cycle),
      cmocka_unit_test(stalls_have_causes),
      cmocka_unit_test(a_lost_packet_ends_the_operation_once),
      cmocka_unit_test(waits_cost_no_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
