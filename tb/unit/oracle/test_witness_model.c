// The witness beside the golden model as a device, under random traffic: two readings of docs/protocol.md that must agree. With
// senders that keep to the rules nothing may be excused; with others there must still be no fault.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"
#include "unit/oracle/witness_traffic.h"
#include "wire/bytes.h"

enum { MESSAGES = 24, QUEUE = 64, MANY = 256 };

struct queue {
  struct frame frames[QUEUE];
  unsigned count;
};

struct run {
  uint64_t seed;
  unsigned workers;
  bool wild;    ///< senders ignore the window, contradict themselves, open other connections
  bool roams;   ///< senders change ports
  struct model *model;
  struct witness *witness;
  struct queue to[PORTS], from[PORTS];
  unsigned pending[PORTS];                  ///< packets to be committed
  bool given[4][MESSAGES + MANY][STRIDE];   ///< results a rank has received
};

static unsigned draw(struct run *r, unsigned below) {
  r->seed = r->seed * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(r->seed >> 33) % below;
}

static void push(struct queue *q, const struct frame *f) {
  assert_true(q->count < QUEUE);
  q->frames[q->count++] = *f;
}

static struct frame pop(struct queue *q) {
  struct frame f = q->frames[0];
  memmove(q->frames, q->frames + 1, --q->count * sizeof q->frames[0]);
  return f;
}

// --- senders ---

// The oldest message of which a rank still lacks a result.
static uint32_t lacking(const struct run *r, unsigned rank) {
  for (uint32_t m = 0; m < MESSAGES; m++)
    for (unsigned o = 0; o < STRIDE; o++)
      if (!r->given[rank][m][o]) return m;
  return MESSAGES;
}

static void make_wild(struct run *r, struct gradient *g) {
  if (draw(r, 8) == 0) put_float(g->tensor, (float)draw(r, 3));
  if (draw(r, 16) == 0) g->len = 4 * draw(r, 4);
  if (draw(r, 16) == 0) g->ina.kind = INA_INT32;
  if (draw(r, 16) == 0) g->ina.msglen = (uint16_t)draw(r, 5);
  if (draw(r, 16) == 0) g->psn0 += draw(r, 3);
  if (draw(r, 24) == 0) g->build.key.qpn = 900 + draw(r, 3);
  if (draw(r, 24) == 0) g->ina.rank = (uint8_t)(r->workers + draw(r, 2));
}

static void send_something(struct run *r) {
  unsigned rank = draw(r, r->workers), port = rank % PORTS;
  uint32_t base = lacking(r, rank), msgid = base + draw(r, r->wild ? 8 : WINDOW);
  if (r->wild && msgid > 4) msgid -= draw(r, 5);
  if (!r->wild && msgid >= MESSAGES) return;
  struct gradient g = packet(r->workers, rank, msgid, draw(r, STRIDE));
  g.build.ip_id = (uint16_t)draw(r, 65536);
  if (r->wild) make_wild(r, &g);
  if (r->roams && draw(r, 8) == 0) port = draw(r, PORTS);
  if (r->to[port].count == QUEUE) return;
  struct frame f = draw(r, 10) == 0 ? other((uint8_t)draw(r, 4)) : built(&g);
  if (draw(r, 10) == 0) f.data[f.len - 1] ^= 1;
  bool error = draw(r, 20) == 0;
  witness_in(r->witness, port, f.data, f.len, error);
  if (!error) push(&r->to[port], &f);   // the model would drop it first of all
}

// --- the device: the model's three steps, in any order that a device could have ---

static void decide(struct run *r, unsigned port) {
  if (r->to[port].count == 0 || r->from[port].count == QUEUE) return;
  struct frame f = pop(&r->to[port]);
  struct model_verdict v;
  model_rx(r->model, port, f.data, f.len, false, &v);
  if (v.fate == FATE_PASSED) push(&r->from[port], &f);
  if (v.fate == FATE_STORED || v.fate == FATE_DUPLICATE) r->pending[port]++;
}

static void commit(struct run *r, unsigned port) {
  bool unexpected;
  if (r->pending[port] == 0) return;
  r->pending[port]--;
  model_commit(r->model, port, &unexpected);
  assert_false(unexpected);
}

static void take(struct run *r, uint32_t msgid, unsigned offset, unsigned rank) {
  struct model_frame result[4];
  for (unsigned p = 0; p < PORTS; p++)
    if (r->from[p].count == QUEUE) return;
  if (model_take(r->model, 0, msgid, offset, 1u << rank, result) != 1) return;
  struct frame f = {.len = result[0].len};
  memcpy(f.data, result[0].data, f.len);
  push(&r->from[result[0].port], &f);
}

