// Compiled by smpicc and run by smpirun: how long an all-reduce takes hosts alone.
//
// Usage: allreduce BYTES ..
// For each size, one MPI_Allreduce of integers over all ranks, begun by all at the same moment; each rank compares every element with
// the sum. Rank 0 prints `BYTES SECONDS`, from that moment until the last rank has its result. Exit code: 0, or 1 if a sum is wrong.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const double PAUSE = 0.001;   // seconds, longer than an all-reduce of one number takes

/// Waits for a moment of simulated time that is the same for all ranks, and returns it: a barrier ends earlier for some than for others.
static double together(void) {
  const double now = MPI_Wtime();
  double start = 0;
  MPI_Allreduce(&now, &start, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  start += PAUSE;
  nanosleep(&(struct timespec){.tv_nsec = (long)((start - MPI_Wtime()) * 1e9 + 0.5)}, NULL);
  return start;
}

int main(int argc, char **argv) {
  int rank = 0, ranks = 0, bad = 0, any = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int a = 1; a < argc; a++) {
    const int count = (int)(strtoul(argv[a], NULL, 10) / sizeof(int));
    int *from = malloc((size_t)count * sizeof *from), *to = malloc((size_t)count * sizeof *to);
    if (from == NULL || to == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
    for (int i = 0; i < count; i++) from[i] = rank + i;
    const double start = together();
    MPI_Allreduce(from, to, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    const double took = MPI_Wtime() - start;
    double longest = 0;
    for (int i = 0; i < count; i++) bad |= to[i] != ranks * (ranks - 1) / 2 + ranks * i;
    MPI_Allreduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) printf("%s %.9f\n", argv[a], longest);
    free(from);
    free(to);
  }
  MPI_Allreduce(&bad, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return any;
}
