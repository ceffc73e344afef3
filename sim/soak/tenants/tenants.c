// The clock of tenants: hosts, the switch around the device, frames of nobody, and when there is nothing to do.
#include "sim/soak/tenants/tenants.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/stop.h"
#include "sim/soak/tenants/tenants_state.h"
#include "wire/bytes.h"

enum {
  MAX_PENDING = 2,   // frames in front of an input of the device
  PAUSE_BYTES = 64 << 10,
  EPOCH = 7,
  ETHERTYPE = 0x88B5,   // for experiments
  REACHED_EVERY = 1 << 14
};
#define TIMEOUT_PS (60 * TENANTS_US)
#define CABLE_PS UINT64_C(50000)

void tenants_report(struct tenants *s, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  findings_addv(&s->mismatches, format, arguments);
  va_end(arguments);
}

// --- hosts ---

/// It has hosts that send and take.
static bool has_hosts(const struct tenant *t) { return t->stage >= STAGE_RUNS; }

static unsigned rank_at(const struct tenant *t, unsigned host) {
  unsigned rank = 0;
  while (rank < t->job.ranks && t->job.hosts[rank] != host) rank++;
  return rank;
}

/// The hosts that stop in the middle: any of them, at least one.
static void crash(struct tenants *s, struct tenant *t) {
  t->stage = STAGE_CRASHED;
  t->due = s->now + rng_from(&t->rng, 2, t->job.stalls ? 400 : 60) * TENANTS_US;
  t->dead = 1u << rng_below(&t->rng, t->job.ranks);
  const bool all = rng_percent(&t->rng, 30);
  for (unsigned rank = 0; rank < t->job.ranks; rank++)
    if (all || rng_percent(&t->rng, 25)) t->dead |= 1u << rank;
}

/// What is to happen in the middle of a job, and whether its hosts are done.
static void take_progress(struct tenants *s, struct tenant *t, unsigned rank) {
  struct tenants_job *j = &t->job;
  if (!job_progress(s, t) || t->held || t->stage != STAGE_RUNS) return;
  if (t->reduction == j->reductions) {
    t->stage = STAGE_LEAVES;
  } else if (t->results >= j->middle && j->pauses) {
    const unsigned port = j->hosts[rank] % s->config->ports;
    j->pauses = false;
    (j->unplugs ? s->dead_until : s->hold_until)[port] = s->now + rng_from(&t->rng, 2, 50) * TENANTS_US;
    s->counts.pauses += !j->unplugs;
    s->counts.unplugged += j->unplugs;
  } else if (t->results >= j->middle && j->plan == PLAN_CRASH) {
    crash(s, t);
  }
}

static bool seat_takes(struct tenants *s, struct tenant *t, unsigned host, const uint8_t *frame, const struct roce_packet *p) {
  const unsigned rank = has_hosts(t) ? rank_at(t, host) : 0;
  if (!has_hosts(t) || rank == t->job.ranks || job_dead(t, rank)) return false;
  if (!worker_receive(t->seats[rank].worker, s->now, frame, p)) return false;
  take_progress(s, t, rank);
  return true;
}

static void host_receives(struct tenants *s, unsigned host) {
  struct link_frame f;
  while (fabric_host_receive(s->fabric, host, s->now, &f)) {
    struct roce_packet p;
    roce_parse(f.data, f.len, &p);
    unsigned i = 0;
    while (i < s->options.tenants && !seat_takes(s, &s->tenants[i], host, f.data, &p)) i++;
  }
}

/// Jobs of a host take turns on its cable.
static void host_sends(struct tenants *s, unsigned host) {
  const unsigned tenants = s->options.tenants;
  for (unsigned i = 0; i < tenants; i++) {
    const unsigned index = (s->turns[host] + i) % tenants;
    struct tenant *t = &s->tenants[index];
    const unsigned rank = has_hosts(t) ? rank_at(t, host) : 0;
    if (!has_hosts(t) || rank == t->job.ranks || job_dead(t, rank)) continue;
    struct worker *w = t->seats[rank].worker;
    worker_tick(w, s->now);
    if (!fabric_host_idle(s->fabric, host, s->now) || !worker_ready(w, s->now)) continue;
    const size_t len = worker_next(w, s->now, s->frame, sizeof s->frame);
    fabric_host_send(s->fabric, host, s->now, s->frame, len);
    s->turns[host] = (index + 1) % tenants;
    take_progress(s, t, rank);
  }
}

// --- frames of nobody ---

