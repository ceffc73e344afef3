// What ends a streaming tree, and that nothing else does: children that do not agree, messages that are cut badly, a parent that answers something else,
// silence, and no room. Verdict, who is to blame, and all that left before are the model's.
// DUT: sat_stream -GNumPorts=4 -GWideLanes=1
// DUT: sat_stream -GNumPorts=6 -GRoomAtStop=1'b1
// DUT: sat_stream -GNumPorts=8
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unit/tree/sat/stream_plan.h"
#include "wire/roce.h"

enum { ROUNDS = 30 };

static struct stream_bench *b;

/// The tree has ended as the model's has, and takes nothing more.
static void is_over(void) {
  bench_settle(b);
  assert_true(bench_ended(b));
  bench_same(b);
  const uint64_t claimed = b->in[lowest_port(b->setup.children)].claimed;
  const struct plan plan = plan_draw(b, 0, 7);
  plan_send(b, &plan);
  bench_settle(b);
  bench_same(b);
  assert_int_equal(b->in[lowest_port(b->setup.children)].claimed, claimed);
}

/// One child's header, or all of them, are not what they should be: whatever the model says.
static void disagree(struct plan *plan) {
  const unsigned what = pair_below(8), other = pair_below(3);
  const uint64_t who = rand() % 3 ? port_bit(lowest_port(pair_some(b->ports, plan->children))) : plan->children;
  for (unsigned p = 0; p < b->ports; p++) {
    struct tree_header *h = &plan->from[p];
    if ((who >> p & 1) == 0) continue;
    switch (what) {
      case 0: h->operation = (enum tree_operation)(TREE_ALL_REDUCE + other); break;
      case 1: h->type = (uint8_t)((h->type & 0x0F) | (other + 1) << 4); break;
      case 2: h->type = (uint8_t)((h->type & 0x30) | (other + 2)); break;
      case 3: h->length += 1 + other; break;
      case 4: h->sequence ^= 1u << pair_below(32); break;
      case 5: h->flags ^= (uint8_t)(1 + other); break;
      case 6: h->verdict = (enum tree_verdict)(1 + pair_below(TREE_VERDICTS - 1)); break;
      default: h->length = 0; break;
    }
  }
}

static void siblings_differ(void **state) {
  (void)state;
  unsigned ended = 0;
  for (unsigned round = 0; round < 6 * ROUNDS; round++) {
    plan_open(b);
    const unsigned group = pair_below(b->setup.group_count);
    bench_lock(b, group, 2);
    struct plan plan = plan_draw(b, group, 5);
    if (rand() % 4 == 0) plan_send(b, &plan);
    disagree(&plan);
    plan_send(b, &plan);
    bench_settle(b);
    bench_same(b);
    ended += bench_ended(b);
    if (bench_ended(b) && rand() % 4 == 0) is_over();
  }
  assert_true(ended > 3 * ROUNDS);
}

/// A child's message ends early, does not end, or ends with a packet of another length; what comes before that is right.
static void badly_cut(void **state) {
  (void)state;
  for (unsigned round = 0; round < 3 * ROUNDS; round++) {
    plan_open(b);
    const unsigned group = pair_below(b->setup.group_count);
    bench_lock(b, group, 2);
    const struct plan plan = plan_draw(b, group, 5);
    const unsigned bad = lowest_port(pair_some(b->ports, plan.children));
    const struct tree_header *h = &plan.from[bad];
    const uint64_t packets = bench_packets(b, h), at = pair_below((unsigned)packets);
    struct stream_packet p;
    // Of another length than it should have, and no longer than a packet.
    uint32_t vector = h->flags & TREE_CARRIES ? h->length : 0;
    bench_packet(b, h, vector, at, &p);
    const bool last = p.last;
    p.last = !last || rand() % 2;
    const size_t least = at == 0 ? TREE_BYTES : 1,
                 len = p.last ? least + pair_below((unsigned)(b->setup.mtu - least)) : b->setup.mtu;
    if (last && p.last && len == p.len) continue;
    for (size_t i = 0; i < len; i++)
      if (at > 0 || i >= TREE_BYTES) p.data[i] = (uint8_t)rand();
    p.len = len;
    b->answers = 0;
    for (unsigned c = 0; c < b->ports; c++) {
      if ((plan.children >> c & 1) == 0) continue;
      if (c != bad) bench_send(b, c, &plan.from[c]);
      if (c == bad) bench_send_part(b, c, h, 0, at);
      if (c == bad) bench_give(b, c, &p);
    }
    is_over();
  }
}

