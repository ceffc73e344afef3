#include "sim/soak/soak_run.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "hosts/traffic.h"
#include "sim/engine/bench.h"

/// Longest frame the device takes (MaxFrameBytes of rtl/top/weir_aggregator.sv).
#define MAX_FRAME_BYTES 9728
/// Cycles without a sign of life after which the device hangs.
#define HANG_CYCLES 20000
/// Cycles without a frame that may start before it is time to see whether they will ever come.
#define PATIENCE 300
#define MAX_RINGS 32
#define MAX_PORTS 16

struct soak_state {
  struct traffic *traffic;
  struct bench *bench;
  unsigned backlog;   // frames that may wait at a port in front of the device
  bool faulty;        // bits of memories flip: results may be missing
  bool rough;         // a ring is flushed in the middle of its traffic, and a port is not open
  bool chaotic;       // registers are written at random
  struct rng chaos;
  uint8_t epoch;     // results are marked with it; 0: they are not
  unsigned queues;   // 1: frames start in the order of the traffic; number of ports: each port keeps its own order
};

static void on_out(void *user, unsigned port, const uint8_t *frame, size_t len, uint64_t first_cycle, uint64_t last_cycle) {
  (void)port;
  (void)first_cycle;
  (void)last_cycle;
  struct soak_state *r = user;
  traffic_result(r->traffic, frame, len);
}

static bool failed(const struct soak_state *r) { return bench_mismatches(r->bench) != 0; }

/// The first frame from `index` on, before `end`, that belongs to a queue; `end` if there is none.
static size_t head_of(const struct soak_state *r, unsigned queue, size_t index, size_t end) {
  while (r->queues > 1 && index < end && r->traffic->frames[index].port != queue) index++;
  return index;
}

/// Starts what may start at the head of a queue. True if anything did.
static bool send_some(struct soak_state *r, unsigned queue, size_t *head, size_t end) {
  const size_t before = *head;
  while (*head < end) {
    const struct traffic_frame *f = &r->traffic->frames[*head];
    if (!traffic_may_start(r->traffic, *head) || bench_pending(r->bench, f->port) > r->backlog) break;
    const struct witness_meaning meaning = {.ring = f->ring, .rank = f->rank, .offset = f->offset, .msgid = f->msgid};
    if (f->means) bench_meant(r->bench, f->data, f->len, &meaning);
    bench_send(r->bench, f->port, f->data, f->len, f->error);
    *head = head_of(r, queue, *head + 1, end);
  }
  return *head != before;
}

/// Results that have not come when the device is quiet never will.
static bool give_up(struct soak_state *r, const size_t heads[], size_t end) {
  if (!bench_settle(r->bench, HANG_CYCLES)) return false;
  for (unsigned q = 0; q < r->queues; q++)
    if (heads[q] < end && !traffic_may_start(r->traffic, heads[q])) traffic_give_up(r->traffic, heads[q]);
  return true;
}

/// Sends frames `first` to `end` - 1. False if it came to an end early.
static bool send_range(struct soak_state *r, size_t first, size_t end) {
  size_t heads[MAX_PORTS];
  uint64_t moved = bench_cycle(r->bench);
  for (unsigned q = 0; q < r->queues; q++) heads[q] = head_of(r, q, first, end);
  while (!failed(r)) {
    bool left = false;
    for (unsigned q = 0; q < r->queues; q++) {
      if (send_some(r, q, &heads[q], end)) moved = bench_cycle(r->bench);
      left |= heads[q] < end;
    }
    if (!left) return true;
    if (bench_cycle(r->bench) - moved < PATIENCE) {
      if (r->chaotic && rng_below(&r->chaos, 30) == 0) bench_abuse(r->bench, &r->chaos);
      bench_step(r->bench);
    } else {
      if (!give_up(r, heads, end)) return false;
      moved = bench_cycle(r->bench);
    }
  }
  return false;
}

static bool send_all(struct soak_state *r) {
  const struct traffic *t = r->traffic;
  if (t->flush_at >= t->frame_count) return send_range(r, 0, t->frame_count);
  if (!send_range(r, 0, t->flush_at)) return false;
  if ((r->rough ? bench_flush_beside : bench_flush)(r->bench, t->flush_ring) != 0) return false;
  traffic_flushed(r->traffic);
  return send_range(r, t->flush_at, t->frame_count);
}

