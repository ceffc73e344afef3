#include "formal/protocol/search/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "formal/protocol/search/states.h"

enum { STEPS_MOST = 128 };
static const uint32_t NONE = UINT32_MAX;

struct steps {
  const struct rule_model *model;
  size_t count;
  struct {
    uint64_t packed[LAYOUT_WORDS];
    uint32_t label;
    bool wrong;
  } step[STEPS_MOST];
};

struct search {
  const struct rule_model *model;
  struct states states;
  uint32_t room;      // of the arrays by state
  uint32_t *parent;   // by state: where it was first found from
  uint64_t *first;    // by state: its first edge
  uint32_t *edges;    // numbers of successors, state by state
  uint64_t edge_count, edge_room;
  uint64_t wrong;
  uint32_t wrong_from, wrong_label;   // the first wrong step found
  bool *can_complete;                 // by state
  uint32_t complete, stuck, stuck_first;
};

void step(struct steps *out, const void *next, uint32_t label, bool wrong) {
  if (out->count == STEPS_MOST) abort();
  layout_pack(&out->model->layout, next, out->step[out->count].packed);
  out->step[out->count].label = label;
  out->step[out->count++].wrong = wrong;
}

static void expand(const struct search *s, uint32_t state, struct steps *out) {
  uint64_t bytes[LAYOUT_STATE_BYTES / 8] = {0};
  layout_unpack(&s->model->layout, states_at(&s->states, state), bytes);
  out->model = s->model;
  out->count = 0;
  s->model->successors(s->model->config, bytes, out);
}

static bool is_complete(const struct search *s, uint32_t state) {
  uint64_t bytes[LAYOUT_STATE_BYTES / 8] = {0};
  layout_unpack(&s->model->layout, states_at(&s->states, state), bytes);
  return s->model->complete(s->model->config, bytes);
}

static uint32_t add(struct search *s, const uint64_t *packed, uint32_t parent) {
  bool is_new = false;
  const uint32_t number = states_add(&s->states, packed, &is_new);
  if (!is_new) return number;
  if (number >= s->room) {
    s->room = s->room == 0 ? 1024 : 2 * s->room;
    s->parent = need(realloc(s->parent, s->room * sizeof *s->parent));
    s->first = need(realloc(s->first, ((size_t)s->room + 1) * sizeof *s->first));
  }
  s->parent[number] = parent;
  return number;
}

static void add_edge(struct search *s, uint32_t to) {
  if (s->edge_count == s->edge_room) {
    s->edge_room = s->edge_room == 0 ? 4096 : s->edge_room / 2 * 3;
    s->edges = need(realloc(s->edges, s->edge_room * sizeof *s->edges));
  }
  s->edges[s->edge_count++] = to;
}

/// Forwards, breadth first: a state's number never is smaller than that of a state nearer to the start.
static bool visit(struct search *s, uint32_t most) {
  struct steps *found = need(malloc(sizeof *found));
  for (uint32_t state = 0; state < s->states.count && s->states.count <= most; state++) {
    expand(s, state, found);
    s->first[state] = s->edge_count;
    for (size_t i = 0; i < found->count; i++) {
      add_edge(s, add(s, found->step[i].packed, state));
      if (!found->step[i].wrong) continue;
      if (s->wrong++ > 0) continue;
      s->wrong_from = state;
      s->wrong_label = found->step[i].label;
    }
  }
  s->first[s->states.count] = s->edge_count;
  free(found);
  return s->states.count <= most;
}

/// Edges turned around: the predecessors of a state are from[first[state]] up to from[first[state + 1]].
struct backwards {
  uint64_t *first;
  uint32_t *from;
};

