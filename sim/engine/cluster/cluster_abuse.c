// What goes wrong by intent: hostile hosts, a ring that is torn down in traffic, one that is flushed beside others, outputs that are held, storms of copies.
#include <inttypes.h>
#include <string.h>

#include "sim/engine/cluster/cluster_state.h"
#include "sim/engine/fit.h"
#include "wire/fate.h"

#define LOOK_PS UINT64_C(1000000)
enum { OWN_RANKS = 2, OWN_STRIDE = 4, OWN_RING_ID = 512, SETTLE_CYCLES = 100000, HOSTILE = 1 };

// --- a ring that crashes and is flushed ---

bool abuse_crashed(const struct cluster *c, unsigned ring) { return c->flushes.crashed && ring + 1 == c->options.jobs.count; }

bool abuse_flushes(const struct cluster *c) { return c->flushes.crashed && c->flushes.done < c->options.flushes; }

/// Nobody waits for the last job any more.
static void crash(struct cluster *c) {
  const unsigned ring = c->options.jobs.count - 1;
  c->flushes.crashed = true;
  c->next_look = c->now;
  for (unsigned rank = 0; rank < job_of(c, ring)->ranks; rank++) {
    struct seat *s = seat_at(c, ring, rank);
    if (s->awaited && s->done_ps == UINT64_MAX) c->open--;
    s->awaited = false;
  }
}

/// A packet of the last ring, or its result.
static bool is_of_last(const void *user, const uint8_t *frame, size_t len) {
  const struct cluster *c = user;
  const unsigned ring = c->options.jobs.count - 1;
  struct roce_packet p;
  roce_parse(frame, len, &p);
  if (p.class != ROCE_CANDIDATE) return false;
  for (unsigned rank = 0; rank < job_of(c, ring)->ranks; rank++) {
    const struct conn_key key = cluster_connection(c, seat_at(c, ring, rank));
    if (conn_key_equal(&key, &p.key)) return true;
  }
  return false;
}

/// Nothing of the ring that crashed is under way any more. Looked at now and then.
static bool last_is_quiet(struct cluster *c) {
  if (c->flushes.done > 0) return true;
  if (c->now < c->next_look) return false;
  c->next_look = c->now + LOOK_PS;
  return !fabric_holds(c->fabric, is_of_last, c) && bench_ring_quiet(c->bench, c->options.jobs.count - 1, is_of_last, c);
}

void abuse_flush(struct cluster *c) {
  const unsigned ring = c->options.jobs.count - 1;
  if (!last_is_quiet(c)) return;
  if (c->flushes.done++ == 0) c->flushes.from_ps = c->now;
  c->flushing = true;
  const int result = bench_flush_beside(c->bench, ring);
  c->flushing = false;
  c->flushes.to_ps = c->now;
  if (result == 0) return;
  cluster_report(c, "%.3f ms: the device refuses to flush ring %u", (double)c->now / 1e9, cluster_ring_id(c, ring));
  c->flushes.done = c->options.flushes;
}

struct cluster_flushes cluster_flushes(const struct cluster *c) {
  return c->flushes;
}

// --- hostile hosts ---

static struct hostile_peer peer_of(unsigned host) {
  struct hostile_peer peer;
  const struct conn_key key = cluster_key(host, host, 0);
  cluster_mac(host, peer.mac);
  memcpy(peer.ip, key.src, sizeof peer.ip);
  return peer;
}

/// A ring that only the first hostile host sends to, if the others leave slots, an entry and connections for it.
static struct hostile_ring add_own_ring(struct cluster *c) {
  const struct cluster_options *o = &c->options;
  const struct drive_config *d = o->config;
  const unsigned rings = o->jobs.count, used = rings * 2 * fit_window(o->window) * o->msglen;
  unsigned stride = (d->slots - used) / 2;
  if (stride > OWN_STRIDE) stride = OWN_STRIDE;
  if (stride == 0 || rings == d->rings || c->seat_count + OWN_RANKS > d->conns) return (struct hostile_ring){0};
  c->rings[c->device_rings++] =
      (struct drive_ring){.enable = true, .learn = true, .id = OWN_RING_ID, .workers = OWN_RANKS, .window = 1, .stride = stride};
  return (struct hostile_ring){.id = OWN_RING_ID, .workers = OWN_RANKS, .stride = stride, .window = 1};
}

