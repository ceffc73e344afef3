// All-reduces among machines with n accelerators on an inner switch each (NetReduce 3.4, Fig. 6). Ranks are numbered machine by machine.
// What is done is a row of stages, each a number of steps; a step ends when its messages are here, and the next one begins then, as the
// paper's model has it (appendix A).
#include "sim/fabric/load/load.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

enum pattern {
  HALVING,        // recursive halving: a reduce-scatter
  GATHER,         // pieces to accelerator 0, over a binomial tree; with HALVING Rabenseifner's reduce
  SCATTER,        // the reverse; with RING_GATHER Van de Geijn's broadcast
  RING_SCATTER,   // a ring's reduce-scatter
  RING_GATHER,    // a ring's all-gather
  INSIDE,         // sums in the switch above the machines
  OVER
};

// Among which ranks: those of a machine, those with the same place in all machines, the first ones of all machines.
enum among { MACHINE, PLACE, MASTERS };

struct stage {
  enum pattern pattern;
  enum among among;
};

enum { STAGES = 7 };
static const struct stage plans[][STAGES] = {
    [LOAD_MASTER_RING] = {{HALVING, MACHINE},
                          {GATHER, MACHINE},
                          {RING_SCATTER, MASTERS},
                          {RING_GATHER, MASTERS},
                          {SCATTER, MACHINE},
                          {RING_GATHER, MACHINE},
                          {OVER, MACHINE}},
    [LOAD_PARALLEL_RING] =
        {{RING_SCATTER, MACHINE}, {RING_SCATTER, PLACE}, {RING_GATHER, PLACE}, {RING_GATHER, MACHINE}, {OVER, MACHINE}},
    [LOAD_PARALLEL_NETREDUCE] = {{RING_SCATTER, MACHINE}, {INSIDE, PLACE}, {RING_GATHER, MACHINE}, {OVER, MACHINE}}};

// Tags of steps begin here; those below are of messages that switches sum.
#define STEP UINT32_C(0x40000000)

enum effect { NOTHING, ADD, ADD_TO_INPUT, REPLACE, COMPARE };

// What a rank does in one step. Whom it sends to and hears from: NET_NOWHERE if nobody.
struct step {
  uint32_t to, from;
  uint64_t bytes;
  enum effect effect;
  bool inside, begins, last;   // of its stage: sums in the switch, this is its first step, it is the last one
};

static uint32_t logarithm(uint32_t of) {
  uint32_t steps = 0;
  while (1u << steps < of) steps++;
  return steps;
}

static uint32_t members(const struct workload *l, enum among among) { return among == MACHINE ? l->rings : l->ranks / l->rings; }

static uint32_t length(const struct workload *l, const struct stage *s) {
  const uint32_t size = members(l, s->among);
  if (s->pattern == INSIDE) return 1;
  return s->pattern == RING_SCATTER || s->pattern == RING_GATHER ? size - 1 : logarithm(size);
}

static uint32_t steps(const struct workload *l) {
  uint32_t sum = 0;
  for (const struct stage *s = plans[l->options->kind]; s->pattern != OVER; s++) sum += length(l, s);
  return sum;
}

static uint64_t part(uint64_t bytes, uint32_t of) { return (bytes + of - 1) / of; }

// Step `index` of a stage for the member at place `p` of `size`; ends are places.
static void fill(struct step *step, enum pattern pattern, uint32_t index, uint32_t p, uint32_t size, uint64_t bytes) {
  const bool ring = pattern == RING_SCATTER || pattern == RING_GATHER;
  const uint32_t bit = ring ? 0 : pattern == GATHER ? 1u << index : size >> (index + 1);
  const bool takes_part = !ring && (p & (bit - 1)) == 0, upper = p & bit;
  switch (pattern) {
    case HALVING: *step = (struct step){.to = p ^ bit, .from = p ^ bit, .bytes = part(bytes * bit, size), .effect = ADD}; break;
    case GATHER:
    case SCATTER:
      step->bytes = part(bytes * bit, size);
      step->effect = pattern == GATHER ? COMPARE : REPLACE;
      if (takes_part) *(upper == (pattern == GATHER) ? &step->to : &step->from) = p ^ bit;
      break;
    default:
      *step = (struct step){.to = (p + 1) % size, .from = (p + size - 1) % size, .bytes = part(bytes, size)};
      step->effect = pattern == RING_SCATTER ? ADD_TO_INPUT : REPLACE;
  }
}

// Step `number` of a rank; false if it is behind all of them. Of a stage without steps it says nevertheless that this one begins.
static bool step_at(const struct workload *l, uint32_t rank, uint32_t number, struct step *step) {
  const struct stage *s = plans[l->options->kind];
  for (; s[1].pattern != OVER && number >= length(l, s); s++) number -= length(l, s);
  *step = (struct step){.to = NET_NOWHERE, .from = NET_NOWHERE, .begins = number == 0, .last = s[1].pattern == OVER};
  if (number >= length(l, s)) return false;
  const uint32_t n = l->rings, place = rank % n, machine = rank / n;
  if (s->pattern == INSIDE) {
    step->inside = true;
    step->effect = REPLACE;
    return true;
  }
  if (s->among == MASTERS && place > 0) return true;
  const uint64_t bytes = s->among == PLACE ? l->chunk : l->options->bytes;
  const bool begins = step->begins, last = step->last;
  fill(step, s->pattern, number, s->among == MACHINE ? place : machine, members(l, s->among), bytes);
  step->begins = begins;
  step->last = last;
  uint32_t *ends[] = {&step->to, &step->from};
  for (unsigned i = 0; i < 2; i++)
    if (*ends[i] != NET_NOWHERE) *ends[i] = s->among == MACHINE ? machine * n + *ends[i] : *ends[i] * n + place;
  return true;
}

