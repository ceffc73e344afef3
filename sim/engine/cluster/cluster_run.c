// The clock of the cluster: who may move in which cycle, and when there is nothing to do.
#include "sim/engine/cluster/cluster_state.h"

#include <stdarg.h>

#include "base/stop.h"

enum {
  MAX_PENDING = 2,   // frames in front of an input of the device: one goes in, the next is there
  STILL = 3,         // time-outs after which a ring with a dead host stands still
  PATIENCE = 100,    // time-outs without a single result: nothing will come any more
  REBOOTED = 20      // the same when a ring may stand still, and its hosts repeat
};

void cluster_report(struct cluster *c, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  findings_addv(&c->mismatches, format, arguments);
  va_end(arguments);
}

// --- hosts ---

/// The switch of a host, and its place there.
static struct fabric *fabric_of(const struct cluster *c, unsigned host, unsigned *place) {
  *place = host;
  return c->racks != NULL ? racks_fabric(c->racks, host, place) : c->fabric;
}

static bool host_idle(const struct cluster *c, unsigned host) {
  unsigned place;
  const struct fabric *f = fabric_of(c, host, &place);
  return fabric_host_idle(f, place, c->now);
}

static void host_send(struct cluster *c, unsigned host, size_t len) {
  unsigned place;
  struct fabric *f = fabric_of(c, host, &place);
  fabric_host_send(f, place, c->now, c->frame, len);
}

static void take_progress(struct cluster *c, struct seat *s) {
  size_t of;
  const uint64_t packets = worker_responder(s->worker).packets;
  if (packets != s->packets) {
    s->packets = packets;
    s->last_ps = c->now;
    if (s->measured_from == 0 && packets >= c->options.msglen) {
      s->measured_from = packets;
      s->first_ps = c->now;
    }
  }
  const size_t results = worker_progress(s->worker, &of);
  if (results != s->results) {
    s->results = results;
    c->moved = c->now;
  }
  if (s->done_ps == UINT64_MAX && worker_done(s->worker)) {
    s->done_ps = c->now;
    c->open -= s->awaited;
  }
}

/// The rank that stops does so when half of its results are here.
static bool has_died(const struct cluster *c, const struct seat *s) {
  if (abuse_crashed(c, s->ring)) return true;
  if (s->ring != 0 || s->host != c->options.dead) return false;
  size_t of;
  return worker_progress(s->worker, &of) * 2 >= of;
}

static bool seat_takes(struct cluster *c, struct seat *s, const uint8_t *frame, const struct roce_packet *p) {
  if (s == NULL || has_died(c, s) || !worker_receive(s->worker, c->now, frame, p)) return false;
  take_progress(c, s);
  return true;
}

static void host_receives(struct cluster *c, unsigned host) {
  struct link_frame f;
  unsigned place;
  struct fabric *fabric = fabric_of(c, host, &place);
  while (fabric_host_receive(fabric, place, c->now, &f)) {
    if (c->options.writer != NULL) capture_writer_put(c->options.writer, host, c->now / 1000, f.data, f.len);
    struct roce_packet p;
    roce_parse(f.data, f.len, &p);
    unsigned ring = 0;
    while (ring < c->options.jobs.count && !seat_takes(c, seat_of(c, ring, host), f.data, &p)) ring++;
    if (ring == c->options.jobs.count) c->strays++;
  }
}

/// What a storm may repeat: data packets.
static void keep(struct seat *s, const uint8_t *frame, size_t len) {
  struct roce_packet p;
  if (s->echo != NULL && roce_locate(frame, len, &p) && frame[p.bth] != ROCE_ACK) echo_note(s->echo, frame, len);
}

/// In a storm, a cable that nobody else needs carries copies.
static void host_repeats(struct cluster *c, unsigned host) {
  const unsigned rings = c->options.jobs.count;
  for (unsigned i = 0; i < rings && host_idle(c, host); i++) {
    const unsigned ring = (c->turns[host] + i) % rings;
    const struct seat *s = seat_of(c, ring, host);
    const size_t len = s == NULL || has_died(c, s) ? 0 : echo_next(s->echo, c->frame, sizeof c->frame);
    if (len == 0) continue;
    host_send(c, host, len);
    c->turns[host] = (ring + 1) % rings;
    c->copies++;
  }
}

/// The witness need not guess what a worker's packet is.
static void tell_meaning(struct cluster *c, const struct seat *s, size_t len) {
  struct witness_meaning meaning = {.ring = s->ring, .rank = s->rank};
  // A witness that begins anew knows of no message whose first packets came in before.
  if (c->bench != NULL && c->options.reboot == CLUSTER_NOBODY && len > 0 &&
      worker_sent(s->worker, &meaning.msgid, &meaning.offset))
    bench_meant(c->bench, c->frame, len, &meaning);
}

/// Rings of a host take turns on its cable.
static void host_sends(struct cluster *c, unsigned host) {
  const unsigned rings = c->options.jobs.count;
  for (unsigned i = 0; i < rings; i++) {
    const unsigned ring = (c->turns[host] + i) % rings;
    struct seat *s = seat_of(c, ring, host);
    if (s == NULL || has_died(c, s)) continue;
    worker_tick(s->worker, c->now);
    if (!host_idle(c, host) || !worker_ready(s->worker, c->now)) continue;
    const size_t len = worker_next(s->worker, c->now, c->frame, sizeof c->frame);
    tell_meaning(c, s, len);
    host_send(c, host, len);
    keep(s, c->frame, len);
    c->turns[host] = (ring + 1) % rings;
  }
  if (c->options.storm) host_repeats(c, host);
}

// --- the device ---

