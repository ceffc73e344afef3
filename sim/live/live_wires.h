/// What a run of `weir live` has to know of what is between its guests.
#ifndef WEIR_SIM_LIVE_WIRES_H
#define WEIR_SIM_LIVE_WIRES_H

#include <stdbool.h>

/// The aggregator and its switch (live_net.h), or the nodes of a tree (tree/live_tree_net.h).
struct live_wires {
  void *self;
  bool (*step)(void *self);          ///< moves what can be moved now. False if there was nothing to do
  bool (*idle)(const void *self);    ///< nothing has to be done before a socket can be read
  bool (*sound)(const void *self);   ///< nothing was wrong so far
};

#endif
