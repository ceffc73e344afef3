// The responder's side of an interface: packets become messages, in order.
#include "sim/fabric/host/nic.h"

#include <stdlib.h>

#include "base/memory.h"

static struct nic_responder *responder_of(struct fabric_nic *n, const struct world_packet *packet) {
  bool fresh;
  uint64_t *place = map_at(&n->responder_of, (uint64_t)packet->src << 32 | packet->qp, &fresh);
  if (!fresh) return &n->responders[*place];
  *place = n->responder_count;
  n->responders = need_room(n->responders, &n->responder_room, n->responder_count + 1, sizeof *n->responders);
  n->responders[n->responder_count] = (struct nic_responder){.src = packet->src, .qp = packet->qp};
  return &n->responders[n->responder_count++];
}

static void answer(struct fabric_nic *n, const struct nic_responder *r, const struct world_packet *to, enum packet_kind kind) {
  const bool aeth = kind != PACKET_CNP;
  const struct world_packet packet = {.src = n->host,
                                      .dst = r->src,
                                      .qp = r->qp,
                                      .psn = r->expected,
                                      .flow = to->flow,
                                      .wire = (uint16_t)(PACKET_OVERHEAD + (aeth ? PACKET_AETH : 16)),
                                      .kind = (uint8_t)kind,
                                      .class = (uint8_t)(kind == PACKET_CNP ? PACKET_URGENT : n->options->ack_class)};
  n->counts.acks += kind == PACKET_ACK;
  n->counts.naks += kind == PACKET_NAK;
  n->counts.cnps += kind == PACKET_CNP;
  nic_control(n, &packet);
}

// --- admission ---

// Gives clearance while there are channels, to those who are expected in turn.
static void clear(struct fabric_nic *n) {
  while (n->cleared < n->options->channels && n->expected_count > 0) {
    if (n->expected_turn >= n->expected_count) n->expected_turn = 0;
    struct expected *e = &n->expected[n->expected_turn];
    const struct world_packet packet = {.src = n->host,
                                        .dst = e->src,
                                        .value = 1,
                                        .serial = (uint32_t)(world_now(n->world) / 1000),
                                        .flow = nic_flow(n->options, n->host, e->src, 0),
                                        .wire = PACKET_OVERHEAD + PACKET_RETH + 16,
                                        .kind = PACKET_CTS,
                                        .class = (uint8_t)n->options->cts_class};
    n->cleared++;
    n->counts.cts++;
    if (--e->messages == 0)
      *e = n->expected[--n->expected_count];
    else
      n->expected_turn++;
    nic_control(n, &packet);
  }
}

void nic_expect(struct fabric_nic *n, uint32_t src, uint64_t messages) {
  if (n->options->channels == 0 || messages == 0) return;
  n->expected = need_room(n->expected, &n->expected_room, n->expected_count + 1, sizeof *n->expected);
  n->expected[n->expected_count++] = (struct expected){.src = src, .messages = messages};
  clear(n);
}

// --- a host that takes less than the cable brings ---

// Bytes that have come and that the host has not taken.
static uint64_t untaken(const struct fabric_nic *n) {
  const uint64_t now = world_now(n->world);
  if (n->taken_ps <= now) return 0;
  return (uint64_t)((double)(n->taken_ps - now) * n->options->drain * 1024 / n->port.ps_per_kib);
}

static void take(struct fabric_nic *n, const struct world_packet *packet) {
  const uint64_t now = world_now(n->world);
  n->taken_ps = (n->taken_ps > now ? n->taken_ps : now) +
                (uint64_t)((double)port_time(n->port.ps_per_kib, packet->wire) / n->options->drain);
  if (!n->port.told[PACKET_BULK] && untaken(n) > n->options->rx_buffer) {
    nic_pfc(n, PACKET_PAUSE);
    world_wake(n->world, n->part, NIC_DRAIN, now + (n->taken_ps - now) / 2);
  }
}

