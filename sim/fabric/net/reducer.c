#include "sim/fabric/net/reducer.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct reducer *reducer_new(bool leaf, uint32_t parent, uint32_t message_packets, uint32_t window, uint32_t rings) {
  struct reducer *r = need(calloc(1, sizeof *r));
  r->leaf = leaf;
  r->parent = parent;
  r->packets = message_packets;
  r->rings = rings;
  r->slots = 2 * window * rings;
  r->first = need(calloc((size_t)REDUCER_PORTS * rings, sizeof *r->first));
  r->slot = need(calloc((size_t)r->slots * message_packets, sizeof *r->slot));
  return r;
}

void reducer_free(struct reducer *r) {
  if (r == NULL) return;
  free(r->slot);
  free(r->first);
  free(r);
}

void reducer_forget(struct reducer *r) { memset(r->slot, 0, (size_t)r->slots * r->packets * sizeof *r->slot); }

void reducer_child(struct reducer *r, uint32_t port) {
  r->from[port] = 1;
  r->children++;
}

static struct world_packet *first_of(const struct reducer *r, uint32_t port, uint32_t tag) {
  return &r->first[(size_t)port * r->rings + tag % r->rings];
}

// The sum for one child: for a rank's connection its own headers, for a switch those of the packet that asked.
static void answer(struct reducer *r, uint32_t port, const struct world_packet *like, uint64_t sum,
                   const struct reducer_out *out) {
  struct world_packet packet = *like;
  packet.value = sum;
  r->results++;
  if (!r->leaf) {
    packet.kind = PACKET_SUM;
    out->send(out->user, r->parent != UINT32_MAX ? r->parent : port, port, &packet);
    return;
  }
  const struct world_packet *first = first_of(r, port, like->tag);
  packet.kind = PACKET_DATA;
  packet.src = first->src;
  packet.dst = first->dst;
  packet.qp = first->qp;
  packet.flow = first->flow;
  packet.flags &= (uint8_t)~PACKET_MARKED;
  out->pass(out->user, port, &packet);
}

static void answer_all(struct reducer *r, const struct world_packet *like, uint64_t sum, const struct reducer_out *out) {
  for (uint32_t port = 0; port < REDUCER_PORTS; port++)
    if (r->from[port]) answer(r, port, like, sum, out);
}

static void ask(struct reducer *r, uint32_t port, const struct world_packet *like, uint64_t sum, const struct reducer_out *out) {
  struct world_packet packet = *like;
  packet.kind = PACKET_PARTIAL;
  packet.value = sum;
  out->send(out->user, port, r->parent, &packet);
}

static struct reducer_slot *slot_of(struct reducer *r, const struct world_packet *packet) {
  const uint32_t place = packet->psn - packet->tag / r->rings * r->packets;
  return place < r->packets ? &r->slot[(size_t)(packet->tag % r->slots) * r->packets + place] : NULL;
}

// The sum of all ranks has come from above.
static void known(struct reducer *r, struct reducer_slot *slot, const struct world_packet *packet,
                  const struct reducer_out *out) {
  if (slot->message != (uint64_t)packet->tag + 1 || slot->known) {
    r->stale++;
    return;
  }
  slot->sum = packet->value;
  slot->known = true;
  answer_all(r, packet, slot->sum, out);
}

static void store(struct reducer *r, struct reducer_slot *slot, uint32_t port, const struct world_packet *packet,
                  const struct reducer_out *out) {
  const uint64_t message = (uint64_t)packet->tag + 1, bit = UINT64_C(1) << port % 64;
  if (message < slot->message) {
    r->stale++;
    return;
  }
  if (message > slot->message) *slot = (struct reducer_slot){.message = message};
  const bool again = slot->here[port / 64] & bit;
  const bool was_whole = (uint32_t)(__builtin_popcountll(slot->here[0]) + __builtin_popcountll(slot->here[1])) == r->children;
  r->again += again;
  r->stored += !again;
  if (!again) {
    slot->here[port / 64] |= bit;
    slot->sum += packet->value;
  }
  const bool whole = (uint32_t)(__builtin_popcountll(slot->here[0]) + __builtin_popcountll(slot->here[1])) == r->children;
  if (slot->known) {
    answer(r, port, packet, slot->sum, out);
  } else if (whole && r->parent != UINT32_MAX) {
    ask(r, port, packet, slot->sum, out);
  } else if (whole && !was_whole) {
    slot->known = true;
    answer_all(r, packet, slot->sum, out);
  }
}

bool reducer_take(struct reducer *r, uint32_t port, const struct world_packet *packet, const struct reducer_out *out) {
  const bool sum = packet->kind == PACKET_SUM && port == r->parent;
  const bool contribution = port < REDUCER_PORTS && r->from[port] && packet->kind == (r->leaf ? PACKET_DATA : PACKET_PARTIAL);
  if ((!sum && !contribution) || packet->tag >> 31) return false;
  struct reducer_slot *slot = slot_of(r, packet);
  if (slot == NULL) {
    r->stale++;
    return true;
  }
  if (sum) {
    known(r, slot, packet, out);
    return true;
  }
  if (r->leaf) *first_of(r, port, packet->tag) = *packet;
  store(r, slot, port, packet, out);
  return true;
}
