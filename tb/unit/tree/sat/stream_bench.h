/// sat_stream between queues and buffers as simple as can be, beside its model: the model takes each packet at once, the device when it comes; each packet
/// that the device sends must be the model's next one at that port, byte by byte. All asserts are cmocka's.
#ifndef WEIR_UNIT_STREAM_BENCH_H
#define WEIR_UNIT_STREAM_BENCH_H

#include "drive/dut.h"
#include "unit/tree/sat/stream_model.h"

/// A port's queue: packets given, come (shown when their turn is), claimed, and read.
struct way_in {
  struct stream_packet **packets;
  size_t given, come, claimed, reading, row;
  uint64_t shows;       // from this cycle on
  uint8_t due[2][64];   // rows asked for in the last two cycles
  bool dropped, asked[2];
};

/// A port's buffer.
struct way_out {
  size_t begun, seen[2], drained;   // packets; those that `room_i` counts
  bool inside;
  struct stream_packet packet;   // as far as it is here
  size_t at;
  uint64_t rows, packets, first_row, last_row;
};

struct stream_bench {
  struct dut *d;
  unsigned ports;
  bool at_stop;   // buffers count a packet when its last row is there
  struct pair_setup setup;
  struct stream_model *model;
  uint64_t us;
  unsigned slow;        // of 16 cycles so many without a packet that comes, or one that leaves; 0: all at full speed
  uint64_t stuck;       // ports whose packets do not leave
  unsigned lock;        // index of the group
  uint32_t locked;      // operations
  unsigned lock_late;   // cycles until the device hears of it
  struct way_in in[PAIR_PORTS];
  struct way_out out[PAIR_PORTS];
  struct tree_header asked;   // what the parent was asked last,
  size_t risen, answered;     // packets of it, and of its answer
  bool all_risen;
  size_t answers;   // it goes on with so many packets whenever one has risen
  uint64_t done, refused, columns;
  uint64_t moved;   // the last cycle in which anything did
};

struct stream_bench *bench_new(void);
void bench_free(struct stream_bench *b);
/// Setup and teardown of a test; its state says where its bench is to be.
int bench_setup(void **state);
int bench_teardown(void **state);
/// Opens the tree in both, with nothing of before.
void bench_open(struct stream_bench *b, const struct pair_setup *s);
/// Closes it in the device: it takes nothing more, and what was begun leaves.
void bench_close(struct stream_bench *b);
/// The group of this index holds the lock, for so many operations, and no other one any more.
void bench_lock(struct stream_bench *b, unsigned group, uint32_t count);

/// A packet for a port, to both.
void bench_give(struct stream_bench *b, unsigned port, const struct stream_packet *p);
/// Packet `index` of a message with this header and a vector of so many bytes, any bytes.
void bench_packet(const struct stream_bench *b, const struct tree_header *h, uint32_t vector, uint64_t index,
                  struct stream_packet *p);
/// Packets `from` to `to` - 1, and all of them, of a message as its header says.
void bench_send_part(struct stream_bench *b, unsigned port, const struct tree_header *h, uint64_t from, uint64_t to);
void bench_send(struct stream_bench *b, unsigned port, const struct tree_header *h);
uint64_t bench_packets(const struct stream_bench *b, const struct tree_header *h);

/// The parent goes on with its answer to what has risen, by so many packets at most.
void bench_answer(struct stream_bench *b, size_t packets);

void bench_tick(struct stream_bench *b);
/// Until nothing moves any more.
void bench_settle(struct stream_bench *b);
/// Both are at the same point: nothing is left of what the model sent, and what ended one ended the other.
void bench_same(struct stream_bench *b);
/// The device's tree has ended.
bool bench_ended(struct stream_bench *b);
/// So many microseconds go by.
void bench_wait(struct stream_bench *b, unsigned us);

#endif
