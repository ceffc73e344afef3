// What goes wrong in a low-latency tree, beside the model: children that do not agree, that are late or do not come at all, a parent that is silent, ports
// that take nothing, neighbours who are lost, trees that end. Every verdict, who is to blame, and who is told are the model's.
// DUT: llt_engine -GNumPorts=4
// DUT: llt_engine -GNumPorts=8
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unit/tree/llt/low_plan.h"
#include "wire/roce.h"

enum { ROUNDS = 14 };

static struct low_bench *b;

/// One child's header, or more, are not what they should be: whatever the model says.
static void disagree(struct low_plan *plan) {
  const unsigned what = pair_below(9), other = pair_below(3);
  const uint64_t who =
      rand() % 3 ? port_bit(lowest_port(pair_some(b->ports, plan->children))) : pair_some(b->ports, plan->children);
  const uint16_t node = pair_below(3) ? PAIR_NODE : 5;
  for (unsigned p = 0; p < b->ports; p++) {
    struct tree_header *h = &plan->from[p];
    if ((who >> p & 1) == 0) continue;
    switch (what) {
      case 0: h->operation = (enum tree_operation)pair_below(TREE_OPERATIONS); break;
      case 1: h->type = (uint8_t)((h->type & 0x0F) | (other + 1) << 4); break;
      case 2: h->type = (uint8_t)((h->type & 0x30) | (other + 2)); break;
      case 3: h->length += 1 + other; break;
      case 4: h->sequence ^= 1u << pair_below(4); break;
      case 5: h->flags ^= (uint8_t)(1 + other); break;
      case 6:
        h->verdict = (enum tree_verdict)(1 + pair_below(TREE_VERDICTS - 1));
        h->flags = 0;
        break;
      case 7:   // what a node of another port says of this one
        h->verdict = TREE_DENIED;
        h->node = node;
        h->port = (uint8_t)pair_below(5);
        break;
      default: h->length = 0; break;
    }
    if (h->length > TREE_LLT_MOST) h->length = TREE_LLT_MOST;
  }
}

static void siblings_differ(void **state) {
  (void)state;
  uint64_t failed = 0;
  for (unsigned round = 0; round < 3 * ROUNDS; round++) {
    low_plan_open(b);
    for (uint32_t i = 0; i < 6; i++) {
      for (unsigned g = 0; g < b->setup.group_count; g++) {
        struct low_plan plan = low_plan_draw(b, g, 10 * i, TREE_OPERATIONS);
        if (pair_below(3)) disagree(&plan);
        low_plan_send(b, &plan, 0);
      }
      low_settle(b);
      // Who differs in the number waits for the others; they are of no operation any more.
      low_wait(b, PAIR_PATIENCE + PAIR_PATIENCE_UP + 8);
      low_settle(b);
      low_same(b);
    }
    failed += b->done;
  }
  assert_true(failed > 6 * ROUNDS);
}

/// Children do not come, in time or at all; those who are late hear what the others have.
static void late(void **state) {
  (void)state;
  uint64_t expired = 0;
  for (unsigned round = 0; round < 2 * ROUNDS; round++) {
    low_plan_open(b);
    for (uint32_t i = 0; i < 3; i++) {
      struct low_plan plan[PAIR_GROUPS];
      uint64_t but[PAIR_GROUPS];
      const uint64_t before = b->expired;
      unsigned waiting = 0;
      for (unsigned g = 0; g < b->setup.group_count; g++) {
        plan[g] = low_plan_draw(b, g, i, TREE_OPERATIONS);
        but[g] = pair_below(3) ? pair_some(b->ports, plan[g].children) : 0;
        waiting += but[g] != 0 && but[g] != plan[g].children;
        low_plan_send(b, &plan[g], but[g]);
      }
      b->parent_answers = pair_below(3);
      low_settle(b);
      low_same(b);
      assert_int_equal(b->expired, before);
      // Patience of children, and then the parent's; not a microsecond less.
      low_wait(b, PAIR_PATIENCE - 1);
      low_settle(b);
      assert_int_equal(b->expired, before);
      low_wait(b, 3);
      low_settle(b);
      assert_int_equal(b->expired, before + waiting);
      low_same(b);
      for (unsigned g = 0; pair_below(2) && g < b->setup.group_count; g++) {
        const uint64_t comes = but[g] == plan[g].children ? but[g] : pair_some(b->ports, plan[g].children);
        if (but[g] != 0) low_plan_send(b, &plan[g], ~(but[g] & comes));
      }
      low_settle(b);
      low_same(b);
      low_wait(b, 2 * PAIR_PATIENCE_UP);
      low_settle(b);
      low_same(b);
      if (low_model_node(b->model)->trees[0].down) break;   // the parent did not come either
    }
    expired += b->expired;
  }
  assert_true(expired > 2 * ROUNDS);
}