// Ranks that follow each other in the same rack are a machine; how many, if all machines have as many and are racks of their own.
static uint32_t per_machine(const struct workload *l) {
  const uint32_t *leaf = l->net->leaf, *host = l->host_of;
  uint32_t n = 1;
  while (n < l->ranks && leaf[host[n]] == leaf[host[0]]) n++;
  bool *seen = need(calloc(l->net->switches, sizeof *seen)), good = l->ranks % n == 0 && l->ranks / n > 1;
  for (uint32_t r = 0; r < l->ranks && good; r++) {
    good = r % n > 0 ? leaf[host[r]] == leaf[host[r - 1]] : !seen[leaf[host[r]]];
    seen[leaf[host[r]]] = true;
  }
  free(seen);
  return good ? n : 0;
}

int machines_make(struct workload *l, char *error, size_t size) {
  const struct load_options *o = l->options;
  const uint32_t n = per_machine(l);
  uint32_t above = 0;
  for (uint32_t s = 0; s < l->net->switches; s++) above += l->net->tiers[s] > 1;
  const char *wrong = NULL;
  if (n == 0)
    wrong = "ranks must sit machine by machine, as many in each of at least two";
  else if (o->kind == LOAD_MASTER_RING && (n & (n - 1)) != 0)
    wrong = "recursive halving takes a power of two accelerators in a machine";
  else if (o->kind == LOAD_PARALLEL_NETREDUCE && above != 1)
    wrong = "parallel NetReduce takes one switch above all machines";
  else if (o->kind == LOAD_PARALLEL_NETREDUCE && l->ranks / n > REDUCER_PORTS)
    wrong = "a switch sums what comes in by 128 ports, and there are more machines";
  if (wrong != NULL) {
    snprintf(error, size, "%s", wrong);
    return -1;
  }
  l->rings = n;
  l->chunk = part(o->bytes, n);
  l->slices = (l->chunk + o->message - 1) / o->message;
  if (l->slices * n >= STEP) {
    snprintf(error, size, "%u rings of %llu messages are too many", n, (unsigned long long)l->slices);
    return -1;
  }
  const uint32_t count = steps(l);
  for (uint32_t r = 0; r < l->ranks; r++) {
    l->rank[r].sums = need(calloc(count, sizeof *l->rank[r].sums));
    l->rank[r].counts = need(calloc(count, sizeof *l->rank[r].counts));
    l->rank[r].value = load_own(l, r);
    l->rank[r].left = n;
  }
  return 0;
}

static uint64_t messages(const struct workload *l, uint64_t bytes) {
  return (bytes + l->options->message - 1) / l->options->message;
}

static void send(struct workload *l, uint32_t rank, const struct step *step) {
  const uint64_t message = l->options->message;
  l->rank[rank].unsent += step->bytes;
  for (uint64_t done = 0; done < step->bytes; done += message)
    load_send(l, rank, step->to, step->bytes - done < message ? step->bytes - done : message, STEP | l->rank[rank].step,
              l->rank[rank].value);
}

// All of a step is here: what becomes of the rank's number.
static void apply(struct workload *l, uint32_t rank, const struct step *step) {
  struct load_rank *r = &l->rank[rank];
  if (step->from == NET_NOWHERE && !step->inside) return;
  const uint64_t came = r->sums[r->step];
  if (step->effect == ADD) r->value += came;
  if (step->effect == ADD_TO_INPUT) r->value = r->input + came;
  if (step->effect == REPLACE) r->value = came;
  if (step->effect == COMPARE) l->wrong += came != r->value;
  if (step->last) load_take(l, rank, came, l->total);
}

// From where a rank is on: until it has to wait for somebody.
static void go_on(struct workload *l, uint32_t rank, bool begun) {
  struct load_rank *r = &l->rank[rank];
  struct step step;
  for (;; begun = false) {
    const bool more = step_at(l, rank, r->step, &step);
    if (!begun && step.begins) r->input = r->value;
    if (!begun && step.begins && step.last) load_take(l, rank, r->value, l->total);
    if (!more) return;
    if (!begun && step.inside) netreduce_begin(l, rank);
    if (!begun && step.to != NET_NOWHERE) send(l, rank, &step);
    if (!begun && step.from != NET_NOWHERE)
      nic_expect(&l->nics[l->host_of[rank]], l->host_of[step.from], messages(l, step.bytes));
    const uint64_t wanted = step.inside ? l->slices : step.from != NET_NOWHERE ? messages(l, step.bytes) : 0;
    // Who only sends goes on when that is done: what it sends next is not to take turns with it.
    if (r->counts[r->step] < wanted || (step.to != NET_NOWHERE && step.from == NET_NOWHERE && r->unsent > 0)) return;
    apply(l, rank, &step);
    r->step++;
  }
}

void machines_begin(struct workload *l, uint32_t rank) { go_on(l, rank, false); }

void machines_received(struct workload *l, uint32_t rank, uint32_t tag, uint64_t value) {
  struct load_rank *r = &l->rank[rank];
  const uint32_t number = tag < STEP ? r->step : tag - STEP;
  if (number >= steps(l)) {
    l->wrong++;
    return;
  }
  // All messages of a step carry the same number; sums of switches are the rank's from now on.
  if (r->counts[number]++ > 0 && r->sums[number] != value) l->wrong++;
  r->sums[number] = value;
  if (tag < STEP) netreduce_next(l, rank);
  if (number == r->step) go_on(l, rank, true);
}

void machines_sent(struct workload *l, uint32_t rank, uint32_t tag, uint64_t bytes) {
  if (tag < STEP || (l->rank[rank].unsent -= bytes) > 0) return;
  go_on(l, rank, true);
}
