/// The backend of a tree of nodes that end connections (host/weir/tree.h): a queue of orders before a group that does one at a time.
#ifndef WEIR_HOST_COLL_NODES_H
#define WEIR_HOST_COLL_NODES_H

#include "host/coll/backend.h"
#include "host/weir/tree.h"

struct nodes;

/// NULL if there is no memory. `tree` has joined its group, and stays the caller's.
struct nodes *nodes_open(struct weir_tree *tree);
/// The calls of it, valid as long as it is.
struct backend nodes_backend(struct nodes *n);
/// Waits for an operation that is under way, which the tree ends in time.
void nodes_close(struct nodes *n);
/// What a verdict of the network is as an errno: 0 for WEIR_TREE_OK.
int nodes_errno(enum weir_tree_verdict verdict);

#endif