/// A parent that does not answer is to blame once patience with it is at its end. It may have decided otherwise, so both trees end; what it says later
/// is of no use.
static void silent_parent(void **state) {
  (void)state;
  for (unsigned round = 0; round < ROUNDS; round++) {
    do {
      low_plan_open(b);
    } while (!b->setup.groups[0].up);
    b->parent_answers = false;
    struct low_plan plan = low_plan_draw(b, 0, 1, TREE_OPERATIONS);
    low_plan_send(b, &plan, 0);
    low_settle(b);
    low_wait(b, PAIR_PATIENCE_UP - 1);
    low_settle(b);
    assert_int_equal(b->expired, 0);
    low_wait(b, 3);
    low_settle(b);
    assert_int_equal(b->expired, 1);
    low_same(b);
    struct tree_header h = plan.from[lowest_port(plan.children)];
    h.kind = TREE_DOWN;
    h.flags = 0;
    low_send(b, b->setup.parent, &h);
    low_settle(b);
    low_same(b);
    assert_int_equal(b->done, 0);
    assert_int_equal(b->torn_down, 1);
    assert_true(dut_get(b->d, "low_down_o"));
  }
}

/// A port takes nothing: groups that it is not in go on, and one that it is in waits; once it takes again, nothing is missing.
static void stuck(void **state) {
  (void)state;
  unsigned went_on = 0;
  for (unsigned round = 0; round < ROUNDS; round++) {
    do {
      low_plan_open(b);
    } while (b->setup.group_count < 2 || b->setup.groups[0].up || !(b->setup.groups[0].children & ~b->setup.groups[1].children));
    b->stuck = port_bit(lowest_port(pair_some(b->ports, b->setup.groups[0].children & ~b->setup.groups[1].children)));
    const uint64_t was = b->stuck;
    uint32_t sequence = 0;
    for (uint64_t done = 0; done == b->done; done++) {
      const struct low_plan plan = low_plan_draw(b, 0, sequence++, TREE_ALL_REDUCE);
      low_plan_send(b, &plan, 0);
      low_settle(b);
      // All but this port have got it.
      if (low_model_left(b->model, lowest_port(was)) != NULL) break;
    }
    const bool whole = !b->out[lowest_port(was)].message.len || b->out[lowest_port(was)].last;
    for (unsigned g = 1; whole && g < b->setup.group_count; g++) {
      const uint64_t before = b->done;
      const struct low_plan plan = low_plan_draw(b, g, 1, TREE_OPERATIONS);
      if (plan.children & was || b->setup.parent == lowest_port(was)) continue;
      low_plan_send(b, &plan, 0);
      low_settle(b);
      assert_int_equal(b->done, before + 1);
      went_on++;
    }
    b->stuck = 0;
    low_settle(b);
    low_same(b);
  }
  assert_true(went_on > ROUNDS / 4);
}

/// What still comes is answered that there is no tree, or is of no more use.
static void after(uint32_t sequence) {
  for (unsigned g = 0; g < b->setup.group_count; g++) {
    const struct low_plan plan = low_plan_draw(b, g, sequence, TREE_OPERATIONS);
    low_plan_send(b, &plan, b->lost);
  }
  low_settle(b);
  low_wait(b, PAIR_PATIENCE + PAIR_PATIENCE_UP + 4);
  low_settle(b);
  low_same(b);
}

