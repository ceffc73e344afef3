/// The standing measurements of `weir bench`: figures, and what takes them.
#ifndef WEIR_SIM_MEASURE_H
#define WEIR_SIM_MEASURE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/cli/figure.h"
#include "sim/engine/cluster/cluster.h"

/// What a run of `weir bench` goes by, and what it has found.
struct measure {
  bool quick;            ///< a fraction of the packets
  struct life *life;     ///< is told how far it is
  const char *capture;   ///< for the speed of the simulation
  uint64_t seed;

  const char *now;   ///< name of the measurement under way
  struct figure *figures;
  size_t count, size;
  char error[256];   ///< why a measurement failed
};

/// Appends a figure without target and returns it, valid until the next one. Aborts if out of memory.
struct figure *measure_add(struct measure *m, const char *name, double value, int decimals, const char *unit,
                           const char *bound_by, ...) __attribute__((format(printf, 6, 7)));
/// Notes why a measurement failed. Returns false.
bool measure_fail(struct measure *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// Shows on a terminal how far the measurement under way is.
void measure_progress(const struct measure *m, size_t done, size_t of);

/// One measurement: it takes all its figures together. False, with m->error set, if it failed.
struct measurement {
  const char *figures;   ///< their names, with blanks between
  bool (*run)(struct measure *m, const struct measurement *what);
  const char *config;   ///< of the device
  unsigned hosts, mtu, kind, window;
  double rtt_us;
  unsigned messages;       ///< of a host
  const char *otherwise;   ///< what bounds a rate that is not the wire's
};

/// Hosts at line rate in one job, as a measurement in closed loop begins.
struct cluster_options measure_cluster(const struct measure *m, const struct measurement *what);
/// Line rate in closed loop: of one setting, and of the paper's with all that is to be known about it.
bool measure_rate(struct measure *m, const struct measurement *what);
bool measure_line_rate(struct measure *m, const struct measurement *what);
/// The same with the ACKs on the cables of the data, as hosts have it.
bool measure_host_rate(struct measure *m, const struct measurement *what);
/// What a window of messages makes of a round trip.
bool measure_window(struct measure *m, const struct measurement *what);
/// New packets while hosts fill the rest of their cables with copies of old ones.
bool measure_storm(struct measure *m, const struct measurement *what);
/// What one job notices of another one in the same device: that an output of the other is held, that its ring is flushed again and again.
bool measure_isolation(struct measure *m, const struct measurement *what);
bool measure_flushes(struct measure *m, const struct measurement *what);
/// A column whose last packet comes when nothing else is under way.
bool measure_idle_latency(struct measure *m, const struct measurement *what);
/// The smallest frames, passed on all ports at once.
bool measure_small_frames(struct measure *m, const struct measurement *what);
/// What a streaming tree gives each host, over what RC carries on its cable.
bool measure_tree(struct measure *m, const struct measurement *what);
/// One operation through a tree node that is idle.
bool measure_tree_idle(struct measure *m, const struct measurement *what);
/// Runs a program quietly with these words (NULL at the end, its own name first) and --json: its summary, the caller's; NULL with m->error set if it failed.
json_t *measure_summary(struct measure *m, const char *program, const char *const words[]);
/// How fast a network is simulated, on one process and on two.
bool measure_fabric(struct measure *m, const struct measurement *what);
/// The smallest frames on all down ports of the uplink device.
bool measure_uplink(struct measure *m, const struct measurement *what);
/// How fast a capture is replayed.
bool measure_speed(struct measure *m, const struct measurement *what);

#endif
