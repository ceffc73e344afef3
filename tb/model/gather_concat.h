/// Golden model of the concatenator: PRs of one type and destination share a packet if they come close in time (NetSparse 6.1).
///
/// A queue per type and destination. It is sent when the next PR of its length would not fit, or when its first PR has waited
/// `delay` cycles, or when a PR of another length or generation comes. The expiry queue holds {queue, time} in order of time; its head is looked at once a cycle, after that cycle's
/// PR has gone in: a PR that fills a queue in the cycle in which it expires wins, and there is one packet. An entry whose queue
/// was sent before stays, dead, until it is the head. At most one entry goes in a cycle and one look is taken, so no queue leaves
/// late.
///
/// Queues are static (each as large as a packet), or virtual: chains of pieces from one pool (NetSparse 7.2). An empty pool makes
/// the queue at the head of the expiry queue leave early, one a cycle, and the PR wait.
#ifndef WEIR_MODEL_GATHER_CONCAT_H
#define WEIR_MODEL_GATHER_CONCAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/gather.h"

/// Bytes of a piece of a virtual queue.
#define GATHER_PIECE_BYTES 128u
#define GATHER_NEVER UINT64_MAX

struct gather_concat_options {
  uint32_t nodes;          ///< destinations are 0 to `nodes` - 1
  size_t mtu, upper;       ///< a packet is `mtu` bytes at most, `upper` of them around the concatenation header
  uint64_t delay;          ///< cycles that a queue's first PR may wait
  uint32_t expiry_depth;   ///< entries of the expiry queue, 1 or more
  bool virtual_queues;
  uint32_t pieces;   ///< in the pool, if `virtual_queues`
  bool alone;        ///< each PR is a packet: no concatenation
};

/// What became of a PR.
enum gather_push { GATHER_TAKEN, GATHER_WAIT_EXPIRY, GATHER_WAIT_POOL };

struct gather_concat_counts {
  uint64_t prs, packets;
  uint64_t full, expired;              ///< packets by reason; the rest of them: another length came, or the pool was empty
  uint64_t other_len, pool_flushes;    ///< `other_len`: of another length or generation
  uint64_t waits_expiry, waits_pool;   ///< cycles that a PR had to wait
  uint64_t latest;                     ///< most cycles after its expiry time that a queue left
  uint32_t most_pieces;                ///< in use at a time, if virtual
  uint32_t most_entries;               ///< in the expiry queue at a time
};

/// Takes a packet: `len` bytes from its concatenation header on, valid during the call.
typedef void gather_packet_fn(void *user, const uint8_t *data, size_t len);

struct gather_concat;
/// NULL if out of memory. `packet` gets each packet.
struct gather_concat *gather_concat_new(const struct gather_concat_options *options, gather_packet_fn *packet, void *user);
void gather_concat_free(struct gather_concat *c);

/// One PR in cycle `now`, at most one a cycle. If it must wait, it is to be offered again next cycle. The PR fits into a packet.
enum gather_push gather_concat_push(struct gather_concat *c, uint64_t now, const struct gather_request *r);
/// The end of cycle `now`: looks at the head of the expiry queue, also for all earlier cycles since the last call, in which
/// nothing was pushed.
void gather_concat_tick(struct gather_concat *c, uint64_t now);
/// The next cycle in which gather_concat_tick does something if nothing is pushed; GATHER_NEVER if it never will.
uint64_t gather_concat_next(const struct gather_concat *c);
/// PRs in its queues.
uint64_t gather_concat_held(const struct gather_concat *c);
/// Pieces of the pool not in use.
uint32_t gather_concat_free_pieces(const struct gather_concat *c);
const struct gather_concat_counts *gather_concat_counts(const struct gather_concat *c);
/// Adds the counts of another concatenator; of highest values the higher one stays.
void gather_concat_add(struct gather_concat_counts *sum, const struct gather_concat_counts *more);

#endif
