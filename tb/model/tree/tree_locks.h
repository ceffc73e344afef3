/// The lock cells of a tree node (SHARP 3.2): who may stream through which tree, and for how many operations.
///
/// A cell is taken on a request's way up and kept on its way down, or given back if the request failed elsewhere; only its owner's cell is ever given back.
#ifndef WEIR_MODEL_TREE_LOCKS_H
#define WEIR_MODEL_TREE_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/tree.h"

enum { TREE_LOCK_CELLS = 8 };   // at most; a node of SHARP has two

struct tree_lock {
  bool used;
  bool kept;              ///< else its request is still on its way
  uint16_t tree, group;   ///< the streaming tree, and who owns it
  uint32_t sequence;      ///< of the request
  uint32_t left;          ///< operations, or TREE_UNLIMITED
};

struct tree_locks {
  unsigned cells;
  struct tree_lock lock[TREE_LOCK_CELLS];
};

/// Takes a cell for a request. TREE_OK, TREE_LOCK_FAILED if this tree is taken, TREE_NO_RESOURCE if all cells are; then `holder` is one that is in the
/// way. `count` 0: no end.
enum tree_verdict tree_locks_take(struct tree_locks *l, uint16_t tree, uint16_t group, uint32_t sequence, uint32_t count,
                                  struct tree_lock *holder);
/// The request's answer came: keeps what it took, or gives it back. Returns whether there was anything.
bool tree_locks_settle(struct tree_locks *l, uint16_t tree, uint16_t group, uint32_t sequence, bool keep);
/// Gives back what a group has, whatever is left. Returns whether it had any.
bool tree_locks_release(struct tree_locks *l, uint16_t tree, uint16_t group);
/// Gives back whoever's it is: the tree is no more.
bool tree_locks_drop(struct tree_locks *l, uint16_t tree);
/// True if the group may stream.
bool tree_locks_holds(const struct tree_locks *l, uint16_t tree, uint16_t group);
/// One operation is done. True if it was the last one, and the lock is given back.
bool tree_locks_count(struct tree_locks *l, uint16_t tree, uint16_t group);

#endif
