/// What is between the queue pairs of process_verbs.h: memory that all processes map, with a mailbox for each queue pair, the device that sums messages of rings, and the
/// node of a tree. Private to process_verbs.c and process_net.c.
#ifndef WEIR_UNIT_PROCESS_NET_H
#define WEIR_UNIT_PROCESS_NET_H

#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "unit/host/net/process_verbs.h"

struct mail {
  uint32_t to;   // queue pair
  enum ibv_wr_opcode opcode;
  uint32_t immediate;
  uint64_t at;
  size_t bytes;
  uint8_t data[PROCESS_MOST];
};

/// A queue pair, as others see it.
struct mailbox {
  pid_t owner;       // 0: free
  uint32_t number;   // which pair, of all that had this box
  uint64_t put, taken;
  struct mail queue[PROCESS_DEPTH];
};

/// A message of a ring, of all ranks that have sent it.
struct waiting_sum {
  bool used;
  uint16_t ring;
  uint32_t msgid;
  uint8_t kind;
  unsigned came;
  bool has[PROCESS_RANKS];
  struct mail rows[PROCESS_RANKS];
};

/// What a host wants of the tree's node, and where it wants the answer.
struct wish {
  bool here;
  uint32_t pair;
  struct mail mail;
};

struct shared {
  pthread_mutex_t lock;
  uint32_t pairs;   // ever made
  struct mailbox boxes[PROCESS_PAIRS];
  struct waiting_sum columns[PROCESS_COLUMNS];
  struct wish wishes[PROCESS_CONNS][PROCESS_RANKS];
};

/// The one there is, once process_net_map was true: verbs have no argument for it.
extern struct shared *process_shared;

/// Maps the file that WEIR_FAKE_VERBS names. False if it cannot be.
bool process_net_map(void);
void process_net_lock(void);
void process_net_unlock(void);
/// A message of pair `from` of host `rank` on its way. True if it is acknowledged. The lock is held.
bool process_net_send(const struct mail *m, uint32_t from, unsigned rank);
/// A queue pair is no more: what it waits for is forgotten. The lock is held.
void process_net_forget(uint32_t pair);

#endif
