/// Groups of aggregation trees that are destroyed and made anew, with another number, while others run (SHARP 3): at each node that knows them, models and
/// devices, whose registers are told.
#ifndef WEIR_SIM_TREE_REGROUP_H
#define WEIR_SIM_TREE_REGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/engine/collective/tree_net.h"

struct tree_regroup;

/// Both must outlive it; all nodes must be of this process. The caller frees it. Aborts if out of memory.
struct tree_regroup *tree_regroup_new(const struct tree_net_options *options, struct tree_net *net);
void tree_regroup_free(struct tree_regroup *r);
/// Between two operations of a group, of its hosts: destroys it where it has not been since it last got a number, and makes it. True when all nodes know
/// the new one, and hosts may use it; false if one has still something to do for it: ask again later.
bool tree_regroup_step(struct tree_regroup *r, unsigned group, uint16_t *number);
/// Groups that were made anew, each at all its nodes; and times that a node was busy.
uint64_t tree_regroup_done(const struct tree_regroup *r);
uint64_t tree_regroup_busy(const struct tree_regroup *r);

#endif
