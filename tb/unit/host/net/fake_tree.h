/// Hosts' engines of an aggregation tree in one process, above fake links, and a node that is a few lines and can be wrong. All asserts are cmocka's.
#ifndef WEIR_UNIT_FAKE_TREE_H
#define WEIR_UNIT_FAKE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/tree/tree_engine.h"

enum { FAKE_TREE_HOSTS = 3, FAKE_TREE_ROOM = 4096, FAKE_TREE_QUEUE = 8, FAKE_TREE_TRIES = 4 };

/// What the node does to the answer of operation `at` on its way to host 1, or to all.
enum fake_tree_trouble {
  FAKE_TREE_NONE,
  FAKE_TREE_SILENT,   ///< the node answers nobody
  FAKE_TREE_DENIES,
  FAKE_TREE_TIMES_OUT,
  FAKE_TREE_TEARS,   ///< it ends the streaming tree instead of answering, in the low-latency one
  FAKE_TREE_FAILS,   ///< the connection of the operation fails
  FAKE_TREE_NO_HEADER,
  FAKE_TREE_OTHER_SIZE,     ///< four bytes less than the header says
  FAKE_TREE_LONGER,         ///< four bytes more, where there is room for them
  FAKE_TREE_OTHER_LENGTH,   ///< the header says so, too
  FAKE_TREE_NO_VECTOR,
  FAKE_TREE_FROM_FUTURE,   ///< the answer to an operation that nobody began
  // Of multicasts, to host 0:
  FAKE_TREE_LIES,        ///< it brings another vector than the reliable copy
  FAKE_TREE_LIES_OF_IT   ///< and another verdict
};

struct fake_tree_message {
  enum tree_conn conn;
  bool cast;
  size_t bytes;
  uint8_t data[TREE_BYTES + FAKE_TREE_ROOM];
};

struct fake_tree_host {
  struct fake_tree *bench;
  struct tree_engine engine;
  uint8_t staging[TREE_CONNS][TREE_BYTES + TREE_LLT_MOST];
  struct fake_tree_message out[TREE_CONNS];   // sent, and not looked at by the node
  bool sending[TREE_CONNS], looked[TREE_CONNS];
  struct fake_tree_message in[FAKE_TREE_QUEUE];
  unsigned arrived, told;
  struct fake_tree_message late;   // the reliable copy of a multicast, until there is another answer; no bytes: none
  bool expecting;
  struct transport_body place;   // of the next streaming vector
  bool ended[TREE_CONNS], tell_end[TREE_CONNS];
  unsigned teardowns;
  uint8_t input[FAKE_TREE_ROOM], output[FAKE_TREE_ROOM];
};

struct fake_tree {
  struct fake_tree_host hosts[FAKE_TREE_HOSTS];
  uint64_t now;
  unsigned locks_fail;    // so many lock requests
  unsigned locks, held;   // asked for; operations left
  bool
      multicasts;   // good answers of the low-latency tree: host 0 gets them long before their copies, host 1 behind them, host 2 never
  enum fake_tree_trouble trouble;
  uint32_t at;   // sequence
};

/// Streaming operations of a lock: `lock`, 0: no end. free() is due.
struct fake_tree *fake_tree_open(uint32_t lock);
/// What host `h` has to do in an operation: the last host is the one that a reduce is for, and a broadcast from.
struct tree_engine_order fake_tree_order(struct fake_tree *b, unsigned h, enum tree_operation operation, bool streams,
                                         uint32_t length);
/// All hosts do it; it ends in time, and then the link uses no memory of a host.
void fake_tree_run(struct fake_tree *b, enum tree_operation operation, bool streams, uint32_t length);

#endif
