#include "hosts/worker.h"

#include <stdlib.h>
#include <string.h>

#include "wire/bytes.h"

struct worker {
  struct worker_config config;
  struct requester *out;
  struct responder *in;

  // The tensor under way.
  const uint8_t *tensor;
  uint8_t *result;
  size_t bytes, messages;
  uint32_t first_msgid;
  size_t posted, received;
  uint8_t *padded;   // the last message, filled up with zeros

  size_t arrived;   // bytes of the result message under way
  uint8_t epoch;    // of its first packet
  enum worker_refusal refusal;
  bool broken;      // there is none, or it is not the one due; told once
  bool sent_data;   // latest frame
  struct worker_counts counts;
};

static void deliver(void *user, const uint8_t *frame, const struct roce_packet *p);

/// Tensor bytes of a full message.
static size_t room(const struct worker *w) { return (size_t)w->config.msglen * w->config.requester.mtu - INA_BYTES; }

struct worker *worker_new(const struct worker_config *config) {
  struct worker *w = calloc(1, sizeof *w);
  if (w == NULL) return NULL;
  w->config = *config;
  w->config.responder.user = w;
  w->config.responder.deliver = deliver;
  w->first_msgid = config->msgid;
  w->broken = true;
  w->out = requester_new(&config->requester);
  w->in = responder_new(&w->config.responder);
  w->padded = malloc(room(w));
  if (w->out != NULL && w->in != NULL && w->padded != NULL) return w;
  worker_free(w);
  return NULL;
}

void worker_free(struct worker *w) {
  if (w == NULL) return;
  requester_free(w->out);
  responder_free(w->in);
  free(w->padded);
  free(w);
}

// --- messages of the tensor ---

/// Bytes of the tensor in message `index`.
static size_t share_of(const struct worker *w, size_t index) {
  return index + 1 < w->messages ? room(w) : w->bytes - index * room(w);
}

/// Bytes that message `index` carries: as many as all others, unless it may be short.
static size_t carried(const struct worker *w, size_t index) { return w->config.short_last ? share_of(w, index) : room(w); }

static struct ina_header header_of(const struct worker *w, size_t index, uint8_t rank) {
  const size_t packets = (carried(w, index) + INA_BYTES + w->config.requester.mtu - 1) / w->config.requester.mtu;
  return (struct ina_header){.ring = w->config.ring,
                             .rank = rank,
                             .kind = w->config.kind,
                             .msgid = w->first_msgid + (uint32_t)index,
                             .msglen = (uint16_t)packets,
                             .workers = w->config.workers};
}

/// Where a message goes in the next rank's memory: as many places as messages can be under way.
static uint64_t address_of(const struct worker *w, uint32_t msgid) {
  return (uint64_t)(msgid % (2 * w->config.window)) * w->config.msglen * w->config.requester.mtu;
}

/// What a message ends with: its MsgID, with a zero where a result has the mark.
static uint32_t imm_of(const struct worker *w, uint32_t msgid) { return w->config.marks ? msgid & ~IMM_EPOCH : msgid; }

static void post(struct worker *w, size_t index) {
  const size_t share = share_of(w, index), all = carried(w, index);
  const uint8_t *payload = w->tensor + index * room(w);
  if (share < all) {
    memcpy(w->padded, payload, share);
    memset(w->padded + share, 0, all - share);
    payload = w->padded;
  }
  const struct ina_header ina = header_of(w, index, w->config.rank);
  const struct rc_message message = {
      .verb = w->config.verb,
      .has_ina = true,
      .ina = ina,
      .payload = payload,
      .length = all,
      .address = address_of(w, ina.msgid),
      .rkey = w->config.ring,
      .imm = imm_of(w, ina.msgid),
  };
  requester_post(w->out, &message);
}

/// Posts what the window allows, all of it together.
static void fill_window(struct worker *w) {
  while (w->posted < w->messages && w->posted < w->received + w->config.window) post(w, w->posted++);
}

void worker_reduce(struct worker *w, const uint8_t *tensor, uint8_t *result, size_t bytes) {
  w->first_msgid += (uint32_t)w->messages;
  w->tensor = tensor;
  w->result = result;
  w->bytes = bytes;
  w->messages = (bytes + room(w) - 1) / room(w);
  w->posted = w->received = 0;
  w->counts.messages += w->messages;
  fill_window(w);
}

bool worker_done(const struct worker *w) { return w->received == w->messages && requester_idle(w->out); }

size_t worker_progress(const struct worker *w, size_t *of) {
  *of = w->messages;
  return w->received;
}

// --- results ---

/// True if the first packet of a result is what the rank before this one sent.
static bool begins_well(const struct worker *w, const uint8_t *frame, const struct roce_packet *p) {
  if (!p->tagged || w->received == w->messages) return false;
  const struct worker_config *c = &w->config;
  const struct ina_header due = header_of(w, w->received, (uint8_t)((c->rank + c->workers - 1) % c->workers)), *is = &p->ina;
  const bool same = is->ring == due.ring && is->rank == due.rank && is->kind == due.kind && is->msgid == due.msgid &&
                    is->msglen == due.msglen && (is->workers & 0xFF) == (due.workers & 0xFF);
  if (c->verb != RC_WRITE && c->verb != RC_WRITE_IMM) return same;
  const uint8_t *reth = frame + p->bth + 12;
  const uint64_t address = (uint64_t)get_be32(reth) << 32 | get_be32(reth + 4);
  return same && address == address_of(w, due.msgid) && get_be32(reth + 8) == c->ring &&
         get_be32(reth + 12) == carried(w, w->received) + INA_BYTES;
}

