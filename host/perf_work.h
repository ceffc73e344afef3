/// What weir_perf does: one collective at a time, measured from a common start, and checked element by element.
#ifndef WEIR_HOST_PERF_WORK_H
#define WEIR_HOST_PERF_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/weir/coll.h"

enum { PERF_MAX_WORKERS = 256 };

enum perf_collective {
  PERF_ALL_REDUCE,
  PERF_REDUCE,
  PERF_BROADCAST,
  PERF_REDUCE_SCATTER,
  PERF_ALL_GATHER,
  PERF_BARRIER,
  PERF_COLLECTIVES
};

/// What is asked for.
struct perf_order {
  struct weir_coll_config config;
  size_t from, to;   ///< bytes
  unsigned repeats, warm_up, root;
  enum perf_collective collective;
  enum weir_coll_type type;
  enum weir_coll_op op;
  bool out_of_place, in_place;   ///< which columns
  bool registered, checked;
  uint64_t seed;
};

struct perf_work {
  const struct perf_order *order;
  struct weir_coll *coll;
  struct weir_coll_memory *memory;
  uint8_t *send, *receive, *expected;
  uint8_t *rows[PERF_MAX_WORKERS];   ///< a piece of what each rank gives
};

/// Times of one size, in microseconds, of this host.
struct perf_times {
  double mean, least, p50, p99, most;
  size_t wrong;   ///< elements
};

/// Bytes that a size is rounded to: whole elements, of each host's segment if there are segments.
size_t perf_round(const struct perf_order *o, size_t bytes);
/// Room for all of `order`. 0, or a negative errno if there is none, or it cannot be registered; perf_work_close is due in both cases.
int perf_work_open(struct perf_work *w, const struct perf_order *order, struct weir_coll *coll);
void perf_work_close(struct perf_work *w);
/// One size, so often as asked for. 0, or a negative errno.
int perf_work_do(struct perf_work *w, size_t bytes, bool in_place, struct perf_times *times);
/// What of a size's bytes goes over each host's cable, as nccl-tests counts it: the factor from algorithm bandwidth to bus bandwidth.
double perf_bus_share(enum perf_collective collective, unsigned workers);

#endif
