// Jobs one after another for tools/test/host/test_host_faults.sh: each begins a communicator, reduces, and ends it. What a process has open is the same at the end as
// behind the first job.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir/coll.h>

static unsigned open_files(void) {
  DIR *folder = opendir("/proc/self/fd");
  unsigned count = 0;
  while (folder != NULL && readdir(folder) != NULL) count++;
  if (folder != NULL) closedir(folder);
  return count;
}

static int job(unsigned rank, const char *root, unsigned number) {
  struct weir_coll_config k = weir_coll_defaults();
  struct weir_coll_request *requests[3];
  struct weir_coll_memory *memory;
  struct weir_coll *coll;
  char error[256];
  int numbers[3][500];
  bool done = false;
  k.rank = rank;
  k.workers = 2;
  k.root = root;
  k.job = number;
  k.mtu = 256;
  k.msglen = 4;
  k.window = 1 + number % 3;
  k.secret = "sesame";
  k.secret_bytes = 6;
  if (weir_coll_init(&k, &coll, error, sizeof error) != 0) {
    fprintf(stderr, "job %u rank %u: %s\n", number, rank, error);
    return 1;
  }
  for (int i = 0; i < 1500; i++) numbers[i / 500][i % 500] = i * (int)(rank + 1);
  int code = weir_coll_reg_mr(coll, numbers, sizeof numbers, &memory);
  for (int i = 0; code == 0 && i < 3; i++)
    code = weir_coll_iallreduce(coll, numbers[i], numbers[i], 500, WEIR_COLL_INT32, WEIR_COLL_SUM, i == 1 ? memory : NULL,
                                &requests[i]);
  while (code == 0 && !done) code = weir_coll_test(coll, requests[0], &done);
  // Others, and the registration, are left to close; every fourth job is given up by one host, so that the other hears of it.
  if (number % 4 == 3 && rank == 1) return weir_coll_abort(coll) != 0;
  const int closed = weir_coll_close(coll);
  if (code != 0 || closed != 0) return number % 4 == 3 ? 0 : 1;
  return number % 4 == 3 ? 1 : numbers[0][499] != 499 * 3 || numbers[2][499] != 1499 * 3;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  const unsigned rank = (unsigned)atoi(argv[1]), jobs = (unsigned)atoi(argv[3]);
  unsigned before = 0;
  for (unsigned i = 0; i < jobs; i++) {
    if (job(rank, argv[2], i) != 0) {
      fprintf(stderr, "job %u rank %u failed\n", i, rank);
      return 1;
    }
    if (i == 0) before = open_files();
  }
  if (open_files() != before)
    fprintf(stderr, "rank %u: %u files are open, %u were behind the first job\n", rank, open_files(), before);
  return open_files() != before;
}
