/// What hosts and nodes of an aggregation tree say to each other (docs/wire.md, docs/tree.md): each message of theirs begins with this header.
#ifndef WEIR_WIRE_TREE_H
#define WEIR_WIRE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TREE_TAG 0x54726565u   ///< "Tree"
enum {
  TREE_BYTES = 32,
  TREE_LLT_MOST = 1024   ///< longest vector of a low-latency tree
};
/// Longest vector: the message, with its header, has 2^31 bytes at most.
#define TREE_MOST (UINT32_C(0x80000000) - TREE_BYTES)
/// In the place of a node: a host found it.
#define TREE_A_HOST UINT16_MAX
/// Operations left of a lock that has no end.
#define TREE_UNLIMITED UINT32_MAX

enum tree_kind {
  TREE_UP = 1,        ///< towards the root: a contribution, or the sum of some
  TREE_DOWN = 2,      ///< from the root: the result, or why there is none
  TREE_TEARDOWN = 3   ///< either way: this tree is no more
};

enum tree_operation { TREE_BARRIER, TREE_ALL_REDUCE, TREE_REDUCE, TREE_BROADCAST, TREE_LOCK, TREE_UNLOCK, TREE_OPERATIONS };

/// How an operation ended, for each host by itself.
enum tree_verdict {
  TREE_OK,
  TREE_LOCK_FAILED,   ///< another group holds this tree: try again later
  TREE_DENIED,        ///< what was asked for cannot be, or not by who asked
  TREE_NO_RESOURCE,   ///< a node on the way has all its lock cells in use: try again later
  TREE_NO_TREE,       ///< there is no such tree, or no more
  TREE_TIME_OUT,      ///< somebody did not contribute in time
  TREE_LOST,          ///< a neighbour does not answer any more
  TREE_VERDICTS
};
const char *tree_verdict_name(enum tree_verdict verdict);
extern const char *const tree_operation_names[];   ///< ends with NULL

enum { TREE_CARRIES = 1, TREE_WANTS = 2 };   // flags

struct tree_header {
  enum tree_kind kind;
  enum tree_operation operation;
  uint8_t type;    ///< of elements, and what is done to them: as in an INA header
  uint8_t flags;   ///< TREE_CARRIES: the vector follows. TREE_WANTS, of contributions: somebody below wants the result
  uint16_t tree, group;
  uint32_t sequence;   ///< of the operation in its group
  uint32_t length;     ///< bytes of the vector, whether it follows or not
  uint32_t count;      ///< of a lock: operations, 0 for no end; of a failed one: those left of who holds it, or TREE_UNLIMITED
  enum tree_verdict verdict;
  uint16_t node;                        ///< who found what is wrong
  uint8_t port;                         ///< of it, whose neighbour is to blame, from 1 on; 0: nobody's
  uint16_t holder_tree, holder_group;   ///< of a failed lock
};

void tree_put(uint8_t out[TREE_BYTES], const struct tree_header *header);
/// Reads what tree_put writes. False if it is no such header: its tag, or a code that is none.
bool tree_get(const uint8_t *in, size_t len, struct tree_header *header);

/// Packets of a message with a vector of `length` bytes behind the header, and bytes of vector in packet `index`.
uint64_t tree_packets(uint32_t length, unsigned mtu);
size_t tree_part(uint32_t length, unsigned mtu, uint64_t index);

#endif
