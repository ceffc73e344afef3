#include "model/tree/rc_request.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

// A packet that is kept; `packet.data` is its own.
struct kept {
  struct rc_packet packet;
  uint8_t *data;
};

// Packets are counted with 64 bits: PSN = first PSN + number, modulo 2^24. oldest <= next <= most <= posted.
struct rc_requester {
  struct rc_request_config config;
  struct kept *kept;           // ring buffer; a packet is at its number modulo `room`
  uint64_t posted;             // all so far
  uint64_t next;               // to be sent next
  uint64_t oldest;             // without ACK
  uint64_t most;               // never sent yet: from here on
  uint64_t limit;              // the first one that has no room promised; UINT64_MAX: the other end counts no credits
  uint64_t wait_until;         // after "receiver not ready"
  uint64_t asked;              // the last packet under way that asked for an ACK is before this one
  uint64_t deadline;           // of the Local ACK Timeout
  unsigned tries, rnr_tries;   // of the oldest packet
  enum rc_fault fault;
  uint16_t ip_id;
  struct rc_request_counts counts;
};

struct rc_requester *rc_requester_new(const struct rc_request_config *config) {
  struct rc_requester *r = calloc(1, sizeof *r);
  if (r == NULL) return NULL;
  r->config = *config;
  r->deadline = UINT64_MAX;
  r->kept = calloc(config->room, sizeof *r->kept);
  if (r->kept != NULL) return r;
  free(r);
  return NULL;
}

static struct kept *at(const struct rc_requester *r, uint64_t number) { return &r->kept[number % r->config.room]; }

static void drop(struct kept *k) {
  free(k->data);
  k->data = NULL;
}

void rc_requester_free(struct rc_requester *r) {
  if (r == NULL) return;
  for (unsigned i = 0; i < r->config.room; i++) drop(&r->kept[i]);
  free(r->kept);
  free(r);
}

size_t rc_requester_room(const struct rc_requester *r) {
  return r->fault == RC_GOOD ? r->config.room - (size_t)(r->posted - r->oldest) : 0;
}

void rc_requester_post(struct rc_requester *r, const struct rc_packet *packet) {
  struct kept *k = at(r, r->posted++);
  k->packet = *packet;
  k->data = packet->len > 0 ? need(malloc(packet->len)) : NULL;
  if (packet->len > 0) memcpy(k->data, packet->data, packet->len);
  k->packet.data = k->data;
  if (r->posted - r->oldest > r->counts.most_kept) r->counts.most_kept = r->posted - r->oldest;
}

bool rc_requester_ready(const struct rc_requester *r, uint64_t now) {
  // Number `limit` itself is the limited packet.
  return r->fault == RC_GOOD && r->next < r->posted && r->next <= r->limit && now >= r->wait_until;
}

static bool asks_for_ack(const struct rc_requester *r, const struct rc_packet *p) {
  const uint64_t behind = r->next + 1, every = r->config.ack_every;
  return p->last || behind >= r->limit || behind - r->oldest == r->config.room || (every != 0 && behind % every == 0);
}

size_t rc_requester_next(struct rc_requester *r, uint64_t now, uint8_t *frame, size_t size) {
  if (!rc_requester_ready(r, now)) return 0;
  const struct rc_request_config *c = &r->config;
  const struct rc_packet *p = &at(r, r->next)->packet;
  struct roce_build b = {
      .key = c->key,
      .ip_id = r->ip_id,
      .udp_src = c->udp_source,
      .opcode = rc_opcode(p->verb, p->first, p->last),
      .solicited = p->last,
      .ack_request = asks_for_ack(r, p),
      .psn = (c->psn + (uint32_t)r->next) & PSN_MASK,
      .payload = p->data,
      .payload_len = p->len,
  };
  memcpy(b.reth, p->reth, sizeof b.reth);
  b.imm[0] = (uint8_t)(p->imm >> 24);
  b.imm[1] = (uint8_t)(p->imm >> 16);
  b.imm[2] = (uint8_t)(p->imm >> 8);
  b.imm[3] = (uint8_t)p->imm;
  const size_t len = rc_build(&b, c->local_mac, c->peer_mac, frame, size);
  if (len == 0) return 0;
  r->ip_id++;
  r->counts.packets++;
  r->counts.bytes += p->len;
  if (r->next < r->most)
    r->counts.repeats++;
  else
    r->counts.limited += r->next == r->limit;
  r->next++;
  if (r->most < r->next) r->most = r->next;
  if (b.ack_request) r->asked = r->next;
  if (b.ack_request && r->deadline == UINT64_MAX) r->deadline = now + c->timeout_ps;
  return len;
}