static void tear_down(unsigned port, uint16_t tree) {
  const struct tree_header h = {.kind = TREE_TEARDOWN,
                                .tree = tree,
                                .verdict = (enum tree_verdict)pair_below(TREE_VERDICTS),
                                .node = (uint16_t)rand(),
                                .port = (uint8_t)pair_below(9)};
  low_send(b, port, &h);
}

/// Trees end, by a neighbour's word, in the streaming half, or because somebody is lost, while operations are under way or locks held.
static void ends(void **state) {
  (void)state;
  unsigned both = 0, one = 0;
  for (unsigned round = 0; round < 4 * ROUNDS; round++) {
    low_plan_open(b);
    const uint64_t neighbours = b->setup.children | (b->setup.parent == TREE_NO_PORT ? 0 : port_bit(b->setup.parent));
    struct low_plan plan = low_plan_draw(b, 0, 1, pair_below(2) ? TREE_LOCK : TREE_OPERATIONS);
    low_plan_send(b, &plan, 0);
    if (pair_below(2)) low_settle(b);
    for (unsigned g = 0; g < b->setup.group_count; g++) {
      plan = low_plan_draw(b, g, 2, TREE_OPERATIONS);
      low_plan_send(b, &plan, pair_below(2) ? pair_some(b->ports, plan.children) : 0);
    }
    for (unsigned i = pair_below(200); i > 0; i--) low_tick(b);
    for (unsigned times = 0; times < 1 + pair_below(2); times++) {
      const unsigned port = lowest_port(pair_some(b->ports, neighbours));
      switch (pair_below(3)) {
        case 0: tear_down(port, pair_below(2) ? PAIR_LOW : PAIR_SAT); break;
        case 1:
          low_settle(b);
          low_sat_ends(b, (struct tree_blame){TREE_TIME_OUT, PAIR_NODE, (uint8_t)(port + 1)});
          break;
        default:
          low_settle(b);
          if (b->lost != 0) break;
          b->lost = port_bit(port);
          dut_set(b->d, "lost_i", b->lost);
          low_model_end(b->model, true, (struct tree_blame){TREE_LOST, PAIR_NODE, (uint8_t)(port + 1)}, port);
          break;
      }
      low_settle(b);
    }
    low_same(b);
    after(3);
    both += dut_get(b->d, "low_down_o") != 0;
    one += dut_get(b->d, "low_down_o") == 0 && dut_get(b->d, "sat_down_o") != 0;
    for (unsigned c = 0; c < b->locks.cells; c++) assert_false(dut_get(b->d, "sat_down_o") && b->locks.lock[c].used);
  }
  assert_true(both > ROUNDS && one > ROUNDS / 2);
}

/// Closed, or opened anew, in the middle of anything: nothing is left of before.
static void opened_anew(void **state) {
  (void)state;
  for (unsigned round = 0; round < 2 * ROUNDS; round++) {
    low_plan_open(b);
    struct low_plan plan = low_plan_draw(b, 0, 1, TREE_OPERATIONS);
    low_plan_send(b, &plan, pair_below(2) ? pair_some(b->ports, plan.children) : 0);
    for (unsigned i = pair_below(150); i > 0; i--) low_tick(b);
    if (rand() % 2) {
      dut_set(b->d, "close_i", 1);
      dut_tick(b->d);
      dut_set(b->d, "close_i", 0);
      for (unsigned i = pair_below(20); i > 0; i--) {
        dut_eval(b->d);
        assert_int_equal(dut_get(b->d, "claim_o"), 0);
        dut_tick(b->d);
      }
    }
    low_plan_open(b);
    plan = low_plan_draw(b, 0, 1, TREE_OPERATIONS);
    low_plan_send(b, &plan, 0);
    low_settle(b);
    low_same(b);
    assert_int_equal(b->done, 1);
  }
}

#define CASE(name) cmocka_unit_test_prestate_setup_teardown(name, low_setup, low_teardown, &b)

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {
      CASE(siblings_differ), CASE(late), CASE(silent_parent), CASE(stuck), CASE(ends), CASE(opened_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