static void take_any(struct run *r) {
  uint32_t base = lacking(r, draw(r, r->workers));
  take(r, base + draw(r, 16) - (base < 4 ? base : 4), draw(r, STRIDE), draw(r, r->workers));
}

// Some results get lost on the way back, so that senders must ask for them again.
static void leave(struct run *r, unsigned port) {
  if (r->from[port].count == 0) return;
  struct frame f = pop(&r->from[port]);
  out(r->witness, port, &f);
  struct roce_packet p;
  roce_parse(f.data, f.len, &p);
  if (p.class != ROCE_CANDIDATE || get_be16(f.data + p.udp + 6) != 0 || draw(r, 8) == 0) return;
  unsigned rank = p.psn / 0x1000 - 1, at = p.psn % 0x1000;
  if (rank < r->workers && at / STRIDE < MESSAGES) r->given[rank][at / STRIDE][at % STRIDE] = true;
}

static void quiet(struct run *r) {
  for (unsigned p = 0; p < PORTS; p++) {
    while (r->to[p].count != 0 || r->from[p].count != 0) {
      leave(r, p);
      decide(r, p);
    }
    while (r->pending[p] != 0) commit(r, p);
  }
  for (uint32_t m = 0; m < MESSAGES + MANY && model_owed(r->model) != 0; m++)
    for (unsigned o = 0; o < STRIDE; o++)
      for (unsigned rank = 0; rank < r->workers; rank++) {
        take(r, m, o, rank);
        for (unsigned p = 0; p < PORTS; p++) leave(r, p);
      }
  assert_int_equal(model_owed(r->model), 0);
  witness_settled(r->witness);
}

static void step(struct run *r) {
  unsigned port = draw(r, PORTS);
  switch (draw(r, 6)) {
    case 0: send_something(r); break;
    case 1: decide(r, port); break;
    case 2: commit(r, port); break;
    case 3: leave(r, port); break;
    default: take_any(r); break;
  }
  if (draw(r, 2000) == 0) quiet(r);
}

static bool all_given(const struct run *r) {
  for (unsigned rank = 0; rank < r->workers; rank++)
    if (lacking(r, rank) != MESSAGES) return false;
  return true;
}

static struct witness_counts random_run(uint64_t seed, unsigned workers, bool wild, bool roams) {
  struct run *r = calloc(1, sizeof *r);
  assert_non_null(r);
  r->seed = seed;
  r->workers = workers;
  r->wild = wild;
  r->roams = roams;
  r->witness = start(workers, true);
  const struct model_limits limits = {.ports = PORTS, .ranks = 4, .conns = CONNS, .slot_bytes = 64, .max_frame_bytes = ROOM};
  const struct model_ring rings[] = {{RING, workers, WINDOW, STRIDE, true}, {RING + 1, workers, WINDOW, STRIDE, true}};
  r->model = model_new(&limits, rings, 2);
  for (unsigned i = 0; i < (wild ? 20000 : 400000) && !all_given(r); i++) step(r);
  quiet(r);
  struct witness_counts counts = witness_counts(r->witness);
  if (witness_faults(r->witness) != 0)
    fail_msg("seed %llu, %u workers: %s", (unsigned long long)seed, workers, witness_text(r->witness, 0));
  if (!wild) assert_true(all_given(r));
  finish(r->witness, 0, NULL);
  model_free(r->model);
  free(r);
  return counts;
}

static void within_the_window(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    unsigned workers = 1 + (unsigned)(seed % 4);
    struct witness_counts c = random_run(seed, workers, false, false);
    assert_int_equal(c.complete, MESSAGES * STRIDE);
    assert_int_equal(witness_excused(&c), 0);
    assert_true(c.results > MESSAGES * STRIDE * workers);   // some had to be given twice
    assert_true(c.passed > 0);
  }
}

static void any_traffic(void **state) {
  (void)state;
  size_t complete = 0, excused = 0;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    struct witness_counts c = random_run(seed, 1 + (unsigned)(seed % 4), true, false);
    complete += c.complete;
    excused += witness_excused(&c);
  }
  assert_true(complete > 100);
  assert_true(excused > 10);
}

static void changing_ports(void **state) {
  (void)state;
  size_t complete = 0;
  for (uint64_t seed = 1; seed <= 12; seed++) complete += random_run(seed, 1 + (unsigned)(seed % 4), false, true).complete;
  assert_true(complete > 12 * MESSAGES * STRIDE * 9 / 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(within_the_window), cmocka_unit_test(any_traffic),
                                     cmocka_unit_test(changing_ports)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
