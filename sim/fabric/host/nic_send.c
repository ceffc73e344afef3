// The requester's side of an interface: messages become packets, and stay until they are acknowledged.
#include "sim/fabric/host/nic.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

// A requester has something to send: it is in the line, once.
static void list(struct fabric_nic *n, uint32_t q) {
  struct nic_requester *r = &n->requesters[q];
  if (r->listed || r->slow || r->dead || r->next == r->end) return;
  if ((uint64_t)(r->next - r->una) * n->options->mtu >= n->options->window) return;
  if (n->turn_count == n->turn_room) {
    const uint32_t room = n->turn_room > 0 ? 2 * n->turn_room : 8;
    uint32_t *turns = need(malloc(room * sizeof *turns));
    for (uint32_t i = 0; i < n->turn_count; i++) turns[i] = n->turns[(n->turn_first + i) & (n->turn_room - 1)];
    free(n->turns);
    n->turns = turns;
    n->turn_room = room;
    n->turn_first = 0;
  }
  n->turns[(n->turn_first + n->turn_count++) & (n->turn_room - 1)] = q;
  r->listed = true;
}

// --- messages ---

// Two loads have connections of their own to a host.
static struct peer *peer_of(struct fabric_nic *n, uint32_t host, bool background) {
  bool fresh;
  uint64_t *place = map_at(&n->peer_of, (uint64_t)background << 32 | host, &fresh);
  if (!fresh) return &n->peers[*place];
  *place = n->peer_count;
  n->peers = need_room(n->peers, &n->peer_room, n->peer_count + 1, sizeof *n->peers);
  struct peer *p = &n->peers[n->peer_count++];
  *p = (struct peer){.host = host, .first_qp = (uint32_t)n->requester_count};
  const uint32_t count = n->options->qps;
  n->requesters = need_room(n->requesters, &n->requester_room, n->requester_count + count, sizeof *n->requesters);
  for (uint32_t q = 0; q < count; q++) {
    struct nic_requester *r = &n->requesters[n->requester_count];
    *r = (struct nic_requester){.peer = host,
                                .flow = nic_flow(n->options, n->host, host, (uint32_t)n->requester_count),
                                .deadline = WORLD_NEVER};
    dcqcn_begin(&r->rate, &n->options->rate, world_now(n->world));
    n->requester_count++;
  }
  return p;
}

static void post_on(struct fabric_nic *n, uint32_t q, const struct nic_message *message) {
  struct nic_requester *r = &n->requesters[q];
  struct nic_message *m = messages_put(&r->messages);
  *m = *message;
  m->first = r->end;
  m->packets = (uint32_t)((m->bytes + n->options->mtu - 1) / n->options->mtu);
  r->end += m->packets;
  list(n, q);
}

static void post_cleared(struct fabric_nic *n, struct peer *p, const struct nic_message *m) {
  const uint32_t qps = n->options->qps;
  struct nic_message piece = *m;
  piece.serial = p->serial++;
  piece.parts = 1;
  if (!n->options->split) {
    post_on(n, p->first_qp + p->turn++ % qps, &piece);
    return;
  }
  // As many parts as there are bytes for; the value goes in the first.
  const uint64_t part = (m->bytes + qps - 1) / qps;
  piece.parts = (uint8_t)((m->bytes + part - 1) / part);
  for (uint64_t done = 0; done < m->bytes; done += part) {
    piece.bytes = m->bytes - done < part ? m->bytes - done : part;
    piece.value = done == 0 ? m->value : 0;
    post_on(n, p->first_qp + (uint32_t)(done / part), &piece);
  }
}

void nic_post(struct fabric_nic *n, uint32_t dst, uint64_t bytes, uint32_t tag, uint64_t value) {
  struct peer *p = peer_of(n, dst, tag >> 31);
  const struct nic_message m = {.bytes = bytes, .value = value, .tag = tag, .start_ps = world_now(n->world)};
  if (n->options->channels == 0 || tag >> 31) {
    post_cleared(n, p, &m);
  } else if (p->clear > 0) {
    p->clear--;
    n->counts.cts_waits++;
    post_cleared(n, p, &m);
  } else {
    *messages_put(&p->waiting) = m;
  }
  nic_pump(n);
}