bool abuse_open(struct cluster *c) {
  const struct cluster_options *o = &c->options;
  struct hostile_peer peers[FABRIC_MAX_HOSTS];
  for (unsigned host = 0; host < o->jobs.hosts; host++) peers[host] = peer_of(host);
  c->hold_from = UINT64_MAX;
  for (unsigned i = 0; i < o->hostile; i++) {
    const struct hostile_config h = {
        .index = i,
        .self = peer_of(o->jobs.hosts + i),
        .peers = peers,
        .peer_count = o->jobs.hosts,
        .own = i == 0 ? add_own_ring(c) : (struct hostile_ring){0},
        .slot_bytes = o->config->slot_bytes,
        .seed = o->seed + i,
    };
    c->foes[i].hostile = hostile_new(&h);
    if (c->foes[i].hostile == NULL) return false;
  }
  return true;
}

void abuse_close(struct cluster *c) {
  for (unsigned i = 0; i < c->options.hostile; i++) hostile_free(c->foes[i].hostile);
}

bool abuse_sent(const struct cluster *c, const uint8_t *frame, size_t len) {
  uint8_t mac[6];
  if (len < 12) return false;
  cluster_mac(frame[11], mac);
  const unsigned first = c->options.jobs.hosts;
  return frame[11] >= first && frame[11] < first + c->options.hostile && memcmp(mac, frame + 6, 6) == 0;
}

/// Nothing may be held while the device is to become quiet.
static void release_outputs(struct cluster *c) {
  for (unsigned port = 0; port < c->options.config->ports; port++) bench_hold(c->bench, port, false);
}

static bool all_ranks_known(const struct cluster *c) {
  for (size_t i = 0; i < c->seat_count; i++)
    if (c->seats[i].packets == 0) return false;
  return true;
}

/// Where rings learn, the first who claims a rank gets it: hostile hosts come when all ranks are known.
static void aim(struct cluster *c) {
  const struct cluster_options *o = &c->options;
  if (c->aimed || o->hostile == 0) return;
  if (o->learn) {
    if (!all_ranks_known(c)) return;
    // The witness must be sure that nothing under way came before.
    release_outputs(c);
    bench_settle(c->bench, SETTLE_CYCLES);
  }
  struct hostile_ring rings[32];
  for (unsigned r = 0; r < o->jobs.count; r++) {
    const struct drive_ring *ring = &c->rings[r];
    rings[r] = (struct hostile_ring){.id = ring->id, .workers = ring->workers, .stride = ring->stride, .window = ring->window};
  }
  for (unsigned i = 0; i < o->hostile; i++) hostile_aim(c->foes[i].hostile, rings, o->jobs.count);
  c->aimed = true;
}

static void attack(struct cluster *c) {
  struct link_frame f;
  for (unsigned i = 0; i < c->options.hostile; i++) {
    const unsigned host = c->options.jobs.hosts + i;
    struct foe *foe = &c->foes[i];
    while (fabric_host_receive(c->fabric, host, c->now, &f)) continue;   // it listens to nobody
    if (!c->aimed || c->now < foe->due || !fabric_host_idle(c->fabric, host, c->now)) continue;
    const size_t len = hostile_next(foe->hostile, c->frame);
    fabric_host_send(c->fabric, host, c->now, c->frame, len);
    foe->due = c->now + (uint64_t)((double)(len + LINK_OVERHEAD) * 8000 / c->options.hostile_gbps);
    c->hostile_sent++;
  }
}

uint64_t abuse_next(const struct cluster *c) {
  uint64_t first = UINT64_MAX;
  for (unsigned i = 0; c->aimed && i < c->options.hostile; i++) {
    const uint64_t idle = fabric_host_idle_at(c->fabric, c->options.jobs.hosts + i);
    const uint64_t due = idle > c->foes[i].due ? idle : c->foes[i].due;
    if (due < first) first = due;
  }
  if (abuse_flushes(c) && c->flushes.done == 0 && c->next_look < first) first = c->next_look;
  return first;
}

// --- in the middle ---

bool abuse_half_done(const struct cluster *c) {
  size_t of;
  return worker_progress(seat_at(c, 0, 0)->worker, &of) * 2 >= of;
}

