// libweir-mpi.so: an MPI program's all-reduces, reduces, broadcasts and barriers go through Weir where they fit, all others to MPI as before. It is preloaded before a
// program that was linked with MPI (Debian's OpenMPI), and stands between both by MPI's profiling interface.
#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/mpi/fit.h"
#include "host/weir/coll.h"

#define HOOK __attribute__((visibility("default")))

enum call { CALL_ALLREDUCE, CALL_REDUCE, CALL_BCAST, CALL_BARRIER, CALLS };
static const char *const call_names[CALLS] = {"MPI_Allreduce", "MPI_Reduce", "MPI_Bcast", "MPI_Barrier"};
/// Polls between two looks at MPI's own messages: a peer may wait for one before it comes here.
enum { POLLS = 64, PATIENCE_MS = INT_MAX };

// A process has one MPI_COMM_WORLD.
static struct {
  struct weir_coll *coll;   ///< NULL: all goes to MPI
  int rank, size;
  struct fit_limits limits;
  unsigned long counts[CALLS][FITS];
} weir;

// --- beginning and end ---

static int all_gather(void *context, const void *mine, size_t bytes, void *all) {
  (void)context;
  return PMPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD) == MPI_SUCCESS ? 0 : -EIO;
}

/// A whole number of the environment.
static size_t number_of(const char *name, size_t standard) {
  const char *text = getenv(name);
  char *end;
  if (text == NULL) return standard;
  const unsigned long long value = strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end != 0) {
    fprintf(stderr, "weir-mpi: %s=%s: no number\n", name, text);
    PMPI_Abort(MPI_COMM_WORLD, 2);
  }
  return value;
}

/// Nothing is replaced in silence: a program that is to run through Weir does so, or ends, unless WEIR_MPI_OPTIONAL allows MPI in its place.
static void start(bool threads) {
  struct weir_coll_config config = weir_coll_defaults();
  char error[256] = "";
  PMPI_Comm_rank(MPI_COMM_WORLD, &weir.rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &weir.size);
  weir.limits = (struct fit_limits){.least = number_of("WEIR_MPI_LEAST", 0),
                                    .most = number_of("WEIR_MPI_MOST", SIZE_MAX),
                                    .dups = !threads};
  if (weir.size < 2) return;
  config.rank = (unsigned)weir.rank;
  config.workers = (unsigned)weir.size;
  config.all_gather = all_gather;
  // A rank may compute for hours before it comes; one that has ended is its launcher's affair.
  config.timeout_ms = PATIENCE_MS;
  const int code = weir_coll_init(&config, &weir.coll, error, sizeof error);
  int worst = code;
  PMPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (worst == 0) {
    if (weir.rank == 0 && getenv("WEIR_DEBUG") != NULL)
      fprintf(stderr, "weir-mpi: %d ranks, %s\n", weir.size, weir_coll_chosen(weir.coll));
    return;
  }
  if (code == 0) weir_coll_abort(weir.coll);
  weir.coll = NULL;
  if (code != 0) fprintf(stderr, "weir-mpi: rank %d: %s (%s)\n", weir.rank, error, strerror(-code));
  if (getenv("WEIR_MPI_OPTIONAL") == NULL) PMPI_Abort(MPI_COMM_WORLD, 1);
}

HOOK int MPI_Init(int *argc, char ***argv) {
  const int code = PMPI_Init(argc, argv);
  if (code == MPI_SUCCESS) start(false);
  return code;
}

HOOK int MPI_Init_thread(int *argc, char ***argv, int wanted, int *provided) {
  const int code = PMPI_Init_thread(argc, argv, wanted, provided);
  if (code == MPI_SUCCESS) start(*provided == MPI_THREAD_MULTIPLE);
  return code;
}

/// What went where, of rank 0.
static void tell(void) {
  for (int c = 0; c < CALLS; c++) {
    unsigned long others = 0;
    for (int f = FIT_YES + 1; f < FITS; f++) others += weir.counts[c][f];
    if (others + weir.counts[c][FIT_YES] == 0) continue;
    fprintf(stderr, "weir-mpi: %s: %lu through Weir, %lu through MPI", call_names[c], weir.counts[c][FIT_YES], others);
    for (int f = FIT_YES + 1; f < FITS; f++)
      if (weir.counts[c][f] > 0) fprintf(stderr, ", %lu for its %s", weir.counts[c][f], fit_names[f]);
    fprintf(stderr, "\n");
  }
}

HOOK int MPI_Finalize(void) {
  const int code = weir.coll != NULL ? weir_coll_close(weir.coll) : 0;
  if (code != 0) fprintf(stderr, "weir-mpi: rank %d: the end: %s\n", weir.rank, strerror(-code));
  if (weir.coll != NULL && weir.rank == 0 && getenv("WEIR_DEBUG") != NULL) tell();
  weir.coll = NULL;
  return PMPI_Finalize();
}

// --- calls ---

