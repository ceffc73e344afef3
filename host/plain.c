#include "host/plain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/reduce.h"
#include "wire/roce.h"

int plain_init(struct plain *p, const struct engine_config *config) {
  *p = (struct plain){.config = *config};
  const bool sound = config->window > 0 && config->transport.slots >= 2 * config->window &&
                     config->transport.slots <= PLAIN_SLOTS && config->workers >= 2 && config->rank < config->workers &&
                     !config->transport.polled && config->transport.slot_bytes >= 4;
  if (!sound) return -EINVAL;
  p->sum = malloc(config->transport.slot_bytes);
  return p->sum != NULL ? 0 : -ENOMEM;
}

void plain_free(struct plain *p) { free(p->sum); }

int plain_start(struct plain *p, const struct engine_request *request, uint64_t now_ns, uint64_t *number) {
  const size_t size = ina_element_size(request->kind);
  if (p->failure.code != 0) return p->failure.code;
  if (size == 0 || request->bytes % size != 0) return -EINVAL;
  if (p->pending == ENGINE_REQUESTS) return -EAGAIN;
  if (p->pending == 0) p->moved_ns = now_ns;
  p->requests[(p->oldest + p->pending++) % ENGINE_REQUESTS] = *request;
  if (request->receive != request->send) memcpy(request->receive, request->send, request->bytes);
  *number = ++p->started;
  return 0;
}

bool plain_done(const struct plain *p, uint64_t number) { return p->finished >= number; }

// --- who does what ---

/// A request in the immediate value of its messages: kind:8, part:2, and 22 bits in which lengths differ.
enum { LENGTH_BITS = 22, PART_MASK = 3 };

static uint32_t name_of(const struct engine_request *r) {
  const uint32_t length = (uint32_t)(r->bytes * UINT64_C(0x9E3779B97F4A7C15) >> (64 - LENGTH_BITS));
  return (uint32_t)r->kind << 24 | (uint32_t)r->part << LENGTH_BITS | length;
}

/// What the host before this one does must be what this one does.
static bool same(struct plain *p, const struct engine_request *r, uint32_t asked) {
  static const char *const parts[] = {"an all-reduce", "a reduce-scatter", "an all-gather", "something else"};
  const unsigned before = (p->config.rank + p->config.workers - 1u) % p->config.workers, part = asked >> LENGTH_BITS & PART_MASK;
  const uint8_t kind = (uint8_t)(asked >> 24);
  if (asked == name_of(r)) return true;
  if (kind == r->kind && part == r->part)
    failure_set(&p->failure, -EINVAL, "rank %u does %s of another length than the %zu bytes of rank %u", before, parts[part],
                r->bytes, p->config.rank);
  else if (ina_element_size(kind) == 0)
    failure_set(&p->failure, -EPROTO, "rank %u sent what is no operation", before);
  else
    failure_set(&p->failure, -EINVAL, "rank %u does %s of %s, %s, and rank %u %s of %s, %s", before, parts[part],
                ina_types[kind & 0xF], ina_ops[kind >> 4], p->config.rank, parts[r->part], ina_types[r->kind & 0xF],
                ina_ops[r->kind >> 4]);
  return false;
}

// --- what goes when ---

/// One message: a piece of one segment of the tensor.
struct piece {
  size_t offset, bytes;
};

static size_t segment_bytes(const struct plain *p, const struct engine_request *r) {
  const size_t size = ina_element_size(r->kind), elements = r->bytes / size;
  return (elements + p->config.workers - 1) / p->config.workers * size;
}

static size_t piece_most(const struct plain *p) { return p->config.transport.slot_bytes & ~(size_t)3; }

static size_t pieces(const struct plain *p, const struct engine_request *r) {
  return (segment_bytes(p, r) + piece_most(p) - 1) / piece_most(p);
}

static uint64_t messages(const struct plain *p, const struct engine_request *r) {
  return (r->part == ENGINE_WHOLE ? 2 : 1) * (uint64_t)(p->config.workers - 1) * pieces(p, r);
}

/// The step of both halves that message `j` is of.
static unsigned step_of(const struct plain *p, const struct engine_request *r, uint64_t j) {
  return (unsigned)(j / pieces(p, r)) + (r->part == ENGINE_GATHER ? p->config.workers - 1u : 0);
}

/// Message `j` that `rank` sends. Step s of the first half hands on segment rank - 1 - s, of the second half rank - s.
static struct piece piece_at(const struct plain *p, const struct engine_request *r, unsigned rank, uint64_t j) {
  const unsigned workers = p->config.workers, step = step_of(p, r, j);
  const bool gathers = step >= workers - 1;
  const unsigned segment = (rank + 2 * workers - 1 + (gathers ? 1 : 0) - (gathers ? step - (workers - 1) : step)) % workers;
  const size_t whole = segment_bytes(p, r), begin = segment * whole, end = begin + whole < r->bytes ? begin + whole : r->bytes;
  struct piece piece = {.offset = begin + (size_t)(j % pieces(p, r)) * piece_most(p)};
  if (piece.offset < end) piece.bytes = end - piece.offset < piece_most(p) ? end - piece.offset : piece_most(p);
  return piece;
}

