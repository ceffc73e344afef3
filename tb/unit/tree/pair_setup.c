#include "unit/tree/pair_setup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "drive/bits.h"
#include "structs/sat_pkg.h"

unsigned pair_below(unsigned n) { return (unsigned)rand() % n; }

uint64_t pair_some(unsigned ports, uint64_t of) {
  uint64_t some = of & (uint64_t)rand();
  if (pair_below(3) == 0) some = of;
  while (some == 0) some = of & port_bit(pair_below(ports));
  return some;
}

struct pair_setup pair_draw(unsigned ports, const unsigned *mtus, unsigned count) {
  struct pair_setup s = {.ports = ports, .patience = PAIR_PATIENCE, .patience_up = PAIR_PATIENCE_UP};
  s.parent = pair_below(3) == 0 ? TREE_NO_PORT : pair_below(ports);
  s.mtu = mtus[pair_below(count)];
  s.group_count = 1 + pair_below(PAIR_GROUPS);
  const uint64_t parent = s.parent == TREE_NO_PORT ? 0 : port_bit(s.parent);
  s.children = pair_some(ports, (port_bit(ports) - 1) & ~parent);
  for (unsigned g = 0; g < s.group_count; g++)
    s.groups[g] = (struct group_of_node){.id = (uint16_t)(g * 256 + 1 + pair_below(200)),
                                         .children = pair_some(ports, s.children),
                                         .up = parent != 0 && rand() % 4 != 0};
  return s;
}

void pair_config(struct dut *d, const struct pair_setup *s, uint16_t tree, uint16_t node) {
  uint32_t words[WORDS_OF(sat_cfg_t, 1)] = {0};
  const bool root = s->parent == TREE_NO_PORT;
  bits_put(words, FIELD(sat_cfg_t, parent_valid), !root);
  bits_put(words, FIELD(sat_cfg_t, parent), root ? pair_below(16) : s->parent);
  bits_put(words, FIELD(sat_cfg_t, children), s->children);
  bits_put(words, FIELD(sat_cfg_t, tree), tree);
  bits_put(words, FIELD(sat_cfg_t, node), node);
  bits_put(words, FIELD(sat_cfg_t, mtu), s->mtu);
  bits_put(words, FIELD(sat_cfg_t, patience), s->patience);
  bits_put(words, FIELD(sat_cfg_t, patience_up), s->patience_up);
  for (unsigned g = 0; g < PAIR_GROUPS; g++) {
    const size_t at = sat_cfg_t__groups__AT + g * sat_cfg_t__groups__EACH;
    const bool valid = g < s->group_count;
    bits_put(words, at + FIELD(sat_group_t, valid), valid);
    bits_put(words, at + FIELD(sat_group_t, id), valid ? s->groups[g].id : s->groups[0].id);
    bits_put(words, at + FIELD(sat_group_t, children), valid ? s->groups[g].children : (uint64_t)rand() & 0xFFFF);
    bits_put(words, at + FIELD(sat_group_t, up), valid ? s->groups[g].up : pair_below(2));
  }
  dut_set_words(d, "cfg_i", words, WORDS_OF(sat_cfg_t, 1));
}

struct rc_end_config pair_end(const struct pair_setup *s, unsigned port, bool of_node, unsigned tree, struct pair_room room) {
  const struct conn_key down = {.src = {10, 1, 0, 1}, .dst = {10, 0, 0, (uint8_t)(port + 1)}, .qpn = 0x100 + tree};
  const struct conn_key up = {.src = {10, 0, 0, (uint8_t)(port + 1)}, .dst = {10, 1, 0, 1}, .qpn = 0x200 + tree};
  return (struct rc_end_config){
      .local_mac = {2, 0, 0, 0, of_node, (uint8_t)port},
      .peer_mac = {2, 0, 0, 0, !of_node, (uint8_t)port},
      .out = of_node ? down : up,
      .in = of_node ? up : down,
      .psn_out = of_node,
      .psn_in = !of_node,
      .mtu = s->mtu,
      .request = {.room = room.out, .ack_every = 1, .timeout_ps = UINT64_MAX / 2, .rnr_retries = RC_ENDLESS},
      .respond = {.room = room.in, .coalesce = 1, .rnr_timer = 1},
  };
}

static uint64_t neighbours_of(const struct pair_setup *s) {
  return s->children | (s->parent == TREE_NO_PORT ? 0 : port_bit(s->parent));
}

struct tree_node *pair_node(const struct pair_setup *s, struct pair_room room, uint64_t patience_ps, uint64_t patience_up_ps) {
  struct rc_end_config ends[2][PAIR_PORTS];
  struct tree_of_node trees[2];
  for (unsigned t = 0; t < 2; t++) {
    trees[t] = (struct tree_of_node){.id = t ? PAIR_SAT : PAIR_LOW,
                                     .sat = t == 1,
                                     .partner = !t,
                                     .parent = s->parent,
                                     .neighbours = neighbours_of(s),
                                     .ends = ends[t]};
    for (unsigned p = 0; p < s->ports; p++) ends[t][p] = pair_end(s, p, true, t, room);
  }
  struct tree_node *n = tree_node_new(&(struct tree_node_config){.id = PAIR_NODE,
                                                                 .ports = s->ports,
                                                                 .trees = trees,
                                                                 .tree_count = 2,
                                                                 .groups = s->groups,
                                                                 .group_count = s->group_count,
                                                                 .lock_cells = 2,
                                                                 .patience_ps = patience_ps,
                                                                 .patience_up_ps = patience_up_ps});
  assert_non_null(n);
  return n;
}

void pair_peers(const struct pair_setup *s, unsigned tree, struct pair_room room, struct rc_end *peers[PAIR_PORTS]) {
  for (unsigned p = 0; p < s->ports; p++) {
    const struct rc_end_config peer = pair_end(s, p, false, tree, room);
    if ((neighbours_of(s) >> p & 1) == 0) continue;
    peers[p] = rc_end_new(&peer);
    assert_non_null(peers[p]);
  }
}

unsigned pair_one(const struct pair_setup *s, unsigned group) {
  const struct group_of_node *g = &s->groups[group];
  unsigned one = g->up && pair_below(3) == 0 ? TREE_NO_PORT : pair_below(s->ports);
  while (one != TREE_NO_PORT && (g->children >> one & 1) == 0) one = pair_below(s->ports);
  return one;
}

void pair_contributions(unsigned ports, struct tree_header h, unsigned one, uint32_t count, struct tree_header from[PAIR_PORTS]) {
  for (unsigned p = 0; p < ports; p++) {
    h.flags = TREE_CARRIES | TREE_WANTS;
    if (h.operation == TREE_REDUCE && p != one) h.flags = TREE_CARRIES;
    if (h.operation == TREE_BROADCAST) h.flags = p != one ? TREE_WANTS : TREE_CARRIES | (rand() % 2 ? TREE_WANTS : 0);
    if (!tree_has_vector(h.operation)) h.flags = 0;
    h.count = h.operation == TREE_LOCK ? count : (uint32_t)rand();
    h.node = (uint16_t)rand();
    h.port = (uint8_t)rand();
    h.holder_tree = (uint16_t)rand();
    h.holder_group = (uint16_t)rand();
    from[p] = h;
  }
}
