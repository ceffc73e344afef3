/// What the environment says of a communicator, and of a host below a tree's node (docs/host.md has the table): it wins over what the program says.
#ifndef WEIR_HOST_COLL_ENVIRONMENT_H
#define WEIR_HOST_COLL_ENVIRONMENT_H

#include "host/weir/coll.h"
#include "host/weir/tree.h"

/// Changes the configuration. Texts of it are the environment's then, and stay as long as that does. 0, or -EINVAL and one line in `error` that names the variable.
int environment_read(struct weir_coll_config *config, char *error, size_t size);
/// The same of a host below a tree's node.
int environment_read_tree(struct weir_tree_config *config, char *error, size_t size);
/// A set of enum weir_coll_backend from its names with commas between them. 0: it is none.
unsigned environment_backends(const char *text);

#endif
