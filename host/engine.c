#include "host/engine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "wire/bytes.h"
#include "wire/roce.h"

int engine_init(struct engine *e, const struct engine_config *config) {
  *e = (struct engine){.config = *config};
  const bool sound = config->window > 0 && config->transport.slots >= 2 * config->window && config->workers >= 2 &&
                     config->rank < config->workers && chunk_most(&config->shape) > 0 &&
                     config->transport.slot_bytes >= (size_t)config->shape.mtu * config->shape.msglen &&
                     config->transport.polled == (config->shape.trailer > 0) && !(config->marks && config->transport.polled) &&
                     (!config->marks || config->workers < 256);
  return sound ? 0 : -EINVAL;
}

int engine_start(struct engine *e, const struct engine_request *request, uint64_t now_ns, uint64_t *number) {
  const size_t size = ina_element_size(request->kind);
  if (e->failure.code != 0) return e->failure.code;
  if (size == 0 || request->bytes % size != 0) return -EINVAL;
  if (e->pending == ENGINE_REQUESTS) return -EAGAIN;
  *number = e->queued;
  if (request->bytes == 0) return 0;
  if (e->held == e->queued) e->moved_ns = now_ns;
  struct engine_request *r = &e->requests[(e->oldest + e->pending++) % ENGINE_REQUESTS];
  *r = *request;
  r->first = e->queued;
  r->count = chunk_count(&e->config.shape, r->bytes);
  e->queued += r->count;
  *number = e->queued;
  return 0;
}

bool engine_done(const struct engine *e, uint64_t number, bool acknowledged) {
  return e->held >= number && (!acknowledged || e->acknowledged >= number);
}

/// The request that a message belongs to; there is one for each message between held and queued.
static const struct engine_request *request_of(const struct engine *e, uint64_t message) {
  unsigned i = 0;
  while (message >= e->requests[(e->oldest + i) % ENGINE_REQUESTS].first + e->requests[(e->oldest + i) % ENGINE_REQUESTS].count)
    i++;
  return &e->requests[(e->oldest + i) % ENGINE_REQUESTS];
}

static struct chunk chunk_of(const struct engine *e, const struct engine_request *r, uint64_t message) {
  return chunk_at(&e->config.shape, r->bytes, (size_t)(message - r->first));
}

static struct ina_header header_of(const struct engine *e, const struct engine_request *r, const struct chunk *c,
                                   uint64_t message, uint8_t rank) {
  return (struct ina_header){.ring = e->config.ring,
                             .rank = rank,
                             .kind = r->kind,
                             .msgid = e->config.msgid + (uint32_t)message,
                             .msglen = c->packets,
                             .workers = e->config.workers};
}

// --- sending ---

static int send_next(struct engine *e) {
  const struct transport *t = &e->config.transport;
  const struct engine_request *r = request_of(e, e->sent);
  const struct chunk c = chunk_of(e, r, e->sent);
  const unsigned slot = (unsigned)(e->sent % t->slots);
  const struct ina_header header = header_of(e, r, &c, e->sent, e->config.rank);
  const struct transport_body body = {.data = r->send + c.offset, .bytes = c.bytes, .key = r->key};
  uint8_t *out = t->staging(t->self, slot);
  size_t used = INA_BYTES;
  ina_put(out, &header);
  if (!r->registered) {
    memcpy(out + used, r->send + c.offset, c.bytes);
    used += c.bytes;
  }
  chunk_seal(out + used, c.total - INA_BYTES - c.bytes, r->kind);
  used += c.total - INA_BYTES - c.bytes;
  const int code = t->send(t->self, slot, INA_BYTES, used, r->registered ? &body : NULL, header.msgid & ~IMM_EPOCH);
  if (code != 0) return failure_set(&e->failure, code, "message %" PRIu64 " cannot be sent: %s", e->sent, strerror(-code));
  e->sent++;
  return 0;
}

/// A message may go when the window has room for it and its staging slot is free again.
static bool may_send(const struct engine *e) {
  return e->sent < e->queued && e->sent - e->held < e->config.window && e->sent - e->acknowledged < e->config.transport.slots;
}

// --- receiving ---

/// Epochs in the first packet of a message, in the high byte of Workers, and in its last one's immediate value. Neither host sends any, so a
/// message that has passed as its sender sent it has none; and one whose middle has passed has two different ones.
static int check_marks(struct engine *e, const uint8_t *in, uint16_t packets, uint32_t immediate) {
  const uint8_t first = in[INA_EPOCH], last = packets > 1 ? imm_epoch(immediate) : first;
  if (first != 0 && first == last) return 0;
  if (e->trial) {
    e->unmarked = true;
    return 0;
  }
  if (first == 0 || last == 0)
    return failure_set(&e->failure, -EBADMSG, "result %" PRIu64 " carries no mark: it may be one rank's numbers", e->held);
  return failure_set(&e->failure, -EBADMSG,
                     "result %" PRIu64 " begins in the device's epoch %u and ends in %u: part of it may be one rank's numbers",
                     e->held, first, last);
}

