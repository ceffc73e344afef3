/// An RDMA device by its RoCEv2 address, and RC queue pairs on it: what every transport of the host library begins with.
#ifndef WEIR_HOST_RDMA_H
#define WEIR_HOST_RDMA_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/memory.h"

/// Which device, and which of its ports and addresses.
struct rdma_config {
  const char *device;      ///< name; NULL: the first that has the address
  const char *address;     ///< own IPv4 or IPv6 address, whose RoCEv2 GID is taken; NULL: the first RoCEv2 GID of an IPv4 address
  int gid_index;           ///< the entry of the port's table of GIDs, whatever address it is; -1: by `address`
  unsigned port;           ///< from 1 on
  unsigned mtu;            ///< path MTU in bytes, 256 to 4096, a power of two; 0: what the port has active
  size_t message;          ///< bytes of the longest message; 0: not known yet
  uint8_t traffic_class;   ///< of each packet's IP header: DSCP and ECN
  uint8_t service_level;   ///< 0 to 7, which Ethernet has as priority
  uint8_t control_traffic_class, control_service_level;   ///< of queue pairs that carry control messages alone
};

struct rdma {
  struct ibv_context *context;
  struct ibv_pd *pd;
  union ibv_gid gid;   ///< of the own address
  uint8_t gid_index;
  unsigned interface;          ///< network interface of the address, as the kernel counts them
  unsigned port_mtu;           ///< bytes, active at the port
  size_t port_message;         ///< bytes of the longest message that it takes
  struct rdma_config config;   ///< with the path MTU that queue pairs are connected with
};

/// How a queue pair is connected: whose it is on the other side, and how long its requester tries.
struct rdma_peer {
  uint8_t gid[16];
  uint32_t qpn;
  uint32_t receive_psn, send_psn;
  uint8_t timeout, retries;   ///< Local ACK Timeout (4.096 us * 2^timeout), Retry Count
  bool control;               ///< it carries control messages and acknowledgements alone
};

/// Opens a device, whose port must carry the path MTU and messages that are asked for. The configuration's texts must stay as long as it is open. False and one line in `error` on failure; rdma_close is due in both cases.
bool rdma_open(struct rdma *r, const struct rdma_config *config, char *error, size_t size);
void rdma_close(struct rdma *r);
/// The GID that an address has: IPv4 ones are mapped into IPv6. False if it is no address.
bool rdma_gid(const char *address, uint8_t gid[16]);
/// A first PSN that is not that of the program before.
uint32_t rdma_psn(void);
/// An RC queue pair in INIT; `written`: the other side may write to memory that is registered for it. NULL, and errno, on failure.
struct ibv_qp *rdma_pair(const struct rdma *r, struct ibv_cq *sends, struct ibv_cq *receives, unsigned most_sends,
                         unsigned most_receives, unsigned pieces, bool written);
/// Brings it to RTS. 0, or a negative errno.
int rdma_connect(const struct rdma *r, struct ibv_qp *pair, const struct rdma_peer *peer);
/// Registers a caller's memory. 0, or a negative errno.
int rdma_remember(const struct rdma *r, void *data, size_t bytes, struct host_memory *out);
/// What a completion that failed is called.
int rdma_errno(enum ibv_wc_status status);

#endif
