#include "sim/gather/gather_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stop.h"
#include "base/rng.h"
#include "sim/engine/world/ranks.h"

enum { WINDOW = 64 };   // consecutive PRs of NetSparse's Table 4
/// Cycles between two looks of the control plane at whether all nodes are done. Then the next tile begins, whatever is still under way.
enum { BARRIER = 1024 };

struct gather_run {
  struct gather_run_options o;
  struct gather_partition rows, columns;
  uint32_t nodes;
  uint32_t at;           // first element of the tile; `k`: all are done
  uint32_t iteration;    // 0 is the first
  uint16_t generation;   // of the tile
  uint64_t began;        // cycle of the tile
  uint64_t look;         // cycle of the next look at whether it is done
  float *x;              // all of X, for direct computing
  float *y;              // all of Y so far, the next X; NULL if there is none
  struct gather_memory *memories;
  struct gather_fabric *fabric;
  bool faulty;   // a device has said what is wrong
  struct gather_result result;
};

static void fail(struct gather_run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fail(struct gather_run *r, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  findings_addv(&r->result.mismatches, format, arguments);
  va_end(arguments);
}

static uint32_t tile_size(const struct gather_run *r) { return r->o.k - r->at < r->o.tile ? r->o.k - r->at : r->o.tile; }

// --- the network ---

static void tap(void *user, uint64_t now, uint32_t node, const struct gather_packet *p) {
  struct gather_run *r = user;
  struct gather_header h;
  gather_check(p->data, p->len, &h);
  r->result.packed[h.count < GATHER_PACKED ? h.count : GATHER_PACKED]++;
  r->result.packed_packets++;
  r->result.packed_prs += h.count;
  if (r->o.writer == NULL) return;
  struct gather_ends ends = {.psn = (uint32_t)r->result.packed_packets};
  uint8_t frame[GATHER_MAX_FRAME];
  gather_address(p->maker, ends.src_mac, ends.src_ip);
  gather_address(node, ends.dst_mac, ends.dst_ip);
  const size_t size = gather_build(&ends, p->data, p->len, frame, sizeof frame);
  if (size == 0) abort();   // no packet is longer than the MTU
  capture_writer_put(r->o.writer, node, (uint64_t)((double)now * 1000 / r->o.fabric.mhz), frame, size);
}

/// What a bit of the filter promises, whenever it is set or a host counts on it: the property is there, and of this generation.
static void check_property(void *user, uint32_t node, uint64_t idx) {
  struct gather_run *r = user;
  const uint8_t *here = gather_memory_at(&r->memories[node], idx);
  r->result.promises++;
  if (memcmp(here, r->x + idx * r->o.k + r->at, r->memories[node].len) == 0) return;
  fail(r, "node %" PRIu32 ", cycle %" PRIu64 ": property %" PRIu64 " is promised, and not there", node,
       gather_fabric_now(r->fabric), idx);
}

/// Gives each node its part of X's tile and its nonzeros; after a signal that asks to stop, less. False if out of memory.
static bool begin_tile(struct gather_run *r) {
  const uint32_t len = 4 * tile_size(r);
  const struct matrix *m = r->o.matrix;
  r->generation = (uint16_t)(r->generation + 1);
  gather_fabric_invalidate(r->fabric, r->generation, len);
  r->began = gather_fabric_now(r->fabric);
  for (uint32_t n = 0; n < r->nodes; n++) {
    struct gather_memory *memory = &r->memories[n];
    if (!gather_fabric_owns(r->fabric, n)) continue;
    gather_memory_free(memory);
    if (!gather_memory_init(memory, &r->columns, n, len)) return false;
    memory->generation = r->generation;
    memory->check = check_property;
    memory->user = r;
    const uint64_t end = gather_first(&r->columns, n + 1);
    for (uint64_t c = gather_first(&r->columns, n); c < end && stop_asked() == 0; c++)
      memcpy(gather_memory_at(memory, c), r->x + c * r->o.k + r->at, len);
    const size_t from = m->first[gather_first(&r->rows, n)], to = m->first[gather_first(&r->rows, n + 1)];
    gather_fabric_begin(r->fabric, n, m->column + from, to - from, r->o.batch);
  }
  return true;
}

/// Elements of a row of Y, from rows of X that are `stride` apart. `value` are the matrix's, or their imaginary parts.
static void multiply(const struct matrix *m, const float *value, uint64_t row, const float *x, size_t stride, uint32_t size,
                     float *y) {
  memset(y, 0, size * sizeof *y);
  for (size_t i = m->first[row]; i < m->first[row + 1]; i++)
    for (uint32_t e = 0; e < size; e++) y[e] += value[i] * x[m->column[i] * stride + e];
}

/// Whether a node can compute a row: it lives, and has all properties that its host asked for.
static bool answered(const struct gather_run *r, uint32_t node, uint64_t row) {
  const struct matrix *m = r->o.matrix;
  const size_t first = m->first[gather_first(&r->rows, node)];
  if (gather_fabric_dead(r->fabric, node)) return false;
  for (size_t i = m->first[row]; i < m->first[row + 1]; i++)
    if (!gather_node_has(gather_fabric_node(r->fabric, node), i - first)) return false;
  return true;
}

/// Each row of the tile of Y, from what its node has gathered and directly, until a signal asks to stop. With more iterations to come a process
/// computes other processes' rows, too.
static void compare(struct gather_run *r) {
  const struct matrix *m = r->o.matrix;
  const uint32_t size = tile_size(r);
  const float *const parts[] = {m->value, m->imaginary};
  float *got = need(malloc(2 * (size_t)size * sizeof *got)), *wanted = got + size;
  for (uint32_t n = 0; n < r->nodes; n++) {
    const bool own = gather_fabric_owns(r->fabric, n);
    if (!own && r->y == NULL) continue;
    const float *memory = (const float *)(const void *)r->memories[n].properties;
    const uint64_t end = gather_first(&r->rows, n + 1);
    for (uint64_t row = gather_first(&r->rows, n); row < end && stop_asked() == 0; row++) {
      const bool refused = own && !answered(r, n, row);
      r->result.refused += refused;
      for (unsigned p = 0; p < 2 && parts[p] != NULL; p++) {
        multiply(m, parts[p], row, r->x + r->at, r->o.k, size, wanted);
        if (r->y != NULL) memcpy(r->y + row * r->o.k + r->at, wanted, size * sizeof *wanted);
        if (!own || refused) continue;
        multiply(m, parts[p], row, memory, size, size, got);
        r->result.compared += size;
        uint32_t e = 0;
        while (e < size && memcmp(&got[e], &wanted[e], sizeof *got) == 0) e++;
        if (e < size)
          fail(r, "node %" PRIu32 ", row %" PRIu64 ", element %" PRIu32 ": %.9g instead of %.9g", n, row + 1, r->at + e,
               (double)got[e], (double)wanted[e]);
      }
    }
  }
  free(got);
}

/// What is wrong in a device comes before all that follows from it, and once.
static void tell_fault(struct gather_run *r) {
  const char *fault = r->faulty ? NULL : gather_fabric_fault(r->fabric);
  if (fault == NULL) return;
  r->faulty = true;
  fail(r, "%s", fault);
}

static void end_tile(struct gather_run *r) {
  uint64_t last = r->began, sum = 0;
  for (uint32_t n = 0; n < r->nodes; n++) {
    if (!gather_fabric_owns(r->fabric, n)) continue;
    const uint64_t finished = gather_node_finished(gather_fabric_node(r->fabric, n));
    if (finished > last) last = finished;
    sum += finished - r->began;
  }
  ranks_most(&last, 1);
  ranks_sum(&sum, 1);
  r->result.cycles += last - r->began;
  r->result.mean_finished += sum / r->nodes;
  compare(r);
  r->at += tile_size(r);
}

/// Y becomes X, scaled by a power of two so that its largest element is below 1.
static void next_iteration(struct gather_run *r) {
  const size_t elements = (size_t)r->o.matrix->columns * r->o.k;
  float *const old = r->x;
  float largest = 0;
  for (size_t i = 0; i < elements; i++) largest = fmaxf(largest, fabsf(r->y[i]));
  int exponent;
  frexpf(largest, &exponent);
  for (size_t i = 0; i < elements; i++) r->y[i] = ldexpf(r->y[i], -exponent);
  r->x = r->y;
  r->y = old;
  r->at = 0;
  r->iteration++;
}

uint32_t gather_run_left(const struct gather_run *r) {
  uint32_t left = 0;
  for (uint32_t n = 0; n < r->nodes; n++)
    left += gather_fabric_owns(r->fabric, n) && !gather_fabric_dead(r->fabric, n) && !gather_node_done(gather_fabric_node(r->fabric, n));
  return left;
}

// All processes stop when one is asked to.
static bool stopped(void) { return ranks_least(stop_asked() != 0 ? 0 : 1) == 0; }

bool gather_run_step(struct gather_run *r) {
  if (stopped()) return false;
  // At the end what is still under way comes to its end.
  if (r->at >= r->o.k) return gather_fabric_step(r->fabric, WORLD_END);
  const bool more = gather_fabric_step(r->fabric, r->look);
  if (more && !gather_fabric_paused(r->fabric)) return true;
  uint64_t left = gather_run_left(r);
  ranks_sum(&left, 1);
  r->look = gather_fabric_now(r->fabric) + BARRIER;
  if (left > 0) return more;   // or nothing moves any more, and this tile never will be done
  end_tile(r);
  // Of an X with rows that nobody has there is no next product.
  if (r->at >= r->o.k && r->iteration + 1 < r->o.iterations && r->result.refused == 0) next_iteration(r);
  if (r->at < r->o.k && !begin_tile(r)) abort();   // the one before was as large
  return true;
}

uint64_t gather_run_now(const struct gather_run *r) { return gather_fabric_now(r->fabric); }

// --- set up ---

static bool allocate(struct gather_run *r) {
  const struct matrix *m = r->o.matrix;
  const size_t elements = (size_t)m->columns * r->o.k;
  r->x = malloc(elements * sizeof *r->x);
  r->memories = calloc(r->nodes, sizeof *r->memories);
  r->result.received = calloc(r->nodes, sizeof *r->result.received);
  r->result.silent = calloc(r->nodes, sizeof *r->result.silent);
  if (r->o.iterations > 1) r->y = malloc(elements * sizeof *r->y);
  if (r->o.iterations > 1 && r->y == NULL) return false;
  r->look = BARRIER;
  if (r->x == NULL || r->memories == NULL || r->result.received == NULL || r->result.silent == NULL) return false;
  struct rng d = rng_for(r->o.seed, 0x58);
  for (size_t i = 0; i < elements && (i % 65536 != 0 || stop_asked() == 0); i++)
    r->x[i] = (float)rng_from(&d, 0, 2000000) / 1000000 - 1;
  r->fabric = gather_fabric_new(&r->o.fabric, r->memories);
  return r->fabric != NULL && begin_tile(r);
}

struct gather_run *gather_run_open(const struct gather_run_options *options, char *error, size_t size) {
  struct gather_run *r = calloc(1, sizeof *r);
  if (r != NULL) {
    r->o = *options;
    r->nodes = options->fabric.topology.nodes;
    r->rows = (struct gather_partition){options->matrix->rows, r->nodes};
    r->columns = (struct gather_partition){options->matrix->columns, r->nodes};
    r->o.fabric.tap = tap;
    r->o.fabric.user = r;
  }
  if (r == NULL || !allocate(r)) {
    snprintf(error, size, "out of memory: %" PRIu32 " nodes with %" PRIu32 " properties of %" PRIu32 " bytes each",
             options->fabric.topology.nodes, options->matrix->columns, 4 * options->k);
    gather_run_close(r);
    return NULL;
  }
  return r;
}

void gather_run_close(struct gather_run *r) {
  if (r == NULL) return;
  gather_fabric_free(r->fabric);
  for (uint32_t n = 0; r->memories != NULL && n < r->nodes; n++) gather_memory_free(&r->memories[n]);
  free(r->memories);
  free(r->x);
  free(r->y);
  free(r->result.received);
  free(r->result.silent);
  free(r);
}

// --- checks ---

/// What the matrix alone says: wanted properties, baselines, locality.
static void survey(struct gather_run *r) {
  const struct matrix *m = r->o.matrix;
  const struct gather_topology *t = &r->o.fabric.topology;
  struct gather_result *s = &r->result;
  const uint64_t len = 4 * (uint64_t)r->o.k, times = r->o.iterations;
  const uint64_t alone =
      gather_frame_bytes(GATHER_CONCAT_BYTES + GATHER_PR_BYTES) + gather_frame_bytes(GATHER_CONCAT_BYTES + GATHER_PR_BYTES + len);
  uint64_t windows = 0, different = 0;
  uint32_t *seen = need(calloc(m->columns, sizeof *seen)), *window = need(calloc(r->nodes, sizeof *window));
  for (uint32_t n = 0; n < r->nodes; n++) {
    uint64_t in_window = 0, names = 0;
    for (size_t i = m->first[gather_first(&r->rows, n)]; i < m->first[gather_first(&r->rows, n + 1)]; i++) {
      const uint32_t owner = gather_owner(&r->columns, m->column[i]);
      if (owner == n) continue;
      s->wanted++;
      s->bytes_sa += times * gather_hops(t, n, owner) * alone;
      s->needed += seen[m->column[i]] != n + 1;
      seen[m->column[i]] = n + 1;
      if (window[owner] != windows + 1) {
        window[owner] = (uint32_t)windows + 1;
        names++;
      }
      if (++in_window < WINDOW) continue;
      different += names;
      windows++;
      in_window = names = 0;
    }
    if (in_window > 0) memset(window, 0, r->nodes * sizeof *window);   // one that is not complete does not count
    for (uint32_t home = 0; home < r->nodes; home++) {
      const uint64_t columns = gather_first(&r->columns, home + 1) - gather_first(&r->columns, home);
      s->bytes_su += times * gather_hops(t, n, home) * columns * len;
    }
    const uint64_t own = gather_first(&r->columns, n + 1) - gather_first(&r->columns, n);
    if (times * (m->columns - own) * len > s->tail_su) s->tail_su = times * (m->columns - own) * len;
  }
  s->locality = windows > 0 ? (double)different / (double)windows : 0;
  free(seen);
  free(window);
}

/// Whom a host blames for batches that it has given up must have died; else they need not have failed.
static void add_silent(struct gather_run *r, uint32_t node, uint64_t given_up) {
  const struct gather_node *n = gather_fabric_node(r->fabric, node);
  bool explained = false, wrong = false;
  for (uint32_t s = gather_node_silent(n, 0); s != UINT32_MAX; s = gather_node_silent(n, s + 1)) {
    r->result.silent[s]++;
    explained = true;
    wrong = wrong || !gather_fabric_dead(r->fabric, s);
  }
  if (given_up > 0 && (wrong || !explained))
    fail(r, "node %" PRIu32 ": %" PRIu64 " batches failed each time they were tried", node, given_up);
}

static void add_nodes(struct gather_run *r) {
  struct gather_result *s = &r->result;
  for (uint32_t n = 0; n < r->nodes; n++) {
    if (!gather_fabric_owns(r->fabric, n)) continue;
    const struct gather_node_counts c = gather_node_counts(gather_fabric_node(r->fabric, n));
    gather_rig_add(&s->rig, &c.nic.rig);
    gather_concat_add(&s->nic, &c.nic.concat);
    s->served += c.nic.served;
    s->strays += c.nic.strays;
    s->older += c.nic.older;
    s->given_up += c.given_up;
    if (c.broken > 0) fail(r, "node %" PRIu32 ": %" PRIu64 " times a batch that had ended well lacked a property", n, c.broken);
    const struct gather_received got = gather_fabric_received(r->fabric, n);
    s->received[n] = got.bytes;
    if (gather_fabric_dead(r->fabric, n)) continue;
    if (!gather_node_done(gather_fabric_node(r->fabric, n))) fail(r, "node %" PRIu32 " never has all that it wants", n);
    add_silent(r, n, c.given_up);
  }
}

// The node that received most, of all processes.
static void find_tail(struct gather_run *r) {
  struct gather_result *s = &r->result;
  uint32_t tail = 0;
  ranks_sum(s->received, r->nodes);
  for (uint32_t n = 1; n < r->nodes; n++)
    if (s->received[n] > s->received[tail]) tail = n;
  s->tail_bytes = s->received[tail];
  s->tail_properties = gather_fabric_received(r->fabric, tail).property_bytes;
  ranks_sum(&s->tail_properties, 1);
}

#define WORDS(of) (sizeof(of) / sizeof(uint64_t))

// What each process counted, together. The highest of all stay of what is a highest.
static void share(struct gather_result *s, const struct world *w) {
  struct gather_concat_counts *const concats[] = {&s->nic, &s->fabric.tors.concat};
  struct gather_fabric_counts *f = &s->fabric;
  uint64_t most[] = {f->most_backlog, s->nic.latest, f->tors.concat.latest};
  ranks_most(most, WORDS(most));
  f->most_backlog = most[0];
  for (unsigned i = 0; i < 2; i++) {
    struct gather_concat_counts *c = concats[i];
    uint64_t *const sums[] = {&c->prs,       &c->packets,      &c->full,         &c->expired,
                              &c->other_len, &c->pool_flushes, &c->waits_expiry, &c->waits_pool};
    for (unsigned n = 0; n < sizeof sums / sizeof *sums; n++) ranks_sum(sums[n], 1);
    c->latest = most[1 + i];
  }
  uint64_t *const sums[] = {&f->packets,        &f->bytes,          &f->header_bytes,   &f->prs,        &f->lost,    &f->held,
                            &f->tors.forwarded, &f->tors.malformed, &f->tors.clocked,   &s->served,     &s->strays,  &s->given_up,
                            &s->older,          &s->promises,       &s->packed_packets, &s->packed_prs, &s->compared};
  for (unsigned n = 0; n < sizeof sums / sizeof *sums; n++) ranks_sum(sums[n], 1);
  ranks_sum((uint64_t *)&s->rig, WORDS(s->rig));
  ranks_sum((uint64_t *)&f->tors.cache, WORDS(f->tors.cache));
  ranks_sum(s->packed, WORDS(s->packed));
  s->events = world_events(w);
  s->hash = world_hash(w);
  ranks_sum(&s->events, 1);
  ranks_sum(&s->hash, 1);
}

const struct gather_result *gather_run_finish(struct gather_run *r) {
  struct gather_result *s = &r->result;
  survey(r);
  tell_fault(r);
  add_nodes(r);
  s->fabric = gather_fabric_counts(r->fabric);
  s->older += s->fabric.tors.older;
  share(s, gather_fabric_world(r->fabric));
  find_tail(r);
  if (!gather_fabric_balanced(r->fabric)) fail(r, "a switch lost, doubled or kept a PR");
  if (s->strays + s->fabric.tors.malformed > 0)
    fail(r, "%" PRIu64 " PRs or packets went astray", s->strays + s->fabric.tors.malformed);
  if (r->o.fabric.dies < r->nodes && !gather_fabric_dead(r->fabric, r->o.fabric.dies))
    fail(r, "node %" PRIu32 " was to die, but all had ended before", r->o.fabric.dies);
  if ((r->o.fabric.lose > 0 && s->fabric.lost == 0) || (r->o.fabric.hold > 0 && s->fabric.held == 0))
    fail(r, "a packet was to be lost or held, but there were only %" PRIu64, s->fabric.packets);
  const struct gather_rig_counts *c = &s->rig;
  const uint64_t tiles = (uint64_t)r->o.iterations * ((r->o.k + r->o.tile - 1) / r->o.tile);
  if (c->wanted != c->filtered + c->coalesced + c->sent || (c->failures == 0 && s->refused == 0 && c->wanted != tiles * s->wanted))
    fail(r, "%" PRIu64 " properties wanted, but %" PRIu64 " filtered, %" PRIu64 " coalesced, %" PRIu64 " asked for", c->wanted,
         c->filtered, c->coalesced, c->sent);
  if (c->failures == 0 && s->refused == 0 && c->written != c->sent)
    fail(r, "%" PRIu64 " properties asked for, %" PRIu64 " written", c->sent, c->written);
  uint64_t wrong = s->mismatches.count;
  ranks_most(&wrong, 1);
  if (wrong > 0 && s->mismatches.count == 0) fail(r, "another process found what is wrong");
  return s;
}
