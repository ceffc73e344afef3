#include "host/coll/operation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wire/reduce.h"
#include "wire/roce.h"

/// Whole numbers: sums with zeros change no bit, whatever it means.
static size_t padded(size_t bytes) { return (bytes + 3) & ~(size_t)3; }

static uint8_t *scratch(struct operation *o, size_t bytes) { return o->scratch = calloc(1, bytes > 0 ? bytes : 1); }

static int shape_reduce(struct operation *o, bool native, struct backend_order *order) {
  order->receive = o->rank == o->root ? o->receive : NULL;
  if (native || order->receive != NULL) return 0;
  order->receive = scratch(o, o->bytes);
  return order->receive != NULL ? 0 : -ENOMEM;
}

static int shape_broadcast(struct operation *o, bool native, struct backend_order *order) {
  uint8_t *data = o->receive;
  order->bytes = padded(o->bytes);
  order->kind = INA_INT32;
  if (order->bytes != o->bytes) {
    data = scratch(o, order->bytes);
    if (data == NULL) return -ENOMEM;
    if (o->rank == o->root && o->bytes > 0) memcpy(data, o->receive, o->bytes);
  } else if (!native && o->rank != o->root && o->bytes > 0) {
    memset(data, 0, o->bytes);
  }
  order->send = native && o->rank != o->root ? NULL : data;
  order->receive = native && o->rank == o->root ? NULL : data;
  return 0;
}

/// The order's tensor is all segments; who keeps one takes it from there.
static int shape_scatter(struct operation *o, struct backend_order *order) {
  order->bytes = o->bytes * o->workers;
  order->receive = scratch(o, order->bytes);
  return order->receive != NULL ? 0 : -ENOMEM;
}

static int shape_gather(struct operation *o, bool native, struct backend_order *order) {
  const size_t segment = padded(o->bytes);
  uint8_t *all = o->receive;
  if (segment != o->bytes) all = scratch(o, segment * o->workers);
  if (all == NULL && segment > 0) return -ENOMEM;
  if (o->bytes > 0) memmove(all + segment * o->rank, o->send, o->bytes);
  for (unsigned r = 0; !native && segment > 0 && r < o->workers; r++)
    if (r != o->rank) memset(all + segment * r, 0, segment);
  order->bytes = segment * o->workers;
  order->kind = INA_INT32;
  order->send = order->receive = all;
  return 0;
}

int operation_shape(struct operation *o, unsigned natives, struct backend_order *order) {
  const bool native = (natives >> o->what & 1) != 0;
  int code = 0;
  *order = (struct backend_order){.what = native ? o->what : BACKEND_ALL_REDUCE,
                                  .send = o->send,
                                  .receive = o->receive,
                                  .bytes = o->bytes,
                                  .kind = o->kind,
                                  .memory = o->memory};
  switch (o->what) {
    case BACKEND_ALL_REDUCE: break;
    case BACKEND_REDUCE: code = shape_reduce(o, native, order); break;
    case BACKEND_BROADCAST: code = shape_broadcast(o, native, order); break;
    case BACKEND_REDUCE_SCATTER: code = shape_scatter(o, order); break;
    case BACKEND_ALL_GATHER: code = shape_gather(o, native, order); break;
  }
  // Only what lies where the program registered it is read there.
  if (order->send != o->send) order->memory = NULL;
  return code;
}

void operation_finish(struct operation *o) {
  const size_t segment = padded(o->bytes);
  const bool keeps = o->what != BACKEND_REDUCE || o->rank == o->root;
  if (o->scratch != NULL && o->what == BACKEND_REDUCE_SCATTER && o->bytes > 0)
    memcpy(o->receive, o->scratch + o->bytes * o->rank, o->bytes);
  if (o->scratch != NULL && o->what == BACKEND_BROADCAST && o->rank != o->root) memcpy(o->receive, o->scratch, o->bytes);
  for (unsigned r = 0; o->scratch != NULL && o->what == BACKEND_ALL_GATHER && r < o->workers; r++)
    memcpy((uint8_t *)o->receive + o->bytes * r, o->scratch + segment * r, o->bytes);
  if (o->average && keeps) ina_divide(o->kind, o->receive, o->bytes, o->workers);
}

void operation_free(struct operation *o) {
  free(o->scratch);
  o->scratch = NULL;
}
