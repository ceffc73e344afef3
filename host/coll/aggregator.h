/// The backend of the device in the hosts' connections (docs/protocol.md): one ring of it, or several at once, each with queue pairs, slots and a window of its own.
#ifndef WEIR_HOST_COLL_AGGREGATOR_H
#define WEIR_HOST_COLL_AGGREGATOR_H

#include "host/coll/backend.h"
#include "host/engine.h"
#include "host/meet/bootstrap.h"
#include "host/verbs.h"

struct aggregator_config {
  struct engine_config engine;   ///< of the first ring; its transport is not looked at
  struct verbs_config verbs;
  unsigned rings;   ///< RingIDs engine.ring onwards, at most BACKEND_LANES
};

struct aggregator;

/// Connects and sends a first message through each ring. 0 and `*found`: whether a device has summed; the backend is there in both cases. Or a negative errno and one
/// line in `error`. aggregator_close is due if `*out` is not NULL.
int aggregator_open(const struct aggregator_config *config, struct bootstrap *hosts, struct aggregator **out, bool *found,
                    char *error, size_t size);
/// The calls of it, valid as long as it is.
struct backend aggregator_backend(struct aggregator *a);
void aggregator_close(struct aggregator *a);

#endif
