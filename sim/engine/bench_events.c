// What the device says: when it last did, and what is done about what it seldom says. All else is checked in bench_checks.c.
#include <inttypes.h>

#include "sim/engine/bench_state.h"

static void on_state(void *user, const struct drive_state_event *e) {
  struct bench *b = user;
  b->moved = e->cycle;
  bench_check_state(b, e);
}

static void on_result(void *user, const struct drive_result_event *e) {
  struct bench *b = user;
  b->moved = e->cycle;
  bench_check_result(b, e);
}

/// Of whichever ring's region the slot is.
static void on_lost(void *user, unsigned slot) {
  struct bench *b = user;
  bench_checked(b);
  for (unsigned r = 0; r < b->options.ring_count; r++) {
    const struct drive_ring *ring = &b->options.rings[r];
    const unsigned at = slot - ring->base;
    if (slot < ring->base || at >= 2 * ring->window * ring->stride) continue;
    // Messages N apart lie side by side.
    const unsigned message = at / 2 / ring->stride + at % 2 * ring->window, offset = at / 2 % ring->stride;
    model_lose(scoreboard_model(b->scoreboard), r, message, offset);
    refinement_lose(b->refinement, r, message, offset);
  }
}

static void on_flush(void *user, const struct drive_flush_event *e) {
  struct bench *b = user;
  struct model *m = scoreboard_model(b->scoreboard);
  bench_checked(b);
  if (e->closed) {
    bench_ring_closes(b);
    model_close(m, e->ring, e->release);
    return;
  }
  model_open(m, e->ring);
  refinement_flush(b->refinement, e->ring);
  if (b->resetting || (b->ending == e->ring && !b->draining)) model_disable_ring(m, e->ring, false);
}

static void on_aged(void *user, unsigned ring, unsigned rank) {
  struct bench *b = user;
  bench_checked(b);
  b->aged++;
  scoreboard_aged(b->scoreboard, ring, rank);
}

static void on_unsent(void *user, unsigned port, bool result) {
  struct bench *b = user;
  b->moved = bench_cycle(b);
  bench_checked(b);
  scoreboard_unsent(b->scoreboard, port, result);
}

static void on_out(void *user, unsigned port, const uint8_t *frame, size_t len, uint64_t first_cycle, uint64_t last_cycle) {
  struct bench *b = user;
  b->moved = last_cycle;
  const uint32_t bit = 1u << port, cut = (b->down | b->cut) & bit;
  if (!(b->down & bit)) b->cut &= ~bit;
  const bool marked = drive_marked(b->drive);
  if (marked && cut && b->config->ecc == 0) return;   // told as lost
  bench_check_out(b, port, frame, len, first_cycle, last_cycle, marked);
  // A receiver throws away what is marked.
  if (!marked && b->options.out) b->options.out(b->options.user, port, frame, len, first_cycle, last_cycle);
}

static void on_in(void *user, unsigned port, uint64_t tag, uint64_t first_cycle, uint64_t last_cycle) {
  struct bench *b = user;
  b->moved = last_cycle;
  bench_check_in(b, port, tag, first_cycle, last_cycle);
}

static void on_waiting(void *user) {
  const struct bench *b = user;
  if (b->options.waiting) b->options.waiting(b->options.user);
}

static void on_failure(void *user, uint64_t cycle, const char *where) {
  struct bench *b = user;
  b->failed = true;
  bench_checked(b);
  scoreboard_report(b->scoreboard, "cycle %" PRIu64 ": assertion of the device failed: %s", cycle, where);
}

struct drive_calls bench_calls(struct bench *b) {
  return (struct drive_calls){.user = b,
                              .state = on_state,
                              .result = on_result,
                              .flush = on_flush,
                              .lost = on_lost,
                              .out = on_out,
                              .unsent = on_unsent,
                              .aged = on_aged,
                              .in = on_in,
                              .waiting = on_waiting,
                              .failed = on_failure};
}
