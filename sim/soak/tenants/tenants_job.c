// A tenant's job: what it is, its hosts, and whether what they took is the sum.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/soak/tenants/tenants_state.h"
#include "wire/bytes.h"
#include "wire/reduce.h"

enum { PACKETS_LEAST = 20, PACKETS_MOST = 450, MSGLEN_MOST = 12, MAX_INFLIGHT = 1 << 20 };

void job_mac(unsigned host, uint8_t mac[6]) {
  const uint8_t local[6] = {0x02, 0x57, 0x45, 0x49, 0x52, (uint8_t)host};
  memcpy(mac, local, 6);
}

static struct conn_key key_of(unsigned from, unsigned to, uint32_t qpn) {
  return (struct conn_key){.src = {10, 0, 0, (uint8_t)(from + 1)}, .dst = {10, 0, 0, (uint8_t)(to + 1)}, .qpn = qpn};
}

static uint32_t sending_qpn(const struct tenant *t, unsigned rank) { return t->qpn + 2 * rank; }
static uint32_t receiving_qpn(const struct tenant *t, unsigned rank) { return t->qpn + 2 * rank + 1; }
static unsigned next_of(const struct tenant *t, unsigned rank) { return (rank + 1) % t->job.ranks; }
static unsigned before(const struct tenant *t, unsigned rank) { return (rank + t->job.ranks - 1) % t->job.ranks; }

struct conn_key job_connection(const struct tenant *t, unsigned rank) {
  const unsigned next = next_of(t, rank);
  return key_of(t->job.hosts[rank], t->job.hosts[next], receiving_qpn(t, next));
}

bool job_dead(const struct tenant *t, unsigned rank) { return t->dead >> rank & 1; }

// --- what it is ---

static void draw_hosts(struct tenants *s, struct tenant *t) {
  struct tenants_job *j = &t->job;
  uint8_t all[TENANTS_HOSTS];
  for (unsigned h = 0; h < s->hosts; h++) all[h] = (uint8_t)h;
  for (unsigned rank = 0; rank < j->ranks; rank++) {
    const unsigned pick = rng_from(&t->rng, rank, s->hosts - 1);
    j->hosts[rank] = all[pick];
    all[pick] = all[rank];
  }
}

static void draw_lengths(struct tenant *t) {
  struct tenants_job *j = &t->job;
  const size_t room = (size_t)j->msglen * j->mtu - INA_BYTES;
  size_t messages = 0;
  j->reductions = rng_from(&t->rng, 1, TENANTS_REDUCTIONS);
  j->all_bytes = 0;
  for (unsigned i = 0; i < j->reductions; i++) {
    const unsigned packets = rng_from(&t->rng, PACKETS_LEAST, PACKETS_MOST) / j->reductions;
    j->bytes[i] = ((size_t)packets * j->mtu - rng_below(&t->rng, j->mtu)) / 4 * 4;
    j->all_bytes += j->bytes[i];
    messages += (j->bytes[i] + room - 1) / room;
  }
  j->middle = 1 + rng_below(&t->rng, (unsigned)(messages * j->ranks));
}

void job_draw(struct tenants *s, struct tenant *t) {
  static const unsigned mtus[] = {256, 512, 1024, 2048, 4096};
  struct tenants_job *j = &t->job;
  struct rng *rng = &t->rng;
  const struct drive_config *c = s->config;
  unsigned sizes = 1;
  *j = (struct tenants_job){.ranks = rng_from(rng, 2, c->ranks)};
  const unsigned plan = rng_below(rng, 100);
  j->plan = plan < 60 ? PLAN_ORDERLY : plan < 85 ? PLAN_CRASH : PLAN_EVICT;
  draw_hosts(s, t);
  j->kind = (uint8_t)(rng_below(rng, 4) | rng_below(rng, 3) << 4);
  j->verb = (enum rc_verb)rng_below(rng, 4);
  j->marks = (j->verb == RC_SEND_IMM || j->verb == RC_WRITE_IMM) && rng_percent(rng, 50);
  j->learn = rng_percent(rng, 60);
  j->short_last = rng_percent(rng, 50);
  while (sizes < 5 && mtus[sizes] <= c->slot_bytes) sizes++;
  j->mtu = mtus[rng_percent(rng, 50) ? 0 : rng_below(rng, sizes)];   // most frames in the least time
  j->window = rng_from(rng, 1, c->max_window);
  unsigned longest = c->slots / (2 * c->max_window * c->rings);
  if (longest > MSGLEN_MOST) longest = MSGLEN_MOST;
  j->msglen = rng_from(rng, 1, longest + longest / 2);   // now and then there is no room for all
  j->ack_every = rng_percent(rng, 30) ? rng_from(rng, 1, 20) : 0;
  j->ack_delay_ps = rng_percent(rng, 30) ? rng_from(rng, 1, 20) * TENANTS_US : 0;
  j->lazy = j->learn && rng_percent(rng, 50);
  j->stalls = rng_percent(rng, 50);
  j->pauses = rng_percent(rng, 20);
  j->unplugs = j->pauses && rng_percent(rng, 50);
  draw_lengths(t);
  j->naps = s->ages && j->learn && j->reductions > 1 && (!s->napped || rng_percent(rng, 4));
  if (j->naps) j->plan = PLAN_ORDERLY;
  s->napped = s->napped || j->naps;
}