static void cleared(struct fabric_nic *n, const struct world_packet *packet) {
  struct peer *p = peer_of(n, packet->src, false);
  p->clear += packet->value;
  const uint32_t ns = (uint32_t)(world_now(n->world) / 1000) - packet->serial;
  n->counts.cts_delay[ns > 0 ? (size_t)(4 * log2(ns)) + 1 : 0]++;
  for (; p->clear > 0 && p->waiting.count > 0; p->clear--) {
    struct nic_message m = *messages_first(&p->waiting);
    messages_drop(&p->waiting);
    const uint64_t waited = world_now(n->world) - m.start_ps;
    n->counts.cts_waits++;
    n->counts.cts_wait_ps += waited;
    if (waited > n->counts.cts_wait_most_ps) n->counts.cts_wait_most_ps = waited;
    m.start_ps = world_now(n->world);
    post_cleared(n, p, &m);
  }
}

// --- packets ---

static void fill(struct fabric_nic *n, uint32_t q, struct world_packet *packet) {
  struct nic_requester *r = &n->requesters[q];
  const struct nic_options *o = n->options;
  // Behind a go-back-N the message is one of the first, else the last one that was begun.
  uint32_t i = 0;
  const struct messages *ms = &r->messages;
  while (r->next - ms->list[(ms->first + i) & (ms->room - 1)].first >= ms->list[(ms->first + i) & (ms->room - 1)].packets) i++;
  const struct nic_message *m = &ms->list[(ms->first + i) & (ms->room - 1)];
  const uint32_t index = r->next - m->first;
  const bool first = index == 0, last = index + 1 == m->packets;
  const uint64_t left = m->bytes - (uint64_t)index * o->mtu;
  const uint32_t payload = last ? (uint32_t)left : o->mtu;
  *packet = (struct world_packet){.src = n->host,
                                  .dst = r->peer,
                                  .qp = q,
                                  .psn = r->next,
                                  .flow = r->flow,
                                  .payload = (uint16_t)payload,
                                  .wire = (uint16_t)(payload + PACKET_OVERHEAD + (first ? PACKET_RETH : 0) +
                                                     (last ? PACKET_IMMEDIATE : 0)),
                                  .kind = PACKET_DATA,
                                  .class = PACKET_BULK,
                                  .tag = m->tag,
                                  .serial = m->serial,
                                  .parts = m->parts,
                                  .value = m->value};
  if (first) packet->flags |= PACKET_FIRST;
  if (last) packet->flags |= PACKET_LAST;
  if (r->next + 1 == r->end || (r->next + 1) % o->ack_every == 0) packet->flags |= PACKET_ASKS;
}

// Requesters whose rate lets them go on.
static void wake_slow(struct fabric_nic *n) {
  const uint64_t now = world_now(n->world);
  while (n->slow.count > 0) {
    const uint64_t key = n->slow.keys[0];
    if (key >> 20 > now) {
      world_wake(n->world, n->part, NIC_SEND, key >> 20);
      return;
    }
    heap_drop(&n->slow);
    const uint32_t q = key & 0xFFFFF;
    n->requesters[q].slow = false;
    list(n, q);
  }
}

// When the next packet may follow one of `wire` bytes.
static void hold_back(struct fabric_nic *n, uint32_t q, uint32_t wire) {
  struct nic_requester *r = &n->requesters[q];
  const uint64_t now = world_now(n->world);
  dcqcn_sent(&r->rate, &n->options->rate, now, wire);
  const double gbps = dcqcn_rate(&r->rate, &n->options->rate, now);
  if (gbps >= n->options->rate.line_gbps * (1 - 1e-6)) return;
  r->ready_ps = now + (uint64_t)(8e3 * wire / gbps);
  r->slow = true;
  heap_put(&n->slow, r->ready_ps << 20 | q);
}

