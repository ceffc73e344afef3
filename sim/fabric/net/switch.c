#include "sim/fabric/net/switch.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

// Timers: sending, of each port; then the watchdog of each port; then cables that are cut; then the device; then
// that it is switched off and on; then the device in front of its uplinks.

void switch_make(struct fabric_switch *s, struct world *world, const struct net *net, uint32_t number,
                 const struct switch_options *o, uint64_t seed) {
  *s = (struct fabric_switch){
      .world = world, .net = net, .options = *o, .number = number, .ports = net->port_count[net->hosts + number]};
  s->rng = rng_for(seed, number);
  s->seed = (uint32_t)rng_next(&s->rng);
  s->port = need(calloc(s->ports + 1, sizeof *s->port));
  if (o->uplink && net->tiers[number] == 1) s->uplink = need(calloc(1, sizeof *s->uplink));
  if (o->routing == ROUTING_FLOWLET && net->tiers[number] == 1) s->flowlets = need(calloc(SWITCH_FLOWLETS, sizeof *s->flowlets));
}

void switch_free(struct fabric_switch *s) {
  for (uint32_t p = 0; s->port != NULL && p < s->ports; p++)
    for (unsigned class = 0; class < PACKET_CLASSES; class ++) {
      struct packet_ring *queue = &s->port[p].queues[class];
      for (; queue->count > 0; packet_ring_drop(queue)) free(packet_ring_first(queue)->frame);
      packet_ring_free(queue);
    }
  for (uint32_t p = 0; s->port != NULL && p < s->ports; p++) free(s->port[p].line);
  free(s->port);
  reducer_free(s->reducer);
  if (s->device.self != NULL) s->device.free(s->device.self);
  if (s->way.self != NULL) s->way.free(s->way.self);
  free(s->flowlets);
  free(s->uplink);
  free(s->overrides);
}

static void tell(struct fabric_switch *s, uint32_t number, unsigned class, enum packet_kind kind) {
  port_tell(&s->port[number], s->world, class, kind);
}

static void leave(struct fabric_switch *s, struct fabric_port *port, unsigned class) {
  struct world_packet *packet = packet_ring_first(&port->queues[class]);
  const uint32_t in = packet->in;
  port->queued[class] -= packet->wire;
  buffer_give(s, packet);
  packet->flags &= (uint8_t)~PACKET_BESIDE;
  port_send(port, s->world, packet);
  packet_ring_drop(&port->queues[class]);
  if (s->port[in].told[class] && buffer_free(s, in, class)) tell(s, in, class, PACKET_RESUME);
}

// Sends the next packet of a port, if it is free, and sees to it that it goes on.
static void pump(struct fabric_switch *s, uint32_t number) {
  struct fabric_port *port = &s->port[number];
  const uint64_t now = world_now(s->world);
  if (port->busy > now) {
    world_wake(s->world, s->part, number, port->busy);
    return;
  }
  for (unsigned class = PACKET_CLASSES; class -- > 0;) {
    if (port->queues[class].count == 0 || port->paused[class]) continue;
    const uint64_t time = packet_ring_first(&port->queues[class])->time;
    if (time > now) {
      world_wake(s->world, s->part, number, time);
      continue;
    }
    leave(s, port, class);
    break;
  }
  if (port->busy > now && (port->queues[PACKET_BULK].count > 0 || port->queues[PACKET_URGENT].count > 0))
    world_wake(s->world, s->part, number, port->busy);
}

// The other end of a port's cable stops a class, or lets it go on.
static void pause(struct fabric_switch *s, uint32_t number, unsigned class, bool stop) {
  struct fabric_port *port = &s->port[number];
  if (port->paused[class] == stop) return;
  port->paused[class] = stop;
  if (stop) {
    port->paused_since[class] = world_now(s->world);
    world_wake(s->world, s->part, s->ports + number, world_now(s->world) + s->options.watchdog_ps + 1);
    return;
  }
  port_paused(port, world_now(s->world), class);
  port->storm[class] = false;
  pump(s, number);
}

static bool draw(struct fabric_switch *s, uint64_t queued) {
  const struct switch_options *o = &s->options;
  if (o->mark_low == 0 || queued < o->mark_low) return false;
  if (queued >= o->mark_high) return true;
  return rng_uniform(&s->rng) < o->mark_most * (double)(queued - o->mark_low) / (double)(o->mark_high - o->mark_low);
}

