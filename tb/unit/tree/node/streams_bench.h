/// tree_streams with a neighbour behind each port: a host or a node of which nothing is here but its RC connection (the model's rc_end), over a cable
/// of 100 Gb/s that may lose frames. Messages in, messages out. All asserts are cmocka's.
#ifndef WEIR_UNIT_STREAMS_BENCH_H
#define WEIR_UNIT_STREAMS_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/tree/rc_end.h"
#include "unit/tree/node/cables.h"
#include "wire/tree.h"

enum { STREAMS_PORTS = CABLES_PORTS, STREAMS_TREE = 2, STREAMS_NODE = 0x1234, STREAMS_GROUP = 7 };

/// A message of a neighbour's: it sends this, packet by packet, as the connection has room.
struct streams_message {
  uint8_t *bytes;   ///< header, and the vector if it carries one
  size_t len;
};

struct neighbour {
  struct rc_end *end;   ///< NULL: nobody is there
  struct streams_message sends;
  size_t posted;   ///< bytes of it
  uint8_t *got;    ///< message that comes, or came
  size_t got_len, room;
  bool whole;                   ///< it has come to its end
  uint64_t first_ps, last_ps;   ///< when its first packet and its last one came
  bool silent;                  ///< takes and sends nothing any more
};

struct streams_bench {
  struct dut *d;
  unsigned ports, parent;   ///< port, or `ports` at the root
  unsigned mtu, loss;       ///< of a thousand frames so many are lost, each way
  uint64_t children;
  struct neighbour at[STREAMS_PORTS];
  struct cables cables;
  uint64_t operations;   ///< that the device says are done
};

struct streams_bench *streams_new(void);
void streams_free(struct streams_bench *b);
/// Opens the tree of one group, locked for it without end, and all connections.
void streams_open(struct streams_bench *b, unsigned parent, uint64_t children, unsigned mtu, unsigned loss);
/// A neighbour sends this; the vector is copied. It has taken note of what it was sent before.
void streams_send(struct streams_bench *b, unsigned port, const struct tree_header *h, const uint8_t *vector);
void streams_tick(struct streams_bench *b);
/// Until these ports' neighbours have got a whole message each.
void streams_await(struct streams_bench *b, uint64_t ports);
/// What the device says of the tree's end.
struct streams_end {
  bool valid;
  unsigned verdict, node, port;
} streams_end(struct streams_bench *b);

#endif
