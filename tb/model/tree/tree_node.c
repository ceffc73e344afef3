#include "model/tree/tree_node.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/tree/tree_state.h"
#include "wire/tree_cast.h"

// --- making one ---

static bool make_tree(const struct tree_node *n, struct node_tree *t, const struct tree_of_node *is) {
  const unsigned ports = n->config.ports;
  t->is = *is;
  t->configs = calloc(ports, sizeof *t->configs);
  if (t->configs == NULL) return false;
  for (unsigned p = 0; p < ports; p++) {
    if ((is->neighbours & port_bit(p)) == 0) continue;
    t->configs[p] = is->ends[p];
    t->ends[p] = rc_end_new(&t->configs[p]);
    const bool listens = !is->sat && (is->casts & port_bit(p)) != 0;
    if (!is->sat) t->inbox[p] = calloc(1, sizeof *t->inbox[p]);
    if (listens) t->casts[p] = calloc(1, sizeof *t->casts[p]);
    if (t->ends[p] == NULL || (!is->sat && t->inbox[p] == NULL) || (listens && t->casts[p] == NULL)) return false;
  }
  return true;
}

static bool make_group(const struct tree_node *n, struct node_group *g, const struct group_of_node *is) {
  g->is = *is;
  g->low.deadline = UINT64_MAX;
  g->low.rows = malloc((size_t)n->config.ports * TREE_LLT_MOST);
  g->low.result = malloc(TREE_LLT_MOST);
  return g->low.rows != NULL && g->low.result != NULL;
}

struct tree_node *tree_node_new(const struct tree_node_config *config) {
  struct tree_node *n = calloc(1, sizeof *n);
  if (n == NULL) return NULL;
  n->config = *config;
  n->locks.cells = config->lock_cells;
  n->trees = calloc(config->tree_count, sizeof *n->trees);
  n->groups = calloc(config->group_count, sizeof *n->groups);
  bool good = n->trees != NULL && n->groups != NULL;
  for (size_t i = 0; good && i < config->tree_count; i++) good = make_tree(n, &n->trees[i], &config->trees[i]);
  for (size_t i = 0; good && i < config->group_count; i++) good = make_group(n, &n->groups[i], &config->groups[i]);
  if (good) return n;
  tree_node_free(n);
  return NULL;
}

void tree_node_free(struct tree_node *n) {
  if (n == NULL) return;
  for (size_t i = 0; n->trees != NULL && i < n->config.tree_count; i++) {
    for (unsigned p = 0; p < n->config.ports; p++) {
      rc_end_free(n->trees[i].ends[p]);
      free(n->trees[i].inbox[p]);
      free(n->trees[i].casts[p]);
    }
    free(n->trees[i].configs);
  }
  for (size_t i = 0; n->groups != NULL && i < n->config.group_count; i++) {
    free(n->groups[i].low.rows);
    free(n->groups[i].low.result);
  }
  free(n->trees);
  free(n->groups);
  free(n);
}

// --- what both kinds of trees have in common ---

struct node_group *tree_group(struct tree_node *n, const struct node_tree *low, uint16_t id) {
  for (struct node_group *g = n->groups; g < n->groups + n->config.group_count; g++)
    if (g->is.children != 0 && g->is.id == id && &n->trees[g->is.tree] == low) return g;
  return NULL;
}

bool tree_post(struct rc_end *end, unsigned mtu, const struct tree_header *header, const uint8_t *vector) {
  const uint32_t length = header->flags & TREE_CARRIES ? header->length : 0;
  const uint64_t packets = tree_packets(length, mtu);
  struct rc_requester *r = rc_end_requester(end);
  uint8_t data[RC_MAX_MTU];
  if (rc_requester_room(r) < packets) return false;
  for (uint64_t i = 0; i < packets; i++) {
    const size_t front = i == 0 ? TREE_BYTES : 0, part = tree_part(length, mtu, i);
    if (i == 0) tree_put(data, header);
    if (part > 0) memcpy(data + front, vector, part);
    if (part > 0) vector += part;
    rc_requester_post(
        r, &(struct rc_packet){.verb = RC_SEND, .first = i == 0, .last = i + 1 == packets, .data = data, .len = front + part});
  }
  return true;
}

void tree_end(struct tree_node *n, struct node_tree *t, struct tree_blame why, unsigned except) {
  if (t->down) return;
  struct node_tree *partner = &n->trees[t->is.partner], *low = t->is.sat ? partner : t, *sat = t->is.sat ? t : partner;
  t->down = true;
  n->counts.teardowns++;
  n->counts.unlocks += tree_locks_drop(&n->locks, sat->is.id);
  sat->stream.active = false;
  if (t == low) {
    sat->down = true;
    for (struct node_group *g = n->groups; g < n->groups + n->config.group_count; g++)
      if (&n->trees[g->is.tree] == low) g->low.phase = LOW_IDLE;
  }
  // Who ended the streaming tree is told of the other one all the same.
  low->teardown =
      (struct tree_header){.kind = TREE_TEARDOWN, .tree = t->is.id, .verdict = why.verdict, .node = why.node, .port = why.port};
  low->to_tell = low->is.neighbours & ~(except == TREE_NO_PORT ? 0 : port_bit(except));
}

