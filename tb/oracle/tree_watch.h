/// What goes over the cables of aggregation trees, seen from outside: of each connection, how many messages and bytes, each counted once however
/// often it is repeated, and how often that is. Knows nothing of trees.
#ifndef WEIR_ORACLE_TREE_WATCH_H
#define WEIR_ORACLE_TREE_WATCH_H

#include <stddef.h>
#include <stdint.h>

/// One direction of a connection.
struct tree_watch_flow {
  uint32_t qp;         ///< at the destination
  uint64_t messages;   ///< begun
  uint64_t packets;    ///< different ones
  uint64_t bytes;      ///< of their payload
  uint64_t repeats;    ///< packets that were sent before
  uint64_t gaps;       ///< packets whose predecessor was never sent
  uint32_t psn;        ///< of the furthest packet
};

enum { TREE_WATCH_FLOWS = 32 };
/// One direction of a cable.
struct tree_watch {
  struct tree_watch_flow flows[TREE_WATCH_FLOWS];
  size_t count;
  uint64_t unread;   ///< frames that are no good RoCEv2, or of more connections than there is room for
  uint64_t others;   ///< ACKs and the like
};

/// A frame is sent.
void tree_watch_see(struct tree_watch *w, const uint8_t *frame, size_t len);

#endif
