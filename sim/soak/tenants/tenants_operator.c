// The operator of tenants: gives rings away, ends jobs in order or not, looks at what the device says, and counts.
#include <errno.h>
#include <inttypes.h>

#include "sim/engine/fit.h"
#include "sim/soak/tenants/tenants_state.h"
#include "wire/fate.h"

enum {
  IRQ_TABLE_FULL = 1,
  STALL_UNITS = 120,   // of 256 cycles: a little more than a microsecond each
  PATIENCE = 40,       // time-outs of a host without any result
  // Then a flush ends the wait. Results for all of paper6's slots behind one output, which passed frames share, leave in half of the longer
  // one; who waits for less may find no more than that there are many.
  HASTY_READS = 1500,
  DRAIN_READS = 6000,
  QPNS = 64,
  QPN_FIRST = 0x100,
};
#define LOOK_PS (TENANTS_US / 2)
#define POLL_PS (10 * TENANTS_US)
#define HELD_PS (30 * TENANTS_US)
#define AWAY_MOST_US 20

static struct tenant *end_of(struct tenants *s) { return s->tenants + s->options.tenants; }

static void refused(struct tenants *s, const struct tenant *t, const char *what, int result) {
  if (result < 0)
    tenants_report(s, "%.3f ms: tenant %u, ring %u: the device refuses to %s: %d", (double)s->now / 1e9, t->index, t->ring, what,
                   result);
}

// --- what is under way ---

static bool is_of(const struct tenant *t, const struct roce_packet *p) {
  for (unsigned rank = 0; rank < t->job.ranks; rank++) {
    const struct conn_key key = job_connection(t, rank);
    if (conn_key_equal(&key, &p->key)) return true;
  }
  return false;
}

static bool of_job(const void *user, const uint8_t *frame, size_t len) {
  struct roce_packet p;
  roce_parse(frame, len, &p);
  return p.class == ROCE_CANDIDATE && is_of(user, &p);
}

/// A packet of a connection whose ring is over.
static bool of_the_past(const void *user, const uint8_t *frame, size_t len) {
  const struct tenants *s = user;
  struct roce_packet p;
  roce_parse(frame, len, &p);
  if (p.class != ROCE_CANDIDATE) return false;
  for (const struct tenant *t = s->tenants; t < s->tenants + s->options.tenants; t++)
    if (t->stage >= STAGE_RUNS && t->stage < STAGE_GONE && is_of(t, &p)) return false;
  return true;
}

static bool nothing(const struct tenants *s, bool (*match)(const void *user, const uint8_t *frame, size_t len),
                    const void *user) {
  return !fabric_holds(s->fabric, match, user) && !bench_undecided_of(s->bench, match, user);
}

// --- a job comes ---

/// The first place of its slots; false if there is none.
static bool find_room(const struct tenants *s, struct drive_ring *ring) {
  const unsigned slots = 2 * ring->window * ring->stride;
  for (ring->base = 0; ring->base + slots <= s->config->slots;) {
    const struct tenant *in_way = NULL;
    for (const struct tenant *t = s->tenants; t < s->tenants + s->options.tenants; t++) {
      const unsigned end = t->as.base + 2 * t->as.window * t->as.stride;
      if (t->ring != TENANTS_NO_RING && t->as.base < ring->base + slots && ring->base < end) in_way = t;
    }
    if (in_way == NULL) return true;
    ring->base = in_way->as.base + 2 * in_way->as.window * in_way->as.stride;
  }
  return false;
}

static unsigned free_ring(struct tenants *s, struct rng *rng) {
  const unsigned from = rng_below(rng, s->config->rings);
  for (unsigned i = 0; i < s->config->rings; i++) {
    const unsigned ring = (from + i) % s->config->rings;
    bool used = false;
    for (const struct tenant *t = s->tenants; t < end_of(s); t++) used = used || t->ring == ring;
    if (!used) return ring;
  }
  return TENANTS_NO_RING;
}

