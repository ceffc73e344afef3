#include "sim/engine/collective/tree_net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "hosts/tree/tree_hostile.h"
#include "sim/engine/tree/tree_wiring.h"
#include "sim/engine/world/ranks.h"

enum { FRAME_ROOM = 4400, EVENTS_A_STEP = 1000, MANY_FLIPS = 2000 };

/// A frame that others have overtaken on its cable.
struct late {
  struct late *next;
  uint64_t due;
  unsigned port;
  bool bad;
  struct world_frame *frame;
};

/// Where a cable is. Its faults are drawn by whoever sends on it, its hostile frames by whoever receives from it, each from a generator of this
/// direction of this cable.
struct tree_port {
  bool there;            ///< a cable is here
  struct link *link;     ///< rate and faults of the way out; NULL with a carrier
  struct tree_end to;    ///< the other end
  size_t number;         ///< of the way out: of cable c, 2 c upwards, 2 c + 1 downwards
  uint32_t cable;        ///< the same in the world
  uint64_t more_ps;      ///< delay of the way out beyond that of the cable in the world
  struct rng attacker;   ///< of the way in
};

/// A host or a node: one part of the world.
struct actor {
  struct tree_net *net;
  struct tree_host *host;   ///< or
  struct tree_node *node;   ///< or
  struct node_rtl *device;
  uint64_t cycle_at;   ///< when the device's next cycle may be
  bool spoilt;         ///< its memories lose words
  uint32_t part;
  size_t index;   // hosts, then nodes
  unsigned number, port_count;
  bool dead;
  struct late *late;   ///< by time
  struct tree_port *ports;
};

struct tree_net {
  struct tree_net_options o;
  size_t hosts, nodes, cables;
  struct actor *actors;   ///< hosts, then nodes; those of other processes are empty
  struct world *world;
  uint64_t attacks;
  uint8_t frame[FRAME_ROOM];
};

// --- devices: their side of the cables ---

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void wake_at(const struct tree_net *n, const struct actor *a, enum tree_net_timer timer, uint64_t time) {
  world_wake(n->world, a->part, (n->o.carrier != NULL ? n->o.carrier->first_timer : 0) + timer, time);
}

/// Puts a frame on the cable at a port. The world's cables keep the order of what is sent: a frame that others overtake says by how much it is late.
static void put(struct tree_net *n, const struct actor *a, struct tree_port *p, const uint8_t *frame, size_t len) {
  static const struct link_faults all = {.loss = 1};
  const uint64_t now = tree_net_now(n);
  const size_t cable = p->number / 2;
  if (n->o.watch != NULL) n->o.watch(n->o.user, cable, p->number % 2 == 0, frame, len);
  if (n->o.carrier != NULL) {
    n->o.carrier->send(n->o.carrier->self, a->index, (unsigned)(p - a->ports), p->to, frame, len);
    return;
  }
  if (n->o.writer != NULL) capture_writer_put(n->o.writer, (unsigned)cable, now / 1000, frame, len);
  if (cable == n->o.cut_cable && now > n->o.cut_ps) link_set_faults(p->link, &all);
  struct link_copy copies[LINK_COPIES];
  const unsigned count = link_begin(p->link, now, len, copies);
  const uint64_t in_order = later(now, link_idle_at(p->link) + p->more_ps);
  for (unsigned i = 0; i < count; i++) {
    struct world_frame *f = world_frame_new(frame, len);
    link_damage(&copies[i], f->data);
    world_send(n->world, p->cable, in_order,
               &(struct world_packet){.kind = PACKET_BYTES,
                                      .flags = copies[i].bad_fcs ? PACKET_DAMAGED : 0,
                                      .value = later(in_order, copies[i].due + p->more_ps) - in_order,
                                      .frame = f});
  }
}

/// Whether the cable at a port, which is there, takes a frame now.
static bool idle(const struct tree_net *n, const struct actor *a, unsigned port) {
  const struct tree_carrier *c = n->o.carrier;
  return c != NULL ? c->idle(c->self, a->index, port) : link_idle(a->ports[port].link, tree_net_now(n));
}

static bool cable_idle(void *user, unsigned port) {
  const struct actor *a = user;
  return !a->ports[port].there || idle(a->net, a, port);
}

static void cable_send(void *user, unsigned port, const uint8_t *frame, size_t len) {
  const struct actor *a = user;
  if (a->ports[port].there) put(a->net, a, &a->ports[port], frame, len);
}

