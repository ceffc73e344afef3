// The model beside a device is made, and changes when the device does.
#include "model/tree/tree_twin.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/tree/tree_twin_state.h"

enum { ROOM = 4096 };

void twin_wrong(struct tree_twin *t, const char *format, ...) {
  va_list args;
  if (t->fault[0] != '\0') return;
  const int at = snprintf(t->fault, sizeof t->fault, "node %u: ", t->node->config.id);
  va_start(args, format);
  vsnprintf(t->fault + at, sizeof t->fault - (size_t)at, format, args);
  va_end(args);
}

// --- making it ---

/// With room for whatever a device can have under way, and nothing that waits.
static struct rc_end_config roomy(const struct rc_end_config *end, bool peer) {
  struct rc_end_config c = *end;
  c.request = (struct rc_request_config){
      .room = ROOM, .ack_every = 1, .timeout_ps = UINT64_MAX / 2, .retries = 7, .rnr_retries = RC_ENDLESS};
  c.respond = (struct rc_respond_config){.room = ROOM, .coalesce = 1, .rnr_timer = 1};
  if (!peer) return c;
  memcpy(c.local_mac, end->peer_mac, sizeof c.local_mac);
  memcpy(c.peer_mac, end->local_mac, sizeof c.peer_mac);
  c.in = end->out;
  c.out = end->in;
  c.psn_in = end->psn_out;
  c.psn_out = end->psn_in;
  return c;
}

static bool open_side(struct twin_side *s, const struct rc_end_config *own) {
  const struct rc_end_config peer = roomy(own, true);
  s->ear = rc_end_new(own);
  s->mouth = rc_end_new(&peer);
  s->peer = rc_end_new(&peer);
  return s->ear != NULL && s->mouth != NULL && s->peer != NULL;
}

static void close_side(struct twin_side *s) {
  rc_end_free(s->ear);
  rc_end_free(s->mouth);
  rc_end_free(s->peer);
  heard_empty(&s->in);
  heard_empty(&s->due);
  heard_empty(&s->out);
  *s = (struct twin_side){0};
}

static bool open_node(struct tree_twin *t, const struct tree_node_config *config) {
  struct tree_node_config c = *config;
  struct rc_end_config *ends = need(calloc(2 * TREE_MAX_PORTS, sizeof *ends));
  struct tree_of_node trees[2];
  bool good = true;
  for (unsigned i = 0; i < 2; i++) {
    trees[i] = config->trees[i];
    trees[i].ends = ends + (size_t)i * TREE_MAX_PORTS;
    for (unsigned p = 0; p < config->ports && good; p++) {
      if ((trees[i].neighbours >> p & 1) == 0) continue;
      t->mtu = config->trees[i].ends[p].mtu;
      ends[i * TREE_MAX_PORTS + p] = roomy(&config->trees[i].ends[p], false);
      good = open_side(&t->sides[i][p], &ends[i * TREE_MAX_PORTS + p]);
    }
  }
  c.trees = trees;
  c.tree_count = 2;
  // The device says when patience has ended.
  c.patience_ps = c.patience_up_ps = UINT64_MAX / 4;
  if (good) t->node = tree_node_new(&c);
  free(ends);
  return t->node != NULL;
}

struct tree_twin *tree_twin_new(const struct tree_node_config *config) {
  struct tree_twin *t = calloc(1, sizeof *t);
  if (t == NULL) return NULL;
  t->ports = config->ports;
  if (open_node(t, config)) return t;
  tree_twin_free(t);
  return NULL;
}

void tree_twin_free(struct tree_twin *t) {
  if (t == NULL) return;
  for (unsigned i = 0; i < 2; i++)
    for (unsigned p = 0; p < t->ports; p++) close_side(&t->sides[i][p]);
  for (unsigned p = 0; p < t->ports; p++) {
    heard_empty(&t->casts[p].due);
    heard_empty(&t->casts[p].out);
  }
  heard_empty(&t->cast_in);
  tree_node_free(t->node);
  free(t->ends);
  free(t);
}

// --- changes ---

void tree_twin_change_group(struct tree_twin *t, unsigned index, const struct group_of_node *group) {
  t->asks = true;
  t->reopens = false;
  t->index = index;
  t->there = group != NULL;
  if (group != NULL) t->group = *group;
}

void tree_twin_reopen(struct tree_twin *t, const struct rc_end_config *ends) {
  t->asks = t->reopens = true;
  if (t->ends == NULL) t->ends = need(calloc(TREE_MAX_PORTS, sizeof *t->ends));
  for (unsigned p = 0; p < t->ports; p++)
    if ((t->node->trees[1].is.neighbours & port_bit(p)) != 0) t->ends[p] = roomy(&ends[p], false);
}

/// The streaming tree's connections are others.
static bool reopen(struct tree_twin *t) {
  if (!tree_node_reopen(t->node, 1, t->ends)) return false;
  bool good = true;
  for (unsigned p = 0; p < t->ports; p++) {
    if ((t->node->trees[1].is.neighbours & port_bit(p)) == 0) continue;
    close_side(&t->sides[1][p]);
    good = good && open_side(&t->sides[1][p], &t->ends[p]);
  }
  return good;
}

/// True if the model would do it.
static bool may(const struct tree_twin *t) {
  if (t->reopens) return tree_may_reopen(t->node, 1);
  return t->index < t->node->config.group_count && !tree_group_busy(t->node, &t->node->groups[t->index]);
}

/// What it is about has messages that the model has sent and the device not: then that one is not done with it.
static bool owes(const struct tree_twin *t) {
  const uint32_t key = t->reopens ? TWIN_KEY_TEARDOWN : t->node->groups[t->index].is.id;
  for (unsigned p = 0; p < t->ports; p++)
    for (const struct heard *i = t->sides[0][p].due.head; i != NULL; i = i->next)
      if (twin_key(i) == key) return true;
  return false;
}

void tree_twin_changed(struct tree_twin *t, bool good) {
  const char *what = t->reopens ? "the streaming tree begins" : "a group changes";
  tree_twin_asked(t);
  if (!t->asks)
    twin_wrong(t, "it has decided on a change that nobody asked for");
  else if (!t->reopens && t->index >= t->node->config.group_count)
    twin_wrong(t, "a group changes that the model has no place for");
  else if (!good && may(t) && !owes(t))
    twin_wrong(t, "%s: it refuses, for no reason", what);
  else if (good && !(t->reopens ? reopen(t) : tree_node_change_group(t->node, t->index, t->there ? &t->group : NULL)))
    twin_wrong(t, "%s, which it may not", what);
  t->asks = false;
}