static void away(struct tenants *s, struct tenant *t) {
  t->stage = STAGE_AWAY;
  t->due = s->now + rng_below(&t->rng, AWAY_MOST_US) * TENANTS_US;
}

/// What the ring counted of its job is read before another one gets it.
static void give_back(struct tenants *s, struct tenant *t) {
  const struct {
    unsigned which;
    uint64_t *sum;
  } sums[] = {{FATE_STORED, &s->stored}, {FATE_DUPLICATE, &s->duplicates}, {DRIVE_TX_RESULT, &s->given}};
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
    uint64_t value = 0;
    refused(s, t, "tell a counter", drive_ring_counter(bench_registers(s->bench), t->ring, sums[i].which, &value));
    *sums[i].sum += value;
  }
  t->ring = TENANTS_NO_RING;
}

/// A connection that finds no place: the job goes away and comes again with others.
static void turn_away(struct tenants *s, struct tenant *t) {
  s->counts.refused++;
  refused(s, t, "release it", bench_end_ring(s->bench, t->ring, &t->as, BENCH_RELEASE));
  give_back(s, t);
  away(s, t);
}

static void begin(struct tenants *s, struct tenant *t) {
  const struct tenants_job *j = &t->job;
  struct drive_ring ring = {
      .enable = true, .learn = j->learn, .workers = j->ranks, .window = fit_window(j->window), .stride = j->msglen};
  const unsigned index = free_ring(s, &t->rng);
  if (index == TENANTS_NO_RING || !find_room(s, &ring)) return;
  const uint64_t number = s->begun++;
  ring.id = (uint16_t)(1 + number % UINT16_MAX);
  t->as = ring;
  t->ring = index;
  t->qpn = (uint32_t)(QPN_FIRST + number % ((1 << 24) / QPNS - QPNS) * QPNS);
  t->held = true;
  refused(s, t, "begin", bench_begin_ring(s->bench, index, &ring));
  for (unsigned rank = 0; !j->learn && rank < j->ranks; rank++) {
    const struct conn_key key = job_connection(t, rank);
    const int result = bench_connect(s->bench, &key, index, rank);
    if (result == -EINVAL) {
      turn_away(s, t);
      return;
    }
    refused(s, t, "register a connection", result);
  }
  t->held = false;
  if (!job_begin(s, t)) tenants_report(s, "out of memory");
  t->stage = STAGE_RUNS;
}

// --- a job goes ---

static void over(struct tenants *s, struct tenant *t) {
  job_end(s, t);
  s->counts.jobs++;
  away(s, t);
}

static void drain(struct tenants *s, struct tenant *t, enum bench_end end) {
  bool forced = false;
  const uint32_t told = s->down;
  const bool hasty = rng_percent(&t->rng, 30);
  s->commanded = true;
  s->held_most = 0;
  refused(s, t, "drain", bench_drain_ring(s->bench, t->ring, end, hasty ? HASTY_READS : DRAIN_READS, &forced));
  s->commanded = false;
  s->counts.forced += forced;
  s->counts.unhindered += !forced && told != 0;
  // An output that stands still for a good part of what such a drain waits for.
  if (forced && !hasty && s->held_most < HELD_PS)
    tenants_report(s, "%.3f ms: ring %u is not drained, but no output stood still for longer than %.3f us", (double)s->now / 1e9,
                   t->ring, (double)s->held_most / 1e6);
}

/// Hosts are done, and nothing of the job is under way.
static void leave(struct tenants *s, struct tenant *t) {
  if (!nothing(s, of_job, t)) return;
  t->held = true;
  if (rng_percent(&t->rng, 50))
    drain(s, t, BENCH_RELEASE);
  else
    refused(s, t, "end", bench_end_ring(s->bench, t->ring, &t->as, BENCH_RELEASE));
  t->held = false;
  give_back(s, t);
  s->counts.orderly++;
  over(s, t);
}

