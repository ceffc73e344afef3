/// A host of an aggregation tree (docs/tree.md): it ends two RC connections with the node above, one of the low-latency tree and one of the streaming
/// one, gives one operation after the other to it, and says of each how it ended. Within a bounded time, whatever happens.
///
/// Times are picoseconds of the simulation.
#ifndef WEIR_HOSTS_TREE_HOST_H
#define WEIR_HOSTS_TREE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/tree/rc_end.h"
#include "wire/tree.h"

struct tree_host_config {
  struct rc_end_config low, sat;
  uint16_t low_tree, sat_tree, group;
  bool
      listens;   ///< to the low-latency tree's multicast: a result that comes by it first is taken, its reliable copy thrown away
  uint64_t patience_ps;   ///< for an operation of which nothing moves
};

/// What a host may do wrong in an operation, where a node must notice it.
enum tree_mistake {
  TREE_NO_MISTAKE,
  TREE_WRONG_GROUP,    ///< one that is none
  TREE_OTHERS_GROUP,   ///< 1 or 2, which it is not in
  TREE_OTHER_SIZE,     ///< than its siblings: four bytes less, or four where they have none
  TREE_OTHER_TYPE,
  TREE_OTHER_OPERATION,
  TREE_ENDS_EARLY,   ///< half of the vector that the header announces
  TREE_TOO_LONG,     ///< the header announces 2^31 bytes
  TREE_ONE_MORE,     ///< and one more
  TREE_TWICE,        ///< the same contribution once more behind it
  TREE_BUSY,         ///< the next operation behind it, while this one is under way
  TREE_NO_LOCK,      ///< it streams without having asked for the lock; that is for its caller to do
};

/// An operation of the group. Buffers stay the caller's and live until it is done.
struct tree_host_order {
  enum tree_operation operation;
  bool streams;             ///< through the streaming tree: of operations with a vector
  bool special;             ///< this host is the one that gets the sum (reduce), or has the vector (broadcast)
  uint8_t type;             ///< as in an INA header
  uint32_t length, count;   ///< of the vector; of a lock
  const uint8_t *input;     ///< NULL if this host has none to give
  uint8_t *output;          ///< NULL if it wants none
  /// In place of `input`, where nobody keeps a vector whole: writes `len` bytes of it, from `at` on. They are asked for in order.
  void (*give)(void *user, uint32_t at, uint8_t *out, size_t len);
  /// In place of `output`: so much of the result, from `at` on, is here. In order, but an answer may begin anew, at 0.
  void (*take)(void *user, uint32_t at, const uint8_t *data, size_t len);
  void *user;   ///< of both
  enum tree_mistake mistake;
};

struct tree_host_counts {
  uint64_t strays;       ///< frames that are of no connection
  uint64_t wrong;        ///< messages that no node sends
  uint64_t denied;       ///< answers "denied" to what is not its operation, or not any more
  uint64_t casts;        ///< results that were taken from a multicast,
  uint64_t copies;       ///< and reliable copies of these, which said the same; another one counts as `wrong`
  uint64_t longest_ps;   ///< time in which nothing of an operation moved
};

struct tree_host;

/// NULL if out of memory. The caller frees it.
struct tree_host *tree_host_new(const struct tree_host_config *config);
void tree_host_free(struct tree_host *h);

/// The streaming tree, which was torn down and it alone, begins once more, with nothing, and with this end. False if it is not down, the low-latency one is, or
/// out of memory.
bool tree_host_reopen(struct tree_host *h, const struct rc_end_config *sat);

/// True if a tree was torn down; with the low-latency one both are.
bool tree_host_down(const struct tree_host *h, bool sat);
/// The number of its last operation; hosts of a group who have not heard the same agree on the highest one.
uint32_t tree_host_number(const struct tree_host *h);
void tree_host_catch_up(struct tree_host *h, uint32_t number);

/// It is in another group, or in one that was made anew: numbers of operations begin anew. No operation is under way.
void tree_host_regroup(struct tree_host *h, uint16_t group);
/// Begins an operation; the one before must be done.
void tree_host_begin(struct tree_host *h, uint64_t now, const struct tree_host_order *order);
bool tree_host_done(const struct tree_host *h);
/// How the operation ended: verdict, and what the network said of why.
const struct tree_header *tree_host_answer(const struct tree_host *h);

/// A frame came in. `bad`: its MAC saw that it is damaged.
void tree_host_receive(struct tree_host *h, uint64_t now, const uint8_t *frame, size_t len, bool bad);
bool tree_host_ready(const struct tree_host *h, uint64_t now);
/// Builds the next frame. Returns its bytes, or 0 if there is none or `size` is too small.
size_t tree_host_next(struct tree_host *h, uint64_t now, uint8_t *frame, size_t size);
/// When something is due if nothing comes in, or UINT64_MAX; does it, if it is.
uint64_t tree_host_deadline(const struct tree_host *h, uint64_t now);
void tree_host_tick(struct tree_host *h, uint64_t now);

struct tree_host_counts tree_host_counts(const struct tree_host *h);
struct rc_end *tree_host_end(const struct tree_host *h, bool sat);
/// True if nothing is kept or waits in a connection that is alive, and no reliable copy of a result is missing.
bool tree_host_quiet(const struct tree_host *h);

#endif
