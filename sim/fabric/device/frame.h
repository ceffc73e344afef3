/// Frames of devices as a fabric carries them.
#ifndef WEIR_SIM_FABRIC_FRAME_H
#define WEIR_SIM_FABRIC_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "sim/engine/world/packet.h"

/// A copy of a frame of `len` bytes, without FCS, as a packet of data with the time that all of it takes on a cable. Between whom it goes is the caller's to
/// say; the copy is the packet's. Aborts if out of memory.
struct world_packet fabric_frame(const uint8_t *bytes, size_t len);

#endif
