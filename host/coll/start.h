/// How a communicator begins: hosts meet, backends connect, and the one for each size is measured.
#ifndef WEIR_HOST_COLL_START_H
#define WEIR_HOST_COLL_START_H

#include "host/coll/state.h"

/// 0 if the configuration makes sense, or -EINVAL and one line in `error` that names what does not.
int start_check(const struct weir_coll_config *config, char *error, size_t size);
/// All of it. 0, or a negative errno, noted in `c`, whose backends are to be closed in both cases.
int start_all(struct weir_coll *c);

#endif
