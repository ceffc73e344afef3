/// Several sizes of a vector, one run each: what came of them, to people and as JSON.
#ifndef WEIR_SIM_TREE_SWEEP_H
#define WEIR_SIM_TREE_SWEEP_H

#include <stdio.h>

#include "sim/tree/tree_report.h"

/// From 4 bytes to 256 MB, doubled, and the last one.
enum { TREE_SWEEP_MOST = 28 };

struct tree_point {
  uint32_t size;   ///< bytes
  bool streams;
  double operation_us, lock_us, gbps;
  uint64_t compared;
  size_t mismatches;
};

struct tree_sweep {
  const struct tree_options *options;
  struct tree_point points[TREE_SWEEP_MOST];
  size_t count;
  size_t mismatches;
  const char *again;   ///< the command line once more
};

/// Adds what a run came to, and prints its line; the first one has the setting above it.
void tree_sweep_add(struct tree_sweep *s, FILE *file, const struct tree_report_of *r);
/// The verdict.
void tree_sweep_end(FILE *file, const struct tree_sweep *s);
/// 0, or -1 with errno.
int tree_sweep_json(FILE *file, const struct tree_sweep *s);

#endif
