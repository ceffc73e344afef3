// The engine of a streaming tree beside its model: random groups and operations, in any order, with any stalls, among messages that are refused; what
// sustained streams reach, and how long a row takes.
// DUT: sat_stream -GNumPorts=4 -GWideLanes=1
// DUT: sat_stream -GNumPorts=6 -GRoomAtStop=1'b1
// DUT: sat_stream -GNumPorts=8
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unit/tree/sat/stream_plan.h"
#include "wire/roce.h"

enum { ROUNDS = 60, PORTS = 29, NODE_MOST = 64 };

static struct stream_bench *b;

static void operations(void **state) {
  (void)state;
  for (unsigned round = 0; round < ROUNDS; round++) {
    plan_open(b);
    uint32_t sequence = (uint32_t)rand();
    for (unsigned period = 0; period < 3; period++) {
      const unsigned group = pair_below(b->setup.group_count), count = pair_below(3) + 1;
      bench_lock(b, group, count);
      for (unsigned i = 0; i < count + pair_below(2); i++) {
        const struct plan plan = plan_draw(b, group, sequence++);
        for (unsigned p = 0; p < b->ports; p++)
          if ((b->setup.children >> p & 1) && rand() % 4 == 0) plan_nonsense(b, p);
        plan_send(b, &plan);
        if (rand() % 4 == 0) bench_wait(b, pair_below(PAIR_PATIENCE));
      }
      bench_settle(b);
      bench_same(b);
      assert_false(bench_ended(b));
    }
    assert_true(b->done > 0);
  }
}

/// Operations of one packet, long and short, that follow each other as fast as they can: rows of one are on their way while the next one begins.
static void close_behind(void **state) {
  (void)state;
  for (unsigned round = 0; round < 2 * ROUNDS; round++) {
    plan_open(b);
    b->setup.mtu = 4096;
    const struct pair_setup setup = b->setup;
    bench_open(b, &setup);
    b->slow = 0;
    const unsigned group = pair_below(setup.group_count);
    bench_lock(b, group, 8);
    for (uint32_t i = 0; i < 8; i++) {
      struct plan plan = plan_draw(b, group, i);
      const uint32_t length = pair_below(2) ? 4 + 4 * pair_below(30) : 4 + 4 * pair_below(1016);
      for (unsigned c = 0; c < b->ports; c++) plan.from[c].length = length;
      plan_send(b, &plan);
    }
    bench_settle(b);
    bench_same(b);
    assert_int_equal(b->done, 8);
  }
}

/// A group whose result turns round here takes the lock from one whose result comes from above, and the other way round, while rows of that one
/// are on their way.
static void handed_over(void **state) {
  (void)state;
  for (unsigned round = 0; round < ROUNDS; round++) {
    do {
      plan_open(b);
    } while (b->setup.parent == TREE_NO_PORT);
    b->setup.mtu = 4096;
    b->setup.group_count = 2;
    b->setup.groups[1] = b->setup.groups[0];
    b->setup.groups[0].up = true;
    b->setup.groups[1].id++;
    b->setup.groups[1].up = false;
    const struct pair_setup setup = b->setup;
    bench_open(b, &setup);
    b->slow = 0;
    for (uint32_t i = 0; i < 8; i++) {
      bench_lock(b, i % 2, 1);
      struct plan plan = plan_draw(b, i % 2, i);
      const uint32_t length = pair_below(2) ? 4 + 4 * pair_below(30) : 4 + 4 * pair_below(1016);
      for (unsigned c = 0; c < b->ports; c++) plan.from[c].length = length;
      plan_send(b, &plan);
      for (unsigned k = 0; b->done == i; k++) {
        assert_true(k < 2000);
        bench_tick(b);
      }
    }
    bench_settle(b);
    bench_same(b);
  }
}

/// All ports but the parent's have a child; FP32, everybody wants everything.
static struct plan all_of(unsigned parent, unsigned mtu, uint32_t packets) {
  struct pair_setup setup = {
      .ports = b->ports, .parent = parent, .mtu = mtu, .group_count = 1, .patience = 1000, .patience_up = 1000};
  setup.children = port_bit(b->ports) - 1;
  if (parent != TREE_NO_PORT) setup.children &= ~port_bit(parent);
  setup.groups[0] = (struct group_of_node){.id = 1, .children = setup.children, .up = parent != TREE_NO_PORT};
  bench_open(b, &setup);
  b->slow = 0;
  bench_lock(b, 0, 1);
  struct plan plan = plan_draw(b, 0, 1);
  for (unsigned c = 0; c < b->ports; c++) {
    plan.from[c].operation = TREE_ALL_REDUCE;
    plan.from[c].type = INA_FP32;
    plan.from[c].length = mtu * packets - TREE_BYTES;
    plan.from[c].flags = TREE_CARRIES | TREE_WANTS;
  }
  return plan;
}

static double rate_of(unsigned port) {
  const struct way_out *w = &b->out[port];
  return (double)(w->rows - 1) / (double)(w->last_row - w->first_row);
}

/// A row a cycle, both ways at once.
static void rate(void **state) {
  (void)state;
  for (unsigned mtu = 256; mtu <= 4096; mtu *= 2) {
    struct plan plan = all_of(TREE_NO_PORT, mtu, 40);
    plan_send(b, &plan);
    bench_settle(b);
    bench_same(b);
    const double root = rate_of(0);
    plan = all_of(0, mtu, 40);
    plan_send(b, &plan);
    bench_settle(b);
    bench_same(b);
    const double up = rate_of(0), down = rate_of(1);
    print_message("packets of %u bytes: %.3f rows a cycle at the root, %.3f up and %.3f down at once\n", mtu, root, up, down);
    assert_true(b->at_stop || mtu < 512 || (root > 0.99 && up > 0.99 && down > 0.99));
  }
}

/// From the last packet that comes to the first row that leaves. A node's ports take PORTS cycles more, from beat to beat (test_rc_port), and all that
/// is wanted is NODE_MOST; where all come in one cycle, one child's header is looked at after the other.
static void latency(void **state) {
  (void)state;
  for (unsigned alone = 0; alone < 2; alone++) {
    const struct plan plan = all_of(TREE_NO_PORT, 1024, 1);
    for (unsigned c = 0; c + 1 < b->ports; c++) bench_send(b, c, &plan.from[c]);
    for (unsigned i = 0; alone && i < 100; i++) bench_tick(b);
    bench_send(b, b->ports - 1, &plan.from[b->ports - 1]);
    const uint64_t came = dut_cycle(b->d);
    bench_settle(b);
    bench_same(b);
    const unsigned cycles = (unsigned)(b->out[0].first_row - came);
    print_message("%u cycles from %s to the first row of the sum\n", cycles,
                  alone ? "the last child's packet" : "all children's packets");
    assert_true(cycles + PORTS <= NODE_MOST + (alone ? 0 : b->ports - 1));
  }
}

#define CASE(name) cmocka_unit_test_prestate_setup_teardown(name, bench_setup, bench_teardown, &b)

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {
      CASE(operations), CASE(close_behind), CASE(handed_over), CASE(rate), CASE(latency),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
