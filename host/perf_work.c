#include "host/perf_work.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "host/perf_common.h"
#include "wire/bytes.h"
#include "wire/reduce.h"

enum { PIECE = 1 << 16 };

static bool has_segments(enum perf_collective c) { return c == PERF_REDUCE_SCATTER || c == PERF_ALL_GATHER; }

size_t perf_round(const struct perf_order *o, size_t bytes) {
  const size_t unit = weir_coll_element(o->type) * (has_segments(o->collective) ? o->config.workers : 1);
  return bytes / unit * unit;
}

double perf_bus_share(enum perf_collective collective, unsigned workers) {
  const double others = (double)(workers - 1) / workers;
  switch (collective) {
    case PERF_ALL_REDUCE: return 2 * others;
    case PERF_REDUCE_SCATTER:
    case PERF_ALL_GATHER: return others;
    default: return 1;
  }
}

int perf_work_open(struct perf_work *w, const struct perf_order *order, struct weir_coll *coll) {
  const size_t most = order->to > 0 ? order->to : 1;
  *w = (struct perf_work){.order = order, .coll = coll, .send = malloc(most), .receive = malloc(most), .expected = malloc(most)};
  bool good = w->send != NULL && w->receive != NULL && w->expected != NULL;
  for (unsigned r = 0; r < order->config.workers; r++) good = (w->rows[r] = malloc(PIECE)) != NULL && good;
  if (!good) return -ENOMEM;
  return order->registered ? weir_coll_reg_mr(coll, w->send, most, &w->memory) : 0;
}

void perf_work_close(struct perf_work *w) {
  if (w->memory != NULL) weir_coll_dereg_mr(w->coll, w->memory);
  free(w->send);
  free(w->receive);
  free(w->expected);
  for (unsigned r = 0; r < w->order->config.workers; r++) free(w->rows[r]);
}

// --- numbers ---

/// What a rank gives: any bits where the device reduces; small whole numbers, whose sums are exact in any order, where the hosts do.
/// `rng` are at the beginning of the tensor, or where a multiple of 8 bytes has ended.
static void fill(const struct perf_work *w, struct rng *rng, size_t bytes, uint8_t *out) {
  static const uint16_t whole16[2][8] = {{0, 0x3C00, 0x4000, 0x4200, 0x4400, 0xBC00, 0xC000, 0xC200},
                                         {0, 0x3F80, 0x4000, 0x4040, 0x4080, 0xBF80, 0xC000, 0xC040}};
  const enum weir_coll_type type = w->order->type;
  if (weir_coll_offloaded(w->coll) || type == WEIR_COLL_INT32) {
    perf_fill(type, rng, bytes, out);
    return;
  }
  const size_t size = weir_coll_element(type);
  for (size_t i = 0; i + size <= bytes; i += size) {
    const unsigned which = rng_below(rng, 8);
    const uint16_t half = whole16[type == WEIR_COLL_FP16 ? 0 : 1][which];
    if (size == 2)
      put_le16(out + i, half);
    else
      put_le32(out + i, (uint32_t)half << 16);
  }
}

static void numbers_of(const struct perf_work *w, unsigned rank, size_t of, size_t bytes, uint8_t *out) {
  struct rng rng = perf_rng(w->order->seed, rank, of);
  fill(w, &rng, bytes, out);
}

/// The result as it should be. The ranks' numbers are made a piece at a time: all together they may be more than there is memory for.
static void expect(struct perf_work *w, size_t bytes) {
  const struct perf_order *o = w->order;
  const unsigned workers = o->config.workers;
  const uint8_t kind = (uint8_t)((o->op == WEIR_COLL_AVERAGE ? 0u : (unsigned)o->op) << 4 | (unsigned)o->type);
  struct rng rng[PERF_MAX_WORKERS];
  const size_t segment = bytes / workers;
  if (o->collective == PERF_BROADCAST) numbers_of(w, o->root, bytes, bytes, w->expected);
  for (unsigned r = 0; o->collective == PERF_ALL_GATHER && r < workers; r++)
    numbers_of(w, r, bytes, segment, w->expected + r * segment);
  if (o->collective == PERF_BROADCAST || o->collective == PERF_ALL_GATHER) return;
  for (unsigned r = 0; r < workers; r++) rng[r] = perf_rng(o->seed, r, bytes);
  for (size_t at = 0; at < bytes; at += PIECE) {
    const size_t len = bytes - at < PIECE ? bytes - at : PIECE;
    for (unsigned r = 0; r < workers; r++) fill(w, &rng[r], len, w->rows[r]);
    ina_reduce(kind, (const uint8_t *const *)w->rows, workers, len, w->expected + at);
    if (o->op == WEIR_COLL_AVERAGE) ina_divide(kind, w->expected + at, len, workers);
  }
}

// --- one collective ---