/// Counts a call. True if it goes through Weir.
static bool goes(enum call call, enum fit fit) {
  if (weir.coll == NULL) return false;
  weir.counts[call][fit]++;
  return fit == FIT_YES;
}

/// Waits for a request that was begun with `code`, and lets MPI move on meanwhile. What fails is told to the communicator's error handler, which by default ends the program.
static int await(MPI_Comm comm, int code, struct weir_coll_request *const *request) {
  bool done = false;
  for (unsigned polls = 1; code == 0 && !done; polls++) {
    int flag;
    code = weir_coll_test(weir.coll, *request, &done);
    if (code == 0 && !done && polls % POLLS == 0)
      PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
  }
  if (code == 0) return MPI_SUCCESS;
  fprintf(stderr, "weir-mpi: rank %d: %s (%s)\n", weir.rank, weir_coll_why(weir.coll), strerror(-code));
  PMPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
  return MPI_ERR_OTHER;
}

HOOK int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  enum weir_coll_type t;
  enum weir_coll_op o;
  struct weir_coll_request *request;
  enum fit fit = weir.coll != NULL ? fit_communicator(comm, &weir.limits) : FIT_COMMUNICATOR;
  if (fit == FIT_YES) fit = fit_reduction(count, type, op, &weir.limits, &t, &o);
  if (!goes(CALL_ALLREDUCE, fit)) return PMPI_Allreduce(send, receive, count, type, op, comm);
  const void *from = send == MPI_IN_PLACE ? receive : send;
  return await(comm, weir_coll_iallreduce(weir.coll, from, receive, (size_t)count, t, o, NULL, &request), &request);
}

HOOK int MPI_Reduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  enum weir_coll_type t;
  enum weir_coll_op o;
  struct weir_coll_request *request;
  enum fit fit = weir.coll != NULL ? fit_communicator(comm, &weir.limits) : FIT_COMMUNICATOR;
  if (fit == FIT_YES) fit = fit_reduction(count, type, op, &weir.limits, &t, &o);
  if (fit == FIT_YES && (root < 0 || root >= weir.size)) fit = FIT_COMMUNICATOR;   // MPI knows how to say it
  if (!goes(CALL_REDUCE, fit)) return PMPI_Reduce(send, receive, count, type, op, root, comm);
  const void *from = send == MPI_IN_PLACE ? receive : send;
  return await(comm, weir_coll_ireduce(weir.coll, from, receive, (size_t)count, t, o, (unsigned)root, NULL, &request), &request);
}

/// A rank may have its elements in one piece where another one has them scattered: those are packed, which puts the same bytes in the same order.
static bool in_one_piece(MPI_Datatype type) {
  int integers, addresses, types, combiner;
  return PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS &&
         combiner == MPI_COMBINER_NAMED && type != MPI_FLOAT_INT && type != MPI_DOUBLE_INT && type != MPI_LONG_INT &&
         type != MPI_SHORT_INT && type != MPI_LONG_DOUBLE_INT;
}

static int broadcast_packed(void *data, int count, MPI_Datatype type, size_t bytes, int root, MPI_Comm comm) {
  struct weir_coll_request *request;
  uint8_t *packed = malloc(bytes + 1);
  int at = 0, code = packed != NULL ? MPI_SUCCESS : MPI_ERR_NO_MEM;
  if (code == MPI_SUCCESS && weir.rank == root) code = PMPI_Pack(data, count, type, packed, (int)bytes, &at, comm);
  if (code == MPI_SUCCESS) code = await(comm, weir_coll_ibroadcast(weir.coll, packed, bytes, (unsigned)root, &request), &request);
  at = 0;
  if (code == MPI_SUCCESS && weir.rank != root) code = PMPI_Unpack(packed, (int)bytes, &at, data, count, type, comm);
  free(packed);
  return code;
}

HOOK int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  struct weir_coll_request *request;
  size_t bytes = 0;
  enum fit fit = weir.coll != NULL ? fit_communicator(comm, &weir.limits) : FIT_COMMUNICATOR;
  if (fit == FIT_YES) fit = fit_broadcast(count, type, &weir.limits, &bytes);
  if (fit == FIT_YES && (root < 0 || root >= weir.size)) fit = FIT_COMMUNICATOR;
  if (!goes(CALL_BCAST, fit)) return PMPI_Bcast(data, count, type, root, comm);
  if (!in_one_piece(type)) return broadcast_packed(data, count, type, bytes, root, comm);
  return await(comm, weir_coll_ibroadcast(weir.coll, data, bytes, (unsigned)root, &request), &request);
}

HOOK int MPI_Barrier(MPI_Comm comm) {
  struct weir_coll_request *request;
  const enum fit fit = weir.coll != NULL ? fit_communicator(comm, &weir.limits) : FIT_COMMUNICATOR;
  if (!goes(CALL_BARRIER, fit)) return PMPI_Barrier(comm);
  return await(comm, weir_coll_ibarrier(weir.coll, &request), &request);
}
