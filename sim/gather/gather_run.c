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
#include "sim/gather/gather_state.h"

/// Cycles between two looks of the control plane at whether all nodes are done. Then the next tile begins, whatever is still under way.
enum { BARRIER = 1024 };

void gather_run_fail(struct gather_run *r, const char *format, ...) {
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
  gather_run_fail(r, "node %" PRIu32 ", cycle %" PRIu64 ": property %" PRIu64 " is promised, and not there", node,
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
    gather_fabric_begin(r->fabric, n, gather_run_columns(r) + from, to - from, r->o.batch);
  }
  return true;
}

/// Elements of a row of Y, from a node's memory or, if that is NULL, from X. `value` are the matrix's, or their imaginary parts.
static void multiply(struct gather_run *r, const float *value, uint64_t row, struct gather_memory *memory, float *y) {
  const struct matrix *m = r->o.matrix;
  const uint32_t size = tile_size(r);
  memset(y, 0, size * sizeof *y);
  for (size_t i = m->first[row]; i < m->first[row + 1]; i++) {
    const uint64_t column = m->column[i];
    const float *x =
        memory != NULL ? (const float *)(const void *)gather_memory_at(memory, column) : r->x + column * r->o.k + r->at;
    for (uint32_t e = 0; e < size; e++) y[e] += value[i] * x[e];
  }
}

/// First row of the panel of a node that a row is in; of the last row and one, the end.
static uint64_t panel_of(const struct gather_run *r, uint32_t node, uint64_t row) {
  const uint64_t first = gather_first(&r->rows, node), end = gather_first(&r->rows, node + 1);
  const uint64_t panel = first + (row - first) / r->o.panel * r->o.panel;
  return panel < end ? panel : end;
}

/// Whether a node can compute a row: it lives, and has all properties that its host asked for with the row's panel.
static bool answered(const struct gather_run *r, uint32_t node, uint64_t row) {
  const struct matrix *m = r->o.matrix;
  const size_t first = m->first[gather_first(&r->rows, node)];
  if (gather_fabric_dead(r->fabric, node)) return false;
  const uint64_t panel = panel_of(r, node, row);
  for (size_t i = m->first[panel]; i < m->first[panel_of(r, node, panel + r->o.panel)]; i += r->o.batch)
    if (!gather_node_has(gather_fabric_node(r->fabric, node), i - first)) return false;
  const size_t end = m->first[panel_of(r, node, panel + r->o.panel)];
  return end == m->first[panel] || gather_node_has(gather_fabric_node(r->fabric, node), end - 1 - first);
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
    const uint64_t end = gather_first(&r->rows, n + 1);
    for (uint64_t row = gather_first(&r->rows, n); row < end && stop_asked() == 0; row++) {
      const bool refused = own && !answered(r, n, row);
      r->result.refused += refused;
      for (unsigned p = 0; p < 2 && parts[p] != NULL; p++) {
        multiply(r, parts[p], row, NULL, wanted);
        if (r->y != NULL) memcpy(r->y + row * r->o.k + r->at, wanted, size * sizeof *wanted);
        if (!own || refused) continue;
        multiply(r, parts[p], row, &r->memories[n], got);
        r->result.compared += size;
        uint32_t e = 0;
        while (e < size && memcmp(&got[e], &wanted[e], sizeof *got) == 0) e++;
        if (e < size)
          gather_run_fail(r, "node %" PRIu32 ", row %" PRIu64 ", element %" PRIu32 ": %.9g instead of %.9g", n, row + 1,
                          r->at + e, (double)got[e], (double)wanted[e]);
      }
    }
  }
  free(got);
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
    left += gather_fabric_owns(r->fabric, n) && !gather_fabric_dead(r->fabric, n) &&
            !gather_node_done(gather_fabric_node(r->fabric, n));
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

static int by_number(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

/// Puts the nonzeros of each node in the order in which it reads them. False if out of memory.
static bool order_panels(struct gather_run *r) {
  const struct matrix *m = r->o.matrix;
  if (r->o.panel == 1) return true;
  r->panels = malloc((m->count + 1) * sizeof *r->panels);
  if (r->panels == NULL) return false;
  memcpy(r->panels, m->column, m->count * sizeof *r->panels);
  for (uint32_t n = 0; n < r->nodes && stop_asked() == 0; n++) {
    const uint64_t end = gather_first(&r->rows, n + 1);
    for (uint64_t row = gather_first(&r->rows, n); row < end; row += r->o.panel) {
      const size_t from = m->first[row], to = m->first[row + r->o.panel < end ? row + r->o.panel : end];
      qsort(r->panels + from, to - from, sizeof *r->panels, by_number);
    }
  }
  return true;
}

static bool allocate(struct gather_run *r) {
  const struct matrix *m = r->o.matrix;
  const size_t elements = (size_t)m->columns * r->o.k;
  r->x = malloc(elements * sizeof *r->x);
  r->memories = calloc(r->nodes, sizeof *r->memories);
  r->result.received = calloc(r->nodes, sizeof *r->result.received);
  r->result.finished = calloc(r->nodes, sizeof *r->result.finished);
  r->result.silent = calloc(r->nodes, sizeof *r->result.silent);
  if (r->o.iterations > 1) r->y = malloc(elements * sizeof *r->y);
  if (r->o.iterations > 1 && r->y == NULL) return false;
  r->look = BARRIER;
  if (r->x == NULL || r->memories == NULL || r->result.received == NULL || r->result.finished == NULL || r->result.silent == NULL)
    return false;
  struct rng d = rng_for(r->o.seed, 0x58);
  for (size_t i = 0; i < elements && (i % 65536 != 0 || stop_asked() == 0); i++)
    r->x[i] = (float)rng_from(&d, 0, 2000000) / 1000000 - 1;
  r->fabric = gather_fabric_new(&r->o.fabric, r->memories);
  return r->fabric != NULL && order_panels(r) && begin_tile(r);
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
  free(r->panels);
  free(r->x);
  free(r->y);
  free(r->result.received);
  free(r->result.finished);
  free(r->result.silent);
  free(r);
}
