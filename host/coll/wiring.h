/// How a ring of hosts gets its queue pairs: cards go round by the bootstrap.
#ifndef WEIR_HOST_COLL_WIRING_H
#define WEIR_HOST_COLL_WIRING_H

#include "host/meet/bootstrap.h"
#include "host/verbs.h"

/// Queue pairs to the next host and from the one before, connected at all hosts. NULL, `*code` a negative errno and one line in `error` if not; verbs_close is due.
struct verbs *wiring_connect(struct bootstrap *hosts, const struct verbs_config *config, int *code, char *error, size_t size);

#endif