// --- both ways ---

static bool send_some(struct plain *p, const struct engine_request *r, bool *moved) {
  const struct transport *t = &p->config.transport;
  while (p->sending < messages(p, r)) {
    const struct piece piece = piece_at(p, r, p->config.rank, p->sending);
    // What is handed on must be here first: the same piece, one step before.
    if (p->sending >= pieces(p, r) && p->receiving <= p->sending - pieces(p, r)) break;
    if (piece.bytes > 0) {
      if (p->sent - p->acknowledged >= p->config.window) break;
      const unsigned slot = (unsigned)(p->sent % t->slots);
      memcpy(t->staging(t->self, slot), r->receive + piece.offset, piece.bytes);
      const int code = t->send(t->self, slot, piece.bytes, piece.bytes, NULL, name_of(r));
      if (code != 0) return failure_set(&p->failure, code, "a message cannot be sent: %s", strerror(-code)) == 0;
      p->sent++;
      *moved = true;
    }
    p->sending++;
  }
  return true;
}

static bool read_one(struct plain *p, const struct engine_request *r, const struct piece *piece) {
  const struct transport *t = &p->config.transport;
  const unsigned slot = (unsigned)(p->read % t->slots);
  const uint8_t *in = t->landing(t->self, slot);
  uint8_t *to = r->receive + piece->offset;
  if (!same(p, r, p->asked[slot])) return false;
  if (p->landed[slot] != piece->bytes)
    return failure_set(&p->failure, -EPROTO, "a message has %zu bytes, not %zu", p->landed[slot], piece->bytes) == 0;
  if (step_of(p, r, p->receiving) < p->config.workers - 1u) {
    const uint8_t *const rows[] = {to, in};
    if (ina_reduce(r->kind, rows, 2, piece->bytes, p->sum) != 0)
      return failure_set(&p->failure, -EINVAL, "no such reduction") == 0;
    memcpy(to, p->sum, piece->bytes);
  } else {
    memcpy(to, in, piece->bytes);
  }
  p->read++;
  const int code = t->ready(t->self, slot);
  return code == 0 || failure_set(&p->failure, code, "slot %u cannot be used again: %s", slot, strerror(-code)) == 0;
}

static bool read_some(struct plain *p, const struct engine_request *r, bool *moved) {
  const unsigned before = (p->config.rank + p->config.workers - 1u) % p->config.workers;
  while (p->receiving < messages(p, r)) {
    const struct piece piece = piece_at(p, r, before, p->receiving);
    if (piece.bytes > 0) {
      if (p->read == p->arrived) break;
      if (!read_one(p, r, &piece)) return false;
      *moved = true;
    }
    p->receiving++;
  }
  return true;
}

static bool look(struct plain *p) {
  struct transport_event event;
  int code;
  while ((code = p->config.transport.poll(p->config.transport.self, &event)) > 0) {
    const unsigned slot = (unsigned)(p->arrived % p->config.transport.slots);
    if (event.kind == TRANSPORT_SENT) {
      p->acknowledged++;
      continue;
    }
    p->landed[slot] = event.bytes;
    p->asked[slot] = event.immediate;
    p->arrived++;
  }
  return code == 0 || failure_set(&p->failure, code, "the connection is broken: %s", strerror(-code)) == 0;
}

int plain_progress(struct plain *p, uint64_t now_ns) {
  bool moved = true;
  while (p->failure.code == 0 && moved && look(p) && p->pending > 0) {
    const struct engine_request *r = &p->requests[p->oldest];
    moved = false;
    if (!send_some(p, r, &moved) || !read_some(p, r, &moved)) break;
    if (moved) p->moved_ns = now_ns;
    if (p->sending < messages(p, r) || p->receiving < messages(p, r)) continue;
    p->oldest = (p->oldest + 1) % ENGINE_REQUESTS;
    p->pending--;
    p->finished++;
    p->sending = p->receiving = 0;
    moved = true;
  }
  if (p->failure.code == 0 && p->pending > 0 && now_ns - p->moved_ns > p->config.timeout_ns) {
    return failure_set(&p->failure, -ETIMEDOUT, "no progress for %.1f s: %" PRIu64 " of %" PRIu64 " messages",
                       (double)p->config.timeout_ns / 1e9, p->receiving, messages(p, &p->requests[p->oldest]));
  }
  return p->failure.code;
}
