#include "sim/engine/collective/tree_jobs.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "sim/engine/collective/tree_jobs_state.h"
#include "sim/engine/collective/tree_vectors.h"
#include "sim/engine/world/ranks.h"

struct tree_jobs *tree_jobs_new(const struct tree_jobs_options *options, const struct tree_net_options *network,
                                struct tree_net *net, struct findings *findings) {
  struct tree_jobs *j = need(calloc(1, sizeof *j));
  *j = (struct tree_jobs){.o = *options, .network = network, .net = net, .findings = findings, .hosts = network->topology->hosts};
  j->seats = need(calloc(j->hosts, sizeof *j->seats));
  j->span_count = (size_t)network->groups * options->operations;
  j->spans.left = need(calloc(j->span_count, sizeof *j->spans.left));
  j->spans.last = need(calloc(j->span_count, sizeof *j->spans.last));
  j->spans.ended = need(calloc(j->span_count, sizeof *j->spans.ended));
  const struct tree_vectors_options v = {
      .network = network, .jobs = options, .type = options->type, .size = options->size, .seed = options->seed};
  j->vectors = need(tree_vectors_new(&v));
  if (options->regroup > 0) j->regroup = tree_regroup_new(network, net);
  if (options->reopen > 0) j->reopen = tree_reopen_new(network, net, options->retire, options->user);
  for (unsigned h = 0; h < j->hosts; h++) {
    if (!tree_net_owns(net, h)) continue;
    j->seats[h].jobs = j;
    j->seats[h].host = h;
    j->seats[h].block = need(malloc(TREE_VECTORS_BLOCK));
  }
  return j;
}

void tree_jobs_free(struct tree_jobs *j) {
  if (j == NULL) return;
  for (unsigned h = 0; h < j->hosts; h++) free(j->seats[h].block);
  tree_vectors_free(j->vectors);
  tree_regroup_free(j->regroup);
  tree_reopen_free(j->reopen);
  free(j->seats);
  free(j->spans.left);
  free(j->spans.last);
  free(j->spans.ended);
  free(j);
}

// --- one host ---

static uint32_t parts(const struct tree_jobs *j) { return j->o.operations * j->o.parts; }

unsigned tree_jobs_special(const struct tree_jobs_options *o, const struct tree_net_options *network, unsigned group,
                           uint32_t at) {
  return group + network->groups * (at % o->parts);
}

static bool is_special(const struct tree_jobs *j, unsigned host) {
  return host == tree_jobs_special(&j->o, j->network, jobs_group_of(j, host), j->seats[host].at);
}

static size_t span_of(const struct tree_jobs *j, unsigned host) {
  return (size_t)jobs_group_of(j, host) * j->o.operations + j->seats[host].at / j->o.parts;
}

static void start(struct tree_jobs *j, unsigned host, enum phase phase, const struct tree_host_order *order) {
  struct member *s = &j->seats[host];
  s->phase = phase;
  s->began = tree_net_now(j->net);
  tree_host_begin(tree_net_host(j->net, host), s->began, order);
  tree_net_begun(j->net, host);
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/// Part of a host's vector.
static void give(void *user, uint32_t at, uint8_t *out, size_t len) {
  struct member *s = user;
  while (len > 0) {
    const size_t block = at / TREE_VECTORS_BLOCK, from = at % TREE_VECTORS_BLOCK;
    const size_t part = least(len, TREE_VECTORS_BLOCK - from);
    if (s->block_number != block) tree_vectors_input(s->jobs->vectors, s->host, s->at, block, s->block);
    s->block_number = block;
    memcpy(out, s->block + from, part);
    at += (uint32_t)part;
    out += part;
    len -= part;
  }
}

/// Part of its result: compared at once. Behind a byte that is wrong nothing is.
static void take(void *user, uint32_t at, const uint8_t *data, size_t len) {
  struct member *s = user;
  if (at == 0) s->good = 0;
  while (len > 0 && s->good == at) {
    const size_t block = at / TREE_VECTORS_BLOCK, from = at % TREE_VECTORS_BLOCK;
    const size_t part = least(len, TREE_VECTORS_BLOCK - from);
    const uint8_t *due = tree_vectors_result(s->jobs->vectors, jobs_group_of(s->jobs, s->host), s->at, block) + from;
    size_t same = memcmp(due, data, part) == 0 ? part : 0;
    while (same < part && due[same] == data[same]) same++;
    s->good += (uint32_t)same;
    if (same < part) {
      s->got = data[same];
      s->due = due[same];
    }
    at += (uint32_t)part;
    data += part;
    len -= part;
  }
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
                                        .give = carries ? give : NULL,
                                        .take = wants ? take : NULL,
                                        .user = s,
                                        .mistake = jobs_mistake(j, host)};
  s->block_number = SIZE_MAX;
  s->good = 0;
  s->got = s->due = 0;
  uint64_t *left = &j->spans.left[span_of(j, host)];
  if (*left == 0) *left = UINT64_MAX - tree_net_now(j->net);
  start(j, host, WORKS, &order);
}

