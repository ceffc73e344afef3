/// llt_engine between queues and buffers as simple as can be, and lock cells that are the model's, beside its model: whatever the device decides is told to
/// the model at once, in the device's order; each message that the device sends must be one of the model's at that port, byte by byte. All asserts are
/// cmocka's.
#ifndef WEIR_UNIT_LOW_BENCH_H
#define WEIR_UNIT_LOW_BENCH_H

#include "drive/dut.h"
#include "unit/tree/llt/low_model.h"

enum { LOW_BUFFER = 6 };

/// A port's queue: messages given, told to the model; packets of them shown, claimed and read.
struct low_in {
  struct low_message **messages;
  size_t given, told, come;     // messages
  size_t claimed, claimed_at;   // message, and bytes of it
  size_t reading, read_at;
  uint64_t shows;       // from this cycle on
  uint8_t due[2][64];   // rows asked for in the last two cycles
  bool asked[2];
};

/// A port's buffer, and the message that leaves.
struct low_out {
  size_t begun, seen[2], packets, drained;
  bool inside, first, last;
  bool cast;        // the message is multicast, too
  size_t at, len;   // of the packet
  struct low_message message;
  uint64_t first_row;
};

struct low_bench {
  struct dut *d;
  unsigned ports;
  struct pair_setup setup;
  struct low_model *model;
  struct tree_locks locks;   // the device's
  unsigned lock_late;        // cycles until it answers
  uint64_t us;
  unsigned slow;    // of 16 cycles so many without a packet that comes, or one that leaves; 0: all at full speed
  uint64_t stuck;   // ports whose packets do not leave
  uint64_t lost;    // whose connections have failed
  uint64_t casts;   // whom good answers are multicast to, too
  struct low_in in[PAIR_PORTS];
  struct low_out out[PAIR_PORTS];
  bool parent_answers, parent_fails;   // it answers what it is asked; with a verdict of its own
  uint64_t expired, decided, sent, cast, done, refused, locked, lock_failed, unlocked, torn_down;
  uint64_t moved;   // the last cycle in which anything did
};

struct low_bench *low_new(void);
void low_free(struct low_bench *b);
/// Setup and teardown of a test; its state says where its bench is to be.
int low_setup(void **state);
int low_teardown(void **state);
/// Opens the tree in both, with nothing of before.
void low_open(struct low_bench *b, const struct pair_setup *s);
/// A message for a port.
void low_give(struct low_bench *b, unsigned port, const struct low_message *message);
/// One with this header and any vector that it says.
void low_send(struct low_bench *b, unsigned port, const struct tree_header *h);
void low_tick(struct low_bench *b);
/// Until nothing moves any more.
void low_settle(struct low_bench *b);
/// So many microseconds go by.
void low_wait(struct low_bench *b, unsigned us);
/// A group's vector streams, or none's (`group` beyond all).
void low_streams(struct low_bench *b, unsigned group);
/// The streaming tree has ended; all neighbours are to be told.
void low_sat_ends(struct low_bench *b, struct tree_blame why);
/// Both are at the same point: nothing is left of what the model sent, and locks and counts are the same. A device whose tree has ended may
/// have left out what was on its way.
void low_same(struct low_bench *b);

#endif
