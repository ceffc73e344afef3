// The choice among ways of the same length.
#include "sim/fabric/net/switch.h"

#include <stdlib.h>

#include "base/memory.h"
#include "model/uplink/uplink_key.h"
#include "sim/fabric/net/tap.h"

// A flow's hash at a switch with this seed. The product makes switches with different seeds choose independently: with a hash that is linear, as CRCs are, a
// seed would only rename the ports, and all flows that come to a switch would leave it by few of them.
static uint32_t hash_at(uint32_t flow, uint32_t seed) {
  uint32_t h = flow ^ seed;
  h = (h ^ h >> 16) * 0x85EBCA6Bu;
  h = (h ^ h >> 13) * 0xC2B2AE35u;
  return h ^ h >> 16;
}

static uint32_t pick(uint32_t hash, uint32_t count) { return (uint32_t)((uint64_t)hash * count >> 32); }

static bool overridden(const struct fabric_switch *s, uint32_t flow, uint32_t *port) {
  if (s->override_room == 0) return false;
  for (uint32_t at = hash_at(flow, 0);; at++) {
    const struct override *o = &s->overrides[at & (s->override_room - 1)];
    if (o->port == UINT32_MAX) return false;
    if (o->flow != flow) continue;
    *port = o->port;
    return !s->port[o->port].cut;
  }
}

static void put_override(struct override *table, uint32_t room, struct override o) {
  uint32_t at = hash_at(o.flow, 0);
  while (table[at & (room - 1)].port != UINT32_MAX && table[at & (room - 1)].flow != o.flow) at++;
  table[at & (room - 1)] = o;
}

void switch_override(struct fabric_switch *s, uint32_t flow, uint32_t port) {
  if (2 * (s->override_count + 1) > s->override_room) {
    const uint32_t room = s->override_room > 0 ? 2 * s->override_room : 16;
    struct override *table = need(malloc(room * sizeof *table));
    for (uint32_t i = 0; i < room; i++) table[i].port = UINT32_MAX;
    for (uint32_t i = 0; i < s->override_room; i++)
      if (s->overrides[i].port != UINT32_MAX) put_override(table, room, s->overrides[i]);
    free(s->overrides);
    s->overrides = table;
    s->override_room = room;
  }
  put_override(s->overrides, s->override_room, (struct override){flow, port});
  s->override_count++;
}

// The port where least is queued, from a random one on.
static uint32_t least(struct fabric_switch *s, const uint32_t *ports, uint32_t count) {
  const uint32_t from = rng_below(&s->rng, count);
  uint32_t best = ports[from];
  for (uint32_t i = 1; i < count; i++) {
    const uint32_t p = ports[(from + i) % count];
    if (s->port[p].queued[PACKET_BULK] < s->port[best].queued[PACKET_BULK]) best = p;
  }
  return best;
}

static bool one_of(const uint32_t *ports, uint32_t count, uint32_t port) {
  for (uint32_t i = 0; i < count; i++)
    if (ports[i] == port) return true;
  return false;
}

// Flows that share an entry are one flow: nothing overtakes until none of them has come for an interval.
static uint32_t flowlet_way(struct fabric_switch *s, const struct world_packet *packet, const uint32_t *ports, uint32_t count) {
  const uint64_t now = world_now(s->world);
  struct flowlet *f = &s->flowlets[hash_at(packet->flow, s->seed) % SWITCH_FLOWLETS];
  const bool goes_on = f->last > 0 && now - f->last <= s->options.flowlet_ps && one_of(ports, count, f->port);
  f->last = now;
  if (goes_on) return f->port;
  s->flowlets_begun++;
  return f->port = least(s, ports, count);
}

// What the uplink device reads in a packet's headers: those of its frame (net/tap.h).
static struct uplink_key key_of(const struct world_packet *p) {
  struct roce_build b;
  struct uplink_read read;
  if (p->frame != NULL) {
    uplink_read(p->frame->data, p->frame->len, &read);
    return read.key;
  }
  tap_headers(p, &b);
  return (struct uplink_key){.src = {0, uplink_mapped(tap_address(p->src))},
                             .dst = {0, uplink_mapped(tap_address(p->dst))},
                             .sport = b.udp_src,
                             .dport = ROCE_UDP_PORT,
                             .proto = 17,
                             .qpn = b.key.qpn};
}

// The way up of a leaf as the uplink device chooses it, whose ports are the ways in their order; UINT32_MAX: none lives.
static uint32_t uplink_way(struct fabric_switch *s, const struct world_packet *packet, const uint32_t *ports, uint32_t count) {
  struct switch_uplink *u = s->uplink;
  const struct uplink_key key = key_of(packet);
  const uint32_t hash = uplink_hash(&key, s->seed, s->options.routing != ROUTING_ECMP);
  const uint64_t now = world_now(s->world);
  uint32_t live = 0;
  for (uint32_t i = 0; i < count; i++) live |= (uint32_t)!s->port[ports[i]].cut << i;
  if (live == 0) return UINT32_MAX;
  uplink_load_until(&u->load, now, SWITCH_LOAD_PERIOD);
  int chosen = uplink_choose(hash, live, count);
  if (s->options.routing == ROUTING_FLOWLET) {
    enum uplink_flowlet_why why;
    const int least = uplink_load_least(&u->load, live, count);
    chosen =
        (int)uplink_flowlet_step(&u->flowlets[hash % SWITCH_FLOWLETS], now, s->options.flowlet_ps, live, (unsigned)least, &why);
    s->flowlets_begun += why != UPLINK_GOES_ON;
  }
  uplink_load_add(&u->load, (unsigned)chosen, packet->wire);
  return ports[chosen];
}

uint32_t switch_way(struct fabric_switch *s, const struct world_packet *packet) {
  const struct net *n = s->net;
  const uint32_t leaf = n->leaf[packet->dst];
  if (leaf == s->number) {
    const struct net_cable *c = &n->cables[n->at[packet->dst][0]];
    return c->ports[c->ends[0] == packet->dst];
  }
  const struct routes *r = s->later != NULL && world_now(s->world) >= s->later_ps ? s->later : s->routes;
  const uint32_t *group = &r->ports[r->groups[(size_t)s->number * r->leaves + leaf]];
  uint32_t count = group[0], live[count + 1];
  const uint32_t *ports = group + 1;
  if (count == 0) return UINT32_MAX;
  if (count == 1) return ports[0];
  if (s->uplink != NULL) return uplink_way(s, packet, ports, count);
  // What is cut is left out at once, before any route is worked out anew.
  uint32_t up = 0;
  for (uint32_t i = 0; i < count; i++)
    if (!s->port[ports[i]].cut) live[up++] = ports[i];
  if (up < count) {
    ports = live;
    count = up;
  }
  uint32_t placed;
  if (count == 0) return UINT32_MAX;
  switch (s->options.routing) {
    case ROUTING_PINNED: return ports[n->slice[packet->dst] % count];
    case ROUTING_SPRAY: return ports[rng_below(&s->rng, count)];
    case ROUTING_FLOWLET:
      if (s->flowlets != NULL) return flowlet_way(s, packet, ports, count);
      break;
    case ROUTING_TE:
      // What was placed before a cable was cut may lead away from the destination now.
      if (overridden(s, packet->flow, &placed) && one_of(ports, count, placed)) return placed;
      break;
    case ROUTING_ECMP:
    case ROUTING_E_ECMP: break;
  }
  return ports[pick(hash_at(packet->flow, s->seed), count)];
}
