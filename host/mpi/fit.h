/// Which calls of an MPI program go through Weir. All ranks decide alike: by what MPI wants to be the same on all of them, and nothing else.
#ifndef WEIR_HOST_MPI_FIT_H
#define WEIR_HOST_MPI_FIT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "host/weir/coll.h"

/// Why a call is left to MPI.
enum fit { FIT_YES, FIT_COMMUNICATOR, FIT_TYPE, FIT_OPERATION, FIT_SIZE, FITS };
extern const char *const fit_names[FITS];

struct fit_limits {
  size_t least, most;   ///< bytes
  bool dups;            ///< duplicates of MPI_COMM_WORLD, too: not where threads may use both at once
};

/// True for MPI_COMM_WORLD, and for its duplicates if `limits` says so.
enum fit fit_communicator(MPI_Comm comm, const struct fit_limits *limits);
/// Of a reduction: the same type and operation of Weir, and its bytes.
enum fit fit_reduction(int count, MPI_Datatype type, MPI_Op op, const struct fit_limits *limits, enum weir_coll_type *weir_type,
                       enum weir_coll_op *weir_op);
/// Of a broadcast: the bytes that its elements have, wherever they lie in memory.
enum fit fit_broadcast(int count, MPI_Datatype type, const struct fit_limits *limits, size_t *bytes);

#endif
