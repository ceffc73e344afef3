#include "sim/engine/bench.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stop.h"
#include "sim/engine/bench_state.h"

/// Longest frame the device takes (MaxFrameBytes of rtl/top/weir_aggregator.sv).
#define MAX_FRAME_BYTES 9728
/// Cycles without a sign of life after which nothing is on its way any more; longer than the way through the device, and
/// than a stalled output keeps one beat.
#define SILENCE 200

// ------------------------------------------------------------------------------------------------ opening and closing

/// Codes of types and operations that the device does not reduce, bit 4 * operation + type each.
static uint16_t no_kinds(unsigned without) {
  uint16_t bits = 0;
  for (unsigned op = INA_SUM; op <= INA_MAX; op++)
    for (unsigned type = INA_FP32; type <= INA_INT32; type++)
      if (!feature_reduces(without, (uint8_t)(op << 4 | type))) bits |= (uint16_t)(1u << (4 * op + type));
  return bits;
}

static bool open_models(struct bench *b, char *error, size_t size) {
  const struct bench_options *o = &b->options;
  const struct model_limits limits = {
      .ports = b->config->ports,
      .ranks = b->config->ranks,
      .conns = b->config->conns,
      .slot_bytes = b->config->slot_bytes,
      .max_frame_bytes = MAX_FRAME_BYTES,
      .without = b->config->without,
  };
  const struct witness_limits seen = {.ports = limits.ports,
                                      .conns = limits.conns,
                                      .slot_bytes = limits.slot_bytes,
                                      .max_frame_bytes = limits.max_frame_bytes,
                                      .any_icrc = feature_lacks(limits.without, FEATURE_ICRC_CHECK),
                                      .no_v6 = feature_lacks(limits.without, FEATURE_IPV6),
                                      .no_vlan = feature_lacks(limits.without, FEATURE_VLAN),
                                      .no_kinds = no_kinds(limits.without)};
  struct model_ring rings[32];
  struct witness_ring watched[32];
  if (drive_set_epoch(b->drive, o->epoch) != 0) {
    snprintf(error, size, "the device takes no epoch");
    return false;
  }
  if (drive_set_open(b->drive, ((1u << b->config->ports) - 1) & ~o->closed) != 0) {
    snprintf(error, size, "the device opens no port");
    return false;
  }
  if (o->ring_count > b->config->rings) {
    snprintf(error, size, "%zu rings, configuration %s has %u", o->ring_count, b->config->name, b->config->rings);
    return false;
  }
  for (size_t i = 0; i < o->ring_count; i++) {
    const struct drive_ring *r = &o->rings[i];
    rings[i] =
        (struct model_ring){.id = r->id, .workers = r->workers, .window = r->window, .stride = r->stride, .learn = r->learn};
    watched[i] =
        (struct witness_ring){.id = r->id, .workers = r->workers, .window = r->window, .stride = r->stride, .learn = r->learn};
    const struct drive_relay alone = {.parent = false};   // a device for a tree is told that it is the only one
    if (!r->enable) rings[i].window = rings[i].stride = rings[i].workers = watched[i].window = 1;
    int result = b->config->uplink != 0 || b->config->spine != 0 ? drive_set_relay(b->drive, &alone) : 0;
    if (result == 0 && r->enable) result = drive_set_ring(b->drive, (unsigned)i, r);
    if (result) {
      snprintf(error, size, "the device refuses ring %u", r->id);
      return false;
    }
  }
  b->scoreboard = scoreboard_new(&limits, rings, o->ring_count);
  b->refinement = refinement_new(limits.ports, (unsigned)o->ring_count, limits.ranks);
  for (size_t i = 0; i < o->ring_count; i++) {
    const struct refinement_ring followed = {.workers = rings[i].workers, .window = rings[i].window, .stride = rings[i].stride};
    refinement_set_ring(b->refinement, (unsigned)i, &followed);
  }
  for (unsigned p = 0; b->scoreboard && p < b->config->ports; p++)
    model_set_open(scoreboard_model(b->scoreboard), p, !(o->closed >> p & 1));
  for (size_t i = 0; b->scoreboard && i < o->ring_count; i++)
    if (!o->rings[i].enable) model_disable_ring(scoreboard_model(b->scoreboard), (unsigned)i, false);
  b->witness = witness_new(&seen, watched, o->ring_count);
  if (!b->scoreboard || !b->witness) {
    snprintf(error, size, "the golden model refuses the rings");
    return false;
  }
  model_set_epoch(scoreboard_model(b->scoreboard), o->epoch);
  witness_epoch(b->witness, o->epoch);
  return true;
}

