/// A node of a gather: its host, its memory, and its NIC.
///
/// The host cuts its nonzeros into batches and gives one to each RIG unit of the NIC that is free.
#ifndef WEIR_HOSTS_GATHER_NODE_H
#define WEIR_HOSTS_GATHER_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hosts/gather/gather_element.h"
#include "hosts/gather/gather_nic.h"

struct gather_node_options {
  unsigned tries;         ///< times that a batch may be given to a unit
  gather_nic_fn *make;    ///< makes the NIC; NULL: the model
  gather_room_fn *room;   ///< for the NIC's calls
  gather_taken_fn *taken;
  struct gather_nic_options nic;
};

struct gather_node_counts {
  struct gather_nic_counts nic;
  uint64_t given_up;   ///< batches that failed too often
  uint64_t broken;     ///< times that a batch that had ended well, or just did, lacked a bit of the filter
  uint64_t finished;   ///< cycle in which the last batch ended
};

struct gather_node;
/// `memory` must outlive it. NULL if out of memory.
struct gather_node *gather_node_new(const struct gather_node_options *options, struct gather_memory *memory, gather_send_fn *send,
                                    void *fabric);
void gather_node_free(struct gather_node *n);
struct gather_element gather_node_element(const struct gather_node *n);

/// The indexes of all nonzeros of the node, in their order; a batch is `batch` of them, 1 or more. `idx` must outlive the run.
/// In cycle `now`; again only when it is done.
void gather_node_begin(struct gather_node *n, uint64_t now, const uint32_t *idx, size_t count, size_t batch);
/// All batches have ended, well or not.
bool gather_node_done(const struct gather_node *n);
/// Whether the batch of this nonzero has ended well, so that its property is there; else whatever depends on it is refused.
bool gather_node_has(const struct gather_node *n, size_t nonzero);
/// The next node from `from` on that has not answered, as this host sees it: of each batch that it has given up, the owner of the first property
/// that is not there, which was asked for in each try. UINT32_MAX: none.
uint32_t gather_node_silent(const struct gather_node *n, uint32_t from);
/// Cycle in which the last batch so far ended. May be asked at any time.
uint64_t gather_node_finished(const struct gather_node *n);
/// What went wrong first in a NIC that can tell, in words; NULL if nothing did. Asked when nothing is under way.
const char *gather_node_fault(const struct gather_node *n);
struct gather_node_counts gather_node_counts(const struct gather_node *n);

#endif
