#include "sim/engine/collective/tree_net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "hosts/tree/tree_hostile.h"
#include "sim/engine/agenda.h"
#include "sim/engine/tree/tree_wiring.h"

enum { FRAME_ROOM = 4400 };

/// A host or a node: where its ports lead.
struct actor {
  struct tree_net *net;
  struct tree_host *host;   ///< or
  struct tree_node *node;   ///< or
  struct node_rtl *device;
  uint64_t cycle_at;   ///< when the device's next cycle may be
  unsigned ports;
  size_t out[TREE_MAX_PORTS];   ///< link that leaves by a port; SIZE_MAX: none
};

struct tree_net {
  struct tree_net_options o;
  size_t hosts, nodes, links;
  struct link **link;      ///< of cable c: 2 c upwards, 2 c + 1 downwards
  struct tree_end *to;     ///< where each arrives
  struct actor *actors;    ///< hosts, then nodes
  struct agenda *agenda;   ///< links, actors, alarms of hosts, then the host that dies and the cable that is cut
  bool dead;
  uint64_t now;
  struct rng rng;   ///< of hostile frames
  uint64_t attacks;
  uint8_t frame[FRAME_ROOM];
};

// --- making it ---

static bool make_links(struct tree_net *n) {
  for (size_t l = 0; l < n->links; l++) {
    const bool up = l % 2 == 0;
    const size_t cable = l / 2;
    const struct tree_end low = tree_wiring_below(&n->o, cable), high = tree_wiring_above(n->o.topology, cable);
    const struct tree_end *from = up ? &low : &high;
    const struct link_config c = {.gbps = n->o.gbps,
                                  .delay_ps = n->o.cable_ps + (n->actors[from->actor].node != NULL ? n->o.node_ps : 0),
                                  .grain_ps = n->actors[from->actor].device != NULL ? NODE_DRIVE_CYCLE_PS : 0,
                                  .faults = n->o.faults,
                                  .seed = n->o.seed * 0x10001 + l};
    n->link[l] = link_new(&c);
    if (n->link[l] == NULL) return false;
    n->to[l] = up ? high : low;
    n->actors[from->actor].out[from->port] = l;
  }
  return true;
}

// --- devices: their side of the cables ---

/// Puts a frame on the cable at a port.
static void put(struct tree_net *n, const struct actor *a, unsigned port, const uint8_t *frame, size_t len) {
  const size_t l = a->out[port];
  if (n->o.watch != NULL) n->o.watch(n->o.user, l / 2, l % 2 == 0, frame, len);
  if (n->o.writer != NULL) capture_writer_put(n->o.writer, (unsigned)(l / 2), n->now / 1000, frame, len);
  link_send(n->link[l], n->now, frame, len);
  agenda_set(n->agenda, l, link_due(n->link[l]));
}

static bool cable_idle(void *user, unsigned port) {
  const struct actor *a = user;
  return a->out[port] == SIZE_MAX || link_idle(a->net->link[a->out[port]], a->net->now);
}

static void cable_send(void *user, unsigned port, const uint8_t *frame, size_t len) {
  const struct actor *a = user;
  if (a->out[port] != SIZE_MAX) put(a->net, a, port, frame, len);
}

static struct node_rtl *make_device(struct tree_net *n, struct actor *a, unsigned node, char *error, size_t size) {
  const struct node_rtl_cables cables = {.user = a, .idle = cable_idle, .send = cable_send};
  struct tree_wired w;
  if (!tree_wiring_wire(&n->o, node, &w)) return NULL;
  struct node_rtl *made = node_rtl_new(tree_wiring_built(&n->o, node), &w.config, n->o.seed + node, &cables, error, size);
  tree_wiring_unwire(&w);
  return made;
}

static bool make_actors(struct tree_net *n, char *error, size_t size) {
  for (size_t a = 0; a < n->hosts + n->nodes; a++) {
    struct actor *actor = &n->actors[a];
    const bool host = a < n->hosts;
    const unsigned node = (unsigned)(a - n->hosts);
    for (unsigned p = 0; p < TREE_MAX_PORTS; p++) actor->out[p] = SIZE_MAX;
    actor->net = n;
    actor->ports = host ? 1 : tree_wiring_ports(&n->o, node);
    if (host)
      actor->host = tree_wiring_host(&n->o, (unsigned)a);
    else if (tree_wiring_built(&n->o, node) != NULL)
      actor->device = make_device(n, actor, node, error, size);
    else
      actor->node = tree_wiring_node(&n->o, node);
    if (actor->host == NULL && actor->node == NULL && actor->device == NULL) return false;
  }
  return true;
}

