#include "sim/engine/collective/tree_net_state.h"

#include <stdlib.h>

#include "base/memory.h"
#include "hosts/tree/tree_hostile.h"
#include "sim/engine/tree/tree_wiring.h"

enum { EVENTS_A_STEP = 1000, MANY_FLIPS = 2000 };

// --- devices: their side of the cables ---

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

void tree_net_wake(const struct tree_net *n, const struct actor *a, enum tree_net_timer timer, uint64_t time) {
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

bool tree_net_cable_idle(void *user, unsigned port) {
  const struct actor *a = user;
  return !a->ports[port].there || idle(a->net, a, port);
}

void tree_net_cable_send(void *user, unsigned port, const uint8_t *frame, size_t len) {
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
  if (more) tree_net_wake(n, a, TREE_NET_SERVE, a->cycle_at);
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
  tree_net_wake(n, a, TREE_NET_SERVE, due);
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
  uint8_t frame[TREE_NET_FRAME + TREE_HOSTILE_GROWS];
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
    tree_net_wake(n, a, TREE_NET_SERVE, later(a->cycle_at, tree_net_now(n)));
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
  tree_net_wake(n, a, TREE_NET_LATE, l->due);
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
  if (a->late != NULL) tree_net_wake(n, a, TREE_NET_LATE, a->late->due);
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
    tree_net_wake(n, a, TREE_NET_SERVE, a->cycle_at);
  else if (timer == TREE_NET_SERVE)
    serve(n, a);
  if (timer == TREE_NET_DEATH) a->dead = true;
  moved(n, a);
}

bool tree_net_step(struct tree_net *n) { return world_run(n->world, WORLD_END, EVENTS_A_STEP); }
void tree_net_begun(struct tree_net *n, unsigned host) { serve(n, &n->actors[host]); }
void tree_net_alarm(struct tree_net *n, unsigned host, uint64_t time) {
  tree_net_wake(n, &n->actors[host], TREE_NET_ALARM, time);
}
uint64_t tree_net_now(const struct tree_net *n) { return world_now(n->world); }

const struct world_acts tree_net_acts = {arrive, wake};

void *tree_net_part(const struct tree_net *n, size_t actor) { return &n->actors[actor]; }

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