// --- time ---

static bool ready(const struct tree_net *n, const struct actor *a, unsigned port) {
  return a->host != NULL ? tree_host_ready(a->host, tree_net_now(n)) : tree_node_ready(a->node, tree_net_now(n), port);
}

static size_t next(struct tree_net *n, const struct actor *a, unsigned port) {
  if (a->host != NULL) return tree_host_next(a->host, tree_net_now(n), n->frame, sizeof n->frame);
  return tree_node_next(a->node, tree_net_now(n), port, n->frame, sizeof n->frame);
}

static void sooner(uint64_t *first, uint64_t time) {
  if (time < *first) *first = time;
}

static uint64_t deadline(const struct actor *a, uint64_t now) {
  return a->host != NULL ? tree_host_deadline(a->host, now) : tree_node_deadline(a->node, now);
}

static void tick(const struct actor *a, uint64_t now) {
  if (a->host != NULL)
    tree_host_tick(a->host, now);
  else
    tree_node_tick(a->node, now);
}

/// A cycle of a device, and when it needs the next one.
static void clock_device(struct tree_net *n, struct actor *a) {
  if (a->number == n->o.spoilt_node && !a->spoilt && tree_net_now(n) >= n->o.spoilt_ps) {
    a->spoilt = true;
    node_rtl_flip(a->device, n->o.seed, MANY_FLIPS, true);
  }
  const bool more = node_rtl_step(a->device);
  a->cycle_at = tree_net_now(n) + NODE_DRIVE_CYCLE_PS;
  if (more) wake_at(n, a, TREE_NET_SERVE, a->cycle_at);
}

/// Does what is due at a host or node, sends what it has for cables that are free, and notes when it has to be looked at again.
static void serve(struct tree_net *n, struct actor *a) {
  const uint64_t now = tree_net_now(n);
  uint64_t due = UINT64_MAX;
  if (a->device != NULL) {
    clock_device(n, a);
    return;
  }
  if (a->dead) return;
  if (deadline(a, now) <= now) tick(a, now);
  for (unsigned port = 0; port < a->port_count; port++) {
    struct tree_port *p = &a->ports[port];
    if (!p->there) continue;
    while (ready(n, a, port) && idle(n, a, port)) {
      const size_t len = next(n, a, port);
      put(n, a, p, n->frame, len);
    }
    if (ready(n, a, port) && p->link != NULL) sooner(&due, link_idle_at(p->link));
  }
  // What is due already waits for a cable.
  if (deadline(a, now) > now) sooner(&due, deadline(a, now));
  wake_at(n, a, TREE_NET_SERVE, due);
}

/// A host may have done something.
static void moved(struct tree_net *n, const struct actor *a) {
  if (a->host != NULL && n->o.moved != NULL) n->o.moved(n->o.user, a->number);
}

static void hand(struct tree_net *n, const struct actor *a, unsigned port, const uint8_t *frame, size_t len, bool bad) {
  if (a->host != NULL)
    tree_host_receive(a->host, tree_net_now(n), frame, len, bad);
  else if (a->device != NULL)
    node_rtl_receive(a->device, port, frame, len, bad);
  else
    tree_node_receive(a->node, tree_net_now(n), port, frame, len, bad);
}

/// Behind some frames comes one that is nobody's.
static void attack(struct tree_net *n, const struct actor *a, unsigned port, const struct world_frame *f) {
  struct rng *d = &a->ports[port].attacker;
  if (rng_uniform(d) >= n->o.hostile) return;
  uint8_t frame[FRAME_ROOM + TREE_HOSTILE_GROWS];
  hand(n, a, port, frame, tree_hostile_next(d, f->data, f->len, frame), false);
  n->attacks++;
}

/// A frame is here, which is no more behind it.
static void receive(struct tree_net *n, struct actor *a, unsigned port, struct world_frame *f, bool bad) {
  if (!a->dead) {
    hand(n, a, port, f->data, f->len, bad);
    if (n->o.hostile > 0 && !bad) attack(n, a, port, f);
  }
  free(f);
  if (a->device != NULL)
    wake_at(n, a, TREE_NET_SERVE, later(a->cycle_at, tree_net_now(n)));
  else
    serve(n, a);
  moved(n, a);
}