/// Everything before packet `number` has arrived, and there is room for `credits` more. True if that is news.
static bool acknowledge(struct rc_requester *r, uint64_t now, uint64_t number, uint64_t credits) {
  const uint64_t limit = credits == UINT64_MAX ? UINT64_MAX : number + credits;
  bool news = limit > r->limit;
  if (news) r->limit = limit;
  if (number <= r->oldest) return news;
  while (r->oldest < number) drop(at(r, r->oldest++));
  if (r->next < number) r->next = number;   // an ACK that was late for the go-back before it
  r->tries = r->rnr_tries = 0;
  r->deadline = r->oldest < r->asked ? now + r->config.timeout_ps : UINT64_MAX;
  return true;
}

static void fail(struct rc_requester *r, enum rc_fault fault) {
  r->fault = fault;
  r->deadline = UINT64_MAX;
}

/// To the oldest packet, or never again.
static void go_back(struct rc_requester *r, unsigned *tries, unsigned most, enum rc_fault fault) {
  r->next = r->asked = r->oldest;
  r->deadline = UINT64_MAX;
  if ((*tries)++ >= most) fail(r, fault);
}

void rc_requester_answer(struct rc_requester *r, uint64_t now, uint32_t psn, uint8_t syndrome) {
  // It names the packet before the oldest one, for credits, or one that was sent since.
  const int32_t distance = psn_distance(psn, (r->config.psn + (uint32_t)r->oldest) & PSN_MASK);
  const int64_t number = (int64_t)r->oldest + distance;
  if (r->fault != RC_GOOD || distance < -1 || number >= (int64_t)r->most) return;
  if ((syndrome & 0xE0) == 0) {
    const unsigned code = syndrome & 0x1F;
    r->counts.acks += acknowledge(r, now, (uint64_t)(number + 1), code == AETH_ACK ? UINT64_MAX : rc_credits(code));
    return;
  }
  const bool is_nak = (syndrome & 0xE0) == (AETH_NAK_SEQUENCE & 0xE0), is_rnr = (syndrome & 0xE0) == AETH_RNR;
  if (distance < 0 || (!is_nak && !is_rnr)) return;   // an old complaint, or nothing that is known
  acknowledge(r, now, (uint64_t)number, 0);
  if (syndrome == AETH_NAK_SEQUENCE) {
    r->counts.sequence_naks++;
    go_back(r, &r->tries, r->config.retries, RC_UNANSWERED);
  } else if (is_rnr) {
    r->counts.rnr_naks++;
    r->wait_until = now + rnr_timer_ps(syndrome & 0x1F);
    go_back(r, &r->rnr_tries, r->config.rnr_retries == RC_ENDLESS ? UINT32_MAX : r->config.rnr_retries, RC_NEVER_READY);
  } else {
    fail(r, RC_REFUSED);
  }
}

uint64_t rc_requester_deadline(const struct rc_requester *r, uint64_t now) {
  const bool waits = r->fault == RC_GOOD && r->next < r->posted && now < r->wait_until;
  return waits && r->wait_until < r->deadline ? r->wait_until : r->deadline;
}

void rc_requester_tick(struct rc_requester *r, uint64_t now) {
  if (now < r->deadline) return;
  r->counts.timeouts++;
  go_back(r, &r->tries, r->config.retries, RC_UNANSWERED);
}

bool rc_requester_idle(const struct rc_requester *r) { return r->oldest == r->posted; }

enum rc_fault rc_requester_fault(const struct rc_requester *r) { return r->fault; }

uint64_t rc_requester_outstanding(const struct rc_requester *r) { return r->next - r->oldest; }

uint64_t rc_requester_promised(const struct rc_requester *r) {
  return r->limit == UINT64_MAX ? UINT64_MAX : r->limit < r->oldest ? 0 : r->limit - r->oldest;
}

struct rc_request_counts rc_requester_counts(const struct rc_requester *r) {
  return r->counts;
}