bool bench_restart(struct bench *b, uint8_t epoch) {
  char error[256];
  if (bench_mismatches(b) > 0) return false;
  bench_keep_counts(b);
  for (unsigned p = 0; p < b->config->ports; p++) b->ports[p].next = b->ports[p].count;
  drive_reset(b->drive);
  scoreboard_free(b->scoreboard);
  refinement_free(b->refinement);
  witness_free(b->witness);
  b->options.epoch = epoch;
  map_free(&b->complete);
  map_free(&b->waiting);
  b->complete = b->waiting = (struct map){0};
  if (!open_models(b, error, sizeof error)) return false;
  bench_warm_up(b);
  b->moved = bench_cycle(b);
  return true;
}

struct bench *bench_open(const struct bench_options *options, char *error, size_t size) {
  struct bench *b = calloc(1, sizeof *b);
  if (!b) {
    snprintf(error, size, "out of memory");
    return NULL;
  }
  b->options = *options;
  b->ending = UINT_MAX;
  const struct drive_calls calls = bench_calls(b);
  b->drive = drive_open(&options->drive, &calls, error, size);
  b->config = drive_config_named(options->drive.config);
  if (b->drive) b->ports = calloc(b->config->ports, sizeof *b->ports);
  if (b->ports && b->options.history != NULL &&
      !history_set_up(b->options.history, b->config, options->rings, options->ring_count)) {
    snprintf(error, size, "out of memory");
    bench_close(b);
    return NULL;
  }
  if (!b->drive || !b->ports || !open_models(b, error, size)) {
    bench_close(b);
    return NULL;
  }
  return b;
}

void bench_close(struct bench *b) {
  if (!b) return;
  bench_together(b);
  for (unsigned p = 0; b->ports && p < b->config->ports; p++) free(b->ports[p].sent);
  free(b->ports);
  drive_close(b->drive);
  scoreboard_free(b->scoreboard);
  refinement_free(b->refinement);
  witness_free(b->witness);
  map_free(&b->complete);
  map_free(&b->waiting);
  free(b->latencies);
  free(b);
}

int bench_connect(struct bench *b, const struct conn_key *key, unsigned ring, unsigned rank) {
  const int result = drive_set_connection(b->drive, key, ring, rank);
  if (result != 0 && result != -EINVAL) return result;
  // What has no place in the device has none in the model, and the other way round.
  if (model_connect(scoreboard_model(b->scoreboard), ring, rank, key) != result) return -EPROTO;
  if (result || b->options.unwatched) return result;
  struct witness_key name = {.vlan = key->vlan, .v6 = key->v6, .qp = key->qpn};
  memcpy(name.source, key->src, sizeof name.source);
  memcpy(name.destination, key->dst, sizeof name.destination);
  witness_connect(b->witness, ring, rank, &name);
  return 0;
}

/// A ring has been flushed in the device, and so in the model (on_flush): the others hear of it. `result` is the control plane's, and the caller's.
static int flushed(struct bench *b, int result, unsigned ring, void (*tell)(struct witness *w, unsigned ring)) {
  if (result) return result;
  tell(b->witness, ring);
  if (b->options.history != NULL) history_flush(b->options.history, ring, bench_cycle(b));
  return 0;
}

int bench_flush(struct bench *b, unsigned ring) {
  if (!bench_settle(b, 100000)) return -1;
  return flushed(b, drive_flush_ring(b->drive, ring), ring, witness_flush);
}

int bench_flush_beside(struct bench *b, unsigned ring) {
  return flushed(b, drive_flush_ring(b->drive, ring), ring, witness_flush_beside);
}