static void wait_for(struct tree_net *n, struct actor *a, unsigned port, const struct world_packet *packet) {
  struct late *l = need(malloc(sizeof *l)), **at = &a->late;
  *l = (struct late){.due = tree_net_now(n) + packet->value,
                     .port = port,
                     .bad = (packet->flags & PACKET_DAMAGED) != 0,
                     .frame = packet->frame};
  while (*at != NULL && (*at)->due <= l->due) at = &(*at)->next;
  l->next = *at;
  *at = l;
  wake_at(n, a, TREE_NET_LATE, l->due);
}

static void arrive(void *part, uint32_t port, const struct world_packet *packet) {
  struct actor *a = part;
  if (packet->value > 0)
    wait_for(a->net, a, port, packet);
  else
    receive(a->net, a, port, packet->frame, (packet->flags & PACKET_DAMAGED) != 0);
}

static void receive_late(struct tree_net *n, struct actor *a) {
  while (a->late != NULL && a->late->due <= tree_net_now(n)) {
    struct late *l = a->late;
    a->late = l->next;
    receive(n, a, l->port, l->frame, l->bad);
    free(l);
  }
  if (a->late != NULL) wake_at(n, a, TREE_NET_LATE, a->late->due);
}

static void wake(void *part, uint32_t timer) {
  struct actor *a = part;
  struct tree_net *n = a->net;
  if (timer == TREE_NET_LATE) {
    receive_late(n, a);
    return;
  }
  // A device has its own time: what may be sent now waits for its next cycle.
  if (timer == TREE_NET_SERVE && a->device != NULL && tree_net_now(n) < a->cycle_at)
    wake_at(n, a, TREE_NET_SERVE, a->cycle_at);
  else if (timer == TREE_NET_SERVE)
    serve(n, a);
  if (timer == TREE_NET_DEATH) a->dead = true;
  moved(n, a);
}

bool tree_net_step(struct tree_net *n) { return world_run(n->world, WORLD_END, EVENTS_A_STEP); }
void tree_net_begun(struct tree_net *n, unsigned host) { serve(n, &n->actors[host]); }
void tree_net_alarm(struct tree_net *n, unsigned host, uint64_t time) { wake_at(n, &n->actors[host], TREE_NET_ALARM, time); }
uint64_t tree_net_now(const struct tree_net *n) { return world_now(n->world); }

// --- making it ---

const struct world_acts tree_net_acts = {arrive, wake};

void *tree_net_part(const struct tree_net *n, size_t actor) { return &n->actors[actor]; }

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
  const struct node_rtl_cables cables = {.user = a, .idle = cable_idle, .send = cable_send};
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
    wake_at(n, &n->actors[options->dead_host], TREE_NET_DEATH, options->dead_ps);
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

// --- looking at it ---

bool tree_net_owns(const struct tree_net *n, size_t actor) { return world_owns(n->world, n->actors[actor].part); }
const struct world *tree_net_world(const struct tree_net *n) { return n->world; }
uint64_t tree_net_bound(const struct tree_net *n) { return tree_wiring_patience(&n->o); }
struct tree_host *tree_net_host(const struct tree_net *n, unsigned host) {
  return n->actors[host].host;
}
bool tree_net_alive(const struct tree_net *n, unsigned host) { return !n->actors[host].dead; }
unsigned tree_net_group(const struct tree_net *n, unsigned host) { return host % n->o.groups; }
struct tree_node *tree_net_node(const struct tree_net *n, unsigned node) {
  return n->actors[n->hosts + node].node;
}
struct node_rtl *tree_net_device(const struct tree_net *n, unsigned node) {
  return n->actors[n->hosts + node].device;
}
uint64_t tree_net_attacks(const struct tree_net *n) { return n->attacks; }
size_t tree_net_cables(const struct tree_net *n) { return n->cables; }

struct link_counts tree_net_link(const struct tree_net *n, size_t cable, bool up) {
  const struct tree_end from = up ? tree_wiring_below(&n->o, cable) : tree_wiring_above(n->o.topology, cable);
  const struct link *link = n->actors[from.actor].ports[from.port].link;
  return link != NULL ? link_counts(link) : (struct link_counts){0};
}

bool tree_net_sends(const struct tree_net *n, size_t cable, bool up) {
  const struct tree_end from = up ? tree_wiring_below(&n->o, cable) : tree_wiring_above(n->o.topology, cable);
  return tree_net_owns(n, from.actor);
}