static void drop_waiting(struct fabric_switch *s, struct fabric_port *port, unsigned class, uint64_t *count) {
  struct packet_ring *queue = &port->queues[class];
  for (; queue->count > 0; packet_ring_drop(queue)) {
    const struct world_packet *packet = packet_ring_first(queue);
    const uint32_t in = packet->in;
    port->queued[class] -= packet->wire;
    buffer_give(s, packet);
    free(packet->frame);
    (*count)++;
    if (s->port[in].told[class] && buffer_free(s, in, class)) tell(s, in, class, PACKET_RESUME);
  }
}

static void watch(struct fabric_switch *s, uint32_t number) {
  struct fabric_port *port = &s->port[number];
  const uint64_t now = world_now(s->world), most = s->options.watchdog_ps;
  for (unsigned class = 0; class < PACKET_CLASSES; class ++) {
    if (!port->paused[class] || port->storm[class]) continue;
    if (now - port->paused_since[class] <= most) {
      world_wake(s->world, s->part, s->ports + number, port->paused_since[class] + most + 1);
      continue;
    }
    port->storm[class] = true;
    port->counts.watchdogs++;
    drop_waiting(s, port, class, &port->counts.watchdog_drops);
  }
}

// Puts a packet into the queue of a port, if there is room.
static void enqueue(struct fabric_switch *s, uint32_t in, uint32_t out, const struct world_packet *packet) {
  struct fabric_port *port = &s->port[out];
  // What leaves upwards belongs to an input from below. Else what comes down would wait for what goes up, and two switches for each other.
  if ((packet->flags & PACKET_BESIDE) && port->above && s->port[in].above) in = s->below;
  const bool gone = port->cut || port->storm[packet->class], beside = !gone && buffer_waits_beside(s, in, out, packet);
  uint64_t *const drops = port->cut                                     ? &s->port[in].counts.unreachable
                          : gone                                        ? &port->counts.watchdog_drops
                          : !beside && !buffer_take(s, in, out, packet) ? &s->port[in].counts.dropped
                                                                        : NULL;
  if (drops != NULL) {
    (*drops)++;
    if (drops == &s->port[in].counts.dropped && s->port[in].line != NULL)
      port_line_at(s->port[in].line, world_now(s->world))->dropped++;
    free(packet->frame);
    return;
  }
  const bool mark = packet->kind == PACKET_DATA && draw(s, port->queued[packet->class]);
  struct world_packet *place = packet_ring_put(&port->queues[packet->class]);
  *place = *packet;
  place->in = (uint16_t)in;
  place->time = world_now(s->world) + s->options.credit_ps;
  if (mark) place->flags |= PACKET_MARKED;
  if (!beside) place->flags &= (uint8_t)~PACKET_BESIDE;
  s->waited += beside;
  port->queued[packet->class] += packet->wire;
  const uint64_t queued = port->queued[packet->class];
  if (queued > port->counts.deepest) port->counts.deepest = queued;
  if (port->line != NULL) {
    struct port_step *step = port_line_at(port->line, world_now(s->world));
    if (queued > step->deepest) step->deepest = queued;
  }
  if (!s->port[in].told[packet->class] && buffer_full(s, in, packet->class)) tell(s, in, packet->class, PACKET_PAUSE);
  pump(s, out);
}

static void wake_way(struct fabric_switch *s) {
  const uint64_t next = s->way.next(s->way.self), now = world_now(s->world);
  if (next != WORLD_NEVER) world_wake(s->world, s->part, 2 * s->ports + 3, next > now ? next : now);
}

static void forward(struct fabric_switch *s, uint32_t in, const struct world_packet *packet) {
  if (s->way.self != NULL && s->way.take(s->way.self, in, packet)) {
    wake_way(s);
    return;
  }
  const uint32_t out = switch_way(s, packet);
  if (out == UINT32_MAX) {
    s->port[in].counts.unreachable++;
    free(packet->frame);
    return;
  }
  enqueue(s, in, out, packet);
}

// What the reducer sends, or the device in its place.
static struct world_packet from_beside(struct fabric_switch *s, const struct world_packet *packet) {
  struct world_packet made = *packet;
  made.flags |= PACKET_BESIDE;
  s->made++;
  return made;
}
static void pass(void *user, uint32_t in, const struct world_packet *packet) {
  const struct world_packet made = from_beside(user, packet);
  forward(user, in, &made);
}
static void send(void *user, uint32_t in, uint32_t out, const struct world_packet *packet) {
  const struct world_packet made = from_beside(user, packet);
  enqueue(user, in, out, &made);
}

