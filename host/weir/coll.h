/// Collectives over RDMA through aggregation devices in the network, for hosts: one communicator a process and ring.
///
/// Three backends carry them, with the same calls and the same errors. The aggregator: hosts of a ring open an RC connection each to the next one, and a device
/// sums what passes (docs/protocol.md), so that a host receives sums in place of its neighbour's numbers. The tree: nodes that end the hosts' connections
/// (docs/tree.md, weir/tree.h). The ring: the hosts do it themselves. Where several may be used, the one that was measured to be the fastest for a size takes it.
/// Calls are shaped like those of NCCL's CollNet: init, reduceSupport, regMr, iallreduce, test, close.
///
/// Sums are the same on all hosts and in every run. The aggregator adds in a balanced tree over the ranks, the tree in the half rings of its nodes (docs/wire.md),
/// the ring of hosts one rank after the other, from the one behind the segment's own on; 16-bit numbers are rounded once at a device, and after each host in the ring.
///
/// Every call returns 0, or a negative errno; weir_coll_why says in words what it was. After an error of a connection (-EHOSTUNREACH:
/// the next host or node does not answer; -ECONNRESET, -EIO: a queue pair failed; -EPROTO: a wrong answer came; -EBADMSG: one without the device's mark, which may be one rank's numbers; -ETIMEDOUT: nothing moved for
/// timeout_ms; -EINVAL: hosts asked for different things; of a tree also -EBUSY: another group holds it; -ENOBUFS: a node has no room; -ENODEV: it is no more) the communicator can only be closed, and every call says the same again. One thread at a time may use a communicator, several
/// threads several ones. A child that fork made must leave it alone: calls there return -EPERM. With WEIR_DEBUG in the environment a line on standard error tells what was chosen, and each failure.
///
/// How long an error takes: what waits for a host that is gone fails within (retries + 1) * 4.096 us * 2^qp_timeout by its queue pair,
/// or within timeout_ms, whichever is first: 4.3 s with the default values. So all hosts must start an all-reduce within that time, too.
/// Linux's rdma_rxe takes 7 retries for any number: there it is timeout_ms, 10 s, unless retries is 6 or less.
#ifndef WEIR_COLL_H
#define WEIR_COLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The version of this header: 10000 * major + 100 * minor + patch. Libraries of one major version take programs of every earlier minor one.
#define WEIR_COLL_VERSION 10300
#ifndef WEIR_API
#define WEIR_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum weir_coll_type { WEIR_COLL_FP32, WEIR_COLL_FP16, WEIR_COLL_BF16, WEIR_COLL_INT32 };
/// AVERAGE: the sum as the backend makes it, and then each element divided by the number of hosts and rounded once more; not of INT32.
enum weir_coll_op { WEIR_COLL_SUM, WEIR_COLL_MIN, WEIR_COLL_MAX, WEIR_COLL_AVERAGE };
/// How a message goes. With WEIR_COLL_WRITE nobody tells of its arrival: the receiver polls memory, which needs hosts whose NICs write a
/// message's last word last (rdma_rxe does; over PCIe, without relaxed ordering).
enum weir_coll_verb { WEIR_COLL_WRITE, WEIR_COLL_WRITE_IMM, WEIR_COLL_SEND };
/// Who reduces. AUTO: the device if one answers a trial at init, else the hosts; DEVICE (default): a device, or init fails; HOSTS: they themselves.
enum weir_coll_way { WEIR_COLL_AUTO, WEIR_COLL_DEVICE, WEIR_COLL_HOSTS };

/// What carries operations; a set of them is the sum of some.
enum weir_coll_backend { WEIR_COLL_AGGREGATOR = 1, WEIR_COLL_TREE = 2, WEIR_COLL_RING = 4 };

