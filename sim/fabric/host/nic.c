#include "sim/fabric/host/nic.h"

#include <stdlib.h>

#include "base/memory.h"

void nic_make(struct fabric_nic *n, struct world *world, uint32_t host, const struct nic_options *options,
              const struct nic_user *user) {
  *n = (struct fabric_nic){.world = world, .options = options, .user = *user, .host = host};
}

void nic_free(struct fabric_nic *n) {
  for (size_t q = 0; q < n->requester_count; q++) free(n->requesters[q].messages.list);
  for (size_t p = 0; p < n->peer_count; p++) free(n->peers[p].waiting.list);
  for (; n->control.count > 0; packet_ring_drop(&n->control)) free(packet_ring_first(&n->control)->frame);
  packet_ring_free(&n->control);
  free(n->port.line);
  free(n->requesters);
  free(n->responders);
  free(n->peers);
  free(n->turns);
  free(n->slow.keys);
  free(n->expected);
  free(n->leaving);
  free(n->partials);
  map_free(&n->responder_of);
  map_free(&n->peer_of);
  map_free(&n->parts_of);
}

struct nic_message *messages_put(struct messages *m) {
  if (m->count == m->room) {
    const uint32_t room = m->room > 0 ? 2 * m->room : 2;
    struct nic_message *list = need(malloc(room * sizeof *list));
    for (uint32_t i = 0; i < m->count; i++) list[i] = m->list[(m->first + i) & (m->room - 1)];
    free(m->list);
    m->list = list;
    m->room = room;
    m->first = 0;
  }
  return &m->list[(m->first + m->count++) & (m->room - 1)];
}

uint32_t nic_flow(const struct nic_options *o, uint32_t src, uint32_t dst, uint32_t qp) {
  const uint32_t number = qp % o->qps;
  // Addresses, and the UDP source port that drivers make of the queue pair.
  struct rng mix = rng_for((uint64_t)src << 32 | dst, o->share_port ? 0 : 1 + number);
  uint64_t flow = rng_next(&mix);
  if (o->hash_qp) {
    mix = rng_for(flow, 1 + number);
    flow = rng_next(&mix);
  }
  return (uint32_t)(flow >> 32);
}

static bool dead(const struct fabric_nic *n) { return n->dead_ps > 0 && world_now(n->world) >= n->dead_ps; }

void nic_control(struct fabric_nic *n, const struct world_packet *packet) {
  *packet_ring_put(&n->control) = *packet;
  nic_pump(n);
}

void nic_frame(struct fabric_nic *n, unsigned port, const struct world_packet *packet) {
  n->tenant.waiting |= UINT64_C(1) << port;
  struct world_packet *place = packet_ring_put(&n->control);
  *place = *packet;
  place->qp = port;
  nic_pump(n);
}

void nic_pfc(struct fabric_nic *n, enum packet_kind kind) { port_tell(&n->port, n->world, PACKET_BULK, kind); }

// Control packets go before data, unless their class is stopped.
static bool next_packet(struct fabric_nic *n, struct world_packet *packet) {
  if (n->control.count > 0 && !n->port.paused[packet_ring_first(&n->control)->class]) {
    *packet = *packet_ring_first(&n->control);
    packet_ring_drop(&n->control);
    if (packet->kind == PACKET_BYTES) {
      n->tenant.waiting &= ~(UINT64_C(1) << packet->qp);
      world_wake(n->world, n->part, NIC_TIMERS + n->tenant.free_timer, world_now(n->world));
    }
    return true;
  }
  return !n->port.paused[PACKET_BULK] && nic_next_data(n, packet);
}

void nic_pump(struct fabric_nic *n) {
  struct fabric_port *port = &n->port;
  const uint64_t now = world_now(n->world);
  struct world_packet packet;
  if (port->busy > now) {
    world_wake(n->world, n->part, NIC_SEND, port->busy);
    return;
  }
  if (port->cut || dead(n) || !next_packet(n, &packet)) return;
  port_send(port, n->world, &packet);
  if (n->control.count > 0 || n->turn_count > 0 || n->slow.count > 0) world_wake(n->world, n->part, NIC_SEND, port->busy);
}

static void arrive(void *self, uint32_t port, const struct world_packet *packet) {
  struct fabric_nic *n = self;
  (void)port;
  const bool flow_control = packet->kind == PACKET_PAUSE || packet->kind == PACKET_RESUME;
  n->counts.came += !flow_control;
  n->counts.lost_here += !flow_control && dead(n);
  if (dead(n)) {
    free(packet->frame);
    return;
  }
  const unsigned class = packet->tag;
  switch (packet->kind) {
    case PACKET_DATA: nic_data(n, packet); break;
    case PACKET_PAUSE:
      if (n->port.paused[class]) break;
      n->port.paused[class] = true;
      n->port.paused_since[class] = world_now(n->world);
      break;
    case PACKET_RESUME:
      if (!n->port.paused[class]) break;
      n->port.paused[class] = false;
      port_paused(&n->port, world_now(n->world), class);
      nic_pump(n);
      break;
    case PACKET_BYTES:
      n->counts.data++;
      if (n->tenant.self != NULL)
        n->tenant.acts->arrive(n->tenant.self, packet->tag, packet);
      else
        free(packet->frame);
      break;
    default: nic_answer(n, packet); break;
  }
}

// A broken interface that stops its cable for a time.
static void storm(struct fabric_nic *n) {
  const uint64_t now = world_now(n->world);
  if (now >= n->storm_to) {
    nic_pfc(n, PACKET_RESUME);
    n->storm_to = n->storm_from = 0;
    return;
  }
  nic_pfc(n, PACKET_PAUSE);
  world_wake(n->world, n->part, NIC_STORM, n->storm_to);
}

static void wake(void *self, uint32_t timer) {
  struct fabric_nic *n = self;
  if (dead(n)) return;
  switch (timer) {
    case NIC_SEND: nic_pump(n); break;
    case NIC_TIMEOUT: nic_timeouts(n); break;
    case NIC_DRAIN: nic_drain(n); break;
    case NIC_STORM: storm(n); break;
    case NIC_USER: n->user.wake(n->user.user, n->host); break;
    default: n->tenant.acts->wake(n->tenant.self, timer - NIC_TIMERS); break;
  }
}

const struct world_acts nic_acts = {arrive, wake};

bool nic_idle(const struct fabric_nic *n) {
  for (size_t q = 0; q < n->requester_count; q++)
    if (n->requesters[q].messages.count > 0) return false;
  for (size_t p = 0; p < n->peer_count; p++)
    if (n->peers[p].waiting.count > 0) return false;
  return true;
}
