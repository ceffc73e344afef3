#include "hosts/requester.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "wire/rc.h"
#include "wire/bytes.h"

enum { BTH_BYTES = 12 };

// A posted message, and which packets it is.
struct posted {
  struct rc_message m;
  uint64_t first;   // number of its first packet, counted over all messages of the connection
  uint64_t packets;
};

// Packets are counted with 64 bits here; PSN = first PSN + number, modulo 2^24.
struct requester {
  struct requester_config config;
  struct posted *queue;   // ring buffer of messages not acknowledged yet
  size_t size, head, count;
  uint64_t posted;       // packets of all messages so far
  uint64_t next;         // to be sent next
  uint64_t oldest;       // without ACK
  uint64_t most;         // never sent yet: from here on
  uint64_t wait_until;   // after "receiver not ready"
  uint64_t paced;        // not before this time
  uint64_t deadline;     // of the Local ACK Timeout
  uint16_t ip_id;
  struct requester_counts counts;
};

struct requester *requester_new(const struct requester_config *config) {
  struct requester *r = calloc(1, sizeof *r);
  if (r == NULL) return NULL;
  r->config = *config;
  r->deadline = UINT64_MAX;
  return r;
}

void requester_free(struct requester *r) {
  if (r == NULL) return;
  free(r->queue);
  free(r);
}

static struct posted *at(const struct requester *r, size_t index) { return &r->queue[(r->head + index) % r->size]; }

/// Bytes of payload in front of packet `index` of a message: the INA header takes room in the first one.
static size_t offset_of(const struct requester *r, const struct rc_message *m, uint64_t index) {
  if (index == 0) return 0;
  return (size_t)index * r->config.mtu - (m->has_ina ? INA_BYTES : 0);
}

static void grow(struct requester *r) {
  const size_t size = r->size == 0 ? 16 : 2 * r->size;
  struct posted *queue = need(calloc(size, sizeof *queue));
  for (size_t i = 0; i < r->count; i++) queue[i] = *at(r, i);
  free(r->queue);
  r->queue = queue;
  r->size = size;
  r->head = 0;
}

void requester_post(struct requester *r, const struct rc_message *message) {
  if (r->count == r->size) grow(r);
  const size_t bytes = message->length + (message->has_ina ? INA_BYTES : 0);
  const uint64_t packets = bytes == 0 ? 1 : (bytes + r->config.mtu - 1) / r->config.mtu;
  r->count++;
  *at(r, r->count - 1) = (struct posted){.m = *message, .first = r->posted, .packets = packets};
  r->posted += packets;
}

bool requester_ready(const struct requester *r, uint64_t now) {
  return r->next < r->posted && r->next - r->oldest < r->config.max_inflight && now >= r->wait_until && now >= r->paced;
}

static const struct posted *message_of(const struct requester *r, uint64_t number) {
  size_t i = 0;
  while (number >= at(r, i)->first + at(r, i)->packets) i++;
  return at(r, i);
}

size_t requester_next(struct requester *r, uint64_t now, uint8_t *frame, size_t size) {
  if (!requester_ready(r, now)) return 0;
  const struct requester_config *c = &r->config;
  const struct posted *q = message_of(r, r->next);
  const struct rc_message *m = &q->m;
  const uint64_t index = r->next - q->first;
  const bool first = index == 0, last = index + 1 == q->packets;
  const size_t begin = offset_of(r, m, index), end = last ? m->length : offset_of(r, m, index + 1);

  struct roce_build b = {
      .key = c->key,
      .ip_id = r->ip_id,
      .udp_src = c->udp_source,
      .opcode = rc_opcode(m->verb, first, last),
      .solicited = last,
      .ack_request = last || (c->ack_every != 0 && (r->next + 1) % c->ack_every == 0),
      .psn = (c->psn + (uint32_t)r->next) & PSN_MASK,
      .ina = first && m->has_ina ? &m->ina : NULL,
      .payload = m->payload + begin,
      .payload_len = end - begin,
  };
  put_be32(b.reth, (uint32_t)(m->address >> 32));
  put_be32(b.reth + 4, (uint32_t)m->address);
  put_be32(b.reth + 8, m->rkey);
  put_be32(b.reth + 12, (uint32_t)(m->length + (m->has_ina ? INA_BYTES : 0)));
  put_be32(b.imm, m->imm);
  const size_t len = rc_build(&b, c->local_mac, c->peer_mac, frame, size);
  if (len == 0) return 0;

  // A packet that had to wait for the link does not slow down those behind it.
  if (c->pace_ps > 0) r->paced = (now < r->paced + c->pace_ps ? r->paced : now) + c->pace_ps;
  r->ip_id++;
  r->counts.packets++;
  if (r->next < r->most) r->counts.repeats++;
  r->next++;
  if (r->most < r->next) r->most = r->next;
  if (r->deadline == UINT64_MAX) r->deadline = now + c->timeout_ps;
  return len;
}