/// A counting sort of the edges by where they lead to.
static struct backwards turn_around(const struct search *s) {
  const size_t count = s->states.count;
  struct backwards b = {.first = need(calloc(count + 2, sizeof *b.first)),
                        .from = need(malloc((s->edge_count + 1) * sizeof *b.from))};
  for (uint64_t e = 0; e < s->edge_count; e++) b.first[s->edges[e] + 2]++;
  for (size_t i = 2; i <= count + 1; i++) b.first[i] += b.first[i - 1];
  // first[i + 1] is where the next predecessor of i goes; when all are placed, it is where those of i + 1 begin.
  for (uint32_t state = 0; state < count; state++) {
    for (uint64_t e = s->first[state]; e < s->first[state + 1]; e++) b.from[b.first[s->edges[e] + 1]++] = state;
  }
  return b;
}

/// Backwards from the states that are complete: whatever leads to a state that can complete can complete too.
static void look_back(struct search *s) {
  const uint32_t count = s->states.count;
  struct backwards b = turn_around(s);
  uint32_t *queue = need(malloc(count * sizeof *queue)), queued = 0;
  s->can_complete = need(calloc(count, sizeof *s->can_complete));
  for (uint32_t state = 0; state < count; state++) {
    if (!is_complete(s, state)) continue;
    s->can_complete[state] = true;
    queue[queued++] = state;
  }
  s->complete = queued;
  for (uint32_t done = 0; done < queued; done++) {
    for (uint64_t e = b.first[queue[done]]; e < b.first[queue[done] + 1]; e++) {
      if (s->can_complete[b.from[e]]) continue;
      s->can_complete[b.from[e]] = true;
      queue[queued++] = b.from[e];
    }
  }
  s->stuck = count - queued;
  s->stuck_first = NONE;
  for (uint32_t state = count; state-- > 0;) {
    if (!s->can_complete[state]) s->stuck_first = state;
  }
  free(queue);
  free(b.first);
  free(b.from);
}

bool search_all(const struct rule_model *model, uint32_t most, struct search **out) {
  struct search *s = *out = need(calloc(1, sizeof *s));
  s->model = model;
  s->wrong_from = s->stuck_first = NONE;
  states_init(&s->states, layout_words(&model->layout));
  uint64_t bytes[LAYOUT_STATE_BYTES / 8] = {0}, packed[LAYOUT_WORDS];
  model->initial(model->config, bytes);
  layout_pack(&model->layout, bytes, packed);
  add(s, packed, NONE);
  if (!visit(s, most)) return false;
  look_back(s);
  return true;
}

void search_free(struct search *s) {
  states_free(&s->states);
  free(s->parent);
  free(s->first);
  free(s->edges);
  free(s->can_complete);
  free(s);
}

uint32_t search_states(const struct search *s) { return s->states.count; }
uint64_t search_wrong(const struct search *s) { return s->wrong; }
uint32_t search_stuck(const struct search *s) { return s->stuck; }
uint32_t search_complete(const struct search *s) { return s->complete; }

/// Label of a step from one state to another: steps are not kept, so they are made again.
static uint32_t label_between(const struct search *s, uint32_t from, uint32_t to) {
  struct steps *found = need(malloc(sizeof *found));
  expand(s, from, found);
  size_t i = 0;
  while (memcmp(found->step[i].packed, states_at(&s->states, to), s->states.words * sizeof(uint64_t)) != 0) i++;
  const uint32_t label = found->step[i].label;
  free(found);
  return label;
}

/// Labels of the path to a state, with room for one more.
static size_t path_to(const struct search *s, uint32_t state, uint32_t **labels) {
  size_t length = 0;
  for (uint32_t at = state; s->parent[at] != NONE; at = s->parent[at]) length++;
  *labels = need(malloc((length + 1) * sizeof **labels));
  for (size_t i = length; i-- > 0; state = s->parent[state]) (*labels)[i] = label_between(s, s->parent[state], state);
  return length;
}

size_t search_trace_wrong(const struct search *s, uint32_t **labels) {
  *labels = NULL;
  if (s->wrong == 0) return 0;
  const size_t length = path_to(s, s->wrong_from, labels);
  (*labels)[length] = s->wrong_label;
  return length + 1;
}

size_t search_trace_stuck(const struct search *s, uint32_t **labels) {
  *labels = NULL;
  return s->stuck_first == NONE ? 0 : path_to(s, s->stuck_first, labels);
}
