/// All-reduce between the hosts alone, for where no device is: reduce-scatter and all-gather around the ring, 2(H-1) steps.
///
/// Its messages have no INA header; what a host does is in their immediate value, so that hosts that do different things are found out. The tensor has one segment a host, of equal length but for the last ones. Segment s is summed one host after the other,
/// first those behind host s (((x[s+1] + x[s+2]) + ..) + x[s], round the ring), and then lies at host s. So sums are the same on all hosts and in every run, but
/// rounded in another order than the device's (docs/wire.md). The first half alone is a reduce-scatter, the second one an all-gather. One thread at a time; nothing blocks.
#ifndef WEIR_HOST_PLAIN_H
#define WEIR_HOST_PLAIN_H

#include "host/engine.h"

enum { PLAIN_SLOTS = 256 };

struct plain {
  struct engine_config config;   ///< shape.trailer 0, and a transport that tells arrivals
  struct engine_request requests[ENGINE_REQUESTS];
  unsigned oldest, pending;
  uint64_t started, finished;    ///< requests
  uint64_t sending, receiving;   ///< of the oldest request: the next message each way
  uint64_t sent, acknowledged;   ///< messages, over all requests
  uint64_t arrived, read;
  size_t landed[PLAIN_SLOTS];    ///< bytes of what has arrived and was not read
  uint32_t asked[PLAIN_SLOTS];   ///< immediate values of these
  uint8_t *sum;                  ///< room for one message
  uint64_t moved_ns;
  struct failure failure;
};

/// 0, -EINVAL, or -ENOMEM. plain_free is due in every case.
int plain_init(struct plain *p, const struct engine_config *config);
void plain_free(struct plain *p);
/// As engine_start, engine_progress and engine_done have it.
int plain_start(struct plain *p, const struct engine_request *request, uint64_t now_ns, uint64_t *number);
int plain_progress(struct plain *p, uint64_t now_ns);
bool plain_done(const struct plain *p, uint64_t number);

#endif
