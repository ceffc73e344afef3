#include "unit/tree/stream_plan.h"

#include <stdlib.h>

#include "wire/roce.h"

uint64_t plan_some(const struct stream_bench *b, uint64_t ports) {
  uint64_t some = ports & (uint64_t)rand();
  if (bench_below(3) == 0) some = ports;
  while (some == 0) some = ports & port_bit(bench_below(b->ports));
  return some;
}

static struct stream_setup draw_setup(const struct stream_bench *b) {
  static const unsigned mtus[] = {256, 256, 512, 1024, 4096};
  struct stream_setup setup = {.ports = b->ports,
                               .parent = bench_below(3) == 0 ? TREE_NO_PORT : bench_below(b->ports),
                               .mtu = mtus[bench_below(5)],
                               .group_count = 1 + bench_below(STREAM_GROUPS),
                               .patience = PLAN_PATIENCE,
                               .patience_up = PLAN_PATIENCE_UP};
  const uint64_t parent = setup.parent == TREE_NO_PORT ? 0 : port_bit(setup.parent);
  setup.children = plan_some(b, (port_bit(b->ports) - 1) & ~parent);
  for (unsigned g = 0; g < setup.group_count; g++)
    setup.groups[g] = (struct group_of_node){.id = (uint16_t)(g * 256 + 1 + bench_below(200)),
                                             .children = plan_some(b, setup.children),
                                             .up = parent != 0 && rand() % 4 != 0};
  return setup;
}

void plan_open(struct stream_bench *b) {
  static const unsigned paces[] = {0, 0, 4, 10, 14};
  const struct stream_setup setup = draw_setup(b);
  bench_open(b, &setup);
  b->slow = paces[bench_below(5)];
}

static uint32_t draw_length(const struct stream_bench *b, uint32_t unit) {
  const uint32_t mtu = b->setup.mtu, most = 5 * mtu;
  uint32_t length = unit * (1 + bench_below(most / unit));
  switch (bench_below(6)) {
    case 0: length = unit * (1 + bench_below(20)); break;
    case 1: length = mtu * (1 + bench_below(3)) - TREE_BYTES + unit * bench_below(3) - unit; break;
    default: break;
  }
  return length;
}

struct plan plan_draw(const struct stream_bench *b, unsigned group, uint32_t sequence) {
  const struct group_of_node *g = &b->setup.groups[group];
  struct plan plan = {.group = group, .children = g->children};
  struct tree_header h = {.kind = TREE_UP,
                          .operation = (enum tree_operation)(TREE_ALL_REDUCE + bench_below(3)),
                          .type = (uint8_t)(bench_below(4) | bench_below(3) << 4),
                          .tree = STREAM_TREE,
                          .group = g->id,
                          .sequence = sequence};
  h.length = draw_length(b, (uint32_t)ina_element_size(h.type));
  // One, or above this node.
  unsigned one = g->up && bench_below(3) == 0 ? TREE_NO_PORT : bench_below(b->ports);
  while (one != TREE_NO_PORT && (g->children >> one & 1) == 0) one = bench_below(b->ports);
  for (unsigned p = 0; p < b->ports; p++) {
    h.flags = TREE_CARRIES | TREE_WANTS;
    if (h.operation == TREE_REDUCE && p != one) h.flags = TREE_CARRIES;
    if (h.operation == TREE_BROADCAST) h.flags = p != one ? TREE_WANTS : TREE_CARRIES | (rand() % 2 ? TREE_WANTS : 0);
    // Nobody looks at these.
    h.count = (uint32_t)rand();
    h.node = (uint16_t)rand();
    h.port = (uint8_t)rand();
    h.holder_tree = (uint16_t)rand();
    h.holder_group = (uint16_t)rand();
    plan.from[p] = h;
  }
  return plan;
}

void plan_send(struct stream_bench *b, const struct plan *plan) {
  const unsigned turn = bench_below(b->ports);
  for (unsigned i = 0; i < b->ports; i++) {
    const unsigned p = (i + turn) % b->ports;
    if (plan->children >> p & 1) bench_send(b, p, &plan->from[p]);
  }
}

void plan_nonsense(struct stream_bench *b, unsigned port) {
  const struct plan plan = plan_draw(b, bench_below(b->setup.group_count), (uint32_t)rand());
  struct tree_header h = plan.from[port];
  struct stream_packet p = {.first = true, .last = true};
  switch (bench_below(9)) {
    case 0: h.group = (uint16_t)(b->setup.groups[0].id + 201); break;
    case 1: h.tree = (uint16_t)rand() | 4; break;
    case 2: h.kind = TREE_DOWN; break;
    case 3: h.operation = (enum tree_operation)(rand() % 4 ? TREE_LOCK : TREE_BARRIER); break;
    case 4:
      h.length = TREE_MOST + 1 + bench_below(1000);
      h.flags = TREE_WANTS;
      break;
    case 5:
      h.flags = 0;   // and a code that is none, below
      break;
    case 6:
      p.len = bench_below(32);
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
  bench_packet(b, &h, 4 * bench_below(2), 0, &p);
  static const uint8_t places[] = {0, 1, 2, 3, 4, 5, 7, 24};
  p.data[places[bench_below(8)]] ^= 0x80;
  bench_give(b, port, &p);
}
