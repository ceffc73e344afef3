/// What a tree node can be built as: plain data, without the Verilated device behind it.
#ifndef WEIR_DRIVE_NODE_CONFIG_H
#define WEIR_DRIVE_NODE_CONFIG_H

#include <stddef.h>

/// One named configuration (rtl/top/tree_configs.csv, tree_ecc_configs.csv).
struct node_config {
  const char *name;
  unsigned ports, wide_lanes;
  unsigned queue_room, send_room;   ///< packets of a connection: that wait to be added, and to be acknowledged
  unsigned rows;                    ///< of 64 bytes, of the longest packet
  unsigned ecc;                     ///< 1: its memories are corrected
};

/// The smallest one with so many ports; NULL if none has.
const struct node_config *node_config_for(unsigned ports);
/// The same of those whose memories are corrected.
const struct node_config *node_config_corrected(unsigned ports);
/// The one of this name; NULL if there is none.
const struct node_config *node_config_named(const char *name);
/// The one with the most ports.
const struct node_config *node_config_largest(void);

#endif
