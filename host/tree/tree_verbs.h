/// The link to a node over libibverbs: two RC queue pairs, one of the low-latency tree and one of the streaming one.
#ifndef WEIR_HOST_TREE_VERBS_H
#define WEIR_HOST_TREE_VERBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/memory.h"
#include "host/rdma.h"
#include "host/tree/tree_link.h"

struct tree_verbs_config {
  struct rdma_config rdma;    ///< its texts must stay as long as it is open
  bool casts;                 ///< listen to the node's multicasts
  uint8_t timeout, retries;   ///< Local ACK Timeout (4.096 us * 2^timeout) and Retry Count
};

/// One end of a connection.
struct tree_verbs_end {
  uint32_t qpn;   ///< queue pair that hears
  uint32_t psn;   ///< first that it sends
};

struct tree_verbs;

/// Opens the device and makes both queue pairs. NULL and a line in `error` on failure. The caller closes it.
struct tree_verbs *tree_verbs_open(const struct tree_verbs_config *config, char *error, size_t size);
void tree_verbs_close(struct tree_verbs *v);
/// Takes both queue pairs away, and makes new ones, which are not connected. 0, or a negative errno and a line in `error`; then closing it is all that is left.
int tree_verbs_renew(struct tree_verbs *v, char *error, size_t size);
/// The path MTU in bytes.
unsigned tree_verbs_mtu(const struct tree_verbs *v);
/// What the node has to know of a connection's end here.
struct tree_verbs_end tree_verbs_own(const struct tree_verbs *v, enum tree_conn conn);
/// Connects both to the node at `address`, whose low-latency tree has the number `tree`, and joins its multicasts first if they are wanted. 0, or a negative errno
/// and a line in `error`.
int tree_verbs_connect(struct tree_verbs *v, const char *address, const struct tree_verbs_end ends[TREE_CONNS], uint16_t tree,
                       char *error, size_t size);
/// Valid as long as `v`.
struct tree_link tree_verbs_link(struct tree_verbs *v);
/// Registers memory that bodies may lie in. 0, or a negative errno. memory_forget is due before `v` is closed.
int tree_verbs_remember(struct tree_verbs *v, void *data, size_t bytes, struct host_memory *out);

#endif
