// Makes the hosts, nodes and cables of a tree_net, each process those that are its own, and frees them.
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/rng.h"
#include "sim/engine/collective/tree_net_state.h"
#include "sim/engine/tree/tree_wiring.h"
#include "sim/engine/world/ranks.h"

/// A node with the hosts below it goes to one process, neighbours to the same one; or anything goes to any.
static unsigned process_of(const struct tree_net *n, size_t actor) {
  const unsigned processes = ranks_count();
  struct rng d = rng_for(n->o.seed, actor);
  if (n->o.scatter) return rng_below(&d, processes);
  const size_t node = actor < n->hosts ? topology_leaf(n->o.topology, (unsigned)actor) : actor - n->hosts;
  return (unsigned)(node * processes / n->nodes);
}

static void make_parts(struct tree_net *n) {
  for (size_t i = 0; i < n->hosts + n->nodes; i++) {
    struct actor *a = &n->actors[i];
    const bool host = i < n->hosts;
    a->net = n;
    a->number = (unsigned)(host ? i : i - n->hosts);
    a->port_count = host ? 1 : tree_wiring_ports(&n->o, a->number);
    a->ports = need(calloc(a->port_count, sizeof *a->ports));
    a->index = i;
    a->part = n->o.carrier != NULL
                  ? n->o.carrier->part(n->o.carrier->self, i)
                  : world_part(n->world, &tree_net_acts, a, host ? TREE_NET_TIMERS : TREE_NET_ALARM, process_of(n, i));
  }
}

/// One direction of a cable. A device looks at its cable only once a cycle, so what it sends may have begun so long ago: the world's cable is as much
/// shorter. In the world no cable takes no time.
static void make_way(struct tree_net *n, size_t number) {
  const struct tree_end low = tree_wiring_below(&n->o, number / 2), high = tree_wiring_above(n->o.topology, number / 2);
  const struct tree_end from = number % 2 == 0 ? low : high, to = number % 2 == 0 ? high : low;
  const bool node = from.actor >= n->hosts;
  const bool device = node && tree_wiring_built(&n->o, (unsigned)(from.actor - n->hosts)) != NULL;
  const uint64_t delay = n->o.cable_ps + (node && !device ? n->o.node_ps : 0), grain = device ? NODE_DRIVE_CYCLE_PS : 0;
  const uint64_t takes = delay > grain ? delay - grain : 1;
  struct tree_port *p = &n->actors[from.actor].ports[from.port];
  p->there = true;
  p->number = number;
  p->to = to;
  if (n->o.carrier != NULL) return;
  const struct link_config c = {.gbps = n->o.gbps,
                                .grain_ps = grain,
                                .faults = n->o.faults,
                                .seed = n->o.seed * 0x10001 + number};
  p->link = need(link_new(&c));
  p->cable = world_cable(n->world, n->actors[from.actor].part, n->actors[to.actor].part, to.port, takes);
  p->more_ps = delay > takes ? delay - takes : 0;
  n->actors[to.actor].ports[to.port].attacker = rng_for(n->o.seed * 0x10001 + number, 0x486F7374);
}

static struct node_rtl *make_device(struct tree_net *n, struct actor *a, char *error, size_t size) {
  const struct node_rtl_cables cables = {.user = a, .idle = tree_net_cable_idle, .send = tree_net_cable_send};
  struct tree_wired w;
  if (!tree_wiring_wire(&n->o, a->number, &w)) return NULL;
  const struct node_config *built = tree_wiring_built(&n->o, a->number);
  struct node_rtl *made = node_rtl_new(built, &w.config, n->o.seed + a->number, &cables, error, size);
  tree_wiring_unwire(&w);
  if (made != NULL && n->o.flips > 0) node_rtl_flip(made, n->o.seed + a->number, n->o.flips, false);
  return made;
}

/// Makes what is of this process.
static bool make_actors(struct tree_net *n, char *error, size_t size) {
  for (size_t i = 0; i < n->hosts + n->nodes; i++) {
    struct actor *a = &n->actors[i];
    if (!world_owns(n->world, a->part)) continue;
    if (i < n->hosts)
      a->host = tree_wiring_host(&n->o, a->number);
    else if (tree_wiring_built(&n->o, a->number) != NULL)
      a->device = make_device(n, a, error, size);
    else
      a->node = tree_wiring_node(&n->o, a->number);
    if (a->host == NULL && a->node == NULL && a->device == NULL) return false;
  }
  return true;
}

struct tree_net *tree_net_new(const struct tree_net_options *options, char *error, size_t size) {
  struct tree_net *n = need(calloc(1, sizeof *n));
  snprintf(error, size, "out of memory");
  n->o = *options;
  n->hosts = options->topology->hosts;
  n->nodes = options->topology->count;
  n->cables = n->hosts + n->nodes - 1;
  n->actors = need(calloc(n->hosts + n->nodes, sizeof *n->actors));
  n->world = options->carrier != NULL ? options->carrier->world : world_new();
  make_parts(n);
  for (size_t w = 0; w < 2 * n->cables; w++) make_way(n, w);
  bool good = options->carrier != NULL || world_ready(n->world);
  if (!good) snprintf(error, size, "more cables and parts than %u", WORLD_THINGS);
  // One process after the other: a device that is not there yet is built by the first that wants it.
  for (unsigned r = 0; r < ranks_count(); r++) {
    if (r == ranks_own()) good = good && make_actors(n, error, size);
    ranks_least(0);
  }
  if (!good) {
    tree_net_free(n);
    return NULL;
  }
  if (options->dead_host != TREE_NET_NOBODY && tree_net_owns(n, options->dead_host))
    tree_net_wake(n, &n->actors[options->dead_host], TREE_NET_DEATH, options->dead_ps);
  return n;
}

void tree_net_free(struct tree_net *n) {
  if (n == NULL) return;
  for (size_t i = 0; i < n->hosts + n->nodes; i++) {
    struct actor *a = &n->actors[i];
    for (struct late *l = a->late, *behind; l != NULL; l = behind) {
      behind = l->next;
      free(l->frame);
      free(l);
    }
    for (unsigned p = 0; p < a->port_count; p++) link_free(a->ports[p].link);
    free(a->ports);
    tree_host_free(a->host);
    tree_node_free(a->node);
    node_rtl_free(a->device);
  }
  if (n->o.carrier == NULL) world_free(n->world);
  free(n->actors);
  free(n);
}