/// The parent says something else than the answer, or too early, or once more.
static void wrong_parent(void **state) {
  (void)state;
  unsigned kinds[4] = {0};
  for (unsigned round = 0; round < 6 * ROUNDS; round++) {
    plan_open(b);
    const unsigned group = pair_below(b->setup.group_count);
    if (!b->setup.groups[group].up) continue;
    bench_lock(b, group, 2);
    const struct plan plan = plan_draw(b, group, 5);
    const unsigned kind = pair_below(4);
    struct tree_header h = plan.from[lowest_port(plan.children)];
    uint8_t flags = 0;
    for (unsigned c = 0; c < b->ports; c++)
      if (plan.children >> c & 1) flags |= plan.from[c].flags;
    h.kind = TREE_DOWN;
    h.flags = flags & TREE_WANTS ? TREE_CARRIES : 0;
    const uint64_t packets = bench_packets(b, &h);
    b->answers = kind < 2 ? 0 : SIZE_MAX;
    const uint64_t given = kind == 1 ? pair_below((unsigned)packets) : 0;
    struct stream_packet p;
    if (kind == 3) {   // some children have not sent all of it
      const unsigned c = lowest_port(pair_some(b->ports, plan.children));
      const uint64_t of = bench_packets(b, &plan.from[c]), sent = pair_below((unsigned)of);
      for (unsigned i = 0; i < b->ports; i++)
        if ((plan.children >> i & 1) && i != c) bench_send(b, i, &plan.from[i]);
      bench_send_part(b, c, &plan.from[c], 0, sent);
      bench_settle(b);
      bench_same(b);
      const uint64_t before = sent > 0 && (h.flags & TREE_CARRIES) && (plan.from[c].flags & TREE_CARRIES) ? sent : 0;
      if (before >= packets) continue;
      bench_packet(b, &h, h.flags & TREE_CARRIES ? h.length : 0, before, &p);
      if (sent == of) continue;
    } else {
      plan_send(b, &plan);
      bench_settle(b);
      bench_answer(b, given);
      bench_settle(b);
      bench_same(b);
      const uint32_t vector = h.flags & TREE_CARRIES ? h.length : 0;
      if (kind == 0) {
        switch (pair_below(8)) {
          case 0: h.group++; break;
          case 1: h.sequence++; break;
          case 2: h.length += 4; break;
          case 3: h.verdict = TREE_DENIED; break;
          case 4: h.flags ^= TREE_CARRIES; break;
          case 5: h.kind = TREE_UP; break;
          case 6: h.kind = (enum tree_kind)4; break;   // no header
          default: h.kind = TREE_TEARDOWN; break;
        }
        bench_packet(b, &h, vector, 0, &p);
      } else if (kind == 1) {
        bench_packet(b, &h, vector, given, &p);
        p.last = !p.last;
        if (!p.last) p.len = b->setup.mtu;
        if (p.last && rand() % 2) p.len = TREE_BYTES;
      } else {
        bench_packet(b, &h, vector, 0, &p);
      }
    }
    kinds[kind]++;
    bench_give(b, b->setup.parent, &p);
    is_over();
  }
  for (unsigned i = 0; i < 4; i++) assert_true(kinds[i] > ROUNDS / 4);
}

/// Patience of so many microseconds ends, and not before.
static void runs_out(unsigned patience) {
  bench_settle(b);
  bench_same(b);
  bench_wait(b, patience - 1);
  assert_false(bench_ended(b));
  bench_wait(b, 3);
  is_over();
}

