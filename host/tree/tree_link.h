/// What carries messages between a host and the node above it: two RC queue pairs (host/tree/tree_verbs.h), or a fake in tests.
///
/// Messages are SENDs that begin with an aggregation header (docs/wire.md). Those of the low-latency connection are short, and land in places of
/// the link. On the streaming one the engine says before each operation where the vector is to land.
#ifndef WEIR_HOST_TREE_LINK_H
#define WEIR_HOST_TREE_LINK_H

#include <stddef.h>
#include <stdint.h>

#include "host/transport.h"
#include "wire/tree.h"

enum tree_conn { TREE_LOW, TREE_SAT, TREE_CONNS };

enum tree_link_kind {
  TREE_LINK_SENT,      ///< the oldest message that was not told yet has been acknowledged
  TREE_LINK_ARRIVED,   ///< the next message has landed, in order
  TREE_LINK_CAST,   ///< the node's multicast has landed: an old one, or of somebody else's operation, or a result whose reliable copy is to come
  TREE_LINK_FAILED   ///< the connection is no more. Nothing is read from or written to the engine's memory by it any more
};

struct tree_link_event {
  enum tree_link_kind kind;
  enum tree_conn conn;
  const uint8_t *data;   ///< of what landed: the header, and behind it the vector of a low-latency one. Until the next poll
  size_t bytes;          ///< of the whole message
  const char *why;       ///< of a failure, in words
};

struct tree_link {
  void *self;
  /// Room for a header, on the low-latency connection with a vector behind it. Owned by the link; free once its message is sent.
  uint8_t *(*staging)(void *self, enum tree_conn conn);
  /// Sends `staged` bytes of that, and behind them a body, which must stay until it is sent. One message at a time. 0, or a negative errno.
  int (*send)(void *self, enum tree_conn conn, size_t staged, const struct transport_body *body);
  /// The next message of the streaming connection may come: its vector goes to `body`, or it has none (NULL). 0, or a negative errno.
  int (*expect)(void *self, const struct transport_body *body);
  /// 1 and an event, 0 if there is none.
  int (*poll)(void *self, struct tree_link_event *event);
  /// Ends a connection: TREE_LINK_FAILED follows.
  void (*end)(void *self, enum tree_conn conn);
};

#endif
