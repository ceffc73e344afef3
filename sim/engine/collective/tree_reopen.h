/// A streaming tree that was torn down, it alone, is set up once more while the low-latency one of its pair runs on (SHARP 3.2: hosts begin anew): at all
/// nodes, models and devices, whose registers are told, and at all hosts.
#ifndef WEIR_SIM_TREE_REOPEN_H
#define WEIR_SIM_TREE_REOPEN_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/engine/collective/tree_net.h"

struct tree_reopen;

/// Both must outlive it; all nodes must be of this process, and have one pair of trees. `retire` is called with each end of a model that is no more. The caller
/// frees it. Aborts if out of memory.
struct tree_reopen *tree_reopen_new(const struct tree_net_options *options, struct tree_net *net,
                                    void (*retire)(void *user, struct rc_end *end), void *user);
void tree_reopen_free(struct tree_reopen *r);
/// True if the tree is no more at a host, and can be again.
bool tree_reopen_due(const struct tree_reopen *r, unsigned host);
/// No host of it has an operation under way. True when the tree is there again, with nothing, at everybody; false while news of its end is on its way, or a
/// node is busy: ask again later, TREE_REOPEN_PS.
bool tree_reopen_step(struct tree_reopen *r);
/// Times that it was set up again.
uint64_t tree_reopen_done(const struct tree_reopen *r);

/// All must have stood still for so long.
enum { TREE_REOPEN_PS = 2000000 };

#endif
