#include "model/tree/rc_respond.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "wire/bytes.h"

struct rc_waiting {
  struct rc_packet packet;
  uint8_t *data;
};

struct rc_responder {
  struct rc_respond_config config;
  struct rc_waiting *waiting;   // ring buffer
  uint64_t taken, come;         // packets taken out, and taken in
  uint64_t promised;            // the first one that has no room promised, by the ACK sent last
  uint32_t messages;            // taken in whole, modulo 2^24: the MSN of the AETH
  unsigned unacknowledged;      // packets since the ACK sent last
  bool inside;                  // of a message
  bool write;                   // it is a WRITE
  bool complained;              // the gap, or the lack of room, has been told
  bool nak_due;
  uint8_t nak;
  uint64_t ack_due;   // UINT64_MAX: none
  enum rc_fault fault;
  uint16_t ip_id;
  struct rc_respond_counts counts;
};

struct rc_responder *rc_responder_new(const struct rc_respond_config *config) {
  struct rc_responder *r = calloc(1, sizeof *r);
  if (r == NULL) return NULL;
  r->config = *config;
  r->ack_due = UINT64_MAX;
  r->waiting = calloc(config->room, sizeof *r->waiting);
  if (r->waiting != NULL) return r;
  free(r);
  return NULL;
}

static struct rc_waiting *at(const struct rc_responder *r, uint64_t number) { return &r->waiting[number % r->config.room]; }

void rc_responder_free(struct rc_responder *r) {
  if (r == NULL) return;
  while (r->taken < r->come) free(at(r, r->taken++)->data);
  free(r->waiting);
  free(r);
}

static uint64_t room(const struct rc_responder *r) { return r->config.room - (r->come - r->taken); }

static uint32_t expected(const struct rc_responder *r) { return (r->config.psn + (uint32_t)r->come) & PSN_MASK; }

static void complain(struct rc_responder *r, uint8_t syndrome) {
  r->complained = true;
  r->nak_due = true;
  r->nak = syndrome;
}

static void ask_for_ack(struct rc_responder *r, uint64_t due) {
  if (due < r->ack_due) r->ack_due = due;
}

static bool is_write(uint8_t opcode) { return opcode >= ROCE_WRITE_FIRST && opcode <= ROCE_WRITE_ONLY_IMM; }

/// What InfiniBand 9.9.3.1 calls an invalid request: it is not what can follow, or has a length that it cannot have.
static bool is_impossible(const struct rc_responder *r, const struct roce_packet *p, size_t len) {
  const bool first = roce_is_first(p->opcode), last = rc_is_last(p->opcode), write = is_write(p->opcode);
  if (p->opcode == ROCE_SEND_LAST_INV || p->opcode == ROCE_SEND_ONLY_INV) return true;
  if (p->length_bad || first == r->inside || (!first && write != r->write)) return true;
  return len > r->config.mtu || (!last && len != r->config.mtu) || (last && !first && len == 0);
}

static void keep(struct rc_responder *r, const uint8_t *frame, const struct roce_packet *p, const uint8_t *payload, size_t len) {
  const bool imm = roce_has_imm(p->opcode), first = roce_is_first(p->opcode);
  struct rc_waiting *w = at(r, r->come);
  w->data = len > 0 ? need(malloc(len)) : NULL;
  if (len > 0) memcpy(w->data, payload, len);
  w->packet = (struct rc_packet){.verb = r->write ? (imm ? RC_WRITE_IMM : RC_WRITE)
                                         : imm    ? RC_SEND_IMM
                                                  : RC_SEND,
                                 .first = first,
                                 .last = rc_is_last(p->opcode),
                                 .data = w->data,
                                 .len = len};
  const uint8_t *extension = frame + p->bth + 12;
  if (first && r->write) {
    memcpy(w->packet.reth, extension, RC_RETH_BYTES);
    extension += RC_RETH_BYTES;
  }
  if (imm) w->packet.imm = get_be32(extension);
}

