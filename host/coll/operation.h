/// An operation as a program asks for it, and the backend's order that it becomes. What a backend cannot do natively is an all-reduce: a reduce whose result the
/// others drop, a broadcast or an all-gather as a sum of whole numbers to which the others give zeros, a reduce-scatter of which each keeps its segment.
#ifndef WEIR_HOST_COLL_OPERATION_H
#define WEIR_HOST_COLL_OPERATION_H

#include "host/coll/backend.h"

struct operation {
  enum backend_what what;
  const void *send;   ///< of BACKEND_BROADCAST: not looked at
  void *receive;      ///< of BACKEND_BROADCAST: what is sent at the root
  size_t bytes;       ///< of BACKEND_REDUCE_SCATTER and BACKEND_ALL_GATHER: of one host's segment
  uint8_t kind;       ///< as in an INA header; of BACKEND_BROADCAST and BACKEND_ALL_GATHER: not looked at
  bool average;       ///< of what is reduced
  unsigned root, rank, workers;
  const struct host_memory *memory;   ///< that `send` lies in, or NULL
  uint8_t *scratch;                   ///< of operation_shape; operation_free frees it
};

/// The order for a backend with these natives. 0, or -ENOMEM.
int operation_shape(struct operation *o, unsigned natives, struct backend_order *order);
/// When the order is done: what was received lies where the program wants it, averages divided.
void operation_finish(struct operation *o);
void operation_free(struct operation *o);

#endif
