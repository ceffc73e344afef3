// An MPI program for tools/test/host/test_host_mpi.sh that knows nothing of Weir: it prints `right' at rank 0 if every rank has what MPI promises.
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 3000, BIG = 1 << 22 };
static int rank, size, wrong;

static void expect(int good, const char *what) {
  if (good) return;
  if (wrong++ == 0) fprintf(stderr, "rank %d: %s is wrong\n", rank, what);
}

static void reductions(int count) {
  float f[MOST], sum[MOST];
  int n[MOST], least[MOST];
  unsigned u[MOST], all[MOST];
  for (int i = 0; i < count; i++) {
    f[i] = (float)(rank + 1) * (float)(i % 50);
    n[i] = (i % 7 - 3) * (rank + 1);
    u[i] = UINT_MAX - (unsigned)(i + rank);
  }
  MPI_Allreduce(f, sum, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < count; i++) expect(sum[i] == (float)(size * (size + 1) / 2) * (float)(i % 50), "a sum of floats");
  MPI_Allreduce(n, least, count, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  for (int i = 0; i < count; i++) expect(least[i] == (i % 7 < 3 ? (i % 7 - 3) * size : i % 7 - 3), "a minimum of ints");
  MPI_Reduce(u, all, count, MPI_UNSIGNED, MPI_SUM, size - 1, MPI_COMM_WORLD);
  unsigned wanted = 0;
  for (int i = 0; rank == size - 1 && i < count; i++) {
    wanted = 0;
    for (int r = 0; r < size; r++) wanted += UINT_MAX - (unsigned)(i + r);
    expect(all[i] == wanted, "a reduce of unsigned ints");
  }
  // In place, at the root and everywhere.
  if (rank == 0)
    MPI_Reduce(MPI_IN_PLACE, n, count, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  else
    MPI_Reduce(n, NULL, count, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < count; i++) expect(n[i] == (i % 7 < 3 ? i % 7 - 3 : (i % 7 - 3) * size), "a reduce in place");
  MPI_Allreduce(MPI_IN_PLACE, f, count, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < count; i++) expect(f[i] == (float)size * (float)(i % 50), "an all-reduce in place");
}

/// What Weir has not, and MPI must still do.
static void others(void) {
  double d = rank + 0.5, sum = 0;
  int any = rank == 1, other = 0;
  struct {
    double value;
    int rank;
  } mine = {-rank, rank}, best;
  MPI_Comm half;
  MPI_Allreduce(&d, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  expect(fabs(sum - size * size / 2.0) < 1e-9, "a sum of doubles");
  MPI_Allreduce(&any, &other, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  expect(other == 1, "a logical or");
  MPI_Allreduce(&mine, &best, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  expect(best.rank == size - 1, "a minimum with its place");
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Allreduce(&rank, &other, 1, MPI_INT, MPI_MAX, half);
  expect(other % 2 == rank % 2 && other >= rank, "an all-reduce of some");
  MPI_Barrier(half);
  MPI_Comm_free(&half);
}

/// The same bytes, in one piece at the root and scattered elsewhere, and the other way round; and of no whole number of words.
static void broadcasts(void) {
  MPI_Datatype column;
  MPI_Comm again;
  char text[MOST];
  MPI_Type_vector(5, 1, 3, MPI_INT, &column);
  MPI_Type_commit(&column);
  for (int root = 0; root < size; root++) {
    int n[15], dense[5];
    for (int i = 0; i < 15; i++) n[i] = rank == root ? i * 100 + root : -1;
    if (rank == root)
      MPI_Bcast(n, 1, column, root, MPI_COMM_WORLD);
    else
      MPI_Bcast(dense, 5, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; rank != root && i < 5; i++) expect(dense[i] == i * 300 + root, "a broadcast from a column");
    for (int i = 0; i < 5; i++) dense[i] = rank == root ? i + root : -1;
    if (rank == root)
      MPI_Bcast(dense, 5, MPI_INT, root, MPI_COMM_WORLD);
    else
      MPI_Bcast(n, 1, column, root, MPI_COMM_WORLD);
    for (int i = 0; rank != root && i < 15; i++)
      expect(n[i] == (i % 3 == 0 && i < 15 ? i / 3 + root : -1), "a broadcast to a column");
    for (int bytes = 0; bytes < 9; bytes++) {
      memset(text, rank == root ? 'a' + bytes : '-', sizeof text);
      MPI_Bcast(text, bytes, MPI_CHAR, root, MPI_COMM_WORLD);
      for (int i = 0; i < MOST; i++) expect(text[i] == (i < bytes || rank == root ? 'a' + bytes : '-'), "a broadcast of bytes");
    }
  }
  MPI_Type_free(&column);
  MPI_Comm_dup(MPI_COMM_WORLD, &again);
  int n = rank;
  MPI_Bcast(&n, 1, MPI_INT, size - 1, again);
  expect(n == size - 1, "a broadcast of a duplicate");
  MPI_Comm_free(&again);
}

/// A message that needs both sides to move on while one of them is in a barrier already.
static void a_message_behind_a_barrier(void) {
  MPI_Request request = MPI_REQUEST_NULL;
  char *data = calloc(1, BIG);
  if (rank == 0) memset(data, 7, BIG);
  if (rank == 0) MPI_Isend(data, BIG, MPI_CHAR, 1, 3, MPI_COMM_WORLD, &request);
  if (rank == 1) MPI_Recv(data, BIG, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 1) expect(data[BIG - 1] == 7, "a message");
  free(data);
}

int main(int argc, char **argv) {
  int all = 0;
  if (argc > 1) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  } else {
    MPI_Init(&argc, &argv);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int count = 0; count <= MOST; count = count * 2 + 1) reductions(count);
  others();
  broadcasts();
  a_message_behind_a_barrier();
  PMPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf(all == 0 ? "right\n" : "%d wrong\n", all);
  MPI_Finalize();
  return all != 0;
}