// What the device in front of its uplinks lets through.
static void through(void *user, uint32_t in, uint32_t out, const struct world_packet *packet) { enqueue(user, in, out, packet); }

static void wake_device(struct fabric_switch *s) {
  const uint64_t next = s->device.next(s->device.self), now = world_now(s->world);
  if (next != WORLD_NEVER) world_wake(s->world, s->part, 2 * s->ports + 1, next > now ? next : now);
}

static bool down(const struct fabric_switch *s) {
  return s->down_from > 0 && world_now(s->world) >= s->down_from && world_now(s->world) < s->down_to;
}

static void arrive(void *self, uint32_t in, const struct world_packet *packet) {
  struct fabric_switch *s = self;
  if (down(s)) {
    s->port[in].counts.unreachable += packet->kind != PACKET_PAUSE && packet->kind != PACKET_RESUME;
    free(packet->frame);
    return;
  }
  const struct reducer_out out = {s, pass, send};
  if (packet->kind == PACKET_PAUSE || packet->kind == PACKET_RESUME)
    pause(s, in, packet->tag, packet->kind == PACKET_PAUSE);
  else if (s->reducer != NULL && reducer_take(s->reducer, in, packet, &out))
    s->absorbed++;
  else if (s->device.self != NULL && s->device.take(s->device.self, in, packet)) {
    s->absorbed++;
    if (!s->port[in].above) s->below = in;
    wake_device(s);
  } else
    forward(s, in, packet);
}

// Switched off: queues are lost. On again: nothing is known of flows or sums, nobody has stopped it, and it stops nobody.
static void reboot(struct fabric_switch *s) {
  for (uint32_t p = 0; p < s->ports; p++)
    for (unsigned class = 0; class < PACKET_CLASSES; class ++) {
      struct fabric_port *port = &s->port[p];
      if (down(s)) {
        if (port->paused[class]) port_paused(port, world_now(s->world), class);
        port->paused[class] = port->storm[class] = false;
        // Nobody is told before it is on again.
        const bool told = port->told[class];
        port->told[class] = false;
        drop_waiting(s, port, class, &port->counts.unreachable);
        port->told[class] = told;
      } else if (port->told[class]) {
        tell(s, p, class, PACKET_RESUME);
      }
    }
  if (!down(s)) return;
  if (s->flowlets != NULL) memset(s->flowlets, 0, SWITCH_FLOWLETS * sizeof *s->flowlets);
  if (s->uplink != NULL) *s->uplink = (struct switch_uplink){0};
  if (s->reducer != NULL) reducer_forget(s->reducer);
  world_wake(s->world, s->part, 2 * s->ports + 2, s->down_to);
}

// Cables whose time has come.
static void cut(struct fabric_switch *s) {
  for (uint32_t p = 0; p < s->ports; p++) {
    struct fabric_port *port = &s->port[p];
    if (port->cut || port->cut_ps == 0 || port->cut_ps > world_now(s->world)) continue;
    port->cut = true;
    for (unsigned class = 0; class < PACKET_CLASSES; class ++) {
      port->paused[class] = port->storm[class] = false;
      drop_waiting(s, port, class, &port->counts.unreachable);
    }
  }
}

static void wake(void *self, uint32_t timer) {
  struct fabric_switch *s = self;
  if (timer < s->ports)
    pump(s, timer);
  else if (timer < 2 * s->ports)
    watch(s, timer - s->ports);
  else if (timer == 2 * s->ports)
    cut(s);
  else if (timer == 2 * s->ports + 2)
    reboot(s);
  else if (timer == 2 * s->ports + 3) {
    const struct reducer_out out = {.user = s, .send = through};
    s->way.step(s->way.self, &out);
    wake_way(s);
  } else {
    const struct reducer_out out = {s, pass, send};
    s->device.step(s->device.self, &out);
    wake_device(s);
  }
}

const struct world_acts switch_acts = {arrive, wake};

void switch_cut(struct fabric_switch *s, uint32_t number, uint64_t time_ps) {
  s->port[number].cut_ps = time_ps;
  world_wake(s->world, s->part, 2 * s->ports, time_ps);
}

void switch_reboot(struct fabric_switch *s, uint64_t from_ps, uint64_t to_ps) {
  s->down_from = from_ps;
  s->down_to = to_ps;
  world_wake(s->world, s->part, 2 * s->ports + 2, from_ps);
}
