// Measurements with two jobs on hosts and ports of their own: what the first one notices of what happens to the second.
#include <string.h>

#include "sim/bench/measure.h"
#include "sim/engine/cluster/cluster.h"

enum { MSGLEN = 85, STEPS_A_LOOK = 4096 };   // MSGLEN: two windows of two messages fill a device with 680 slots

/// Between two times: packets of results that all hosts of the first job received in sequence.
struct stretch {
  uint64_t from_ps, to_ps;   ///< from_ps 0: from the first flush on, and `to_ps` is how long
  uint64_t packets;
  unsigned flushes;   ///< up to then
};

static uint64_t received(const struct cluster *c, const struct cluster_options *o) {
  uint64_t packets = 0;
  for (unsigned rank = 0; rank < o->jobs.list[0].ranks; rank++) packets += cluster_responder(c, 0, rank).packets;
  return packets;
}

/// A step of the cluster took place, before which the job had `before` packets. True when the stretch is over.
static bool note(struct stretch *s, bool *begun, const struct cluster *c, const struct cluster_options *o, uint64_t before) {
  const struct cluster_flushes flushes = cluster_flushes(c);
  if (s->from_ps == 0) {
    if (flushes.done == 0) return false;
    s->from_ps = flushes.from_ps;
    s->to_ps += flushes.from_ps;
  }
  if (!*begun && cluster_now(c) >= s->from_ps) {
    *begun = true;
    s->packets = before;
  }
  if (cluster_now(c) < s->to_ps) return false;
  // A flush is one step of many cycles.
  s->to_ps = cluster_now(c);
  s->packets = received(c, o) - s->packets;
  s->flushes = flushes.done;
  return true;
}

static bool run(struct measure *m, const struct cluster_options *o, struct stretch *s) {
  struct cluster *c = cluster_open(o, m->error, sizeof m->error);
  if (c == NULL) return false;
  uint64_t steps = 0;
  bool on = true, begun = false, over = false, too_short = false;
  while (on) {
    const uint64_t before = received(c, o);
    on = cluster_step(c);
    over = over || note(s, &begun, c, o, before);
    too_short = too_short || (!over && cluster_progress(c, 0, 0).done_ps != UINT64_MAX);
    size_t done, all;
    if (++steps % STEPS_A_LOOK != 0) continue;
    cluster_results(c, &done, &all);
    measure_progress(m, done, all);
  }
  const bool good = cluster_finish(c) == 0;
  if (!good) measure_fail(m, "%s", cluster_text(c, 0));
  cluster_close(c);
  if (good && too_short) return measure_fail(m, "the first job was done before the end of what is measured");
  return good;
}

/// Hosts 0, 1, .. and as many more.
static struct cluster_options two_jobs(const struct measure *m, const struct measurement *what) {
  struct cluster_options o = measure_cluster(m, what);
  const size_t messages = o.jobs.list[0].tensor / ((size_t)o.msglen * o.mtu - INA_BYTES);
  o.msglen = MSGLEN;
  jobs_alike(&o.jobs, 2, what->hosts, (uint8_t)what->kind, messages * ((size_t)MSGLEN * o.mtu - INA_BYTES));
  for (unsigned rank = 0; rank < what->hosts; rank++) o.jobs.list[1].hosts[rank] = (uint8_t)(what->hosts + rank);
  o.jobs.hosts = 2 * what->hosts;
  return o;
}

static uint64_t messages_of(const struct cluster_options *o) {
  return o->jobs.list[0].tensor / ((size_t)o->msglen * o->mtu - INA_BYTES);
}

/// How long a message is on the cable.
static uint64_t message_ps(const struct cluster_options *o) {
  return (uint64_t)((CLUSTER_PACKET_OVERHEAD + o->mtu) * 8000 / o->gbps * o->msglen);
}

/// Payload of a host.
static double gbps_of(const struct stretch *s, const struct cluster_options *o) {
  return (double)s->packets * o->mtu * 8000 / (double)(s->to_ps - s->from_ps) / o->jobs.list[0].ranks;
}

bool measure_isolation(struct measure *m, const struct measurement *what) {
  struct cluster_options o = two_jobs(m, what);
  const uint64_t message = message_ps(&o);
  struct stretch free = {.from_ps = 4 * message, .to_ps = (messages_of(&o) - 3) * message}, held = free;
  if (!run(m, &o, &free)) return false;
  o.pause_port = what->hosts;   // of the second job's first host
  o.pause_from_ps = 2 * message;
  o.pause_to_ps = held.to_ps;
  if (!run(m, &o, &held)) return false;
  measure_add(m, what->figures, gbps_of(&held, &o) / gbps_of(&free, &o), 3, "ratio",
              "a job has %.2f Gb/s of payload a host while an output of another one is held, %.2f while that one runs",
              gbps_of(&held, &o), gbps_of(&free, &o))
      ->low = 0.99;
  return true;
}

bool measure_flushes(struct measure *m, const struct measurement *what) {
  struct cluster_options o = two_jobs(m, what);
  struct stretch flushed = {.to_ps = (messages_of(&o) / 2 - 4) * message_ps(&o)};
  o.crash = true;
  o.flushes = CLUSTER_ENDLESS;
  if (!run(m, &o, &flushed)) return false;
  struct stretch free = {.from_ps = flushed.from_ps, .to_ps = flushed.to_ps};
  o.flushes = 0;
  if (!run(m, &o, &free)) return false;
  measure_add(m, what->figures, gbps_of(&flushed, &o) / gbps_of(&free, &o), 3, "ratio",
              "a job has %.2f Gb/s of payload a host while another ring is flushed every %.2f us, %.2f without",
              gbps_of(&flushed, &o), (double)(flushed.to_ps - flushed.from_ps) / 1e6 / flushed.flushes, gbps_of(&free, &o))
      ->low = 0.99;
  return true;
}
