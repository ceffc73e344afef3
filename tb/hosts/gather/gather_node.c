#include "hosts/gather/gather_node.h"

#include <stdlib.h>

#include "base/memory.h"

/// A batch of nonzeros.
struct batch {
  const uint32_t *idx;
  size_t count;
  unsigned tries;   // times that it was given to a unit
  bool good;        // it has ended well, so all its properties are there
};

struct gather_node {
  struct gather_node_options o;
  struct gather_nic nic;
  const struct gather_memory *memory;
  struct batch **units;   // what each of them has; NULL: nothing
  struct batch *batches;
  size_t batch_count, left;               // `left`: not ended yet
  size_t batch_size;                      // nonzeros of one, but for the last
  size_t *todo, todo_first, todo_count;   // batches without a unit, circular
  bool *silent;                           // of all nodes: it has not answered
  uint64_t given_up, finished, broken;
};

static void put_back(struct gather_node *n, size_t batch) { n->todo[(n->todo_first + n->todo_count++) % n->batch_count] = batch; }

static void hand_out(struct gather_node *n, uint64_t now, uint32_t unit) {
  if (n->todo_count == 0) return;
  struct batch *b = &n->batches[n->todo[n->todo_first]];
  b->tries++;
  n->units[unit] = b;
  n->todo_first = (n->todo_first + 1) % n->batch_count;
  n->todo_count--;
  n->nic.begin(n->nic.element.self, now, unit, b->idx, b->count);
}

/// Whether what the host was told of a batch is so, now.
static void look_at(struct gather_node *n, const struct batch *b) {
  n->broken += b->good && !gather_memory_kept(n->memory, b->idx, b->count);
}

/// A batch has failed in each try. The first property that is missing was asked for each time.
static void give_up(struct gather_node *n, const struct batch *b) {
  const size_t missing = gather_memory_missing(n->memory, b->idx, b->count);
  n->given_up++;
  if (missing < b->count) n->silent[gather_owner(&n->memory->columns, b->idx[missing])] = true;
}

/// The host hears that a gather ended. What one that failed has left must not harm those that have ended well.
static void ended(void *host, uint64_t now, uint32_t unit, bool good) {
  struct gather_node *n = host;
  const size_t batch = (size_t)(n->units[unit] - n->batches);
  n->units[unit] = NULL;
  n->batches[batch].good = good;
  for (size_t b = good ? batch : 0; b < (good ? batch + 1 : n->batch_count); b++) look_at(n, &n->batches[b]);
  if (!good && n->batches[batch].tries < n->o.tries) {
    put_back(n, batch);
  } else {
    if (!good) give_up(n, &n->batches[batch]);
    n->left--;
    n->finished = now;
  }
  hand_out(n, now, unit);
}

struct gather_node *gather_node_new(const struct gather_node_options *options, struct gather_memory *memory, gather_send_fn *send,
                                    void *fabric) {
  struct gather_node *n = calloc(1, sizeof *n);
  if (n == NULL) return NULL;
  n->o = *options;
  n->memory = memory;
  const struct gather_nic_calls calls = {
      .send = send, .fabric = fabric, .ended = ended, .host = n, .room = options->room, .taken = options->taken};
  gather_nic_fn *make = options->make != NULL ? options->make : gather_nic_model;
  n->units = calloc(options->nic.units, sizeof *n->units);
  n->silent = calloc(options->nic.concat.nodes, sizeof *n->silent);   // `memory` is not filled in yet
  if (n->units != NULL && n->silent != NULL && make(&options->nic, memory, &calls, &n->nic)) return n;
  gather_node_free(n);
  return NULL;
}

void gather_node_free(struct gather_node *n) {
  if (n == NULL) return;
  if (n->nic.free != NULL) n->nic.free(n->nic.element.self);
  free(n->units);
  free(n->silent);
  free(n->batches);
  free(n->todo);
  free(n);
}

void gather_node_begin(struct gather_node *n, uint64_t now, const uint32_t *idx, size_t count, size_t batch) {
  n->batch_count = n->left = (count + batch - 1) / batch;
  n->batch_size = batch;
  n->finished = now;
  free(n->batches);
  free(n->todo);
  n->batches = NULL;
  n->todo = NULL;
  n->todo_first = 0;
  if (count == 0) return;
  n->batches = need(calloc(n->batch_count, sizeof *n->batches));
  n->todo = need(calloc(n->batch_count, sizeof *n->todo));
  for (size_t b = 0; b < n->batch_count; b++) {
    const size_t from = b * batch;
    n->batches[b] = (struct batch){.idx = idx + from, .count = count - from < batch ? count - from : batch};
    put_back(n, b);
  }
  for (uint32_t u = 0; u < n->o.nic.units; u++) hand_out(n, now, u);
}

bool gather_node_done(const struct gather_node *n) { return n->left == 0; }
bool gather_node_has(const struct gather_node *n, size_t nonzero) { return n->batches[nonzero / n->batch_size].good; }

uint32_t gather_node_silent(const struct gather_node *n, uint32_t from) {
  while (from < n->memory->columns.nodes && !n->silent[from]) from++;
  return from < n->memory->columns.nodes ? from : UINT32_MAX;
}

uint64_t gather_node_finished(const struct gather_node *n) { return n->finished; }

struct gather_element gather_node_element(const struct gather_node *n) {
  return n->nic.element;
}

const char *gather_node_fault(const struct gather_node *n) {
  return n->nic.fault != NULL ? n->nic.fault(n->nic.element.self) : NULL;
}

struct gather_node_counts gather_node_counts(const struct gather_node *n) {
  return (struct gather_node_counts){.nic = n->nic.counts(n->nic.element.self),
                                     .given_up = n->given_up,
                                     .finished = n->finished,
                                     .broken = n->broken};
}