static void ask(struct tree_jobs *j, unsigned host) {
  j->seats[host].result.lock_tries++;
  start(j, host, LOCKS, &(struct tree_host_order){.operation = TREE_LOCK, .count = j->o.lock * j->o.parts});
}

void jobs_end(struct tree_jobs *j, unsigned host) {
  struct member *s = &j->seats[host];
  s->phase = ENDED;
  s->result.ended = true;
  s->result.ended_ps = tree_net_now(j->net);
}

void jobs_go_on(struct tree_jobs *j, unsigned host) {
  struct member *s = &j->seats[host];
  const bool border = j->regroup != NULL && s->at > s->regrouped && s->at < parts(j) && s->at % (j->o.regroup * j->o.parts) == 0;
  if (border && s->locked == 0)
    jobs_wait_for_group(j, host);
  else if (s->at == parts(j) && s->locked > 0 && s->phase == WORKS)
    start(j, host, UNLOCKS, &(struct tree_host_order){.operation = TREE_UNLOCK});
  else if (s->at == parts(j))
    jobs_end(j, host);
  else if (j->o.streams && s->locked == 0 && jobs_mistake(j, host) != TREE_NO_LOCK)
    ask(j, host);
  else
    work(j, host);
}

static void check(struct tree_jobs *j, unsigned host) {
  const struct member *s = &j->seats[host];
  const unsigned group = jobs_group_of(j, host);
  const bool special = is_special(j, host);
  const enum tree_operation o = j->o.operation;
  if (o == TREE_BARRIER || (o == TREE_REDUCE && !special) || (o == TREE_BROADCAST && special)) return;
  j->compared += s->good;
  if (s->good < j->o.size)
    findings_add(j->findings, "host %u, part %u of group %u: byte %u of the result is 0x%02x, computed directly it is 0x%02x",
                 host, s->at, group + 1, s->good, s->got, s->due);
}

static void rest(struct tree_jobs *j, unsigned host, uint64_t time) {
  j->seats[host].phase = PAUSES;
  jobs_look_after(j, host, 1 + time);
}

/// A part has come to its end; with its last one the operation has.
static void count_part(struct tree_jobs *j, struct member *s, bool good) {
  s->at++;
  s->result.spoilt += !good;
  if (s->at % j->o.parts != 0) return;
  *(s->result.spoilt == 0 ? &s->result.done : &s->result.failed) += 1;
  s->result.spoilt = 0;
}

/// The group's operation has failed, or this host's; it goes on with the next one when the others do.
static void skip(struct tree_jobs *j, unsigned host) {
  struct member *s = &j->seats[host];
  const uint64_t wait = jobs_wait_for_others(j, host);
  count_part(j, s, false);
  s->locked = 0;
  s->after_others = wait > 0;
  rest(j, host, wait);
}

/// After a pause; the hosts of a group need not agree on how long.
static void pause(struct tree_jobs *j, unsigned host) {
  struct member *s = &j->seats[host];
  const unsigned doubled = s->tries < DOUBLINGS ? s->tries : DOUBLINGS;
  struct rng d = rng_for(j->o.seed ^ 0x50415553, (uint64_t)jobs_group_of(j, host) << 32 | s->result.lock_tries);
  s->tries++;
  rest(j, host, rng_below(&d, PAUSE_PS << doubled));
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
      jobs_end(j, host);
    return;
  }
  if (jobs_is_wrong(j, host) && (s->phase == WORKS || a->verdict != TREE_OK)) {
    s->result.wrong_verdict = a->verdict;
    s->result.wrong_ended = 1;
    if (a->verdict == TREE_DENIED || a->verdict == TREE_TIME_OUT) {
      skip(j, host);
      return;
    }
  }
  if (a->verdict != TREE_OK) {
    if (!jobs_wait_for_tree(j, host)) jobs_end(j, host);
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
    const size_t span = span_of(j, host);
    j->spans.last[span] = tree_net_now(j->net);
    j->spans.ended[span]++;
    check(j, host);
    count_part(j, s, true);
    s->locked -= s->locked != UINT32_MAX && s->locked > 0;
  }
  jobs_go_on(j, host);
}

