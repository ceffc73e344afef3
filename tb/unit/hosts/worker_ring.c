#include "unit/hosts/worker_ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "model/model.h"
#include "wire/reduce.h"

/// Queue pairs: rank r sends by 0x10 + r and receives by 0x20 + r.
static unsigned next_of(const struct ring *r, unsigned rank) { return (rank + 1) % r->ranks; }
static unsigned before(const struct ring *r, unsigned rank) { return (rank + r->ranks - 1) % r->ranks; }

static void seat(struct ring *r, unsigned rank, const struct worker_config *like) {
  const unsigned next = next_of(r, rank), last = before(r, rank);
  struct worker_config c = *like;
  c.ring = RING_ID;
  c.rank = (uint8_t)rank;
  c.workers = (uint16_t)r->ranks;
  c.msglen = RING_MSGLEN;
  c.data_key = rc_key(last, rank, 0x20 + rank);
  c.ack_key = rc_key(next, rank, 0x10 + rank);
  c.requester = rc_requester();
  c.requester.key = rc_key(rank, next, 0x20 + next);
  c.requester.psn = 0xFFFFF0 + rank;
  c.requester.timeout_ps = RING_TIMEOUT;
  c.responder.key = rc_key(rank, last, 0x10 + last);
  c.responder.psn = 0xFFFFF0 + last;
  rc_mac(rank, c.requester.local_mac);
  rc_mac(next, c.requester.peer_mac);
  rc_mac(rank, c.responder.local_mac);
  rc_mac(last, c.responder.peer_mac);
  r->config[rank] = c;
  r->workers[rank] = worker_new(&c);
  assert_non_null(r->workers[rank]);
}

struct ring *ring_open(unsigned ranks, const struct worker_config *like) {
  struct ring *r = calloc(1, sizeof *r);
  assert_non_null(r);
  assert_in_range(ranks, 1, RING_RANKS);
  r->ranks = ranks;
  for (unsigned rank = 0; rank < ranks; rank++) seat(r, rank, like);
  return r;
}

void ring_close(struct ring *r) {
  for (unsigned rank = 0; rank < r->ranks; rank++) {
    worker_free(r->workers[rank]);
    free(r->tensors[rank]);
    free(r->results[rank]);
  }
  free(r);
}

void ring_reduce(struct ring *r, size_t bytes, uint64_t seed) {
  r->bytes = bytes;
  for (unsigned rank = 0; rank < r->ranks; rank++) {
    struct rng d = rng_for(seed, rank);
    free(r->tensors[rank]);
    free(r->results[rank]);
    r->tensors[rank] = malloc(bytes);
    r->results[rank] = malloc(bytes);
    rng_fill(&d, r->tensors[rank], bytes);
    rng_fill(&d, r->results[rank], bytes);
    worker_reduce(r->workers[rank], r->tensors[rank], r->results[rank], bytes);
  }
}

static void push(struct ring_queue *q, const struct rc_frame *f) {
  assert_in_range(q->count, 0, RING_QUEUE - 1);
  q->frames[(q->head + q->count++) % RING_QUEUE] = *f;
}

static struct rc_frame *pop(struct ring_queue *q) {
  struct rc_frame *f = &q->frames[q->head];
  q->head = (q->head + 1) % RING_QUEUE;
  q->count--;
  return f;
}

static bool take(struct ring *r, unsigned rank) {
  struct rc_frame f;
  if (!worker_ready(r->workers[rank], r->now)) return false;
  f.len = worker_next(r->workers[rank], r->now, f.data, sizeof f.data);
  assert_in_range(f.len, 60, RC_ROOM);
  roce_parse(f.data, f.len, &f.p);
  if (f.p.class == ROCE_CANDIDATE && r->gradient != NULL) r->gradient(r->user, rank, &f);
  push(f.p.class == ROCE_CANDIDATE ? &r->data[rank] : &r->acks[rank], &f);
  return true;
}

bool ring_column(struct ring *r) {
  const uint8_t *rows[RING_RANKS];
  struct rc_frame *frames[RING_RANKS];
  uint8_t sum[RING_MTU];
  for (unsigned rank = 0; rank < r->ranks; rank++)
    if (r->data[rank].count == 0) return false;
  const struct roce_packet *first = &r->data[0].frames[r->data[0].head].p;
  for (unsigned rank = 0; rank < r->ranks; rank++) {
    frames[rank] = pop(&r->data[rank]);
    rows[rank] = frames[rank]->data + frames[rank]->p.header;
    assert_int_equal(frames[rank]->p.tensor, first->tensor);
    assert_int_equal(frames[rank]->p.opcode, first->opcode);
  }
  const size_t len = first->tensor;
  assert_int_equal(ina_reduce(r->config[0].kind, rows, r->ranks, len, sum), 0);
  for (unsigned rank = 0; rank < r->ranks; rank++) {
    struct rc_frame *f = frames[rank];
    const unsigned to = next_of(r, rank);
    memcpy(f->data + f->p.header, sum, len);
    icrc_put(f->data, &f->p);
    if (r->result != NULL) r->result(r->user, to, f);
    roce_parse(f->data, f->len, &f->p);
    assert_true(worker_receive(r->workers[to], r->now, f->data, &f->p));
  }
  return true;
}

static bool acknowledge(struct ring *r, unsigned rank) {
  if (r->acks[rank].count == 0) return false;
  const struct rc_frame *f = pop(&r->acks[rank]);
  assert_true(worker_receive(r->workers[before(r, rank)], r->now, f->data, &f->p));
  return true;
}

static bool step(struct ring *r) {
  bool moved = false;
  for (unsigned rank = 0; rank < r->ranks; rank++) {
    moved |= take(r, rank);
    if (!r->hold_acks) moved |= acknowledge(r, rank);
  }
  return moved;
}

void ring_send(struct ring *r) {
  while (step(r)) continue;
}

void ring_run(struct ring *r) {
  do ring_send(r);
  while (!r->hold_results && ring_column(r));
}

bool ring_done(const struct ring *r) {
  bool done = true;
  for (unsigned rank = 0; rank < r->ranks; rank++) done = done && worker_done(r->workers[rank]);
  return done;
}

void ring_check(const struct ring *r) {
  uint8_t *sum = malloc(r->bytes);
  assert_int_equal(ina_reduce(r->config[0].kind, (const uint8_t *const *)r->tensors, r->ranks, r->bytes, sum), 0);
  for (unsigned rank = 0; rank < r->ranks; rank++) {
    const struct requester_counts s = worker_requester(r->workers[rank]);
    assert_true(worker_done(r->workers[rank]));
    assert_int_equal(worker_counts(r->workers[rank]).wrong, 0);
    assert_int_equal(worker_responder(r->workers[rank]).misplaced, 0);
    assert_int_equal(s.repeats + s.timeouts, 0);
    assert_memory_equal(r->results[rank], sum, r->bytes);
  }
  free(sum);
}

size_t ring_progress(const struct ring *r, unsigned rank) {
  size_t of;
  return worker_progress(r->workers[rank], &of);
}