static void take_in(struct rc_responder *r, uint64_t now, const uint8_t *frame, const struct roce_packet *p) {
  // An INA header is payload here.
  const size_t tag = p->tagged ? INA_BYTES : 0, len = p->length_bad ? 0 : p->tensor + tag;
  if (is_impossible(r, p, len)) {
    r->fault = RC_IMPOSSIBLE;
    complain(r, AETH_NAK_INVALID);
    return;
  }
  if (room(r) == 0) {
    r->counts.no_room++;
    complain(r, (uint8_t)(AETH_RNR | r->config.rnr_timer));
    return;
  }
  if (roce_is_first(p->opcode)) r->write = is_write(p->opcode);
  r->inside = !rc_is_last(p->opcode);
  if (!r->inside) r->messages = (r->messages + 1) & PSN_MASK;
  keep(r, frame, p, frame + p->header - tag, len);
  r->come++;
  r->complained = r->nak_due = false;   // all that a NAK was to ask for begins with this packet
  r->counts.packets++;
  r->counts.bytes += len;
  if (r->come - r->taken > r->counts.most_waiting) r->counts.most_waiting = r->come - r->taken;
  if (++r->unacknowledged >= r->config.coalesce) ask_for_ack(r, now);
  if (p->ack_request) ask_for_ack(r, now + r->config.ack_delay_ps);
}

void rc_responder_data(struct rc_responder *r, uint64_t now, const uint8_t *frame, const struct roce_packet *p) {
  if (r->fault != RC_GOOD) return;
  const int32_t ahead = psn_distance(p->psn, expected(r));
  if (ahead == 0) {
    take_in(r, now, frame, p);
  } else if (ahead < 0) {
    r->counts.duplicates++;
    ask_for_ack(r, now + r->config.ack_delay_ps);   // the requester has not heard of it
  } else {
    r->counts.skipped++;
    if (r->complained) return;
    r->counts.out_of_sequence++;
    complain(r, AETH_NAK_SEQUENCE);
  }
}

const struct rc_packet *rc_responder_first(const struct rc_responder *r) {
  return r->taken < r->come ? &at(r, r->taken)->packet : NULL;
}

void rc_responder_take(struct rc_responder *r, uint64_t now) {
  free(at(r, r->taken++)->data);
  // Who waits for credits hears of them without asking, once half of the room is free again.
  const uint64_t left = r->promised > r->come ? r->promised - r->come : 0;
  if (!r->config.no_credits && 4 * left <= r->config.room && 2 * room(r) >= r->config.room) ask_for_ack(r, now);
}

bool rc_responder_ready(const struct rc_responder *r, uint64_t now) { return r->nak_due || now >= r->ack_due; }

size_t rc_responder_next(struct rc_responder *r, uint64_t now, uint8_t *frame, size_t size) {
  if (!rc_responder_ready(r, now)) return 0;
  const struct rc_respond_config *c = &r->config;
  // A NAK says where to go back to, and with that also what has arrived.
  const uint8_t code = c->no_credits ? AETH_ACK : rc_credit_code(room(r)), syndrome = r->nak_due ? r->nak : code;
  uint8_t aeth[AETH_BYTES];
  put_be32(aeth, (uint32_t)syndrome << 24 | r->messages);
  struct roce_build b = {
      .key = c->key,
      .ip_id = r->ip_id,
      .udp_src = c->udp_source,
      .opcode = ROCE_ACK,
      .psn = (expected(r) - !r->nak_due) & PSN_MASK,
      .payload = aeth,
      .payload_len = sizeof aeth,
  };
  const size_t len = rc_build(&b, c->local_mac, c->peer_mac, frame, size);
  if (len == 0) return 0;
  r->ip_id++;
  if (!r->nak_due) {
    r->counts.acks++;
    if (!c->no_credits) r->promised = r->come + rc_credits(code);
  } else if ((r->nak & 0xE0) == AETH_RNR) {
    r->counts.rnrs++;
  } else {
    r->counts.naks++;
  }
  r->nak_due = false;
  r->ack_due = UINT64_MAX;
  r->unacknowledged = 0;
  return len;
}

uint64_t rc_responder_deadline(const struct rc_responder *r) { return r->ack_due; }

enum rc_fault rc_responder_fault(const struct rc_responder *r) { return r->fault; }

struct rc_respond_counts rc_responder_counts(const struct rc_responder *r) {
  return r->counts;
}
