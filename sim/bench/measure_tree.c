// What a streaming tree gives its hosts: an all-reduce of long vectors through one tree node in RTL, with a host behind each of its ports.
#include <stdio.h>

#include "sim/bench/measure.h"
#include "sim/engine/collective/tree_run.h"

enum {
  LINE_GBPS = 100,   // of every cable
  HEADERS = 58,      // bytes of a packet of RC around its payload: Ethernet, IPv4, UDP, BTH, ICRC
  ROOM = 64,         // packets of a connection, of hosts as of the device
  QUICK_HOSTS = 4
};

/// Picoseconds that an all-reduce of so many bytes takes, from the first host's beginning to the last one's end. Negative, with m->error set, if a
/// check failed.
static double run(struct measure *m, const struct topology *topology, unsigned mtu, uint32_t size) {
  const bool devices[] = {true};
  const struct tree_run_options o = {.network = {.topology = topology,
                                                 .pairs = 1,
                                                 .groups = 1,
                                                 .mtu = mtu,
                                                 .credits = ROOM,
                                                 .window = ROOM,
                                                 .lock_cells = TREE_CONTROL_CELLS,
                                                 .gbps = LINE_GBPS,
                                                 .cable_ps = 450000,
                                                 .devices = devices,
                                                 .timeout_ps = UINT64_C(30000000),
                                                 .patience_ps = UINT64_C(2000000000),
                                                 .retries = 7,
                                                 .dead_host = TREE_NET_NOBODY,
                                                 .cut_cable = TREE_NET_NOBODY,
                                                 .spoilt_node = TREE_NET_NOBODY,
                                                 .seed = m->seed},
                                     .jobs = {.operation = TREE_ALL_REDUCE,
                                              .streams = true,
                                              .type = INA_FP32,
                                              .size = size,
                                              .operations = 1,
                                              .parts = 1,
                                              .lock = 1,
                                              .tries = 1,
                                              .seed = m->seed}};
  struct tree_run *r = tree_run_open(&o, m->error, sizeof m->error);
  if (r == NULL) return -1;
  while (tree_run_step(r)) continue;
  const struct tree_result *result = tree_run_finish(r);
  double ps = result->jobs.mean_ps;
  const char *wrong = findings_text(&result->findings, 0);
  if (wrong != NULL || result->jobs.operations != 1) {
    measure_fail(m, "%s", wrong != NULL ? wrong : "no result");
    ps = -1;
  }
  tree_run_close(r);
  return ps;
}

bool measure_tree(struct measure *m, const struct measurement *what) {
  static struct topology topology;
  const struct topology_limits limits = {1, TOPOLOGY_MAX_HOSTS, TOPOLOGY_MAX_CHILDREN, 0};
  // A look takes the device that is compiled soonest.
  const unsigned hosts = m->quick ? QUICK_HOSTS : what->hosts;
  char shape[32];
  snprintf(shape, sizeof shape, "fat-tree:%u", hosts);
  if (topology_read(&topology, shape, &limits, m->error, sizeof m->error) != 0) return false;
  // What the second half of the longer vector takes more is without any latency.
  const uint32_t size = (m->quick ? 64 : what->messages) * what->mtu;
  const double one = run(m, &topology, what->mtu, size), two = one < 0 ? -1 : run(m, &topology, what->mtu, 2 * size);
  if (two < 0) return false;
  const double gbps = size * 8e3 / (two - one), carries = LINE_GBPS * (double)what->mtu / (what->mtu + HEADERS + LINK_OVERHEAD);
  measure_add(m, what->figures, gbps / carries, 3, "ratio", "%.2f Gb/s of the vector to each of %u hosts, RC would carry %.2f",
              gbps, hosts, carries)
      ->low = 0.95;
  return true;
}
