/// The transport over libibverbs: one RC queue pair to the next host of the ring, one from the host before.
#ifndef WEIR_HOST_VERBS_H
#define WEIR_HOST_VERBS_H

#include <stddef.h>
#include <stdint.h>

#include "host/rdma.h"
#include "host/transport.h"

enum verbs_operation { VERBS_WRITE, VERBS_WRITE_IMM, VERBS_SEND };

struct verbs_config {
  const struct rdma *rdma;   ///< an open device, which others may use, too; it stays the caller's
  enum verbs_operation operation;
  unsigned slots;
  size_t slot_bytes;
  uint8_t timeout, retries;   ///< Local ACK Timeout (4.096 us * 2^timeout) and Retry Count of the queue pairs
};

/// What a host's neighbours must know of it, as it goes over TCP.
enum { VERBS_CARD = 48 };

struct verbs;

/// Makes both queue pairs. NULL and a line in `error` on failure. The caller closes it.
struct verbs *verbs_open(const struct verbs_config *config, char *error, size_t size);
void verbs_close(struct verbs *v);
void verbs_card(const struct verbs *v, uint8_t card[VERBS_CARD]);
/// Connects to the cards of the next host and of the one before. 0, or a negative errno and a line in `error`.
int verbs_connect(struct verbs *v, const uint8_t next[VERBS_CARD], const uint8_t before[VERBS_CARD], char *error, size_t size);
/// Calls for engine and plain; valid as long as `v`.
struct transport verbs_transport(struct verbs *v);
/// What went wrong with the latest completion, in words; empty if nothing did.
const char *verbs_why(const struct verbs *v);

#endif
