/// Frames of the sparse gather, as its devices get and send them.
#ifndef WEIR_DRIVE_GATHER_FRAME_H
#define WEIR_DRIVE_GATHER_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hosts/gather/gather_element.h"
#include "wire/gather.h"

/// A frame around a packet, as whoever made the packet sends it. Returns its length; aborts if the packet is longer than any may be.
size_t gather_frame_make(const struct gather_packet *p, uint32_t psn, uint8_t frame[GATHER_MAX_FRAME]);
/// True if a frame that gather_parse found good has the addresses of the element `from` and the node `dest`.
bool gather_frame_addressed(const uint8_t *frame, uint32_t from, uint32_t dest);

#endif
