#include "hosts/responder.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "wire/rc.h"
#include "wire/bytes.h"

enum { RNR_TIMER = 1 };   // 0.01 ms, the shortest

struct responder {
  struct responder_config config;
  struct rng rng;
  uint32_t expected;   // PSN
  uint32_t messages;   // taken whole, modulo 2^24: the MSN of the AETH
  bool inside;         // of a message
  bool complained;     // the gap, or the lack of a buffer, has been told
  bool nak_due;
  uint8_t nak;
  uint32_t refused;   // PSN of the furthest packet thrown away since `nak_due`
  uint64_t ack_due;   // UINT64_MAX: none
  uint16_t ip_id;
  struct responder_counts counts;
};

struct responder *responder_new(const struct responder_config *config) {
  struct responder *r = calloc(1, sizeof *r);
  if (r == NULL) return NULL;
  r->config = *config;
  r->rng = rng_for(config->seed, 0x524E52);
  r->expected = config->psn & PSN_MASK;
  r->ack_due = UINT64_MAX;
  return r;
}

void responder_free(struct responder *r) { free(r); }

/// True if the packet takes a receive buffer.
static bool needs_buffer(uint8_t opcode) {
  switch (opcode) {
    case ROCE_SEND_FIRST:
    case ROCE_SEND_ONLY:
    case ROCE_SEND_ONLY_IMM:
    case ROCE_SEND_ONLY_INV:
    case ROCE_WRITE_LAST_IMM:
    case ROCE_WRITE_ONLY_IMM: return true;
    default: return false;
  }
}

static void complain(struct responder *r, uint8_t syndrome) {
  r->complained = true;
  r->nak_due = true;
  r->nak = syndrome;
}

/// A packet is not taken, so it will have to come again.
static void refuse(struct responder *r, uint32_t psn) {
  if (!r->nak_due || psn_distance(psn, r->refused) > 0) r->refused = psn;
}

static void ask_for_ack(struct responder *r, uint64_t now) {
  const uint64_t due = now + r->config.ack_delay_ps;
  if (due < r->ack_due) r->ack_due = due;
}

void responder_data(struct responder *r, uint64_t now, const uint8_t *frame, const struct roce_packet *p) {
  const int32_t ahead = psn_distance(p->psn, r->expected);
  if (ahead < 0) {
    r->counts.duplicates++;
    ask_for_ack(r, now);   // the requester has not heard of it
    return;
  }
  if (ahead > 0) {
    r->counts.skipped++;
    refuse(r, p->psn);
    if (r->complained) return;
    r->counts.out_of_sequence++;
    complain(r, AETH_NAK_SEQUENCE);
    return;
  }
  if (needs_buffer(p->opcode) && rng_percent(&r->rng, r->config.rnr_percent)) {
    refuse(r, p->psn);
    complain(r, AETH_RNR | RNR_TIMER);
    return;
  }
  if (p->starts == r->inside) r->counts.misplaced++;
  r->inside = !rc_is_last(p->opcode);
  r->complained = false;
  r->expected = (r->expected + 1) & PSN_MASK;
  // All that a NAK was to ask for may have come before it could leave.
  if (r->nak_due && psn_distance(r->refused, r->expected) < 0) r->nak_due = false;
  if (!r->inside) r->messages = (r->messages + 1) & PSN_MASK;
  r->counts.packets++;
  if (p->ack_request) ask_for_ack(r, now);
  r->config.deliver(r->config.user, frame, p);
}

bool responder_ready(const struct responder *r, uint64_t now) { return r->nak_due || now >= r->ack_due; }

size_t responder_next(struct responder *r, uint64_t now, uint8_t *frame, size_t size) {
  if (!responder_ready(r, now)) return 0;
  const struct responder_config *c = &r->config;
  // A NAK says where to go back to, and with that also what has arrived.
  const uint8_t syndrome = r->nak_due ? r->nak : AETH_ACK;
  uint8_t aeth[AETH_BYTES];
  put_be32(aeth, (uint32_t)syndrome << 24 | r->messages);
  struct roce_build b = {
      .key = c->key,
      .ip_id = r->ip_id,
      .udp_src = c->udp_source,
      .opcode = ROCE_ACK,
      .psn = r->nak_due ? r->expected : (r->expected - 1) & PSN_MASK,
      .payload = aeth,
      .payload_len = sizeof aeth,
  };
  const size_t len = rc_build(&b, c->local_mac, c->peer_mac, frame, size);
  if (len == 0) return 0;
  r->ip_id++;
  if (!r->nak_due)
    r->counts.acks++;
  else if (r->nak == AETH_NAK_SEQUENCE)
    r->counts.naks++;
  else
    r->counts.rnrs++;
  r->nak_due = false;
  r->ack_due = UINT64_MAX;
  return len;
}

uint64_t responder_deadline(const struct responder *r) { return r->ack_due; }

struct responder_counts responder_counts(const struct responder *r) {
  return r->counts;
}
