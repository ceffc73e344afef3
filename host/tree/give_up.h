/// What of a host's part in a tree the library itself uses, and no program.
#ifndef WEIR_HOST_TREE_GIVE_UP_H
#define WEIR_HOST_TREE_GIVE_UP_H

#include "host/weir/tree.h"

/// Ends what is under way: the tree is no more for this host, and its node is told.
void tree_give_up(struct weir_tree *tree);

#endif
