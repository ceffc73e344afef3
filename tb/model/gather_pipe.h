/// Golden model of a switch's middle pipe: deconcatenator, property cache, concatenator (NetSparse 6.2.1).
///
/// A read that hits becomes a response to whoever asked; one that misses goes on. A response leaves its property in the cache and
/// goes on. Each PR that comes in goes out once. PRs of another generation than the cache's go on as they are: what they bring is of
/// no use any more.
#ifndef WEIR_MODEL_GATHER_PIPE_H
#define WEIR_MODEL_GATHER_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/gather_cache.h"
#include "model/gather_concat.h"
#include "wire/gather.h"

struct gather_pipe_options {
  struct gather_concat_options concat;
  uint32_t cache_sets;   ///< power of two; 0: no cache
  uint32_t cache_mode;   ///< of gather_cache_mode
};

struct gather_pipe;
/// NULL if out of memory. `packet` gets each packet that leaves.
struct gather_pipe *gather_pipe_new(const struct gather_pipe_options *options, gather_packet_fn *packet, void *user);
void gather_pipe_free(struct gather_pipe *p);

/// One PR in cycle `now`. `keep`: a response may be cached, a read may turn around; if it may not, it goes on. If it must wait (the concatenator's answer), it is to be offered
/// again to gather_pipe_again next cycle.
enum gather_push gather_pipe_push(struct gather_pipe *p, uint64_t now, const struct gather_request *r, bool keep);
enum gather_push gather_pipe_again(struct gather_pipe *p, uint64_t now);
/// What the latest PR became on its way to the concatenator.
const struct gather_request *gather_pipe_latest(const struct gather_pipe *p);
/// As gather_concat_tick and gather_concat_next.
void gather_pipe_tick(struct gather_pipe *p, uint64_t now);
uint64_t gather_pipe_next(const struct gather_pipe *p);
/// All lines of the cache become invalid; from now on it is of this generation. Before the first call it is of generation 0.
void gather_pipe_invalidate(struct gather_pipe *p, uint16_t generation);

/// True if what went in is what came out and nothing is held: the check at the end of a run.
bool gather_pipe_balanced(const struct gather_pipe *p);
/// PRs of another generation than the cache's.
uint64_t gather_pipe_older(const struct gather_pipe *p);
/// All zero if there is no cache.
struct gather_cache_counts gather_pipe_cache_counts(const struct gather_pipe *p);
const struct gather_concat_counts *gather_pipe_concat_counts(const struct gather_pipe *p);

#endif