// A channel is free when the host has taken its message.
static void free_channel(struct fabric_nic *n) {
  if (n->options->channels == 0) return;
  if (n->taken_ps <= world_now(n->world)) {
    n->cleared--;
    clear(n);
    return;
  }
  if (n->leaving_count == n->leaving_room) {
    const uint32_t room = n->leaving_room > 0 ? 2 * n->leaving_room : 8;
    uint64_t *times = need(malloc(room * sizeof *times));
    for (uint32_t i = 0; i < n->leaving_count; i++) times[i] = n->leaving[(n->leaving_first + i) & (n->leaving_room - 1)];
    free(n->leaving);
    n->leaving = times;
    n->leaving_room = room;
    n->leaving_first = 0;
  }
  n->leaving[(n->leaving_first + n->leaving_count++) & (n->leaving_room - 1)] = n->taken_ps;
  world_wake(n->world, n->part, NIC_DRAIN, n->taken_ps);
}

void nic_drain(struct fabric_nic *n) {
  const uint64_t now = world_now(n->world);
  if (n->port.told[PACKET_BULK] && n->storm_to == 0) {
    if (untaken(n) <= n->options->rx_buffer / 2)
      nic_pfc(n, PACKET_RESUME);
    else
      world_wake(n->world, n->part, NIC_DRAIN, now + (n->taken_ps - now) / 2);
  }
  for (; n->leaving_count > 0 && n->leaving[n->leaving_first] <= now; n->leaving_count--) {
    n->leaving_first = (n->leaving_first + 1) & (n->leaving_room - 1);
    n->cleared--;
  }
  if (n->leaving_count > 0) world_wake(n->world, n->part, NIC_DRAIN, n->leaving[n->leaving_first]);
  if (n->options->channels > 0) clear(n);
}

// --- messages ---

static uint32_t new_partial(struct fabric_nic *n) {
  uint32_t at = n->partial_free;
  if (at == n->partial_count) {
    n->partials = need_room(n->partials, &n->partial_room, n->partial_count + 1, sizeof *n->partials);
    n->partials[n->partial_count++].next_free = at + 1;
  }
  n->partial_free = n->partials[at].next_free;
  n->partials[at] = (struct partial){0};
  return at;
}

// A part of a message is whole; whether all of it is, and then the sum of its parts.
static bool join(struct fabric_nic *n, const struct world_packet *packet, struct partial *whole) {
  // Each of two loads counts its messages, and the highest bit of a tag says which one it is.
  const uint64_t key = (uint64_t)(packet->tag >> 31) << 63 | (uint64_t)packet->src << 32 | packet->serial;
  bool fresh;
  uint64_t *place = map_at(&n->parts_of, key, &fresh);
  if (fresh) *place = new_partial(n);
  const uint32_t at = (uint32_t)*place;
  struct partial *p = &n->partials[at];
  p->bytes += whole->bytes;
  p->value += whole->value;
  p->count++;
  *whole = *p;
  if (p->count < packet->parts) return false;
  map_drop(&n->parts_of, key);
  p->next_free = n->partial_free;
  n->partial_free = at;
  return true;
}

void nic_data(struct fabric_nic *n, const struct world_packet *packet) {
  struct nic_responder *r = responder_of(n, packet);
  const uint64_t now = world_now(n->world);
  if (n->options->drain < 1) take(n, packet);
  if ((packet->flags & PACKET_MARKED) && n->options->dcqcn && (r->cnp_ps == 0 || now - r->cnp_ps >= n->options->cnp_ps)) {
    r->cnp_ps = now;
    answer(n, r, packet, PACKET_CNP);
  }
  const int32_t ahead = (int32_t)(packet->psn - r->expected);
  if (ahead > 0) {
    n->counts.out_of_sequence++;
    if (!r->nak_sent) answer(n, r, packet, PACKET_NAK);
    r->nak_sent = true;
    return;
  }
  if (ahead < 0) {
    n->counts.duplicates++;
    if (packet->flags & PACKET_ASKS) answer(n, r, packet, PACKET_ACK);
    return;
  }
  r->expected++;
  r->nak_sent = false;
  n->counts.data++;
  n->counts.bytes += packet->payload;
  r->bytes += packet->payload;
  if (packet->flags & PACKET_ASKS) answer(n, r, packet, PACKET_ACK);
  if (!(packet->flags & PACKET_LAST)) return;
  struct partial whole = {.bytes = r->bytes, .value = packet->value};
  const uint32_t src = r->src, tag = packet->tag;
  r->bytes = 0;
  if (packet->parts > 1 && !join(n, packet, &whole)) return;
  n->counts.messages++;
  n->user.received(n->user.user, n->host, src, tag, whole.value, whole.bytes);
  if (tag >> 31 == 0) free_channel(n);
}
