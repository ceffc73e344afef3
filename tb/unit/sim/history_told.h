/// A history that a test tells all that happens. What the tests of history.c share.
#ifndef WEIR_UNIT_HISTORY_TOLD_H
#define WEIR_UNIT_HISTORY_TOLD_H

#include "sim/engine/history.h"

/// Of a device with 16 ports and ranks and these rings. The caller frees it.
struct history *history_fresh(const struct drive_ring *rings, size_t count);
void history_tell(struct history *h, int kind, unsigned ring, uint32_t msgid, unsigned offset, unsigned rank, enum fate fate,
                  bool completes, uint64_t cycle);

#endif
