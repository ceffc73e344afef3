/// How the hosts of a ring find each other before they have connections: over the caller's all-gather, or over TCP, all to rank 0 (docs/host.md).
///
/// Whoever connects and is no host of the job is dropped, and the job goes on. A host of the job that is set up in another way ends it, and both sides
/// name what differs. A host that fails tells the others why, so that all have the true cause. One that waits for long says for what: hosts that wait for each
/// other with different things hear so.
#ifndef WEIR_HOST_MEET_BOOTSTRAP_H
#define WEIR_HOST_MEET_BOOTSTRAP_H

#include <stddef.h>
#include <stdint.h>

#include "host/meet/greeting.h"

enum {
  BOOTSTRAP_MOST = 256,
  BOOTSTRAP_WHY = 200,
  BOOTSTRAP_WORDS = 64,
  BOOTSTRAP_GRACE_MS = 500   ///< a host waits so much longer than rank 0 does, for what that says of a time-out
};

/// Everybody gives `bytes` bytes and gets everybody's, by rank. 0, or a negative errno.
typedef int bootstrap_all_gather(void *context, const void *mine, size_t bytes, void *all);

/// What a host waits for.
struct bootstrap_wait {
  bool told;
  uint64_t number;
  char text[BOOTSTRAP_WORDS];
};

struct bootstrap {
  struct greeting_self self;
  unsigned timeout_ms;
  uint64_t deadline;              ///< of clock_monotonic_ms, for all exchanges until then; 0: each has timeout_ms
  bootstrap_all_gather *gather;   ///< the caller's, or NULL
  void *context;
  int traffic_class, priority;   ///< of what is said over TCP; -1: as the system has it
  int sockets[BOOTSTRAP_MOST];   ///< at rank 0: of each rank; elsewhere only [0]. -1: none
  struct greeting_session sessions[BOOTSTRAP_MOST];
  struct bootstrap_wait waits[BOOTSTRAP_MOST];   ///< at rank 0: the latest of each
  unsigned dropped;                              ///< who connected and was no host of the job
  int code;                                      ///< of the first failure: it stays
  char why[BOOTSTRAP_WHY];
};

/// Nothing is open, so that it may be closed.
void bootstrap_clear(struct bootstrap *b);
/// Meets the others, until b->deadline = timeout_ms milliseconds from now. `root` is where rank 0 listens: "10.0.0.1:7471", "[fd57::1]:7471", "name:7471", each address
/// of it; not needed with b->gather. 0, or a negative errno, and b->why in words: -ETIMEDOUT if not all came, -EACCES for another secret, -EINVAL if hosts
/// are set up in different ways. bootstrap_clear comes before it, and bootstrap_close behind it in both cases.
int bootstrap_open(struct bootstrap *b, const struct greeting_self *self, const char *root, unsigned timeout_ms);
/// Everybody gives `bytes` bytes and gets everybody's, by rank. 0, or a negative errno and b->why, the same from then on.
int bootstrap_gather(struct bootstrap *b, const void *mine, size_t bytes, void *all);
/// Looks whether another host has failed or is gone; never blocks longer than the reading of what one said. 0, or its failure and b->why.
int bootstrap_heed(struct bootstrap *b);
/// Tells rank 0 that this host waits for `number` of what all do in the same order, and what that is, in words. As soon as another waits for that number of
/// something else, bootstrap_heed of each host has -EINVAL, "rank 1 does .., and rank 2 ..". Over the caller's all-gather nothing can be told.
void bootstrap_wait(struct bootstrap *b, uint64_t number, const char *text);
/// Tells the others why this host ends, once.
void bootstrap_tell(struct bootstrap *b, int code, const char *why);
void bootstrap_close(struct bootstrap *b);

/// Keeps the first failure. Returns `code`.
int bootstrap_blame(struct bootstrap *b, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