/// Hosts that still send go on for a while.
static void gone(struct tenants *s, struct tenant *t) {
  t->stage = STAGE_GONE;
  t->held = false;
  t->due = s->now + rng_from(&t->rng, 0, 60) * TENANTS_US;
}

static void flush_crashed(struct tenants *s, struct tenant *t) {
  t->held = true;
  refused(s, t, "flush", bench_end_ring(s->bench, t->ring, &t->as, BENCH_FLUSH));
  s->counts.crashed++;
  gone(s, t);
}

static void evict(struct tenants *s, struct tenant *t) {
  t->held = true;
  drain(s, t, BENCH_FLUSH);
  s->counts.evicted++;
  gone(s, t);
}

/// All its hosts have stopped, and nothing of it is under way: its connections can be released. Those that it learned may be left behind; what was registered is
/// still alive, and would be the next tenant's.
static void bury(struct tenants *s, struct tenant *t) {
  t->dead = UINT32_MAX;
  if (!nothing(s, of_job, t)) return;
  if (t->ring != TENANTS_NO_RING) {
    if (!t->job.lazy) refused(s, t, "release", bench_clear_ring(s->bench, t->ring, BENCH_RELEASE));
    give_back(s, t);
  }
  over(s, t);
}

// --- all jobs ---

/// Ports are closed, so that nothing of what was under way passes, until hosts that a reset surprised have stopped.
static void soft_reset(struct tenants *s) {
  if (!nothing(s, of_the_past, s)) return;
  int result = bench_open_ports(s->bench, false);
  for (struct tenant *t = s->tenants; t < end_of(s); t++) t->held = true;
  s->commanded = true;
  if (result == 0) result = bench_soft_reset(s->bench);
  s->commanded = false;
  if (result != 0) tenants_report(s, "%.3f ms: the device refuses a soft reset: %d", (double)s->now / 1e9, result);
  for (struct tenant *t = s->tenants; t < end_of(s); t++) {
    t->held = false;
    if (t->ring == TENANTS_NO_RING) continue;
    if (t->stage != STAGE_GONE) s->counts.reset++;
    give_back(s, t);
    if (t->stage != STAGE_GONE) gone(s, t);
  }
  s->counts.resets++;
  s->next_reset = s->counts.jobs + TENANTS_RESET_EVERY;
  s->resetting = true;
}

static void end_reset(struct tenants *s) {
  for (struct tenant *t = s->tenants; t < end_of(s); t++)
    if (t->stage >= STAGE_RUNS) return;
  if (!nothing(s, of_the_past, s)) return;
  if (bench_open_ports(s->bench, true) != 0) tenants_report(s, "the device opens no port");
  s->resetting = false;
}

void operator_sweep(struct tenants *s) {
  if (!nothing(s, of_the_past, s)) return;
  const int count = bench_release_retired(s->bench);
  if (count < 0)
    tenants_report(s, "retired connections cannot be released: %d", count);
  else
    s->counts.swept += (unsigned)count;
}

/// Whom a crash stops: the dead, and each one behind a dead one, which may lack a result that only that one would ask for again.
static uint32_t stopped(const struct tenant *t) {
  return (t->dead | t->dead << 1 | t->dead >> (t->job.ranks - 1)) & ((1u << t->job.ranks) - 1);
}

static void found_stalled(struct tenants *s, struct tenant *t) {
  uint32_t ranks = 0, units = 0;
  refused(s, t, "tell whom it waits for", drive_waits(bench_registers(s->bench), t->ring, &ranks, &units));
  if (ranks == 0) return;   // it has moved
  if ((ranks & stopped(t)) == 0)
    tenants_report(s, "%.3f ms: ring %u stalls for ranks %#" PRIx32 " of %u, but %#" PRIx32 " have crashed", (double)s->now / 1e9,
                   t->ring, ranks, t->job.ranks, t->dead);
  s->counts.stalls++;
  flush_crashed(s, t);
}

