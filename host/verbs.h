/// The transport over libibverbs: one RC queue pair to the next host of the ring, one from the host before.
#ifndef WEIR_HOST_VERBS_H
#define WEIR_HOST_VERBS_H

#include <stddef.h>
#include <stdint.h>

#include "host/memory.h"
#include "host/transport.h"

enum verbs_operation { VERBS_WRITE, VERBS_WRITE_IMM, VERBS_SEND };

struct verbs_config {
  const char *device;    ///< name of the RDMA device; NULL: the first that has `address`
  const char *address;   ///< own IPv4 or IPv6 address on it; picks the RoCEv2 GID
  unsigned mtu;          ///< path MTU, 256 to 4096
  enum verbs_operation operation;
  unsigned slots;
  size_t slot_bytes;
  uint8_t timeout, retries;   ///< Local ACK Timeout (4.096 us * 2^timeout) and Retry Count of the queue pairs
};

/// What a host's neighbours must know of it, as it goes over TCP.
enum { VERBS_CARD = 48 };

struct verbs;

/// Opens the device and makes both queue pairs. NULL and a line in `error` on failure. The caller closes it.
struct verbs *verbs_open(const struct verbs_config *config, char *error, size_t size);
void verbs_close(struct verbs *v);
void verbs_card(const struct verbs *v, uint8_t card[VERBS_CARD]);
/// Connects to the cards of the next host and of the one before. 0, or a negative errno and a line in `error`.
int verbs_connect(struct verbs *v, const uint8_t next[VERBS_CARD], const uint8_t before[VERBS_CARD], char *error, size_t size);
/// Calls for engine and plain; valid as long as `v`.
struct transport verbs_transport(struct verbs *v);
/// Registers memory that bodies may lie in. 0, or a negative errno. memory_forget is due before `v` is closed.
int verbs_remember(struct verbs *v, void *data, size_t bytes, struct host_memory *out);
/// What went wrong with the latest completion, in words; empty if nothing did.
const char *verbs_why(const struct verbs *v);

#endif
