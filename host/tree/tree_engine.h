/// A host's part of an aggregation tree (docs/tree.md): operations of its group one after the other, each with a verdict within a bounded time, whatever the
/// network does; and the lock of the streaming tree around those that need it (SHARP SA 3.2). One thread at a time; nothing blocks.
#ifndef WEIR_HOST_TREE_ENGINE_H
#define WEIR_HOST_TREE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "host/tree/tree_link.h"
#include "wire/cast_copies.h"

struct tree_engine_config {
  struct tree_link link;
  uint16_t low_tree, sat_tree, group;
  uint64_t timeout_ns;   ///< for an operation, and for each request of a lock
  uint32_t lock;         ///< operations of a lock that is taken on the way, 0: no end
  unsigned tries;        ///< of such a lock
  uint64_t pause_ns;     ///< a host waits for twice this at most after the first try that failed, and longer after each other
  uint64_t seed;         ///< of those pauses: another one on each host
};

/// An operation. Memory stays the caller's until it is done.
struct tree_engine_order {
  enum tree_operation operation;
  bool streams;                  ///< through the streaming tree: of operations with a vector
  uint8_t type;                  ///< as in an INA header
  uint32_t length, count;        ///< of the vector, bytes; of a lock
  struct transport_body input;   ///< data NULL if this host has none to give
  struct {
    uint8_t *data;   ///< NULL if it wants none
    uint32_t key;
  } output;
};

struct tree_engine {
  struct tree_engine_config config;
  struct rng rng;
  struct tree_engine_order order;
  struct tree_header request, answer;
  bool active;               ///< an operation is under way
  bool locking;              ///< it waits for the tree's lock
  bool posted, sent;         ///< its contribution: given to the link, acknowledged
  bool over;                 ///< its answer is here
  bool expected;             ///< memory for its result is given to the link
  bool failed[TREE_CONNS];   ///< the connection is no more
  bool gone[TREE_CONNS];     ///< the tree is no more
  struct tree_header why[TREE_CONNS];
  bool telling;   ///< the node must hear that a tree is no more
  bool busy;      ///< a message of the low-latency connection is not acknowledged
  struct tree_header teardown;
  uint32_t sequence, held;     ///< operations left of the lock, TREE_UNLIMITED: no end
  struct cast_copies copies;   ///< of results that multicasts brought
  uint64_t casts;              ///< such results, so far
  unsigned tried;
  uint64_t deadline, pause_until;
  const char *text;   ///< what the link said of a failure; "" if nothing
};

void tree_engine_init(struct tree_engine *e, const struct tree_engine_config *config);
/// Begins an operation. 0; -EBUSY while one is under way (a group has one at a time); -EMSGSIZE if the vector is longer than its tree takes; -EINVAL if it
/// has none, or no whole number of elements, or there is no such type or operation.
int tree_engine_start(struct tree_engine *e, const struct tree_engine_order *order, uint64_t now_ns);
/// Does what can be done at once.
void tree_engine_progress(struct tree_engine *e, uint64_t now_ns);
/// Gives up what is under way, for all hosts of the group.
void tree_engine_give_up(struct tree_engine *e);
/// True if nothing is to be sent or acknowledged any more.
bool tree_engine_quiet(const struct tree_engine *e);
/// True if nothing is under way: the answer is here, and the link uses none of the operation's memory any more.
bool tree_engine_done(const struct tree_engine *e);
/// How the last operation ended: its verdict, and what the network said of why.
const struct tree_header *tree_engine_answer(const struct tree_engine *e);

#endif