static void silent_child(void **state) {
  (void)state;
  for (unsigned round = 0; round < 2 * ROUNDS; round++) {
    plan_open(b);
    const unsigned group = pair_below(b->setup.group_count);
    bench_lock(b, group, 2);
    const struct plan plan = plan_draw(b, group, 5);
    const uint64_t silent = pair_some(b->ports, plan.children);
    if (silent == plan.children && bench_packets(b, &plan.from[lowest_port(silent)]) < 2) continue;
    bool all = true, some = false;
    for (unsigned c = 0; c < b->ports; c++) {
      if ((plan.children >> c & 1) == 0) continue;
      const uint64_t packets = bench_packets(b, &plan.from[c]), sent = silent >> c & 1 ? pair_below((unsigned)packets) : packets;
      bench_send_part(b, c, &plan.from[c], 0, sent);
      if (rand() % 4 == 0 && some) {   // each beginning is one
        bench_settle(b);
        bench_wait(b, pair_below(4));
      }
      some |= sent > 0;
      all &= sent == packets;
    }
    if (!some || all) continue;
    bench_settle(b);
    bench_same(b);
    assert_false(bench_ended(b));
    bench_wait(b, PAIR_PATIENCE + 2);
    is_over();
  }
}

static void silent_parent(void **state) {
  (void)state;
  for (unsigned round = 0; round < 3 * ROUNDS; round++) {
    plan_open(b);
    const unsigned group = pair_below(b->setup.group_count);
    if (!b->setup.groups[group].up) continue;
    bench_lock(b, group, 2);
    const struct plan plan = plan_draw(b, group, 5);
    b->answers = 0;
    plan_send(b, &plan);
    bench_settle(b);
    const unsigned waited = pair_below(PAIR_PATIENCE_UP - 1);
    const bool answers = rand() % 2;
    bench_wait(b, waited);
    if (answers) bench_answer(b, 1);
    bench_settle(b);
    if (b->done > 0) continue;
    runs_out(answers ? PAIR_PATIENCE : PAIR_PATIENCE_UP - waited);
  }
}

/// Somebody takes nothing any more: nobody is to blame. What was begun before is right.
static void no_room(void **state) {
  (void)state;
  for (unsigned round = 0; round < ROUNDS; round++) {
    plan_open(b);
    const unsigned group = pair_below(b->setup.group_count);
    const bool up = b->setup.groups[group].up;
    bench_lock(b, group, 2);
    for (uint32_t i = 0; i < 2; i++) {
      struct plan plan = plan_draw(b, group, i);
      for (unsigned c = 0; c < b->ports; c++) {
        plan.from[c].operation = TREE_ALL_REDUCE;
        plan.from[c].type = INA_FP16;
        plan.from[c].length = b->setup.mtu * (STREAM_BUFFER + 1 + 12 * i);
        plan.from[c].flags = TREE_CARRIES | TREE_WANTS;
      }
      b->answers = 0;
      // All of it, or no more than the device keeps.
      const bool all = i == 0 || rand() % 2;
      for (unsigned c = 0; c < b->ports; c++)
        if (plan.children >> c & 1)
          bench_send_part(b, c, &plan.from[c], 0, all ? bench_packets(b, &plan.from[c]) : STREAM_BUFFER + 1);
      bench_settle(b);
      b->answers = SIZE_MAX;   // each packet, once all have risen
      bench_answer(b, SIZE_MAX);
      bench_settle(b);
      bench_same(b);
      if (i > 0) break;
      b->stuck = up && rand() % 2 ? port_bit(b->setup.parent) : pair_some(b->ports, plan.children);
      stream_model_silence(b->model, b->stuck);
    }
    assert_int_equal(b->done, 1);
    runs_out(PAIR_PATIENCE);
  }
}

/// Closed, or opened anew, in the middle of anything: nothing is left of before.
static void opened_anew(void **state) {
  (void)state;
  for (unsigned round = 0; round < 2 * ROUNDS; round++) {
    plan_open(b);
    bench_lock(b, 0, 3);
    struct plan plan = plan_draw(b, 0, 1);
    for (unsigned i = 0; i < 2; i++) plan_send(b, &plan);
    for (unsigned i = pair_below(300); i > 0 && !bench_ended(b); i--) bench_tick(b);
    if (rand() % 2) bench_close(b);
    plan_open(b);
    bench_lock(b, 0, 1);
    plan = plan_draw(b, 0, 1);
    plan_send(b, &plan);
    bench_settle(b);
    bench_same(b);
    assert_int_equal(b->done, 1);
  }
}

#define CASE(name) cmocka_unit_test_prestate_setup_teardown(name, bench_setup, bench_teardown, &b)

int main(void) {
  srand(1);
  const struct CMUnitTest tests[] = {
      CASE(siblings_differ), CASE(badly_cut), CASE(wrong_parent), CASE(silent_child),
      CASE(silent_parent),   CASE(no_room),   CASE(opened_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
