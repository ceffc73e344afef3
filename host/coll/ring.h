/// The backend of the hosts alone: reduce-scatter and all-gather round a ring of them (host/plain.h).
#ifndef WEIR_HOST_COLL_RING_H
#define WEIR_HOST_COLL_RING_H

#include "host/coll/backend.h"
#include "host/engine.h"
#include "host/meet/bootstrap.h"
#include "host/verbs.h"

struct ring;

/// Connects. A message must not overwrite one that was not read, which only a SEND waits for: so it is one, whatever `verbs` says. 0, or a negative errno and one line
/// in `error`. ring_close is due if `*out` is not NULL.
int ring_open(const struct engine_config *engine, const struct verbs_config *verbs, struct bootstrap *hosts, struct ring **out,
              char *error, size_t size);
/// The calls of it, valid as long as it is.
struct backend ring_backend(struct ring *r);
void ring_close(struct ring *r);

#endif
