/// How a communicator begins: hosts meet, backends connect, and the one for each size is measured.
#ifndef WEIR_HOST_COLL_START_H
#define WEIR_HOST_COLL_START_H

#include "host/coll/state.h"

/// True if the configuration makes sense.
bool start_sound(const struct weir_coll_config *config);
/// All of it. 0, or a negative errno, noted in `c`, whose backends are to be closed in both cases.
int start_all(struct weir_coll *c);

#endif
