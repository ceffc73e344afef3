#include "sim/engine/cluster/pilot.h"

#include <stdio.h>
#include <string.h>

/// A gradient and its result take four: to the switch, to the device, and back.
enum { CABLES = 4 };

double pilot_round_trip(const struct cluster_options *options, char *error, size_t size) {
  struct cluster_options pilot = *options;
  pilot.jobs.list[0].tensor = pilot.mtu - INA_BYTES;
  pilot.short_last = true;
  pilot.learn = false;   // the device learns a connection once and takes its time for that
  pilot.jobs.count = 1;
  pilot.stall = 0;
  pilot.slow = pilot.dead = pilot.reboot = CLUSTER_NOBODY;
  pilot.rnr_percent = 0;
  pilot.hostile = 0;
  pilot.hold_cycles = pilot.pause_to_ps = 0;
  pilot.crash = false;
  pilot.offer = 0;
  pilot.restart = pilot.storm = false;
  pilot.turns = 1;
  pilot.wave = NULL;
  pilot.writer = NULL;
  pilot.history = NULL;
  memset(pilot.faults, 0, sizeof pilot.faults);
  struct cluster *c = cluster_open(&pilot, error, size);
  if (c == NULL) return -1;
  while (cluster_step(c)) continue;
  const double us = (double)cluster_last_result(c) / 1e6;
  const bool good = cluster_finish(c) == 0;
  cluster_close(c);
  if (good) return us;
  snprintf(error, size, "a single packet does not come through");
  return -1;
}

/// A host may have so many messages outstanding as a step has, and the next one is passed on when its predecessor of the step before is here:
/// that is what a window does. So the workers of a ring with a device send what those of a plain ring would, in their times.
static struct cluster_options plain_ring(const struct cluster_options *options) {
  struct cluster_options plain = *options;
  const size_t hosts = options->jobs.hosts, step = (options->jobs.list[0].tensor + hosts - 1) / hosts;
  const size_t room = (size_t)options->msglen * options->mtu - INA_BYTES, messages = (step + room - 1) / room;
  const size_t packets = ((step + messages - 1) / messages + INA_BYTES + options->mtu - 1) / options->mtu;
  plain.plain = true;
  plain.jobs.count = 1;
  plain.msglen = (uint16_t)packets;
  plain.window = (unsigned)messages;
  plain.jobs.list[0].tensor = 2 * (hosts - 1) * messages * (packets * options->mtu - INA_BYTES);
  plain.dead = plain.reboot = CLUSTER_NOBODY;
  plain.rnr_percent = 0;
  plain.offer = 0;
  plain.storm = false;
  plain.epoch = 0;   // nobody marks anything
  plain.writer = NULL;
  memset(plain.faults, 0, sizeof plain.faults);
  return plain;
}

double pilot_plain_ring(const struct cluster_options *options, char *error, size_t size) {
  const struct cluster_options plain = plain_ring(options);
  struct cluster *c = cluster_open(&plain, error, size);
  if (c == NULL) return -1;
  while (cluster_step(c)) continue;
  size_t results, of;
  cluster_results(c, &results, &of);
  const double us = (double)cluster_last_result(c) / 1e6;
  const bool good = cluster_finish(c) == 0 && results == of;
  cluster_close(c);
  if (good) return us;
  snprintf(error, size, "a ring all-reduce without devices does not come to its end");
  return -1;
}

int pilot_set_cables(struct cluster_options *options, double rtt_us, char *error, size_t size) {
  options->cable_ps = 0;
  const double least = pilot_round_trip(options, error, size);
  if (least < 0) return -1;
  if (rtt_us < least) {
    snprintf(error, size, "without any cable it takes %.3f us already", least);
    return -1;
  }
  options->cable_ps = (uint64_t)((rtt_us - least) * 1e6 / CABLES);
  return 0;
}
