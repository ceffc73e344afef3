/// A node of a gather: its host, its memory, and its NIC with RIG units, concatenator and deconcatenator (NetSparse Figure 4).
///
/// The host cuts its nonzeros into batches and gives one to each RIG unit that is free. Reads of other nodes are served from
/// memory. One PR a cycle goes into the concatenator: responses and reads in turn.
#ifndef WEIR_HOSTS_GATHER_NODE_H
#define WEIR_HOSTS_GATHER_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hosts/gather_element.h"
#include "hosts/gather_rig.h"

struct gather_node_options {
  uint32_t element;                ///< its number in the network, and as a node
  uint32_t units;                  ///< RIG units in client mode, 1 to 65535
  uint32_t tx_depth;               ///< reads that wait for the concatenator
  uint64_t read_delay;             ///< cycles from a read's arrival until its property is there
  uint64_t write_delay;            ///< from a response's arrival until its property is in host memory
  uint64_t begin_delay;            ///< from the host's command until the first index is in the unit
  unsigned tries;                  ///< times that a batch may be given to a unit
  struct gather_rig_options rig;   ///< `tid` is left to the node
  struct gather_concat_options concat;
};

struct gather_node_counts {
  struct gather_rig_counts rig;   ///< of all units
  struct gather_concat_counts concat;
  uint64_t served;       ///< reads answered
  uint64_t strays;       ///< PRs that are not for this node or of no unit of it, packets that are malformed
  uint64_t given_up;     ///< batches that failed too often
  uint64_t finished;     ///< cycle in which the last batch ended
  size_t most_waiting;   ///< packets received that waited at a time
};

struct gather_node;
/// `memory` must outlive it. NULL if out of memory.
struct gather_node *gather_node_new(const struct gather_node_options *options, struct gather_memory *memory, gather_send_fn *send,
                                    void *fabric);
void gather_node_free(struct gather_node *n);
struct gather_element gather_node_element(struct gather_node *n);

/// The indexes of all nonzeros of the node, in their order; a batch is `batch` of them, 1 or more. `idx` must outlive the run.
/// In cycle `now`; again only when it is done.
void gather_node_begin(struct gather_node *n, uint64_t now, const uint32_t *idx, size_t count, size_t batch);
/// All batches have ended, well or not.
bool gather_node_done(const struct gather_node *n);
struct gather_node_counts gather_node_counts(const struct gather_node *n);

#endif
