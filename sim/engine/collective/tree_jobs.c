#include "sim/engine/collective/tree_jobs.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "sim/engine/collective/tree_vectors.h"

/// First pause after a lock that failed; it doubles up to 64 times as long.
enum { PAUSE_PS = 5000000, DOUBLINGS = 6 };

enum phase { RESTS, LOCKS, PAUSES, WORKS, UNLOCKS, ENDED };

struct member {
  struct tree_jobs_host result;
  enum phase phase;
  uint32_t at;       // part
  uint32_t locked;   // operations left of the lock
  unsigned tries;
  uint64_t began;
  uint8_t *input, *output;
};

/// Times of an operation of a group.
struct span {
  uint64_t first, last;
  unsigned ended;
};

struct tree_jobs {
  struct tree_jobs_options o;
  const struct tree_net_options *network;
  struct tree_net *net;
  struct findings *findings;
  struct tree_vectors *vectors;
  struct member *seats;
  struct span *spans;   // group by group
  unsigned hosts;
  uint64_t compared;
  uint64_t locks, locks_ps;   // taken, by hosts, and how long that took
};

struct tree_jobs *tree_jobs_new(const struct tree_jobs_options *options, const struct tree_net_options *network,
                                struct tree_net *net, struct findings *findings) {
  struct tree_jobs *j = calloc(1, sizeof *j);
  if (j == NULL) return NULL;
  *j = (struct tree_jobs){.o = *options, .network = network, .net = net, .findings = findings, .hosts = network->topology->hosts};
  j->seats = calloc(j->hosts, sizeof *j->seats);
  j->spans = calloc((size_t)network->groups * options->operations, sizeof *j->spans);
  const struct tree_vectors_options v = {
      .network = network, .jobs = options, .type = options->type, .size = options->size, .seed = options->seed};
  j->vectors = tree_vectors_new(&v);
  bool good = j->seats != NULL && j->spans != NULL && j->vectors != NULL;
  for (unsigned h = 0; good && h < j->hosts; h++) {
    j->seats[h].input = malloc(options->size + 1);
    j->seats[h].output = malloc(options->size + 1);
    good = j->seats[h].input != NULL && j->seats[h].output != NULL;
  }
  if (good) return j;
  tree_jobs_free(j);
  return NULL;
}

void tree_jobs_free(struct tree_jobs *j) {
  if (j == NULL) return;
  for (unsigned h = 0; j->seats != NULL && h < j->hosts; h++) {
    free(j->seats[h].input);
    free(j->seats[h].output);
  }
  tree_vectors_free(j->vectors);
  free(j->seats);
  free(j->spans);
  free(j);
}

// --- one host ---

static unsigned group_of(const struct tree_jobs *j, unsigned host) { return tree_net_group(j->net, host); }
static uint32_t parts(const struct tree_jobs *j) { return j->o.operations * j->o.parts; }

unsigned tree_jobs_special(const struct tree_jobs_options *o, const struct tree_net_options *network, unsigned group,
                           uint32_t at) {
  return group + network->groups * (at % o->parts);
}

static bool is_special(const struct tree_jobs *j, unsigned host) {
  return host == tree_jobs_special(&j->o, j->network, group_of(j, host), j->seats[host].at);
}

static struct span *span_of(const struct tree_jobs *j, unsigned host) {
  return &j->spans[(size_t)group_of(j, host) * j->o.operations + j->seats[host].at / j->o.parts];
}

static void start(struct tree_jobs *j, unsigned host, enum phase phase, const struct tree_host_order *order) {
  struct member *s = &j->seats[host];
  s->phase = phase;
  s->began = tree_net_now(j->net);
  tree_host_begin(tree_net_host(j->net, host), s->began, order);
  tree_net_begun(j->net, host);
}

static void work(struct tree_jobs *j, unsigned host) {
  struct member *s = &j->seats[host];
  const bool special = is_special(j, host);
  const enum tree_operation o = j->o.operation;
  const bool carries = o == TREE_ALL_REDUCE || o == TREE_REDUCE || (o == TREE_BROADCAST && special);
  const bool wants = o == TREE_ALL_REDUCE || (o == TREE_REDUCE && special) || (o == TREE_BROADCAST && !special);
  const struct tree_host_order order = {.operation = o,
                                        .streams = j->o.streams,
                                        .special = special,
                                        .type = j->o.type,
                                        .length = o == TREE_BARRIER ? 0 : j->o.size,
                                        .input = carries ? s->input : NULL,
                                        .output = wants ? s->output : NULL};
  if (carries) tree_vectors_input(j->vectors, host, s->at, s->input);
  if (wants) memset(s->output, 0xA5, j->o.size);
  struct span *span = span_of(j, host);
  if (span->first == 0) span->first = tree_net_now(j->net) + 1;
  start(j, host, WORKS, &order);
}

static void ask(struct tree_jobs *j, unsigned host) {
  j->seats[host].result.lock_tries++;
  start(j, host, LOCKS, &(struct tree_host_order){.operation = TREE_LOCK, .count = j->o.lock * j->o.parts});
}

static void end(struct tree_jobs *j, unsigned host) {
  struct member *s = &j->seats[host];
  s->phase = ENDED;
  s->result.ended = true;
  s->result.ended_ps = tree_net_now(j->net);
}