static bool ends(uint8_t opcode) {
  switch (opcode) {
    case ROCE_SEND_LAST:
    case ROCE_SEND_ONLY:
    case ROCE_WRITE_LAST:
    case ROCE_WRITE_ONLY: return true;
    default: return roce_has_imm(opcode);
  }
}

static void deliver(void *user, const uint8_t *frame, const struct roce_packet *p) {
  struct worker *w = user;
  if (p->starts) {
    w->arrived = 0;
    w->broken = !begins_well(w, frame, p);
    w->counts.wrong += w->broken;
    w->epoch = ina_epoch(&p->ina);
    if (!w->broken && w->config.marks && w->epoch == 0) w->refusal = WORKER_RAW;
  }
  if (w->broken || w->refusal != WORKER_TAKES) return;

  const size_t share = share_of(w, w->received), all = carried(w, w->received);
  if (p->length_bad || w->arrived + p->tensor > all) {
    w->broken = true;
    w->counts.wrong++;
    return;
  }
  // What pads the last message ends here.
  const size_t wanted = w->arrived >= share ? 0 : p->tensor < share - w->arrived ? p->tensor : share - w->arrived;
  memcpy(w->result + w->received * room(w) + w->arrived, frame + p->header, wanted);
  w->arrived += p->tensor;
  if (!ends(p->opcode)) return;

  // The immediate value stands right in front of the payload, but for an INA header.
  const uint8_t *imm = frame + p->header - (p->tagged ? INA_BYTES : 0) - 4;
  const bool completes = w->config.verb == RC_SEND_IMM || w->config.verb == RC_WRITE_IMM;
  const bool good =
      roce_has_imm(p->opcode) == completes && (!completes || ((get_be32(imm) ^ (w->first_msgid + (uint32_t)w->received)) &
                                                              (w->epoch != 0 || w->config.marks ? ~IMM_EPOCH : UINT32_MAX)) == 0);
  if (w->arrived != all || !good) {
    w->broken = true;
    w->counts.wrong++;
    return;
  }
  w->broken = true;   // until the next one begins
  // A message of one packet has its mark in the INA header.
  const uint8_t epoch = p->starts ? w->epoch : completes ? imm_epoch(get_be32(imm)) : 0;
  if (w->config.marks && epoch != w->epoch) {
    w->refusal = epoch == 0 ? WORKER_RAW : WORKER_TWO_EPOCHS;
    return;
  }
  w->received++;
  w->counts.results++;
  fill_window(w);
}

// --- the wire ---

const char *worker_refusal_name(enum worker_refusal refusal) {
  static const char *const names[WORKER_REFUSALS] = {"none", "raw packet", "two epochs"};
  return refusal < WORKER_REFUSALS ? names[refusal] : "?";
}

enum worker_refusal worker_refusal(const struct worker *w) { return w->refusal; }

bool worker_receive(struct worker *w, uint64_t now, const uint8_t *frame, const struct roce_packet *p) {
  if (w->refusal != WORKER_TAKES)
    return conn_key_equal(&p->key, &w->config.ack_key) || conn_key_equal(&p->key, &w->config.data_key);
  if (p->class == ROCE_CONTROL && p->opcode == ROCE_ACK && conn_key_equal(&p->key, &w->config.ack_key)) {
    requester_ack(w->out, now, frame, p);
    return true;
  }
  if (p->class == ROCE_CANDIDATE && conn_key_equal(&p->key, &w->config.data_key)) {
    responder_data(w->in, now, frame, p);
    return true;
  }
  return false;
}

bool worker_ready(const struct worker *w, uint64_t now) {
  return w->refusal == WORKER_TAKES && (responder_ready(w->in, now) || requester_ready(w->out, now));
}

size_t worker_next(struct worker *w, uint64_t now, uint8_t *frame, size_t size) {
  w->sent_data = !responder_ready(w->in, now);
  if (!w->sent_data) return responder_next(w->in, now, frame, size);
  const size_t len = requester_next(w->out, now, frame, size);
  w->sent_data = len != 0;
  return len;
}

bool worker_sent(const struct worker *w, uint32_t *msgid, unsigned *offset) {
  if (w->sent_data) *msgid = requester_sent(w->out, offset)->msgid;
  return w->sent_data;
}

uint64_t worker_deadline(const struct worker *w, uint64_t now) {
  if (w->refusal != WORKER_TAKES) return UINT64_MAX;
  const uint64_t a = responder_deadline(w->in), b = requester_deadline(w->out, now);
  return a < b ? a : b;
}

void worker_tick(struct worker *w, uint64_t now) { requester_tick(w->out, now); }

struct worker_counts worker_counts(const struct worker *w) {
  return w->counts;
}
struct requester_counts worker_requester(const struct worker *w) {
  return requester_counts(w->out);
}
struct responder_counts worker_responder(const struct worker *w) {
  return responder_counts(w->in);
}