/// The program's own exchange, as launchers have it: everybody gives `bytes` bytes and gets everybody's, by rank. 0, or a negative errno.
typedef int weir_coll_all_gather(void *context, const void *mine, size_t bytes, void *all);
struct weir_coll_config {
  size_t size;   ///< sizeof of this struct where the program was compiled: members that it does not know keep their defaults
  unsigned rank, workers;   ///< 0 to workers - 1; workers 2 to 256 (the device's ring has room for fewer)
  const char *root;         ///< where rank 0 listens for the others, "10.0.0.1:7471", "[fd57::1]:7471" or "name:7471"
  uint64_t job;             ///< number of the job, the same on all hosts: hosts of another one are turned away (default 0)
  const void *
      secret;   ///< what the hosts of a job know and nobody else: without it a host is dropped, whoever it says it is (default NULL: none)
  size_t secret_bytes;
  weir_coll_all_gather *all_gather;   ///< instead of root, job and secret; called in init, barrier and close (default NULL)
  void *all_gather_context;
  const char *address;   ///< own address on the RDMA network; picks device and GID (default NULL: as gid_index says)
  const char *device;    ///< RDMA device by name, or NULL
  uint16_t ring;         ///< RingID, as the device's control plane has it
  unsigned window;       ///< messages outstanding, at most the device's N (default 2)
  unsigned
      msglen;   ///< packets of a message, at most the ring's; 0: 170 KB of them, 170 at most, and what all ports take (default 0)
  unsigned
      mtu;   ///< path MTU in bytes, 256 to 4096, as the device's slots have; 0: what the ports of all hosts carry, and where a device may sum 1024 at most (default 0)
  enum weir_coll_verb verb;
  enum weir_coll_way way;
  unsigned timeout_ms;   ///< of init as a whole, and later without progress until a call fails; up to INT_MAX (default 10000)
  unsigned qp_timeout;   ///< Local ACK Timeout, as verbs have it: 4.096 us * 2^n (default 17: 0.54 s)
  unsigned retries;      ///< Retry Count, 0 to 7 (default 7)
  bool
      unmarked;   ///< takes results without marks, too, as devices of the paper send them: one that loses its memory in the middle of a
                  ///< message may cause a wrong sum (default false). WEIR_COLL_WRITE cannot look for marks, and needs it
  // From version 1.1 on:
  struct weir_tree *
      tree;   ///< of WEIR_COLL_TREE: it has joined its group (weir_tree_group_create), does nothing else until close, and stays the caller's (default NULL)
  unsigned backends;   ///< which may be used: all of them must be there, or init fails (default 0: one of them, by `way`)
  unsigned
      rings;   ///< rings of the aggregator at once, RingID `ring` onwards: a large tensor is shared by all of them; 1 to 8 (default 1)
  int gid_index;   ///< entry of the port's table of GIDs, in the place of `address`; -1: by address (default), and without one the first RoCEv2 GID of IPv4
  unsigned port;   ///< of the device (default 1)
  unsigned traffic_class;   ///< of each packet's IP header, DSCP and ECN, 0 to 255 (default 0)
  unsigned service_level;   ///< 0 to 7 (default 0)
  // From version 1.2 on, the same of what is not data: acknowledgements, and where hosts meet over TCP what they say (there above 6 for privileged programs alone).
  int control_traffic_class;   ///< 0 to 255; -1: as the data, and over TCP as the system has it (default -1)
  int control_service_level;   ///< 0 to 7; likewise (default -1)
};

struct weir_coll;
struct weir_tree;
struct weir_coll_memory;
struct weir_coll_request;

/// The version of the library, as WEIR_COLL_VERSION has that of the header.
WEIR_API unsigned weir_coll_version(void);
/// Fills a configuration of `size` bytes with the default values; rank, workers and root are still to be set.
WEIR_API void weir_coll_config_init(struct weir_coll_config *config, size_t size);
/// The same, as a value.
static inline struct weir_coll_config weir_coll_defaults(void) {
  struct weir_coll_config config;
  weir_coll_config_init(&config, sizeof config);
  return config;
}
/// Meets the other hosts, connects, tries whether a device answers, and measures if several backends may be used. Variables of the environment (docs/host.md) win over the
/// configuration. 0 and a communicator for weir_coll_close, or a negative errno and
/// one line in `error` (`size` bytes): -EINVAL also if hosts are set up in different ways, -ETIMEDOUT if not all hosts came, -EACCES for another
/// secret, -ENODEV, and what a broken connection gives. Who connects to rank 0 and is no host of the job is dropped. A host that fails tells the others why.
WEIR_API int weir_coll_init(const struct weir_coll_config *config, struct weir_coll **out, char *error, size_t size);
/// Ends what is under way, then all; after a failure at once, and the other hosts hear of it. Waits for the other hosts, timeout_ms at most for each step, so that
/// nobody's last message goes unanswered. Requests and memory that are left are freed. 0, or the error that it found.
WEIR_API int weir_coll_close(struct weir_coll *coll);
/// Ends all at once: requests under way are lost, and the other hosts hear that this one has given up. Frees what close does. 0.
WEIR_API int weir_coll_abort(struct weir_coll *coll);

