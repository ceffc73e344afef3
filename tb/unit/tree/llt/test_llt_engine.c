// The engine of a low-latency tree beside its model: random operations of several groups at once, with any stalls, locks, among messages that are refused
// or of no operation; and how long an operation takes.
// DUT: llt_engine -GNumPorts=4
// DUT: llt_engine -GNumPorts=8
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unit/tree/llt/low_plan.h"
#include "wire/roce.h"

enum { ROUNDS = 40, PORTS = 29, NODE_MOST = 100 };

static struct low_bench *b;

/// Operations of all groups, each behind the one before or on top of it, and nonsense in between.
static void operations(void **state) {
  (void)state;
  uint64_t done = 0, decided = 0;
  for (unsigned round = 0; round < ROUNDS; round++) {
    low_plan_open(b);
    b->parent_fails = pair_below(3) == 0;
    uint32_t sequence[PAIR_GROUPS];
    for (unsigned g = 0; g < PAIR_GROUPS; g++) sequence[g] = (uint32_t)rand() - 20;
    for (unsigned period = 0; period < 4; period++) {
      for (unsigned i = 0; i < 1 + pair_below(8); i++) {
        const unsigned g = pair_below(b->setup.group_count);
        const struct low_plan plan = low_plan_draw(b, g, sequence[g]++, TREE_OPERATIONS);
        for (unsigned p = 0; p < b->ports; p++) {
          const uint64_t neighbours = b->setup.children | (b->setup.parent == TREE_NO_PORT ? 0 : port_bit(b->setup.parent));
          if ((neighbours >> p & 1) && rand() % 8 == 0) low_nonsense(b, p);
        }
        low_plan_send(b, &plan, 0);
        for (unsigned k = pair_below(2) ? pair_below(300) : 0; k > 0; k--) low_tick(b);
      }
      low_settle(b);
      low_same(b);
      assert_int_equal(b->expired, 0);
    }
    done += b->done;
    decided += b->decided;
  }
  assert_true(done > 8 * ROUNDS && decided > 20 * ROUNDS && b->cast > ROUNDS);
}

/// Locks that groups compete for, with cells that other trees have, operations that are counted, and vectors that stream while their group unlocks.
static void locks(void **state) {
  (void)state;
  uint64_t taken = 0, failed = 0, unlocked = 0;
  for (unsigned round = 0; round < ROUNDS; round++) {
    low_plan_open(b);
    b->parent_fails = pair_below(2);
    struct tree_locks *model = &low_model_node(b->model)->locks;
    uint32_t sequence = 0;
    for (unsigned i = 0; i < 30; i++) {
      struct tree_lock holder;
      const unsigned streams = pair_below(4) ? PAIR_GROUPS : pair_below(b->setup.group_count);
      const uint16_t group = b->setup.groups[pair_below(b->setup.group_count)].id, other = (uint16_t)(7 + pair_below(2));
      if (pair_below(4) == 0) {
        tree_locks_take(model, other, 3, 1, 1, &holder);
        tree_locks_take(&b->locks, other, 3, 1, 1, &holder);
      } else if (pair_below(3) == 0) {
        tree_locks_drop(model, other);
        tree_locks_drop(&b->locks, other);
      }
      if (pair_below(3) == 0) {
        tree_locks_count(model, PAIR_SAT, group);
        tree_locks_count(&b->locks, PAIR_SAT, group);
      }
      low_streams(b, streams);
      for (unsigned g = 0; g < b->setup.group_count; g++) {
        if (pair_below(3) == 0) continue;
        struct low_plan plan = low_plan_draw(b, g, sequence, pair_below(3) ? TREE_LOCK : TREE_UNLOCK);
        if (pair_below(8) == 0) plan.from[lowest_port(plan.children)].count ^= 1;   // of a lock: for another number
        low_plan_send(b, &plan, 0);
      }
      sequence++;
      low_settle(b);
      low_same(b);
    }
    taken += b->locked;
    failed += b->lock_failed;
    unlocked += b->unlocked;
  }
  assert_true(taken > 2 * ROUNDS && failed > 2 * ROUNDS && unlocked > ROUNDS);
}

/// All ports but the parent's have a child.
static void open_all(unsigned parent) {
  struct pair_setup s = {
      .ports = b->ports, .parent = parent, .mtu = 4096, .group_count = 1, .patience = 1000, .patience_up = 1000};
  s.children = port_bit(b->ports) - 1;
  if (parent != TREE_NO_PORT) s.children &= ~port_bit(parent);
  s.groups[0] = (struct group_of_node){.id = 1, .children = s.children, .up = parent != TREE_NO_PORT};
  low_open(b, &s);
  b->slow = 0;
}

/// From the last packet that comes to the first row that leaves: up, and where the operation turns round.
static void latency(void **state) {
  (void)state;
  static const struct {
    uint8_t type;
    uint32_t length;
  } vectors[] = {{INA_FP32, 0}, {INA_FP32, 64}, {INA_FP16, 64}, {INA_FP32, 1024}, {INA_FP16, 1024}};
  for (unsigned v = 0; v < sizeof vectors / sizeof *vectors; v++) {
    for (unsigned up = 0; up < 2; up++) {
      for (unsigned alone = 0; alone < 2; alone++) {
        open_all(up ? 0 : TREE_NO_PORT);
        struct low_plan plan = low_plan_draw(b, 0, 1, vectors[v].length ? TREE_ALL_REDUCE : TREE_BARRIER);
        for (unsigned c = 0; c < b->ports; c++) plan.from[c].type = vectors[v].type, plan.from[c].length = vectors[v].length;
        const uint64_t last = alone ? port_bit(b->ports - 1) : 0;
        low_plan_send(b, &plan, last);
        for (unsigned i = 0; alone && i < 300; i++) low_tick(b);
        const uint64_t came = dut_cycle(b->d);
        if (alone) low_plan_send(b, &plan, ~last);
        low_settle(b);
        low_same(b);
        const unsigned cycles = (unsigned)(b->out[up ? 0 : b->ports - 1].first_row - came);
        print_message("%4u bytes, type %u, %s: %u cycles from %s\n", vectors[v].length, vectors[v].type & 3,
                      up ? "up" : "turned round", cycles, alone ? "the last child's packet" : "all children's packets");
        if (vectors[v].length > 64) continue;
        assert_true(cycles <= (b->ports == 8 ? 96 : 70));
        // From beat to beat of a node: its ports (test_rc_port), and the vector's second row.
        assert_true(!alone || cycles + PORTS + (vectors[v].length > 0) <= NODE_MOST);
      }
    }
  }
}

#define CASE(name) cmocka_unit_test_prestate_setup_teardown(name, low_setup, low_teardown, &b)

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {
      CASE(operations),
      CASE(locks),
      CASE(latency),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