/// A result has the header of the host before this one. Anything else means that something between the hosts did what it should not.
static int take_result(struct engine *e, size_t bytes, uint32_t immediate) {
  const struct transport *t = &e->config.transport;
  if (e->held == e->sent) return failure_set(&e->failure, -EPROTO, "a message came in, but no result is due");
  const struct engine_request *r = request_of(e, e->held);
  const struct chunk c = chunk_of(e, r, e->held);
  const unsigned slot = (unsigned)(e->held % t->slots);
  const uint8_t *in = t->landing(t->self, slot);
  const uint8_t before = (uint8_t)((e->config.rank + e->config.workers - 1) % e->config.workers);
  const struct ina_header expected = header_of(e, r, &c, e->held, before);
  uint8_t header[INA_BYTES];
  ina_put(header, &expected);
  if (bytes != c.total)
    return failure_set(&e->failure, -EPROTO, "result %" PRIu64 " has %zu bytes, not %zu", e->held, bytes, c.total);
  // Who does not look for marks does not mind them: Workers' low byte is enough then, as long as it says all.
  if (e->config.workers < 256) header[INA_EPOCH] = in[INA_EPOCH];
  if (memcmp(in, header, INA_BYTES) != 0)
    return failure_set(&e->failure, -EPROTO, "result %" PRIu64 " has a wrong INA header", e->held);
  if (e->config.marks && check_marks(e, in, c.packets, immediate) != 0) return e->failure.code;
  memcpy(r->receive + c.offset, in + INA_BYTES, c.bytes);
  e->held++;
  if (e->held == r->first + r->count) {
    e->oldest = (e->oldest + 1) % ENGINE_REQUESTS;
    e->pending--;
  }
  const int code = t->ready(t->self, slot);
  return code == 0 ? 0 : failure_set(&e->failure, code, "slot %u cannot be used again: %s", slot, strerror(-code));
}

/// Without a word from the transport: the last word of the message that is due is not 0 any more.
static bool has_landed(const struct engine *e) {
  if (!e->config.transport.polled || e->held == e->sent) return false;
  const struct engine_request *r = request_of(e, e->held);
  const struct chunk c = chunk_of(e, r, e->held);
  const uint8_t *in = e->config.transport.landing(e->config.transport.self, (unsigned)(e->held % e->config.transport.slots));
  return __atomic_load_n((const uint32_t *)(const void *)(in + c.total - 4), __ATOMIC_ACQUIRE) != 0;
}

static int receive_all(struct engine *e, bool *moved) {
  struct transport_event event;
  int code;
  while ((code = e->config.transport.poll(e->config.transport.self, &event)) > 0) {
    *moved = true;
    if (event.kind == TRANSPORT_SENT)
      e->acknowledged++;
    else if (take_result(e, event.bytes, event.immediate) != 0)
      return e->failure.code;
  }
  while (code == 0 && has_landed(e)) {
    *moved = true;
    if (take_result(e, chunk_of(e, request_of(e, e->held), e->held).total, 0) != 0) return e->failure.code;
  }
  if (code == 0) return 0;
  if (e->held == e->queued) return failure_set(&e->failure, code, "the connection is broken: %s", strerror(-code));
  const uint8_t kind = request_of(e, e->held)->kind;
  return failure_set(&e->failure, code, "the connection is broken at result %" PRIu64 " (%s, %s): %s", e->held,
                     ina_types[kind & 0xF], ina_ops[kind >> 4], strerror(-code));
}

static int send_all(struct engine *e, bool *moved) {
  while (may_send(e)) {
    *moved = true;
    if (send_next(e) != 0) return e->failure.code;
  }
  return 0;
}

bool engine_waits(const struct engine *e, uint64_t *message, uint64_t *since_ns, char *text, size_t size) {
  if (e->held == e->queued) return false;
  const struct engine_request *r = request_of(e, e->held);
  *message = e->held;
  *since_ns = e->moved_ns;
  snprintf(text, size, "an all-reduce of %zu %s, %s", r->bytes / ina_element_size(r->kind), ina_types[r->kind & 0xF],
           ina_ops[r->kind >> 4]);
  return true;
}

int engine_progress(struct engine *e, uint64_t now_ns) {
  bool moved = false;
  // First what is to be sent: where no device is, the neighbour's message may be here before ours has left.
  if (e->failure.code != 0 || send_all(e, &moved) != 0 || receive_all(e, &moved) != 0 || send_all(e, &moved) != 0)
    return e->failure.code;
  if (moved) e->moved_ns = now_ns;
  if (e->held < e->queued && now_ns - e->moved_ns > e->config.timeout_ns) {
    const uint8_t kind = request_of(e, e->held)->kind;
    return failure_set(&e->failure, -ETIMEDOUT, "no progress for %.1f s: %" PRIu64 " of %" PRIu64 " results (%s, %s)",
                       (double)e->config.timeout_ns / 1e9, e->held, e->queued, ina_types[kind & 0xF], ina_ops[kind >> 4]);
  }
  return 0;
}
