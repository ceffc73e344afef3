/// Hosts on their way into a job: rank 0 that waits for all, and another rank that looks for it.
#ifndef WEIR_HOST_MEET_BOOTSTRAP_MEET_H
#define WEIR_HOST_MEET_BOOTSTRAP_MEET_H

#include <netdb.h>

#include "host/meet/bootstrap.h"

/// Rank 0 takes connections until every rank has said hello, or b->deadline. 0, or a negative errno and b->why.
int bootstrap_meet(struct bootstrap *b, const struct addrinfo *at);
/// Another rank tries all addresses in turns until one is rank 0's. Likewise.
int bootstrap_join(struct bootstrap *b, const struct addrinfo *at, const char *root);

#endif
