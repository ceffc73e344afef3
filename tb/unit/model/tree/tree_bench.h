/// A tree node for tests, with an end of each connection at the other side of its ports, and cables that take no time. All asserts are cmocka's.
#ifndef WEIR_UNIT_TREE_BENCH_H
#define WEIR_UNIT_TREE_BENCH_H

#include "model/tree/tree_node.h"

/// Trees by index: low latency and streaming of a first pair, and of a second one. Their numbers on the wire are one more.
enum { BENCH_LOW, BENCH_SAT, BENCH_LOW2, BENCH_SAT2, BENCH_TREES };
enum { BENCH_MTU = 256, BENCH_ROOM = 16, BENCH_PATIENCE = 1000000, BENCH_NODE = 9, BENCH_GROUPS = 3 };

struct tree_bench {
  struct tree_node *node;
  unsigned ports, parent;
  uint64_t children, now;
  struct rc_end *peers[BENCH_TREES][TREE_MAX_PORTS];
  uint64_t silent;   ///< ports whose cables carry nothing
};

/// Groups 1 and 2 are of the first pair and have all children; group 3 is of the second pair. `parent` TREE_NO_PORT: this is the root.
struct tree_bench bench_make(unsigned ports, uint64_t children, unsigned parent);
void bench_free(struct tree_bench *b);

/// A streaming tree that was torn down begins once more, on both sides of its connections, with other PSNs. False if the node refuses.
bool bench_reopen(struct tree_bench *b, unsigned tree);

/// Carries frames to and fro until none moves.
void bench_pump(struct tree_bench *b);
/// The same when so much time has passed, step by step.
void bench_wait(struct tree_bench *b, uint64_t ps);

/// A contribution of group 1 to an all-reduce of FP32, without packets that follow: for tests to change.
struct tree_header bench_header(unsigned tree, uint32_t sequence, uint32_t length);
/// Packets of a message with this header leave port `port`'s peer: `from` to `to` - 1 of them. All 32-bit elements are `value`.
void bench_send_part(struct tree_bench *b, unsigned port, const struct tree_header *h, uint32_t value, uint64_t from,
                     uint64_t to);
/// All of them, and on they go.
void bench_send(struct tree_bench *b, unsigned port, const struct tree_header *h, uint32_t value);

/// The next packet at a port's peer, which must be there; and that none is.
struct rc_packet bench_take(struct tree_bench *b, unsigned tree, unsigned port, uint8_t data[RC_MAX_MTU]);
void bench_nothing(struct tree_bench *b, unsigned tree, unsigned port);
/// The next one is the first of a message: its header.
struct tree_header bench_take_header(struct tree_bench *b, unsigned tree, unsigned port);
/// A whole answer comes to a port: ok, with this value in all elements.
void bench_ok(struct tree_bench *b, unsigned tree, unsigned port, uint32_t length, uint32_t value);
/// It comes to all children, and has this verdict, of this node's port; 0: nobody's.
void bench_all_hear(struct tree_bench *b, unsigned tree, enum tree_verdict verdict, unsigned port);

/// All children lock the streaming tree for group 1, and hear that it is.
void bench_lock(struct tree_bench *b, uint32_t sequence, uint32_t count);
/// An operation of the three children of a root, from whatever was before, is right, and leaves nothing behind.
void bench_right(struct tree_bench *b, unsigned tree, uint32_t sequence);

#endif
