/// What both halves of an RC queue pair say to each other: opcodes, the AETH of an ACK packet (InfiniBand 9.7.5) with its credits, order of PSNs.
#ifndef WEIR_WIRE_RC_H
#define WEIR_WIRE_RC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/roce.h"

enum {
  AETH_BYTES = 4,
  AETH_ACK = 0x1F,            ///< acknowledges; 0x1F means no end-to-end credits
  AETH_RNR = 0x20,            ///< receiver not ready; the low five bits are a timer code
  AETH_NAK_SEQUENCE = 0x60,   ///< a PSN is missing: the packet's PSN is the one expected
  AETH_NAK_INVALID = 0x61,    ///< no request that can be: the connection ends
  PSN_MASK = 0xFFFFFF
};

/// a - b in serial order of 24 bits, -2^23 to 2^23 - 1.
static inline int32_t psn_distance(uint32_t a, uint32_t b) {
  const uint32_t d = (a - b) & PSN_MASK;
  return d & 0x800000 ? (int32_t)d - 0x1000000 : (int32_t)d;
}

/// How a message travels. Every form ends in one of LAST or ONLY, with an immediate value for *_IMM.
enum rc_verb { RC_SEND, RC_SEND_IMM, RC_WRITE, RC_WRITE_IMM };

/// The opcode of a packet of such a message.
uint8_t rc_opcode(enum rc_verb verb, bool first, bool last);
/// True if an opcode of SEND or WRITE ends a message; roce_is_first: begins one.
bool rc_is_last(uint8_t opcode);

/// Credits in the low five bits of an ACK's syndrome (InfiniBand table 46): what a code below AETH_ACK says, and the largest code that says no
/// more than `count`.
uint32_t rc_credits(unsigned code);
uint8_t rc_credit_code(uint64_t count);

/// How long a requester waits after "receiver not ready" with this timer code, 0 to 31.
uint64_t rnr_timer_ps(unsigned code);

/// Builds a frame as a NIC sends it: fields that are the same in all packets are filled in, and it is padded to the 60 bytes that
/// Ethernet asks for. Returns its bytes, or 0 if `size` is too small.
size_t rc_build(struct roce_build *b, const uint8_t local_mac[6], const uint8_t peer_mac[6], uint8_t *frame, size_t size);

#endif