static void device_takes(struct cluster *c, unsigned port) {
  struct link_frame f;
  while (c->now < c->up_ps && fabric_port_receive(c->fabric, port, c->now, &f)) continue;   // it is off
  while (bench_pending(c->bench, port) < MAX_PENDING && fabric_port_receive(c->fabric, port, c->now, &f)) {
    const bool hostile = abuse_sent(c, f.data, f.len);
    c->hostile_taken += hostile;
    bench_send_of(c->bench, hostile, port, f.data, f.len, f.bad_fcs);
  }
  fabric_port_pause(c->fabric, port, bench_pending(c->bench, port) >= MAX_PENDING);
  bench_hold(c->bench, port, fabric_port_held(c->fabric, port) || abuse_holds(c) || abuse_pauses(c, port));
}

// --- time ---

static void sooner(uint64_t *first, uint64_t time) {
  if (time < *first) *first = time;
}

/// When anything happens next outside of the device.
static uint64_t next_event(const struct cluster *c) {
  uint64_t first = c->racks != NULL ? racks_deadline(c->racks) : fabric_deadline(c->fabric);
  sooner(&first, abuse_next(c));
  for (const struct seat *s = c->seats; s < c->seats + c->seat_count; s++) {
    if (has_died(c, s)) continue;
    // What is due already waits for the cable.
    const uint64_t deadline = worker_deadline(s->worker, c->now);
    if (deadline > c->now) sooner(&first, deadline);
    unsigned place;
    const struct fabric *f = fabric_of(c, s->host, &place);
    if (worker_ready(s->worker, c->now)) sooner(&first, fabric_host_idle_at(f, place));
  }
  return first;
}

/// A device that has nothing to do is not clocked until something comes.
static void leap(struct cluster *c) {
  const uint64_t next = next_event(c);
  if (next == UINT64_MAX || next <= c->now + CLUSTER_CYCLE_PS) return;
  const uint64_t cycles = (next - c->now - 1) / CLUSTER_CYCLE_PS;
  c->skipped += cycles * CLUSTER_CYCLE_PS;
  if (c->bench != NULL) bench_skip(c->bench, cycles);
}

/// A ring with a dead host does not get done: it goes on until it stands still.
static bool still_moves(const struct cluster *c) {
  return c->options.dead != CLUSTER_NOBODY && c->now - c->moved < STILL * c->options.timeout_ps;
}

/// Switches and devices in this cycle.
static void step_network(struct cluster *c) {
  if (c->racks != NULL)
    racks_step(c->racks, c->now);
  else
    fabric_step(c->fabric, c->now);
}

/// One cycle of a device with a clock; others need none.
static void clock_device(struct cluster *c) {
  if (c->bench == NULL) {
    leap(c);
    c->skipped += CLUSTER_CYCLE_PS;
    return;
  }
  if (bench_quiet(c->bench)) leap(c);
  bench_step(c->bench);
}

/// A device forgets all. Those who lack a result ask for it, but not who has his; so a ring may stand still (docs/relay.md).
static void reboot(struct cluster *c) {
  const uint8_t epoch = c->options.epoch;
  c->restarted = true;
  if (c->racks != NULL) {
    racks_reboot(c->racks, c->options.reboot);
    return;
  }
  c->up_ps = c->now + c->options.down_ps;
  if (!bench_restart(c->bench, epoch == UINT8_MAX ? 1 : (uint8_t)(epoch + (epoch != 0))) || cluster_register(c) != NULL)
    cluster_report(c, "%.3f ms: the device cannot be set up again", (double)c->now / 1e9);
}

static bool reboot_is_due(const struct cluster *c) {
  if (c->options.reboot == CLUSTER_NOBODY || c->restarted) return false;
  return c->options.reboot_ps > 0 ? c->now >= c->options.reboot_ps : abuse_half_done(c);
}

bool cluster_may_stand(const struct cluster *c, unsigned ring) {
  return c->options.reboot != CLUSTER_NOBODY || (ring == 0 && c->options.dead != CLUSTER_NOBODY) || abuse_crashed(c, ring);
}

void cluster_move(struct cluster *c) {
  c->now = cluster_clocked(c) * CLUSTER_CYCLE_PS + c->skipped;
  if (reboot_is_due(c)) reboot(c);
  step_network(c);
  for (unsigned host = 0; host < c->options.jobs.hosts; host++) {
    host_receives(c, host);
    host_sends(c, host);
  }
  if (c->bench != NULL) {
    abuse_step(c);
    for (unsigned port = 0; port < c->options.config->ports; port++) device_takes(c, port);
  }
}

/// The jobs are over. True if others follow, which begin when nothing is under way.
static bool turn_over(struct cluster *c) {
  if (!turns_left(c)) return false;
  return next_event(c) != UINT64_MAX || turns_next(c);
}

bool cluster_step(struct cluster *c) {
  if (stop_asked() != 0) return false;
  if (abuse_flushes(c)) abuse_flush(c);
  cluster_move(c);
  if (c->open == 0 && !still_moves(c) && (!abuse_flushes(c) || c->options.flushes == CLUSTER_ENDLESS) && !turn_over(c))
    return false;
  const uint64_t patience = c->options.reboot == CLUSTER_NOBODY ? PATIENCE : REBOOTED;
  if (c->now - c->moved > patience * c->options.timeout_ps) {
    if (c->options.reboot == CLUSTER_NOBODY)
      cluster_report(c, "%.3f ms: no result message for %d time-outs", (double)c->now / 1e9, PATIENCE);
    return false;
  }
  if (c->bench != NULL ? bench_mismatches(c->bench) > 0 : racks_fault(c->racks) != NULL) return false;
  clock_device(c);
  return true;
}