/// Buffers of one: what is given, and where the result comes.
struct perf_place {
  uint8_t *give, *take;
  size_t taken;   ///< bytes of the result on this host
  const uint8_t *wanted;
};

static struct perf_place place_of(const struct perf_work *w, size_t bytes, bool in_place) {
  const struct perf_order *o = w->order;
  const unsigned rank = o->config.rank;
  const size_t segment = bytes / o->config.workers;
  struct perf_place p = {.give = w->send, .take = in_place ? w->send : w->receive, .taken = bytes, .wanted = w->expected};
  switch (o->collective) {
    case PERF_REDUCE: p.taken = rank == o->root ? bytes : 0; break;
    case PERF_BROADCAST: p.take = w->send; break;
    case PERF_REDUCE_SCATTER:
      p.take = in_place ? w->send + rank * segment : w->receive;
      p.taken = segment;
      p.wanted += rank * segment;
      break;
    case PERF_ALL_GATHER:
      if (in_place) p.give = w->send + rank * segment;
      break;
    default: break;
  }
  return p;
}

static int begin(struct perf_work *w, const struct perf_place *p, size_t bytes, struct weir_coll_request **out) {
  const struct perf_order *o = w->order;
  const size_t count = bytes / weir_coll_element(o->type);
  const unsigned workers = o->config.workers;
  switch (o->collective) {
    case PERF_REDUCE: return weir_coll_ireduce(w->coll, p->give, p->take, count, o->type, o->op, o->root, w->memory, out);
    case PERF_BROADCAST: return weir_coll_ibroadcast(w->coll, p->take, bytes, o->root, out);
    case PERF_REDUCE_SCATTER:
      return weir_coll_ireduce_scatter(w->coll, p->give, p->take, count / workers, o->type, o->op, w->memory, out);
    case PERF_ALL_GATHER: return weir_coll_iall_gather(w->coll, p->give, p->take, bytes / workers, out);
    case PERF_BARRIER: return weir_coll_ibarrier(w->coll, out);
    default: return weir_coll_iallreduce(w->coll, p->give, p->take, count, o->type, o->op, w->memory, out);
  }
}

/// From a common start. Its time, or a negative errno.
static double do_once(struct perf_work *w, const struct perf_place *p, size_t bytes) {
  const struct perf_order *o = w->order;
  struct weir_coll_request *request;
  bool done = false;
  const size_t given = o->collective == PERF_ALL_GATHER ? bytes / o->config.workers : bytes;
  memset(w->receive, 0, bytes);
  if (o->collective == PERF_ALL_GATHER) memset(p->take, 0, bytes);
  numbers_of(w, o->config.rank, bytes, given, p->give);
  int code = weir_coll_barrier(w->coll);
  const double start = clock_seconds();
  if (code == 0) code = begin(w, p, bytes, &request);
  while (code == 0 && !done) code = weir_coll_test(w->coll, request, &done);
  return code == 0 ? (clock_seconds() - start) * 1e6 : code;
}

static size_t count_wrong(const struct perf_work *w, const struct perf_place *p) {
  const size_t size = weir_coll_element(w->order->type);
  size_t wrong = 0;
  if (!w->order->checked || w->order->collective == PERF_BARRIER) return 0;
  for (size_t i = 0; i < p->taken; i += size) wrong += memcmp(p->take + i, p->wanted + i, size) != 0;
  return wrong;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/// The nearest rank: the least time that so large a share of all does not exceed.
static double percentile(const double *sorted, unsigned count, unsigned percent) {
  return sorted[(count * percent + 99) / 100 > 0 ? (count * percent + 99) / 100 - 1 : 0];
}

int perf_work_do(struct perf_work *w, size_t bytes, bool in_place, struct perf_times *t) {
  const struct perf_order *o = w->order;
  const struct perf_place p = place_of(w, bytes, in_place);
  double *times = calloc(o->repeats + 1, sizeof *times), sum = 0;
  int code = times != NULL ? 0 : -ENOMEM;
  *t = (struct perf_times){0};
  if (code == 0 && o->checked) expect(w, bytes);
  for (unsigned i = 0; code == 0 && i < o->warm_up + o->repeats; i++) {
    const double us = do_once(w, &p, bytes);
    if (us < 0) {
      code = (int)us;
      break;
    }
    if (i >= o->warm_up) sum += times[i - o->warm_up] = us;
    t->wrong += count_wrong(w, &p);
  }
  if (code == 0 && o->repeats > 0) {
    qsort(times, o->repeats, sizeof *times, by_size);
    t->mean = sum / o->repeats;
    t->least = times[0];
    t->p50 = percentile(times, o->repeats, 50);
    t->p99 = percentile(times, o->repeats, 99);
    t->most = times[o->repeats - 1];
  }
  free(times);
  return code;
}
