/// Frames on a cable of an aggregation tree from somebody who is no end of its connections: copies of what is sent there, changed so that no end may take them,
/// or take them for more than an old copy. He knows addresses, queue pairs and PSNs; what he may not do is to be the connection, a next PSN with good ICRC
/// from the right address, for then nobody could tell.
#ifndef WEIR_HOSTS_TREE_HOSTILE_H
#define WEIR_HOSTS_TREE_HOSTILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"

/// Room for a frame made of one of `len` bytes.
enum { TREE_HOSTILE_GROWS = 256 };

/// Makes one of a frame of `len` bytes that was just sent on this cable, this way. Returns its bytes, 1 or more.
size_t tree_hostile_next(struct rng *rng, const uint8_t *frame, size_t len, uint8_t *out);

#endif