// --- its hosts ---

static struct worker *new_worker(const struct tenants *s, struct tenant *t, unsigned rank) {
  const struct tenants_job *j = &t->job;
  const unsigned host = j->hosts[rank], next = next_of(t, rank), last = before(t, rank);
  // PSNs begin anywhere, often near their end.
  struct rng rng[2] = {rng_for(s->options.seed ^ t->qpn, rank), rng_for(s->options.seed ^ t->qpn, last)};
  uint32_t psn[2];
  for (int i = 0; i < 2; i++) psn[i] = rng_percent(&rng[i], 50) ? 0xFFFFFF - rng_below(&rng[i], 64) : rng_below(&rng[i], 1 << 24);
  struct worker_config w = {
      .ring = t->as.id,
      .rank = (uint8_t)rank,
      .kind = j->kind,
      .workers = (uint16_t)j->ranks,
      .msglen = (uint16_t)j->msglen,
      .window = j->window,
      .msgid = t->qpn % 3 == 0 ? (uint32_t)(0 - t->qpn % 8) : t->qpn,   // some wrap soon
      .verb = j->verb,
      .marks = j->marks,
      .short_last = j->short_last,
      .data_key = job_connection(t, last),
      .ack_key = key_of(j->hosts[next], host, sending_qpn(t, rank)),
      .requester = {.key = job_connection(t, rank),
                    .mtu = j->mtu,
                    .psn = psn[0],
                    .udp_source = (uint16_t)(0xC000 + t->qpn / 2 % 0x1000 + rank),
                    .timeout_ps = s->timeout_ps,
                    .ack_every = j->ack_every,
                    .max_inflight = MAX_INFLIGHT},
      .responder = {.key = key_of(host, j->hosts[last], sending_qpn(t, last)),
                    .psn = psn[1],
                    .udp_source = (uint16_t)(0xE000 + rank),
                    .ack_delay_ps = j->ack_delay_ps,
                    .seed = s->options.seed ^ t->qpn ^ rank},
  };
  job_mac(host, w.requester.local_mac);
  job_mac(j->hosts[next], w.requester.peer_mac);
  job_mac(host, w.responder.local_mac);
  job_mac(j->hosts[last], w.responder.peer_mac);
  return worker_new(&w);
}

/// Any bits, NaN among them; every second FP32 number is of nearly one size, so that sums are rounded.
static void fill_tensor(struct tenant *t, uint8_t *tensor) {
  const size_t bytes = t->job.all_bytes;
  for (size_t i = 0; i + 4 <= bytes; i += 4) put_le32(tensor + i, (uint32_t)(rng_next(&t->rng) >> 32));
  if ((t->job.kind & 15) != INA_FP32) return;
  for (size_t i = 0; i + 4 <= bytes; i += 8) {
    const uint32_t bits = get_le32(tensor + i);
    put_le32(tensor + i, (bits & 0x807FFFFF) | (126 + (bits >> 29)) << 23);
  }
}

/// Connections of another job are never the same; QPNs go round after 260,000 of them.
bool job_begin(struct tenants *s, struct tenant *t) {
  const struct tenants_job *j = &t->job;
  t->dead = 0;
  t->results = t->over = t->at = 0;
  t->reduction = 0;
  t->naps_until = 0;
  t->moved = s->now;
  for (unsigned rank = 0; rank < j->ranks; rank++) {
    struct tenants_seat *seat = &t->seats[rank];
    *seat = (struct tenants_seat){.worker = new_worker(s, t, rank)};
    seat->tensor = need(malloc(j->all_bytes));
    seat->result = need(calloc(1, j->all_bytes));
    if (seat->worker == NULL) return false;
    fill_tensor(t, seat->tensor);
    worker_reduce(seat->worker, seat->tensor, seat->result, j->bytes[0]);
  }
  return true;
}