static void most(uint64_t *most, uint64_t value) {
  if (value > *most) *most = value;
}

/// Links that the MACs say are down.
static void look_at_links(struct tenants *s) {
  uint32_t down = 0;
  for (unsigned port = 0; port < s->config->ports; port++) down |= (uint32_t)(s->now < s->dead_until[port]) << port;
  if (down != s->down && bench_set_down(s->bench, down) != 0) tenants_report(s, "the device takes no links that are down");
  s->down = down;
}

/// What an operator looks at now and then.
static void poll(struct tenants *s) {
  struct drive *d = bench_registers(s->bench);
  uint32_t stalls = 0, causes = 0;
  unsigned used = 0, retired = 0, columns = 0;
  s->next_poll = s->now + POLL_PS;
  if (drive_stalls(d, &stalls) != 0 || drive_take_causes(d, &causes) != 0 || drive_connections(d, &used, &retired) != 0 ||
      drive_columns(d, &columns) != 0)
    tenants_report(s, "registers cannot be read");
  look_at_links(s);
  most(&s->counts.most_connections, used);
  most(&s->counts.most_retired, retired);
  most(&s->counts.most_columns, columns);
  for (struct tenant *t = s->tenants; t < end_of(s); t++)
    if (t->stage == STAGE_CRASHED && t->job.stalls && t->ring != TENANTS_NO_RING && (stalls >> t->ring & 1)) found_stalled(s, t);
  if (retired > s->config->conns / 4 || (causes & IRQ_TABLE_FULL)) operator_sweep(s);
}

// --- what is due ---

static bool enough(const struct tenants *s) {
  return s->counts.frames >= s->options.frames && s->counts.jobs >= s->options.jobs && s->counts.resets > 0;
}

static void serve(struct tenants *s, struct tenant *t) {
  const bool due = s->now >= t->due;
  switch (t->stage) {
    case STAGE_AWAY:
      if (!due) return;
      job_draw(s, t);
      t->stage = STAGE_WAITS;
      return;
    case STAGE_WAITS:
      if (!enough(s) && !s->resetting) begin(s, t);
      return;
    case STAGE_RUNS:
      if (t->naps_until != 0 && s->now >= t->naps_until) job_wake(s, t);
      if (t->job.plan == PLAN_EVICT && t->results >= t->job.middle)
        evict(s, t);
      else if (s->now > t->moved + PATIENCE * s->timeout_ps)
        tenants_report(s, "%.3f ms: tenant %u, ring %u: no result for %d time-outs", (double)s->now / 1e9, t->index, t->ring,
                       PATIENCE);
      return;
    case STAGE_LEAVES: leave(s, t); return;
    case STAGE_CRASHED:
      if (due) flush_crashed(s, t);
      return;
    default:
      if (due) bury(s, t);
      return;
  }
}

void operator_step(struct tenants *s) {
  if (s->now < s->next_look) return;
  s->next_look = s->now + LOOK_PS;
  if (s->start != 0 && s->next_poll == 0 && drive_set_stall_limit(bench_registers(s->bench), STALL_UNITS) != 0)
    tenants_report(s, "no limit of stalls can be set");
  if (s->next_poll == 0 && s->ages && bench_set_age_limit(s->bench, 1) != 0) tenants_report(s, "no limit of age can be set");
  if (s->now >= s->next_poll) poll(s);
  for (struct tenant *t = s->tenants; t < end_of(s); t++) serve(s, t);
  if (s->resetting)
    end_reset(s);
  else if (s->counts.jobs >= s->next_reset && s->counts.jobs > 0)
    soft_reset(s);
}

uint64_t operator_next(const struct tenants *s) { return s->next_look; }

bool operator_done(const struct tenants *s) {
  if (!enough(s) || s->resetting) return false;
  for (unsigned i = 0; i < s->options.tenants; i++)
    if (s->tenants[i].stage >= STAGE_RUNS) return false;
  return true;
}
