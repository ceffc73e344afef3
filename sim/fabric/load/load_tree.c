// All-reduce over a tree: a slice goes up when all children's are here, and its sum comes down. Of ranks alone it is a binary one: rank r's children are
// 2r + 1 and 2r + 2. With nodes (SHARP streaming aggregation, 3) ranks are the leaves of a tree whose nodes stand beside switches, each on a cable that carries
// what all of the switch's ports do; a slice is a packet, so that it streams.
#include "sim/fabric/load/load.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

enum { UP, DOWN };

// Slices that a rank has handed to its interface and that are not acknowledged, at most.
enum { AHEAD = 512 };

static void set_parent(struct workload *l, uint32_t actor, uint32_t parent) {
  l->parent[actor] = parent;
  if (parent != NET_NOWHERE) l->child_count[parent]++;
}

// Nodes are hosts behind all others, by the number of their switch.
static int wire_nodes(struct workload *l, char *error, size_t size) {
  const struct net *n = l->net;
  if (n->nodes == 0) {
    snprintf(error, size, "this topology has no place for nodes; one that begins with clos: has");
    return -1;
  }
  for (uint32_t i = 0; i < n->nodes; i++) {
    l->host_of[l->ranks + i] = n->hosts - n->nodes + i;
    l->rank_of[n->hosts - n->nodes + i] = l->ranks + i;
  }
  for (uint32_t r = 0; r < l->ranks; r++) set_parent(l, r, l->rank_of[n->node_at[n->leaf[l->host_of[r]]]]);
  for (uint32_t i = 0; i < n->nodes; i++) {
    const uint32_t above = n->node_parent[n->leaf[l->host_of[l->ranks + i]]];
    set_parent(l, l->ranks + i, above == NET_NOWHERE ? NET_NOWHERE : l->rank_of[n->node_at[above]]);
  }
  return 0;
}

// Nodes below which there is nobody take no part.
static void leave_out(struct workload *l) {
  for (bool again = true; again;) {
    again = false;
    for (uint32_t a = l->ranks; a < l->actors; a++)
      if (l->child_count[a] == 0 && l->parent[a] != NET_NOWHERE) {
        l->child_count[l->parent[a]]--;
        l->parent[a] = NET_NOWHERE;
        again = true;
      }
  }
}

int tree_make(struct workload *l, char *error, size_t size) {
  l->parent = need(malloc(l->actors * sizeof *l->parent));
  l->child_count = need(calloc(l->actors, sizeof *l->child_count));
  l->first_child = need(calloc(l->actors + 1, sizeof *l->first_child));
  l->children = need(malloc(l->actors * sizeof *l->children));
  if (l->options->kind == LOAD_ALL_REDUCE_TREE)
    for (uint32_t r = 0; r < l->ranks; r++) set_parent(l, r, r == 0 ? NET_NOWHERE : (r - 1) / 2);
  else if (wire_nodes(l, error, size) != 0)
    return -1;
  leave_out(l);
  for (uint32_t a = 0; a < l->actors; a++) l->first_child[a + 1] = l->first_child[a] + l->child_count[a];
  uint32_t *next = need(malloc(l->actors * sizeof *next));
  for (uint32_t a = 0; a < l->actors; a++) next[a] = l->first_child[a];
  for (uint32_t a = 0; a < l->actors; a++)
    if (l->parent[a] != NET_NOWHERE) l->children[next[l->parent[a]]++] = a;
  free(next);
  l->chunk = l->options->bytes;
  l->slices = (l->chunk + l->options->message - 1) / l->options->message;
  for (uint32_t a = 0; a < l->actors; a++) {
    if (a < l->ranks) l->rank[a].left = l->slices;
    if (l->child_count[a] == 0) continue;
    l->rank[a].sums = need(calloc(l->slices, sizeof *l->rank[a].sums));
    l->rank[a].counts = need(calloc(l->slices, sizeof *l->rank[a].counts));
  }
  return 0;
}

static void send(struct workload *l, uint32_t from, uint32_t to, uint32_t way, uint64_t slice, uint64_t value) {
  load_send(l, from, to, load_slice(l, slice), (uint32_t)(2 * slice + way), value);
}

static void go_down(struct workload *l, uint32_t actor, uint64_t slice, uint64_t value) {
  if (actor < l->ranks) load_take(l, actor, value, l->total);
  for (uint32_t c = l->first_child[actor]; c < l->first_child[actor + 1]; c++) send(l, actor, l->children[c], DOWN, slice, value);
}

// A slice is whole at an actor, for those below it and itself.
static void go_up(struct workload *l, uint32_t actor, uint64_t slice, uint64_t value) {
  const uint32_t parent = l->parent[actor];
  if (parent == NET_NOWHERE) {
    go_down(l, actor, slice, value);
    return;
  }
  send(l, actor, parent, UP, slice, value);
  nic_expect(&l->nics[l->host_of[actor]], l->host_of[parent], 1);
}

static void add(struct workload *l, uint32_t actor, uint64_t slice, uint64_t value) {
  struct load_rank *r = &l->rank[actor];
  const uint32_t wanted = l->child_count[actor] + (actor < l->ranks ? 1 : 0);
  if (l->child_count[actor] > 0) value = r->sums[slice] += value;
  if (l->child_count[actor] > 0) {
    const uint32_t here = ++r->counts[slice];
    if (here == 1 && ++r->held > r->most_held) r->most_held = r->held;
    if (here < wanted) return;
    r->held--;
  }
  go_up(l, actor, slice, value);
}

// A rank's own slices, as far as its interface may be ahead.
static void offer(struct workload *l, uint32_t actor) {
  struct load_rank *r = &l->rank[actor];
  for (; actor < l->ranks && r->step < l->slices && r->ahead < AHEAD; r->step++) {
    r->ahead += l->child_count[actor] == 0;
    add(l, actor, r->step, load_own(l, actor));
  }
}

void tree_begin(struct workload *l, uint32_t actor) {
  for (uint32_t c = l->first_child[actor]; c < l->first_child[actor + 1]; c++)
    nic_expect(&l->nics[l->host_of[actor]], l->host_of[l->children[c]], l->slices);
  offer(l, actor);
}

void tree_received(struct workload *l, uint32_t actor, uint32_t tag, uint64_t value) {
  if (tag % 2 == UP)
    add(l, actor, tag / 2, value);
  else
    go_down(l, actor, tag / 2, value);
}

void tree_sent(struct workload *l, uint32_t actor, uint32_t tag, uint64_t bytes) {
  (void)bytes;
  // What goes down is no rank's own.
  if (tag % 2 != UP) return;
  if (l->rank[actor].ahead > 0) l->rank[actor].ahead--;
  offer(l, actor);
}
