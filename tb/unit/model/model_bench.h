/// A golden model with senders in front: what the tests of model.c share. All asserts are cmocka's.
#ifndef WEIR_UNIT_MODEL_BENCH_H
#define WEIR_UNIT_MODEL_BENCH_H

#include <stddef.h>
#include <stdint.h>

#include "model/model.h"
#include "unit/gradient.h"

enum { BENCH_RING = 7, BENCH_OTHER_RING = 8, BENCH_SLOT = 64, BENCH_MAX_FRAME = 600, BENCH_STRIDE = 4 };

struct bench {
  struct model *m;
  unsigned workers;
  struct model_verdict v;          ///< of the last packet
  struct model_frame frames[32];   ///< of the last take
  unsigned seen[FATE_COUNT];       ///< fates met so far
};

/// Two learning rings of `workers` ranks and window `window`, RingIDs BENCH_RING and BENCH_OTHER_RING, and a third, 9, that
/// does not learn. Keeps `seen`.
void bench_start(struct bench *b, unsigned workers, unsigned window);
void bench_stop(struct bench *b);
/// Setup of a test of its own bench, which is its state, and teardown.
int bench_fresh(void **state, unsigned workers, unsigned window);
int bench_done(void **state);

/// Packet `offset` of message `msgid` of `rank` in ring BENCH_RING; messages have BENCH_STRIDE packets. `workers` as the ring's.
struct gradient bench_packet(unsigned workers, unsigned rank, uint32_t msgid, unsigned offset);

/// A frame is decided on `port`; its fate must be `fate`.
void bench_frame(struct bench *b, unsigned port, const uint8_t *frame, size_t len, enum fate fate);
/// The same for a packet.
void bench_rx(struct bench *b, unsigned port, const struct gradient *g, enum fate fate);
/// The oldest undone packet of `port` is now in place, and there is one. Returns whether its column became complete.
bool bench_commit(struct bench *b, unsigned port);
/// Decided, stored and in place at once.
void bench_store(struct bench *b, unsigned port, const struct gradient *g);
/// Packet `offset` of message `msgid` of `rank` is decided on port 0; it is decided, stored and in place.
void bench_decide(struct bench *b, unsigned rank, uint32_t msgid, unsigned offset, enum fate fate);
void bench_add(struct bench *b, unsigned rank, uint32_t msgid, unsigned offset);
/// All ranks' packets of a column are in place.
void bench_complete(struct bench *b, uint32_t msgid, unsigned offset);
/// A duplicate of packet 0 of a message that is known, in place.
void bench_repeat(struct bench *b, unsigned rank, uint32_t msgid);
/// Takes results of ring 0; there must be `count` of them, in `frames`.
void bench_take(struct bench *b, uint32_t msgid, unsigned offset, uint32_t mask, int count);

#endif
