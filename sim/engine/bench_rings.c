// Rings of a bench that come and go while the device runs, and what registers say of them.
#include <errno.h>
#include <inttypes.h>
#include <limits.h>

#include "sim/engine/bench_state.h"

static struct model *model_of(const struct bench *b) { return scoreboard_model(b->scoreboard); }

int bench_begin_ring(struct bench *b, unsigned index, const struct drive_ring *ring) {
  const struct model_ring as = {
      .id = ring->id, .workers = ring->workers, .window = ring->window, .stride = ring->stride, .learn = ring->learn};
  const int result = drive_set_ring(b->drive, index, ring);
  if (result != 0) return result;
  scoreboard_ring_anew(b->scoreboard, index);
  const struct refinement_ring followed = {.workers = ring->workers, .window = ring->window, .stride = ring->stride};
  refinement_set_ring(b->refinement, index, &followed);
  return model_set_ring(model_of(b), index, &as);
}

int bench_end_ring(struct bench *b, unsigned index, const struct drive_ring *ring, enum bench_end end) {
  struct drive_ring off = *ring;
  off.enable = false;
  b->ending = index;
  const int result = drive_change_ring(b->drive, index, &off, end == BENCH_RELEASE);
  b->ending = UINT_MAX;
  return result;
}

int bench_clear_ring(struct bench *b, unsigned index, enum bench_end end) {
  return end == BENCH_RELEASE ? drive_release_ring(b->drive, index) : drive_flush_ring(b->drive, index);
}

void bench_ring_closes(struct bench *b) {
  const unsigned ring = b->ending;
  if (!b->draining) return;
  scoreboard_closed(b->scoreboard);
  if (b->forced || model_owed_of(model_of(b), ring) == 0) return;
  scoreboard_report(b->scoreboard, "cycle %" PRIu64 ": ring %u is drained and flushed, and %zu results are owed", bench_cycle(b),
                    ring, model_owed_of(model_of(b), ring));
}

int bench_drain_ring(struct bench *b, unsigned index, enum bench_end end, unsigned patience, bool *forced) {
  b->ending = index;
  b->draining = true;
  b->forced = false;
  scoreboard_closing(b->scoreboard, index);
  const int result = drive_drain_ring(b->drive, index, end == BENCH_RELEASE, patience, &b->forced);
  *forced = b->forced;
  scoreboard_closed(b->scoreboard);
  b->ending = UINT_MAX;
  b->draining = false;
  return result;
}

int bench_soft_reset(struct bench *b) {
  b->resetting = true;
  const int result = drive_soft_reset(b->drive);
  b->resetting = false;
  return result;
}

int bench_release_retired(struct bench *b) {
  unsigned count = 0;
  for (unsigned entry = 0; entry < b->config->conns; entry++) {
    const int result = drive_release_entry(b->drive, entry);
    if (result != 0 && result != -EINVAL) return result;
    count += result == 0;
  }
  const unsigned expected = model_release_retired(model_of(b));
  if (count != expected)
    scoreboard_report(b->scoreboard, "cycle %" PRIu64 ": %u retired connections could be released, expected %u", bench_cycle(b),
                      count, expected);
  return (int)count;
}

int bench_open_ports(struct bench *b, bool open) {
  const int result = drive_set_open(b->drive, open ? (1u << b->config->ports) - 1 : 0);
  for (unsigned p = 0; p < b->config->ports; p++) model_set_open(model_of(b), p, open);
  return result;
}

int bench_set_age_limit(struct bench *b, uint32_t units) { return drive_set_age_limit(b->drive, units); }
uint64_t bench_aged(const struct bench *b) { return b->aged; }

int bench_set_down(struct bench *b, uint32_t ports) {
  b->cut |= ports | b->down;
  b->down |= ports;
  const int result = drive_set_down(b->drive, ports);
  b->down = ports;
  return result;
}

int bench_occupancy(struct bench *b, struct bench_occupancy *out) {
  *out = (struct bench_occupancy){.columns = 0};
  int result = drive_columns(b->drive, &out->columns);
  if (result == 0) result = drive_connections(b->drive, &out->connections, &out->retired);
  if (result == 0) result = drive_stalls(b->drive, &out->stalls);
  for (unsigned r = 0; result == 0 && r < b->config->rings; r++) {
    bool enabled = false;
    uint32_t ranks = 0, units;
    result = drive_ring_enabled(b->drive, r, &enabled);
    if (result == 0) result = drive_waits(b->drive, r, &ranks, &units);
    out->rings += enabled;
    out->waits |= (uint32_t)(ranks != 0) << r;
  }
  return result;
}

bool bench_undecided_of(const struct bench *b, bool (*match)(const void *user, const uint8_t *frame, size_t len),
                        const void *user) {
  return scoreboard_undecided(b->scoreboard, match, user);
}

struct drive *bench_registers(struct bench *b) {
  return b->drive;
}
