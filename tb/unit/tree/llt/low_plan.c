#include "unit/tree/llt/low_plan.h"

#include <stdlib.h>

#include "wire/roce.h"

void low_plan_open(struct low_bench *b) {
  static const unsigned mtus[] = {256, 256, 512, 1024, 2048, 4096}, paces[] = {0, 0, 4, 10};
  const struct pair_setup s = pair_draw(b->ports, mtus, 6);
  low_open(b, &s);
  b->slow = paces[pair_below(4)];
}

struct low_plan low_plan_draw(const struct low_bench *b, unsigned group, uint32_t sequence, unsigned operation) {
  const struct group_of_node *g = &b->setup.groups[group];
  struct low_plan plan = {.group = group, .children = g->children};
  struct tree_header h = {.kind = TREE_UP,
                          .operation =
                              (enum tree_operation)(operation < TREE_OPERATIONS ? operation : pair_below(TREE_OPERATIONS)),
                          .type = (uint8_t)(pair_below(4) | pair_below(3) << 4),
                          .tree = PAIR_LOW,
                          .group = g->id,
                          .sequence = sequence};
  const uint32_t unit = (uint32_t)ina_element_size(h.type), most = TREE_LLT_MOST / unit;
  const bool carries = tree_has_vector(h.operation);
  if (carries) h.length = unit * (1 + pair_below(pair_below(2) ? most : 20));
  if (carries && pair_below(8) == 0) h.length = TREE_LLT_MOST;
  const unsigned one = pair_one(&b->setup, group);
  pair_contributions(b->ports, h, one, pair_below(3), plan.from);
  return plan;
}

void low_plan_send(struct low_bench *b, const struct low_plan *plan, uint64_t but) {
  const unsigned turn = pair_below(b->ports);
  for (unsigned i = 0; i < b->ports; i++) {
    const unsigned p = (i + turn) % b->ports;
    if ((plan->children & ~but) >> p & 1) low_send(b, p, &plan->from[p]);
  }
}

void low_nonsense(struct low_bench *b, unsigned port) {
  const struct low_plan plan = low_plan_draw(b, pair_below(b->setup.group_count), (uint32_t)rand() | 1u << 20, TREE_OPERATIONS);
  struct tree_header h = plan.from[port];
  struct low_message m;
  if (port == b->setup.parent) h.kind = TREE_DOWN;
  switch (pair_below(8)) {
    case 0: h.group = (uint16_t)(b->setup.groups[0].id + 201); break;
    case 1: h.tree = (uint16_t)rand() | 4; break;
    case 2: h.kind = h.kind == TREE_DOWN ? TREE_UP : TREE_DOWN; break;
    case 3: h.length = TREE_LLT_MOST + 1 + pair_below(3000); break;
    case 4:   // shorter or longer than it says, or much too long
      m.len = pair_below(4) ? TREE_BYTES + pair_below(1300) : 2000 + pair_below(LOW_TOO_MANY - 2000);
      for (size_t i = 0; i < m.len; i++) m.data[i] = (uint8_t)rand();
      tree_put(m.data, &h);
      low_give(b, port, &m);
      return;
    case 5:
      m.len = pair_below(TREE_BYTES);
      for (size_t i = 0; i < m.len; i++) m.data[i] = (uint8_t)rand();
      low_give(b, port, &m);
      return;
    case 6: {   // a code that is none
      static const uint8_t places[] = {0, 1, 2, 3, 4, 5, 7, 24};
      h.flags = 0;
      m.len = TREE_BYTES;
      tree_put(m.data, &h);
      m.data[places[pair_below(8)]] ^= 0x80;
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