/// Tears the first ring down while its packets are on their way, and sets it up again at once. Another RingID keeps late ones
/// from claiming ranks of the new ring (docs/protocol.md).
static void restart(struct cluster *c) {
  struct drive_ring *ring = &c->rings[0];
  c->restarted = true;
  ring->id = CLUSTER_RESTART_ID;
  release_outputs(c);
  if (bench_rename(c->bench, 0, ring) != 0) {
    cluster_report(c, "%.3f ms: the device refuses to set the first ring up again", (double)c->now / 1e9);
    return;
  }
  for (unsigned rank = 0; rank < job_of(c, 0)->ranks; rank++) {
    struct seat *s = seat_at(c, 0, rank);
    if (s->done_ps != UINT64_MAX) c->open++;
    s->life++;
  }
  for (unsigned rank = 0; rank < job_of(c, 0)->ranks; rank++)
    if (!cluster_seat(c, seat_at(c, 0, rank))) cluster_report(c, "out of memory");
  c->moved = c->now;
  if (c->options.learn) c->aimed = false;
}

bool abuse_holds(const struct cluster *c) {
  return c->hold_from != UINT64_MAX && bench_cycle(c->bench) < c->hold_from + c->options.hold_cycles;
}

bool abuse_pauses(const struct cluster *c, unsigned port) {
  const struct cluster_options *o = &c->options;
  return port == o->pause_port && c->now >= o->pause_from_ps && c->now < o->pause_to_ps;
}

void abuse_step(struct cluster *c) {
  const struct cluster_options *o = &c->options;
  c->paused += abuse_pauses(c, o->pause_port);
  if (o->crash && !c->flushes.crashed && abuse_half_done(c)) crash(c);
  if (o->restart && !c->restarted && abuse_half_done(c)) restart(c);
  if (o->hold_cycles > 0 && c->hold_from == UINT64_MAX && abuse_half_done(c)) c->hold_from = bench_cycle(c->bench);
  if (abuse_holds(c)) c->held = bench_cycle(c->bench) + 1 - c->hold_from;
  aim(c);
  attack(c);
}

// --- the end ---

static void check_fates(struct cluster *c) {
  uint64_t hostile = 0;
  for (int f = 0; f < FATE_COUNT; f++) {
    const uint64_t counted = bench_fates_of(c->bench, 0)[f] + bench_fates_of(c->bench, HOSTILE)[f];
    uint64_t all = 0;
    for (unsigned port = 0; port < c->options.config->ports; port++) all += bench_counts(c->bench, port)->fates[f];
    hostile += bench_fates_of(c->bench, HOSTILE)[f];
    if (counted != all) {
      cluster_report(c, "%s: the device decided so for %" PRIu64 " frames, its counters have %" PRIu64, fate_name((enum fate)f),
                     counted, all);
    }
  }
  if (hostile != c->hostile_taken) {
    cluster_report(c, "hostile frames: %" PRIu64 " went in, %" PRIu64 " are accounted for", c->hostile_taken, hostile);
  }
}

static void check_slots(struct cluster *c) {
  for (unsigned ring = 0; ring < c->options.jobs.count; ring++) {
    bool done = true;
    struct model_waiting w;
    for (unsigned rank = 0; rank < job_of(c, ring)->ranks; rank++) done = done && seat_at(c, ring, rank)->done_ps != UINT64_MAX;
    if (!done || !bench_waiting(c->bench, ring, &w)) continue;
    cluster_report(c, "ring %u is done, but MsgID %" PRIu32 ", packet %u keeps a slot and waits for ranks 0x%" PRIx32,
                   cluster_ring_id(c, ring), w.msgid, w.offset, w.ranks);
  }
}

void abuse_finish(struct cluster *c) {
  // Nothing adds up then; nor if frames were lost in a device that was switched off.
  if (bench_mismatches(c->bench) > 0 || c->options.reboot != CLUSTER_NOBODY) return;
  check_fates(c);
  check_slots(c);
}

struct cluster_hostile cluster_hostile(const struct cluster *c) {
  static const uint64_t none[FATE_COUNT];
  return (struct cluster_hostile){c->hostile_sent, c->hostile_taken, c->bench != NULL ? bench_fates_of(c->bench, HOSTILE) : none};
}

uint64_t cluster_copies(const struct cluster *c) { return c->copies; }
uint64_t cluster_strays(const struct cluster *c) { return c->strays; }
uint64_t cluster_held(const struct cluster *c) { return c->held; }
uint64_t cluster_paused(const struct cluster *c) { return c->paused; }

double cluster_goodput_ratio(const struct cluster *c) {
  double least = -1;
  for (size_t i = 0; i < c->seat_count; i++) {
    const struct seat *s = &c->seats[i];
    if (s->pace_ps == 0 || s->measured_from == 0 || s->last_ps == s->first_ps) continue;
    const double ratio = (double)((s->packets - s->measured_from) * s->pace_ps) / (double)(s->last_ps - s->first_ps);
    if (least < 0 || ratio < least) least = ratio;
  }
  return least;
}
