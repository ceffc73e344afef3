/// A libibverbs for hosts that are processes of one machine without an RDMA device: a shared library that is preloaded before programs of the host library. Messages go
/// through memory that all of them map, the file that WEIR_FAKE_VERBS names (it is made if it is not there; a new one for each job). A device sums messages of rings there as
/// soon as all ranks have sent theirs, and marks them; with WEIR_FAKE_DEVICE=0 none is there, and they pass. A peer whose process has ended does not answer any more.
/// With WEIR_FAKE_NODE=HOSTS there is a tree's node, too (fake_node.h),: it answers when all have asked.
///
/// On purpose: WEIR_FAKE_DIE=CALL or CALL:N kills the process at a call (open, register, connect, send, destroy), WEIR_FAKE_WRONG=N makes the N-th sum of a process wrong,
/// WEIR_FAKE_NO_MEMORY=N refuses registrations from the N-th of a process on. WEIR_FAKE_FORGETS=N: from the N-th message of rings that a process sends on the device drops them, so nobody acknowledges: it was flushed, or (1) it
/// has no room for the ring.
///
/// It has what host/verbs.c and host/tree/tree_verbs.c need and no more: RC, SEND and RDMA WRITE with immediate.
#ifndef WEIR_UNIT_PROCESS_VERBS_H
#define WEIR_UNIT_PROCESS_VERBS_H

enum {
  PROCESS_PAIRS = 128,
  PROCESS_DEPTH = 32,         ///< messages on their way to a queue pair
  PROCESS_MOST = 264 << 10,   ///< bytes of one
  PROCESS_COLUMNS = 64,       ///< messages of rings that wait for others
  PROCESS_RANKS = 8,
  PROCESS_CONNS = 2,
  PROCESS_NODE = 1 << 20   ///< queue pair of the node's low-latency tree; the next one is of its streaming tree
};

#endif
