/// A libibverbs of its own, for tests of the host library: it is linked in place of the real one. All hosts are threads of one process and
/// share one device that has a GID for each of them, 10.0.0.1 onwards. Between their queue pairs is a device that sums messages of rings and passes all others, or none;
/// beside it is the node of a tree, at 10.0.0.200, which multicasts its answers, too. What goes wrong on the way can be chosen.
#ifndef WEIR_UNIT_FAKE_VERBS_H
#define WEIR_UNIT_FAKE_VERBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  FAKE_RANKS = 4,
  FAKE_NODE = 1000
};   // a tree's node has this queue pair and the next one, of the low-latency tree and of the streaming one

/// What happens to the message `at` (from 0) on its way to host 1; later ones do not come.
enum fake_trouble {
  FAKE_WELL,
  FAKE_LATE_SILENCE,   ///< nothing comes any more
  FAKE_OTHER_HEADER,   ///< the result has another MessageID
  FAKE_OTHER_NUMBER,   ///< the first element is wrong
  FAKE_SHORT,          ///< 4 bytes are missing
  FAKE_TOO_LONG,       ///< host 1's queue pair fails, because the message has no room
  FAKE_NOBODY_THERE,   ///< host 0's queue pair fails, because nobody acknowledges
  FAKE_ENDED,          ///< host 1's queue pair was brought into the error state
  FAKE_BROKEN,         ///< host 1's queue pair fails for no reason of the protocol
  FAKE_RAW             ///< the result has no mark
};

/// What is refused when hosts set up.
enum fake_refusal {
  FAKE_NOTHING,
  FAKE_DEVICES,
  FAKE_GIDS,
  FAKE_PDS,
  FAKE_CQS,
  FAKE_QPS,
  FAKE_MRS,
  FAKE_CONNECTIONS,
  FAKE_GROUPS
};

struct fake_options {
  unsigned hosts;
  bool sums;       ///< a device is there
  bool unmarked;   ///< and does not mark results
  enum fake_trouble trouble;
  uint64_t at;
  enum fake_refusal refusal;
  uint8_t node_says;     ///< enum tree_verdict, from the operation of this number on: ..
  uint32_t node_from;    ///< .. 0: never
  unsigned unanswered;   ///< so often each queue pair finds no neighbour (ETIMEDOUT) before it is connected
  unsigned mtu[2];       ///< bytes that ports 1 and 2 have active; 0: 1024
  uint32_t message;      ///< bytes of the longest message of a port; 0: 8 MB
};

/// From now on ibv_* are these. One at a time.
void fake_verbs_open(const struct fake_options *options);
/// Bytes that were ever registered for others to write to.
size_t fake_verbs_exposed(void);
/// How a queue pair was connected.
struct fake_connection {
  unsigned rank, peer;   ///< whose it is, by its GID; the queue pair at the other side
  unsigned port, gid_index, mtu, traffic_class, service_level;
};
/// The `at`th that was, from 0. False if there were no more.
bool fake_verbs_connection(unsigned at, struct fake_connection *out);
/// True if nothing is left open, and nobody wrote or read where he must not.
bool fake_verbs_close(void);

#endif