static void bystanders_move(struct tenants *s) {
  struct link_frame f;
  const bool due = s->now >= s->sent_ps + TENANTS_BYSTANDER_PS;
  if (due) s->sent_ps = s->now;
  for (unsigned i = 0; i < TENANTS_BYSTANDERS; i++) {
    const unsigned host = s->hosts + i;
    while (fabric_host_receive(s->fabric, host, s->now, &f)) {
      if (f.len < 14 || get_be16(f.data + 12) != ETHERTYPE) continue;
      s->counts.bystanders++;
      s->counts.meanwhile += s->commanded;
    }
    if (!due || !fabric_host_idle(s->fabric, host, s->now)) continue;
    const size_t len = 60 + rng_below(&s->rng, 1000);
    job_mac(s->hosts + 1 - i, s->frame);
    job_mac(host, s->frame + 6);
    put_be16(s->frame + 12, ETHERTYPE);
    rng_fill(&s->rng, s->frame + 14, len - 14);
    fabric_host_send(s->fabric, host, s->now, s->frame, len);
  }
}

// --- the device ---

static void device_out(void *user, unsigned port, const uint8_t *frame, size_t len, uint64_t first_cycle, uint64_t last_cycle) {
  (void)first_cycle;
  (void)last_cycle;
  struct tenants *s = user;
  fabric_port_send(s->fabric, port, frame, len);
}

static void device_takes(struct tenants *s, unsigned port) {
  struct link_frame f;
  const bool dead = s->now < s->dead_until[port];
  while (dead && fabric_port_receive(s->fabric, port, s->now, &f)) continue;
  while (bench_pending(s->bench, port) < MAX_PENDING && fabric_port_receive(s->fabric, port, s->now, &f))
    bench_send(s->bench, port, f.data, f.len, f.bad_fcs);
  fabric_port_pause(s->fabric, port, bench_pending(s->bench, port) >= MAX_PENDING);
  const bool hold = fabric_port_held(s->fabric, port) || s->now < s->hold_until[port] || dead;
  bench_hold(s->bench, port, hold);
  if (!hold || s->held_from[port] == UINT64_MAX) s->held_from[port] = hold ? s->now : UINT64_MAX;
  // The device is told of links; of all else it is not.
  if (hold && !(s->down >> port & 1) && s->now - s->held_from[port] > s->held_most) s->held_most = s->now - s->held_from[port];
}

void tenants_move(struct tenants *s) {
  s->now = (bench_cycle(s->bench) - s->start) * TENANTS_CYCLE_PS + s->skipped;
  fabric_step(s->fabric, s->now);
  for (unsigned host = 0; host < s->hosts; host++) {
    host_receives(s, host);
    host_sends(s, host);
  }
  bystanders_move(s);
  if (s->commanded) s->commanded_ps += TENANTS_CYCLE_PS;
  for (unsigned port = 0; port < s->config->ports; port++) device_takes(s, port);
}

static void waiting(void *user) {
  struct tenants *s = user;
  if (s->start != 0 && !s->ended) tenants_move(s);
}

// --- time ---

static void sooner(uint64_t *first, uint64_t time) {
  if (time < *first) *first = time;
}

/// When anything happens next outside of the device.
static uint64_t next_event(const struct tenants *s) {
  uint64_t first = fabric_deadline(s->fabric);
  sooner(&first, s->sent_ps + TENANTS_BYSTANDER_PS);
  sooner(&first, operator_next(s));
  for (const struct tenant *t = s->tenants; t < s->tenants + s->options.tenants; t++) {
    for (unsigned rank = 0; has_hosts(t) && rank < t->job.ranks; rank++) {
      const struct worker *w = t->seats[rank].worker;
      if (job_dead(t, rank)) continue;
      const uint64_t deadline = worker_deadline(w, s->now);
      if (deadline > s->now) sooner(&first, deadline);
      if (worker_ready(w, s->now)) sooner(&first, fabric_host_idle_at(s->fabric, t->job.hosts[rank]));
    }
  }
  return first;
}

/// A device that has nothing to do is not clocked until something comes.
static void leap(struct tenants *s) {
  const uint64_t next = next_event(s);
  if (next == UINT64_MAX || next <= s->now + TENANTS_CYCLE_PS) return;
  s->skipped += (next - s->now - 1) / TENANTS_CYCLE_PS * TENANTS_CYCLE_PS;
}

static uint64_t frames_in(const struct tenants *s) {
  uint64_t frames = 0;
  for (unsigned port = 0; port < s->config->ports; port++) frames += bench_counts(s->bench, port)->rx;
  return frames;
}

static void run(struct tenants *s) {
  for (uint64_t steps = 0; !operator_done(s) && stop_asked() == 0; steps++) {
    operator_step(s);
    tenants_move(s);
    if (bench_mismatches(s->bench) > 0 || s->mismatches.count > 0) return;
    if (bench_quiet(s->bench)) leap(s);
    bench_step(s->bench);
    if (steps % REACHED_EVERY != 0) continue;
    s->counts.frames = frames_in(s);
    if (s->options.reached != NULL) s->options.reached(s->options.user, &s->counts);
  }
}

// --- opening and closing ---