void tree_jobs_look(struct tree_jobs *j, unsigned host) {
  struct member *s = &j->seats[host];
  if (!tree_net_alive(j->net, host) || s->phase == ENDED || s->phase == RESTS) return;
  if (s->phase == REGROUPS || s->phase == REOPENS) jobs_look_again(j, host);
  if (s->phase == REGROUPS || s->phase == REOPENS) return;
  if (s->phase == PAUSES) {
    const bool down = s->after_others && tree_host_down(tree_net_host(j->net, host), j->o.streams);
    if (tree_net_now(j->net) < s->until && !down) return;
    s->after_others = false;
    if (j->o.streams && s->at < parts(j))
      ask(j, host);
    else
      jobs_go_on(j, host);
  }
  // An operation may end in the moment in which it begins.
  while (s->phase != ENDED && s->phase != PAUSES && s->phase != REGROUPS && s->phase != REOPENS &&
         tree_host_done(tree_net_host(j->net, host)))
    done(j, host);
}

void tree_jobs_begin(struct tree_jobs *j) {
  for (unsigned h = 0; h < j->hosts; h++) {
    if (!tree_net_owns(j->net, h)) continue;
    jobs_go_on(j, h);
    tree_jobs_look(j, h);
  }
}

// --- all of them ---

unsigned tree_jobs_open(const struct tree_jobs *j) {
  unsigned open = 0;
  for (unsigned h = 0; h < j->hosts; h++)
    open += tree_net_owns(j->net, h) && tree_net_alive(j->net, h) && j->seats[h].phase != ENDED;
  return open;
}

void tree_jobs_share(struct tree_jobs *j) {
  enum { WORDS = sizeof(struct tree_jobs_host) / sizeof(uint64_t) };
  _Static_assert(sizeof(struct tree_jobs_host) % sizeof(uint64_t) == 0, "results of hosts are summed up as words");
  // All but one process have zeros for a host.
  uint64_t(*results)[WORDS] = need(calloc(j->hosts, sizeof *results));
  for (unsigned h = 0; h < j->hosts; h++) memcpy(results[h], &j->seats[h].result, sizeof results[h]);
  ranks_sum(results[0], (size_t)j->hosts * WORDS);
  for (unsigned h = 0; h < j->hosts; h++) memcpy(&j->seats[h].result, results[h], sizeof results[h]);
  free(results);
  ranks_most(j->spans.left, j->span_count);
  ranks_most(j->spans.last, j->span_count);
  ranks_sum(j->spans.ended, j->span_count);
  uint64_t sums[] = {j->compared, j->locks, j->locks_ps};
  ranks_sum(sums, 3);
  j->compared = sums[0];
  j->locks = sums[1];
  j->locks_ps = sums[2];
}

const struct tree_jobs_host *tree_jobs_host(const struct tree_jobs *j, unsigned host) { return &j->seats[host].result; }

struct tree_jobs_result tree_jobs_result(const struct tree_jobs *j) {
  struct tree_jobs_result r = {.compared = j->compared};
  if (j->regroup != NULL) r.regrouped = tree_regroup_done(j->regroup);
  if (j->regroup != NULL) r.busy = tree_regroup_busy(j->regroup);
  if (j->reopen != NULL) r.reopened = tree_reopen_done(j->reopen);
  double sum = 0;
  for (unsigned h = 0; h < j->hosts; h++) {
    const struct tree_jobs_host *host = &j->seats[h].result;
    if (!host->ended) continue;
    r.verdicts[host->verdict]++;
    if (host->wrong_ended) r.wrong[host->wrong_verdict]++;
    if (host->ended_ps > r.finished_ps) r.finished_ps = host->ended_ps;
  }
  for (unsigned g = 0; g < j->network->groups; g++) {
    const unsigned ends = tree_wiring_members(j->network, 0, g) * j->o.parts;
    for (uint32_t i = 0; i < j->o.operations; i++) {
      const size_t span = (size_t)g * j->o.operations + i;
      if (j->spans.ended[span] < ends) continue;
      r.operations++;
      sum += (double)(j->spans.last[span] - (UINT64_MAX - j->spans.left[span]));
    }
  }
  r.lock_ps = j->locks > 0 ? (double)j->locks_ps / (double)j->locks : 0;
  r.mean_ps = r.operations > 0 ? sum / (double)r.operations : 0;
  return r;
}
