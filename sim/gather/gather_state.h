/// What a gather's run and the sums at its end share.
#ifndef WEIR_SIM_GATHER_STATE_H
#define WEIR_SIM_GATHER_STATE_H

#include "sim/gather/gather_run.h"

struct gather_run {
  struct gather_run_options o;
  struct gather_partition rows, columns;
  uint32_t nodes;
  uint32_t at;           // first element of the tile; `k`: all are done
  uint32_t iteration;    // 0 is the first
  uint16_t generation;   // of the tile
  uint64_t began;        // cycle of the tile
  uint64_t look;         // cycle of the next look at whether it is done
  uint32_t *panels;      // columns of all nonzeros in the order in which nodes read them; NULL: that of the matrix
  float *x;              // all of X, for direct computing
  float *y;              // all of Y so far, the next X; NULL if there is none
  struct gather_memory *memories;
  struct gather_fabric *fabric;
  bool faulty;   // a device has said what is wrong
  struct gather_result result;
};

/// Columns of all nonzeros, as nodes read them.
static inline const uint32_t *gather_run_columns(const struct gather_run *r) {
  return r->panels != NULL ? r->panels : r->o.matrix->column;
}

/// A check has failed.
void gather_run_fail(struct gather_run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