// --- changes while others run ---

bool tree_group_busy(const struct tree_node *n, const struct node_group *g) {
  const uint16_t sat = n->trees[n->trees[g->is.tree].is.partner].is.id;
  const struct cast_copies *c = &n->trees[g->is.tree].copies;
  bool copies = false;
  for (unsigned i = 0; i < c->count; i++) copies |= c->due[i].header.group == g->is.id;
  // With one on its way up its group is in an operation; one that is kept has to be given back by somebody.
  return g->is.children != 0 && (g->low.phase != LOW_IDLE || copies || tree_locks_holds(&n->locks, sat, g->is.id));
}

bool tree_may_reopen(const struct tree_node *n, size_t tree) {
  const struct node_tree *t = &n->trees[tree], *low = &n->trees[t->is.partner];
  return t->is.sat && t->down && !low->down && low->to_tell == 0;
}

bool tree_node_change_group(struct tree_node *n, size_t index, const struct group_of_node *group) {
  struct node_group *g = &n->groups[index];
  if (tree_group_busy(n, g)) return false;
  if (group != NULL) {
    const struct node_tree *low = &n->trees[group->tree];
    const struct node_group *other = tree_group(n, low, group->id);
    if (group->children == 0 || (group->children & ~node_children(low)) != 0 || (other != NULL && other != g)) return false;
    g->is = *group;
  } else {
    g->is.children = 0;
  }
  g->low.any = false;
  return true;
}

bool tree_node_reopen(struct tree_node *n, size_t tree, const struct rc_end_config *ends) {
  struct node_tree *t = &n->trees[tree];
  if (!tree_may_reopen(n, tree)) return false;
  struct rc_end *fresh[TREE_MAX_PORTS] = {NULL};
  bool good = true;
  for (unsigned p = 0; p < n->config.ports; p++) {
    if ((t->is.neighbours & port_bit(p)) == 0) continue;
    t->configs[p] = ends[p];
    fresh[p] = rc_end_new(&t->configs[p]);
    good = good && fresh[p] != NULL;
  }
  for (unsigned p = 0; p < n->config.ports; p++) {
    rc_end_free(good ? t->ends[p] : fresh[p]);
    if (good) t->ends[p] = fresh[p];
    t->discards[p] = false;
  }
  if (good) t->down = false;
  return good;
}

// --- time ---

/// A neighbour that does not answer any more ends the tree that it is in.
static bool look_for_faults(struct tree_node *n, struct node_tree *t) {
  for (unsigned p = 0; p < n->config.ports && !t->down; p++) {
    if (t->ends[p] == NULL || rc_end_fault(t->ends[p]) == RC_GOOD) continue;
    // Whose streaming connection alone has failed hears of it by the other one.
    tree_end(n, t, (struct tree_blame){TREE_LOST, n->config.id, (uint8_t)(p + 1)}, t->is.sat ? TREE_NO_PORT : p);
    return true;
  }
  return false;
}

static bool tell(struct tree_node *n, struct node_tree *t) {
  bool told = false;
  for (unsigned p = 0; p < n->config.ports && t->to_tell != 0; p++) {
    if ((t->to_tell & port_bit(p)) == 0) continue;
    const bool dead = rc_end_fault(t->ends[p]) != RC_GOOD;
    if (!dead && !tree_post(t->ends[p], t->configs[p].mtu, &t->teardown, NULL)) continue;
    t->to_tell &= ~port_bit(p);
    told = true;
  }
  return told;
}

static bool step(struct tree_node *n, uint64_t now, struct node_tree *t) {
  if (look_for_faults(n, t)) return true;
  if (!t->is.sat) return tell(n, t) || low_step(n, now, t);
  return !t->down && stream_step(n, now, t);
}

/// Until nothing more can be done before something comes in.
static void go_on(struct tree_node *n, uint64_t now) {
  bool moved = true;
  while (moved) {
    moved = false;
    for (size_t i = 0; i < n->config.tree_count; i++)
      while (step(n, now, &n->trees[i])) moved = true;
  }
}

/// The ends of a streaming tree that is no more say nothing.
static bool speaks(const struct node_tree *t, unsigned port) { return t->ends[port] != NULL && !(t->down && t->is.sat); }

static bool casts(const struct node_tree *t, unsigned port) { return t->casts[port] != NULL && t->casts[port]->count > 0; }

