/// How the hosts of a ring find each other before they have connections: over TCP, all to rank 0.
#ifndef WEIR_HOST_BOOTSTRAP_H
#define WEIR_HOST_BOOTSTRAP_H

#include <stddef.h>
#include <stdint.h>

enum { BOOTSTRAP_MOST = 256 };

struct bootstrap {
  unsigned rank, workers;
  unsigned timeout_ms;           ///< of opening, and of each exchange
  int sockets[BOOTSTRAP_MOST];   ///< at rank 0: of each rank; elsewhere only [0]. -1: none
};

/// Connects. `root` is where rank 0 listens: "10.0.0.1:7471" or "[fd57::1]:7471". Returns 0 or a negative errno (-ETIMEDOUT if not all came
/// within timeout_ms milliseconds); bootstrap_close is due in both cases.
int bootstrap_open(struct bootstrap *b, unsigned rank, unsigned workers, const char *root, unsigned timeout_ms);
/// Everybody gives `bytes` bytes and gets everybody's, by rank. 0, or a negative errno.
int bootstrap_gather(struct bootstrap *b, const void *mine, size_t bytes, void *all);
void bootstrap_close(struct bootstrap *b);

#endif
