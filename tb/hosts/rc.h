/// What both halves of an RC queue pair say to each other: the AETH of an ACK packet (InfiniBand 9.7.5), and order of PSNs.
#ifndef WEIR_HOSTS_RC_H
#define WEIR_HOSTS_RC_H

#include <stddef.h>
#include <stdint.h>

#include "wire/roce.h"

enum {
  AETH_BYTES = 4,
  AETH_ACK = 0x1F,            ///< acknowledges; 0x1F means no end-to-end credits
  AETH_RNR = 0x20,            ///< receiver not ready; the low five bits are a timer code
  AETH_NAK_SEQUENCE = 0x60,   ///< a PSN is missing: the packet's PSN is the one expected
  PSN_MASK = 0xFFFFFF
};

/// a - b in serial order of 24 bits, -2^23 to 2^23 - 1.
static inline int32_t psn_distance(uint32_t a, uint32_t b) {
  const uint32_t d = (a - b) & PSN_MASK;
  return d & 0x800000 ? (int32_t)d - 0x1000000 : (int32_t)d;
}

/// How long a requester waits after "receiver not ready" with this timer code, 0 to 31.
uint64_t rnr_timer_ps(unsigned code);

/// Builds a frame as a NIC sends it: fields that are the same in all packets are filled in, and it is padded to the 60 bytes that
/// Ethernet asks for. Returns its bytes, or 0 if `size` is too small.
size_t rc_build(struct roce_build *b, const uint8_t local_mac[6], const uint8_t peer_mac[6], uint8_t *frame, size_t size);

#endif
