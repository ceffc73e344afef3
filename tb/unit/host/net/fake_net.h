/// What is between the queue pairs of fake_verbs.h: messages under way, the device that sums them, the node of a tree. Private to fake_verbs.c and fake_net.c.
#ifndef WEIR_UNIT_FAKE_NET_H
#define WEIR_UNIT_FAKE_NET_H

#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unit/host/net/fake_verbs.h"

enum {
  QUEUE = 64,
  MOST = 1 << 19,
  PAIRS = 64,
  REGIONS = 128,
  PLACE = 2,
  CONNS = 2,
  KEY = 100,
  EPOCH = 9,
  GRH = 40,
  PACKET = 256
};

struct message {
  enum ibv_wr_opcode opcode;
  uint64_t at;
  uint32_t key, immediate;
  size_t bytes;
  uint8_t *data;   // freed when it has been delivered
};

struct pair {
  struct ibv_qp qp;
  unsigned rank, unanswered;
  bool written;   // from outside
  bool listens;   // it is of UD, and attached to a tree's multicasts
  uint32_t peer;
  struct ibv_sge places[QUEUE][PLACE];   // of posted receives
  uint64_t wanted[QUEUE];                // and their numbers
  uint64_t posted, used;
  struct message queue[QUEUE];   // sent, not yet delivered
  uint64_t numbers[QUEUE];       // and theirs
  uint64_t put, taken;
};

struct completions {
  struct ibv_cq cq;
  struct ibv_wc done[QUEUE];
  uint64_t put, taken;
};

struct net {
  struct fake_options options;
  pthread_mutex_t lock;
  struct ibv_device device;
  struct ibv_context context;
  unsigned objects;   // open ones
  struct pair *pairs[PAIRS];
  struct ibv_mr regions[REGIONS];
  int access[REGIONS];
  size_t exposed;
  uint64_t delivered;   // to host 1
  struct fake_connection connections[PAIRS];
  unsigned connected;
  bool trespassed;
};

/// The one there is: verbs have no argument for it.
extern struct net *fake_net;

/// What hosts do to a network: fills in the context's operations.
void fake_net_operations(struct ibv_context *context);
/// The oldest message of a pair is no more.
void fake_net_take(struct pair *p);

#endif