void bench_abuse(struct bench *b, struct rng *rng) { drive_abuse(b->drive, rng, (unsigned)b->options.ring_count); }

bool bench_ring_quiet(const struct bench *b, unsigned ring, bool (*match)(const void *user, const uint8_t *frame, size_t len),
                      const void *user) {
  return scoreboard_ring_idle(b->scoreboard, ring) && !scoreboard_undecided(b->scoreboard, match, user);
}

int bench_rename(struct bench *b, unsigned index, const struct drive_ring *ring) {
  if (!bench_settle(b, 100000)) return -1;
  const int result = drive_change_ring(b->drive, index, ring, ring->learn);
  if (result) return result;
  model_rename(scoreboard_model(b->scoreboard), index, ring->id);
  scoreboard_ring_anew(b->scoreboard, index);
  witness_rename(b->witness, index, ring->id);
  return flushed(b, 0, index, ring->learn ? witness_release : witness_flush);
}

// ------------------------------------------------------------------------------------------------ running

void bench_send(struct bench *b, unsigned port, const uint8_t *frame, size_t len, bool error) {
  bench_send_of(b, 0, port, frame, len, error);
}

void bench_send_of(struct bench *b, unsigned group, unsigned port, const uint8_t *frame, size_t len, bool error) {
  bench_check_sent(b, group, port, frame, len, error);
  drive_send(b->drive, port, frame, len, error, b->ports[port].tags++);
}

void bench_meant(struct bench *b, const uint8_t *frame, size_t len, const struct witness_meaning *meaning) {
  if (!b->options.unwatched) witness_sent(b->witness, frame, len, meaning);
}

size_t bench_pending(const struct bench *b, unsigned port) { return drive_pending(b->drive, port); }

void bench_hold(struct bench *b, unsigned port, bool hold) { drive_hold(b->drive, port, hold); }

void bench_step(struct bench *b) {
  if (!b->failed) drive_step(b->drive);
}

bool bench_stopped(const struct bench *b) { return b->failed; }

void bench_warm_up(struct bench *b) {
  for (unsigned slot = 0; slot < b->config->slots; slot++) bench_step(b);
  if (b->options.history != NULL) history_begin(b->options.history, bench_cycle(b));
}

void bench_skip(struct bench *b, uint64_t cycles) {
  bench_checked(b);
  if (b->options.history != NULL) history_skip(b->options.history, cycles);
}

uint64_t bench_cycle(const struct bench *b) { return drive_cycle(b->drive); }

const struct drive *bench_drive(const struct bench *b) { return b->drive; }

static bool idle(const struct bench *b) {
  for (unsigned p = 0; p < b->config->ports; p++)
    if (drive_pending(b->drive, p)) return false;
  return scoreboard_idle(b->scoreboard);
}

bool bench_quiet(const struct bench *b) { return bench_cycle(b) >= b->moved + SILENCE && idle(b); }

/// Clocks until the device is idle and has been silent for so many cycles. What it says is checked at once.
static bool await_here(struct bench *b, uint64_t silent, uint64_t limit) {
  if (b->moved < bench_cycle(b)) b->moved = bench_cycle(b);
  while (!b->failed && stop_asked() == 0) {
    const uint64_t silence = bench_cycle(b) - b->moved;
    if (silence >= silent && idle(b)) return true;
    if (silence >= limit) {
      scoreboard_report(b->scoreboard, "cycle %" PRIu64 ": nothing has moved for %" PRIu64 " cycles, but the device is not done",
                        bench_cycle(b), limit);
      return false;
    }
    bench_step(b);
  }
  return false;
}

static bool await(struct bench *b, uint64_t silent, uint64_t limit) {
  bench_checked(b);
  b->waiting_here = true;
  const bool done = await_here(b, silent, limit);
  b->waiting_here = false;
  return done;
}

bool bench_drain(struct bench *b, uint64_t limit) { return await(b, 0, limit); }

bool bench_settle(struct bench *b, uint64_t limit) {
  if (!await(b, SILENCE, limit)) return false;
  witness_settled(b->witness);
  return true;
}
