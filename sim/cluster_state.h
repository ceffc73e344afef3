/// What a cluster holds; shared by the cluster*.c files only.
#ifndef WEIR_SIM_CLUSTER_STATE_H
#define WEIR_SIM_CLUSTER_STATE_H

#include "sim/cluster.h"

enum {
  CLUSTER_CYCLE_PS = 4000,
  CLUSTER_MAX_FRAME = 16384,
  CLUSTER_TEXTS = 8,
  CLUSTER_TEXT_BYTES = 200,
  CLUSTER_RING_ID = 1   ///< of the first ring
};

/// One rank of one ring.
struct seat {
  struct worker *worker;
  uint8_t *tensor, *result;
  size_t results;
  uint64_t done_ps;
};

struct cluster {
  struct cluster_options options;
  struct bench *bench;
  struct fabric *fabric;
  struct drive_ring *rings;
  struct seat *seats;   ///< rings * hosts
  unsigned *turns;      ///< of each host: the ring that sends next
  size_t open;          ///< seats that are to be done and are not
  uint64_t start, skipped, now;
  uint64_t moved;   ///< when a result message was last complete anywhere
  uint8_t frame[CLUSTER_MAX_FRAME];
  size_t mismatches, texts;
  char text[CLUSTER_TEXTS][CLUSTER_TEXT_BYTES];
};

static inline struct seat *seat_at(const struct cluster *c, unsigned ring, unsigned host) {
  return &c->seats[ring * c->options.hosts + host];
}

#endif