/// True if a frame is a multicast of the parent.
static bool is_cast(struct tree_node *n, struct node_tree *t, unsigned port, const uint8_t *frame, const struct roce_packet *p) {
  size_t len;
  if (!t->is.listens || t->is.parent != port || t->down) return false;
  struct conn_key from = t->configs[port].in;
  from.qpn = t->configs[port].out.qpn;
  const uint8_t *message = tree_cast_read(frame, p, t->is.id, &from, &len);
  if (message != NULL) low_cast(n, t, message, len);
  return message != NULL;
}

void tree_node_receive(struct tree_node *n, uint64_t now, unsigned port, const uint8_t *frame, size_t len, bool bad) {
  struct roce_packet p;
  if (bad) return;
  roce_parse(frame, len, &p);
  n->counts.damaged += p.class == ROCE_BAD_ICRC;
  if (p.class == ROCE_BAD_ICRC) return;
  for (size_t i = 0; i < n->config.tree_count; i++) {
    struct node_tree *t = &n->trees[i];
    if (is_cast(n, t, port, frame, &p)) {
      go_on(n, now);
      return;
    }
    if (t->ends[port] == NULL || !rc_end_is(t->ends[port], &p)) continue;
    const bool late = !speaks(t, port);
    n->counts.late += late;
    if (!late && !rc_end_receive(t->ends[port], now, frame, &p)) break;
    go_on(n, now);
    return;
  }
  n->counts.strays++;
}

bool tree_node_ready(const struct tree_node *n, uint64_t now, unsigned port) {
  for (size_t i = 0; i < n->config.tree_count; i++)
    if (speaks(&n->trees[i], port) && (casts(&n->trees[i], port) || rc_end_ready(n->trees[i].ends[port], now))) return true;
  return false;
}

size_t tree_node_next(struct tree_node *n, uint64_t now, unsigned port, uint8_t *frame, size_t size) {
  size_t len = 0;
  for (size_t i = 0; i < n->config.tree_count && len == 0; i++)
    if (casts(&n->trees[i], port))
      len = tree_cast_next(&n->trees[i], port, frame, size);   // in front of its reliable copy
    else if (speaks(&n->trees[i], port))
      len = rc_end_next(n->trees[i].ends[port], now, frame, size);
  return len;
}

static void sooner(uint64_t *first, uint64_t time) {
  if (time < *first) *first = time;
}

uint64_t tree_node_deadline(const struct tree_node *n, uint64_t now) {
  uint64_t first = UINT64_MAX;
  for (const struct node_tree *t = n->trees; t < n->trees + n->config.tree_count; t++) {
    if (t->is.sat && t->stream.active) sooner(&first, t->stream.deadline);
    for (unsigned p = 0; p < n->config.ports; p++)
      if (speaks(t, p)) sooner(&first, rc_end_deadline(t->ends[p], now));
  }
  for (const struct node_group *g = n->groups; g < n->groups + n->config.group_count; g++)
    if (g->low.phase != LOW_IDLE) sooner(&first, g->low.deadline);
  return first;
}

void tree_node_tick(struct tree_node *n, uint64_t now) {
  for (struct node_tree *t = n->trees; t < n->trees + n->config.tree_count; t++) {
    for (unsigned p = 0; p < n->config.ports; p++)
      if (speaks(t, p)) rc_end_tick(t->ends[p], now);
    if (t->is.sat && t->stream.active && now >= t->stream.deadline) stream_expire(n, now, t);
  }
  for (struct node_group *g = n->groups; g < n->groups + n->config.group_count; g++)
    if (g->low.phase != LOW_IDLE && now >= g->low.deadline) low_expire(n, now, g);
  go_on(n, now);
}

// --- looking at it ---

struct tree_node_counts tree_node_counts(const struct tree_node *n) {
  return n->counts;
}

bool tree_node_down(const struct tree_node *n, size_t tree) { return n->trees[tree].down; }

bool tree_node_quiet(const struct tree_node *n) {
  for (const struct node_tree *t = n->trees; t < n->trees + n->config.tree_count; t++) {
    if (t->down) continue;
    if (t->stream.active || t->to_tell != 0 || t->copies.count > 0) return false;
    for (unsigned p = 0; p < n->config.ports; p++)
      if (t->ends[p] != NULL && !rc_end_empty(t->ends[p])) return false;
  }
  for (const struct node_group *g = n->groups; g < n->groups + n->config.group_count; g++)
    if (g->low.phase != LOW_IDLE) return false;
  return true;
}

const struct tree_locks *tree_node_locks(const struct tree_node *n) { return &n->locks; }

struct rc_end *tree_node_end(const struct tree_node *n, size_t tree, unsigned port) {
  return n->trees[tree].ends[port];
}
