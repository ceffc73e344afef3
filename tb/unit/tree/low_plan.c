#include "unit/tree/low_plan.h"

#include <stdlib.h>

#include "wire/roce.h"

uint64_t low_some(const struct low_bench *b, uint64_t ports) {
  uint64_t some = ports & (uint64_t)rand();
  if (low_below(3) == 0) some = ports;
  while (some == 0) some = ports & port_bit(low_below(b->ports));
  return some;
}

void low_plan_open(struct low_bench *b) {
  static const unsigned mtus[] = {256, 256, 512, 1024, 2048, 4096}, paces[] = {0, 0, 4, 10};
  struct low_setup s = {.ports = b->ports,
                        .parent = low_below(3) == 0 ? TREE_NO_PORT : low_below(b->ports),
                        .mtu = mtus[low_below(6)],
                        .group_count = 1 + low_below(LOW_GROUPS),
                        .patience = LOW_PATIENCE,
                        .patience_up = LOW_PATIENCE_UP};
  const uint64_t parent = s.parent == TREE_NO_PORT ? 0 : port_bit(s.parent);
  s.children = low_some(b, (port_bit(b->ports) - 1) & ~parent);
  for (unsigned g = 0; g < s.group_count; g++)
    s.groups[g] = (struct group_of_node){.id = (uint16_t)(g * 256 + 1 + low_below(200)),
                                         .children = low_some(b, s.children),
                                         .up = parent != 0 && rand() % 4 != 0};
  low_open(b, &s);
  b->slow = paces[low_below(4)];
}

struct low_plan low_plan_draw(const struct low_bench *b, unsigned group, uint32_t sequence, unsigned operation) {
  const struct group_of_node *g = &b->setup.groups[group];
  struct low_plan plan = {.group = group, .children = g->children};
  struct tree_header h = {.kind = TREE_UP,
                          .operation =
                              (enum tree_operation)(operation < TREE_OPERATIONS ? operation : low_below(TREE_OPERATIONS)),
                          .type = (uint8_t)(low_below(4) | low_below(3) << 4),
                          .tree = LOW_TREE,
                          .group = g->id,
                          .sequence = sequence};
  const uint32_t unit = (uint32_t)ina_element_size(h.type), most = TREE_LLT_MOST / unit;
  const bool carries = tree_has_vector(h.operation);
  if (carries) h.length = unit * (1 + low_below(low_below(2) ? most : 20));
  if (carries && low_below(8) == 0) h.length = TREE_LLT_MOST;
  // One, or above this node.
  unsigned one = g->up && low_below(3) == 0 ? TREE_NO_PORT : low_below(b->ports);
  while (one != TREE_NO_PORT && (g->children >> one & 1) == 0) one = low_below(b->ports);
  const uint32_t count = low_below(3);
  for (unsigned p = 0; p < b->ports; p++) {
    h.flags = TREE_CARRIES | TREE_WANTS;
    if (h.operation == TREE_REDUCE && p != one) h.flags = TREE_CARRIES;
    if (h.operation == TREE_BROADCAST) h.flags = p != one ? TREE_WANTS : TREE_CARRIES | (rand() % 2 ? TREE_WANTS : 0);
    if (!carries) h.flags = 0;
    h.count = h.operation == TREE_LOCK ? count : (uint32_t)rand();
    // Nobody looks at these.
    h.node = (uint16_t)rand();
    h.port = (uint8_t)rand();
    h.holder_tree = (uint16_t)rand();
    h.holder_group = (uint16_t)rand();
    plan.from[p] = h;
  }
  return plan;
}

void low_plan_send(struct low_bench *b, const struct low_plan *plan, uint64_t but) {
  const unsigned turn = low_below(b->ports);
  for (unsigned i = 0; i < b->ports; i++) {
    const unsigned p = (i + turn) % b->ports;
    if ((plan->children & ~but) >> p & 1) low_send(b, p, &plan->from[p]);
  }
}

void low_nonsense(struct low_bench *b, unsigned port) {
  const struct low_plan plan = low_plan_draw(b, low_below(b->setup.group_count), (uint32_t)rand() | 1u << 20, TREE_OPERATIONS);
  struct tree_header h = plan.from[port];
  struct low_message m;
  if (port == b->setup.parent) h.kind = TREE_DOWN;
  switch (low_below(8)) {
    case 0: h.group = (uint16_t)(b->setup.groups[0].id + 201); break;
    case 1: h.tree = (uint16_t)rand() | 4; break;
    case 2: h.kind = h.kind == TREE_DOWN ? TREE_UP : TREE_DOWN; break;
    case 3: h.length = TREE_LLT_MOST + 1 + low_below(3000); break;
    case 4:   // shorter or longer than it says, or much too long
      m.len = low_below(4) ? TREE_BYTES + low_below(1300) : 2000 + low_below(LOW_TOO_MANY - 2000);
      for (size_t i = 0; i < m.len; i++) m.data[i] = (uint8_t)rand();
      tree_put(m.data, &h);
      low_give(b, port, &m);
      return;
    case 5:
      m.len = low_below(TREE_BYTES);
      for (size_t i = 0; i < m.len; i++) m.data[i] = (uint8_t)rand();
      low_give(b, port, &m);
      return;
    case 6: {   // a code that is none
      static const uint8_t places[] = {0, 1, 2, 3, 4, 5, 7, 24};
      h.flags = 0;
      m.len = TREE_BYTES;
      tree_put(m.data, &h);
      m.data[places[low_below(8)]] ^= 0x80;
      low_give(b, port, &m);
      return;
    }
    default:   // a teardown of a tree that is not here
      h.kind = TREE_TEARDOWN;
      h.tree = 99;
      break;
  }
  low_send(b, port, &h);
}