/// What comes behind an operation that ended well.
static void go_on(struct tree_jobs *j, unsigned host) {
  struct member *s = &j->seats[host];
  if (s->at == parts(j) && s->locked > 0 && s->phase == WORKS)
    start(j, host, UNLOCKS, &(struct tree_host_order){.operation = TREE_UNLOCK});
  else if (s->at == parts(j))
    end(j, host);
  else if (j->o.streams && s->locked == 0)
    ask(j, host);
  else
    work(j, host);
}

static void check(struct tree_jobs *j, unsigned host) {
  const struct member *s = &j->seats[host];
  const unsigned group = group_of(j, host);
  const bool special = is_special(j, host);
  const enum tree_operation o = j->o.operation;
  if (o == TREE_BARRIER || (o == TREE_REDUCE && !special) || (o == TREE_BROADCAST && special)) return;
  const uint8_t *due = tree_vectors_result(j->vectors, group, s->at);
  size_t at = 0;
  while (at < j->o.size && due[at] == s->output[at]) at++;
  j->compared += at;
  if (at < j->o.size)
    findings_add(j->findings, "host %u, part %u of group %u: byte %zu of the result is 0x%02x, computed directly it is 0x%02x",
                 host, s->at, group + 1, at, s->output[at], due[at]);
}

/// After a pause; the hosts of a group need not agree on how long.
static void pause(struct tree_jobs *j, unsigned host) {
  struct member *s = &j->seats[host];
  const unsigned doubled = s->tries < DOUBLINGS ? s->tries : DOUBLINGS;
  struct rng d = rng_for(j->o.seed ^ 0x50415553, (uint64_t)group_of(j, host) << 32 | s->result.lock_tries);
  s->phase = PAUSES;
  s->tries++;
  tree_net_alarm(j->net, host, tree_net_now(j->net) + 1 + rng_below(&d, PAUSE_PS << doubled));
}

static void done(struct tree_jobs *j, unsigned host) {
  struct member *s = &j->seats[host];
  const struct tree_header *a = tree_host_answer(tree_net_host(j->net, host));
  const uint64_t took = tree_net_now(j->net) - s->began;
  if (took > s->result.longest_ps) s->result.longest_ps = took;
  s->result.verdict = a->verdict;
  s->result.answer = *a;
  const bool held = a->verdict == TREE_LOCK_FAILED || a->verdict == TREE_NO_RESOURCE;
  if (s->phase == LOCKS && held) {
    s->result.messages[0]++;
    if (s->tries + 1 < j->o.tries)
      pause(j, host);
    else
      end(j, host);
    return;
  }
  if (a->verdict != TREE_OK) {
    end(j, host);
    return;
  }
  s->result.messages[s->phase == WORKS && j->o.streams]++;
  if (s->phase == LOCKS) {
    j->locks++;
    j->locks_ps += took;
    s->tries = 0;
    s->locked = j->o.lock == 0 ? UINT32_MAX : j->o.lock * j->o.parts;
    work(j, host);
    return;
  }
  if (s->phase == WORKS) {
    struct span *span = span_of(j, host);
    span->last = tree_net_now(j->net) + 1;
    span->ended++;
    check(j, host);
    s->at++;
    s->result.done += s->at % j->o.parts == 0;
    s->locked -= s->locked != UINT32_MAX && s->locked > 0;
  }
  go_on(j, host);
}

void tree_jobs_look(struct tree_jobs *j, unsigned host) {
  struct member *s = &j->seats[host];
  if (!tree_net_alive(j->net, host) || s->phase == ENDED || s->phase == RESTS) return;
  if (s->phase == PAUSES) {
    ask(j, host);
    return;
  }
  // An operation may end in the moment in which it begins.
  while (s->phase != ENDED && s->phase != PAUSES && tree_host_done(tree_net_host(j->net, host))) done(j, host);
}

void tree_jobs_begin(struct tree_jobs *j) {
  for (unsigned h = 0; h < j->hosts; h++) {
    go_on(j, h);
    tree_jobs_look(j, h);
  }
}

// --- all of them ---

unsigned tree_jobs_open(const struct tree_jobs *j) {
  unsigned open = 0;
  for (unsigned h = 0; h < j->hosts; h++) open += tree_net_alive(j->net, h) && j->seats[h].phase != ENDED;
  return open;
}

const struct tree_jobs_host *tree_jobs_host(const struct tree_jobs *j, unsigned host) { return &j->seats[host].result; }

struct tree_jobs_result tree_jobs_result(const struct tree_jobs *j) {
  struct tree_jobs_result r = {.compared = j->compared};
  double sum = 0;
  for (unsigned h = 0; h < j->hosts; h++) {
    const struct tree_jobs_host *host = &j->seats[h].result;
    if (!host->ended) continue;
    r.verdicts[host->verdict]++;
    if (host->ended_ps > r.finished_ps) r.finished_ps = host->ended_ps;
  }
  for (unsigned g = 0; g < j->network->groups; g++) {
    const unsigned ends = tree_wiring_members(j->network, 0, g) * j->o.parts;
    for (uint32_t i = 0; i < j->o.operations; i++) {
      const struct span *s = &j->spans[(size_t)g * j->o.operations + i];
      if (s->ended < ends) continue;
      r.operations++;
      sum += (double)(s->last - s->first);
    }
  }
  r.lock_ps = j->locks > 0 ? (double)j->locks_ps / (double)j->locks : 0;
  r.mean_ps = r.operations > 0 ? sum / (double)r.operations : 0;
  return r;
}