static size_t thing_of_actor(const struct tree_net *n, size_t actor) { return n->links + actor; }
static size_t thing_of_alarm(const struct tree_net *n, unsigned host) { return n->links + n->hosts + n->nodes + host; }
static size_t thing_of_death(const struct tree_net *n) { return thing_of_alarm(n, (unsigned)n->hosts); }

struct tree_net *tree_net_new(const struct tree_net_options *options, char *error, size_t size) {
  struct tree_net *n = calloc(1, sizeof *n);
  snprintf(error, size, "out of memory");
  if (n == NULL) return NULL;
  n->o = *options;
  n->rng = rng_for(options->seed, 0x486F7374);
  n->hosts = options->topology->hosts;
  n->nodes = options->topology->count;
  n->links = 2 * (n->hosts + n->nodes - 1);
  n->link = calloc(n->links, sizeof(struct link *));
  n->to = calloc(n->links, sizeof *n->to);
  n->actors = calloc(n->hosts + n->nodes, sizeof *n->actors);
  n->agenda = agenda_new(thing_of_death(n) + 2);
  if (n->link == NULL || n->to == NULL || n->actors == NULL || n->agenda == NULL || !make_actors(n, error, size) ||
      !make_links(n)) {
    tree_net_free(n);
    return NULL;
  }
  if (options->dead_host != TREE_NET_NOBODY) agenda_set(n->agenda, thing_of_death(n), options->dead_ps);
  if (options->cut_cable != TREE_NET_NOBODY) agenda_set(n->agenda, thing_of_death(n) + 1, options->cut_ps);
  return n;
}

void tree_net_free(struct tree_net *n) {
  if (n == NULL) return;
  for (size_t l = 0; n->link != NULL && l < n->links; l++) link_free(n->link[l]);
  for (size_t a = 0; n->actors != NULL && a < n->hosts + n->nodes; a++) {
    tree_host_free(n->actors[a].host);
    tree_node_free(n->actors[a].node);
    node_rtl_free(n->actors[a].device);
  }
  agenda_free(n->agenda);
  free(n->link);
  free(n->to);
  free(n->actors);
  free(n);
}

// --- time ---

static bool is_dead(const struct tree_net *n, size_t actor) { return n->dead && actor == n->o.dead_host; }

static bool ready(const struct tree_net *n, const struct actor *a, unsigned port) {
  return a->host != NULL ? tree_host_ready(a->host, n->now) : tree_node_ready(a->node, n->now, port);
}

static size_t next(struct tree_net *n, const struct actor *a, unsigned port) {
  if (a->host != NULL) return tree_host_next(a->host, n->now, n->frame, sizeof n->frame);
  return tree_node_next(a->node, n->now, port, n->frame, sizeof n->frame);
}

static void sooner(uint64_t *first, uint64_t time) {
  if (time < *first) *first = time;
}

static uint64_t deadline(const struct tree_net *n, const struct actor *a) {
  return a->host != NULL ? tree_host_deadline(a->host, n->now) : tree_node_deadline(a->node, n->now);
}

static void tick(struct tree_net *n, const struct actor *a) {
  if (a->host != NULL)
    tree_host_tick(a->host, n->now);
  else
    tree_node_tick(a->node, n->now);
}

/// A cycle of a device, and when it needs the next one.
static void clock_device(struct tree_net *n, size_t index) {
  struct actor *a = &n->actors[index];
  const bool more = node_rtl_step(a->device);
  a->cycle_at = n->now + NODE_DRIVE_CYCLE_PS;
  agenda_set(n->agenda, thing_of_actor(n, index), more ? a->cycle_at : UINT64_MAX);
}

/// Does what is due at a host or node, sends what it has for cables that are free, and notes when it has to be looked at again.
static void serve(struct tree_net *n, size_t index) {
  const struct actor *a = &n->actors[index];
  uint64_t due = UINT64_MAX;
  if (a->device != NULL) {
    clock_device(n, index);
    return;
  }
  if (is_dead(n, index)) {
    agenda_set(n->agenda, thing_of_actor(n, index), due);
    return;
  }
  if (deadline(n, a) <= n->now) tick(n, a);
  for (unsigned port = 0; port < a->ports; port++) {
    const size_t l = a->out[port];
    if (l == SIZE_MAX) continue;
    while (ready(n, a, port) && link_idle(n->link[l], n->now)) {
      const size_t len = next(n, a, port);
      put(n, a, port, n->frame, len);
    }
    if (ready(n, a, port)) sooner(&due, link_idle_at(n->link[l]));
  }
  // What is due already waits for a cable.
  if (deadline(n, a) > n->now) sooner(&due, deadline(n, a));
  agenda_set(n->agenda, thing_of_actor(n, index), due);
}

