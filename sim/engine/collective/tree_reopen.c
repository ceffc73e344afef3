#include "sim/engine/collective/tree_reopen.h"

#include <stdlib.h>

#include "base/memory.h"

struct tree_reopen {
  const struct tree_net_options *o;
  struct tree_net *net;
  void (*retire)(void *user, struct rc_end *end);
  void *user;
  bool *node_done, still;
  uint64_t still_ps;   // since when, if it is
  uint64_t done;
};

struct tree_reopen *tree_reopen_new(const struct tree_net_options *options, struct tree_net *net,
                                    void (*retire)(void *user, struct rc_end *end), void *user) {
  struct tree_reopen *r = need(calloc(1, sizeof *r));
  *r = (struct tree_reopen){.o = options, .net = net, .retire = retire, .user = user};
  r->node_done = need(calloc(options->topology->count, sizeof *r->node_done));
  return r;
}

void tree_reopen_free(struct tree_reopen *r) {
  if (r == NULL) return;
  free(r->node_done);
  free(r);
}

bool tree_reopen_due(const struct tree_reopen *r, unsigned host) {
  const struct tree_host *h = tree_net_host(r->net, host);
  return tree_host_down(h, true) && !tree_host_down(h, false);
}

static bool node_may(const struct tree_reopen *r, unsigned node) {
  struct node_rtl *device = tree_net_device(r->net, node);
  const struct tree_node *model = tree_net_node(r->net, node);
  if (device != NULL) return node_rtl_may_reopen(device);
  bool may = tree_node_down(model, 1) && !tree_node_down(model, 0);
  for (unsigned p = 0; may && p < tree_wiring_ports(r->o, node); p++) {
    struct rc_end *low = tree_node_end(model, 0, p);
    may = low == NULL || rc_end_empty(low);
  }
  return may;
}

/// The tree is no more anywhere, and nobody has to hear of it still.
static bool may(const struct tree_reopen *r) {
  for (unsigned h = 0; h < r->o->topology->hosts; h++)
    if (tree_net_alive(r->net, h) && (!tree_reopen_due(r, h) || !rc_end_empty(tree_host_end(tree_net_host(r->net, h), false))))
      return false;
  for (unsigned n = 0; n < r->o->topology->count; n++)
    if (!r->node_done[n] && !node_may(r, n)) return false;
  return true;
}

static bool reopen_node(const struct tree_reopen *r, unsigned node, unsigned life) {
  struct node_rtl *device = tree_net_device(r->net, node);
  struct tree_node *model = tree_net_node(r->net, node);
  struct rc_end_config ends[TREE_MAX_PORTS] = {0};
  const uint64_t neighbours = tree_wiring_node_again(r->o, node, 0, life, ends);
  if (device != NULL) return node_rtl_reopen(device, ends);
  for (uint64_t left = neighbours; left != 0; left &= left - 1)
    r->retire(r->user, tree_node_end(model, 1, (unsigned)__builtin_ctzll(left)));
  return tree_node_reopen(model, 1, ends);
}

bool tree_reopen_step(struct tree_reopen *r) {
  const unsigned life = (unsigned)r->done + 1;
  const bool was = r->still;
  bool all = true;
  r->still = may(r);
  if (!r->still) return false;
  if (!was) r->still_ps = tree_net_now(r->net);
  // What is still on a cable, or in front of a device's engine, is there by then.
  if (tree_net_now(r->net) - r->still_ps < TREE_REOPEN_PS) return false;
  for (unsigned n = 0; n < r->o->topology->count; n++) {
    r->node_done[n] = r->node_done[n] || reopen_node(r, n, life);
    all = all && r->node_done[n];
  }
  if (!all) return false;
  for (unsigned h = 0; h < r->o->topology->hosts; h++) {
    const struct rc_end_config sat = tree_wiring_host_again(r->o, h, life);
    if (!tree_net_alive(r->net, h)) continue;
    r->retire(r->user, tree_host_end(tree_net_host(r->net, h), true));
    all = tree_host_reopen(tree_net_host(r->net, h), &sat) && all;
  }
  for (unsigned n = 0; n < r->o->topology->count; n++) r->node_done[n] = false;
  r->still = false;
  r->done++;
  return all;
}

uint64_t tree_reopen_done(const struct tree_reopen *r) { return r->done; }