const struct ina_header *requester_sent(const struct requester *r, unsigned *offset) {
  const struct posted *q = message_of(r, r->next - 1);
  *offset = (unsigned)(r->next - 1 - q->first);
  return &q->m.ina;
}

/// Everything before packet `number` has arrived.
static void acknowledge(struct requester *r, uint64_t now, uint64_t number) {
  if (number <= r->oldest) return;
  r->oldest = number;
  if (r->next < number) r->next = number;   // an ACK that was late for the go-back before it
  while (r->count > 0 && number >= at(r, 0)->first + at(r, 0)->packets) {
    r->head = (r->head + 1) % r->size;
    r->count--;
    r->counts.messages++;
  }
  r->deadline = r->oldest < r->next ? now + r->config.timeout_ps : UINT64_MAX;
}

void requester_ack(struct requester *r, uint64_t now, const uint8_t *frame, const struct roce_packet *p) {
  const uint8_t *aeth = frame + p->bth + BTH_BYTES;
  if (p->bth + BTH_BYTES + AETH_BYTES + 4 > p->ip_end) return;
  // The PSN is near the oldest packet: what it names was sent, and not too long ago.
  const uint32_t base = (r->config.psn + (uint32_t)r->oldest) & PSN_MASK;
  const int32_t distance = psn_distance(p->psn, base);
  const int64_t number = (int64_t)r->oldest + distance;
  const uint8_t syndrome = aeth[0];
  if (number < 0 || (uint64_t)number >= r->most) return;
  if ((syndrome & 0xE0) == 0) {
    acknowledge(r, now, (uint64_t)number + 1);
    return;
  }
  if (distance < 0) return;   // an old complaint
  if (syndrome == AETH_NAK_SEQUENCE) {
    acknowledge(r, now, (uint64_t)number);
    r->counts.sequence_naks++;
  } else if ((syndrome & 0xE0) == AETH_RNR) {
    acknowledge(r, now, (uint64_t)number);
    r->counts.rnr_naks++;
    r->wait_until = now + rnr_timer_ps(syndrome & 0x1F);
  } else {
    return;
  }
  r->next = r->oldest;
  // While the receiver wants us to wait, nothing is on its way that could be lost.
  r->deadline = (now < r->wait_until ? r->wait_until : now) + r->config.timeout_ps;
}

uint64_t requester_deadline(const struct requester *r, uint64_t now) {
  const uint64_t from = r->paced > r->wait_until ? r->paced : r->wait_until;
  const bool waits = r->next < r->posted && now < from;
  return waits && from < r->deadline ? from : r->deadline;
}

void requester_tick(struct requester *r, uint64_t now) {
  if (now < r->deadline) return;
  r->counts.timeouts++;
  r->next = r->oldest;
  r->deadline = UINT64_MAX;   // begins anew with the first packet
}

bool requester_idle(const struct requester *r) { return r->count == 0; }

size_t requester_pending(const struct requester *r) { return r->count; }

struct requester_counts requester_counts(const struct requester *r) {
  return r->counts;
}
