// What came of a run: whether each host's tensor is the sum, and what there is to be told of it.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/model.h"
#include "sim/engine/cluster/cluster_state.h"
#include "wire/reduce.h"

/// What a host has taken is right or wrong, whether it got all or not.
static void count_messages(struct cluster *c, const struct seat *s, const uint8_t *sum) {
  const size_t room = (size_t)c->options.msglen * c->options.mtu - INA_BYTES, bytes = job_of(c, s->ring)->tensor;
  size_t of, wrong = 0;
  const size_t taken = worker_progress(s->worker, &of);
  for (size_t i = 0; i < taken; i++)
    wrong += memcmp(sum + i * room, s->result + i * room, i + 1 < of ? room : bytes - i * room) != 0;
  c->messages += taken;
  c->wrong += wrong;
  if (wrong > 0)
    cluster_report(c, "ring %u, host %u: %zu of %zu messages taken are not the sum", cluster_ring_id(c, s->ring), s->host, wrong,
                   taken);
}

static void compare_tensors(struct cluster *c, unsigned ring) {
  const struct topology *tree = c->options.topology;
  const struct job *job = job_of(c, ring);
  const uint8_t *rows[RACKS_MAX_HOSTS];
  uint8_t *sum = need(malloc(job->tensor));
  for (unsigned rank = 0; rank < job->ranks; rank++) rows[rank] = seat_at(c, ring, rank)->tensor;
  // In a tree every host is in every ring, rank = host.
  const int code = tree != NULL ? topology_reduce(tree, 0, job->kind, rows, job->tensor, sum)
                                : ina_reduce(job->kind, rows, job->ranks, job->tensor, sum);
  if (code != 0) cluster_report(c, "ring %u: no sum", cluster_ring_id(c, ring));
  for (unsigned rank = 0; rank < job->ranks; rank++) {
    const struct seat *s = seat_at(c, ring, rank);
    const struct worker_counts counts = worker_counts(s->worker);
    const struct responder_counts rc = worker_responder(s->worker);
    if (counts.wrong > 0 || rc.misplaced > 0) {
      cluster_report(c, "ring %u, host %u: %" PRIu64 " results with a wrong header or length, %" PRIu64 " packets out of place",
                     cluster_ring_id(c, ring), s->host, counts.wrong, rc.misplaced);
    }
    count_messages(c, s, sum);
    if (s->done_ps == UINT64_MAX) {
      if (cluster_may_stand(c, ring)) continue;
      size_t of, results = worker_progress(s->worker, &of);
      cluster_report(c, "ring %u, host %u: not done, %zu of %zu results", cluster_ring_id(c, ring), s->host, results, of);
      continue;
    }
    size_t at = 0;
    while (at < job->tensor && sum[at] == s->result[at]) at++;
    if (at < job->tensor) {
      cluster_report(c, "ring %u, host %u: byte %zu of the tensor is 0x%02x, the sum has 0x%02x", cluster_ring_id(c, ring),
                     s->host, at, s->result[at], sum[at]);
    }
  }
  free(sum);
}

void cluster_compare(struct cluster *c) {
  for (unsigned ring = 0; ring < c->options.jobs.count; ring++) {
    unsigned node;
    struct model_waiting w;
    if (!c->options.plain) compare_tensors(c, ring);
    if (c->open > 0 || cluster_may_stand(c, 0) || !racks_waiting(c->racks, ring, &node, &w)) continue;
    cluster_report(c, "ring %u: done, but device %u waits for a packet of MsgID 0x%08" PRIx32, cluster_ring_id(c, ring), node,
                   w.msgid);
  }
}

static void finish_racks(struct cluster *c) {
  racks_finish(c->racks);
  if (racks_fault(c->racks) != NULL) cluster_report(c, "%s", racks_fault(c->racks));
  cluster_compare(c);
}

size_t cluster_finish(struct cluster *c) {
  if (c->racks != NULL) {
    finish_racks(c);
    return c->mismatches.count;
  }
  for (unsigned port = 0; port < c->options.config->ports; port++) bench_hold(c->bench, port, false);
  bench_finish(c->bench);
  for (unsigned ring = 0; ring < c->options.jobs.count; ring++) compare_tensors(c, ring);
  abuse_finish(c);
  return c->mismatches.count + bench_mismatches(c->bench);
}

const char *cluster_text(const struct cluster *c, size_t index) {
  const size_t own = c->mismatches.count < FINDINGS_TEXTS ? c->mismatches.count : FINDINGS_TEXTS;
  if (index < own) return findings_text(&c->mismatches, index);
  return c->bench != NULL ? bench_text(c->bench, index - own) : NULL;
}

struct cluster_progress cluster_progress(const struct cluster *c, unsigned ring, unsigned rank) {
  const struct seat *s = seat_at(c, ring, rank);
  struct cluster_progress p = {.done_ps = s->done_ps};
  p.results = worker_progress(s->worker, &p.messages);
  return p;
}

struct cluster_taken cluster_taken(const struct cluster *c) {
  struct cluster_taken t = {.messages = c->messages, .wrong = c->wrong};
  for (size_t i = 0; i < c->seat_count; i++) t.refusals[worker_refusal(c->seats[i].worker)]++;
  return t;
}

enum worker_refusal cluster_refusal(const struct cluster *c, unsigned ring, unsigned rank) {
  return worker_refusal(seat_at(c, ring, rank)->worker);
}

void cluster_results(const struct cluster *c, size_t *results, size_t *of) {
  *results = *of = 0;
  for (size_t i = 0; i < c->seat_count; i++) {
    size_t messages;
    *results += worker_progress(c->seats[i].worker, &messages);
    *of += messages;
  }
}

uint64_t cluster_last_result(const struct cluster *c) { return c->moved; }
uint64_t cluster_now(const struct cluster *c) { return c->now; }
uint64_t cluster_clocked(const struct cluster *c) { return c->bench != NULL ? bench_cycle(c->bench) - c->start : 0; }
struct bench *cluster_bench(struct cluster *c) {
  return c->bench;
}
const struct racks *cluster_racks(const struct cluster *c) { return c->racks; }
struct fabric_counts cluster_fabric(const struct cluster *c) {
  return c->racks != NULL ? racks_counts(c->racks) : fabric_counts(c->fabric);
}

struct requester_counts cluster_requester(const struct cluster *c, unsigned ring, unsigned rank) {
  return worker_requester(seat_at(c, ring, rank)->worker);
}

struct responder_counts cluster_responder(const struct cluster *c, unsigned ring, unsigned rank) {
  return worker_responder(seat_at(c, ring, rank)->worker);
}
