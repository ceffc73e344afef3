/// A packet of an RC message outside of its frame: what comes out of one connection of a tree and goes into others.
#ifndef WEIR_MODEL_TREE_RC_PACKET_H
#define WEIR_MODEL_TREE_RC_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/rc.h"

/// Bytes of a RETH: address, key, length.
enum { RC_RETH_BYTES = 16, RC_MAX_MTU = 4096 };

struct rc_packet {
  enum rc_verb verb;             ///< of the last packet: without an immediate value it says nothing of those before
  bool first, last;              ///< of its message
  uint32_t imm;                  ///< of a last one with RC_SEND_IMM or RC_WRITE_IMM
  uint8_t reth[RC_RETH_BYTES];   ///< of a first one with RC_WRITE or RC_WRITE_IMM
  const uint8_t *data;           ///< payload; the packet's holder says how long it lives
  size_t len;                    ///< of it, without pad bytes
};

/// What ends a connection for good.
enum rc_fault {
  RC_GOOD,
  RC_UNANSWERED,    ///< no answer, as often as it was tried
  RC_NEVER_READY,   ///< "receiver not ready", as often as it was tried
  RC_REFUSED,       ///< the other end found a request that cannot be
  RC_IMPOSSIBLE,    ///< this end did: order of opcodes, or a length
  RC_FAULTS
};

#endif
