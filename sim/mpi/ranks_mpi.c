// Several processes, started by mpirun.
#include "sim/engine/world/ranks.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

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

uint64_t ranks_least(uint64_t value) {
  uint64_t least;
  MPI_Allreduce(&value, &least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
  return least;
}

// Counts of MPI are ints.
static void reduce(uint64_t *values, size_t count, MPI_Op op) {
  enum { MOST = 1 << 20 };
  for (size_t done = 0; done < count; done += MOST)
    MPI_Allreduce(MPI_IN_PLACE, values + done, (int)(count - done < MOST ? count - done : MOST), MPI_UINT64_T, op,
                  MPI_COMM_WORLD);
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
    MPI_Probe(r, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &length);
    all.in[r] = need_room(all.in[r], &all.room[r], (size_t)length + 1, 1);
    MPI_Recv(all.in[r], length, MPI_BYTE, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    in[r] = all.in[r];
    in_bytes[r] = (size_t)length;
  }
  MPI_Waitall(count, all.requests, MPI_STATUSES_IGNORE);
}