static void hand(struct tree_net *n, const struct tree_end *to, const uint8_t *frame, size_t len, bool bad) {
  const struct actor *a = &n->actors[to->actor];
  if (a->host != NULL)
    tree_host_receive(a->host, n->now, frame, len, bad);
  else if (a->device != NULL)
    node_rtl_receive(a->device, to->port, frame, len, bad);
  else
    tree_node_receive(a->node, n->now, to->port, frame, len, bad);
}

/// Behind some frames comes one that is nobody's.
static void attack(struct tree_net *n, const struct tree_end *to, const struct link_frame *f) {
  if (f->bad_fcs || rng_uniform(&n->rng) >= n->o.hostile) return;
  uint8_t frame[FRAME_ROOM + TREE_HOSTILE_GROWS];
  hand(n, to, frame, tree_hostile_next(&n->rng, f->data, f->len, frame), false);
  n->attacks++;
}

static void arrive(struct tree_net *n, size_t l) {
  struct link_frame f;
  const struct tree_end to = n->to[l];
  const struct actor *a = &n->actors[to.actor];
  while (link_receive(n->link[l], n->now, &f)) {
    if (is_dead(n, to.actor)) continue;
    hand(n, &to, f.data, f.len, f.bad_fcs);
    if (n->o.hostile > 0) attack(n, &to, &f);
  }
  agenda_set(n->agenda, l, link_due(n->link[l]));
  if (a->device != NULL)
    agenda_set(n->agenda, thing_of_actor(n, to.actor), a->cycle_at > n->now ? a->cycle_at : n->now);
  else
    serve(n, to.actor);
}

static void cut(struct tree_net *n) {
  const struct link_faults all = {.loss = 1};
  const size_t cable = n->o.cut_cable;
  link_set_faults(n->link[2 * cable], &all);
  link_set_faults(n->link[2 * cable + 1], &all);
}

bool tree_net_step(struct tree_net *n, unsigned *host) {
  size_t thing;
  const uint64_t due = agenda_first(n->agenda, &thing);
  *host = TREE_NET_NOBODY;
  if (due == UINT64_MAX) return false;
  if (due > n->now) n->now = due;
  if (thing < n->links) {
    arrive(n, thing);
    if (n->to[thing].actor < n->hosts) *host = (unsigned)n->to[thing].actor;
    return true;
  }
  if (thing < thing_of_alarm(n, 0)) {
    const size_t index = thing - n->links;
    serve(n, index);
    if (index < n->hosts) *host = (unsigned)index;
    return true;
  }
  agenda_set(n->agenda, thing, UINT64_MAX);
  if (thing < thing_of_death(n)) {
    *host = (unsigned)(thing - thing_of_alarm(n, 0));
  } else if (thing == thing_of_death(n)) {
    n->dead = true;
    serve(n, n->o.dead_host);
  } else {
    cut(n);
  }
  return true;
}

void tree_net_begun(struct tree_net *n, unsigned host) { serve(n, host); }

void tree_net_alarm(struct tree_net *n, unsigned host, uint64_t time) { agenda_set(n->agenda, thing_of_alarm(n, host), time); }

uint64_t tree_net_now(const struct tree_net *n) { return n->now; }

// --- looking at it ---

uint64_t tree_net_bound(const struct tree_net *n) { return tree_wiring_patience(&n->o); }

struct tree_host *tree_net_host(const struct tree_net *n, unsigned host) {
  return n->actors[host].host;
}

bool tree_net_alive(const struct tree_net *n, unsigned host) { return !is_dead(n, host); }
unsigned tree_net_group(const struct tree_net *n, unsigned host) { return host % n->o.groups; }

struct tree_node *tree_net_node(const struct tree_net *n, unsigned node) {
  return n->actors[n->hosts + node].node;
}

struct node_rtl *tree_net_device(const struct tree_net *n, unsigned node) {
  return n->actors[n->hosts + node].device;
}

uint64_t tree_net_attacks(const struct tree_net *n) { return n->attacks; }

size_t tree_net_cables(const struct tree_net *n) { return n->links / 2; }

struct link_counts tree_net_link(const struct tree_net *n, size_t cable, bool up) {
  return link_counts(n->link[2 * cable + !up]);
}
