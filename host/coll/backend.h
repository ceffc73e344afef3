/// What can carry a communicator's operations: the aggregator in the hosts' connections, a tree of nodes that end connections, or the hosts themselves.
/// One thread at a time; nothing blocks.
#ifndef WEIR_HOST_COLL_BACKEND_H
#define WEIR_HOST_COLL_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "host/memory.h"

enum { BACKEND_LANES = 8, BACKEND_WORDS = 64 };

/// What an order is. Each backend has the first; of the others those in its `natives`.
enum backend_what { BACKEND_ALL_REDUCE, BACKEND_REDUCE, BACKEND_BROADCAST, BACKEND_REDUCE_SCATTER, BACKEND_ALL_GATHER };

/// One operation of all hosts. Memory stays the caller's, and as it is until the order is done.
struct backend_order {
  enum backend_what what;
  const uint8_t *send;   ///< NULL: this host gives nothing (BACKEND_BROADCAST)
  uint8_t *receive;      ///< may be `send`; NULL: it gets nothing (BACKEND_REDUCE, BACKEND_BROADCAST)
  size_t
      bytes;   ///< of the whole tensor: of BACKEND_REDUCE_SCATTER and BACKEND_ALL_GATHER, too, whose segment of this host lies at its place in `receive`
  uint8_t kind;                       ///< as in an INA header
  const struct host_memory *memory;   ///< that `send` lies in, or NULL
};

/// By which an order is known.
struct backend_ticket {
  uint64_t numbers[BACKEND_LANES];
  bool registered;   ///< the caller's memory is read by queue pairs
};

/// What a backend has to wait for.
struct backend_wait {
  uint64_t number;     ///< by which all hosts know it
  uint64_t since_ns;   ///< nothing has moved
  char text[BACKEND_WORDS];
};

struct backend {
  void *self;
  unsigned bit;          ///< enum weir_coll_backend
  const char *name;      ///< for people
  unsigned natives;      ///< 1 << enum backend_what
  uint64_t most_bytes;   ///< of an order
  /// Begins an order. 0, -EINVAL, -EAGAIN if there are too many, or what the backend failed with.
  int (*start)(void *self, const struct backend_order *order, uint64_t now_ns, struct backend_ticket *ticket);
  bool (*done)(const void *self, const struct backend_ticket *ticket);
  /// Does what can be done at once. 0, or the failure, which stays.
  int (*progress)(void *self, uint64_t now_ns);
  /// All that was sent has been acknowledged.
  bool (*settled)(const void *self);
  /// What it waits for longest, also if it has failed; false if for nothing. NULL: its hosts see in each other's messages what the others do.
  bool (*waits)(const void *self, struct backend_wait *wait);
  /// What it failed with, in words, in two parts; empty ones if it did not.
  const char *(*why)(const void *self, const char **detail);
  void (*close)(void *self);
};

#endif
