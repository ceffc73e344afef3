/// Packets of a ring as frames, and back: what a number in place of a message's bytes becomes where a device sums bytes.
///
/// The number v of the packet with PSN p is written as v (2 p + 1) mod 2^64 in four elements of INT32, 16 bits in each, again and again to the packet's end. A
/// sum of up to 65,536 such packets does not overflow an element, and is written as the sum of the numbers; a sum over packets of other places than
/// one is not.
#ifndef WEIR_SIM_GRADIENT_H
#define WEIR_SIM_GRADIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/fabric/load/load.h"
#include "sim/fabric/net/tap.h"
#include "wire/roce.h"

/// The ring of all ranks of a load, on the wire.
enum { GRADIENT_RING = 1 };

/// Packets of a message but the last one.
uint32_t gradient_packets(const struct workload *l, const struct nic_options *nic);
/// Why a load cannot be packets with these contents, NULL if it can.
const char *gradient_refusal(const struct workload *l, const struct nic_options *nic);
/// The frame of a rank's packet: its bytes.
size_t gradient_frame(const struct workload *l, const struct nic_options *nic, const struct world_packet *packet,
                      uint8_t frame[TAP_FRAME]);
/// The packet that a frame to a rank is, without its frame. False if it is none of the ring, or its elements are not all of one number.
bool gradient_read(const struct workload *l, const struct nic_options *nic, const uint8_t *frame, size_t len,
                   struct world_packet *packet);

#endif
