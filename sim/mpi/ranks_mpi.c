// Several processes, started by mpirun.
#include "sim/engine/world/ranks.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/stop.h"

static struct {
  int count, own;
  unsigned char **in;   // from each process, `room` bytes
  size_t *room;
  MPI_Request *requests;
} all;

void ranks_begin(int *argc, char ***argv) {
  MPI_Init(argc, argv);
  MPI_Comm_size(MPI_COMM_WORLD, &all.count);
  MPI_Comm_rank(MPI_COMM_WORLD, &all.own);
  all.in = need(calloc((size_t)all.count, sizeof *all.in));
  all.room = need(calloc((size_t)all.count, sizeof *all.room));
  all.requests = need(calloc(4 * (size_t)all.count, sizeof(MPI_Request)));
  if (all.count > 1) stop_clean_at_once();
}

void ranks_end(void) {
  for (int r = 0; r < all.count; r++) free(all.in[r]);
  free(all.in);
  free(all.room);
  free(all.requests);
  MPI_Finalize();
}

unsigned ranks_count(void) { return (unsigned)all.count; }
unsigned ranks_own(void) { return (unsigned)all.own; }

// When one process dies mpirun asks the others to stop, and soon kills them. They wait for it then, and have to see for themselves that it does not
// come: who is asked to stop and nevertheless waits for so long goes, and takes what it was writing along (base/stop.h).
#define GONE_NS UINT64_C(100000000)
static void look(uint64_t *since) {
  if (stop_asked() == 0) return;
  const uint64_t now = clock_monotonic_ns();
  if (*since == 0) *since = now;
  if (now - *since < GONE_NS) return;
  fputs("weir-mpi: another process has ended, and so does this one\n", stderr);
  exit(2);
}

static void finish(int count, MPI_Request *requests) {
  uint64_t since = 0;
  for (int done = 0; !done; look(&since)) MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
}

uint64_t ranks_least(uint64_t value) {
  uint64_t least;
  MPI_Request request;
  MPI_Iallreduce(&value, &least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD, &request);
  finish(1, &request);
  return least;
}

// Counts of MPI are ints.
static void reduce(uint64_t *values, size_t count, MPI_Op op) {
  enum { MOST = 1 << 20 };
  for (size_t done = 0; done < count; done += MOST) {
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, values + done, (int)(count - done < MOST ? count - done : MOST), MPI_UINT64_T, op,
                   MPI_COMM_WORLD, &request);
    finish(1, &request);
  }
}

void ranks_sum(uint64_t *values, size_t count) { reduce(values, count, MPI_SUM); }
void ranks_most(uint64_t *values, size_t count) { reduce(values, count, MPI_MAX); }

void ranks_exchange(const void *const out[], const size_t bytes[], const void *in[], size_t in_bytes[]) {
  int count = 0;
  for (int r = 0; r < all.count; r++) {
    if (r == all.own) continue;
    if (bytes[r] > INT_MAX) {
      fprintf(stderr, "weir-mpi: more than %d bytes for another process in one turn\n", INT_MAX);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Isend(out[r], (int)bytes[r], MPI_BYTE, r, 0, MPI_COMM_WORLD, &all.requests[count++]);
  }
  for (int r = 0; r < all.count; r++) {
    if (r == all.own) continue;
    MPI_Status status;
    int length;
    uint64_t since = 0;
    for (int there = 0; !there; look(&since)) MPI_Iprobe(r, 0, MPI_COMM_WORLD, &there, &status);
    MPI_Get_count(&status, MPI_BYTE, &length);
    all.in[r] = need_room(all.in[r], &all.room[r], (size_t)length + 1, 1);
    MPI_Recv(all.in[r], length, MPI_BYTE, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    in[r] = all.in[r];
    in_bytes[r] = (size_t)length;
  }
  finish(count, all.requests);
}
