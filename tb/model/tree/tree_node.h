/// Golden model of a node of aggregation trees (docs/tree.md; SHARP 3): it ends the RC connections of its neighbours, reduces what its children send,
/// hands one vector on to its parent, and replicates what comes back.
///
/// Frames in, frames out; no clock. Times are picoseconds of the simulation. Nothing here takes time: what a node needs is the cable's (tree_net.h).
#ifndef WEIR_MODEL_TREE_NODE_H
#define WEIR_MODEL_TREE_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/tree/rc_end.h"
#include "model/tree/tree_locks.h"
#include "wire/tree.h"

enum { TREE_MAX_PORTS = 64, TREE_NO_PORT = TREE_MAX_PORTS };

/// A tree as one node has it: who is above, who is below. Ports of half of the node's ports are one half ring, the others the other one.
struct tree_of_node {
  uint16_t id;
  bool sat;              ///< streaming aggregation; else low latency
  unsigned partner;      ///< the tree of identical layout and the other trait: index among the node's
  unsigned parent;       ///< port, TREE_NO_PORT at the root
  uint64_t neighbours;   ///< ports with a child or the parent
  uint64_t casts;        ///< of a low-latency tree: children that hear of results by multicast, too (wire/tree_cast.h)
  bool listens;          ///< the parent lets this node hear so
  const struct rc_end_config *ends;   ///< of each port; those without a neighbour are not looked at
};

/// A group as one node has it: which children have hosts of it below them.
struct group_of_node {
  uint16_t id;
  unsigned tree;       ///< the low-latency one: index
  uint64_t children;   ///< ports; none: there is no such group, the place is for one to come
  bool up;             ///< it has hosts that are not below this node
};

struct tree_node_config {
  uint16_t id;
  unsigned ports;   ///< even
  const struct tree_of_node *trees;
  size_t tree_count;
  const struct group_of_node *groups;
  size_t group_count;
  unsigned lock_cells;
  uint64_t patience_ps;      ///< for a child whose siblings have contributed, or to go on with what it began
  uint64_t patience_up_ps;   ///< for the parent, once it has all
};

struct tree_node_counts {
  uint64_t damaged;                         ///< frames with a wrong ICRC
  uint64_t strays;                          ///< frames that are of no connection
  uint64_t late;                            ///< frames of a streaming tree that is no more
  uint64_t refused;                         ///< messages that were no contribution
  uint64_t operations[2];                   ///< done: low latency, streaming
  uint64_t failed;                          ///< of low latency, with another verdict than ok
  uint64_t casts;                           ///< results that were multicast, at each port
  uint64_t casts_taken;                     ///< answers that were taken from the parent's multicasts
  uint64_t columns;                         ///< rows of packets summed by streaming
  uint64_t teardowns;                       ///< trees
  uint64_t locks, lock_failures, unlocks;   ///< taken; found taken; given back, however that came
};

struct tree_node;

/// NULL if out of memory. Tables are copied, and `ends` with them. The caller frees it.
struct tree_node *tree_node_new(const struct tree_node_config *config);
void tree_node_free(struct tree_node *n);

/// While others run: the group with this index is another, or, with NULL, is no more. False, and nothing has changed, if it has an operation under way
/// or a lock cell, if a group of that low-latency tree has its number, or if it has a child that is none of the tree's. A tree's groups are made at run
/// time (SHARP 3).
bool tree_node_change_group(struct tree_node *n, size_t index, const struct group_of_node *group);
/// While others run: a streaming tree that was torn down, and it alone, begins once more, with nothing, and with these ends. False if it is not down, its
/// low-latency partner is, neighbours have not all been told, or out of memory.
bool tree_node_reopen(struct tree_node *n, size_t tree, const struct rc_end_config *ends);

/// A frame came in at `port`. `bad`: its MAC saw that it is damaged.
void tree_node_receive(struct tree_node *n, uint64_t now, unsigned port, const uint8_t *frame, size_t len, bool bad);
/// True if a frame may leave by `port` at `now`.
bool tree_node_ready(const struct tree_node *n, uint64_t now, unsigned port);
/// Builds it. Returns its bytes, or 0 if there is none or `size` is too small.
size_t tree_node_next(struct tree_node *n, uint64_t now, unsigned port, uint8_t *frame, size_t size);
/// When something is due if nothing comes in, or UINT64_MAX; does it, if it is.
uint64_t tree_node_deadline(const struct tree_node *n, uint64_t now);
void tree_node_tick(struct tree_node *n, uint64_t now);

struct tree_node_counts tree_node_counts(const struct tree_node *n);
/// True if this tree (index) was torn down.
bool tree_node_down(const struct tree_node *n, size_t tree);
/// True if no operation is under way, and nothing is kept or waits in a tree that is not torn down.
bool tree_node_quiet(const struct tree_node *n);
const struct tree_locks *tree_node_locks(const struct tree_node *n);
/// The end of a connection, or NULL.
struct rc_end *tree_node_end(const struct tree_node *n, size_t tree, unsigned port);

#endif
