/// `weir live --tree`: Linux hosts connect queue pairs with Verilated tree nodes (docs/tree.md), and reduce through them.
#ifndef WEIR_SIM_LIVE_TREE_H
#define WEIR_SIM_LIVE_TREE_H

#include "sim/live/live_run.h"

/// The whole run but for its outputs' names: guests, jobs, verdict, table, summary. `seconds`: when it began (base/clock.h). The exit code.
int live_tree_run(struct live_run *r, double start);

#endif
