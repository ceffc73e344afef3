/// Collectives over a tree of aggregation nodes in the network (docs/tree.md), for hosts: each host has two RC connections with the node above it, and gives
/// it one operation of its group after the other. Calls are shaped like those of `sharp_coll`, which plugins of NCCL and UCC use: init, groups, memory,
/// all-reduce, reduce, broadcast and barrier, each waited for, or begun without waiting and tested or waited for later; finalize.
///
/// A call returns 0 or a negative errno, which says that it was not begun: -EINVAL, -EMSGSIZE (longer than the tree takes), -EBUSY (a group has one operation at a
/// time), -ENOTCONN (the host is in no group), -ENOMEM. How an operation that was begun has ended is a verdict of the network, and there is one within timeout_ms
/// for each request that it needs, whatever happens. No host falls back to another way by itself. One thread at a time.
#ifndef WEIR_TREE_H
#define WEIR_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coll.h"   // beside it, also where both are installed

#ifdef __cplusplus
extern "C" {
#endif

struct weir_tree_config {
  size_t size;           ///< sizeof of this struct where the program was compiled
  const char *address;   ///< own address on the RDMA network; picks device and GID (default NULL: as gid_index says)
  const char *device;    ///< RDMA device by name, or NULL
  unsigned mtu;   ///< path MTU in bytes, 256 to 4096, the same in the whole tree; 0: what the port has active (default 1024)
  unsigned
      timeout_ms;   ///< for an operation, and for each request of a lock, up to INT_MAX (default 10000); afterwards the tree is given up, for all
  unsigned qp_timeout;   ///< Local ACK Timeout, as verbs have it: 4.096 us * 2^n (default 17: 0.54 s)
  unsigned retries;      ///< Retry Count, 0 to 7 (default 7)
  unsigned lock;         ///< a lock that is taken on the way is for so many operations, 0: until it is given back (default 1)
  unsigned tries;        ///< of such a lock (default 16)
  uint64_t seed;         ///< of the pauses between these: another one on each host
  // From version 1.2 on:
  int gid_index;   ///< entry of the port's table of GIDs, in the place of `address`; -1: by address (default), and without one the first RoCEv2 GID of IPv4
  unsigned port;   ///< of the device (default 1)
  unsigned traffic_class;   ///< of each packet's IP header, DSCP and ECN, 0 to 255 (default 0)
  unsigned service_level;   ///< 0 to 7 (default 0)
  int control_traffic_class,
      control_service_level;   ///< the same of the low-latency connection, which carries locks, barriers and short vectors; -1: as the other (default)
  // From version 1.3 on:
  unsigned
      multicast;   ///< 1: results of the low-latency tree are taken from the node's multicasts, too, whichever comes first (default 0)
};

/// An end of a connection, to be told to who sets up the other one.
struct weir_tree_end {
  uint32_t qpn;   ///< queue pair number
  uint32_t psn;   ///< the first that it sends
};

/// The node above, as its control plane (docs/registers/tree-node.md) was set up.
struct weir_tree_node {
  const char *address;             ///< IPv4 or IPv6; the kernel must know its MAC address (docs/tree.md)
  struct weir_tree_end low, sat;   ///< of the low-latency tree and of the streaming one
  uint16_t low_tree, sat_tree, group;
};

enum weir_tree_way {
  WEIR_TREE_AUTO,    ///< low latency for 1,024 bytes and less, streaming for more
  WEIR_TREE_LOW,     ///< the low-latency tree
  WEIR_TREE_STREAM   ///< the streaming tree, whose lock is taken if the group does not have it
};

enum weir_tree_verdict {
  WEIR_TREE_OK,
  WEIR_TREE_LOCK_FAILED,   ///< another group has the streaming tree: try again later
  WEIR_TREE_DENIED,        ///< hosts asked for things that do not fit each other
  WEIR_TREE_NO_RESOURCE,   ///< a node on the way has no free lock: try again later
  WEIR_TREE_NO_TREE,       ///< the tree is no more
  WEIR_TREE_TIME_OUT,      ///< somebody did not take part in time
  WEIR_TREE_LOST           ///< a host or node does not answer any more
};

/// How an operation ended.
struct weir_tree_status {
  enum weir_tree_verdict verdict;
  uint16_t node;                        ///< who found what is wrong; 65535: a host
  uint8_t port;                         ///< of it, whose neighbour is to blame, from 1 on; 0: nobody's
  uint16_t holder_tree, holder_group;   ///< of a lock that failed
  uint32_t left;                        ///< and its operations, UINT32_MAX: no end
};

struct weir_tree_caps {
  uint32_t low_most, stream_most;   ///< bytes of a vector
  unsigned types, ops;              ///< bit for bit: 1 << weir_coll_type, 1 << weir_coll_op
};

struct weir_tree;
struct weir_tree_memory;

/// Fills a configuration of `size` bytes with the default values; the address is still to be set.
WEIR_API void weir_tree_config_init(struct weir_tree_config *config, size_t size);
/// The same, as a value.
static inline struct weir_tree_config weir_tree_defaults(void) {
  struct weir_tree_config config;
  weir_tree_config_init(&config, sizeof config);
  return config;
}
/// Opens the RDMA device. Variables of the environment (docs/host.md) win over the configuration. 0 and a host for weir_tree_finalize, or -EINVAL, -ENOMEM or -ENODEV
/// and one line in `error` (`size` bytes).
WEIR_API int weir_tree_init(const struct weir_tree_config *config, struct weir_tree **out, char *error, size_t size);
/// Ends the host's part; an operation under way is given up, for all.
WEIR_API void weir_tree_finalize(struct weir_tree *t);
WEIR_API struct weir_tree_caps weir_tree_caps_query(const struct weir_tree *t);
/// The path MTU in bytes, for the node's registers.
WEIR_API unsigned weir_tree_mtu(const struct weir_tree *t);

/// This host's ends, for the node's registers.
WEIR_API struct weir_tree_end weir_tree_low_end(const struct weir_tree *t);
WEIR_API struct weir_tree_end weir_tree_sat_end(const struct weir_tree *t);
/// Joins the group: connects with the node. 0; -EISCONN if it is in one; or another negative errno, and weir_tree_why says what it was.
WEIR_API int weir_tree_group_create(struct weir_tree *t, const struct weir_tree_node *node);
/// Leaves the group; an operation under way is given up, for all. The host then has new ends, and may join another group. 0; -ENOTCONN if it is in none; another
/// negative errno if it has no new ends, and weir_tree_finalize is all that is left.
WEIR_API int weir_tree_group_destroy(struct weir_tree *t);

/// Registers memory of vectors; what is not in registered memory is registered for the time of an operation. 0, or a negative errno.
WEIR_API int weir_tree_reg_mr(struct weir_tree *t, void *data, size_t bytes, struct weir_tree_memory **out);
WEIR_API int weir_tree_dereg_mr(struct weir_tree *t, struct weir_tree_memory *memory);

/// A vector of `count` elements.
struct weir_tree_vector {
  const void *send;   ///< NULL if this host has none to give
  void *receive;      ///< NULL if it wants none; may be `send` itself, and must not overlap it otherwise
  size_t count;
  enum weir_coll_type type;
  enum weir_coll_op op;
  enum weir_tree_way way;
  struct weir_tree_memory *memory;   ///< holds both, or NULL
};

/// Begin one operation, the same on all hosts of the group. Buffers must stay until it is done.
WEIR_API int weir_tree_do_allreduce_nb(struct weir_tree *t, const struct weir_tree_vector *v);
/// One host wants the result: `receive` is NULL on all others.
WEIR_API int weir_tree_do_reduce_nb(struct weir_tree *t, const struct weir_tree_vector *v);
/// One host has the vector: on it `receive` is NULL, on all others `send`.
WEIR_API int weir_tree_do_bcast_nb(struct weir_tree *t, const struct weir_tree_vector *v);
WEIR_API int weir_tree_do_barrier_nb(struct weir_tree *t);
/// The same, which wait until it is done: 0, and how it ended in `status` (NULL: not wanted).
WEIR_API int weir_tree_do_allreduce(struct weir_tree *t, const struct weir_tree_vector *v, struct weir_tree_status *status);
WEIR_API int weir_tree_do_reduce(struct weir_tree *t, const struct weir_tree_vector *v, struct weir_tree_status *status);
WEIR_API int weir_tree_do_bcast(struct weir_tree *t, const struct weir_tree_vector *v, struct weir_tree_status *status);
WEIR_API int weir_tree_do_barrier(struct weir_tree *t, struct weir_tree_status *status);
/// Takes the streaming tree for `operations`, 0: until it is given back, or gives it back.
WEIR_API int weir_tree_lock_nb(struct weir_tree *t, unsigned operations);
WEIR_API int weir_tree_unlock_nb(struct weir_tree *t);
/// Streaming operations that are left of the group's lock: 0 if it has none, UINT_MAX without an end. What is left, all hosts of the group give back before they
/// leave, or nobody else streams through the tree.
WEIR_API unsigned weir_tree_lock_left(const struct weir_tree *t);
/// Results so far that a multicast brought before their reliable copies.
WEIR_API uint64_t weir_tree_multicasts(const struct weir_tree *t);

/// Moves on; never blocks. True if the operation is done; its `status` (NULL: not wanted) then says how: "no tree" if the host is in no group.
WEIR_API bool weir_tree_req_test(struct weir_tree *t, struct weir_tree_status *status);
/// Waits until it is.
WEIR_API struct weir_tree_status weir_tree_req_wait(struct weir_tree *t);

WEIR_API const char *weir_tree_verdict_text(enum weir_tree_verdict verdict);
/// What broke last on this host, in words; empty if nothing did.
WEIR_API const char *weir_tree_why(const struct weir_tree *t);

#ifdef __cplusplus
}
#endif

#endif
