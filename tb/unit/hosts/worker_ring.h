/// Workers around a device that makes no mistakes: it takes the packets of one column from all ranks and puts the sum into each
/// one's own packet. What the tests of worker.c share. All asserts are cmocka's.
#ifndef WEIR_UNIT_WORKER_RING_H
#define WEIR_UNIT_WORKER_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hosts/worker.h"
#include "unit/hosts/rc_ends.h"

enum { RING_RANKS = 3, RING_ID = 0x1234, RING_MTU = 256, RING_MSGLEN = 3, RING_TIMEOUT = 1000000, RING_QUEUE = 64 };
/// Tensor bytes of a message.
enum { RING_ROOM = RING_MSGLEN * RING_MTU - INA_BYTES };

struct ring_queue {
  size_t head, count;
  struct rc_frame frames[RING_QUEUE];
};

struct ring {
  unsigned ranks;
  struct worker_config config[RING_RANKS];
  struct worker *workers[RING_RANKS];
  uint8_t *tensors[RING_RANKS], *results[RING_RANKS];   ///< exactly as long as they say
  size_t bytes;
  uint64_t now;
  struct ring_queue data[RING_RANKS], acks[RING_RANKS];   ///< of each sender, on the way
  bool hold_results, hold_acks;                           ///< they wait
  /// If set, sees each data packet of a rank before the device does, and each result before its receiver, and may change it.
  void *user;
  void (*gradient)(void *user, unsigned rank, const struct rc_frame *f);
  void (*result)(void *user, unsigned to, struct rc_frame *f);
};

/// A ring whose workers are all like `like`: its kind, window, msgid, verb, short_last and ack_delay_ps count. The caller closes it.
struct ring *ring_open(unsigned ranks, const struct worker_config *like);
void ring_close(struct ring *r);

/// All ranks start with a random tensor of so many bytes.
void ring_reduce(struct ring *r, size_t bytes, uint64_t seed);
/// Workers send all that they may; ACKs arrive unless they are held.
void ring_send(struct ring *r);
/// One column goes through the device, if all ranks have sent it.
bool ring_column(struct ring *r);
/// Both in turn, until nothing moves.
void ring_run(struct ring *r);
bool ring_done(const struct ring *r);
/// All are done, nothing was wrong, and the results are the sum.
void ring_check(const struct ring *r);
/// Results that `rank` has of the tensor under way.
size_t ring_progress(const struct ring *r, unsigned rank);

#endif