static bool open_network(struct tenants *s) {
  static const double rates[] = {0, 0.0001, 0.001, 0.005};
  const double rate = rates[rng_below(&s->rng, 4)];
  struct fabric_config f = {.hosts = s->hosts + TENANTS_BYSTANDERS,
                            .ports = s->config->ports,
                            .device_gbps = 100,
                            .step_ps = TENANTS_CYCLE_PS,
                            .delay_ps = CABLE_PS,
                            .pause = true,
                            .pause_bytes = PAUSE_BYTES,
                            .buffer_bytes = SIZE_MAX,
                            .seed = s->options.seed};
  for (int hop = 0; hop < FABRIC_HOPS; hop++) f.faults[hop] = (struct link_faults){rate, rate, rate, rate};
  for (unsigned h = 0; h < f.hosts; h++) {
    f.redirect[h] = (uint8_t)(h % s->config->ports);
    f.gbps[h] = 100;
    f.all[h] = h >= s->hosts;
  }
  s->fabric = fabric_new(&f);
  for (unsigned h = 0; s->fabric != NULL && h < f.hosts; h++) {
    uint8_t mac[6];
    job_mac(h, mac);
    fabric_bind(s->fabric, h, mac);
  }
  return s->fabric != NULL;
}

static bool open_all(struct tenants *s, char *error, size_t size) {
  static const double stalls[] = {0, 0, 0.1, 0.3};
  const struct bench_options b = {
      .drive = {.config = s->config->name,
                .wave = s->options.wave,
                .seed = s->options.seed,
                .stall = stalls[rng_below(&s->rng, 4)]},
      .rings = s->rings,
      .ring_count = s->config->rings,
      .input = UNDECIDED_FAULTY,
      .epoch = EPOCH,
      .lasting = true,
      .unwatched = true,
      .user = s,
      .out = device_out,
      .waiting = waiting,
  };
  snprintf(error, size, "out of memory");
  if (!open_network(s)) return false;
  s->bench = bench_open(&b, error, size);
  if (s->bench == NULL) return false;
  bench_warm_up(s->bench);
  s->start = bench_cycle(s->bench);
  return true;
}

/// Hosts for all ranks, some at each port.
static unsigned hosts_of(const struct drive_config *c) {
  const unsigned hosts = 2 * (c->ports > c->ranks ? c->ports : c->ranks);
  return hosts < TENANTS_HOSTS ? hosts : TENANTS_HOSTS;
}

static void add_text(struct soak_result *result, const char *text) {
  if (result->mismatches < SOAK_TEXTS) snprintf(result->texts[result->mismatches], SOAK_TEXT_BYTES, "%s", text);
  result->mismatches++;
}

static void finish(struct tenants *s, struct soak_result *result) {
  const bool done = operator_done(s);
  s->ended = true;
  for (unsigned port = 0; port < s->config->ports; port++) bench_hold(s->bench, port, false);
  if (done) accounts_close(s);
  const size_t wrong = bench_mismatches(s->bench) > 0 || done ? bench_finish(s->bench) : 0;
  for (size_t i = 0; i < s->mismatches.count; i++) add_text(result, i < FINDINGS_TEXTS ? findings_text(&s->mismatches, i) : "");
  for (size_t i = 0; i < wrong; i++) {
    const char *text = bench_text(s->bench, i);
    add_text(result, text != NULL ? text : "");
  }
  for (unsigned port = 0; port < s->config->ports; port++) {
    const struct scoreboard_counts *counts = bench_counts(s->bench, port);
    result->frames += counts->rx;
    result->results += counts->tx_result;
    for (int f = 0; f < FATE_COUNT; f++) result->fates[f] += counts->fates[f];
  }
  for (int i = 0; i < REFINEMENT_STEPS; i++) result->steps[i] = bench_steps(s->bench, (enum refinement_step)i);
  result->cycles = bench_cycle(s->bench);
}

void tenants_run(const struct tenants_options *options, struct soak_result *result) {
  static struct tenants life;   // large
  struct tenants *s = &life;
  char error[256] = "";
  *s = (struct tenants){.options = *options,
                        .config = options->config,
                        .hosts = hosts_of(options->config),
                        .timeout_ps = TIMEOUT_PS};
  *result = (struct soak_result){.seed = options->seed};
  s->rng = rng_for(options->seed, 3);
  s->ages = options->seed % 2 == 0;
  for (unsigned port = 0; port < FABRIC_MAX_PORTS; port++) s->held_from[port] = UINT64_MAX;
  s->next_reset = options->jobs / 2 < TENANTS_RESET_EVERY ? options->jobs / 2 + 1 : TENANTS_RESET_EVERY;
  for (unsigned i = 0; i < options->tenants; i++)
    s->tenants[i] = (struct tenant){.index = i, .rng = rng_for(options->seed, 100 + i), .ring = TENANTS_NO_RING};
  if (open_all(s, error, sizeof error)) {
    run(s);
    finish(s, result);
  } else {
    add_text(result, error);
  }
  if (s->bench != NULL) s->counts.aged = bench_aged(s->bench);
  result->tenants = s->counts;
  for (struct tenant *t = s->tenants; t < s->tenants + options->tenants; t++)
    if (has_hosts(t)) job_end(s, t);
  bench_close(s->bench);
  fabric_free(s->fabric);
}
