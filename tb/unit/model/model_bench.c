#include "unit/model/model_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

void bench_start(struct bench *b, unsigned workers, unsigned window) {
  const struct model_limits limits = {
      .ports = 3, .ranks = workers, .conns = 64, .slot_bytes = BENCH_SLOT, .max_frame_bytes = BENCH_MAX_FRAME};
  const struct model_ring rings[] = {{BENCH_RING, workers, window, BENCH_STRIDE, true},
                                     {BENCH_OTHER_RING, workers, window, BENCH_STRIDE, true},
                                     {9, workers, window, BENCH_STRIDE, false}};
  b->workers = workers;
  b->m = model_new(&limits, rings, 3);
  assert_non_null(b->m);
}

void bench_stop(struct bench *b) {
  model_free(b->m);
  b->m = NULL;
}

int bench_fresh(void **state, unsigned workers, unsigned window) {
  struct bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  bench_start(b, workers, window);
  *state = b;
  return 0;
}

int bench_done(void **state) {
  bench_stop(*state);
  free(*state);
  return 0;
}

struct gradient bench_packet(unsigned workers, unsigned rank, uint32_t msgid, unsigned offset) {
  const struct ina_header ina = {BENCH_RING, (uint8_t)rank, INA_FP32, msgid, BENCH_STRIDE, (uint16_t)workers};
  return gradient_of(&ina, offset);
}

void bench_frame(struct bench *b, unsigned port, const uint8_t *frame, size_t len, enum fate fate) {
  model_rx(b->m, port, frame, len, false, &b->v);
  b->seen[b->v.fate]++;
  assert_string_equal(fate_name(b->v.fate), fate_name(fate));
}

void bench_rx(struct bench *b, unsigned port, const struct gradient *g, enum fate fate) {
  uint8_t frame[GRADIENT_ROOM];
  size_t len = gradient_frame(g, frame);
  assert_true(len != 0);
  bench_frame(b, port, frame, len, fate);
  assert_true(b->v.candidate);
}

bool bench_commit(struct bench *b, unsigned port) {
  bool unexpected;
  bool complete = model_commit(b->m, port, &unexpected);
  assert_false(unexpected);
  return complete;
}

void bench_store(struct bench *b, unsigned port, const struct gradient *g) {
  bench_rx(b, port, g, FATE_STORED);
  assert_int_equal(bench_commit(b, port), b->v.completes);
}

void bench_decide(struct bench *b, unsigned rank, uint32_t msgid, unsigned offset, enum fate fate) {
  const struct gradient g = bench_packet(b->workers, rank, msgid, offset);
  bench_rx(b, 0, &g, fate);
}

void bench_add(struct bench *b, unsigned rank, uint32_t msgid, unsigned offset) {
  const struct gradient g = bench_packet(b->workers, rank, msgid, offset);
  bench_store(b, 0, &g);
}

void bench_take(struct bench *b, uint32_t msgid, unsigned offset, uint32_t mask, int count) {
  assert_int_equal(model_take(b->m, 0, msgid, offset, mask, b->frames), count);
}

void bench_complete(struct bench *b, uint32_t msgid, unsigned offset) {
  for (unsigned rank = 0; rank < b->workers; rank++) bench_add(b, rank, msgid, offset);
}

void bench_repeat(struct bench *b, unsigned rank, uint32_t msgid) {
  bench_decide(b, rank, msgid, 0, FATE_DUPLICATE);
  assert_false(bench_commit(b, 0));
}
