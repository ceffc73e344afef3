#include "unit/tree/node/node_registers.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "unit/axil.h"

static void tick_bus(void *user) { node_tick(user); }

static struct axil bus_of(struct node_bench *b) { return (struct axil){.d = b->d, .tick = tick_bus, .user = b}; }

void node_write(struct node_bench *b, unsigned address, uint32_t data) {
  const struct axil bus = bus_of(b);
  assert_int_equal(axil_write(&bus, address, data, 0xF), AXIL_OKAY);
}

uint32_t node_read(struct node_bench *b, unsigned address) {
  const struct axil bus = bus_of(b);
  uint32_t data = 0;
  assert_int_equal(axil_read(&bus, address, &data), AXIL_OKAY);
  return data;
}

static void write_word(void *user, unsigned address, uint32_t value) { node_write(user, address, value); }
static uint32_t read_word(void *user, unsigned address) { return node_read(user, address); }

struct tree_bus node_bus(struct node_bench *b) {
  return (struct tree_bus){.write = write_word, .read = read_word, .user = b};
}

void node_store_ends(struct node_bench *b, unsigned port, const struct rc_end_config g[2]) {
  const struct tree_bus bus = node_bus(b);
  for (unsigned c = 0; c < 2; c++) tree_control_store_end(&bus, port, c == 1, &g[c]);
}

void node_wire(const struct node_bench *b, struct node_wired *w) {
  const uint64_t below = (UINT64_C(1) << b->ports) - 1, children = (b->members[0] | b->members[1]) & below;
  const bool root = b->parent == b->ports;
  size_t count = 0;
  *w = (struct node_wired){.config = {.id = NODE_ID,
                                      .ports = b->ports,
                                      .trees = w->trees,
                                      .tree_count = 2,
                                      .groups = w->groups,
                                      .lock_cells = TREE_CONTROL_CELLS,
                                      .patience_ps = UINT64_C(5000000000),
                                      .patience_up_ps = UINT64_C(10000000000)}};
  for (unsigned t = 0; t < 2; t++)
    w->trees[t] = (struct tree_of_node){.id = t ? NODE_SAT : NODE_LOW,
                                        .sat = t == 1,
                                        .partner = !t,
                                        .parent = root ? TREE_NO_PORT : b->parent,
                                        .neighbours = children | (root ? 0 : UINT64_C(1) << b->parent),
                                        .casts = t ? 0 : b->casts & children,
                                        .listens = t == 0 && b->listens,
                                        .ends = b->ends[t]};
  for (unsigned g = 0; g < NODE_GROUPS; g++)
    if (b->members[g] != 0)
      w->groups[count++] = (struct group_of_node){.id = (uint16_t)(7 + g),
                                                  .children = b->members[g] & below,
                                                  .up = (b->members[g] >> b->ports & 1) != 0};
  w->config.group_count = count;
}

void node_store_trees(struct node_bench *b) {
  const struct tree_bus bus = node_bus(b);
  struct node_wired w;
  node_wire(b, &w);
  tree_control_store_trees(&bus, &w.config);
}
