// Loads that are flows: so many bytes from one rank to another, from a time on.
#include "sim/fabric/load/load.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/rng.h"
#include "sim/fabric/load/flows_read.h"

void flows_put(struct workload *l, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t start_ps) {
  l->flows = need_room(l->flows, &l->flow_room, l->flow_count + 1, sizeof *l->flows);
  l->flows[l->flow_count++] = (struct load_flow){.src = src, .dst = dst, .bytes = bytes, .start_ps = start_ps};
}

// A permutation without fixed points: one cycle over all ranks, drawn.
static void permute(struct workload *l) {
  uint32_t *order = need(malloc(l->ranks * sizeof *order));
  struct rng rng = rng_for(l->options->seed, 0x9E27);
  for (uint32_t i = 0; i < l->ranks; i++) order[i] = i;
  for (uint32_t i = l->ranks; i > 1; i--) {
    const uint32_t j = rng_below(&rng, i), keep = order[i - 1];
    order[i - 1] = order[j];
    order[j] = keep;
  }
  for (uint32_t i = 0; i < l->ranks; i++) flows_put(l, order[i], order[(i + 1) % l->ranks], l->options->bytes, 0);
  free(order);
}

static void everybody(struct workload *l) {
  const uint64_t part = (l->options->bytes + l->ranks - 1) / l->ranks;
  for (uint32_t r = 0; r < l->ranks; r++)
    for (uint32_t i = 1; i < l->ranks; i++) flows_put(l, r, (r + i) % l->ranks, part, 0);
}

static void put(void *workload, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t start_ps) {
  flows_put(workload, src, dst, bytes, start_ps);
}

static int compare(const void *a, const void *b) {
  const struct load_flow *x = a, *y = b;
  if (x->src != y->src) return x->src < y->src ? -1 : 1;
  if (x->start_ps != y->start_ps) return x->start_ps < y->start_ps ? -1 : 1;
  return x->dst != y->dst ? (x->dst < y->dst ? -1 : 1) : 0;
}

int flows_make(struct workload *l, char *error, size_t size) {
  const struct load_options *o = l->options;
  if (o->kind == LOAD_ALL_TO_ALL && l->ranks > 4096) {
    snprintf(error, size, "%u ranks: an all-to-all has 4096 at most", l->ranks);
    return -1;
  }
  if (o->kind == LOAD_INCAST && o->senders >= l->ranks) {
    snprintf(error, size, "%u senders, and %u ranks beside the receiver", o->senders, l->ranks - 1);
    return -1;
  }
  if (o->kind == LOAD_MATRIX && flows_read(o->file, l->ranks, put, l, error, size) != 0) return -1;
  if (o->kind == LOAD_CAPTURE && flows_of_capture(l, error, size) != 0) return -1;
  if (o->kind == LOAD_PERMUTATION) permute(l);
  if (o->kind == LOAD_ALL_TO_ALL) everybody(l);
  for (uint32_t s = 1; o->kind == LOAD_INCAST && s <= o->senders; s++) flows_put(l, s, 0, o->bytes, 0);
  struct rng rng = rng_for(o->seed, 0x57A6);
  for (size_t f = 0; f < l->flow_count; f++) {
    if (o->stagger_ps > 0) l->flows[f].start_ps += (uint64_t)(rng_uniform(&rng) * (double)o->stagger_ps);
    l->flows[f].left = (l->flows[f].bytes + o->message - 1) / o->message;
  }
  // An all-to-all keeps the order in which each rank begins with its neighbour.
  if (o->kind != LOAD_ALL_TO_ALL || o->stagger_ps > 0) qsort(l->flows, l->flow_count, sizeof *l->flows, compare);
  l->first_flow = need(calloc(l->ranks + 1, sizeof *l->first_flow));
  l->next_flow = need(calloc(l->ranks + 1, sizeof *l->next_flow));
  for (size_t f = 0; f < l->flow_count; f++) l->first_flow[l->flows[f].src + 1] = f + 1;
  for (uint32_t r = 0; r < l->ranks; r++) {
    if (l->first_flow[r + 1] < l->first_flow[r]) l->first_flow[r + 1] = l->first_flow[r];
    l->next_flow[r] = l->first_flow[r];
  }
  return 0;
}

// What is due of a rank's flows goes to its interface; messages of the due flows in turn. Who is due later is waited for.
void flows_begin(struct workload *l, uint32_t rank) {
  const uint64_t now = world_now(l->world), message = l->options->message;
  struct fabric_nic *nic = &l->nics[l->host_of[rank]];
  const size_t from = l->next_flow[rank];
  size_t to = from;
  uint64_t most = 0;
  for (; to < l->first_flow[rank + 1] && l->flows[to].start_ps <= now; to++)
    if (l->flows[to].bytes > most) most = l->flows[to].bytes;
  l->next_flow[rank] = to;
  for (uint64_t done = 0; done < most; done += message)
    for (size_t f = from; f < to; f++) {
      const uint64_t bytes = l->flows[f].bytes;
      if (done >= bytes) continue;
      load_send(l, rank, l->flows[f].dst, bytes - done < message ? bytes - done : message, (uint32_t)f,
                load_own(l, rank) * (f + 1));
    }
  if (to < l->first_flow[rank + 1]) world_wake(l->world, nic->part, NIC_USER, l->flows[to].start_ps);
}

void flows_received(struct workload *l, uint32_t rank, uint32_t tag, uint64_t value) {
  if (tag >= l->flow_count || l->flows[tag].dst != rank || l->flows[tag].left == 0) {
    l->wrong++;
    return;
  }
  struct load_flow *f = &l->flows[tag];
  f->sum += value;
  if (--f->left > 0) return;
  f->done_ps = world_now(l->world);
  const uint64_t messages = (f->bytes + l->options->message - 1) / l->options->message;
  if (f->sum != load_own(l, f->src) * (tag + 1) * messages) l->wrong++;
}