/// A host that has all of a reduction and begins the next one must not find one that has not: its receiver knows one at a time.
static void begin_reduction(struct tenant *t) {
  const struct tenants_job *j = &t->job;
  for (unsigned rank = 0; t->reduction < j->reductions && rank < j->ranks; rank++) {
    const struct tenants_seat *seat = &t->seats[rank];
    worker_reduce(seat->worker, seat->tensor + t->at, seat->result + t->at, j->bytes[t->reduction]);
  }
}

void job_wake(struct tenants *s, struct tenant *t) {
  t->naps_until = 0;
  t->moved = s->now;
  begin_reduction(t);
}

static void next_reduction(struct tenants *s, struct tenant *t) {
  const struct tenants_job *j = &t->job;
  size_t of;
  if (t->naps_until != 0) return;
  for (unsigned rank = 0; rank < j->ranks; rank++)
    if (!worker_done(t->seats[rank].worker)) return;
  worker_progress(t->seats[0].worker, &of);
  t->over += of * j->ranks;
  t->at += j->bytes[t->reduction++];
  if (j->naps && t->reduction == 1 && t->reduction < j->reductions) {
    t->naps_until = t->moved = s->now + rng_from(&t->rng, 200, 800) * TENANTS_US;
    s->counts.naps++;
    return;
  }
  begin_reduction(t);
}

bool job_progress(struct tenants *s, struct tenant *t) {
  size_t of;
  if (t->reduction < t->job.reductions) next_reduction(s, t);
  size_t results = t->over;
  for (unsigned rank = 0; t->naps_until == 0 && t->reduction < t->job.reductions && rank < t->job.ranks; rank++)
    results += worker_progress(t->seats[rank].worker, &of);
  const bool more = results != t->results || t->reduction == t->job.reductions;
  if (results != t->results && t->naps_until == 0) t->moved = s->now;
  t->results = results;
  return more;
}

// --- its end ---

/// Of one reduction and rank: what was taken is the sum.
static void check_sum(struct tenants *s, const struct tenant *t, unsigned rank, unsigned reduction, size_t at,
                      const uint8_t *sum) {
  const struct tenants_seat *seat = &t->seats[rank];
  const size_t room = (size_t)t->job.msglen * t->job.mtu - INA_BYTES, bytes = t->job.bytes[reduction];
  size_t of, taken = (bytes + room - 1) / room, wrong = 0;
  if (reduction > t->reduction) return;
  if (reduction == t->reduction) taken = t->naps_until != 0 ? 0 : worker_progress(seat->worker, &of);
  for (size_t i = 0; i < taken; i++) {
    const size_t from = i * room, len = bytes - from < room ? bytes - from : room;
    wrong += memcmp(sum + from, seat->result + at + from, len) != 0;
  }
  s->counts.messages += taken;
  if (wrong > 0)
    tenants_report(s, "tenant %u, ring id %u, host %u: %zu of %zu messages taken are not the sum", t->index, t->as.id,
                   t->job.hosts[rank], wrong, taken);
}

void job_end(struct tenants *s, struct tenant *t) {
  const struct tenants_job *j = &t->job;
  const uint8_t *rows[TENANTS_RANKS];
  uint8_t *sum = need(malloc(j->all_bytes));
  size_t at = 0;
  for (unsigned i = 0; i < j->reductions; i++) {
    for (unsigned rank = 0; rank < j->ranks; rank++) rows[rank] = t->seats[rank].tensor + at;
    if (ina_reduce(j->kind, rows, j->ranks, j->bytes[i], sum) != 0) tenants_report(s, "tenant %u: no sum", t->index);
    for (unsigned rank = 0; rank < j->ranks; rank++) check_sum(s, t, rank, i, at, sum);
    at += j->bytes[i];
  }
  free(sum);
  for (unsigned rank = 0; rank < j->ranks; rank++) {
    struct tenants_seat *seat = &t->seats[rank];
    const struct worker_counts counts = worker_counts(seat->worker);
    if (counts.wrong > 0 || worker_refusal(seat->worker) != WORKER_TAKES)
      tenants_report(s, "tenant %u, ring id %u, host %u: %llu results with a wrong header or length, refusal: %s", t->index,
                     t->as.id, j->hosts[rank], (unsigned long long)counts.wrong,
                     worker_refusal_name(worker_refusal(seat->worker)));
    worker_free(seat->worker);
    free(seat->tensor);
    free(seat->result);
    *seat = (struct tenants_seat){.worker = NULL};
  }
}
