/// Racks and what is between them: a tree of switches, each with a device beside it, and hosts below the leaves.
#ifndef WEIR_SIM_TOPOLOGY_H
#define WEIR_SIM_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  TOPOLOGY_MAX_NODES = 512,
  TOPOLOGY_MAX_HOSTS = 1024,
  TOPOLOGY_MAX_CHILDREN = 63,   ///< hosts or switches below a switch, which has one cable more
  TOPOLOGY_NOBODY = TOPOLOGY_MAX_NODES,
  // Of trees whose switches have aggregators beside them (racks.h).
  RACKS_MAX_NODES = 64,
  RACKS_MAX_HOSTS = 128,
  RACKS_MAX_CHILDREN = 31
};

/// What a user of a topology has room for: at most what is above.
struct topology_limits {
  unsigned nodes, hosts, children;
  unsigned radix;   ///< most ports of a switch that names them; 0: none may
};

/// A switch with its device. Parents come before their children; hosts are numbered from the left, in the order of the leaves.
struct topology_node {
  unsigned parent;     ///< TOPOLOGY_NOBODY: the root
  unsigned child;      ///< which one of its parent's
  unsigned children;   ///< devices below it, or hosts
  bool leaf;
  unsigned first_host, hosts;          ///< all that are below it
  unsigned depth;                      ///< 0: the root
  unsigned radix;                      ///< ports, if they are named; the last one is for the parent. 0: as many as are needed
  uint8_t at[TOPOLOGY_MAX_CHILDREN];   ///< the port of each child, from the first on unless they are named
};

struct topology {
  struct topology_node nodes[TOPOLOGY_MAX_NODES];
  unsigned count, hosts, levels;   ///< levels: switches above a host, of the lowest leaf
};

/// `text` is "leaf-spine:LxH", L leaves with H hosts each below one spine, or "fat-tree:AxB..xH" with any number of levels, one included, or JSON, or the
/// name of a JSON file: a leaf is {"hosts": H}, any other switch {"children": [..]}. The root may be a leaf. With "radix": PORTS, "ports": [..] beside that a switch says how many
/// ports it has, and at which of them its children are. 0, or -1 and one line in `error`.
int topology_read(struct topology *t, const char *text, const struct topology_limits *limits, char *error, size_t size);
/// The `index`th child of a node that is no leaf.
unsigned topology_child(const struct topology *t, unsigned node, unsigned index);
/// Which child is at a port, or `children` of the node.
unsigned topology_at(const struct topology_node *node, unsigned port);
/// The leaf above a host.
unsigned topology_leaf(const struct topology *t, unsigned host);
/// Reduces the hosts' tensors in the order of the tree: each leaf its hosts', each other device its children's (docs/wire.md).
/// `rows[h]` is host h's. 0, or -EINVAL as ina_reduce has it. Aborts if out of memory.
int topology_reduce(const struct topology *t, unsigned node, uint8_t kind, const uint8_t *const rows[], size_t len, uint8_t *out);

#endif
