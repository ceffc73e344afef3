#include "unit/tree/sat/stream_plan.h"

#include <stdlib.h>

#include "wire/roce.h"

void plan_open(struct stream_bench *b) {
  static const unsigned paces[] = {0, 0, 4, 10, 14};
  static const unsigned mtus[] = {256, 256, 512, 1024, 4096};
  const struct pair_setup setup = pair_draw(b->ports, mtus, 5);
  bench_open(b, &setup);
  b->slow = paces[pair_below(5)];
}

static uint32_t draw_length(const struct stream_bench *b, uint32_t unit) {
  const uint32_t mtu = b->setup.mtu, most = 5 * mtu;
  uint32_t length = unit * (1 + pair_below(most / unit));
  switch (pair_below(6)) {
    case 0: length = unit * (1 + pair_below(20)); break;
    case 1: length = mtu * (1 + pair_below(3)) - TREE_BYTES + unit * pair_below(3) - unit; break;
    default: break;
  }
  return length;
}

struct plan plan_draw(const struct stream_bench *b, unsigned group, uint32_t sequence) {
  const struct group_of_node *g = &b->setup.groups[group];
  struct plan plan = {.group = group, .children = g->children};
  struct tree_header h = {.kind = TREE_UP,
                          .operation = (enum tree_operation)(TREE_ALL_REDUCE + pair_below(3)),
                          .type = (uint8_t)(pair_below(4) | pair_below(3) << 4),
                          .tree = PAIR_SAT,
                          .group = g->id,
                          .sequence = sequence};
  h.length = draw_length(b, (uint32_t)ina_element_size(h.type));
  pair_contributions(b->ports, h, pair_one(&b->setup, group), 0, plan.from);
  return plan;
}

void plan_send(struct stream_bench *b, const struct plan *plan) {
  const unsigned turn = pair_below(b->ports);
  for (unsigned i = 0; i < b->ports; i++) {
    const unsigned p = (i + turn) % b->ports;
    if (plan->children >> p & 1) bench_send(b, p, &plan->from[p]);
  }
}

void plan_nonsense(struct stream_bench *b, unsigned port) {
  const struct plan plan = plan_draw(b, pair_below(b->setup.group_count), (uint32_t)rand());
  struct tree_header h = plan.from[port];
  struct stream_packet p = {.first = true, .last = true};
  switch (pair_below(9)) {
    case 0: h.group = (uint16_t)(b->setup.groups[0].id + 201); break;
    case 1: h.tree = (uint16_t)rand() | 4; break;
    case 2: h.kind = TREE_DOWN; break;
    case 3: h.operation = (enum tree_operation)(rand() % 4 ? TREE_LOCK : TREE_BARRIER); break;
    case 4:
      h.length = TREE_MOST + 1 + pair_below(1000);
      h.flags = TREE_WANTS;
      break;
    case 5:
      h.flags = 0;   // and a code that is none, below
      break;
    case 6:
      p.len = pair_below(32);
      bench_give(b, port, &p);
      return;
    default:
      // Of a group that has no lock.
      if (b->lock == plan.group) return;
      break;
  }
  if (h.flags != 0) {
    bench_send(b, port, &h);
    return;
  }
  bench_packet(b, &h, 4 * pair_below(2), 0, &p);
  static const uint8_t places[] = {0, 1, 2, 3, 4, 5, 7, 24};
  p.data[places[pair_below(8)]] ^= 0x80;
  bench_give(b, port, &p);
}
