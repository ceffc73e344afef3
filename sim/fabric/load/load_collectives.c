// Collectives of ranks. A rank's contribution is one number for its whole vector, so a partial sum is the sum of the numbers of the ranks in it.
//
// Ring (NetReduce 1; RoCE at Meta, Table 1): chunk c of H goes once round; in step k rank r sends chunk r - k. An all-reduce is a reduce-scatter, H - 1
// steps, and an all-gather, H - 1 steps. A chunk is sent in messages (slices), each of which goes on as soon as it has come.
#include "sim/fabric/load/load.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

static uint32_t logarithm(uint32_t ranks) {
  uint32_t steps = 0;
  while (1u << steps < ranks) steps++;
  return steps;
}

static bool ring(enum load_kind kind) {
  return kind == LOAD_ALL_REDUCE || kind == LOAD_REDUCE_SCATTER || kind == LOAD_ALL_GATHER;
}

// Steps of a ring: the reduce-scatter's come first, and an all-gather has only the others.
static uint32_t first_step(const struct workload *l) { return l->options->kind == LOAD_ALL_GATHER ? l->ranks - 1 : 0; }
static uint32_t end_step(const struct workload *l) {
  return l->options->kind == LOAD_REDUCE_SCATTER ? l->ranks - 1 : 2 * (l->ranks - 1);
}

static void make_state(struct workload *l, uint64_t places) {
  for (uint32_t r = 0; r < l->ranks; r++) {
    l->rank[r].sums = need(calloc(places, sizeof *l->rank[r].sums));
    l->rank[r].counts = need(calloc(places, sizeof *l->rank[r].counts));
  }
}

// Bytes, and messages, that a rank sends in a step of halving and doubling.
static uint64_t step_bytes(const struct workload *l, uint32_t step) {
  const uint32_t half = logarithm(l->ranks), shift = step < half ? step + 1 : 2 * half - step;
  return (l->options->bytes >> shift) > 0 ? l->options->bytes >> shift : 1;
}
static uint64_t step_messages(const struct workload *l, uint32_t step) {
  return (step_bytes(l, step) + l->options->message - 1) / l->options->message;
}
static uint32_t partner(const struct workload *l, uint32_t rank, uint32_t step) {
  const uint32_t half = logarithm(l->ranks), bit = step < half ? half - 1 - step : step - half;
  return rank ^ 1u << bit;
}

int collective_make(struct workload *l, char *error, size_t size) {
  const struct load_options *o = l->options;
  const uint32_t half = logarithm(l->ranks);
  if (o->kind == LOAD_RABENSEIFNER && 1u << half != l->ranks) {
    snprintf(error, size, "%u ranks: recursive halving takes a power of two", l->ranks);
    return -1;
  }
  l->chunk = ring(o->kind) ? (o->bytes + l->ranks - 1) / l->ranks : o->bytes;
  l->slices = (l->chunk + o->message - 1) / o->message;
  if (ring(o->kind) && l->slices * end_step(l) > UINT32_MAX) {
    snprintf(error, size, "%u ranks and %llu messages a step are too many", l->ranks, (unsigned long long)l->slices);
    return -1;
  }
  if (o->kind == LOAD_RABENSEIFNER) make_state(l, 2 * half + 1);
  const uint64_t needed[] = {[LOAD_ALL_REDUCE] = l->slices * l->ranks,
                             [LOAD_RABENSEIFNER] = 1,
                             [LOAD_REDUCE_SCATTER] = l->slices,
                             [LOAD_ALL_GATHER] = l->slices * (l->ranks - 1)};
  for (uint32_t r = 0; r < l->ranks; r++) l->rank[r].left = needed[o->kind];
  return 0;
}

// Clearance that a receiver has to give, if it does (RoCE at Meta, 5.2.2): to whom does not wait for this rank first. Otherwise those who do could hold
// all of its channels.
static void expect(struct workload *l, uint32_t rank, uint32_t from, uint64_t messages) {
  nic_expect(&l->nics[l->host_of[rank]], l->host_of[from], messages);
}

// --- ring ---

static void send_slice(struct workload *l, uint32_t rank, uint32_t step, uint64_t slice, uint64_t value) {
  load_send(l, rank, (rank + 1) % l->ranks, load_slice(l, slice), (uint32_t)(step * l->slices + slice), value);
}

static void ring_received(struct workload *l, uint32_t rank, uint32_t tag, uint64_t value) {
  const uint32_t step = (uint32_t)(tag / l->slices), last_sum = l->ranks - 2;
  const uint64_t slice = tag % l->slices;
  const bool gathers = l->options->kind == LOAD_ALL_GATHER;
  if (step <= last_sum) value += load_own(l, rank);
  if (step >= last_sum) {
    // A chunk that nobody adds to any more; in an all-gather, that of the rank so many places back.
    const uint32_t from = (rank + 2 * l->ranks - 1 - (step - l->ranks + 1)) % l->ranks;
    load_take(l, rank, value, gathers ? load_own(l, from) : l->total);
  }
  if (step + 1 < end_step(l)) send_slice(l, rank, step + 1, slice, value);
}

// --- halving and doubling: in step k ranks exchange with the one whose number differs in one bit ---

static void send_step(struct workload *l, uint32_t rank) {
  const uint32_t step = l->rank[rank].step;
  const uint64_t messages = step_messages(l, step), bytes = step_bytes(l, step), message = l->options->message;
  expect(l, rank, partner(l, rank, step), messages);
  for (uint64_t m = 0; m < messages; m++) {
    const uint64_t left = bytes - m * message;
    load_send(l, rank, partner(l, rank, step), left < message ? left : message, step, m == 0 ? l->rank[rank].sums[step] : 0);
  }
}

static void halving_received(struct workload *l, uint32_t rank, uint32_t step, uint64_t value) {
  struct load_rank *r = &l->rank[rank];
  const uint32_t half = logarithm(l->ranks);
  // What has come for a step is kept behind the sums of ranks: a partner may be ahead.
  r->counts[step]++;
  if (step < half)
    r->sums[step + 1] += value;
  else if (value != 0)
    r->sums[step + 1] = value;
  while (r->step < 2 * half && r->counts[r->step] == step_messages(l, r->step)) {
    if (r->step < half) r->sums[r->step + 1] += r->sums[r->step];
    r->step++;
    if (r->step < 2 * half) send_step(l, rank);
  }
  if (r->step == 2 * half) load_take(l, rank, r->sums[2 * half], l->total);
}

// --- all ---

void collective_begin(struct workload *l, uint32_t rank) {
  if (l->options->kind == LOAD_RABENSEIFNER) {
    l->rank[rank].sums[0] = load_own(l, rank);
    send_step(l, rank);
    return;
  }
  expect(l, rank, (rank + l->ranks - 1) % l->ranks, l->slices * (end_step(l) - first_step(l)));
  for (uint64_t slice = 0; slice < l->slices; slice++) send_slice(l, rank, first_step(l), slice, load_own(l, rank));
}

void collective_received(struct workload *l, uint32_t rank, uint32_t tag, uint64_t value) {
  if (ring(l->options->kind))
    ring_received(l, rank, tag, value);
  else
    halving_received(l, rank, tag, value);
}