bool nic_next_data(struct fabric_nic *n, struct world_packet *packet) {
  if (n->slow.count > 0) wake_slow(n);
  if (n->turn_count == 0) return false;
  const uint32_t q = n->turns[n->turn_first];
  struct nic_requester *r = &n->requesters[q];
  n->turn_first = (n->turn_first + 1) & (n->turn_room - 1);
  n->turn_count--;
  r->listed = false;
  if (r->dead || r->next == r->end) return nic_next_data(n, packet);
  fill(n, q, packet);
  r->next++;
  n->counts.sent++;
  if ((int32_t)(r->next - r->highest) > 0)
    r->highest = r->next;
  else
    n->counts.again++;
  if (n->options->dcqcn) hold_back(n, q, packet->wire);
  list(n, q);
  r->deadline = world_now(n->world) + n->options->timeout_ps;
  world_wake(n->world, n->part, NIC_TIMEOUT, r->deadline);
  return true;
}

// --- what comes back ---

static void acknowledge(struct fabric_nic *n, uint32_t q, uint32_t psn) {
  struct nic_requester *r = &n->requesters[q];
  if ((int32_t)(psn - r->una) <= 0 || (int32_t)(psn - r->end) > 0) return;
  r->una = psn;
  if ((int32_t)(psn - r->next) > 0) r->next = psn;
  r->tries = 0;
  r->deadline = r->una == r->next ? WORLD_NEVER : world_now(n->world) + n->options->timeout_ps;
  while (r->messages.count > 0 &&
         (int32_t)(messages_first(&r->messages)->first + messages_first(&r->messages)->packets - psn) <= 0) {
    const struct nic_message m = *messages_first(&r->messages);
    messages_drop(&r->messages);
    if (n->user.sent != NULL) n->user.sent(n->user.user, n->host, n->requesters[q].peer, m.tag, m.bytes, m.start_ps);
    r = &n->requesters[q];   // the user may have posted, which may have moved it
  }
  list(n, q);
}

static void go_back(struct fabric_nic *n, uint32_t q, uint32_t psn) {
  struct nic_requester *r = &n->requesters[q];
  if ((int32_t)(psn - r->una) < 0 || (int32_t)(psn - r->next) >= 0) return;
  r->next = psn;
  r->deadline = world_now(n->world) + n->options->timeout_ps;
  list(n, q);
}

void nic_answer(struct fabric_nic *n, const struct world_packet *packet) {
  if (packet->kind == PACKET_CTS) {
    cleared(n, packet);
  } else if (packet->qp < n->requester_count && !n->requesters[packet->qp].dead) {
    if (packet->kind == PACKET_CNP) {
      if (n->options->dcqcn) dcqcn_cut(&n->requesters[packet->qp].rate, &n->options->rate, world_now(n->world));
    } else {
      acknowledge(n, packet->qp, packet->psn);
      if (packet->kind == PACKET_NAK) go_back(n, packet->qp, packet->psn);
    }
  }
  nic_pump(n);
}

// A connection is lost, and with it those that carry other parts of its messages, none of which can be whole any more.
static void give_up(struct fabric_nic *n, uint32_t q) {
  const uint32_t count = n->options->split ? n->options->qps : 1, first = q / count * count;
  for (uint32_t i = first; i < first + count; i++) n->requesters[i].dead = true;
  n->counts.lost += count;
}

void nic_timeouts(struct fabric_nic *n) {
  const uint64_t now = world_now(n->world);
  uint64_t next = WORLD_NEVER;
  for (uint32_t q = 0; q < n->requester_count; q++) {
    struct nic_requester *r = &n->requesters[q];
    if (r->dead || r->deadline == WORLD_NEVER) continue;
    if (r->deadline <= now) {
      n->counts.timeouts++;
      if (r->tries++ >= n->options->retries) {
        give_up(n, q);
        continue;
      }
      r->next = r->una;
      r->deadline = now + n->options->timeout_ps;
      list(n, q);
    }
    if (r->deadline < next) next = r->deadline;
  }
  if (next < WORLD_NEVER) world_wake(n->world, n->part, NIC_TIMEOUT, next);
  nic_pump(n);
}
