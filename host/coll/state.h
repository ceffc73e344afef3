/// A communicator, as its own files see it.
#ifndef WEIR_HOST_COLL_STATE_H
#define WEIR_HOST_COLL_STATE_H

#include <sys/types.h>

#include "host/coll/backend.h"
#include "host/coll/choice.h"
#include "host/coll/operation.h"
#include "host/meet/bootstrap.h"
#include "host/rdma.h"
#include "host/weir/coll.h"

enum { STATE_WHY = 256 };

// Both are in a list of the communicator, which frees what is left at its end.
struct weir_coll_memory {
  struct weir_coll_memory *next;
  struct host_memory at;
};

struct weir_coll_request {
  struct weir_coll_request *next;
  struct operation operation;
  const struct backend *backend;
  struct backend_ticket ticket;
  bool finished;     ///< operation_finish has been called
  uint8_t word[4];   ///< of a barrier
};

struct weir_coll {
  struct weir_coll_config config;
  struct bootstrap hosts;
  struct rdma rdma;
  struct backend backends[CHOICE_BACKENDS];
  struct choice choice;
  struct weir_coll_request *requests;
  struct weir_coll_memory *memories;
  uint64_t heed_ms;    ///< when to ask again whether all hosts are well
  uint64_t noted;      ///< the number of what the others were told that this host waits for, and 1
  uint64_t noted_ms;   ///< when they were
  uint64_t broke_ms;   ///< when a backend's queue pair was first seen to be broken; 0: none is
  pid_t process;       ///< that made it
  bool debug;          ///< WEIR_DEBUG is set
  int code;            ///< of the first failure: it stays
  char why[STATE_WHY];
  char chosen[STATE_WHY];
};

/// One line on standard error, if WEIR_DEBUG is set.
void state_say(const struct weir_coll *c, const char *what, const char *text);
/// Notes what happened, unless something did before. Returns `code`.
int state_note(struct weir_coll *c, int code, const char *what, const char *detail);
/// Moves on all that is under way. 0, or the failure.
int state_progress(struct weir_coll *c);
/// Lets the last messages be acknowledged, within timeout_ms: a host that waits for a copy of one would not get it any more.
void state_settle(struct weir_coll *c);

#endif
