#include "sim/engine/collective/tree_regroup.h"

#include <stdlib.h>

#include "base/memory.h"

struct tree_regroup {
  const struct tree_net_options *o;
  struct tree_net *net;
  uint16_t *numbers;   // of each group at each node
  uint16_t *next;      // of each group
  uint64_t done, busy;
};

struct tree_regroup *tree_regroup_new(const struct tree_net_options *options, struct tree_net *net) {
  struct tree_regroup *r = need(calloc(1, sizeof *r));
  *r = (struct tree_regroup){.o = options, .net = net};
  r->numbers = need(calloc((size_t)options->topology->count * options->groups, sizeof *r->numbers));
  r->next = need(calloc(options->groups, sizeof *r->next));
  for (unsigned g = 0; g < options->groups; g++) r->next[g] = (uint16_t)(g + 1 + options->groups);
  return r;
}

void tree_regroup_free(struct tree_regroup *r) {
  if (r == NULL) return;
  free(r->numbers);
  free(r->next);
  free(r);
}

static bool change(const struct tree_regroup *r, unsigned node, size_t index, const struct group_of_node *group) {
  struct node_rtl *device = tree_net_device(r->net, node);
  return device != NULL ? node_rtl_change_group(device, (unsigned)index, group)
                        : tree_node_change_group(tree_net_node(r->net, node), index, group);
}

bool tree_regroup_step(struct tree_regroup *r, unsigned group, uint16_t *number) {
  bool all = true;
  for (unsigned n = 0; n < r->o->topology->count; n++) {
    uint16_t *has = &r->numbers[(size_t)n * r->o->groups + group];
    struct group_of_node g;
    if (*has == r->next[group] || !tree_wiring_knows(r->o, n, group)) continue;
    const size_t index = tree_wiring_group(r->o, n, group, &g);
    g.id = r->next[group];
    if (change(r, n, index, NULL) && change(r, n, index, &g)) {
      *has = g.id;
    } else {
      r->busy++;
      all = false;
    }
  }
  *number = r->next[group];
  if (!all) return false;
  r->next[group] = (uint16_t)(r->next[group] + r->o->groups);
  r->done++;
  return true;
}

uint64_t tree_regroup_done(const struct tree_regroup *r) { return r->done; }
uint64_t tree_regroup_busy(const struct tree_regroup *r) { return r->busy; }
