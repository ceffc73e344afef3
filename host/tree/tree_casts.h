/// Multicasts of a node's results over libibverbs (SHARP SA 3.1; docs/wire.md): a UD queue pair that listens to the address of a low-latency tree. Nobody counts on
/// what comes here: the reliable connection brings all of it once more.
#ifndef WEIR_HOST_TREE_CASTS_H
#define WEIR_HOST_TREE_CASTS_H

#include <stddef.h>
#include <stdint.h>

#include "host/rdma.h"

/// Multicasts that may wait until somebody looks; those behind them are lost.
enum { TREE_CASTS_PLACES = 8 };

struct tree_casts;

/// Makes the queue pair on an open device. `mark` is in the wr_id of each of its completions, which come to `done`, at most TREE_CASTS_PLACES at once. NULL, and
/// errno, on failure. The caller closes it.
struct tree_casts *tree_casts_open(const struct rdma *r, struct ibv_cq *done, uint64_t mark);
void tree_casts_close(struct tree_casts *c);
/// Listens to a tree's multicasts, those of queue pair `qpn` at the node `gid`: tells the kernel, and with it the switches, which group's packets are wanted. 0, or a
/// negative errno.
int tree_casts_join(struct tree_casts *c, uint16_t tree, const uint8_t gid[16], uint32_t qpn);
/// The message of a completion, until tree_casts_again; NULL if it is none of the node's.
const uint8_t *tree_casts_landed(struct tree_casts *c, const struct ibv_wc *done, size_t *bytes);
/// The place of the message that was shown last may be used again.
void tree_casts_again(struct tree_casts *c);

#endif