static bool open_bench(struct soak_state *r, const struct drive_config *config, const struct drive_options *drive, char *error,
                       size_t size) {
  const struct traffic *t = r->traffic;
  struct drive_ring rings[MAX_RINGS];
  unsigned base = 0;
  for (size_t i = 0; i < t->ring_count; i++) {
    const struct model_ring *ring = &t->rings[i];
    rings[i] = (struct drive_ring){.enable = true,
                                   .learn = ring->learn,
                                   .id = ring->id,
                                   .workers = ring->workers,
                                   .window = ring->window,
                                   .stride = ring->stride,
                                   .base = base};
    base += 2 * ring->window * ring->stride;
  }
  const struct bench_options options = {.drive = *drive,
                                        .rings = rings,
                                        .ring_count = t->ring_count,
                                        .unwatched = r->rough || r->faulty,
                                        .closed = r->rough ? 1u << t->frame_count % config->ports : 0,
                                        .input = t->orderly && !r->rough && !r->faulty ? UNDECIDED_RECORDED : UNDECIDED_FAULTY,
                                        .epoch = r->epoch,
                                        .user = r,
                                        .out = on_out};
  r->bench = bench_open(&options, error, size);
  if (r->bench == NULL) return false;
  for (size_t i = 0; i < t->conn_count; i++) {
    const struct traffic_conn *c = &t->conns[i];
    if (bench_connect(r->bench, &c->key, c->ring, c->rank) != 0) {
      snprintf(error, size, "the device refuses connection %zu", i);
      return false;
    }
  }
  return true;
}

static void add_counts(const struct soak_state *r, const struct drive_config *config, struct soak_result *result) {
  for (unsigned port = 0; port < config->ports; port++) {
    const struct scoreboard_counts *counts = bench_counts(r->bench, port);
    result->frames += counts->rx;
    result->results += counts->tx_result;
    for (int f = 0; f < FATE_COUNT; f++) result->fates[f] += counts->fates[f];
  }
  for (int i = 0; i < REFINEMENT_STEPS; i++) result->steps[i] = bench_steps(r->bench, (enum refinement_step)i);
  result->undecided = bench_undecided(r->bench);
  result->memories = *bench_memories(r->bench);
  result->columns = r->traffic->columns;
  result->cycles = bench_cycle(r->bench);
}

static void fail(struct soak_result *result, const char *text) {
  if (result->mismatches < SOAK_TEXTS) snprintf(result->texts[result->mismatches], SOAK_TEXT_BYTES, "%s", text);
  result->mismatches++;
}

static void finish(struct soak_state *r, bool sent, struct soak_result *result) {
  const size_t mismatches = bench_finish(r->bench);
  for (size_t i = 0; i < mismatches; i++) {
    const char *text = bench_text(r->bench, i);
    fail(result, text != NULL ? text : "");
  }
  if (!sent && mismatches == 0) fail(result, "a ring cannot be flushed");
}

void soak_run(const struct drive_config *config, uint64_t seed, const char *wave, unsigned flips, struct soak_result *result) {
  static const double stalls[] = {0, 0.1, 0.3, 0.7};
  static const unsigned backlogs[] = {0, 1, 6};
  const struct traffic_limits limits = {
      .model = {.ports = config->ports,
                .ranks = config->ranks,
                .conns = config->conns,
                .slot_bytes = config->slot_bytes,
                .max_frame_bytes = MAX_FRAME_BYTES,
                .without = config->without},
      .rings = config->rings,
      .max_window = config->max_window,
      .slots = config->slots,
  };
  struct rng rng = rng_for(seed, 1);
  const struct drive_options drive = {
      .config = config->name,
      .wave = wave,
      .seed = seed,
      .flips = flips,
      .stall = stalls[rng_below(&rng, 4)],
      .idle = stalls[rng_below(&rng, 4)],
  };
  struct soak_state r = {.traffic = traffic_new(seed, &limits),
                         .backlog = backlogs[rng_below(&rng, 3)],
                         .queues = rng_percent(&rng, 50) ? 1 : config->ports};
  r.faulty = flips != 0;
  r.rough = rng_percent(&rng, 20);
  r.chaotic = rng_percent(&rng, 30);
  r.chaos = rng_for(seed, 2);
  struct rng epochs = rng_for(seed, 3);
  if (rng_percent(&epochs, 50)) r.epoch = (uint8_t)(1 + rng_below(&epochs, UINT8_MAX));
  char error[256] = "";
  *result = (struct soak_result){.seed = seed};
  if (open_bench(&r, config, &drive, error, sizeof error)) {
    const bool sent = send_all(&r);
    finish(&r, sent, result);
    add_counts(&r, config, result);
  } else {
    fail(result, error);
  }
  bench_close(r.bench);
  traffic_free(r.traffic);
}