/// True if elements of this type can be reduced by this operation: all of the above can, but for averages of INT32.
WEIR_API bool weir_coll_reduce_support(enum weir_coll_type type, enum weir_coll_op op);
/// Bytes of an element, or 0 for an unknown type.
WEIR_API size_t weir_coll_element(enum weir_coll_type type);
/// Registers memory that is sent from: it is read in place then, instead of being copied. 0, or a negative errno.
WEIR_API int weir_coll_reg_mr(struct weir_coll *coll, void *data, size_t bytes, struct weir_coll_memory **out);
/// Ends it. 0, or -EBUSY while requests that read registered memory are under way, -EINVAL if it is none of this communicator.
WEIR_API int weir_coll_dereg_mr(struct weir_coll *coll, struct weir_coll_memory *memory);

/// Begins to reduce `count` elements of `send` into `receive`, which may be `send` itself and must not overlap it otherwise. All hosts
/// begin the same all-reduces in the same order; up to 16 may be under way. `memory` is the registration that holds `send`, or NULL. Both
/// buffers stay the caller's and must stay until weir_coll_test says done. 0 and a request, or -EINVAL, -EAGAIN (too many), -ENOMEM, or the
/// communicator's error.
WEIR_API int weir_coll_iallreduce(struct weir_coll *coll, const void *send, void *receive, size_t count, enum weir_coll_type type,
                                  enum weir_coll_op op, struct weir_coll_memory *memory, struct weir_coll_request **out);
/// The same, but only `root` receives; `receive` is not looked at elsewhere.
WEIR_API int weir_coll_ireduce(struct weir_coll *coll, const void *send, void *receive, size_t count, enum weir_coll_type type,
                               enum weir_coll_op op, unsigned root, struct weir_coll_memory *memory,
                               struct weir_coll_request **out);
/// Begins to give `bytes` bytes of `root` to all; their bits stay as they are. The limits of weir_coll_iallreduce, also below.
WEIR_API int weir_coll_ibroadcast(struct weir_coll *coll, void *data, size_t bytes, unsigned root,
                                  struct weir_coll_request **out);
/// Begins to reduce workers * `count` elements of `send`; of the result host r receives elements r * count and on. `receive` may be that part of `send`.
WEIR_API int weir_coll_ireduce_scatter(struct weir_coll *coll, const void *send, void *receive, size_t count,
                                       enum weir_coll_type type, enum weir_coll_op op, struct weir_coll_memory *memory,
                                       struct weir_coll_request **out);
/// Begins to give everybody's `bytes` bytes to all: those of host r at r * bytes of `receive`. `send` may be the own part of `receive`.
WEIR_API int weir_coll_iall_gather(struct weir_coll *coll, const void *send, void *receive, size_t bytes,
                                   struct weir_coll_request **out);
/// Begins a barrier through the network, as any other operation: it is done when all hosts have begun it.
WEIR_API int weir_coll_ibarrier(struct weir_coll *coll, struct weir_coll_request **out);
/// Moves all that is under way on; never blocks. `*done` true: `request` is done and freed. On an error (the return value) it will not be done: weir_coll_close frees it, and until then its
/// buffers must stay, since a tree may still write there.
WEIR_API int weir_coll_test(struct weir_coll *coll, struct weir_coll_request *request, bool *done);
/// Ends what is under way, and waits until all hosts are here, timeout_ms at most without progress. Requests are still to be tested.
WEIR_API int weir_coll_barrier(struct weir_coll *coll);

/// True if devices reduce, of every size, false if the hosts do.
WEIR_API bool weir_coll_offloaded(const struct weir_coll *coll);
/// Who reduces and why, in words. Valid until weir_coll_close.
WEIR_API const char *weir_coll_chosen(const struct weir_coll *coll);
/// Who carries an operation whose tensor has `bytes` bytes (with all segments, if it has some). In `text` (`size` bytes, may be NULL) why: what was measured.
WEIR_API enum weir_coll_backend weir_coll_chosen_for(const struct weir_coll *coll, size_t bytes, char *text, size_t size);
/// Path MTU in bytes and packets of a message, as the program said or as init found that all ports carry them.
WEIR_API void weir_coll_path(const struct weir_coll *coll, unsigned *mtu, unsigned *msglen);
/// What the first error of the communicator was, in words; empty if there was none. Valid until weir_coll_close.
WEIR_API const char *weir_coll_why(const struct weir_coll *coll);

#ifdef __cplusplus
}
#endif

#endif
