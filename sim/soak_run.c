#include "sim/soak_run.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/dice.h"
#include "hosts/traffic.h"
#include "sim/bench.h"

/// Longest frame the device takes (MaxFrameBytes of rtl/top/weir_aggregator.sv).
#define MAX_FRAME_BYTES 9728
/// Cycles without a sign of life after which the device hangs.
#define HANG_CYCLES 20000
/// Cycles a frame waits for results before it is time to see whether they will ever come.
#define PATIENCE 1000
#define MAX_RINGS 32

struct run {
  struct traffic *traffic;
  struct bench *bench;
  unsigned backlog;   // frames that may wait at a port in front of the device
};

static void on_out(void *user, unsigned port, const uint8_t *frame, size_t len, uint64_t first_cycle, uint64_t last_cycle) {
  (void)port;
  (void)first_cycle;
  (void)last_cycle;
  struct run *r = user;
  traffic_result(r->traffic, frame, len);
}

static bool failed(const struct run *r) { return bench_mismatches(r->bench) != 0; }

/// Clocks until the window lets frame `index` start. Results that have not come when the device is quiet never will.
static bool wait_for_window(struct run *r, size_t index) {
  const uint64_t until = bench_cycle(r->bench) + PATIENCE;
  while (!traffic_may_start(r->traffic, index) && !failed(r)) {
    if (bench_cycle(r->bench) < until) {
      bench_step(r->bench);
    } else if (bench_settle(r->bench, HANG_CYCLES)) {
      traffic_give_up(r->traffic, index);
    }
  }
  return !failed(r);
}

/// Clocks until there is room for a frame at the port.
static bool wait_for_port(struct run *r, unsigned port) {
  const uint64_t until = bench_cycle(r->bench) + HANG_CYCLES;
  while (bench_pending(r->bench, port) > r->backlog && !failed(r)) {
    if (bench_cycle(r->bench) >= until) return bench_settle(r->bench, HANG_CYCLES);
    bench_step(r->bench);
  }
  return !failed(r);
}

static bool flush(struct run *r) {
  if (bench_flush(r->bench, r->traffic->flush_ring) != 0) return false;
  traffic_flushed(r->traffic);
  return true;
}

/// Sends everything. False if it came to an end early.
static bool send_all(struct run *r) {
  const struct traffic *t = r->traffic;
  for (size_t i = 0; i < t->frame_count; i++) {
    const struct traffic_frame *f = &t->frames[i];
    if (i == t->flush_at && !flush(r)) return false;
    if (!wait_for_window(r, i) || !wait_for_port(r, f->port)) return false;
    bench_send(r->bench, f->port, f->data, f->len, f->error);
  }
  return true;
}

static bool open_bench(struct run *r, const struct drive_config *config, const struct drive_options *drive, char *error,
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
  const struct bench_options options = {.drive = *drive, .rings = rings, .ring_count = t->ring_count, .user = r, .out = on_out};
  r->bench = bench_open(&options, error, size);
  if (r->bench == NULL) return false;
  for (size_t i = 0; i < t->conn_count; i++) {
    const struct traffic_conn *c = &t->conns[i];
    if (bench_connect(r->bench, (unsigned)i % config->conns, &c->key, c->ring, c->rank) != 0) {
      snprintf(error, size, "the device refuses connection %zu", i);
      return false;
    }
  }
  return true;
}

static void add_counts(const struct run *r, const struct drive_config *config, struct soak_result *result) {
  for (unsigned port = 0; port < config->ports; port++) {
    const struct scoreboard_counts *counts = bench_counts(r->bench, port);
    result->frames += counts->rx;
    result->results += counts->tx_result;
    for (int f = 0; f < FATE_COUNT; f++) result->fates[f] += counts->fates[f];
  }
  const struct witness_counts witness = bench_witness(r->bench);
  result->complete = witness.complete;
  result->excused = witness.excused;
  result->columns = r->traffic->columns;
  result->cycles = bench_cycle(r->bench);
}

static void fail(struct soak_result *result, const char *text) {
  if (result->mismatches < SOAK_TEXTS) snprintf(result->texts[result->mismatches], SOAK_TEXT_BYTES, "%s", text);
  result->mismatches++;
}

static void finish(struct run *r, bool sent, struct soak_result *result) {
  const size_t mismatches = bench_finish(r->bench);
  for (size_t i = 0; i < mismatches; i++) {
    const char *text = bench_text(r->bench, i);
    fail(result, text != NULL ? text : "");
  }
  if (!sent && mismatches == 0) fail(result, "a ring cannot be flushed");
}

void soak_run(const struct drive_config *config, uint64_t seed, const char *wave, struct soak_result *result) {
  static const double stalls[] = {0, 0.1, 0.3, 0.7};
  static const unsigned backlogs[] = {0, 1, 6};
  const struct traffic_limits limits = {
      .model = {.ports = config->ports,
                .ranks = config->ranks,
                .conns = config->conns,
                .slot_bytes = config->slot_bytes,
                .max_frame_bytes = MAX_FRAME_BYTES},
      .rings = config->rings,
      .max_window = config->max_window,
      .slots = config->slots,
  };
  struct dice dice = dice_for(seed, 1);
  const struct drive_options drive = {
      .config = config->name,
      .wave = wave,
      .seed = seed,
      .stall = stalls[dice_below(&dice, 4)],
      .idle = stalls[dice_below(&dice, 4)],
  };
  struct run r = {.traffic = traffic_new(seed, &limits), .backlog = backlogs[dice_below(&dice, 3)]};
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
