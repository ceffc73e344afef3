// How fast a network is simulated: `weir fabric` with 128 hosts below three tiers of switches, which send 8 MB each; and on two processes.
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/bench/measure.h"

enum { RUNS = 5, COMMAND = 20 };

// The best public simulator of this kind (htsim's RoCE) delivered so many packets a second on a machine of this kind; the aim is four times that.
static const double peer = 62000;

// Packets delivered a second: of one run, by `before` words in front of the command.
static double once(struct measure *m, const char *program, const char *const before[]) {
  static const char *const command[] = {
      "fabric", "--topology",      "clos:4x4x4,8x4", "--routing",    "ecmp", "--ack-every",      "1",    "--dcqcn", "--leaf-mark",
      "400K",   "--leaf-mark-all", "1600K",          "--spine-mark", "400K", "--spine-mark-all", "1600K"};
  const char *words[COMMAND + 8];
  size_t count = 0;
  double rate = 0;
  for (; before[count] != NULL; count++) words[count] = before[count];
  for (size_t i = 0; i < sizeof command / sizeof *command; i++) words[count++] = command[i];
  words[count] = NULL;
  json_t *root = measure_summary(m, program, words);
  if (root != NULL && json_unpack(root, "{s:F}", "packets_per_second", &rate) != 0)
    measure_fail(m, "weir fabric has another summary");
  json_decref(root);
  return rate;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The median of several runs; 0 if one failed.
static double median(struct measure *m, const char *program, const char *const before[]) {
  double rates[RUNS];
  const size_t runs = m->quick ? 1 : RUNS;
  for (size_t i = 0; i < runs; i++) {
    measure_progress(m, i, runs);
    rates[i] = once(m, program, before);
    if (rates[i] <= 0) return 0;
  }
  qsort(rates, runs, sizeof *rates, compare);
  return rates[runs / 2];
}

bool measure_fabric(struct measure *m, const struct measurement *what) {
  char own[PATH_MAX - 8], mpi[PATH_MAX];
  (void)what;
  const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
  own[length > 0 ? length : 0] = '\0';
  snprintf(mpi, sizeof mpi, "%s-mpi", own);
  if (access(mpi, X_OK) != 0) return measure_fail(m, "%s is not there; make mpi builds it", mpi);
  const double one = median(m, "/proc/self/exe", (const char *const[]){"weir", NULL});
  const double two =
      one > 0
          ? median(m, "mpirun", (const char *const[]){"mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", mpi, NULL})
          : 0;
  if (two <= 0) return false;
  measure_add(m, "fabric_packets_per_second", one, 0, "packets/s",
              "this machine's processor: 128 hosts, three tiers, an ACK a packet")
      ->low = 4 * peer;
  measure_add(m, "fabric_two_rank_ratio", two / one, 2, "", "this machine's second processor: the same on two processes")->low =
      1.6;
  return true;
}
